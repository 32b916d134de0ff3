//===- HotLoopTest.cpp - Tests of the hot loop ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/HotLoop.h"
#include "gtest/gtest.h"

using namespace fusion;
using namespace fusion::timing;

namespace {

/// Twelve instructions; `jumps`: (branch, target).
MachineKernel kernelWith(std::vector<std::pair<unsigned, unsigned>> jumps) {
  MachineKernel kernel;
  kernel.insts.resize(12);
  for (unsigned i = 0; i < 12; ++i) {
    kernel.insts[i].opcode = "FFMA";
    kernel.insts[i].line = 10 + i;
  }
  for (auto [branch, target] : jumps) {
    kernel.insts[branch].opcode = "BRA";
    kernel.insts[branch].target = target;
  }
  return kernel;
}

TEST(HotLoop, IsTheInnermostWithTheMostIssues) {
  // A loop from 0 to 10 with loops from 1 to 4 and from 5 to 9 in it.
  MachineKernel kernel = kernelWith({{4, 1}, {9, 5}, {10, 0}});
  SimulationResult result;
  result.insts.resize(12);
  for (unsigned i = 0; i < 11; ++i)
    result.insts[i].issues = i >= 1 && i <= 4   ? 100
                             : i >= 5 && i <= 9 ? 300
                                                : 10;
  result.insts[6].waits[unsigned(Wait::Global)] = 900;
  std::optional<HotLoop> loop = findHotLoop(kernel, result);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->begin, 5u);
  EXPECT_EQ(loop->end, 10u);
  EXPECT_EQ(loop->firstLine, 15u);
  EXPECT_EQ(loop->lastLine, 19u);
  EXPECT_EQ(loop->cycles, (5 * 300 + 900) / 300.0);
}

TEST(HotLoop, WaitsAreNone) {
  // Two instructions that try a wait again, and a loop that never ran.
  MachineKernel kernel = kernelWith({{4, 3}, {10, 6}});
  SimulationResult result;
  result.insts.resize(12);
  result.insts[3].issues = result.insts[4].issues = 1000;
  EXPECT_FALSE(findHotLoop(kernel, result));
}

} // namespace
