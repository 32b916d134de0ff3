//===- MachinePathTest.cpp - Ways of warps through machine code -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/MachinePath.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace fusion::timing;
using fusion::emulator::StepAction;

namespace {

using Kind = StepKind;
using Steps = std::vector<std::pair<StepKind, unsigned>>;

/// A kernel of a few instructions, and the ways through it.
struct Code {
  struct Line {
    const char *opcode;
    unsigned ptxLine = 0;
    std::optional<unsigned> target = std::nullopt;
    bool hasGuard = false;
  };

  explicit Code(std::vector<Line> lines) {
    kernel.name = "k";
    for (const Line &line : lines) {
      MachineInst inst;
      inst.opcode = line.opcode;
      inst.line = line.ptxLine;
      inst.target = line.target;
      if (line.hasGuard)
        inst.guard = Guard{0, false, false};
      kernel.insts.push_back(inst);
    }
    graph = FlowGraph::build(kernel, reason);
  }

  std::optional<MachinePath>
  find(const std::vector<std::pair<StepKind, unsigned>> &steps,
       StepAction ofMbarriers = StepAction::None) {
    std::vector<Step> list;
    for (auto [kind, line] : steps) {
      Step step;
      step.kind = kind;
      step.line = line;
      if (kind == StepKind::Mbarrier)
        step.action = ofMbarriers;
      list.push_back(step);
    }
    PathFinder finder(*graph, ptx);
    const MachinePath *path = finder.find(list);
    return path ? std::optional(*path) : std::nullopt;
  }

  /// Adds a load of the PTX, by an address register.
  void addLoad(const char *opcode, unsigned line, uint32_t address) {
    ptx.emplace_back();
    ptx.back().opcode = opcode;
    ptx.back().line = line;
    ptx.back().step = Kind::SharedLoad;
    ptx.back().reads = {address};
  }

