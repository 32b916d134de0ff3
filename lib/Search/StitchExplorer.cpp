//===- StitchExplorer.cpp - Which operators become one kernel -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/StitchExplorer.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

std::vector<SmallVector<unsigned, 4>> OperatorGraph::consumers() const {
  std::vector<SmallVector<unsigned, 4>> result(vertices.size());
  for (auto [number, vertex] : llvm::enumerate(vertices))
    for (const Input &input : vertex.inputs)
      if (result[input.vertex].empty() || result[input.vertex].back() != number)
        result[input.vertex].push_back(number);
  return result;
}

//===----------------------------------------------------------------------===//
// The delta evaluator
//===----------------------------------------------------------------------===//

/// Seconds that bytes take, where what fits in L2 stays there between kernels.
static double seconds(double bytes, const ChipInfo &chip) {
  return bytes / (bytes <= chip.l2Bytes / 2.0 ? chip.l2BytesPerSecond
                                              : chip.dramBytesPerSecond);
}

/// The share of the chip's bandwidth that blocks of whole rows can use.
static double usedShare(double rows, const ChipInfo &chip) {
  return std::min(1.0, std::max(rows, 1.0) / chip.numSMs);
}

DeltaScore fusion::scorePattern(const OperatorGraph &graph,
                                ArrayRef<unsigned> pattern,
                                const ChipInfo &chip) {
  DeltaScore score;
  auto isInside = [&](unsigned vertex) {
    return std::binary_search(pattern.begin(), pattern.end(), vertex);
  };
  double saved = 0, moved = 0, apart = 0, together = 0;
  double rows = std::numeric_limits<double>::infinity();
  llvm::SmallDenseSet<unsigned, 16> read, madeOutside;
  llvm::SmallDenseMap<unsigned, unsigned, 16> inner; // readers inside
  for (unsigned number : pattern)
    for (const OperatorGraph::Input &input : graph.vertices[number].inputs)
      inner[input.vertex] += isInside(input.vertex);
  for (unsigned number : pattern) {
    const OperatorGraph::Vertex &vertex = graph.vertices[number];
    double own = vertex.resultBytes;
    for (const OperatorGraph::Input &input : vertex.inputs) {
      own += input.bytes;
      if (isInside(input.vertex))
        saved += input.bytes;
      else if (!madeOutside.insert(input.vertex).second)
        saved += input.bytes; // read once
      else
        moved += input.bytes;
    }
    for (auto [tensor, bytes] : vertex.reads) {
      own += bytes;
      if (read.insert(tensor).second)
        moved += bytes;
      else
        saved += bytes;
    }
    if (!vertex.escapes && inner.lookup(number) > 0) {
      // Stored by nobody where all of its readers are inside; the caller's
      // graph says that nothing else reads it.
      saved += vertex.resultBytes;
    } else {
      moved += vertex.resultBytes;
    }
    // Alone a reduction of few rows may take several blocks for each.
    apart += seconds(own, chip);
    if (vertex.isReduction)
      rows = std::min(rows, vertex.rows);
  }
  score.memory = seconds(saved, chip);
  score.calls = (pattern.size() - 1) * chip.launchOverhead;
  if (pattern.size() > 1 && std::isfinite(rows)) {
    together = seconds(moved, chip) / usedShare(rows, chip);
    score.penalty = std::max(0.0, together - seconds(moved, chip));
  }
  return score;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

struct Candidate {
  StitchPattern vertices;
  double score = 0;
};

class Explorer {
public:
  Explorer(const OperatorGraph &graph, const ChipInfo &chip,
           const ExplorerOptions &options,
           llvm::function_ref<bool(ArrayRef<unsigned>)> canStitch)
      : graph(graph), chip(chip), options(options), canStitch(canStitch),
        consumers(graph.consumers()), candidates(graph.vertices.size()) {}

  void findPatterns();
  std::vector<StitchPlan> findPlans();
  void pack(StitchPlan &plan);

  uint64_t scored = 0;

private:
  std::vector<Candidate> reduce(unsigned vertex, ArrayRef<unsigned> group);
  std::vector<Candidate> combine(unsigned vertex, ArrayRef<unsigned> group);
  void keepBest(std::vector<Candidate> &list);
  bool isCyclic(ArrayRef<unsigned> pattern) const;
  double rate(ArrayRef<unsigned> pattern) {
    ++scored;
    return scorePattern(graph, pattern, chip).total();
  }

  const OperatorGraph &graph;
  const ChipInfo &chip;
  const ExplorerOptions &options;
  llvm::function_ref<bool(ArrayRef<unsigned>)> canStitch;
  std::vector<SmallVector<unsigned, 4>> consumers;
  std::vector<std::vector<Candidate>> candidates; ///< by vertex
};

} // namespace

static StitchPattern unite(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
  StitchPattern result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(result));
  return result;
}

