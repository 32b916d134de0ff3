//===- StitchExplorerTest.cpp - Plans of hand-made and drawn graphs -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Stitching/StitchExplorer.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <ctime>
#include <random>
#include <set>

using namespace fusion;
using llvm::ArrayRef;

namespace {

const ChipInfo &chip() { return *lookupChip("sm_80"); }

/// Graphs of operators on `rows` rows of `length` f32 elements.
class Builder {
public:
  explicit Builder(double rows = 8192, double length = 1024)
      : rows(rows), length(length) {}

  unsigned elementwise(std::initializer_list<unsigned> inputs,
                       std::initializer_list<unsigned> tensors = {}) {
    unsigned vertex = add(inputs, tensors, rows * length, rows * length);
    graph.vertices[vertex].loops = {int64_t(rows), int64_t(length)};
    return vertex;
  }
  unsigned rowwise(std::initializer_list<unsigned> inputs) {
    unsigned vertex = add(inputs, {}, rows, rows);
    graph.vertices[vertex].loops = {int64_t(rows)};
    return vertex;
  }
  unsigned expensive(std::initializer_list<unsigned> inputs) {
    unsigned vertex = rowwise(inputs);
    graph.vertices[vertex].isExpensive = true;
    return vertex;
  }
  unsigned reduction(std::initializer_list<unsigned> inputs,
                     std::initializer_list<unsigned> tensors = {}) {
    unsigned vertex = add(inputs, tensors, rows * length, rows);
    graph.vertices[vertex].isReduction = true;
    graph.vertices[vertex].loops = {int64_t(rows), -int64_t(length)};
    return vertex;
  }
  /// Along the other axis.
  unsigned columns(std::initializer_list<unsigned> inputs,
                   std::initializer_list<unsigned> tensors = {}) {
    unsigned vertex = add(inputs, tensors, rows * length, length);
    graph.vertices[vertex].isReduction = true;
    graph.vertices[vertex].loops = {-int64_t(rows), int64_t(length)};
    return vertex;
  }
  unsigned foreign(std::initializer_list<unsigned> inputs) {
    unsigned vertex = elementwise(inputs);
    graph.vertices[vertex].isForeign = true;
    return vertex;
  }
  OperatorGraph finish() {
    auto consumers = graph.consumers();
    for (auto [vertex, readers] : llvm::zip_equal(graph.vertices, consumers))
      vertex.escapes |= readers.empty();
    return graph;
  }
  OperatorGraph graph;

private:
  unsigned add(std::initializer_list<unsigned> inputs,
               std::initializer_list<unsigned> tensors, double points,
               double result) {
    OperatorGraph::Vertex vertex;
    for (unsigned input : inputs)
      vertex.inputs.push_back({input, graph.vertices[input].resultBytes});
    for (unsigned tensor : tensors)
      vertex.reads.push_back({tensor, rows * length * 4});
    vertex.points = vertex.instructions = points;
    vertex.rows = result;
    vertex.resultBytes = result * 4;
    graph.vertices.push_back(vertex);
    return graph.vertices.size() - 1;
  }

