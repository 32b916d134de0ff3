//===- TrialChain.h - A chain for as long as it is looked at ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_TRIALCHAIN_H
#define FUSION_LIB_TRANSFORMS_PARTITION_TRIALCHAIN_H

#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Search/Chains/SearchMemo.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Operators as one group, which is erased in the end, with the destinations
/// that were made for it.
class TrialChain {
public:
  /// `operators` are in program order.
  TrialChain(mlir::RewriterBase &rewriter,
             llvm::ArrayRef<mlir::linalg::LinalgOp> operators);
  ~TrialChain();
  TrialChain(const TrialChain &) = delete;
  TrialChain &operator=(const TrialChain &) = delete;

  /// Null where they make no chain, for a `reason`.
  const GroupAxes *axes() const { return succeeded(found) ? &*found : nullptr; }
  const std::string &reason() const { return why; }

  /// What a search finds for the chain that they make.
  const SearchMemo::Entry &search(SearchMemo &memo, const ChipInfo &chip,
                                  const SearchOptions &options);

private:
  mlir::RewriterBase &rewriter;
  fuse::ChainOp group;
  llvm::FailureOr<GroupAxes> found;
  std::string why;
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_TRIALCHAIN_H
