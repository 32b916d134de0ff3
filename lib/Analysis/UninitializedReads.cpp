//===- UninitializedReads.cpp - Reads of tensors without values -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/UninitializedReads.h"
#include "mlir/Analysis/SliceAnalysis.h"
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

OpOperand *fusion::findUninitializedRead(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TensorType>(operand.get().getType()) &&
        op.payloadUsesValueFromOperand(&operand) &&
        isUninitialized(operand.get()))
      return &operand;
  return nullptr;
}

std::string fusion::describeUninitializedRead(OpOperand &operand) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  std::string what = "'" + op->getName().getStringRef().str() + "' ";
  return what +
         (op.isDpsInit(&operand)
              ? "accumulates into outs that are not initialised: their "
                "elements come from 'tensor.empty' and have no defined value; "
                "fill them first, with 'linalg.fill'"
              : "reads an input that is not initialised: its elements come "
                "from 'tensor.empty' and have no defined value");
}

SmallVector<linalg::LinalgOp> fusion::listUninitializedReads(Value value) {
  SmallVector<linalg::LinalgOp> found;
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  if (failed(getBackwardSlice(value, &slice, options)))
    return found;
  // In the order of the program.
  for (Operation *op : slice)
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      if (findUninitializedRead(linalgOp))
        found.push_back(linalgOp);
  return found;
}
