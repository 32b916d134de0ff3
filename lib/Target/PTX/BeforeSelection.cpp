//===- BeforeSelection.cpp - Rewrites right before selection --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/PTX/BeforeSelection.h"
#include "fusion/Target/PTX/ExtendIn32Bit.h"
#include "fusion/Target/PTX/PredicateCopies.h"
#include "fusion/Target/PTX/SinkOffsets.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/Pass.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"

using namespace llvm;

namespace {

class BeforeSelection : public FunctionPass {
public:
  static inline char ID = 0;
  BeforeSelection() : FunctionPass(ID) {}

  bool runOnFunction(Function &function) override {
    bool hasChanged = fusion::sinkOffsets(function);
    hasChanged |= fusion::extendInWords(function);
    return fusion::predicateCopies(function) || hasChanged;
  }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesCFG();
  }
  StringRef getPassName() const override {
    return "Rewrites right before instruction selection";
  }
};

} // namespace

/// The machine that this thread compiles with. The registration below is the
/// process's: other compilers in it are left alone.
static thread_local const TargetMachine *current = nullptr;

fusion::BeforeSelectionScope::BeforeSelectionScope(const TargetMachine &machine)
    : outer(current) {
  static RegisterTargetPassConfigCallback registered(
      [](TargetMachine &machine, legacy::PassManagerBase &,
         TargetPassConfig *passes) {
        if (&machine != current)
          return;
        passes->disablePass(&MachineSinkingLegacyID);
        std::unique_ptr<Pass> last(createCodeGenPrepareLegacyPass());
        passes->insertPass(last->getPassID(), new BeforeSelection());
      });
  current = &machine;
}

fusion::BeforeSelectionScope::~BeforeSelectionScope() { current = outer; }
