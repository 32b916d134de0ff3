//===- ScheduleSearchBenchmark.cpp - The search for schedules -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What choosing a schedule costs on one core, over the chains of all workloads
// as the pipeline forms them and rows of three, four and six products, and what
// one judgement of a candidate costs: legality, footprint, and our model.
//
//===----------------------------------------------------------------------===//

#include "WorkloadGroups.h"
#include <benchmark/benchmark.h>

using namespace fusion;

namespace {

/// All of the groups, one after the other.
void search(benchmark::State &state, llvm::ArrayRef<GroupModel> groups,
            const ChipInfo &target) {
  int64_t candidates = 0, legal = 0;
  double seconds = 0;
  for (auto _ : state)
    for (const GroupModel &group : groups) {
      SearchResult found = choose(group, {}, target);
      candidates += found.legal + found.rejected; // that are checked
      legal += found.legal;
      seconds += found.cost.total;
    }
  state.counters["groups"] = groups.size();
  state.counters["candidates"] = candidates;
  state.counters["legal"] = legal;
  state.counters["us"] = seconds * 1e6;
}

void searchModule(benchmark::State &state, const std::string &path,
                  const ChipInfo &target) {
  auto groups = formGroups(path, target);
  if (!groups)
    return state.SkipWithError("no groups can be formed");
  search(state, *groups, target);
}

void judge(benchmark::State &state, const ChainShape &shape, int part) {
  GroupModel group = makeChainModel(shape);
  Schedule schedule = choose(group).schedule;
  Footprint footprint = computeFootprint(group, schedule);
  for (auto _ : state)
    switch (part) {
    case 0:
      benchmark::DoNotOptimize(checkSchedule(group, schedule, chip()));
      break;
    case 1:
      benchmark::DoNotOptimize(footprint = computeFootprint(group, schedule));
      break;
    case 2:
      benchmark::DoNotOptimize(predictCost(group, schedule, footprint, chip()));
      break;
    case 3:
      benchmark::DoNotOptimize(Schedule(schedule));
      break;
    }
}

/// Candidates that have nothing in common with the last one: legality of the
/// whole, throughput and cost, of legal ones drawn from the space.
void evaluateFresh(benchmark::State &state, const ChainShape &shape) {
  GroupModel group = makeChainModel(shape);
  std::vector<Schedule> drawn;
  constexpr unsigned draws = 256;
  for (uint64_t seed = 0; seed < draws; ++seed) {
    SearchOptions options;
    options.randomSeed = seed;
    std::string reason; // of long chains, few of what is drawn
    if (auto found = searchSchedule(group, chip(), reason, options))
      drawn.push_back(std::move(found->schedule));
  }
  if (drawn.empty())
    return state.SkipWithError("nothing that is drawn is legal");
  ScheduleChecker checker(group, chip());
  size_t next = 0;
  for (auto _ : state) {
    const Schedule &schedule = drawn[next++ % drawn.size()];
    benchmark::DoNotOptimize(checker.check(schedule));
    benchmark::DoNotOptimize(
        predictCost(group, schedule, checker.footprint(), chip()));
  }
}

/// "search/sm_90a/...": what the search has to choose from grows with the chip.
template <typename Run>
void registerSearch(const ChipInfo &target, llvm::StringRef name, Run run) {
  std::string whole = ("search/" + target.name + "/" + name).str();
  benchmark::RegisterBenchmark(whole.c_str(), run)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
}

void registerSearches(const ChipInfo &target,
                      llvm::ArrayRef<ChainWorkload> chains) {
  for (const std::string &path : listModules())
    registerSearch(
        target, llvm::sys::path::stem(path),
        [path, &target](auto &state) { searchModule(state, path, target); });
  for (const auto &[name, shape] : chains) {
    ChainShape own = shape;
    registerSearch(target, name, [own, &target](auto &state) {
      search(state, makeChainModel(own), target);
    });
  }
}

void registerAll() {
  std::vector<ChainWorkload> chains;
  for (unsigned contractions : {1, 3, 4, 6}) {
    chains.push_back(rowOfProducts(contractions));
    chains.push_back(rowOfLayers(contractions));
  }
  chains.push_back({"4096", ChainShape{{4096, 4096, 4096, 4096}}});
  for (const char *name : {"sm_80", "sm_90a"})
    registerSearches(*lookupChip(name), chains);
  for (const auto &[name, shape] : {ChainWorkload{"example", exampleChain()},
                                    rowOfProducts(3), rowOfProducts(6)}) {
    ChainShape own = shape;
    benchmark::RegisterBenchmark(("fresh/" + name).c_str(), [own](auto &state) {
      evaluateFresh(state, own);
    });
  }
  constexpr const char *parts[] = {"legality", "footprint", "cost", "copy"};
  for (const auto &[name, shape] :
       {ChainWorkload{"example", exampleChain()}, rowOfProducts(6)})
    for (int part = 0; part < 4; ++part) {
      ChainShape own = shape;
      benchmark::RegisterBenchmark(
          (std::string(parts[part]) + "/" + name).c_str(),
          [own, part](auto &state) { judge(state, own, part); });
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
