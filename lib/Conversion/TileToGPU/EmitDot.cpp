//===- EmitDot.cpp - Products of tiles in registers ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which registers an instruction takes follows from the layouts: they are looked
// up by the coordinates that the PTX ISA gives them ("Matrix Fragments for mma").
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "RegisterMap.h"
#include "fusion/Target/ProductLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Value KernelEmitter::packWord(ValueRange elements) {
  Type type = elements.front().getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type plain = b.getIntegerType(bits);
  // Vectors of 8-bit floats have no type of their own below.
  SmallVector<Value> values(elements);
  if (bits != 16 && !type.isInteger())
    for (Value &value : values)
      value = arith::BitcastOp::create(b, loc, plain, value);
  if (bits == 32)
    return values.front();
  Value all = vector::FromElementsOp::create(
      b, loc,
      VectorType::get({static_cast<int64_t>(values.size())},
                      values.front().getType()),
      values);
  return vector::ExtractOp::create(
      b, loc,
      vector::BitCastOp::create(b, loc, VectorType::get({1}, b.getI32Type()),
                                all),
      int64_t(0));
}

KernelEmitter::Values KernelEmitter::unpackWord(Value word, Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  Type plain = bits == 16 ? type : b.getIntegerType(bits);
  Values results;
  if (bits == 32) {
    results.push_back(word);
  } else {
    auto one = VectorType::get({1}, b.getI32Type());
    Value all = vector::BitCastOp::create(
        b, loc, VectorType::get({32 / bits}, plain),
        vector::FromElementsOp::create(b, loc, one, ValueRange{word}));
    for (unsigned i = 0; i < 32 / bits; ++i)
      results.push_back(
          vector::ExtractOp::create(b, loc, all, static_cast<int64_t>(i)));
  }
  if (type != plain)
    for (Value &value : results)
      value = arith::BitcastOp::create(b, loc, type, value);
  return results;
}

//===----------------------------------------------------------------------===//
// Registers by coordinates
//===----------------------------------------------------------------------===//

namespace {

std::optional<NVVM::MMATypes> operandType(Type type) {
  if (type.isF16())
    return NVVM::MMATypes::f16;
  if (type.isBF16())
    return NVVM::MMATypes::bf16;
  if (type.isF32())
    return NVVM::MMATypes::tf32;
  if (type.isInteger(8))
    return NVVM::MMATypes::s8;
  return std::nullopt;
}

StringRef narrowName(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  return isa<Float8E5M2Type>(type) ? "e5m2" : "";
}

} // namespace

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::emitDot(DotOp op) {
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
    return second == secondTile(*intrinsic, k, n, warps, order);
  };
  if (intrinsic->unit == ProductUnit::WarpGroup)
    return op.emitOpError("'")
           << op.getIntrinsic()
           << "' multiplies in shared memory; run tile-multiply-in-place";
  if (op.getLhs().getType().getElementTypeBitWidth() != intrinsic->operandBits ||
      m % (intrinsic->i1 * warps[0]) || n % (intrinsic->i2 * warps[1]) ||
      k % intrinsic->r1 || first != firstTile(*intrinsic, m, k, warps) ||
      sum != sumTile(*intrinsic, m, n, warps) ||
      (!isSecond(OperandOrder::AlongReduced) &&
       !isSecond(OperandOrder::AlongColumns)))
    return op.emitOpError("operands are not laid out as its fragments");
  return intrinsic->unit == ProductUnit::Fma ? emitMultiplyAdds(op)
                                             : emitMma(op, *intrinsic);
}

/// Every element of the sum in turn, so that none waits for the one before.
LogicalResult KernelEmitter::emitMultiplyAdds(DotOp op) {
  if (!op.getLhs().getType().getElementType().isF32() ||
      !op.getRhs().getType().getElementType().isF32())
    return op.emitOpError("multiplies f32 only");
  const LinearLayout &sum = getLayout(op.getType()).getValue();
  RegisterMap first(getLayout(op.getLhs().getType()).getValue());
  RegisterMap second(getLayout(op.getRhs().getType()).getValue());
  const Values &lhs = registers[op.getLhs()], &rhs = registers[op.getRhs()];
  Values sums = registers[op.getAccumulator()];
  for (int64_t step = 0; step < op.getLhs().getType().getDimSize(1); ++step)
    for (auto [reg, value] : llvm::enumerate(sums)) {
      SmallVector<int64_t> at = sum.coords(reg, 0, 0);
      value = math::FmaOp::create(b, loc, lhs[first.at(at[0], step)],
                                  rhs[second.at(step, at[1])], value);
    }
  registers[op] = std::move(sums);
  return success();
}

