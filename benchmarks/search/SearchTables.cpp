//===- SearchTables.cpp - Tables of docs/measurements/search.md -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   search-tables
//   [spaces|families|dead-loops|rules|evolution|methods|fusion]...
//
// Prints, as Markdown, what spaces and models choose on all chains of the
// source documents and on the workloads' other families, what removal of dead
// loops and each pruning rule give and lose, how near the evolutionary search
// comes to the best, and from where on fusing pays. Everything is predicted;
// nothing depends on the machine.
//
//===----------------------------------------------------------------------===//

#include "WorkloadGroups.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace fusion;
using llvm::formatv;
using llvm::outs;

namespace {

SearchOptions inSpace(SpaceKind space, ModelKind model) {
  SearchOptions options;
  options.space = space;
  options.model = model;
  return options;
}

/// Ratios over the workloads.
struct Ratios {
  void add(double ratio, const std::string &where) {
    logs += std::log(ratio);
    ++count;
    if (ratio > most) {
      most = ratio;
      worst = where;
    }
  }
  double mean() const { return std::exp(logs / count); }
  double logs = 0, most = 0;
  unsigned count = 0;
  std::string worst;
};

void printSpaces(llvm::ArrayRef<ChainWorkload> workloads) {
  std::vector<double> best;
  for (const ChainWorkload &workload : workloads)
    best.push_back(choose(makeChainModel(workload.shape)).cost.total);
  outs() << "| model | space `default` | space `paper` | space `chimera` |\n"
            "|---|---:|---:|---:|\n";
  for (ModelKind model : allModels()) {
    outs() << "| `" << name(model) << "` ";
    for (SpaceKind space :
         {SpaceKind::Default, SpaceKind::Paper, SpaceKind::Chimera}) {
      Ratios ratios;
      for (auto [workload, least] : llvm::zip_equal(workloads, best))
        ratios.add(choose(makeChainModel(workload.shape), inSpace(space, model))
                           .cost.total /
                       least,
                   workload.name);
      outs() << formatv("| {0:F2}, {1:F2} ({2}) ", ratios.mean(), ratios.most,
                        ratios.worst);
    }
    outs() << "|\n";
  }
}

/// The comparison for the groups of the workloads' other families; groups that
/// a space or a model does not take are left out and counted.
void printFamilies() {
  const std::pair<const char *, llvm::StringRef> families[] = {
      {"attention (MCFuser)", "attention_mcfuser-"},
      {"attention, long", "attention_long-"},
      {"decoding", "decode-"},
      {"pairs of convolutions", "conv_chains_chimera-"}};
  outs() << "| family | model | space `default` | space `paper` | space "
            "`chimera` |\n|---|---|---:|---:|---:|\n";
  for (const auto &[title, prefix] : families) {
    std::vector<std::pair<std::string, GroupModel>> groups;
    std::vector<double> best;
    for (const std::string &path : listModules(prefix)) {
      llvm::StringRef name = llvm::sys::path::stem(path);
      name.consume_front(prefix);
      name.consume_back("-f16");
      auto formed = formGroups(path);
      if (!formed)
        fail(path + ": no groups can be formed");
      for (GroupModel &group : *formed) {
        best.push_back(choose(group).cost.total);
        groups.emplace_back(name.str(), std::move(group));
      }
    }
    for (ModelKind model : allModels()) {
      outs() << formatv("| {0} | `{1}` ", title, name(model));
      for (SpaceKind space :
           {SpaceKind::Default, SpaceKind::Paper, SpaceKind::Chimera}) {
        Ratios ratios;
        std::string reason;
        for (auto [group, least] : llvm::zip_equal(groups, best))
          if (auto found = searchSchedule(group.second, chip(), reason,
                                          inSpace(space, model)))
            ratios.add(found->cost.total / least, group.first);
        size_t rejected = groups.size() - ratios.count;
        if (ratios.count == 0)
          outs() << "| – ";
        else
          outs() << formatv("| {0:F2}, {1:F2} ({2}){3} ", ratios.mean(),
                            ratios.most, ratios.worst,
                            rejected ? ", without " + std::to_string(rejected)
                                     : "");
      }
      outs() << "|\n";
      outs().flush();
    }
  }
}

void printDeadLoops(llvm::ArrayRef<ChainWorkload> workloads) {
  outs() << "| space | model | by that model | by ours |\n"
            "|---|---|---:|---:|\n";
  for (SpaceKind space : {SpaceKind::Paper, SpaceKind::Chimera})
    for (ModelKind model : {ModelKind::McFuser, ModelKind::Default}) {
      Ratios own, ours;
      for (const ChainWorkload &workload : workloads) {
        GroupModel group = makeChainModel(workload.shape);
        SearchOptions options = inSpace(space, model);
        SearchResult removed = choose(group, options);
        options.rules.removeDeadLoops = false;
        SearchResult retained = choose(group, options);
        own.add(retained.modelSeconds / removed.modelSeconds, workload.name);
        ours.add(retained.cost.total / removed.cost.total, workload.name);
      }
      outs() << formatv("| `{0}` | `{1}` | {2:F2}, {3:F2} ({4}) | {5:F2}, "
                        "{6:F2} ({7}) |\n",
                        name(space), name(model), own.mean(), own.most,
                        own.worst, ours.mean(), ours.most, ours.worst);
    }
}

/// Each rule, as printed and ours, alone against none of rules 2 to 4 (tiles
/// still have to fit), by MCFuser's model.
void printRules(llvm::ArrayRef<ChainWorkload> workloads) {
  auto only = [](bool rule1, bool rule2, PaddingRule rule3, bool rule4) {
    PaperSpaceOptions options;
    options.deduplicate = rule1;
    options.completeIntermediates = rule2;
    options.padding = rule3;
    options.slack = rule4 ? options.slack : 1;
    options.limitSharedMemory = true;
    return options;
  };
  struct Row {
    const char *rules;
    PaperSpaceOptions options;
    bool countsRule4;
  };
  const Row rows[] = {
      {"none", only(false, false, PaddingRule::None, false), false},
      {"1", only(true, false, PaddingRule::None, false), false},
      {"1, 2", only(true, true, PaddingRule::None, false), false},
      {"1, 3 as printed", only(true, false, PaddingRule::Printed, false),
       false},
      {"1, 3 ours", only(true, false, PaddingRule::LeastOfTrips, false), false},
      {"1, 4", only(true, false, PaddingRule::None, true), true},
      {"1 to 4 as printed", only(true, true, PaddingRule::Printed, true), true},
      {"1 to 4, 3 ours", only(true, true, PaddingRule::LeastOfTrips, true),
       true}};
  std::vector<ChainShape> shapes;
  std::vector<std::string> names;
  for (const ChainWorkload &workload : workloads)
    for (int64_t k : {workload.shape.sizes[1], int64_t(1024), int64_t(4096),
                      int64_t(16384)}) {
      shapes.push_back(workload.shape);
      shapes.back().sizes[1] = k;
      names.push_back(workload.name + ", K = " + std::to_string(k));
    }
  std::vector<double> best;
  for (const ChainShape &shape : shapes)
    best.push_back(bestFitting(makeChainModel(shape),
                               only(false, false, PaddingRule::None, false)));
  outs() << "| rules | candidates of the example | loss, mean | loss, most |\n"
            "|---|---:|---:|---:|\n";
  GroupModel example = makeChainModel(exampleChain());
  for (const Row &row : rows) {
    PaperSpaceOptions counted = row.options;
    counted.limitSharedMemory = row.countsRule4;
    outs() << formatv(
        "| {0} | {1:N} ", row.rules,
        uint64_t(makeSpace(example, counted).count().candidates[4]));
    Ratios ratios;
    for (auto [shape, least, where] : llvm::zip_equal(shapes, best, names))
      ratios.add(bestFitting(makeChainModel(shape), row.options) / least,
                 where);
    outs() << formatv("| {0:F2} % | {1:F2} %{2} |\n", 100 * (ratios.mean() - 1),
                      100 * (ratios.most - 1),
                      ratios.most > 1.00005 ? " (" + ratios.worst + ")" : "");
  }
}

/// What the evolutionary search ends with against the optimum of space `paper`,
/// by MCFuser's model, from several seeds, and how many candidates that took.
void printEvolution(llvm::ArrayRef<ChainWorkload> workloads) {
  outs()
      << "| convergence | time of the optimum, mean | most | candidates, mean "
         "|\n|---|---:|---:|---:|\n";
  constexpr uint64_t seeds = 16;
  for (Convergence convergence :
       {Convergence::Printed, Convergence::BestOfAll}) {
    Ratios ratios;
    int64_t candidates = 0;
    for (const ChainWorkload &workload : workloads) {
      GroupModel group = makeChainModel(workload.shape);
      SearchOptions options;
      options.space = SpaceKind::Paper;
      options.model = ModelKind::McFuser;
      double best = choose(group, options).modelSeconds;
      options.method = SearchMethod::Evolutionary;
      options.convergence = convergence;
      for (options.seed = 0; options.seed < seeds; ++options.seed) {
        SearchResult found = choose(group, options);
        ratios.add(found.modelSeconds / best, workload.name);
        candidates += found.candidates;
      }
    }
    outs() << formatv(
        "| `{0}` | {1:F2} | {2:F2} ({3}) | {4} |\n",
        convergence == Convergence::Printed ? "printed" : "best-of-all",
        ratios.mean(), ratios.most, ratios.worst,
        candidates / static_cast<int64_t>(workloads.size() * seeds));
  }
}

/// Prints the comparison in space `default`, by our model, with fewer seeds,
/// against the search that may use all methods.
void printEvolutionOfOurs(llvm::ArrayRef<ChainWorkload> workloads) {
  constexpr uint64_t seeds = 4;
  Ratios ratios, example;
  int64_t candidates = 0;
  auto add = [&](const ChainShape &shape, const std::string &where,
                 Ratios &sums) {
    GroupModel group = makeChainModel(shape);
    double best = choose(group).cost.total;
    SearchOptions options;
    options.method = SearchMethod::Evolutionary;
    for (options.seed = 0; options.seed < seeds; ++options.seed) {
      SearchResult found = choose(group, options);
      sums.add(found.cost.total / best, where);
      candidates += found.candidates;
    }
  };
  add(exampleChain(), "example", example);
  candidates = 0;
  for (const ChainWorkload &workload : workloads)
    add(workload.shape, workload.name, ratios);
  outs() << formatv(
      "| space `default` | {0:F2} | {1:F2} ({2}) | {3} |\n| the same, the "
      "example of MCFuser's figure 7 | {4:F2} | {5:F2} | |\n",
      ratios.mean(), ratios.most, ratios.worst,
      candidates / static_cast<int64_t>(workloads.size() * seeds),
      example.mean(), example.most);
}

/// What the search finds that may use all methods, of rows that are drawn, in
/// relation to the best of what the evolutionary search finds from three seeds:
/// within its usual effort, and with more.
void printMethods() {
  constexpr unsigned rows = 64, efforts[] = {1, 4};
  // Further chips of the table do not change what is drawn.
  constexpr llvm::StringRef names[] = {"sm_80", "sm_86",   "sm_89", "sm_90a",
                                 "h200",  "sm_100a", "sm_120"};
  outs() << "| products | rows | effort | time of the evolutionary search's "
            "best, mean | most | chip and sizes of that "
            "|\n|---:|---:|---:|---:|---:|---|\n";
  for (unsigned contractions : {2, 3, 4}) {
    Random numbers(contractions);
    Ratios ratios[std::size(efforts)];
    for (unsigned row = 0; row < rows; ++row) {
      ChainShape shape;
      std::string sizes;
      for (unsigned size = 0; size < contractions + 2; ++size) {
        shape.sizes.push_back(16 * (1 + numbers.below(16)) << numbers.below(5));
        sizes += (size ? " x " : "") + std::to_string(shape.sizes.back());
      }
      shape.batch = numbers.below(2) ? 1 : 1 + numbers.below(16);
      GroupModel group = makeChainModel(shape);
      const ChipInfo &chip =
          *lookupChip(names[numbers.below(std::size(names))]);
      std::string reason;
      double best = std::numeric_limits<double>::infinity();
      SearchOptions options;
      options.method = SearchMethod::Evolutionary;
      for (options.seed = 0; options.seed < 3; ++options.seed)
        if (auto drawn = searchSchedule(group, chip, reason, options))
          best = std::min(best, drawn->cost.total);
      for (auto [effort, sums] : llvm::zip_equal(efforts, ratios)) {
        SearchOptions descents;
        descents.effort = effort;
        auto all = searchSchedule(group, chip, reason, descents);
        if (!all)
          fail(reason);
        sums.add(all->cost.total / best,
                 formatv("{0}, {1} x {2}", chip.name, shape.batch, sizes));
      }
    }
    for (auto [effort, sums] : llvm::zip_equal(efforts, ratios))
      outs() << formatv("| {0} | {1} | {2} | {3:F3} | {4:F3} | {5} |\n",
                        contractions, rows, effort, sums.mean(), sums.most,
                        sums.worst);
  }
}

/// MCFuser's figure 2 for chains: M = N, K = H, M·N·K = 1024³.
void printFusion() {
  outs() << "| K/M | M = N | K = H | arithmetic intensity (φ) | fused | "
            "separately | gain | bound by |\n"
            "|---:|---:|---:|---:|---:|---:|---:|---|\n";
  for (int step = -12; step <= 4; ++step) {
    double ratio = std::exp2(step / 2.0);
    auto rounded = [](double size) -> int64_t {
      return std::max(16.0, 16 * std::round(size / 16));
    };
    int64_t m = rounded(1024 / std::cbrt(ratio));
    int64_t k = rounded(1024 * std::cbrt(ratio) * std::cbrt(ratio));
    GroupModel chain = makeChainModel({{m, k, m, k}});
    SearchResult fused = choose(chain);
    double apart = choose(makeChainModel({{m, k, m}})).cost.total +
                   choose(makeChainModel({{m, m, k}})).cost.total;
    outs() << formatv(
        "| {0:F3} | {1} | {2} | {3:F0} | {4:F1} us | {5:F1} us | {6:F2} | {7} "
        "|\n",
        ratio, m, k, intensity(chain, chain.contractions[0]),
        fused.cost.total * 1e6, apart * 1e6, apart / fused.cost.total,
        fused.cost.bound());
  }
}

} // namespace

int main(int argc, char **argv) {
  std::vector<ChainWorkload> workloads = documentedChains();
  llvm::SmallVector<llvm::StringRef> wanted(argv + 1, argv + argc);
  if (wanted.empty())
    wanted = {"spaces",    "families", "dead-loops", "rules",
              "evolution", "methods",  "fusion"};
  for (llvm::StringRef table : wanted) {
    outs() << "<!-- " << table << " -->\n";
    if (table == "spaces")
      printSpaces(workloads);
    else if (table == "families")
      printFamilies();
    else if (table == "dead-loops")
      printDeadLoops(workloads);
    else if (table == "rules")
      printRules(documentedPairs());
    else if (table == "evolution") {
      printEvolution(workloads);
      printEvolutionOfOurs(workloads);
    } else if (table == "methods")
      printMethods();
    else if (table == "fusion")
      printFusion();
    else
      fail("no table '" + table.str() +
           "'; known are spaces, families, dead-loops, rules, evolution, "
           "methods, fusion");
    outs() << "\n";
  }
  return 0;
}
