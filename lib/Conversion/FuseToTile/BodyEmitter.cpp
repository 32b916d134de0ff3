//===- BodyEmitter.cpp - Scalar bodies on tiles ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace fusion;

Value fusion::emitBody(OpBuilder &b, Location loc, linalg::LinalgOp op,
                       Value scalar, const BodyInputs &inputs) {
  llvm::DenseMap<Value, Value> known;
  auto emit = [&](auto &&self, Value value) -> Value {
    if (Value result = known.lookup(value))
      return result;
    Value result;
    auto argument = dyn_cast<BlockArgument>(value);
    Operation *inner = value.getDefiningOp();
    if (argument && argument.getOwner() == op.getBlock()) {
      result = inputs.argument(op->getOpOperand(argument.getArgNumber()));
    } else if (argument || inner->getBlock() != op.getBlock() ||
               isa<arith::ConstantOp>(inner)) {
      result = inputs.outer(value);
    } else if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      result = inputs.index(index.getDim());
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      result = inputs.element(extract,
                              [&](Value index) { return self(self, index); });
    } else if (std::optional<unsigned> retained = inputs.skipped(inner)) {
      result = self(self, inner->getOperand(*retained));
    } else {
      SmallVector<Value> operands;
      for (Value operand : inner->getOperands())
        operands.push_back(self(self, operand));
      OperationState state(loc, inner->getName());
      state.addOperands(operands);
      for (Type type : inner->getResultTypes())
        state.addTypes(inputs.tileType(type));
      state.addAttributes(
          SmallVector<NamedAttribute>(inner->getDiscardableAttrs()));
      state.propertiesAttr = inner->getPropertiesAsAttribute();
      result =
          b.create(state)->getResult(cast<OpResult>(value).getResultNumber());
    }
    return known[value] = result;
  };
  return emit(emit, scalar);
}
