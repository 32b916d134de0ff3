//===- PaperSpaceBenchmark.cpp - Searches of the papers' spaces -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a candidate, a count and a search cost on one core, over all chains of
// the source documents and longer ones. `loss_printed` and `loss_ours` are what
// MCFuser's rules 2 to 4, as printed and with our rule 3, lose of the best
// predicted time among all candidates that fit.
//
//===----------------------------------------------------------------------===//

#include "SearchBenchmark.h"
#include "fusion/Search/Space/Evolution.h"
#include <benchmark/benchmark.h>

using namespace fusion;

namespace {

void estimateCandidate(benchmark::State &state, const ChainShape &shape) {
  GroupModel group = makeChainModel(shape);
  PaperSpace space = makeSpace(group);
  Random numbers(0);
  std::vector<PaperCandidate> candidates(1024);
  for (PaperCandidate &candidate : candidates)
    candidate = space.random(numbers);
  size_t next = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        space.estimate(candidates[next++ % candidates.size()]));
}

void placeCandidate(benchmark::State &state) {
  GroupModel group = makeChainModel(exampleChain());
  PaperSpace space = makeSpace(group);
  Random numbers(0);
  PaperCandidate candidate = space.random(numbers);
  for (auto _ : state)
    benchmark::DoNotOptimize(space.tree(candidate));
}

void countSpace(benchmark::State &state) {
  GroupModel group = makeChainModel(exampleChain());
  PaperSpaceCounts counts;
  for (auto _ : state)
    counts = makeSpace(group).count();
  state.counters["candidates"] = double(counts.candidates[0]);
  state.counters["after_rules"] = double(counts.candidates[4]);
}

void searchAll(benchmark::State &state, const ChainShape &shape) {
  GroupModel group = makeChainModel(shape);
  uint64_t visited = 0;
  for (auto _ : state)
    visited = makeSpace(group).searchExhaustively()->visited;
  state.counters["candidates"] = visited;
}

void searchEvolution(benchmark::State &state, const ChainShape &shape) {
  GroupModel group = makeChainModel(shape);
  std::optional<EvolutionResult<PaperCandidate>> found;
  double best = makeSpace(group).searchExhaustively()->seconds;
  for (auto _ : state) {
    PaperSpace space = makeSpace(group);
    found = evolve(MutableExpressions{space}, EvolutionOptions());
  }
  state.counters["estimates"] = found->estimates;
  state.counters["of_optimum"] = found->seconds / best;
}

void loss(benchmark::State &state, const ChainShape &shape) {
  GroupModel group = makeChainModel(shape);
  PaperSpaceOptions all, ours;
  all.completeIntermediates = false;
  all.padding = PaddingRule::None;
  all.slack = 1;
  ours.padding = PaddingRule::LeastOfTrips;
  double best = 0, printedRules = 0, ourRules = 0;
  for (auto _ : state) {
    best = bestFitting(group, all);
    printedRules = bestFitting(group, {});
    ourRules = bestFitting(group, ours);
  }
  state.counters["loss_printed"] = printedRules / best - 1;
  state.counters["loss_ours"] = ourRules / best - 1;
}

void registerAll() {
  std::vector<ChainWorkload> workloads = documentedChains(), longer = workloads;
  for (unsigned contractions : {3, 4, 6})
    longer.push_back(rowOfProducts(contractions));
  auto add = [](const std::string &name, auto function) {
    return benchmark::RegisterBenchmark(name.c_str(), function);
  };
  add("place", placeCandidate);
  add("count", countSpace);
  for (const auto &[name, shape] : longer) {
    ChainShape own = shape;
    add("estimate/" + name,
        [own](auto &state) { estimateCandidate(state, own); });
    add("exhaustive/" + name, [own](auto &state) {
      searchAll(state, own);
    })->Unit(benchmark::kMillisecond);
    add("evolution/" + name, [own](auto &state) {
      searchEvolution(state, own);
    })->Unit(benchmark::kMillisecond);
  }
  for (const auto &[name, shape] : workloads)
    for (int64_t k : {shape.sizes[1], int64_t(2048), int64_t(16384)}) {
      ChainShape own = shape;
      own.sizes[1] = k;
      add("loss/" + name + "/K=" + std::to_string(k),
          [own](auto &state) { loss(state, own); })
          ->Unit(benchmark::kMillisecond)
          ->Iterations(1);
    }
}

} // namespace

int main(int argc, char **argv) {
  registerAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
