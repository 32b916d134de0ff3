//===- PredicateCopies.cpp - Copies that read or do not -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/PTX/PredicateCopies.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

/// The mnemonic of a copy whose size is an operand, and the bytes of all of it.
static std::pair<StringRef, int64_t> sizedCopy(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::nvvm_cp_async_ca_shared_global_4_s:
    return {"cp.async.ca.shared.global", 4};
  case Intrinsic::nvvm_cp_async_ca_shared_global_8_s:
    return {"cp.async.ca.shared.global", 8};
  case Intrinsic::nvvm_cp_async_ca_shared_global_16_s:
    return {"cp.async.ca.shared.global", 16};
  case Intrinsic::nvvm_cp_async_cg_shared_global_16_s:
    return {"cp.async.cg.shared.global", 16};
  default:
    return {};
  }
}

/// Whether `size` is `bytes` and not 0; null where it may be something else.
static Value *isWhole(Value *size, uint64_t bytes, IRBuilder<> &b) {
  if (auto *constant = dyn_cast<ConstantInt>(size)) {
    uint64_t value = constant->getZExtValue();
    return value == bytes || value == 0 ? b.getInt1(value != 0) : nullptr;
  }
  auto *select = dyn_cast<SelectInst>(size);
  if (!select)
    return nullptr;
  Value *ifTrue = isWhole(select->getTrueValue(), bytes, b),
        *ifFalse = isWhole(select->getFalseValue(), bytes, b);
  if (!ifTrue || !ifFalse)
    return nullptr;
  return b.CreateSelect(select->getCondition(), ifTrue, ifFalse);
}

bool fusion::predicateCopies(Function &function) {
  const DataLayout &layout = function.getDataLayout();
  bool hasChanged = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *copy = dyn_cast<IntrinsicInst>(&instruction);
    if (!copy)
      continue;
    auto [mnemonic, bytes] = sizedCopy(copy->getIntrinsicID());
    // What is known has no predicate.
    if (bytes == 0 || isa<ConstantInt>(copy->getArgOperand(2)))
      continue;
    IRBuilder<> b(copy);
    Value *reads = isWhole(copy->getArgOperand(2), bytes, b);
    if (!reads)
      continue;
    SmallVector<Value *> operands = {reads};
    std::string constraints = "b";
    for (Value *pointer : {copy->getArgOperand(0), copy->getArgOperand(1)}) {
      // Offsets stay in the addresses.
      unsigned width = layout.getPointerTypeSizeInBits(pointer->getType());
      APInt offset(width, 0);
      Value *base = pointer->stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true);
      if (base->getType() != pointer->getType() || !offset.isSignedIntN(32)) {
        base = pointer;
        offset = 0;
      }
      operands.push_back(b.CreatePtrToInt(base, b.getIntNTy(width)));
      operands.push_back(b.getInt32(offset.getSExtValue()));
      constraints += width == 64 ? ",l,n" : ",r,n";
    }
    SmallVector<Type *> types;
    for (Value *operand : operands)
      types.push_back(operand->getType());
    auto *assembly = InlineAsm::get(
        FunctionType::get(b.getVoidTy(), types, /*isVarArg=*/false),
        (mnemonic + " [$1+$2], [$3+$4], " + Twine(bytes) + ", !$0;").str(),
        constraints, /*hasSideEffects=*/true);
    b.CreateCall(assembly, operands);
    copy->eraseFromParent();
    hasChanged = true;
  }
  return hasChanged;
}
