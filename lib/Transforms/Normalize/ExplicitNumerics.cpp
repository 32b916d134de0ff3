//===- ExplicitNumerics.cpp - fuse-explicit-numerics ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxWeights.h"
#include "WidenSums.h"
#include "Winograd.h"
#include "fusion/Dialect/Fuse/IR/Exponentials.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {
#define GEN_PASS_DEF_FUSEEXPLICITNUMERICS
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

//===----------------------------------------------------------------------===//
// Aggregated operators
//===----------------------------------------------------------------------===//

/// Softmax with its interior in f32, or in the result's type where that is
/// wider.
LogicalResult decomposeSoftmax(RewriterBase &rewriter, linalg::SoftmaxOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Type inputType = getElementTypeOrSelf(op.getInput().getType());
  Type outputType = getElementTypeOrSelf(op.getOutput().getType());
  if (!isa<FloatType>(inputType) || !isa<FloatType>(outputType))
    return op.emitError("softmax of ") << inputType << " to " << outputType
                                       << " is not a floating-point operation";
  Type wide =
      inputType.getIntOrFloatBitWidth() > outputType.getIntOrFloatBitWidth()
          ? inputType
          : outputType;
  if (Type accumulator = accumulatorType(wide))
    wide = accumulator;

  Value input = convertTensor(rewriter, loc, op.getInput(), wide);
  Value init = op.getOutput();
  if (outputType != wide)
    init = emptyLike(rewriter, loc, init, wide);
  auto softmax =
      linalg::SoftmaxOp::create(rewriter, loc, TypeRange{init.getType()}, input,
                                init, op.getDimensionAttr());
  rewriter.setInsertionPoint(softmax);
  FailureOr<SmallVector<Value>> parts = softmax.decomposeOperation(rewriter);
  if (failed(parts))
    return op.emitError("softmax cannot be decomposed");
  rewriter.replaceOp(softmax, *parts);
  rewriter.setInsertionPoint(op);
  Value result = convertTensor(rewriter, loc, parts->front(), outputType);
  if (result.getType() != op.getResult().front().getType())
    result = tensor::CastOp::create(rewriter, loc,
                                    op.getResult().front().getType(), result);
  rewriter.replaceOp(op, result);
  return success();
}

//===----------------------------------------------------------------------===//
// Loops that write one element several times
//===----------------------------------------------------------------------===//

/// Iterations that write the same element run one after the other, and the last
/// one wins, whatever the iterator type says: a loop that does not index every
/// result is a reduction.
void orderWrites(linalg::GenericOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  bool changed = false;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    for (auto [loop, iterator] : llvm::enumerate(iterators))
      if (iterator == utils::IteratorType::parallel &&
          !map.isFunctionOfDim(loop)) {
        iterator = utils::IteratorType::reduction;
        changed = true;
      }
  }
  if (!changed)
    return;
  Builder builder(op.getContext());
  op.setIteratorTypesAttr(builder.getArrayAttr(llvm::map_to_vector(
      iterators, [&](utils::IteratorType iterator) -> Attribute {
        return linalg::IteratorTypeAttr::get(op.getContext(), iterator);
      })));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct ExplicitNumerics
    : fusion::impl::FuseExplicitNumericsBase<ExplicitNumerics> {
  using FuseExplicitNumericsBase::FuseExplicitNumericsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    if (failed(setOnModule("f32-products", f32Products,
                           fuse::kF32ProductsAttrName)) ||
        failed(setOnModule("f8-products", f8Products,
                           fuse::kF8ProductsAttrName)) ||
        failed(setOnModule("exponentials", exponentials,
                           fuse::kExponentialsAttrName)) ||
        failed(checkTensors()) || failed(decompose(rewriter)))
      return signalPassFailure();
    getOperation()->walk([](linalg::GenericOp op) { orderWrites(op); });
    if (failed(widen(rewriter)))
      return signalPassFailure();
    simplifyWeights(rewriter);
  }

private:
  /// What an option says, as an attribute that later passes read.
  LogicalResult setOnModule(StringRef option, const std::string &value,
                            StringRef attribute) {
    if (value.empty())
      return success();
    Operation *op = getOperation();
    SmallVector<StringRef> known = fuse::listNumericChoices(attribute);
    if (!llvm::is_contained(known, value))
      return op->emitError("option ") << option << " is " << fuse::orList(known)
                                      << ", not '" << value << "'";
    if (!isa<ModuleOp>(op))
      return op->emitError("option ") << option << " is for whole modules";
    op->setAttr(attribute, StringAttr::get(&getContext(), value));
    return success();
  }

  LogicalResult checkTensors() {
    WalkResult walk = getOperation()->walk([](Operation *op) {
      if (isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()) &&
          llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>)) {
        op->emitError("expected tensors: the rules of accumulation and "
                      "rounding are written into operations on tensors only");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  LogicalResult decompose(RewriterBase &rewriter) {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<linalg::SoftmaxOp, linalg::WinogradFilterTransformOp,
              linalg::WinogradInputTransformOp,
              linalg::WinogradOutputTransformOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      auto softmax = dyn_cast<linalg::SoftmaxOp>(op);
      if (failed(softmax ? decomposeSoftmax(rewriter, softmax)
                         : decomposeWinograd(rewriter, op)))
        return failure();
      ++numDecomposed;
    }
    return success();
  }

  LogicalResult widen(RewriterBase &rewriter) {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      FailureOr<unsigned> widened = widenSums(rewriter, op);
      if (failed(widened))
        return failure();
      numWidened += *widened;
    }
    return success();
  }

  void simplifyWeights(RewriterBase &rewriter) {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      numWeights += simplifySoftmaxWeights(rewriter, op);
  }
};

} // namespace