  MachineKernel kernel;
  std::vector<fusion::emulator::PtxInst> ptx;
  std::string reason;
  std::optional<FlowGraph> graph;
};

using Insts = std::vector<unsigned>;
constexpr bool kGuard = true;

TEST(MachinePath, LoopsByTheirAnchors) {
  Code code({{"MOV"},
             {"LDG", 7},
             {"FADD"},
             {"BRA", 0, 1, kGuard},
             {"STG", 9},
             {"EXIT"}});
  auto path = code.find({{Kind::GlobalLoad, 7},
                         {Kind::GlobalLoad, 7},
                         {Kind::GlobalLoad, 7},
                         {Kind::GlobalStore, 9}});
  ASSERT_TRUE(path);
  EXPECT_EQ(path->insts, Insts({0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 5}));
  EXPECT_EQ(path->places[1], 4u);
  EXPECT_EQ(path->places[3], 10u);
  EXPECT_EQ(path->missing, 0u);
  EXPECT_EQ(path->passed, 0u);
}

// ptxas makes two iterations of the unrolled loop, and the rest one by one.
TEST(MachinePath, UnrolledLoopsAndTheirRest) {
  Code code({{"BRA", 0, 4, kGuard},
             {"LDG", 7},
             {"LDG", 7},
             {"BRA", 0, 1, kGuard},
             {"BRA", 0, 7, kGuard},
             {"LDG", 7},
             {"BRA", 0, 5, kGuard},
             {"EXIT"}});
  auto times = [&](unsigned count) {
    return code.find(std::vector<std::pair<StepKind, unsigned>>(
        count, {Kind::GlobalLoad, 7}));
  };
  EXPECT_EQ(times(0)->insts, Insts({0, 4, 7}));
  EXPECT_EQ(times(1)->insts, Insts({0, 4, 5, 6, 7}));
  EXPECT_EQ(times(4)->insts, Insts({0, 1, 2, 3, 1, 2, 3, 4, 7}));
  EXPECT_EQ(times(5)->insts, Insts({0, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(MachinePath, BranchesByWhatFollows) {
  Code code({{"BRA", 0, 4, kGuard},
             {"LDS", 3},
             {"HMMA", 4},
             {"BRA", 0, 5},
             {"HMMA", 6},
             {"EXIT"}});
  EXPECT_EQ(code.find({{Kind::SharedLoad, 3}, {Kind::Mma, 4}})->insts,
            Insts({0, 1, 2, 3, 5}));
  EXPECT_EQ(code.find({{Kind::Mma, 6}})->insts, Insts({0, 4, 5}));
}

TEST(MachinePath, GuardedAnchorsMayBePassed) {
  Code code({{"LDG", 3, std::nullopt, kGuard}, {"STG", 4}, {"EXIT"}});
  auto path = code.find({{Kind::GlobalStore, 4}});
  ASSERT_TRUE(path);
  EXPECT_EQ(path->insts, Insts({0, 1, 2}));
  EXPECT_EQ(path->passed, 0u);
}

TEST(MachinePath, WhatDoesNotFitIsCounted) {
  Code code({{"LDG", 3}, {"STG", 4}, {"EXIT"}});
  auto path = code.find(
      {{Kind::GlobalLoad, 3}, {Kind::GlobalLoad, 8}, {Kind::GlobalStore, 4}});
  ASSERT_TRUE(path);
  EXPECT_EQ(path->insts, Insts({0, 1, 2}));
  EXPECT_EQ(path->removed, 1u) << "no instruction has its line";
  EXPECT_EQ(path->missing, 0u);
  EXPECT_FALSE(path->places[1]);
  path = code.find(
      {{Kind::GlobalLoad, 3}, {Kind::GlobalLoad, 3}, {Kind::GlobalStore, 4}});
  ASSERT_TRUE(path);
  EXPECT_EQ(path->missing, 1u) << "the only load of its line is not in a loop";
  EXPECT_EQ(path->removed, 0u);
  path = code.find({{Kind::GlobalStore, 4}});
  ASSERT_TRUE(path);
  EXPECT_EQ(path->passed, 1u);
  EXPECT_EQ(path->missing, 0u);
}

TEST(MachinePath, LinesThatNoStepHas) {
  // ptxas gives a part of inline assembly another line.
  Code code({{"LDG", 2}, {"STG", 4}, {"EXIT"}});
  auto path = code.find({{Kind::GlobalLoad, 3}, {Kind::GlobalStore, 4}});
  ASSERT_TRUE(path);
  EXPECT_EQ(path->places[0], 0u);
  EXPECT_EQ(path->missing + path->removed + path->passed, 0u);
}

TEST(MachinePath, LongExecutions) {
  // A loop after a loop with the same instructions but for their lines: the way
  // out of the first one is taken after the right number of iterations.
  Code code({{"LDS", 3},
             {"LDG", 4},
             {"BRA", 0, 0, kGuard},
             {"LDG", 6},
             {"LDS", 7},
             {"BRA", 0, 3, kGuard},
             {"EXIT"}});
  std::vector<std::pair<StepKind, unsigned>> steps;
  for (unsigned i = 0; i < 5000; ++i)
    steps.insert(steps.end(), {{Kind::SharedLoad, 3}, {Kind::GlobalLoad, 4}});
  for (unsigned i = 0; i < 3000; ++i)
    steps.insert(steps.end(), {{Kind::GlobalLoad, 6}, {Kind::SharedLoad, 7}});
  auto path = code.find(steps);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->insts.size(), 3u * 8000 + 1);
  EXPECT_EQ(path->missing + path->removed + path->passed, 0u);
}

TEST(MachinePath, TriesOfWaits) {
  // The first try is peeled off; the loop of the others lies behind the end.
  Code code({{"SYNCS.PHASECHK.TRANS64.TRYWAIT", 2},
             {"BRA", 3, 5, kGuard},
             {"LDS", 4},
             {"BRA", 5, 0, kGuard},
             {"EXIT"},
             {"SYNCS.PHASECHK.TRANS64.TRYWAIT", 3},
             {"BRA", 3, 5, kGuard},
             {"BRA", 3, 2}});
  auto path = code.find({{Kind::Mbarrier, 3},
                         {Kind::SharedLoad, 4},
                         {Kind::Mbarrier, 3},
                         {Kind::SharedLoad, 4}},
                        StepAction::Wait);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->insts, Insts({0, 1, 2, 3, 0, 1, 2, 3, 4}));
  EXPECT_EQ(path->missing + path->removed + path->passed, 0u);
}

TEST(MachinePath, WaitsStayApart) {
  // An iteration waits for a stage that is free, if it fills one, and for a
  // full one. The first tries are peeled off; ptxas has moved instructions
  // between the second one and its jump.
  std::vector<Code::Line> lines = {{"BRA", 1, 3, kGuard},
                                   {"SYNCS.PHASECHK.TRANS64.TRYWAIT", 2},
                                   {"BRA", 2, 17, kGuard},
                                   {"SYNCS.PHASECHK.TRANS64.TRYWAIT", 5}};
  lines.insert(lines.end(), 10, {"FMUL", 6});
  lines.push_back({"BRA", 5, 20, kGuard});
  lines.push_back({"BRA", 8, 0, kGuard});
  lines.push_back({"EXIT"});
  lines.push_back({"SYNCS.PHASECHK.TRANS64.TRYWAIT", 3});
  lines.push_back({"BRA", 3, 17, kGuard});
  lines.push_back({"BRA", 3, 3});
  lines.push_back({"SYNCS.PHASECHK.TRANS64.TRYWAIT", 7});
  lines.push_back({"BRA", 7, 20, kGuard});
  lines.push_back({"BRA", 7, 15});
  Code code(lines);
  for (unsigned inst : {1, 17})
    code.kernel.insts[inst].operands = "P1, [R9+URZ+0x30], R8";
  for (unsigned inst : {3, 20})
    code.kernel.insts[inst].operands = "P3, [R9+URZ+0x20], R8";
  auto path = code.find({{Kind::Mbarrier, 3},
                         {Kind::Mbarrier, 7},
                         {Kind::Mbarrier, 7},
                         {Kind::Mbarrier, 3},
                         {Kind::Mbarrier, 7}},
                        StepAction::Wait);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->missing + path->removed + path->passed, 0u);
  std::vector<unsigned> waits;
  for (const std::optional<unsigned> &place : path->places)
    waits.push_back(path->insts[place.value_or(0)]);
  EXPECT_EQ(waits, Insts({1, 3, 3, 1, 3}));
}

// ptxas unrolls a loop of four iterations and makes one load of four: those of
// line 3. Line 4 has other addresses.
TEST(MachinePath, LoadsMergedOutOfIterations) {
  Code code({{"BAR.SYNC", 2},
             {"LDS.128", 3},
             {"LDS", 4},
             {"LDS", 4},
             {"LDS", 4},
             {"LDS", 4},
             {"STS", 5},
             {"BRA", 6, 0, kGuard},
             {"EXIT"}});
  Steps steps;
  for (unsigned tile = 0; tile < 3; ++tile) {
    steps.push_back({Kind::Barrier, 2});
    for (unsigned i = 0; i < 4; ++i)
      steps.insert(steps.end(), {{Kind::SharedLoad, 3}, {Kind::SharedLoad, 4}});
    steps.push_back({Kind::SharedStore, 5});
  }
  EXPECT_GT(code.find(steps)->missing, 0u) << "widths are not known";
  code.addLoad("ld.shared.f32", 3, 7);
  code.addLoad("ld.shared.f32", 4, 8);
  auto path = code.find(steps);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->missing + path->removed + path->passed, 0u);
  EXPECT_EQ(path->insts.size(), 3u * 8 + 1);
  for (unsigned step : {1, 3, 5, 7})
    EXPECT_EQ(path->places[step], 1u);
  EXPECT_EQ(path->steps[1], 1u) << "the first of the four";
}

// Two iterations of two loads become one load, which names the first line.
TEST(MachinePath, LoadsMergedOutOfLinesAndIterations) {
  Code code({{"LDS.128", 3},
             {"LDS", 5},
             {"LDS", 5},
             {"BRA", 6, 0, kGuard},
             {"EXIT"}});
  Steps steps;
  for (unsigned i = 0; i < 8; ++i)
    steps.insert(
        steps.end(),
        {{Kind::SharedLoad, 3}, {Kind::SharedLoad, 4}, {Kind::SharedLoad, 5}});
  code.addLoad("ld.shared.b32", 3, 7);
  code.addLoad("ld.shared.b32", 4, 7);
  code.addLoad("ld.shared.b32", 5, 8);
  auto path = code.find(steps);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->insts.size(), 4u * 4 + 1);
  EXPECT_EQ(path->removed, 8u) << "line 4";
  EXPECT_EQ(path->missing + path->passed, 0u);
}