/// The words of an operand, each from its elements once: as pairs for f16, which
/// NVVM takes as vectors, rounded for tf32.
KernelEmitter::Values KernelEmitter::operandWords(Value operand) {
  const Values &elements = registers[operand];
  Type type = cast<RankedTensorType>(operand.getType()).getElementType();
  size_t perWord = 32 / type.getIntOrFloatBitWidth();
  Values words;
  for (size_t reg = 0; reg < elements.size(); reg += perWord) {
    ValueRange own = ValueRange(elements).slice(reg, perWord);
    if (type.isF16())
      words.push_back(vector::FromElementsOp::create(
          b, loc, VectorType::get({2}, type), own));
    else if (type.isF32())
      words.push_back(NVVM::ConvertFloatToTF32Op::create(
          b, loc, b.getI32Type(), own.front(), NVVM::FPRoundingMode::RNA,
          NVVM::SaturationMode::NONE, /*relu=*/false));
    else
      words.push_back(packWord(own));
  }
  return words;
}

LogicalResult KernelEmitter::emitMma(DotOp op, const Intrinsic &intrinsic) {
  Type lhsType = op.getLhs().getType().getElementType(),
       rhsType = op.getRhs().getType().getElementType(),
       sumType = op.getType().getElementType();
  std::optional<NVVM::MMATypes> type = operandType(lhsType);
  bool isNarrow = !narrowName(lhsType).empty() && !narrowName(rhsType).empty();
  bool isInteger = lhsType.isInteger(8);
  if ((!isNarrow && (!type || lhsType != rhsType)) ||
      !(isInteger ? sumType.isInteger(32) : sumType.isF32()))
    return op.emitOpError("no instruction multiplies ")
           << lhsType << " by " << rhsType << " to " << sumType;

  const LinearLayout &sum = getLayout(op.getType()).getValue();
  const LinearLayout &rhsLayout = getLayout(op.getRhs().getType()).getValue();
  RegisterMap sums(sum), first(getLayout(op.getLhs().getType()).getValue());
  RegisterMap second(rhsLayout);
  Values lhs = operandWords(op.getLhs()), rhs = operandWords(op.getRhs());
  Values results = registers[op.getAccumulator()];
  int64_t perWord = 32 / intrinsic.operandBits;
  int64_t halves = intrinsic.r1 / (4 * perWord);
  auto resultType = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(4, sumType));
  std::string name;
  if (isNarrow)
    name = llvm::formatv("llvm.nvvm.mma.m16n8k{0}.row.col.f32.{1}.{2}.f32",
                         intrinsic.r1, narrowName(lhsType),
                         narrowName(rhsType));

  // One instruction: rows from `row` on, the columns of which lane 0 holds
  // `column`, the reduced axis from `start` on.
  auto emitOne = [&](int64_t row, int64_t column, int64_t next, int64_t start) {
    Values a, c, d;
    for (int64_t half = 0; half < halves; ++half)
      for (int64_t lower : {0, 8})
        a.push_back(lhs[first.at(row + lower, start + half * 4 * perWord) /
                        perWord]);
    for (int64_t half = 0; half < halves; ++half)
      c.push_back(
          rhs[second.at(start + half * 4 * perWord, column) / perWord]);
    SmallVector<int64_t, 4> own;
    for (int64_t lower : {0, 8})
      for (int64_t at : {column, next}) {
        own.push_back(sums.at(row + lower, at));
        d.push_back(results[own.back()]);
      }
    Value result;
    if (isNarrow) {
      SmallVector<Value> operands(a);
      llvm::append_range(operands, c);
      llvm::append_range(operands, d);
      result = LLVM::CallIntrinsicOp::create(b, loc, resultType,
                                             b.getStringAttr(name), operands)
                   .getResult(0);
    } else {
      result = NVVM::MmaOp::create(
          b, loc, resultType, a, c, d,
          ArrayRef<int64_t>{16, 8, intrinsic.r1}, /*b1Op=*/std::nullopt,
          isInteger ? std::optional(NVVM::MMAIntOverflow::wrapped)
                    : std::nullopt,
          std::array<NVVM::MMATypes, 2>{*type, *type},
          std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                         NVVM::MMALayout::col});
    }
    for (auto [i, reg] : llvm::enumerate(own))
      results[reg] = LLVM::ExtractValueOp::create(b, loc, result, i);
  };

  // The columns of which lane 0 holds elements of the second operand, each with
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
        emitOne(row, column, next, start);
    }
  registers[op] = std::move(results);
  return success();
}
