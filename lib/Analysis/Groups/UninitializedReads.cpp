//===- UninitializedReads.cpp - Reads of tensors without values -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/UninitializedReads.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fusion;

/// Whether no element of the tensor has a value.
static bool isUninitialized(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::EmptyOp>(op))
      return true;
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Whether elements of the operand reach the results of its owner.
static bool readsElements(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.payloadUsesValueFromOperand(&operand);
  return isa<tensor::ConcatOp, tensor::PadOp>(op) ||
         (op->hasTrait<OpTrait::ReturnLike>() &&
          isa<FunctionOpInterface>(op->getParentOp()));
}

OpOperand *fusion::findUninitializedRead(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TensorType>(operand.get().getType()) && readsElements(operand) &&
        isUninitialized(operand.get()))
      return &operand;
  return nullptr;
}

std::string fusion::describeUninitializedRead(OpOperand &operand) {
  Operation *op = operand.getOwner();
  std::string what = "'" + op->getName().getStringRef().str() + "' ";
  constexpr const char *kNoValue =
      " not initialised: its elements come from 'tensor.empty' and have no "
      "defined value";
  if (op->hasTrait<OpTrait::ReturnLike>())
    return what + "returns a tensor that is" + kNoValue;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.isDpsInit(&operand))
    return what + "reads an input that is" + kNoValue;
  return what + "accumulates into outs that are not initialised: their "
                "elements come from 'tensor.empty' and have no defined value; "
                "fill them first, with 'linalg.fill'";
}

SmallVector<OpOperand *>
fusion::listUninitializedReads(FunctionOpInterface function, unsigned number) {
  SmallVector<OpOperand *> found;
  Operation *end = function.getFunctionBody().front().getTerminator();
  if (number >= end->getNumOperands())
    return found;
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  if (failed(getBackwardSlice(end->getOperand(number), &slice, options)))
    return found;
  // A slice is in the order of the program.
  for (Operation *op : slice)
    if (OpOperand *operand = findUninitializedRead(op))
      found.push_back(operand);
  if (isUninitialized(end->getOperand(number)))
    found.push_back(&end->getOpOperand(number));
  return found;
}
