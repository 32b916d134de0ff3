//===- EmitDot.cpp - tile.dot ---------------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which registers an MMA takes follows from the layouts: they are looked up by
// the coordinates that the PTX ISA gives them ("Matrix Fragments for mma").
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fusion/Conversion/TileToThreads/RegisterMap.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Multiply-adds of every accumulator in turn, so that none waits for the one
/// before.
static LogicalResult emitMultiplyAdds(DotOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  if (!op.getLhs().getType().getElementType().isF32() ||
      !op.getRhs().getType().getElementType().isF32())
    return op.emitOpError("multiplies f32 only");
  const LinearLayout &sum = getLayout(op.getType()).getValue();
  RegisterMap first(getLayout(op.getLhs().getType()).getValue());
  RegisterMap second(getLayout(op.getRhs().getType()).getValue());
  const Values &lhs = e.registers(op.getLhs()), &rhs = e.registers(op.getRhs());
  Values sums = e.registers(op.getAccumulator());
  for (int64_t step = 0; step < op.getLhs().getType().getDimSize(1); ++step)
    for (auto [reg, value] : llvm::enumerate(sums)) {
      SmallVector<int64_t> at = sum.coords(reg, 0, 0);
      value = math::FmaOp::create(b, lhs[first.at(at[0], step)],
                                  rhs[second.at(step, at[1])], value);
    }
  e.setRegisters(op, std::move(sums));
  return success();
}

/// The fragment registers of an operand, each made of its elements once.
static FailureOr<Values> operandRegisters(Value operand, KernelEmitter &e) {
  const Values &elements = e.registers(operand);
  Type type = cast<RankedTensorType>(operand.getType()).getElementType();
  size_t together = 32 / type.getIntOrFloatBitWidth();
  Values words;
  for (size_t reg = 0; reg < elements.size(); reg += together) {
    FailureOr<Value> word = e.target().mmaOperand(
        e.builder(), ValueRange(elements).slice(reg, together));
    if (failed(word))
      return failure();
    words.push_back(*word);
  }
  return words;
}

static LogicalResult emitMma(DotOp op, const Intrinsic &intrinsic,
                             KernelEmitter &e) {
  Type lhsType = op.getLhs().getType().getElementType(),
       rhsType = op.getRhs().getType().getElementType(),
       accumulatorType = op.getType().getElementType();
  if (!e.target().hasMma(intrinsic, lhsType, rhsType, accumulatorType))
    return op.emitOpError("no instruction multiplies ")
           << lhsType << " by " << rhsType << " to " << accumulatorType;

  const LinearLayout &rhsLayout = getLayout(op.getRhs().getType()).getValue();
  RegisterMap sums(getLayout(op.getType()).getValue());
  RegisterMap first(getLayout(op.getLhs().getType()).getValue());
  RegisterMap second(rhsLayout);
  FailureOr<Values> lhs = operandRegisters(op.getLhs(), e);
  if (failed(lhs))
    return failure();
  FailureOr<Values> rhs = operandRegisters(op.getRhs(), e);
  if (failed(rhs))
    return failure();
  Values results = e.registers(op.getAccumulator());
  int64_t perWord = 32 / intrinsic.operandBits;
  int64_t halves = intrinsic.r1 / (4 * perWord);

  // One instruction: rows from `row` on, the columns of which lane 0 holds
  // `column` and `next`, the reduced axis from `start` on.
  auto emitOne = [&](int64_t row, int64_t column, int64_t next,
                     int64_t start) -> LogicalResult {
    Values a, c, d;
    for (int64_t half = 0; half < halves; ++half)
      for (int64_t lower : {0, 8})
        a.push_back((
            *lhs)[first.at(row + lower, start + half * 4 * perWord) / perWord]);
    for (int64_t half = 0; half < halves; ++half)
      c.push_back(
          (*rhs)[second.at(start + half * 4 * perWord, column) / perWord]);
    SmallVector<int64_t, 4> own;
    for (int64_t lower : {0, 8})
      for (int64_t at : {column, next}) {
        own.push_back(sums.at(row + lower, at));
        d.push_back(results[own.back()]);
      }
    FailureOr<Values> sum =
        e.target().mma(e.builder(), intrinsic, lhsType, rhsType, a, c, d);
    if (failed(sum))
      return failure();
    for (auto [reg, value] : llvm::zip_equal(own, *sum))
      results[reg] = value;
    return success();
  };

  // The columns of which lane 0 holds elements of the RHS, each with
  // the one that lane 4 holds in the same register.
  SmallVector<std::pair<int64_t, int64_t>> columns;
  for (int64_t reg = 0; reg < rhsLayout.inSize(LayoutDim::Register); ++reg) {
    SmallVector<int64_t> at = rhsLayout.coords(reg, 0, 0);
    if (at[0] == 0)
      columns.push_back({at[1], rhsLayout.coords(reg, 4, 0)[1]});
  }
  llvm::sort(columns);
  int64_t rows = 0;
  for (const auto &[at, reg] : first.all())
    rows = std::max(rows, at.first + 16 - at.first % 16);
  for (int64_t start = 0; start < op.getLhs().getType().getDimSize(1);
       start += intrinsic.r1)
    for (int64_t row = 0; row < rows; row += 16) {
      if (!first.contains(row, start))
        continue;
      for (auto [column, next] : columns)
        if (failed(emitOne(row, column, next, start)))
          return failure();
    }
  e.setRegisters(op, std::move(results));
  return success();
}

static LogicalResult emitDot(DotOp op, KernelEmitter &e) {
  const Intrinsic *intrinsic = lookupIntrinsic(op.getIntrinsic());
  if (!intrinsic)
    return op.emitOpError("unknown intrinsic '") << op.getIntrinsic() << "'";
  const LinearLayout &sum = getLayout(op.getType()).getValue();
  const LinearLayout &first = getLayout(op.getLhs().getType()).getValue();
  const LinearLayout &second = getLayout(op.getRhs().getType()).getValue();
  int64_t m = op.getType().getDimSize(0), n = op.getType().getDimSize(1),
          k = op.getLhs().getType().getDimSize(1);
  ArrayRef<int64_t> warps = op.getWarps();
  auto isSecond = [&](OperandOrder order) {
    return second == operandBTile(*intrinsic, k, n, warps, order);
  };
  if (intrinsic->readsShared())
    return op.emitOpError("'")
           << op.getIntrinsic()
           << "' multiplies in shared memory; run tile-use-shared-operands";
  if (op.getLhs().getType().getElementTypeBitWidth() !=
          intrinsic->operandBits ||
      !intrinsic->divides(m, n, k, warps) ||
      first != operandATile(*intrinsic, m, k, warps) ||
      sum != accumulatorTile(*intrinsic, m, n, warps) ||
      (!isSecond(OperandOrder::AlongReduced) &&
       !isSecond(OperandOrder::AlongColumns)))
    return op.emitOpError("operands are not laid out as its fragments");
  return intrinsic->isScalar() ? emitMultiplyAdds(op, e)
                               : emitMma(op, *intrinsic, e);
}

void fusion::addDotEmitters(EmitterRegistry &registry) {
  registry.add<DotOp>(emitDot);
}
