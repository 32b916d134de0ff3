//===- TrialChain.cpp - A chain for as long as it is looked at ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialChain.h"
#include "fusion/Analysis/Chains/ReadChain.h"
#include "fusion/Transforms/Partition/GroupBuilder.h"

using namespace mlir;
using namespace fusion;

TrialChain::TrialChain(RewriterBase &rewriter,
                       ArrayRef<linalg::LinalgOp> operators)
    : rewriter(rewriter),
      group(buildGroup<fuse::ChainOp>(rewriter, operators)) {
  auto interface = cast<fuse::FusedGroupOpInterface>(group.getOperation());
  found = readChain(interface.getOperators(), interface.getYieldedValues(),
                    [&](const Twine &reason) { why = reason.str(); });
}

TrialChain::~TrialChain() {
  SmallVector<Value> inits(group.getInits());
  rewriter.eraseOp(group);
  for (Value init : inits)
    if (Operation *empty = init.getDefiningOp(); empty && empty->use_empty())
      rewriter.eraseOp(empty);
}

const SearchMemo::Entry &TrialChain::search(SearchMemo &memo,
                                            const ChipInfo &chip,
                                            const SearchOptions &options) {
  return memo.search(group, found->model, chip, options);
}
