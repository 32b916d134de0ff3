//===- CriticalPathTest.cpp - Tests of what an iteration waits for --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/CriticalPath.h"
#include "SmallProgram.h"

using namespace fusion;
using namespace fusion::timing;
using namespace fusion::timing::test;

namespace {

/// Runs a loop, whose last line is its branch, five times by each warp. Returns
/// its critical path.
CriticalPath pathOf(std::vector<Line> lines, unsigned warps = 1,
                    std::vector<std::pair<unsigned, Step>> steps = {}) {
  unsigned branch = lines.size() - 1;
  lines.push_back({"EXIT"});
  Program program(lines);
  program.kernel.insts[branch].target = 0;
  std::vector<WarpWork> work(warps, program.repeated(branch + 1, 5, steps));
  SimulationResult result = program.run({work});
  EXPECT_EQ(result.problem, "");
  std::optional<HotLoop> loop = findHotLoop(program.kernel, result);
  EXPECT_TRUE(loop);
  std::optional<CriticalPath> path =
      loop ? findCriticalPath(*loop, result) : std::nullopt;
  EXPECT_TRUE(path);
  return path.value_or(CriticalPath());
}

TEST(CriticalPath, DependentChain) {
  // Each waits for the one before: 4 × 4 cycles and the branch's 5.
  CriticalPath path =
      pathOf({{"FFMA", 4}, {"FFMA", 4}, {"FFMA", 4}, {"FFMA", 4}, {"BRA", 5}});
  EXPECT_EQ(path.cycles, 21);
  ASSERT_EQ(path.links.size(), 5u);
  EXPECT_EQ(path.links[0].from, 4u);
  EXPECT_EQ(path.links[0].inst, 0u);
  EXPECT_EQ(path.links[0].cycles, 5);
  for (unsigned i = 1; i < 5; ++i) {
    EXPECT_EQ(path.links[i].from, i - 1);
    EXPECT_EQ(path.links[i].inst, i);
    EXPECT_EQ(path.links[i].wait, Wait::Latency);
    EXPECT_EQ(path.links[i].cycles, 4);
  }
}

TEST(CriticalPath, IndependentStream) {
  // An instruction each cycle.
  std::vector<Line> lines(8, {"FFMA"});
  lines.push_back({"BRA"});
  CriticalPath path = pathOf(lines);
  EXPECT_EQ(path.cycles, 9);
  EXPECT_EQ(path.links.size(), 9u);
}

TEST(CriticalPath, LeadsThroughTheLongestWait) {
  // Two loads, whose values are added 23 and 23 + 2 × 3 cycles later, beside
  // additions that no one waits for.
  CriticalPath path = pathOf({{"LDS", 1, 0u},
                              {"LDS", 1, 1u},
                              {"FADD", 4},
                              {"FADD", 4},
                              {"FADD", 1, std::nullopt, 3},
                              {"BRA", 5}},
                             1, {{0, shared(1)}, {1, shared(4)}});
  ASSERT_EQ(path.links.size(), 4u);
  // LDS, LDS, FADD, BRA.
  EXPECT_EQ(path.links[1].from, 0u);
  EXPECT_EQ(path.links[2].from, 1u);
  EXPECT_EQ(path.links[2].inst, 4u);
  EXPECT_EQ(path.links[2].wait, Wait::Shared);
  EXPECT_EQ(path.links[2].cycles,
            micro().sharedLatency + 3 * micro().wavefrontLatency);
  EXPECT_EQ(path.links[3].inst, 5u);
  EXPECT_EQ(path.cycles, 5 + 1 + path.links[2].cycles + 1);
}

TEST(CriticalPath, LeadsThroughOtherWarps) {
  // 16 warps, four on each sub-partition: an integer takes the pipe for two
  // cycles, so that the others' fill all of the time.
  std::vector<Line> lines(8, {"IADD3"});
  lines.push_back({"BRA", 5});
  CriticalPath path = pathOf(lines, 4 * kSubPartitions);
  double pipe = 0;
  for (const PathLink &link : path.links)
    pipe += link.wait == Wait::Pipe || link.wait == Wait::Scheduler
                ? link.cycles
                : 0;
  EXPECT_GT(pipe, 0.5 * path.cycles);
}

} // namespace
