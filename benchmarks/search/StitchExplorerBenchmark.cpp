//===- StitchExplorerBenchmark.cpp - Time of partitions -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time of the explorer by the number of operators, which it is linear in:
// layers of normalisations and element-wise operators with residual values.
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/StitchExplorer.h"
#include "llvm/ADT/STLExtras.h"
#include <benchmark/benchmark.h>

using namespace fusion;

static OperatorGraph makeLayers(unsigned size) {
  constexpr double rows = 4096, length = 1024;
  OperatorGraph graph;
  auto add = [&](std::initializer_list<unsigned> inputs, double points,
                 double result, bool isForeign = false) {
    OperatorGraph::Vertex vertex;
    for (unsigned input : inputs)
      vertex.inputs.push_back({input, graph.vertices[input].resultBytes});
    vertex.points = vertex.instructions = points;
    vertex.rows = result;
    vertex.isReduction = result < points;
    vertex.isForeign = isForeign;
    vertex.resultBytes = result * 2;
    graph.vertices.push_back(vertex);
    return unsigned(graph.vertices.size() - 1);
  };
  constexpr double all = rows * length;
  unsigned stream = add({}, all, all);
  while (graph.vertices.size() < size) {
    unsigned sum = add({stream}, all, rows), mean = add({sum}, rows, rows);
    unsigned centred = add({stream, mean}, all, all);
    unsigned square = add({centred}, all, all);
    unsigned scale = add({add({square}, all, rows)}, rows, rows);
    unsigned scaled = add({centred, scale}, all, all);
    unsigned product = add({scaled}, all, all, /*isForeign=*/true);
    unsigned biased = add({product}, all, all);
    unsigned active = add({add({biased}, all, all), biased}, all, all);
    stream = add({stream, active}, all, all);
  }
  graph.vertices.back().escapes = true;
  return graph;
}

static void explorer(benchmark::State &state, PatternForm form) {
  OperatorGraph graph = makeLayers(state.range(0));
  ExplorerOptions options;
  options.form = form;
  auto canStitch = [](llvm::ArrayRef<unsigned>) { return true; };
  for (auto _ : state)
    benchmark::DoNotOptimize(
        explore(graph, *lookupChip("sm_80"), options, {canStitch}));
  state.SetComplexityN(state.range(0));
}

BENCHMARK_CAPTURE(explorer, printed, PatternForm::Printed)
    ->RangeMultiplier(10)
    ->Range(100, 10000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();
BENCHMARK_CAPTURE(explorer, spanning, PatternForm::Spanning)
    ->RangeMultiplier(10)
    ->Range(100, 10000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

BENCHMARK_MAIN();
