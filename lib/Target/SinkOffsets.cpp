//===- SinkOffsets.cpp - Constant offsets beside their uses ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/SinkOffsets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Pass.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"

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

namespace {

class SinkOffsets : public FunctionPass {
public:
  static inline char ID = 0;
  SinkOffsets() : FunctionPass(ID) {}

  bool runOnFunction(Function &function) override {
    return fusion::sinkOffsets(function);
  }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
  }
  StringRef getPassName() const override {
    return "Constant offsets beside their uses";
  }
};

} // namespace

/// The machine that this thread compiles with. The registration below is the
/// process's: other compilers in it are left alone.
static thread_local const TargetMachine *current = nullptr;

fusion::SinkOffsetsScope::SinkOffsetsScope(const TargetMachine &machine)
    : outer(current) {
  static RegisterTargetPassConfigCallback registered(
      [](TargetMachine &machine, legacy::PassManagerBase &,
         TargetPassConfig *passes) {
        if (&machine != current)
          return;
        std::unique_ptr<Pass> last(createCodeGenPrepareLegacyPass());
        passes->insertPass(last->getPassID(), new SinkOffsets());
      });
  current = &machine;
}

fusion::SinkOffsetsScope::~SinkOffsetsScope() { current = outer; }
