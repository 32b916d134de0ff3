//===- PinLoads.cpp - Loads stay in their loops ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/PTX/PinLoads.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

void fusion::pinLoads(llvm::Module &module) {
  auto *type = llvm::FunctionType::get(
      llvm::Type::getVoidTy(module.getContext()), /*isVarArg=*/false);
  auto *assembly = llvm::InlineAsm::get(type, "", "~{memory}",
                                        /*hasSideEffects=*/true);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
      auto pin = [&](llvm::BasicBlock &block) {
        llvm::IRBuilder<> b(&*block.getFirstInsertionPt());
        b.CreateCall(assembly);
      };
      llvm::BasicBlock *header = loop->getHeader();
      pin(*header);
      // Rotated, the loop has what is in a header that leaves it at its end.
      if (loop->isLoopExiting(header))
        for (llvm::BasicBlock *next : llvm::successors(header))
          if (next != header && loop->contains(next))
            pin(*next);
    }
  }
}
