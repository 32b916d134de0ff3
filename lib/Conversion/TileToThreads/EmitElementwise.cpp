//===- EmitElementwise.cpp - The same for every register ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fusion/Conversion/TileToThreads/Coordinates.h"
#include "fusion/Conversion/TileToThreads/Words.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Selects whole registers of 8-bit and 16-bit elements if the elements of each
/// register share their condition, so that none is unpacked. Returns nullopt
/// otherwise.
static std::optional<Values> selectWords(ThreadBuilder &b, Type element,
                                         ArrayRef<const Values *> operands) {
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 32;
  const Values *conditions = operands[0];
  if ((bits != 8 && bits != 16) || !conditions || !operands[1] || !operands[2])
    return std::nullopt;
  size_t perWord = 32 / bits;
  if (conditions->size() % perWord != 0)
    return std::nullopt;
  for (size_t reg = 0; reg < conditions->size(); ++reg)
    if ((*conditions)[reg] != (*conditions)[reg / perWord * perWord])
      return std::nullopt;
  Values results;
  for (size_t reg = 0; reg < conditions->size(); reg += perWord) {
    auto word = [&](const Values *values) {
      return packWord(b, ValueRange(*values).slice(reg, perWord));
    };
    Value chosen = arith::SelectOp::create(
        b, (*conditions)[reg], word(operands[1]), word(operands[2]));
    llvm::append_range(results, unpackWord(b, chosen, element));
  }
  return results;
}

LogicalResult fusion::emitElementwise(Operation *op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1)
    return op->emitOpError("cannot be distributed to threads");
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  LayoutAttr layout = getLayout(type);
  for (Type operand : op->getOperandTypes())
    if (isa<RankedTensorType>(operand) && getLayout(operand) != layout)
      return op->emitOpError("has operands of other layouts than its result");
  int64_t count = layout.getValue().inSize(LayoutDim::Register);
  SmallVector<const Values *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<RankedTensorType>(operand.getType())
                           ? &e.registers(operand)
                           : nullptr);
  auto comparison = dyn_cast<arith::CmpIOp>(op);
  if (comparison && operands[0] && operands[1] &&
      getElementTypeOrSelf(comparison.getLhs()).isIndex()) {
    e.setRegisters(comparison,
                   compareCoordinates(b, e.target(), comparison.getPredicate(),
                                      *operands[0], *operands[1]));
    return success();
  }
  if (isa<arith::SelectOp>(op))
    if (std::optional<Values> chosen =
            selectWords(b, type.getElementType(), operands)) {
      e.setRegisters(op->getResult(0), std::move(*chosen));
      return success();
    }
  // A condition that several registers share, such as that of a row, is
  // computed once.
  llvm::DenseMap<SmallVector<Value, 3>, Value> known;
  Values results;
  for (int64_t reg = 0; reg < count; ++reg) {
    SmallVector<Value, 3> own;
    for (auto [operand, values] : llvm::zip_equal(op->getOperands(), operands))
      own.push_back(values ? (*values)[reg] : e.scalar(operand));
    Value &result = known[own];
    if (!result) {
      OperationState state(b.getLoc(), op->getName());
      state.addOperands(own);
      state.addTypes(type.getElementType());
      state.addAttributes(
          SmallVector<NamedAttribute>(op->getDiscardableAttrs()));
      state.propertiesAttr = op->getPropertiesAsAttribute();
      result = b.create(state)->getResult(0);
    }
    results.push_back(result);
  }
  e.setRegisters(op->getResult(0), std::move(results));
  return success();
}
