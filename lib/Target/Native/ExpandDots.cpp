//===- ExpandDots.cpp - Dot products without their instructions -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code for a CPU with VDPBF16PS or VPDPBUSD can be executed by one that has
// neither: each lane is computed as Intel's manual says (Intel 64 and IA-32
// Architectures Software Developer's Manual, volume 2).
//
//===----------------------------------------------------------------------===//

#include "NativeModule.h"
#include "fusion/Target/Chips/CpuInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace fusion;
using namespace llvm;

/// Returns every `count`-th element of a vector from `first` on.
static Value *everyOther(IRBuilder<> &b, Value *vector, int first, int count) {
  int lanes = cast<FixedVectorType>(vector->getType())->getNumElements();
  SmallVector<int> mask;
  for (int i = first; i < lanes; i += count)
    mask.push_back(i);
  return b.CreateShuffleVector(vector, mask);
}

/// Returns f32 numbers with zeros instead of subnormal ones. Signs stay.
static Value *flush(IRBuilder<> &b, Value *value) {
  Type *type = value->getType();
  Value *bits = b.CreateBitCast(
      value, VectorType::getInteger(cast<FixedVectorType>(type)));
  auto constant = [&](uint32_t number) {
    return ConstantInt::get(bits->getType(), number);
  };
  constexpr uint32_t exponent = 0x7f800000, sign = 0x80000000;
  Value *isSmall = b.CreateICmpEQ(b.CreateAnd(bits, constant(exponent)),
                                  constant(0));
  Value *kept = b.CreateSelect(isSmall, b.CreateAnd(bits, constant(sign)), bits);
  return b.CreateBitCast(kept, type);
}

/// VDPBF16PS: the products of the odd elements are added first, each by a fused
/// multiply-add. Subnormal inputs and results are zero.
static Value *expandBf16(IRBuilder<> &b, Value *sum, Value *lhs, Value *rhs) {
  auto widened = [&](Value *pairs, int which) {
    auto *words = cast<FixedVectorType>(sum->getType());
    auto *halves = FixedVectorType::get(
        b.getInt16Ty(), 2 * words->getNumElements());
    Value *bits = everyOther(b, b.CreateBitCast(pairs, halves), which, 2);
    Value *wide = b.CreateZExt(bits, VectorType::getInteger(words));
    return flush(b, b.CreateBitCast(b.CreateShl(wide, 16), words));
  };
  Value *result = flush(b, sum);
  for (int which : {1, 0})
    result = flush(b, b.CreateIntrinsic(
                          Intrinsic::fma, {result->getType()},
                          {widened(lhs, which), widened(rhs, which), result}));
  return result;
}

/// VPDPBUSD: unsigned elements of the LHS by signed ones of the RHS.
static Value *expandS8(IRBuilder<> &b, Value *sum, Value *lhs, Value *rhs) {
  Type *words = sum->getType();
  auto *bytes = FixedVectorType::get(
      b.getInt8Ty(), 4 * cast<FixedVectorType>(words)->getNumElements());
  lhs = b.CreateBitCast(lhs, bytes);
  rhs = b.CreateBitCast(rhs, bytes);
  for (int which = 0; which < 4; ++which) {
    Value *left = b.CreateZExt(everyOther(b, lhs, which, 4), words);
    Value *right = b.CreateSExt(everyOther(b, rhs, which, 4), words);
    sum = b.CreateAdd(sum, b.CreateMul(left, right));
  }
  return sum;
}

void fusion::expandDots(Module &code, const CpuInfo &cpu) {
  for (Function &function : code)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call)
        continue;
      bool isBf16 =
          call->getIntrinsicID() == Intrinsic::x86_avx512bf16_dpbf16ps_512;
      bool isS8 = call->getIntrinsicID() == Intrinsic::x86_avx512_vpdpbusd_512;
      if (!(isBf16 && !cpu.hasAvx512Bf16) && !(isS8 && !cpu.hasVnni))
        continue;
      IRBuilder<> b(call);
      auto *expand = isBf16 ? expandBf16 : expandS8;
      call->replaceAllUsesWith(expand(b, call->getArgOperand(0),
                                      call->getArgOperand(1),
                                      call->getArgOperand(2)));
      call->eraseFromParent();
    }
}
