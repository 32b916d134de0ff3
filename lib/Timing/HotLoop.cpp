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

std::optional<HotLoop>
fusion::timing::findHotLoop(const MachineKernel &kernel,
                            const SimulationResult &simulation) {
  std::optional<HotLoop> best;
  uint64_t bestIssues = 0;
  auto issuesOf = [&](unsigned begin, unsigned end) {
    uint64_t issues = 0;
    for (unsigned i = begin; i < end; ++i)
      issues += simulation.insts[i].issues;
    return issues;
  };
  for (auto [index, inst] : llvm::enumerate(kernel.insts)) {
    unsigned end = index + 1;
    if (!inst.target || *inst.target > index || inst.mnemonic() == "CALL")
      continue;
    // A wait that tries again is no loop of the program, nor is the jump of a
    // finished warp to itself.
    unsigned begin = *inst.target;
    uint64_t iterations = inst.guard ? simulation.insts[index].issues : 0;
    iterations = std::max(iterations, simulation.insts[begin].issues);
    if (end - begin < 4 || !iterations)
      continue;
    // An inner loop that is issued nearly as often is the hotter one.
    uint64_t issues = issuesOf(begin, end);
    bool isInner = best && best->begin <= begin && end <= best->end;
    bool isOuter = best && begin <= best->begin && best->end <= end;
    bool isHotter = isInner   ? issues * 2 > bestIssues
                    : isOuter ? issues > bestIssues * 2
                              : issues > bestIssues;
    if (best && !isHotter)
      continue;
    bestIssues = issues;
    HotLoop loop;
    loop.begin = begin;
    loop.end = end;
    double cycles = double(issues);
    for (unsigned i = begin; i < end; ++i) {
      unsigned line = kernel.insts[i].line;
      if (line && (!loop.firstLine || line < loop.firstLine))
        loop.firstLine = line;
      loop.lastLine = std::max(loop.lastLine, line);
      for (double wait : simulation.insts[i].waits)
        cycles += wait;
    }
    loop.cycles = cycles / double(iterations);
    best = loop;
  }
  return best;
}