// A vector load of the PTX is as wide as that of the machine code.
TEST(MachinePath, WideLoadsThatAreNotMerged) {
  Code code({{"LDS.128", 3}, {"STS", 4}, {"BRA", 5, 0, kGuard}, {"EXIT"}});
  code.addLoad("ld.shared.v4.f32", 3, 7);
  Steps steps;
  for (unsigned i = 0; i < 4; ++i)
    steps.insert(steps.end(), {{Kind::SharedLoad, 3}, {Kind::SharedStore, 4}});
  steps.push_back({Kind::SharedLoad, 3});
  auto path = code.find(steps);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->missing + path->passed, 1u) << "a load or a store too many";
}

TEST(MachinePath, OrderBehindAMissingStep) {
  // ptxas has merged two loads of one line. The iterations that copy are still
  // the first two of the four behind them.
  Code code({{"LDG", 2},
             {"BRA", 3, 3, kGuard},
             {"UTMALDG.2D", 4},
             {"LDS", 5},
             {"BAR.SYNC", 6},
             {"LDSM", 7},
             {"BRA", 8, 1, kGuard},
             {"EXIT"}});
  Steps steps(2, {Kind::GlobalLoad, 2});
  std::vector<size_t> copies;
  for (unsigned i = 0; i < 4; ++i) {
    if (i < 2) {
      copies.push_back(steps.size());
      steps.push_back({Kind::TMALoad, 4});
    }
    steps.insert(
        steps.end(),
        {{Kind::SharedLoad, 5}, {Kind::Barrier, 6}, {Kind::MatrixLoad, 7}});
  }
  auto path = code.find(steps);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->missing, 1u);
  EXPECT_EQ(path->passed, 0u);
  EXPECT_EQ(path->insts, Insts({0, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5,
                                6, 1, 3, 4, 5, 6, 1, 3, 4, 5, 6, 7}));
  for (auto [iteration, step] : llvm::enumerate(copies))
    EXPECT_EQ(path->places[step], 2 + 6 * iteration);
}

