//===- MergePartials.h - Groups that combine partial results ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_MERGEPARTS_H
#define FUSION_LIB_TRANSFORMS_MERGEPARTS_H

#include "fusion/Analysis/SplitForm.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// The parts of what runs along a split axis, outside of groups: tensors whose
/// first dimension are the parts.
struct PartialValues {
  mlir::Value sum; ///< of the last product
  llvm::SmallDenseMap<unsigned, mlir::Value> reductions; ///< by number
};

/// Makes, at the rewriter's insertion point, the group that merges the parts of
/// `chain` for one of its results and does what follows, into the chain's own
/// destination. One operator merges all that runs, part by part, as the loop
/// over the axis would go on (OnlineReduction.h).
fuse::StitchOp buildMerge(mlir::RewriterBase &rewriter, fuse::ChainOp chain,
                          const GroupAxes &axes, const OnlineForm &online,
                          const MergedResult &result,
                          const PartialValues &parts);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_MERGEPARTS_H
