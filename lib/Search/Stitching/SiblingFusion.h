//===- SiblingFusion.h - XLA's fusions of several results -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_STITCHING_SIBLINGFUSION_H
#define FUSION_LIB_SEARCH_STITCHING_SIBLINGFUSION_H

#include "fusion/Search/Stitching/StitchExplorer.h"

namespace fusion {

/// XLA's multi-output fusion (multi_output_fusion.cc) of a plan's kernels, the
/// last vertex of each its result: from the last value on, first the kernels
/// that read it and none of which waits for the other, then the kernel that
/// makes it with one of its readers. Kernels of several results share one loop
/// over as many points; their reductions combine the same axes. XLA also asks
/// whether one of two is a fusion already, how much shared memory both take,
/// and whether the second form is slower: here they always may.
void fuseSiblings(const OperatorGraph &graph, const PatternOracle &oracle,
                  StitchPlan &plan);

} // namespace fusion

#endif // FUSION_LIB_SEARCH_STITCHING_SIBLINGFUSION_H
