//===- PrintedEvaluatorsTest.cpp - FusionStitching by hand ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/PrintedEvaluators.h"
#include "ParsedStitching.h"
#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Search/Stitching/OperatorGraph.h"
#include "fusion/Search/Stitching/StitchExplorer.h"
#include "fusion/Target/Chips/MemoryRegression.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;
using llvm::ArrayRef;

namespace {

const ChipInfo &chip() { return *lookupChip("sm_80"); }
double secondsOf(double cycles) { return cycles / chip().clockHz; }

//===----------------------------------------------------------------------===//
// The latency evaluator
//===----------------------------------------------------------------------===//

class PrintedLatency : public test::ParsedStitching {};

constexpr const char *kDoubled = R"(
  func.func @f(%x: tensor<8192xf32>) -> tensor<8192xf32> {
    %e = tensor.empty() : tensor<8192xf32>
    %y = linalg.add ins(%x, %x : tensor<8192xf32>, tensor<8192xf32>)
                    outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
    return %y : tensor<8192xf32>
  })";

constexpr const char *kSumOfExponentials = R"(
  func.func @f(%x: tensor<500x256xf32>) -> tensor<500xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<500x256xf32>
    %r = tensor.empty() : tensor<500xf32>
    %a = linalg.exp ins(%x : tensor<500x256xf32>)
                    outs(%e : tensor<500x256xf32>) -> tensor<500x256xf32>
    %f = linalg.fill ins(%zero : f32) outs(%r : tensor<500xf32>) -> tensor<500xf32>
    %s = linalg.reduce { arith.addf } ins(%a : tensor<500x256xf32>)
                       outs(%f : tensor<500xf32>) dimensions = [1]
    return %s : tensor<500xf32>
  })";

TEST(PrintedEvaluators, CyclesPerInstructionAreTheTables) {
  ByInstruction cycles = cyclesPerInstruction(chip());
  EXPECT_EQ(cycles.arithmetic, 4);
  EXPECT_EQ(cycles.special, 20);
  EXPECT_EQ(cycles.shuffle, 24);
  EXPECT_EQ(cycles.shared, 23);
  EXPECT_EQ(cycles.barrier, 13);
  EXPECT_EQ(cycles.load, 466);
  // 32 lanes on 4 sub-partitions that share 32 lanes of the memory pipe.
  EXPECT_EQ(cycles.store, 4);
  // Of other chips, only accesses to global memory differ.
  for (auto [name, load, store] : {std::tuple("sm_86", 466, 8),
                                   {"sm_89", 541, 8},
                                   {"sm_90a", 674, 4},
                                   {"h200", 674, 4},
                                   {"sm_100a", 674, 4},
                                   {"sm_120", 541, 4}}) {
    ByInstruction other = cyclesPerInstruction(*lookupChip(name));
    EXPECT_EQ(other.load, load) << name;
    EXPECT_EQ(other.store, store) << name;
    for (double ByInstruction::*each :
         {&ByInstruction::arithmetic, &ByInstruction::special,
          &ByInstruction::shuffle, &ByInstruction::shared,
          &ByInstruction::barrier})
      EXPECT_EQ(other.*each, cycles.*each) << name;
  }
}

TEST(PrintedEvaluators, EquationOne) {
  ByInstruction counts;
  counts.load = 2;
  counts.arithmetic = 10;
  EXPECT_EQ(cyclesOfWarp(counts, cyclesPerInstruction(chip())), 972);
  // 9.48 waves.
  EXPECT_EQ(countWaves(4096, 432), 10);
  EXPECT_EQ(countWaves(432, 432), 1);
  EXPECT_EQ(countWaves(1, 432), 1);
}

// One load of 16 bytes, an addition for each of 4 elements beside the thread's
// own 25 instructions, one store: 466 + 29 · 4 + 4 = 586 cycles, in one wave.
TEST_F(PrintedLatency, ElementWise) {
  std::optional<StitchGroup> group = parse(kDoubled);
  ASSERT_TRUE(group);
  StitchSchedule schedule;
  schedule.warps = 4;
  schedule.threadMapping = {{512, 4, 32, 4}};
  std::optional<StitchCost> cost =
      predictPrinted(*group, StitchWork(*group), schedule, chip());
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->waves, 1);
  EXPECT_EQ(cost->warpCycles, 586);
  EXPECT_DOUBLE_EQ(cost->total, chip().launchOverhead + secondsOf(586));
  // 32 elements in eight such accesses: 8 · 466 + (25 + 32) · 4 + 8 · 4.
  schedule.warps = 1;
  schedule.threadMapping = {{1024, 4, 32, 1}};
  cost = predictPrinted(*group, StitchWork(*group), schedule, chip());
  ASSERT_TRUE(cost);
  EXPECT_EQ(cost->warpCycles, 3988);
}

