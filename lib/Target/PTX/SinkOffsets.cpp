//===- SinkOffsets.cpp - Constant offsets beside their uses ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/PTX/SinkOffsets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

bool fusion::sinkOffsets(Function &function) {
  SmallVector<Use *> uses;
  for (Instruction &at : instructions(function)) {
    if (!isa<IntrinsicInst>(at))
      continue;
    for (Use &use : at.operands())
      if (auto *sum = dyn_cast<GetElementPtrInst>(use))
        if (sum->hasAllConstantIndices() && sum->getParent() != at.getParent())
          uses.push_back(&use);
  }
  for (Use *use : uses) {
    auto *sum = cast<Instruction>(use->get());
    Instruction *copy = sum->clone();
    copy->insertBefore(cast<Instruction>(use->getUser())->getIterator());
    use->set(copy);
    if (sum->use_empty())
      sum->eraseFromParent();
  }
  return !uses.empty();
}
