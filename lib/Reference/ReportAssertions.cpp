//===- ReportAssertions.cpp - reference-report-assertions -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Reference/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {
#define GEN_PASS_DEF_REFERENCEREPORTASSERTIONS
#include "fusion/Reference/Passes.h.inc"
} // namespace fusion

using namespace mlir;

namespace {

struct ReportAssertions
    : fusion::impl::ReferenceReportAssertionsBase<ReportAssertions> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<cf::AssertOp> assertions;
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](Operation *op) {
      if (auto assertion = dyn_cast<cf::AssertOp>(op))
        assertions.push_back(assertion);
      else if (auto call = dyn_cast<func::CallOp>(op))
        calls.push_back(call);
    });
    if (assertions.empty())
      return;
    for (cf::AssertOp assertion : assertions) {
      // Only a function can be left.
      Operation *parent = assertion->getParentOp();
      if (!isa<func::FuncOp>(parent)) {
        assertion.emitError("an assertion inside of '")
            << parent->getName() << "' cannot be reported";
        return signalPassFailure();
      }
      report(rewriter, assertion);
    }
    for (func::CallOp call : calls)
      if (isa<func::FuncOp>(call->getParentOp()))
        leaveAfter(rewriter, call);
  }

private:
  void report(RewriterBase &rewriter, cf::AssertOp op) {
    Location loc = op.getLoc();
    Value holds = op.getArg();
    rewriter.setInsertionPointAfter(op);
    Block *leave = leaveUnless(rewriter, loc, holds);
    rewriter.setInsertionPointToStart(leave);
    // Both sides of a comparison say more than that it failed.
    Value left, right;
    if (auto compare = holds.getDefiningOp<arith::CmpIOp>();
        compare && compare.getLhs().getType().isIndex()) {
      left = compare.getLhs();
      right = compare.getRhs();
    } else {
      left = right = arith::ConstantIndexOp::create(rewriter, loc, 0);
    }
    Value text = memref::ExtractAlignedPointerAsIndexOp::create(
        rewriter, loc, message(rewriter, op));
    Type index = rewriter.getIndexType();
    func::CallOp::create(
        rewriter, loc,
        declare(rewriter, "fusion_reference_refuse", {index, index, index}, {}),
        ValueRange{text, left, right});
    rewriter.eraseOp(op);
  }

  /// A function whose callee gave up gives up as well.
  void leaveAfter(RewriterBase &rewriter, func::CallOp call) {
    auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal() ||
        callee.getName().starts_with("fusion_parallel_body_"))
      return;
    Location loc = call.getLoc();
    rewriter.setInsertionPointAfter(call);
    Value goesOn =
        func::CallOp::create(rewriter, loc,
                             declare(rewriter, "fusion_reference_goes_on", {},
                                     {rewriter.getI1Type()}),
                             ValueRange())
            .getResult(0);
    leaveUnless(rewriter, loc, goesOn);
  }

  /// Ends the block at the insertion point: goes on behind it where `condition`
  /// holds, otherwise to the block that is returned, which returns anything.
  Block *leaveUnless(RewriterBase &rewriter, Location loc, Value condition) {
    Block *block = rewriter.getInsertionBlock();
    Block *rest = rewriter.splitBlock(block, rewriter.getInsertionPoint());
    auto function = cast<func::FuncOp>(block->getParentOp());
    Block *leave = rewriter.createBlock(&function.getBody());
    SmallVector<Value> nothing;
    for (Type type : function.getResultTypes())
      nothing.push_back(ub::PoisonOp::create(rewriter, loc, type));
    func::ReturnOp::create(rewriter, loc, nothing);
    rewriter.setInsertionPointToEnd(block);
    cf::CondBranchOp::create(rewriter, loc, condition, rest, leave);
    return leave;
  }

  /// The text of an assertion, ended by a zero.
  Value message(RewriterBase &rewriter, cf::AssertOp op) {
    SmallVector<int8_t> bytes(op.getMsg().begin(), op.getMsg().end());
    bytes.push_back(0);
    auto size = static_cast<int64_t>(bytes.size());
    Type i8 = rewriter.getI8Type();
    auto type = MemRefType::get({size}, i8);
    memref::GlobalOp global;
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(getOperation().getBody());
      global = memref::GlobalOp::create(
          rewriter, op.getLoc(),
          "fusion_message_" + std::to_string(numMessages++),
          rewriter.getStringAttr("private"), type,
          DenseElementsAttr::get(RankedTensorType::get({size}, i8),
                                 ArrayRef<int8_t>(bytes)),
          /*constant=*/true, /*alignment=*/IntegerAttr());
    }
    return memref::GetGlobalOp::create(rewriter, op.getLoc(), type,
                                       global.getSymName());
  }

  func::FuncOp declare(RewriterBase &rewriter, StringRef name, TypeRange inputs,
                       TypeRange results) {
    if (auto known = getOperation().lookupSymbol<func::FuncOp>(name))
      return known;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(getOperation().getBody());
    auto function =
        func::FuncOp::create(rewriter, getOperation().getLoc(), name,
                             rewriter.getFunctionType(inputs, results));
    function.setPrivate();
    return function;
  }

  unsigned numMessages = 0;
};

} // namespace