// A warp for each row: 2 loads, an ex2 and a multiplication or more for each of
// 8 elements, a chain of 5 shuffles with 5 additions, and no barrier.
TEST_F(PrintedLatency, WarpAndBlockComposition) {
  std::optional<StitchGroup> group = parse(kSumOfExponentials);
  ASSERT_TRUE(group);
  StitchSchedule schedule;
  schedule.warps = 1;
  schedule.threadMapping = {{1}, {256, 4, 32, 1}};
  StitchWork work(*group);
  std::optional<StitchCost> warp =
      predictPrinted(*group, work, schedule, chip());
  ASSERT_TRUE(warp);
  int64_t plain = work.operators[0].work.plain,
          special = work.operators[0].work.special,
          sum = std::max<int64_t>(1, work.operators[1].work.plain);
  EXPECT_EQ(special, 1);
  EXPECT_EQ(warp->warpCycles,
            2 * 466 + 4 + 8 * special * 20 + 5 * 24 +
                4 * (25 + 8 * std::max<int64_t>(1, plain) + 8 * sum + 5));
  // Two warps: half of the elements, then 2 barriers, one store and one load of
  // partial results, and 2 + 1 + 4 − 2 instructions beside these.
  schedule.warps = 2;
  schedule.threadMapping = {{1}, {256, 4, 32, 2}};
  std::optional<StitchCost> block =
      predictPrinted(*group, work, schedule, chip());
  ASSERT_TRUE(block);
  EXPECT_EQ(block->warpCycles,
            466 + 4 + 4 * special * 20 + 5 * 24 + 2 * 13 + 2 * 23 +
                4 * (25 + 4 * std::max<int64_t>(1, plain) + 4 * sum + 5 + 5));
  // 1000 warps are a wave: registers and threads leave room for more.
  EXPECT_EQ(block->waves, 1);
}

// The search takes the schedule of least L, without what the evaluator does not
// see.
TEST_F(PrintedLatency, SearchMinimizesIt) {
  for (const char *text : {kDoubled, kSumOfExponentials})
    for (const char *name : {"sm_80", "sm_90a"}) {
      const ChipInfo &chip = *lookupChip(name);
      std::optional<StitchGroup> group = parse(text);
      ASSERT_TRUE(group);
      std::string reason;
      StitchRanking ranking(/*most=*/1000);
      auto search = [&](StitchEffort effort, EvaluatorForm form,
                        StitchRanking *ranking = nullptr) {
        return searchStitching(*group, chip, reason, effort,
                               /*likely=*/nullptr, ranking, form);
      };
      auto best = search(StitchEffort::Full, EvaluatorForm::Printed, &ranking);
      auto few = search(StitchEffort::Bounded, EvaluatorForm::Printed);
      auto first = search(StitchEffort::First, EvaluatorForm::Printed);
      auto ours = search(StitchEffort::Full, EvaluatorForm::Default);
      ASSERT_TRUE(best && few && first && ours) << reason;
      auto predict = [&](const StitchSchedule &schedule) {
        return predictPrinted(*group, StitchWork::of(*group, schedule),
                              schedule, chip)
            ->total;
      };
      for (const auto &found : {best, few, first}) {
        EXPECT_EQ(found->cost.total, predict(found->schedule));
        EXPECT_EQ(clusterSize(found->schedule), 1);
        EXPECT_FALSE(found->schedule.evictFirst);
      }
      EXPECT_LE(best->cost.total, few->cost.total);
      EXPECT_LE(few->cost.total, first->cost.total);
      if (clusterSize(ours->schedule) == 1)
        EXPECT_LE(best->cost.total, predict(ours->schedule));
      for (const StitchResult &result : ranking.results())
        EXPECT_LE(best->cost.total, result.cost.total);
      // Our counts are there for reports.
      EXPECT_GE(best->cost.moved, best->cost.compulsory);
      EXPECT_GT(best->cost.compulsory, 0);
    }
}

