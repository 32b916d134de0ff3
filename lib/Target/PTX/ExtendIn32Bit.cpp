//===- ExtendIn32Bit.cpp - bf16 extended from its word --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/PTX/ExtendIn32Bit.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

bool fusion::extendInWords(Function &function) {
  bool hasChanged = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    Value *vector;
    uint64_t number;
    if (!instruction.getType()->isFloatTy() ||
        !match(&instruction,
               m_FPExt(m_ExtractElt(m_Value(vector), m_ConstantInt(number)))))
      continue;
    auto *type = dyn_cast<FixedVectorType>(vector->getType());
    if (!type || !type->getElementType()->isBFloatTy() ||
        type->getNumElements() % 2 || number >= type->getNumElements())
      continue;
    IRBuilder<> b(&instruction);
    // What one of a pair is says nothing of the word where the other is poison:
    // frozen by elements.
    Value *word = b.CreateBitCast(
        b.CreateFreeze(vector),
        FixedVectorType::get(b.getInt32Ty(), type->getNumElements() / 2));
    // The lower one of a pair comes first.
    word = b.CreateExtractElement(word, number / 2);
    constexpr unsigned half = 16;
    Value *bits =
        number % 2 ? b.CreateAnd(word, ~0u << half) : b.CreateShl(word, half);
    Value *extended = b.CreateBitCast(bits, b.getFloatTy());
    extended->takeName(&instruction);
    instruction.replaceAllUsesWith(extended);
    instruction.eraseFromParent();
    hasChanged = true;
  }
  return hasChanged;
}
