//===- KernelMerging.cpp - Remote fusion of whole kernels -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelMerging.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// The kernels of a plan in an order in which they can run, which merging keeps
/// up to date (as Pearce and Kelly do for edges that are added).
class KernelMerger {
public:
  KernelMerger(const OperatorGraph &graph, const DeltaEvaluator &delta,
               const ExplorerOptions &options, const PatternOracle &oracle,
               StitchPlan &plan);
  void run();

private:
  bool tryMerging(unsigned kernel);
  bool tryMakers(unsigned kernel);
  bool isCyclic(ArrayRef<unsigned> kernels) const;
  llvm::SmallSetVector<unsigned, 16> partnersOf(unsigned kernel) const;
  /// Returns the kernels between `first` and `last` that depend on `first`, or
  /// nullopt if `last` depends on one of them.
  std::optional<llvm::SmallDenseSet<unsigned, 16>> waiting(unsigned first,
                                                           unsigned last) const;
  void merge(unsigned first, unsigned last,
             const llvm::SmallDenseSet<unsigned, 16> &between);
  struct Gain {
    double seconds;
    bool isBound; ///< whether it could be more than what is really saved
  };
  std::optional<Gain> gain(unsigned first, unsigned last, bool isExact);
  /// Returns the seconds that a pattern saves by the delta evaluator.
  double scoreOf(ArrayRef<unsigned> pattern) const {
    return delta(pattern).total(!options.ignoresPenalty);
  }
  double scoreOfKernel(unsigned kernel) {
    std::optional<double> &score = scores[kernel];
    if (!score)
      score = scoreOf(members[kernel]);
    return *score;
  }
  bool isSurelyFaster(ArrayRef<unsigned> both, ArrayRef<unsigned> a,
                      ArrayRef<unsigned> b) const;
  template <typename Visit>
  void forSuccessors(unsigned kernel, Visit visit) const {
    for (unsigned vertex : members[kernel])
      for (unsigned reader : delta.consumers(vertex))
        if (kernelOf[reader] != kernel)
          visit(kernelOf[reader]);
  }
  bool canJoin(unsigned kernel) const { return joins[kernel]; }

  static constexpr unsigned kGone = ~0u;

  const OperatorGraph &graph;
  const DeltaEvaluator &delta;
  const ExplorerOptions &options;
  const PatternOracle &oracle;
  StitchPlan &plan;
  std::vector<StitchPattern> members;        ///< by kernel, empty: merged away
  std::vector<std::optional<double>> scores; ///< by kernel, if computed
  std::vector<bool> joins;        ///< by kernel, whether all members can join
  std::vector<unsigned> kernelOf; ///< by vertex
  std::vector<unsigned> order;    ///< kernels, kGone where one was
  std::vector<unsigned> position; ///< by kernel
  llvm::DenseMap<unsigned, SmallVector<unsigned, 4>> readersOf; ///< of tensors
};

} // namespace

KernelMerger::KernelMerger(const OperatorGraph &graph,
                           const DeltaEvaluator &delta,
                           const ExplorerOptions &options,
                           const PatternOracle &oracle, StitchPlan &plan)
    : graph(graph), delta(delta), options(options), oracle(oracle), plan(plan),
      members(plan.patterns), scores(members.size()),
      kernelOf(graph.vertices.size()) {
  for (auto [kernel, pattern] : llvm::enumerate(members)) {
    order.push_back(kernel);
    position.push_back(kernel);
    joins.push_back(llvm::all_of(pattern, [&](unsigned vertex) {
      return graph.vertices[vertex].canJoin();
    }));
    for (unsigned vertex : pattern) {
      kernelOf[vertex] = kernel;
      for (auto [tensor, bytes] : graph.vertices[vertex].reads)
        readersOf[tensor].push_back(vertex);
    }
  }
  for (auto &[tensor, readers] : readersOf)
    llvm::sort(readers);
}

llvm::SmallSetVector<unsigned, 16>
KernelMerger::partnersOf(unsigned kernel) const {
  llvm::SmallSetVector<unsigned, 16> partners;
  unsigned own = position[kernel];
  auto add = [&](unsigned other) {
    if (other != kernel && position[other] < own &&
        own - position[other] <= options.maxDistance && canJoin(other))
      partners.insert(other);
  };
  // Among many readers of one tensor, only the last ones before the kernel are
  // partners.
  auto addNearest = [&](ArrayRef<unsigned> readers) {
    unsigned found = 0;
    readers = readers.take_front(
        llvm::upper_bound(readers, members[kernel].back()) - readers.begin());
    for (unsigned reader :
         llvm::reverse(readers.take_back(options.maxDistance))) {
      if (found == options.reported)
        break;
      unsigned before = partners.size();
      add(kernelOf[reader]);
      found += partners.size() - before;
    }
  };
  llvm::SmallDenseSet<unsigned, 16> values, tensors;
  for (unsigned vertex : members[kernel]) {
    for (const OperatorGraph::Input &input : graph.vertices[vertex].inputs) {
      add(kernelOf[input.vertex]);
      if (values.insert(input.vertex).second)
        addNearest(delta.consumers(input.vertex));
    }
    for (auto [tensor, bytes] : graph.vertices[vertex].reads)
      if (tensors.insert(tensor).second)
        addNearest(readersOf.find(tensor)->second);
  }
  unsigned remote = 0;
  for (unsigned at = own; at-- > 0 && own - at <= options.maxDistance;) {
    if (remote == options.reported)
      break;
    if (order[at] == kGone || !canJoin(order[at]))
      continue;
    ++remote;
    add(order[at]);
  }
  return partners;
}

