//===- GenericTraffic.h - Bytes of the generic form ------------*- C++ -*--===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the generic form (lib/Conversion/FuseToTile/GenericLowering.cpp) one
// thread computes one element of each result of a group's last operator, and by
// itself all that this reads of the group's other operators.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_RESOURCES_GENERICTRAFFIC_H
#define FUSION_ANALYSIS_RESOURCES_GENERICTRAFFIC_H

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"

namespace fusion {

/// Returns the loops of an operator that index its results, in the order of the
/// dimensions of the first result. Every result must be indexed by loops alone.
llvm::SmallVector<unsigned> resultLoops(mlir::linalg::LinalgOp op);

/// Bytes that all threads of a launch move.
struct GenericTraffic {
  int64_t loaded = 0, stored = 0;
};

/// Counts what a group moves in the generic form. Returns nullopt where sizes
/// are dynamic, where a result or an element is at a computed index, and where
/// LLVM may load once what several loads or iterations ask for.
std::optional<GenericTraffic>
countGenericTraffic(fuse::FusedGroupOpInterface group);

} // namespace fusion

#endif // FUSION_ANALYSIS_RESOURCES_GENERICTRAFFIC_H
