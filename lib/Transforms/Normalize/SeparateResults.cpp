//===- SeparateResults.cpp - One result for each operator -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SeparateResults.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace fusion;

namespace {

/// The part of an operator's body that a result depends on.
struct Slice {
  llvm::SmallPtrSet<Operation *, 8> operations;
  llvm::SmallDenseSet<unsigned> arguments; ///< of the body
};

struct SeparateResults : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op->getNumResults() < 2)
      return failure();
    SmallVector<Slice> slices;
    for (unsigned result = 0; result < op->getNumResults(); ++result) {
      std::optional<Slice> slice = sliceOf(op, result);
      if (!slice || inputsOf(op, result, *slice).empty())
        return failure();
      slices.push_back(std::move(*slice));
    }
    SmallVector<Value> results;
    for (auto [result, slice] : llvm::enumerate(slices))
      results.push_back(build(op, result, slice, rewriter));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// Returns nullopt if the result reads the running value of another result.
  static std::optional<Slice> sliceOf(linalg::GenericOp op, unsigned result) {
    Slice slice;
    Block *body = op.getBody();
    SmallVector<Value> work{body->getTerminator()->getOperand(result)};
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        unsigned number = argument.getArgNumber();
        if (argument.getOwner() != body)
          continue;
        if (number >= op.getNumDpsInputs() &&
            number != op.getNumDpsInputs() + result)
          return std::nullopt;
        slice.arguments.insert(number);
        continue;
      }
      Operation *made = value.getDefiningOp();
      if (made->getBlock() != body || !slice.operations.insert(made).second)
        continue;
      if (made->getNumRegions() > 0)
        return std::nullopt;
      llvm::append_range(work, made->getOperands());
    }
    return slice;
  }

  /// Returns the operands of the operator for one result. These are the
  /// operands that its slice reads, or all operands if the former do not
  /// determine the extents of all loops, and then the result's init. Empty if
  /// even all operands do not.
  static SmallVector<OpOperand *>
  inputsOf(linalg::GenericOp op, unsigned result, const Slice &slice) {
    OpOperand *init = op.getDpsInitOperand(result);
    for (bool takesAll : {false, true}) {
      SmallVector<OpOperand *> operands;
      SmallVector<AffineMap> maps;
      for (OpOperand *input : op.getDpsInputOperands())
        if (takesAll || slice.arguments.contains(input->getOperandNumber()))
          operands.push_back(input);
      operands.push_back(init);
      for (OpOperand *operand : operands)
        maps.push_back(op.getMatchingIndexingMap(operand));
      if (inversePermutation(concatAffineMaps(maps, op.getContext())))
        return operands;
    }
    return {};
  }

  static Value build(linalg::GenericOp op, unsigned result, const Slice &slice,
                     PatternRewriter &rewriter) {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    SmallVector<unsigned> numbers; // of the body's arguments
    SmallVector<OpOperand *> operands = inputsOf(op, result, slice);
    for (OpOperand *operand : operands) {
      inputs.push_back(operand->get());
      maps.push_back(op.getMatchingIndexingMap(operand));
      numbers.push_back(operand->getOperandNumber());
    }
    Value init = inputs.pop_back_val();
    Block *body = op.getBody();
    auto own = linalg::GenericOp::create(
        rewriter, op.getLoc(), init.getType(), inputs, init, maps,
        op.getIteratorTypesArray(),
        [&](OpBuilder &b, Location loc, ValueRange arguments) {
          IRMapping mapping;
          for (auto [number, argument] : llvm::zip_equal(numbers, arguments))
            mapping.map(body->getArgument(number), argument);
          for (Operation &each : body->without_terminator())
            if (slice.operations.contains(&each))
              b.clone(each, mapping);
          Value yielded = body->getTerminator()->getOperand(result);
          linalg::YieldOp::create(b, loc, mapping.lookupOrDefault(yielded));
        });
    return own.getResult(0);
  }
};

} // namespace

void fusion::populateSeparateResultPatterns(RewritePatternSet &patterns) {
  patterns.add<SeparateResults>(patterns.getContext());
}
