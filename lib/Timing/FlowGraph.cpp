//===- FlowGraph.cpp - Where a warp may go next ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/FlowGraph.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion::timing;
using llvm::StringRef;

/// Returns whether some warps pass a branch by: it has a guard, or an
/// operand that is a predicate (`@P0 BRA P1, label`).
static bool isConditional(const MachineInst &inst) {
  StringRef first = inst.operands.split(',').first.trim();
  first.consume_front("!");
  first.consume_front("U");
  bool hasPredicate = first.size() == 2 && first.front() == 'P';
  // A warp that has not diverged passes `BRA.DIV` by.
  return inst.guard || hasPredicate || inst.hasModifier("DIV");
}

/// Returns whether a call is a jump in the kernel, to a label of its own: on
/// some chips ptxas leaves loops so.
static bool isJump(const MachineInst &inst) {
  return inst.mnemonic() == "CALL" && inst.operands.starts_with("`(.L_");
}

std::optional<FlowGraph> FlowGraph::build(const MachineKernel &kernel,
                                          std::string &reason) {
  FlowGraph graph(kernel);
  unsigned count = kernel.insts.size();
  graph.nexts.resize(count);
  graph.ends.resize(count);
  for (auto [index, inst] : llvm::enumerate(kernel.insts)) {
    StringRef mnemonic = inst.mnemonic();
    auto &nexts = graph.nexts[index];
    bool goesOn = index + 1 < count;
    if (mnemonic == "BRX" || mnemonic == "BRXU" || mnemonic == "JMX" ||
        mnemonic == "JMXU") {
      reason = "'" + kernel.name.str() + "' jumps to a computed address";
      return std::nullopt;
    }
    if (mnemonic == "EXIT" || mnemonic == "KILL") {
      graph.ends[index] = true;
      goesOn &= inst.guard.has_value();
    } else if (mnemonic == "RET") {
      // The call's own edge leads to where it goes on.
      goesOn &= inst.guard.has_value();
    } else if (mnemonic == "BRA" || mnemonic == "JMP" || mnemonic == "BRAU" ||
               isJump(inst)) {
      if (inst.target)
        nexts.push_back(*inst.target);
      goesOn &= isConditional(inst);
    }
    if (goesOn)
      nexts.insert(nexts.begin(), index + 1);
  }
  return graph;
}