// Sums of rows and of columns need values of one another's blocks. Sums of rows
// and of all elements do, too; two sums of rows do not.
TEST_F(PrintedLatency, ReductionsThatCrossBlocks) {
  auto crosses = [&](StringRef first, StringRef ofFirst, StringRef second,
                     StringRef ofSecond) {
    std::string text = llvm::formatv(
        R"(func.func @f(%x: tensor<8x16xf32>) -> ({1}, {3}) {{
      %zero = arith.constant 0.0 : f32
      %a = tensor.empty() : {1}
      %b = tensor.empty() : {3}
      %c = linalg.fill ins(%zero : f32) outs(%a : {1}) -> {1}
      %d = linalg.fill ins(%zero : f32) outs(%b : {3}) -> {3}
      %s = linalg.reduce {{ arith.addf } ins(%x : tensor<8x16xf32>)
                         outs(%c : {1}) dimensions = [{0}]
      %t = linalg.reduce {{ arith.maximumf } ins(%x : tensor<8x16xf32>)
                         outs(%d : {3}) dimensions = [{2}]
      return %s, %t : {1}, {3}
    })",
        first, ofFirst, second, ofSecond);
    std::optional<StitchGroup> group = parse(text);
    EXPECT_TRUE(group) << text;
    return group && group->crossesBlocks();
  };
  constexpr const char *rows = "tensor<8xf32>", *columns = "tensor<16xf32>",
                       *all = "tensor<f32>";
  EXPECT_FALSE(crosses("1", rows, "1", rows));
  EXPECT_TRUE(crosses("1", rows, "0", columns));
  EXPECT_TRUE(crosses("1", rows, "0, 1", all));
  EXPECT_FALSE(crosses("0, 1", all, "0, 1", all));
}

//===----------------------------------------------------------------------===//
// The delta evaluator
//===----------------------------------------------------------------------===//

constexpr double kRows = 8192, kLength = 1024, kMatrix = kRows * kLength * 4,
                 kVector = kRows * 4;

/// An operator on all elements that reads tensor 0 or a vertex.
OperatorGraph::Vertex elementWise(ArrayRef<OperatorGraph::Input> inputs = {}) {
  OperatorGraph::Vertex vertex;
  vertex.inputs.assign(inputs.begin(), inputs.end());
  if (inputs.empty())
    vertex.reads = {{0, kMatrix}};
  vertex.points = vertex.rows = vertex.instructions = kRows * kLength;
  vertex.resultBytes = kMatrix;
  return vertex;
}

OperatorGraph::Vertex reduction(unsigned input) {
  OperatorGraph::Vertex vertex = elementWise({{input, kMatrix}});
  vertex.isReduction = true;
  vertex.rows = kRows;
  vertex.resultBytes = kVector;
  return vertex;
}

/// Exponentials, their sums, and quotients of both.
OperatorGraph softmax() {
  OperatorGraph graph;
  graph.vertices = {elementWise(), reduction(0),
                    elementWise({{0, kMatrix}, {1, kVector}})};
  graph.vertices[0].special = graph.vertices[0].points;
  graph.vertices[0].instructions *= 3;
  graph.vertices[2].escapes = true;
  return graph;
}

DeltaEvaluator printed(const OperatorGraph &graph) {
  return DeltaEvaluator(graph, chip(), EvaluatorForm::Printed);
}

TEST(PrintedDelta, RegressionOverBytesAndDestination) {
  OperatorGraph graph = softmax();
  DeltaEvaluator delta = printed(graph);
  const MemoryRegression &line = memoryRegressionOf(chip());
  // The exponentials are stored for the third operator, so one load is saved.
  EXPECT_DOUBLE_EQ(delta({0, 1}).memory, line.toRegisters(kMatrix));
  // Sums are stored once and loaded once; all threads of a row need them.
  EXPECT_DOUBLE_EQ(delta({1, 2}).memory, line.toShared(2 * kVector));
  // The exponentials are needed by the thread that computes them: a store and
  // two loads.
  EXPECT_DOUBLE_EQ(delta({0, 1, 2}).memory,
                   line.toRegisters(3 * kMatrix) + line.toShared(2 * kVector));
  EXPECT_DOUBLE_EQ(delta({0, 1, 2}).calls, 2 * chip().launchOverhead);
  EXPECT_EQ(delta({0}).total(), 0);
}

// What is read from outside is no traffic between operators.
TEST(PrintedDelta, SharedInputsSaveNothing) {
  OperatorGraph graph;
  graph.vertices = {elementWise(), elementWise()};
  for (OperatorGraph::Vertex &vertex : graph.vertices)
    vertex.escapes = true;
  EXPECT_EQ(printed(graph)({0, 1}).memory, 0);
  EXPECT_GT(DeltaEvaluator(graph, chip())({0, 1}).memory, 0);
}

