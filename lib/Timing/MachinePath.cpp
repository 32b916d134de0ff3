//===- MachinePath.cpp - A warp's way through its machine code ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/MachinePath.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <queue>

using namespace fusion::timing;

/// What a lost or passed anchor costs, in instructions.
static constexpr uint64_t kPenalty = uint64_t(1) << 32;
static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();
/// States that are worse than the best by more than this are dropped.
static constexpr uint64_t kMargin = 4 * kPenalty;

PathFinder::PathFinder(const FlowGraph &graph)
    : graph(graph), known(graph.kernel().insts.size() + 1) {
  for (const MachineInst &inst : graph.kernel().insts)
    kinds.push_back(anchorKind(inst));
}

const PathFinder::Ways &PathFinder::waysFrom(std::optional<unsigned> start) {
  const std::vector<MachineInst> &insts = graph.kernel().insts;
  unsigned count = insts.size();
  std::optional<Ways> &entry = known[start.value_or(count)];
  if (entry)
    return *entry;
  Ways ways;
  ways.costs.assign(count, kNever);
  ways.previous.assign(count, count);
  using Item = std::pair<uint64_t, unsigned>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> pending;
  auto reach = [&](unsigned index, unsigned before, uint64_t cost) {
    if (cost >= ways.costs[index])
      return;
    ways.costs[index] = cost;
    ways.previous[index] = before;
    pending.push({cost, index});
  };
  if (start) {
    for (unsigned next : graph.next(*start))
      reach(next, count, 1);
  } else if (count > 0) {
    reach(0, count, 1);
  }
  while (!pending.empty()) {
    auto [cost, index] = pending.top();
    pending.pop();
    if (cost != ways.costs[index])
      continue;
    if (graph.mayEnd(index) && !ways.end)
      ways.end = index;
    // Lanes may all fail a guard.
    bool isPassed = kinds[index] && !insts[index].guard;
    for (unsigned next : graph.next(index))
      reach(next, index, cost + 1 + (isPassed ? kPenalty : 0));
  }
  entry = std::move(ways);
  return *entry;
}

namespace {

/// A warp after some anchors: at which instruction it is, and what it cost.
struct State {
  std::optional<unsigned> at; ///< nullopt: at the beginning
  uint64_t cost;
  unsigned before; ///< the number of the state before the last anchor
  bool isMissing;  ///< the last anchor has no instruction
};

} // namespace

std::optional<MachinePath> PathFinder::find(llvm::ArrayRef<Anchor> anchors) {
  const std::vector<MachineInst> &insts = graph.kernel().insts;
  llvm::DenseMap<std::pair<unsigned, unsigned>, llvm::SmallVector<unsigned, 2>>
      candidates;
  for (auto [index, kind] : llvm::enumerate(kinds))
    if (kind)
      candidates[{static_cast<unsigned>(*kind), insts[index].line}].push_back(
          index);

  std::vector<std::vector<State>> states = {{{std::nullopt, 0, 0, false}}};
  for (const Anchor &anchor : anchors) {
    const std::vector<State> &before = states.back();
    std::vector<State> after;
    uint64_t best = kNever;
    auto add = [&](const State &state) {
      best = std::min(best, state.cost);
      for (State &same : after)
        if (same.at == state.at) {
          if (state.cost < same.cost)
            same = state;
          return;
        }
      after.push_back(state);
    };
    auto fitting =
        candidates.find({static_cast<unsigned>(anchor.kind), anchor.line});
    for (auto [number, state] : llvm::enumerate(before)) {
      unsigned from = number;
      if (fitting != candidates.end()) {
        const Ways &ways = waysFrom(state.at);
        for (unsigned to : fitting->second)
          if (ways.costs[to] != kNever)
            add({to, state.cost + ways.costs[to], from, false});
      }
      add({state.at, state.cost + kPenalty, from, true});
    }
    llvm::erase_if(
        after, [&](const State &state) { return state.cost > best + kMargin; });
    states.push_back(std::move(after));
  }

  // The best end.
  std::optional<unsigned> last;
  uint64_t best = kNever;
  for (auto [number, state] : llvm::enumerate(states.back())) {
    const Ways &ways = waysFrom(state.at);
    if (ways.end && state.cost + ways.costs[*ways.end] < best) {
      best = state.cost + ways.costs[*ways.end];
      last = number;
    }
  }
  if (!last)
    return std::nullopt;

  // From the end back to the beginning.
  MachinePath path;
  path.places.resize(anchors.size());
  std::vector<std::optional<unsigned>> visited(anchors.size());
  unsigned number = *last;
  for (size_t index = anchors.size(); index > 0; --index) {
    const State &state = states[index][number];
    if (state.isMissing)
      ++path.missing;
    else
      visited[index - 1] = state.at;
    number = state.before;
  }
  auto append = [&](std::optional<unsigned> from, unsigned to) {
    const Ways &ways = waysFrom(from);
    llvm::SmallVector<unsigned, 64> way;
    for (unsigned at = to; at != insts.size(); at = ways.previous[at])
      way.push_back(at);
    path.passed += ways.costs[to] / kPenalty;
    path.insts.insert(path.insts.end(), way.rbegin(), way.rend());
  };
  std::optional<unsigned> at;
  for (size_t index = 0; index < anchors.size(); ++index) {
    if (!visited[index])
      continue;
    append(at, *visited[index]);
    path.places[index] = path.insts.size() - 1;
    at = visited[index];
  }
  append(at, *waysFrom(at).end);
  return path;
}
