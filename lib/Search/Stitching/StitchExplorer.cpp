//===- StitchExplorer.cpp - Which operators become one kernel -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Stitching/StitchExplorer.h"
#include "KernelMerging.h"
#include "PlanDrafts.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

class Explorer {
public:
  Explorer(const OperatorGraph &graph, const ChipInfo &chip,
           const ExplorerOptions &options, const PatternOracle &oracle)
      : graph(graph), chip(chip), options(options), oracle(oracle),
        delta(graph, chip, options.delta),
        candidates(graph.vertices.size() + 1) {}

  void findPatterns();
  std::vector<StitchPlan> findPlans();
  StitchPlan choose(std::vector<StitchPlan> plans);

  uint64_t scored = 0;

private:
  std::vector<Candidate> reduce(ArrayRef<unsigned> own,
                                ArrayRef<unsigned> group);
  std::vector<Candidate> combine(ArrayRef<unsigned> own,
                                 ArrayRef<unsigned> group);
  void keepBest(std::vector<Candidate> &list);
  void add(std::vector<Candidate> &list, StitchPattern pattern);
  bool isPossible(ArrayRef<unsigned> pattern) const {
    return !isCyclic(delta, pattern) && oracle.canStitch(pattern);
  }
  bool isScoredByLatency(ArrayRef<unsigned> pattern) const {
    return options.scoresByLatency && oracle.latency && pattern.size() > 1;
  }
  double secondsApart(ArrayRef<unsigned> pattern);
  double scoreByLatency(ArrayRef<unsigned> pattern, double together);
  std::optional<double> latency(ArrayRef<unsigned> pattern);

  const OperatorGraph &graph;
  const ChipInfo &chip;
  const ExplorerOptions &options;
  const PatternOracle &oracle;
  DeltaEvaluator delta;
  /// By vertex; the last are the virtual producer's.
  std::vector<std::vector<Candidate>> candidates;
};

} // namespace

static StitchPattern unite(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
  StitchPattern result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(result));
  return result;
}

bool fusion::isCyclic(const DeltaEvaluator &evaluator,
                      ArrayRef<unsigned> pattern) {
  // Every path back into the pattern lies before its last vertex.
  unsigned last = pattern.back();
  llvm::SmallDenseSet<unsigned, 32> seen;
  SmallVector<unsigned, 16> work;
  auto leave = [&](unsigned vertex) {
    for (unsigned next : evaluator.consumers(vertex))
      if (next <= last && seen.insert(next).second)
        work.push_back(next);
  };
  auto isInside = [&](unsigned vertex) {
    return std::binary_search(pattern.begin(), pattern.end(), vertex);
  };
  for (unsigned vertex : pattern)
    for (unsigned next : evaluator.consumers(vertex))
      if (next < last && !isInside(next) && seen.insert(next).second)
        work.push_back(next);
  while (!work.empty()) {
    unsigned vertex = work.pop_back_val();
    if (isInside(vertex))
      return true;
    leave(vertex);
  }
  return false;
}

std::optional<double> Explorer::latency(ArrayRef<unsigned> pattern) {
  // Chains and views cost the same in every plan.
  if (graph.vertices[pattern.front()].isForeign)
    return 0;
  return oracle.latency(pattern);
}

double Explorer::secondsApart(ArrayRef<unsigned> pattern) {
  double apart = 0;
  for (unsigned vertex : pattern)
    apart += latency(vertex).value_or(0);
  return apart;
}

/// Returns the seconds that a pattern saves whose kernel takes `together`
/// seconds by the latency evaluator, launches included.
double Explorer::scoreByLatency(ArrayRef<unsigned> pattern, double together) {
  double saved = secondsApart(pattern) - together;
  if (options.delta == EvaluatorForm::Default)
    return saved;
  DeltaScore score = delta(pattern);
  score.penalty = std::max(0.0, score.calls - saved);
  return score.total(!options.ignoresPenalty);
}