std::optional<llvm::SmallDenseSet<unsigned, 16>>
KernelMerger::waiting(unsigned first, unsigned last) const {
  llvm::SmallDenseSet<unsigned, 16> found;
  SmallVector<unsigned, 16> work{first};
  while (!work.empty()) {
    unsigned kernel = work.pop_back_val();
    bool isBack = false;
    forSuccessors(kernel, [&](unsigned next) {
      if (next == last)
        isBack |= kernel != first;
      else if (position[next] < position[last] && found.insert(next).second)
        work.push_back(next);
    });
    if (isBack)
      return std::nullopt;
  }
  return found;
}

void KernelMerger::merge(unsigned first, unsigned last,
                         const llvm::SmallDenseSet<unsigned, 16> &between) {
  // Kernels that depend on the first one come after both, all others before.
  SmallVector<unsigned, 16> before, after;
  unsigned from = position[first], to = position[last];
  for (unsigned at = from + 1; at < to; ++at)
    if (order[at] != kGone)
      (between.contains(order[at]) ? after : before).push_back(order[at]);
  unsigned at = from;
  auto place = [&](unsigned kernel) {
    order[at] = kernel;
    position[kernel] = at++;
  };
  llvm::for_each(before, place);
  place(last);
  llvm::for_each(after, place);
  while (at <= to)
    order[at++] = kGone;
  StitchPattern both;
  std::set_union(members[first].begin(), members[first].end(),
                 members[last].begin(), members[last].end(),
                 std::back_inserter(both));
  members[first].clear();
  members[last] = std::move(both);
  scores[last].reset();
  for (unsigned vertex : members[last])
    kernelOf[vertex] = last;
}

/// Returns the seconds that merging saves, by the evaluator that scores
/// patterns. By the latency evaluator this is an upper bound unless `isExact`.
std::optional<KernelMerger::Gain>
KernelMerger::gain(unsigned first, unsigned last, bool isExact) {
  ArrayRef<unsigned> a = members[first], b = members[last];
  if (a.size() + b.size() > options.maxVertices)
    return std::nullopt;
  StitchPattern both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(both));
  if (options.scoresByLatency && oracle.latency) {
    if (isExact && !oracle.canStitch(both))
      return std::nullopt;
    std::optional<double> together = isExact ? oracle.latency(both)
                                             : std::optional(oracle.minLatency),
                          one = oracle.latency(a), other = oracle.latency(b);
    if (!together || !one || !other ||
        *together >= (*one + *other) * options.tieFactor)
      return std::nullopt;
    return Gain{*one + *other - *together, !isExact};
  }
  double saved = scoreOf(both) - scoreOfKernel(first) - scoreOfKernel(last);
  if (saved <= 0)
    return std::nullopt;
  return Gain{saved, false};
}

/// Returns whether some schedule of both kernels as one is as fast as any
/// schedules of the two.
bool KernelMerger::isSurelyFaster(ArrayRef<unsigned> both, ArrayRef<unsigned> a,
                                  ArrayRef<unsigned> b) const {
  if (!oracle.maxLatency)
    return false;
  double apart = 0;
  for (ArrayRef<unsigned> each : {a, b})
    apart += each.size() > 1 ? oracle.minLatency
                             : oracle.latency(each).value_or(oracle.minLatency);
  std::optional<double> together = oracle.maxLatency(both);
  return together && *together <= apart;
}

