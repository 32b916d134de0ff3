//===- LargeBlockGate.cpp - Passes that large blocks skip -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/PTX/LargeBlockGate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

fusion::LargeBlockGate::LargeBlockGate(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (llvm::any_of(function, [](const llvm::BasicBlock &block) {
          return block.size() > kMaxInstructions;
        }))
      large.insert(("function (" + function.getName() + ")").str());
}

bool fusion::LargeBlockGate::shouldRunPass(llvm::StringRef pass,
                                           llvm::StringRef unit) const {
  return pass != "slsr" || !large.contains(unit);
}