/// Adds a pattern with the seconds that it saves, or an upper bound of them.
void Explorer::add(std::vector<Candidate> &list, StitchPattern pattern) {
  if (pattern.size() > options.maxVertices ||
      pattern.back() - pattern.front() > options.maxDistance)
    return;
  ++scored;
  bool isBound = isScoredByLatency(pattern);
  double score = isBound ? scoreByLatency(pattern, oracle.minLatency)
                         : delta(pattern).total(!options.ignoresPenalty);
  list.push_back({std::move(pattern), score, isBound});
}

/// Keeps the k best distinct patterns that can be one kernel. A pattern whose
/// score is only a bound is evaluated once no other is ahead of it, and goes
/// back into the queue.
void Explorer::keepBest(std::vector<Candidate> &list) {
  auto isBehind = [](const Candidate &a, const Candidate &b) {
    if (a.score != b.score)
      return a.score < b.score;
    if (a.isBound != b.isBound)
      return b.isBound;
    if (a.vertices.size() != b.vertices.size())
      return a.vertices.size() > b.vertices.size();
    return std::lexicographical_compare(b.vertices.begin(), b.vertices.end(),
                                        a.vertices.begin(), a.vertices.end());
  };
  std::make_heap(list.begin(), list.end(), isBehind);
  std::vector<Candidate> retained;
  while (retained.size() < options.reported && !list.empty()) {
    std::pop_heap(list.begin(), list.end(), isBehind);
    Candidate candidate = std::move(list.back());
    list.pop_back();
    if (llvm::any_of(retained, [&](const Candidate &other) {
          return other.vertices == candidate.vertices;
        }))
      continue;
    if (candidate.vertices.size() > 1 && !isPossible(candidate.vertices))
      continue;
    if (!candidate.isBound) {
      retained.push_back(std::move(candidate));
      continue;
    }
    std::optional<double> together = latency(candidate.vertices);
    candidate.score = together ? scoreByLatency(candidate.vertices, *together)
                               : -std::numeric_limits<double>::infinity();
    candidate.isBound = false;
    list.push_back(std::move(candidate));
    std::push_heap(list.begin(), list.end(), isBehind);
  }
  list = std::move(retained);
}

/// Returns all combinations of the patterns of few consumers, with `own`.
std::vector<Candidate> Explorer::combine(ArrayRef<unsigned> own,
                                         ArrayRef<unsigned> group) {
  std::vector<StitchPattern> sets = {StitchPattern(own)};
  for (unsigned consumer : group) {
    size_t count = sets.size();
    for (size_t i = 0; i < count; ++i)
      for (const Candidate &candidate : candidates[consumer])
        sets.push_back(unite(sets[i], candidate.vertices));
  }
  std::vector<Candidate> list;
  for (StitchPattern &set : sets)
    if (!set.empty())
      add(list, std::move(set));
  keepBest(list);
  return list;
}

/// PatternReduction (FusionStitching, section 5.2): reduces groups of consumers
/// by themselves, then the best patterns of all groups.
std::vector<Candidate> Explorer::reduce(ArrayRef<unsigned> own,
                                        ArrayRef<unsigned> group) {
  if (group.size() <= options.groupSize)
    return combine(own, group);
  size_t half = group.size() / 2;
  std::vector<Candidate> list = reduce(own, group.take_front(half)),
                         other = reduce(own, group.drop_front(half));
  if (options.form == PatternForm::Spanning) {
    std::vector<Candidate> spanning;
    for (const Candidate &a : list)
      for (const Candidate &b : other)
        add(spanning, unite(a.vertices, b.vertices));
    llvm::append_range(list, spanning);
  }
  llvm::append_range(list, other);
  keepBest(list);
  return list;
}

