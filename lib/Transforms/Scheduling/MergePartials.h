//===- MergePartials.h - Groups that combine partial results ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_SCHEDULING_MERGEPARTIALS_H
#define FUSION_LIB_TRANSFORMS_SCHEDULING_MERGEPARTIALS_H

#include "fusion/Analysis/Chains/SplitForm.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Partial results of a chain's split reductions, outside of groups: tensors
/// whose first dimension is the number of the partial result.
struct PartialValues {
  mlir::Value sum; ///< of the last contraction
  llvm::SmallDenseMap<unsigned, mlir::Value> reductions; ///< by number
};

/// Builds, at the rewriter's insertion point, the group that reduces the
/// partial results of `chain` for one of its results. The group also computes
/// the epilogue, into the chain's own destination. One operator merges all
/// online reductions, one partial result after the other, as the loop over the
/// axis would continue (OnlineReduction.h).
fuse::StitchOp buildMerge(mlir::RewriterBase &rewriter, fuse::ChainOp chain,
                          const GroupAxes &axes, const OnlineForm &online,
                          const MergedResult &result,
                          const PartialValues &parts);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_SCHEDULING_MERGEPARTIALS_H
