//===- MaskedLoads.cpp - Masked loads of AVX2 -----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without AVX-512, LLVM 22 loads whole vectors where lanes of a mask turn out
// to be false only when it is split to the width of a register
// (combineMaskedLoadConstantMask reads a mask of which it has kept the sign
// bits alone). The target's own intrinsics are not changed in that way.
//
//===----------------------------------------------------------------------===//

#include "NativeModule.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace fusion;

constexpr unsigned kRegisterBits = 256;

/// Returns the intrinsic that loads a register of `element`, or none.
static std::optional<llvm::Intrinsic::ID> loadOf(llvm::Type *element) {
  if (element->isFloatTy())
    return llvm::Intrinsic::x86_avx_maskload_ps_256;
  if (element->isDoubleTy())
    return llvm::Intrinsic::x86_avx_maskload_pd_256;
  if (element->isIntegerTy(32))
    return llvm::Intrinsic::x86_avx2_maskload_d_256;
  if (element->isIntegerTy(64))
    return llvm::Intrinsic::x86_avx2_maskload_q_256;
  return std::nullopt;
}

/// Replaces a masked load by one load for each register.
static void loadByRegisters(llvm::IntrinsicInst &load) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(load.getType());
  llvm::Value *mask = load.getArgOperand(1), *other = load.getArgOperand(2);
  if (!type || llvm::isa<llvm::Constant>(mask))
    return;
  llvm::Type *element = type->getElementType();
  std::optional<llvm::Intrinsic::ID> intrinsic = loadOf(element);
  if (!intrinsic)
    return;
  unsigned bits = element->getScalarSizeInBits();
  unsigned lanes = kRegisterBits / bits;
  if (type->getNumElements() % lanes != 0)
    return;
  llvm::IRBuilder<> b(&load);
  auto *bitsOfMask = llvm::FixedVectorType::get(b.getIntNTy(bits), lanes);
  bool isZero = llvm::isa<llvm::UndefValue, llvm::ConstantAggregateZero>(other);
  llvm::SmallVector<llvm::Value *> parts;
  for (unsigned first = 0; first < type->getNumElements(); first += lanes) {
    auto part = [&](llvm::Value *whole) -> llvm::Value * {
      return b.CreateShuffleVector(whole,
                                   llvm::createSequentialMask(first, lanes, 0));
    };
    llvm::Value *ofPart = part(mask);
    llvm::Value *loaded = b.CreateIntrinsic(
        *intrinsic,
        {b.CreateConstGEP1_64(element, load.getArgOperand(0), first),
         b.CreateSExt(ofPart, bitsOfMask)});
    parts.push_back(isZero ? loaded
                           : b.CreateSelect(ofPart, loaded, part(other)));
  }
  load.replaceAllUsesWith(llvm::concatenateVectors(b, parts));
  load.eraseFromParent();
}

void fusion::lowerMaskedLoads(llvm::Module &code,
                              const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &machineOf = *machine.getMCSubtargetInfo();
  if (!machineOf.checkFeatures("+avx2") || machineOf.checkFeatures("+avx512f"))
    return;
  llvm::SmallVector<llvm::IntrinsicInst *> loads;
  for (llvm::Function &function : code)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == llvm::Intrinsic::masked_load)
        loads.push_back(call);
  for (llvm::IntrinsicInst *load : loads)
    loadByRegisters(*load);
}
