//===- KernelMerging.h - Remote fusion of whole kernels ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_STITCHING_KERNELMERGING_H
#define FUSION_LIB_SEARCH_STITCHING_KERNELMERGING_H

#include "fusion/Search/Stitching/StitchExplorer.h"

namespace fusion {

/// Merges kernels of an ordered plan as long as that saves time. A kernel is
/// merged with kernels whose values it reads, with kernels that read the same
/// tensors, and with earlier kernels (kernel packing). PatternReduction with
/// one virtual producer (FusionStitching, section 5.2) reaches such kernels
/// only for the best few patterns of the whole graph.
void mergeKernels(const OperatorGraph &graph, const DeltaEvaluator &delta,
                  const ExplorerOptions &options, const PatternOracle &oracle,
                  StitchPlan &plan);

} // namespace fusion

#endif // FUSION_LIB_SEARCH_STITCHING_KERNELMERGING_H
