//===- InlineGroups.cpp - reference-inline-groups -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {
#define GEN_PASS_DEF_REFERENCEINLINEGROUPS
#include "fusion/Reference/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

struct InlineGroups : fusion::impl::ReferenceInlineGroupsBase<InlineGroups> {
  void runOnOperation() override {
    SmallVector<fuse::FusedGroupOpInterface> groups;
    getOperation().walk(
        [&](fuse::FusedGroupOpInterface group) { groups.push_back(group); });
    IRRewriter rewriter(&getContext());
    for (fuse::FusedGroupOpInterface group : groups) {
      if (group.getGroupPartial()) {
        group.emitError("a partial group has no reference");
        return signalPassFailure();
      }
      Block *body = &group->getRegion(0).front();
      Operation *yield = body->getTerminator();
      rewriter.inlineBlockBefore(body, group, group->getOperands());
      rewriter.replaceOp(group, yield->getOperands());
      rewriter.eraseOp(yield);
    }
    for (Operation &op :
         llvm::make_early_inc_range(getOperation().getBody()->getOperations()))
      if (isa_and_present<transform::TransformDialect>(op.getDialect()))
        op.erase();
  }
};

} // namespace