/// Whether a way leads out of the pattern and back into it.
bool Explorer::isCyclic(ArrayRef<unsigned> pattern) const {
  unsigned last = pattern.back();
  llvm::SmallDenseSet<unsigned, 32> seen;
  SmallVector<unsigned, 16> work;
  auto visit = [&](unsigned vertex) {
    for (unsigned next : consumers[vertex])
      if (next <= last && seen.insert(next).second)
        work.push_back(next);
  };
  auto isInside = [&](unsigned vertex) {
    return std::binary_search(pattern.begin(), pattern.end(), vertex);
  };
  for (unsigned vertex : pattern)
    for (unsigned next : consumers[vertex])
      if (next < last && !isInside(next) && seen.insert(next).second)
        work.push_back(next);
  while (!work.empty()) {
    unsigned vertex = work.pop_back_val();
    if (isInside(vertex))
      return true;
    visit(vertex);
  }
  return false;
}

/// The k best that can be one kernel, different ones.
void Explorer::keepBest(std::vector<Candidate> &list) {
  llvm::sort(list, [](const Candidate &a, const Candidate &b) {
    return std::make_tuple(-a.score, a.vertices.size()) !=
                   std::make_tuple(-b.score, b.vertices.size())
               ? std::make_tuple(-a.score, a.vertices.size()) <
                     std::make_tuple(-b.score, b.vertices.size())
               : std::lexicographical_compare(
                     a.vertices.begin(), a.vertices.end(), b.vertices.begin(),
                     b.vertices.end());
  });
  std::vector<Candidate> kept;
  for (Candidate &candidate : list) {
    if (kept.size() == options.kept)
      break;
    if (candidate.vertices.size() > options.mostVertices)
      continue;
    if (llvm::any_of(kept, [&](const Candidate &other) {
          return other.vertices == candidate.vertices;
        }))
      continue;
    if (candidate.vertices.size() > 1 &&
        (isCyclic(candidate.vertices) || !canStitch(candidate.vertices)))
      continue;
    kept.push_back(std::move(candidate));
  }
  list = std::move(kept);
}

/// All combinations of the patterns of few consumers, with the vertex.
std::vector<Candidate> Explorer::combine(unsigned vertex,
                                         ArrayRef<unsigned> group) {
  std::vector<StitchPattern> sets = {{vertex}};
  for (unsigned consumer : group) {
    size_t count = sets.size();
    for (size_t i = 0; i < count; ++i)
      for (const Candidate &candidate : candidates[consumer])
        sets.push_back(unite(sets[i], candidate.vertices));
  }
  std::vector<Candidate> list;
  for (StitchPattern &set : sets) {
    double score = rate(set);
    list.push_back({std::move(set), score});
  }
  keepBest(list);
  return list;
}

/// PatternReduction (section V-B): groups of consumers by themselves, then the
/// best of all.
std::vector<Candidate> Explorer::reduce(unsigned vertex,
                                        ArrayRef<unsigned> group) {
  if (group.size() <= options.groupSize)
    return combine(vertex, group);
  size_t half = group.size() / 2;
  std::vector<Candidate> list = reduce(vertex, group.take_front(half)),
                         other = reduce(vertex, group.drop_front(half));
  if (options.form == PatternForm::Spanning) {
    std::vector<Candidate> spanning;
    for (const Candidate &a : list)
      for (const Candidate &b : other) {
        StitchPattern both = unite(a.vertices, b.vertices);
        double score = rate(both);
        spanning.push_back({std::move(both), score});
      }
    llvm::append_range(list, spanning);
  }
  llvm::append_range(list, other);
  keepBest(list);
  return list;
}