bool KernelMerger::tryMerging(unsigned kernel) {
  struct Choice {
    Gain gain;
    unsigned partner;
  };
  SmallVector<Choice, 16> choices;
  for (unsigned partner : partnersOf(kernel)) {
    ++plan.scored;
    if (std::optional<Gain> saved = gain(partner, kernel, /*isExact=*/false))
      choices.push_back({*saved, partner});
  }
  // Gains that are bounds, and may be the largest, are computed exactly first.
  auto isBehind = [](const Choice &a, const Choice &b) {
    return std::make_tuple(a.gain.seconds, a.gain.isBound, b.partner) <
           std::make_tuple(b.gain.seconds, b.gain.isBound, a.partner);
  };
  std::make_heap(choices.begin(), choices.end(), isBehind);
  bool isRejected = false;
  while (!choices.empty()) {
    std::pop_heap(choices.begin(), choices.end(), isBehind);
    Choice choice = choices.pop_back_val();
    auto between = waiting(choice.partner, kernel);
    if (!between)
      continue;
    if (choice.gain.isBound) {
      if (std::optional<Gain> saved =
              gain(choice.partner, kernel, /*isExact=*/true)) {
        choices.push_back({*saved, choice.partner});
        std::push_heap(choices.begin(), choices.end(), isBehind);
      }
      continue;
    }
    StitchPattern both;
    std::set_union(members[kernel].begin(), members[kernel].end(),
                   members[choice.partner].begin(),
                   members[choice.partner].end(), std::back_inserter(both));
    if (!oracle.canStitch(both)) {
      isRejected = true;
      continue;
    }
    if (oracle.latency &&
        !isSurelyFaster(both, members[kernel], members[choice.partner])) {
      std::optional<double> together = oracle.latency(both),
                            one = oracle.latency(members[kernel]),
                            other = oracle.latency(members[choice.partner]);
      if (!together ||
          (one && other && *together > (*one + *other) * options.tieFactor))
        continue;
    }
    plan.score += choice.gain.seconds;
    merge(choice.partner, kernel, *between);
    return true;
  }
  return isRejected && tryMakers(kernel);
}

/// Returns whether some kernel outside of `kernels` depends on one of them
/// while another one of them depends on it.
bool KernelMerger::isCyclic(ArrayRef<unsigned> kernels) const {
  unsigned last = 0;
  for (unsigned kernel : kernels)
    last = std::max(last, position[kernel]);
  llvm::SmallDenseSet<unsigned, 16> seen;
  SmallVector<unsigned, 16> work(kernels);
  while (!work.empty()) {
    unsigned kernel = work.pop_back_val();
    bool isInside = llvm::is_contained(kernels, kernel);
    bool isBack = false;
    forSuccessors(kernel, [&](unsigned next) {
      if (llvm::is_contained(kernels, next))
        isBack |= !isInside;
      else if (position[next] < last && seen.insert(next).second)
        work.push_back(next);
    });
    if (isBack)
      return true;
  }
  return false;
}

/// Merges a kernel with the kernels whose values it reads, with their
/// producers, and so on. Some operators are legal only together with all
/// operators that they read. An example is a concatenation of values that have
/// no tile program each.
bool KernelMerger::tryMakers(unsigned kernel) {
  SmallVector<unsigned, 8> all{kernel};
  StitchPattern together = members[kernel];
  for (unsigned round = 0; round < options.reported; ++round) {
    SmallVector<unsigned, 8> makers;
    for (unsigned vertex : together)
      for (const OperatorGraph::Input &input : graph.vertices[vertex].inputs) {
        unsigned maker = kernelOf[input.vertex];
        if (canJoin(maker) && !llvm::is_contained(all, maker) &&
            !llvm::is_contained(makers, maker) &&
            position[kernel] - position[maker] <= options.maxDistance)
          makers.push_back(maker);
      }
    if (makers.empty())
      return false;
    llvm::append_range(all, makers);
    for (unsigned maker : makers)
      llvm::append_range(together, members[maker]);
    llvm::sort(together);
    ++plan.scored;
    if (together.size() > options.maxVertices)
      return false;
    // Pairs have been tried.
    if (all.size() < 3 || isCyclic(all) || !oracle.canStitch(together))
      continue;
    double apart = 0, score = scoreOf(together);
    for (unsigned each : all) {
      score -= scoreOfKernel(each);
      if (oracle.latency)
        apart += oracle.latency(members[each]).value_or(0);
    }
    if (oracle.latency ? oracle.latency(together).value_or(apart) >= apart
                       : score <= 0)
      continue;
    plan.score += score;
    // From the last on: then no other of these kernels lies between two.
    llvm::sort(
        all, [&](unsigned a, unsigned b) { return position[a] > position[b]; });
    for (unsigned maker : ArrayRef<unsigned>(all).drop_front())
      merge(maker, all.front(), *waiting(maker, all.front()));
    return true;
  }
  return false;
}

void KernelMerger::run() {
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    std::vector<unsigned> all;
    for (unsigned kernel : order)
      if (kernel != kGone && canJoin(kernel))
        all.push_back(kernel);
    for (unsigned kernel : all)
      while (!members[kernel].empty() && tryMerging(kernel))
        isChanged = true;
    llvm::erase(order, kGone);
    for (auto [at, kernel] : llvm::enumerate(order))
      position[kernel] = at;
  }
  plan.patterns.clear();
  for (unsigned kernel : order)
    plan.patterns.push_back(members[kernel]);
}

void fusion::mergeKernels(const OperatorGraph &graph,
                          const DeltaEvaluator &delta,
                          const ExplorerOptions &options,
                          const PatternOracle &oracle, StitchPlan &plan) {
  KernelMerger(graph, delta, options, oracle, plan).run();
}
