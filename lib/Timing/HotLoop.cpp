//===- HotLoop.cpp - The loop that takes the most issue slots -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/HotLoop.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using namespace fusion::timing;

/// Shorter loops are waits.
static constexpr unsigned kLeastInsts = 4;

std::optional<HotLoop>
fusion::timing::findHotLoop(const MachineKernel &kernel,
                            const SimulationResult &simulation) {
  // All loops that were executed. A wait that tries again is no loop of the
  // program, nor is the jump to itself behind the end.
  std::vector<HotLoop> loops;
  for (auto [index, inst] : llvm::enumerate(kernel.insts)) {
    if (!inst.target || *inst.target > index || inst.mnemonic() == "CALL")
      continue;
    unsigned begin = *inst.target, end = index + 1;
    unsigned count = 0;
    for (unsigned i = begin; i < end; ++i)
      count += !kernel.insts[i].isFree;
    if (count >= kLeastInsts && simulation.insts[index].issues)
      loops.push_back({begin, end, count});
  }
  std::optional<HotLoop> best;
  uint64_t bestIssues = 0;
  for (HotLoop &loop : loops) {
    bool isInnermost = llvm::none_of(loops, [&](const HotLoop &other) {
      return loop.begin <= other.begin && other.end <= loop.end &&
             loop.end - loop.begin > other.end - other.begin;
    });
    uint64_t issues = 0;
    for (unsigned i = loop.begin; i < loop.end; ++i)
      issues += simulation.insts[i].issues;
    if (!isInnermost || issues <= bestIssues)
      continue;
    bestIssues = issues;
    double cycles = double(issues);
    for (unsigned i = loop.begin; i < loop.end; ++i) {
      unsigned line = kernel.insts[i].line;
      if (line && (!loop.firstLine || line < loop.firstLine))
        loop.firstLine = line;
      loop.lastLine = std::max(loop.lastLine, line);
      for (double wait : simulation.insts[i].waits)
        cycles += wait;
    }
    loop.cycles = cycles / double(simulation.insts[loop.end - 1].issues);
    best = loop;
  }
  return best;
}
