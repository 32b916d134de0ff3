//===- EvictFirstAccess.cpp - Evict-first accesses ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvictFirstAccess.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;

static int64_t bitsOf(VectorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth();
}

/// The vector as words that registers of PTX hold: 16 bits, or one, two or four
/// times 32.
static VectorType registersOf(VectorType type) {
  constexpr int64_t wordBits = 32;
  int64_t bits = bitsOf(type), word = std::min(bits, wordBits);
  return VectorType::get({bits / word},
                         IntegerType::get(type.getContext(), word));
}

bool fusion::canEvictFirst(VectorType type) {
  int64_t bits = bitsOf(type);
  return bits >= 16 && bits <= 128 && llvm::isPowerOf2_64(bits);
}

/// The address of element `position` of a memref, an i64.
static Value addressOf(ThreadBuilder &b, Value memory, Value position,
                       VectorType type) {
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, memory);
  int64_t bytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  Value place = arith::AddIOp::create(
      b, base, arith::MulIOp::create(b, position, b.index(bytes)));
  return arith::IndexCastOp::create(b, b.getI64Type(), place);
}

/// "{$0, $1}" of the operands from `first` on, or "$0" of one.
static std::string operandList(unsigned first, int64_t count) {
  std::string list;
  for (int64_t i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(first + i);
  return count == 1 ? list : "{" + list + "}";
}

/// ".v4.b32" and the like, and the constraint of a register.
static std::pair<std::string, std::string> suffixOf(VectorType words) {
  int64_t count = words.getNumElements(), bits = words.getElementTypeBitWidth();
  std::string suffix = count > 1 ? ".v" + std::to_string(count) : "";
  return {suffix + ".b" + std::to_string(bits), bits == 16 ? "h" : "r"};
}

Value fusion::loadEvictFirst(ThreadBuilder &b, Value memory, VectorType type,
                             Value position) {
  VectorType words = registersOf(type);
  int64_t count = words.getNumElements();
  auto [suffix, constraint] = suffixOf(words);
  std::string constraints;
  for (int64_t i = 0; i < count; ++i)
    constraints += "=" + constraint + ",";
  constraints += "l";
  Type word = words.getElementType(), result = word;
  if (count > 1)
    result = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                              SmallVector<Type>(count, word));
  Value loaded =
      LLVM::InlineAsmOp::create(
          b, result, addressOf(b, memory, position, type),
          "ld.global.L1::no_allocate" + suffix + " " + operandList(0, count) +
              ", [$" + std::to_string(count) + "];",
          constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
          /*operand_attrs=*/ArrayAttr())
          .getRes();
  Values parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(
        count == 1 ? loaded
                   : LLVM::ExtractValueOp::create(b, loaded, i).getResult());
  Value all = vector::FromElementsOp::create(b, words, parts);
  VectorType plain =
      type.clone(b.getIntegerType(type.getElementTypeBitWidth()));
  all = vector::BitCastOp::create(b, plain, all);
  return plain == type ? all
                       : arith::BitcastOp::create(b, type, all).getResult();
}

void fusion::storeEvictFirst(ThreadBuilder &b, Value memory, Value value,
                             Value position) {
  auto type = cast<VectorType>(value.getType());
  VectorType words = registersOf(type);
  int64_t count = words.getNumElements();
  auto [suffix, constraint] = suffixOf(words);
  VectorType plain =
      type.clone(b.getIntegerType(type.getElementTypeBitWidth()));
  if (plain != type)
    value = arith::BitcastOp::create(b, plain, value);
  value = vector::BitCastOp::create(b, words, value);
  Values operands = {addressOf(b, memory, position, type)};
  std::string constraints = "l";
  for (int64_t i = 0; i < count; ++i) {
    operands.push_back(vector::ExtractOp::create(b, value, i));
    constraints += "," + constraint;
  }
  LLVM::InlineAsmOp::create(
      b, TypeRange(), operands,
      "st.global.cs" + suffix + " [$0], " + operandList(1, count) + ";",
      constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      /*operand_attrs=*/ArrayAttr());
}