void Explorer::findPatterns() {
  for (unsigned vertex = graph.vertices.size(); vertex-- > 0;) {
    SmallVector<unsigned, 8> group;
    if (!graph.vertices[vertex].isAlone)
      for (unsigned consumer : consumers[vertex])
        if (!graph.vertices[consumer].isAlone)
          group.push_back(consumer);
    candidates[vertex] = reduce(vertex, group);
  }
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {

/// A plan while it is made: where every vertex is.
struct Draft {
  std::vector<int> patternOf; ///< -1: alone
  std::vector<const Candidate *> chosen;
  double score = 0;
  unsigned last = 0; ///< vertex of all patterns
};

} // namespace

/// Whether a pattern and those that are chosen need each other's values.
static bool closesCycle(const OperatorGraph &graph,
                        ArrayRef<SmallVector<unsigned, 4>> consumers,
                        const Draft &draft, ArrayRef<unsigned> pattern) {
  unsigned last = std::max(draft.last, pattern.back());
  llvm::SmallDenseSet<unsigned, 64> seen;
  SmallVector<unsigned, 32> work;
  auto isInside = [&](unsigned vertex) {
    return std::binary_search(pattern.begin(), pattern.end(), vertex);
  };
  auto leave = [&](unsigned vertex) {
    for (unsigned next : consumers[vertex])
      if (next <= last && !isInside(next) && seen.insert(next).second)
        work.push_back(next);
  };
  auto reaches = [&](unsigned vertex) {
    return llvm::any_of(consumers[vertex], isInside);
  };
  for (unsigned vertex : pattern)
    leave(vertex);
  while (!work.empty()) {
    unsigned vertex = work.pop_back_val();
    int number = draft.patternOf[vertex];
    if (number < 0) {
      if (reaches(vertex))
        return true;
      leave(vertex);
      continue;
    }
    for (unsigned member : draft.chosen[number]->vertices) {
      seen.insert(member);
      if (reaches(member))
        return true;
      leave(member);
    }
  }
  return false;
}

/// Kernels in an order in which they can run: each after those it needs.
static void orderPatterns(const OperatorGraph &graph,
                          std::vector<StitchPattern> &patterns) {
  std::vector<unsigned> patternOf(graph.vertices.size());
  for (auto [number, pattern] : llvm::enumerate(patterns))
    for (unsigned vertex : pattern)
      patternOf[vertex] = number;
  std::vector<unsigned> missing(patterns.size(), 0);
  std::vector<SmallVector<unsigned, 4>> next(patterns.size());
  for (auto [number, pattern] : llvm::enumerate(patterns)) {
    llvm::SmallDenseSet<unsigned, 8> needed;
    for (unsigned vertex : pattern)
      for (const OperatorGraph::Input &input : graph.vertices[vertex].inputs)
        if (patternOf[input.vertex] != number &&
            needed.insert(patternOf[input.vertex]).second) {
          next[patternOf[input.vertex]].push_back(number);
          ++missing[number];
        }
  }
  // The one with the first operator goes first.
  auto later = [&](unsigned a, unsigned b) {
    return patterns[a].front() > patterns[b].front();
  };
  std::vector<unsigned> ready;
  for (unsigned number = 0; number < patterns.size(); ++number)
    if (missing[number] == 0)
      ready.push_back(number);
  std::make_heap(ready.begin(), ready.end(), later);
  std::vector<StitchPattern> ordered;
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    unsigned number = ready.back();
    ready.pop_back();
    ordered.push_back(patterns[number]);
    for (unsigned other : next[number])
      if (--missing[other] == 0) {
        ready.push_back(other);
        std::push_heap(ready.begin(), ready.end(), later);
      }
  }
  assert(ordered.size() == patterns.size() && "a plan has a cycle");
  patterns = std::move(ordered);
}

std::vector<StitchPlan> Explorer::findPlans() {
  Draft empty;
  empty.patternOf.assign(graph.vertices.size(), -1);
  std::vector<Draft> drafts = {empty};
  for (unsigned vertex = 0; vertex < graph.vertices.size(); ++vertex)
    for (const Candidate &candidate : candidates[vertex]) {
      if (candidate.vertices.size() < 2 || candidate.score <= 0)
        continue;
      size_t count = drafts.size();
      for (size_t i = 0; i < count; ++i) {
        bool overlaps = llvm::any_of(candidate.vertices, [&](unsigned member) {
          return drafts[i].patternOf[member] >= 0;
        });
        if (overlaps ||
            closesCycle(graph, consumers, drafts[i], candidate.vertices))
          continue;
        Draft &draft = drafts.emplace_back(drafts[i]);
        for (unsigned member : candidate.vertices)
          draft.patternOf[member] = draft.chosen.size();
        draft.chosen.push_back(&candidate);
        draft.score += candidate.score;
        draft.last = std::max(draft.last, candidate.vertices.back());
      }
      std::stable_sort(
          drafts.begin(), drafts.end(),
          [](const Draft &a, const Draft &b) { return a.score > b.score; });
      if (drafts.size() > options.beam)
        drafts.resize(options.beam);
    }
  std::vector<StitchPlan> plans;
  for (const Draft &draft : drafts) {
    StitchPlan &plan = plans.emplace_back();
    plan.score = draft.score;
    for (const Candidate *candidate : draft.chosen)
      plan.patterns.push_back(candidate->vertices);
    for (auto [vertex, number] : llvm::enumerate(draft.patternOf))
      if (number < 0)
        plan.patterns.push_back({static_cast<unsigned>(vertex)});
    orderPatterns(graph, plan.patterns);
  }
  return plans;
}

StitchPlan
fusion::explore(const OperatorGraph &graph, const ChipInfo &chip,
                const ExplorerOptions &options,
                llvm::function_ref<bool(ArrayRef<unsigned>)> canStitch,
                llvm::function_ref<double(const StitchPlan &)> evaluate) {
  Explorer explorer(graph, chip, options, canStitch);
  explorer.findPatterns();
  std::vector<StitchPlan> plans = explorer.findPlans();
  size_t best = 0;
  if (evaluate && plans.size() > 1) {
    double least = evaluate(plans[0]);
    for (size_t i = 1; i < plans.size(); ++i)
      if (double time = evaluate(plans[i]); time < least) {
        least = time;
        best = i;
      }
  }
  StitchPlan plan = std::move(plans[best]);
  plan.scored = explorer.scored;
  return plan;
}