// Expensive values that a reader repeats go through shared memory, light ones
// are recomputed.
TEST(PrintedDelta, DestinationOfRepeatedValues) {
  OperatorGraph graph;
  OperatorGraph::Vertex small = elementWise();
  small.points = small.rows = small.instructions = kRows;
  small.resultBytes = kVector;
  graph.vertices = {small, elementWise({{0, kVector}})};
  const MemoryRegression &line = memoryRegressionOf(chip());
  EXPECT_DOUBLE_EQ(printed(graph)({0, 1}).memory,
                   line.toRegisters(2 * kVector));
  graph.vertices[0].special = kRows;
  EXPECT_DOUBLE_EQ(printed(graph)({0, 1}).memory, line.toShared(2 * kVector));
}

// The simplified evaluator. 16 registers leave room for 64 warps of an SM. A
// block of 32 warps for each of 8192 rows: 2 blocks on each of 108 SMs, so 38
// waves. Alone, an element-wise operator has 8192 · 32 warps in 38 waves.
TEST(PrintedDelta, Penalty) {
  OperatorGraph graph;
  graph.vertices = {elementWise(), reduction(0)};
  graph.vertices[1].escapes = true;
  // A load, a multiplication, a store.
  double first = 38 * (466 + 4 + 4);
  // A load, an addition, 5 shuffles and additions, 2 barriers, 2 accesses to
  // shared memory, a store.
  double second = 38 * (466 + 4 + 5 * (24 + 4) + 2 * 13 + 2 * 23 + 4);
  double both = 38 * (466 + 2 * 4 + 5 * (24 + 4) + 2 * 13 + 2 * 23 + 4);
  EXPECT_LT(both, first + second);
  EXPECT_EQ(printed(graph)({0, 1}).penalty, 0);
  // Rows of 40 KiB between both: 4 blocks of an SM's 164 KiB would have room,
  // but the elements of 160 KiB leave room for one.
  graph.vertices[1].inputs[0].bytes = kRows * 160 * 1024;
  double alone = 38 * (466 + 4 + 5 * (24 + 4) + 2 * 13 + 2 * 23 + 4);
  double together = 76 * (466 + 2 * 4 + 5 * (24 + 4) + 2 * 13 + 2 * 23 + 4);
  EXPECT_NEAR(printed(graph)({0, 1}).penalty,
              secondsOf(together - first - alone), 1e-12);
}

// With the full evaluator, T_penalty alone is the latency evaluator's: here
// `penalty` seconds of any pattern of several operators.
TEST(PrintedDelta, FullEvaluatorIsOfThePenaltyAlone) {
  OperatorGraph graph = softmax();
  DeltaScore score = printed(graph)({0, 1, 2});
  auto anything = [](ArrayRef<unsigned>) { return true; };
  auto countKernels = [&](double penalty) {
    auto latency = [&](ArrayRef<unsigned> pattern) -> std::optional<double> {
      return chip().launchOverhead + (pattern.size() > 1 ? penalty : 0);
    };
    ExplorerOptions options;
    options.form = PatternForm::Printed;
    options.delta = EvaluatorForm::Printed;
    options.scoresByLatency = true;
    PatternOracle oracle{anything, latency, chip().launchOverhead};
    return explore(graph, chip(), options, oracle).patterns.size();
  };
  EXPECT_EQ(countKernels(0), 1u);
  EXPECT_EQ(countKernels(chip().launchOverhead), 1u);
  EXPECT_EQ(countKernels(1.01 * (score.memory + score.calls)), 3u);
}

// As printed, a pattern that takes longer than its operators is not divided.
TEST(PrintedDelta, PatternsAreNotDivided) {
  OperatorGraph graph = softmax();
  auto anything = [](ArrayRef<unsigned>) { return true; };
  auto latency = [](ArrayRef<unsigned> pattern) -> std::optional<double> {
    return pattern.size() > 1 ? 1 : 1e-6;
  };
  ExplorerOptions options;
  options.beam = 1;
  options.form = PatternForm::Spanning;
  EXPECT_EQ(
      explore(graph, chip(), options, {anything, latency}).patterns.size(), 3u);
  options.form = PatternForm::Printed;
  EXPECT_EQ(
      explore(graph, chip(), options, {anything, latency}).patterns.size(), 1u);
}

} // namespace