void Explorer::findPatterns() {
  SmallVector<unsigned> all;
  for (unsigned vertex = graph.vertices.size(); vertex-- > 0;) {
    SmallVector<unsigned, 8> group;
    if (graph.vertices[vertex].canJoin()) {
      all.push_back(vertex);
      for (unsigned consumer : delta.consumers(vertex))
        if (graph.vertices[consumer].canJoin())
          group.push_back(consumer);
    }
    candidates[vertex] = reduce(vertex, group);
  }
  // Remote fusion: a virtual producer of all, in no pattern itself.
  if (options.packs && options.form == PatternForm::Printed) {
    llvm::sort(all);
    candidates.back() = reduce({}, all);
  }
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

std::vector<StitchPlan> Explorer::findPlans() {
  DraftBeam beam(delta, graph.vertices.size(), options.beam);
  beam.extend(candidates.back());
  for (unsigned vertex = 0; vertex < graph.vertices.size(); ++vertex)
    beam.extend(candidates[vertex]);
  std::vector<StitchPlan> plans = beam.plans();
  for (StitchPlan &plan : plans) {
    orderPatterns(graph, plan.patterns);
    if (options.packs && options.form == PatternForm::Spanning)
      mergeKernels(graph, delta, options, oracle, plan);
  }
  return plans;
}

/// Returns the plan of least latency. Patterns that take longer than their
/// parts as separate kernels are divided; as printed, only patterns without a
/// schedule are.
StitchPlan Explorer::choose(std::vector<StitchPlan> plans) {
  size_t best = 0;
  if (!oracle.latency) {
    // Merging may have changed the order.
    for (size_t i = 1; i < plans.size(); ++i)
      if (plans[i].score > plans[best].score)
        best = i;
    return std::move(plans[best]);
  }
  double least = std::numeric_limits<double>::infinity();
  for (auto [number, plan] : llvm::enumerate(plans)) {
    std::vector<StitchPattern> retained;
    bool isDivided = false;
    for (const StitchPattern &pattern : plan.patterns) {
      std::optional<double> together = latency(pattern);
      double apart = 0;
      if (pattern.size() > 1)
        for (unsigned vertex : pattern)
          apart += latency(vertex).value_or(0);
      bool isWorthIt = together && (options.form == PatternForm::Printed ||
                                    *together <= apart);
      if (pattern.size() == 1 || isWorthIt) {
        retained.push_back(pattern);
        continue;
      }
      isDivided = true;
      // Explored again with smaller patterns, down to single vertices.
      OperatorGraph part = delta.inducedGraph(pattern);
      auto outer = [&](ArrayRef<unsigned> inner) {
        StitchPattern result;
        for (unsigned vertex : inner)
          result.push_back(pattern[vertex]);
        return result;
      };
      auto canStitch = [&](ArrayRef<unsigned> inner) {
        return oracle.canStitch(outer(inner));
      };
      auto evaluate = [&](ArrayRef<unsigned> inner) {
        return oracle.latency(outer(inner));
      };
      auto atMost = [&](ArrayRef<unsigned> inner) {
        return oracle.maxLatency(outer(inner));
      };
      ExplorerOptions smaller = options;
      smaller.maxVertices = (pattern.size() + 1) / 2;
      PatternOracle partOracle{canStitch, evaluate, oracle.minLatency};
      if (oracle.maxLatency)
        partOracle.maxLatency = atMost;
      Explorer explorer(part, chip, smaller, partOracle);
      explorer.findPatterns();
      StitchPlan divided = explorer.choose(explorer.findPlans());
      scored += explorer.scored;
      plan.score -= delta(pattern).total();
      for (const StitchPattern &inner : divided.patterns) {
        StitchPattern mapped = outer(inner);
        plan.score += delta(mapped).total();
        retained.push_back(std::move(mapped));
      }
    }
    plan.patterns = std::move(retained);
    // Kernels of a divided pattern may be merged with others.
    if (isDivided && options.packs && options.form == PatternForm::Spanning) {
      orderPatterns(graph, plan.patterns);
      mergeKernels(graph, delta, options, oracle, plan);
    }
    double total = 0;
    for (const StitchPattern &pattern : plan.patterns)
      total += latency(pattern).value_or(0);
    if (total < least) {
      least = total;
      best = number;
    }
  }
  StitchPlan plan = std::move(plans[best]);
  orderPatterns(graph, plan.patterns);
  return plan;
}

StitchPlan fusion::explore(const OperatorGraph &graph, const ChipInfo &chip,
                           const ExplorerOptions &options,
                           const PatternOracle &oracle) {
  Explorer explorer(graph, chip, options, oracle);
  explorer.findPatterns();
  StitchPlan plan = explorer.choose(explorer.findPlans());
  plan.scored = explorer.scored;
  return plan;
}

bool fusion::refine(const OperatorGraph &graph, const ChipInfo &chip,
                    const ExplorerOptions &options, const PatternOracle &oracle,
                    StitchPlan &plan) {
  size_t kernels = 0, vertices = 0;
  for (const StitchPattern &pattern : plan.patterns)
    if (!graph.vertices[pattern.front()].isForeign) {
      ++kernels;
      vertices += pattern.size();
    }
  if (kernels < 2 || kernels > options.maxRefinedKernels ||
      vertices > options.maxVertices)
    return false;
  ExplorerOptions byLatency = options;
  byLatency.scoresByLatency = true;
  byLatency.tieFactor = 1.01;
  mergeKernels(graph, DeltaEvaluator(graph, chip, options.delta), byLatency,
               oracle, plan);
  return true;
}

//===----------------------------------------------------------------------===//
// Graphs of patterns
//===----------------------------------------------------------------------===//

StitchPlan fusion::explorePrefused(const OperatorGraph &graph,
                                   const ChipInfo &chip,
                                   const ExplorerOptions &options,
                                   const PatternOracle &oracle,
                                   const StitchPlan &prefused) {
  // The patterns can run in their order, which is also the order of the
  // vertices of the contracted graph.
  DeltaEvaluator delta(graph, chip, options.delta);
  OperatorGraph contracted;
  std::vector<unsigned> patternOf(graph.vertices.size());
  for (auto [number, pattern] : llvm::enumerate(prefused.patterns))
    for (unsigned vertex : pattern)
      patternOf[vertex] = number;
  for (auto [number, pattern] : llvm::enumerate(prefused.patterns)) {
    // The vertex produces the values that leave the pattern: its last one's,
    // which is the only one after pre-fusion.
    OperatorGraph::Vertex whole = graph.vertices[pattern.back()];
    whole.inputs.clear();
    whole.reads.clear();
    whole.instructions = whole.special = 0;
    llvm::SmallDenseSet<unsigned, 8> made, read;
    for (unsigned member : pattern) {
      const OperatorGraph::Vertex &vertex = graph.vertices[member];
      for (const OperatorGraph::Input &input : vertex.inputs)
        if (unsigned from = patternOf[input.vertex];
            from != number && made.insert(from).second)
          whole.inputs.push_back({from, input.bytes});
      for (auto [tensor, bytes] : vertex.reads)
        if (read.insert(tensor).second)
          whole.reads.push_back({tensor, bytes});
      whole.instructions += vertex.instructions;
      whole.special += vertex.special;
      whole.points = std::max(whole.points, vertex.points);
      whole.isReduction |= vertex.isReduction;
      whole.isExpensive |= vertex.isExpensive;
      whole.isConversion &= vertex.isConversion;
      whole.isAlone |= vertex.isAlone;
    }
    llvm::sort(whole.inputs, [](const auto &a, const auto &b) {
      return a.vertex < b.vertex;
    });
    contracted.vertices.push_back(std::move(whole));
  }
  auto expand = [&](ArrayRef<unsigned> outer) {
    StitchPattern result;
    for (unsigned number : outer)
      llvm::append_range(result, prefused.patterns[number]);
    llvm::sort(result);
    return result;
  };
  auto canStitch = [&](ArrayRef<unsigned> outer) {
    return oracle.canStitch(expand(outer));
  };
  auto latency = [&](ArrayRef<unsigned> outer) {
    return oracle.latency(expand(outer));
  };
  PatternOracle expanded{canStitch};
  expanded.minLatency = oracle.minLatency;
  if (oracle.latency)
    expanded.latency = latency;
  auto atMost = [&](ArrayRef<unsigned> outer) {
    return oracle.maxLatency(expand(outer));
  };
  if (oracle.maxLatency)
    expanded.maxLatency = atMost;
  StitchPlan plan = explore(contracted, chip, options, expanded);
  plan.score = 0;
  for (StitchPattern &pattern : plan.patterns) {
    pattern = expand(pattern);
    plan.score += delta(pattern).total();
  }
  orderPatterns(graph, plan.patterns);
  return plan;
}