  double rows, length;
};

bool anything(ArrayRef<unsigned>) { return true; }

StitchPlan plan(const OperatorGraph &graph, ExplorerOptions options = {}) {
  return explore(graph, chip(), options, {anything});
}

ExplorerOptions printed() {
  ExplorerOptions options;
  options.form = PatternForm::Printed;
  return options;
}

std::vector<StitchPattern>
patterns(std::initializer_list<std::initializer_list<unsigned>> lists) {
  std::vector<StitchPattern> result;
  for (auto list : lists)
    result.push_back(StitchPattern(list));
  return result;
}

/// Every vertex once, and kernels in an order in which they can run.
void check(const OperatorGraph &graph, const StitchPlan &plan) {
  std::vector<int> kernelOf(graph.vertices.size(), -1);
  for (auto [number, pattern] : llvm::enumerate(plan.patterns)) {
    ASSERT_TRUE(llvm::is_sorted(pattern));
    for (unsigned vertex : pattern) {
      ASSERT_EQ(kernelOf[vertex], -1);
      kernelOf[vertex] = number;
    }
  }
  for (auto [vertex, kernel] : llvm::enumerate(kernelOf)) {
    ASSERT_GE(kernel, 0);
    for (const OperatorGraph::Input &input : graph.vertices[vertex].inputs)
      ASSERT_LE(kernelOf[input.vertex], kernel);
    if (graph.vertices[vertex].isForeign)
      ASSERT_EQ(plan.patterns[kernel].size(), 1u);
  }
}

/// Layer normalisation, as figure 1 has it.
OperatorGraph layerNorm() {
  Builder b;
  unsigned sum = b.reduction({}, {0});
  unsigned mean = b.rowwise({sum});
  unsigned centred = b.elementwise({mean}, {0});
  unsigned square = b.elementwise({centred});
  unsigned squares = b.reduction({square});
  unsigned scale = b.expensive({squares});
  unsigned scaled = b.elementwise({centred, scale});
  b.elementwise({scaled}, {1});
  return b.finish();
}

TEST(StitchExplorer, LayerNormIsOneKernel) {
  OperatorGraph graph = layerNorm();
  for (const ExplorerOptions &options : {ExplorerOptions(), printed()}) {
    StitchPlan found = plan(graph, options);
    EXPECT_EQ(found.patterns, patterns({{0, 1, 2, 3, 4, 5, 6, 7}}));
    EXPECT_GT(found.score, 0);
  }
}

TEST(StitchExplorer, LayerNormIsFourKernelsOfXla) {
  StitchPlan greedy = fuseGreedily(layerNorm(), /*copies=*/true, {anything});
  // The mean and the centred values are computed in both of their readers'.
  EXPECT_EQ(greedy.patterns, patterns({{0}, {1, 2, 3, 4}, {5}, {1, 2, 6, 7}}));
  StitchPlan once = fuseGreedily(layerNorm(), /*copies=*/false, {anything});
  check(layerNorm(), once);
  EXPECT_EQ(once.patterns, patterns({{0}, {1, 2}, {3, 4}, {5}, {6, 7}}));
}

TEST(StitchExplorer, XlaFusesReadersOfOneValue) {
  Builder b;
  b.reduction({}, {0});
  b.reduction({}, {0});
  b.columns({}, {0});
  b.elementwise({}, {0});
  // Rows and columns are two kernels; what is element-wise goes to the first.
  EXPECT_EQ(fuseGreedily(b.finish(), /*copies=*/true, {anything}).patterns,
            patterns({{0, 1, 3}, {2}}));
}

TEST(StitchExplorer, XlaFusesAResultWithItsReader) {
  Builder b;
  unsigned result = b.elementwise({}, {0});
  unsigned sum = b.reduction({result});
  // Waits for the sum.
  b.elementwise({result, sum});
  OperatorGraph graph = b.finish();
  EXPECT_EQ(fuseGreedily(graph, /*copies=*/true, {anything}).patterns,
            patterns({{0, 1}, {0, 2}}));
  graph.vertices[result].escapes = true;
  EXPECT_EQ(fuseGreedily(graph, /*copies=*/true, {anything}).patterns,
            patterns({{0, 1}, {2}}));
}

TEST(StitchExplorer, AConversionMayFollowAReduction) {
  Builder b;
  unsigned sum = b.reduction({}, {0});
  unsigned narrow = b.rowwise({sum});
  b.graph.vertices[narrow].isConversion = true;
  OperatorGraph graph = b.finish();
  EXPECT_EQ(fuseGreedily(graph, true, {anything}).patterns, patterns({{0, 1}}));
  graph.vertices[narrow].isConversion = false;
  EXPECT_EQ(fuseGreedily(graph, true, {anything}).patterns,
            patterns({{0}, {1}}));
}

TEST(StitchExplorer, AChainIsOneKernelUpToTheLimit) {
  Builder b;
  unsigned last = b.elementwise({}, {0});
  for (unsigned i = 1; i < 40; ++i)
    last = b.elementwise({last});
  OperatorGraph graph = b.finish();
  EXPECT_EQ(plan(graph).patterns.size(), 1u);
  ExplorerOptions options;
  options.maxVertices = 20;
  StitchPlan divided = plan(graph, options);
  check(graph, divided);
  EXPECT_EQ(divided.patterns.size(), 2u);
}

TEST(StitchExplorer, ADiamondIsOneKernel) {
  Builder b;
  unsigned top = b.elementwise({}, {0});
  unsigned left = b.elementwise({top}), right = b.elementwise({top});
  b.elementwise({left, right});
  OperatorGraph graph = b.finish();
  EXPECT_EQ(plan(graph).patterns.size(), 1u);
  EXPECT_EQ(plan(graph, printed()).patterns.size(), 1u);
}

// Figure 6: A and C cannot be one kernel without B.
TEST(StitchExplorer, PatternsHaveNoWayBack) {
  Builder b;
  unsigned a = b.elementwise({}, {0});
  unsigned other = b.foreign({a});
  b.elementwise({a, other});
  OperatorGraph graph = b.finish();
  DeltaEvaluator delta(graph, chip());
  EXPECT_TRUE(isCyclic(delta, {0, 2}));
  EXPECT_FALSE(isCyclic(delta, {0, 1, 2}));
  StitchPlan found = plan(graph);
  check(graph, found);
  EXPECT_EQ(found.patterns.size(), 3u);
}

// Each of two patterns would need a value of the other.
TEST(StitchExplorer, PatternsDoNotWaitForEachOther) {
  Builder b;
  unsigned a = b.elementwise({}, {0}), c = b.elementwise({}, {1});
  unsigned first = b.foreign({a}), second = b.foreign({c});
  b.elementwise({a, second});
  b.elementwise({c, first});
  OperatorGraph graph = b.finish();
  for (const ExplorerOptions &options : {ExplorerOptions(), printed()})
    check(graph, plan(graph, options));
}

// Producers with no common producer of their own.
TEST(StitchExplorer, ProducersOfOneReaderMeet) {
  Builder b;
  unsigned left = b.elementwise({}, {0}), right = b.elementwise({}, {1});
  b.elementwise({left, right});
  OperatorGraph graph = b.finish();
  EXPECT_EQ(plan(graph).patterns, patterns({{0, 1, 2}}));
  ExplorerOptions apart;
  apart.packs = false;
  EXPECT_EQ(plan(graph, apart).patterns.size(), 2u);
  // The virtual vertex unites two patterns.
  EXPECT_LE(plan(graph, printed()).patterns.size(), 2u);
}

TEST(StitchExplorer, ReadersOfOneTensorAndRemoteOnesArePacked) {
  Builder b;
  b.elementwise({}, {0});
  b.elementwise({}, {0});
  b.elementwise({}, {1});
  OperatorGraph graph = b.finish();
  EXPECT_EQ(plan(graph).patterns.size(), 1u);
  auto onlyOne = [](ArrayRef<unsigned> pattern) {
    return !llvm::is_contained(pattern, 2u);
  };
  StitchPlan found = explore(graph, chip(), {}, {onlyOne});
  EXPECT_EQ(found.patterns, patterns({{0, 1}, {2}}));
}

TEST(StitchExplorer, WhatIsPossibleWithAllMakersOnlyIsFound) {
  Builder b;
  unsigned one = b.elementwise({}, {0}), other = b.elementwise({}, {1});
  // As a concatenation: one part is put in place, then the other.
  unsigned part = b.elementwise({one});
  b.elementwise({part, other});
  auto can = [](ArrayRef<unsigned> pattern) {
    return pattern.size() == 1 || pattern.size() == 4;
  };
  OperatorGraph graph = b.finish();
  EXPECT_EQ(explore(graph, chip(), {}, {can}).patterns,
            patterns({{0, 1, 2, 3}}));
  // Not where a third kernel stands between them.
  graph.vertices[2].isForeign = true;
  EXPECT_EQ(explore(graph, chip(), {}, {can}).patterns.size(), 4u);
}

TEST(StitchExplorer, SavedBytesCountRealReaders) {
  Builder b(1024, 1024);
  unsigned top = b.elementwise({}, {0});
  b.elementwise({top});
  b.elementwise({top});
  OperatorGraph graph = b.finish();
  DeltaEvaluator delta(graph, chip());
  constexpr double tensor = 1024 * 1024 * 4;
  // The reader outside still needs the value stored.
  EXPECT_EQ(delta({0, 1}).bytes, tensor);
  EXPECT_EQ(delta({0, 1, 2}).bytes, 3 * tensor);
  EXPECT_EQ(delta({1, 2}).bytes, tensor);
  EXPECT_EQ(delta({0, 1}).calls, chip().launchOverhead);
  EXPECT_EQ(delta.compulsoryBytes({0, 1, 2}), 3 * tensor);
}

TEST(StitchExplorer, WhatTakesBlocksOfFewRowsMayStayApart) {
  // One row for the whole chip: the element-wise rest would run in one block.
  Builder b(1, 1 << 26);
  unsigned sum = b.reduction({}, {0});
  b.elementwise({sum}, {0});
  OperatorGraph graph = b.finish();
  DeltaEvaluator delta(graph, chip());
  EXPECT_GT(delta({0, 1}).penalty, delta({0, 1}).memory);
  EXPECT_EQ(plan(graph).patterns.size(), 2u);
}

TEST(StitchExplorer, TheLatencyEvaluatorDividesAndChooses) {
  Builder b;
  unsigned last = b.elementwise({}, {0});
  for (unsigned i = 1; i < 8; ++i)
    last = b.elementwise({last});
  OperatorGraph graph = b.finish();
  // More than three operators spill.
  auto latency = [](ArrayRef<unsigned> pattern) -> std::optional<double> {
    if (pattern.size() > 6)
      return std::nullopt;
    return pattern.size() > 3 ? 100.0 : 1.0;
  };
  PatternOracle oracle{anything, latency};
  StitchPlan found = explore(graph, chip(), {}, oracle);
  check(graph, found);
  for (const StitchPattern &pattern : found.patterns)
    EXPECT_LE(pattern.size(), 3u);
  EXPECT_LE(found.patterns.size(), 4u);
  // In the delta evaluator's place it finds as few.
  ExplorerOptions options;
  options.scoresByLatency = true;
  StitchPlan full = explore(graph, chip(), options, oracle);
  check(graph, full);
  EXPECT_EQ(full.patterns.size(), 3u);
}

TEST(StitchExplorer, WhatIsSurelyFasterIsNotEvaluated) {
  // Readers of one tensor have no producer that would put them together.
  Builder b;
  for (unsigned i = 0; i < 8; ++i)
    b.elementwise({}, {0});
  OperatorGraph graph = b.finish();
  unsigned priced = 0;
  auto latency = [&](ArrayRef<unsigned> pattern) -> std::optional<double> {
    priced += pattern.size() > 1;
    return pattern.size() > 4 ? 100.0 : 1.0 + 0.1 * pattern.size();
  };
  auto most = [](ArrayRef<unsigned> pattern) -> std::optional<double> {
    return pattern.size() > 4 ? 100.0 : 1.2 + 0.1 * pattern.size();
  };
  PatternOracle oracle{anything, latency, /*minLatency=*/1};
  StitchPlan asked = explore(graph, chip(), {}, oracle);
  check(graph, asked);
  EXPECT_LT(asked.patterns.size(), 8u);
  unsigned before = std::exchange(priced, 0);
  oracle.maxLatency = most;
  StitchPlan found = explore(graph, chip(), {}, oracle);
  EXPECT_EQ(found.patterns, asked.patterns);
  EXPECT_LT(priced, before);
}

TEST(StitchExplorer, ABetterOracleMergesTheKernelsOfASmallPlan) {
  Builder b;
  unsigned last = b.elementwise({}, {0});
  for (unsigned i = 1; i < 6; ++i)
    last = b.elementwise({last});
  OperatorGraph graph = b.finish();
  auto rough = [](ArrayRef<unsigned> pattern) -> std::optional<double> {
    return pattern.size() > 2 ? 100.0 : 1.0;
  };
  auto whole = [](ArrayRef<unsigned> pattern) -> std::optional<double> {
    return pattern.size() > 4 ? 100.0 : 1.0;
  };
  StitchPlan found = explore(graph, chip(), {}, {anything, rough});
  ASSERT_EQ(found.patterns.size(), 3u);
  StitchPlan retained = found;
  ExplorerOptions few;
  few.maxRefinedKernels = 2;
  EXPECT_FALSE(refine(graph, chip(), few, {anything, whole}, retained));
  EXPECT_EQ(retained.patterns.size(), 3u);
  EXPECT_TRUE(refine(graph, chip(), {}, {anything, whole}, found));
  check(graph, found);
  EXPECT_EQ(found.patterns.size(), 2u);
}

TEST(StitchExplorer, PrefusionKeepsItsPatternsWhole) {
  OperatorGraph graph = layerNorm();
  StitchPlan once = fuseGreedily(graph, /*copies=*/false, {anything});
  StitchPlan found = explorePrefused(graph, chip(), {}, {anything}, once);
  EXPECT_EQ(found.patterns.size(), 1u);
  EXPECT_LT(found.scored, plan(graph).scored);
}

//===----------------------------------------------------------------------===//
// Drawn graphs
//===----------------------------------------------------------------------===//

OperatorGraph drawGraph(unsigned size, unsigned seed, unsigned distance) {
  std::mt19937 random(seed);
  auto below = [&](unsigned bound) { return unsigned(random() % bound); };
  OperatorGraph graph;
  for (unsigned number = 0; number < size; ++number) {
    OperatorGraph::Vertex vertex;
    std::set<unsigned> inputs;
    for (unsigned i = below(4); number > 0 && i-- > 0;)
      inputs.insert(number - 1 - below(std::min(number, distance)));
    for (unsigned input : inputs)
      vertex.inputs.push_back({input, graph.vertices[input].resultBytes});
    if (inputs.empty() || below(4) == 0)
      vertex.reads.push_back({below(size), 4.0 * (1 << (10 + below(12)))});
    double rows = 1 << below(12), length = 1 << below(11);
    vertex.isReduction = below(5) == 0;
    vertex.isForeign = below(20) == 0;
    vertex.isAlone = below(30) == 0;
    vertex.isExpensive = below(8) == 0;
    vertex.points = vertex.instructions = rows * length;
    vertex.rows = vertex.isReduction ? rows : rows * length;
    vertex.resultBytes = vertex.rows * 4;
    graph.vertices.push_back(vertex);
  }
  auto consumers = graph.consumers();
  for (auto [vertex, readers] : llvm::zip_equal(graph.vertices, consumers))
    vertex.escapes = readers.empty() || below(20) == 0;
  return graph;
}

TEST(StitchExplorer, DrawnGraphsAreCoveredWithoutCycles) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    OperatorGraph graph = drawGraph(1 + seed % 60, seed, 1 + seed % 37);
    // Refuses some, and always the same ones.
    auto canStitch = [](ArrayRef<unsigned> pattern) {
      unsigned sum = 0;
      for (unsigned vertex : pattern)
        sum += vertex * vertex;
      return sum % 5 != 0;
    };
    auto latency = [](ArrayRef<unsigned> pattern) -> std::optional<double> {
      return pattern.size() % 7 == 3 ? std::nullopt
                                     : std::optional<double>(1e-5);
    };
    for (PatternForm form : {PatternForm::Printed, PatternForm::Spanning})
      for (unsigned way = 0; way < 4; ++way) {
        ExplorerOptions options;
        options.form = form;
        options.beam = 1 + seed % 4;
        options.scoresByLatency = way == 3;
        PatternOracle oracle{canStitch};
        if (way >= 2)
          oracle.latency = latency;
        StitchPlan first = explore(graph, chip(), options, oracle);
        check(graph, first);
        EXPECT_EQ(explore(graph, chip(), options, oracle).patterns,
                  first.patterns);
        if (way != 1)
          continue;
        StitchPlan once = fuseGreedily(graph, /*copies=*/false, oracle);
        check(graph, once);
        check(graph, explorePrefused(graph, chip(), options, oracle, once));
      }
    // With copies every vertex is somewhere.
    std::set<unsigned> seen;
    for (const StitchPattern &pattern :
         fuseGreedily(graph, /*copies=*/true, {anything}).patterns)
      seen.insert(pattern.begin(), pattern.end());
    EXPECT_EQ(seen.size(), graph.vertices.size());
  }
}

TEST(StitchExplorer, TenThousandOperatorsTakeSeconds) {
  for (unsigned distance : {10, 400}) {
    OperatorGraph graph = drawGraph(10000, 1, distance);
    // Of this process, whatever else the machine does.
    std::clock_t start = std::clock();
    StitchPlan found = plan(graph);
    double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    check(graph, found);
    EXPECT_LT(found.patterns.size(), 5000u);
    EXPECT_LT(seconds, 5);
  }
}

} // namespace
