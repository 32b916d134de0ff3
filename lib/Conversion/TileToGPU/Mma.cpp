//===- Mma.cpp - MMAs on fragments in registers ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mma.h"
#include "fusion/Conversion/TileToThreads/Words.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;

static std::optional<NVVM::MMATypes> operandType(Type type) {
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

/// The name of an 8-bit float in PTX; empty for other types.
static StringRef narrowName(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  return isa<Float8E5M2Type>(type) ? "e5m2" : "";
}

bool fusion::hasMmaSync(Type lhs, Type rhs, Type accumulator) {
  bool isNarrow = !narrowName(lhs).empty() && !narrowName(rhs).empty();
  if (!isNarrow && (!operandType(lhs) || lhs != rhs))
    return false;
  return lhs.isInteger(8) ? accumulator.isInteger(32) : accumulator.isF32();
}

Value fusion::mmaSyncOperand(ThreadBuilder &b, ValueRange elements) {
  Type type = elements.front().getType();
  if (type.isF16())
    return vector::FromElementsOp::create(b, VectorType::get({2}, type),
                                          elements);
  if (type.isF32())
    return NVVM::ConvertFloatToTF32Op::create(
        b, b.getI32Type(), elements.front(), NVVM::FPRoundingMode::RNA,
        NVVM::SaturationMode::NONE, /*relu=*/false);
  return packWord(b, elements);
}

Values fusion::mmaSync(ThreadBuilder &b, const Intrinsic &intrinsic,
                       Type lhsType, Type rhsType, ValueRange lhs,
                       ValueRange rhs, ValueRange accumulators) {
  auto resultType = LLVM::LLVMStructType::getLiteral(
      b.getContext(),
      SmallVector<Type>(accumulators.size(), accumulators.front().getType()));
  Value result;
  // NVVM has no operation for 8-bit floats.
  if (StringRef lhsName = narrowName(lhsType); !lhsName.empty()) {
    std::string name =
        llvm::formatv("llvm.nvvm.mma.m16n8k{0}.row.col.f32.{1}.{2}.f32",
                      intrinsic.r1, lhsName, narrowName(rhsType));
    Values operands(lhs);
    llvm::append_range(operands, rhs);
    llvm::append_range(operands, accumulators);
    result = LLVM::CallIntrinsicOp::create(b, resultType, b.getStringAttr(name),
                                           operands)
                 .getResult(0);
  } else {
    NVVM::MMATypes type = *operandType(lhsType);
    result = NVVM::MmaOp::create(
        b, resultType, lhs, rhs, accumulators,
        ArrayRef<int64_t>{16, 8, intrinsic.r1}, /*b1Op=*/std::nullopt,
        lhsType.isInteger(8) ? std::optional(NVVM::MMAIntOverflow::wrapped)
                             : std::nullopt,
        std::array<NVVM::MMATypes, 2>{type, type},
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
  }
  Values results;
  for (size_t i = 0; i < accumulators.size(); ++i)
    results.push_back(LLVM::ExtractValueOp::create(b, result, i));
  return results;
}