// Both branches commit, the first one twice. ptxas has moved a commit of each
// behind the branches, with the line of the second one.
TEST(MachinePath, MergedCommits) {
  Code code({{"BRA", 2, 4, kGuard},
             {"UTMALDG.2D", 3},
             {"LDGDEPBAR", 8},
             {"UTMALDG.2D", 5},
             {"LDGDEPBAR", 7},
             {"EXIT"}});
  auto path = code.find({{Kind::TMALoad, 3},
                         {Kind::AsyncCommit, 4},
                         {Kind::TMALoad, 5},
                         {Kind::AsyncCommit, 8}});
  ASSERT_TRUE(path);
  EXPECT_EQ(path->insts, Insts({0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(path->missing + path->passed + path->removed, 0u);
  EXPECT_EQ(code.find({{Kind::AsyncCommit, 7}})->insts, Insts({0, 4, 5}));
}

TEST(MachinePath, GuardsOfLaterExecutions) {
  // The guarded load is executed in the last iteration alone.
  Code code({{"LDS", 3},
             {"LDG", 4, std::nullopt, kGuard},
             {"STS", 5},
             {"BRA", 0, 0, kGuard},
             {"EXIT"}});
  std::vector<std::pair<StepKind, unsigned>> steps;
  for (unsigned i = 0; i < 40; ++i)
    steps.insert(steps.end(), {{Kind::SharedLoad, 3}, {Kind::SharedStore, 5}});
  steps.insert(steps.end() - 1, {Kind::GlobalLoad, 4});
  auto path = code.find(steps);
  ASSERT_TRUE(path);
  // A few steps early is not told from an instruction that ptxas moved.
  ASSERT_TRUE(path->places[79]);
  EXPECT_NEAR(double(*path->places[79]), 39 * 4 + 1, 64);
  EXPECT_EQ(path->missing + path->removed + path->passed, 0u);
}

TEST(MachinePath, StepsByPlace) {
  Code code({{"LDG", 3}, {"IADD3", 3}, {"STG", 4}, {"EXIT"}});
  auto path = code.find({{Kind::GlobalLoad, 3}, {Kind::GlobalStore, 4}});
  ASSERT_TRUE(path);
  constexpr uint32_t none = MachinePath::kNoStep;
  EXPECT_EQ(path->steps, (std::vector<uint32_t>{0, none, 1, none}));
}

TEST(MachinePath, CodeThatDoesNotEnd) {
  Code code({{"LDG", 3}, {"BRA", 0, 0}});
  EXPECT_FALSE(code.find({{Kind::GlobalLoad, 3}}));
}

} // namespace
