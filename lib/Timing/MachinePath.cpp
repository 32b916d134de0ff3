//===- MachinePath.cpp - A warp's way through its machine code ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/MachinePath.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include <bitset>
#include <queue>
#include <unordered_set>

using namespace fusion;
using namespace fusion::timing;

/// What a missing or passed anchor costs, in instructions.
static constexpr uint64_t kDifference = uint64_t(1) << 32;
/// What an anchor costs whose step has another line: a detour that would be
/// taken for one of its own line.
static constexpr uint64_t kOtherLine = 256;
/// What a step costs that is executed before the first one that waits, for each
/// step between the two.
static constexpr uint64_t kAhead = 16;
/// What each step that waits is expected to cost. Places that have executed
/// more steps in order are tried first: as a rule they are on the path.
static constexpr uint64_t kExpected = 64;

/// Returns whether the machine code of a step has the line of another
/// instruction of its group.
static bool isOfGroup(StepKind kind) {
  return kind == StepKind::WarpgroupMma || kind == StepKind::WarpgroupFence ||
         kind == StepKind::WarpgroupWait;
}

/// How far ahead of the first step without an instruction others have one.
static constexpr unsigned kWindow = 512;

PathFinder::PathFinder(const FlowGraph &graph) : graph(graph) {
  for (const MachineInst &inst : graph.kernel().insts)
    kinds.push_back(anchorKind(inst));
}

/// A search that goes on at the place of the least cost, with what is expected
/// of the steps that wait. A place is an instruction and the steps that have
/// been executed before it.
class PathFinder::Search {
public:
  Search(const PathFinder &finder,
         llvm::ArrayRef<std::pair<StepKind, unsigned>> steps)
      : graph(finder.graph), kinds(finder.kinds), steps(steps) {}

  std::optional<MachinePath> run() {
    if (kinds.empty())
      return std::nullopt;
    add({});
    while (!pending.empty()) {
      unsigned number = pending.top().second;
      pending.pop();
      if (nodes[number].isEnd)
        return trace(number);
      visit(number);
    }
    return std::nullopt;
  }

private:
  static constexpr unsigned kNone = ~0u;
  using Window = std::bitset<kWindow>;

  struct Place {
    unsigned inst = 0; ///< to be executed next; at an end, the last one
    unsigned base = 0; ///< the first step without an instruction
    Window ahead;      ///< bit i: step base + 1 + i has one
    bool operator==(const Place &other) const {
      return inst == other.inst && base == other.base && ahead == other.ahead;
    }
  };
  struct PlaceHash {
    size_t operator()(const Place &place) const {
      return llvm::hash_combine(place.inst, place.base,
                                std::hash<Window>()(place.ahead));
    }
  };

  struct Node : Place {
    uint64_t cost = 0;
    unsigned before = kNone; ///< the number of the node before
    unsigned step = kNone;   ///< that the instruction before executed
    bool isEnd = false;
  };

  void add(Node node) {
    uint64_t waiting = steps.size() - std::min<size_t>(node.base, steps.size());
    pending.push(
        {node.cost + kExpected * waiting, static_cast<unsigned>(nodes.size())});
    nodes.push_back(node);
  }

  bool isTaken(const Node &node, unsigned step) const {
    return step != node.base && node.ahead[step - node.base - 1];
  }

  /// Returns the step that an anchor executes, the first of its line or else of
  /// its kind, or `kNone`.
  unsigned stepOf(const Node &node, const MachineInst &inst,
                  StepKind kind) const {
    unsigned other = kNone;
    unsigned end = std::min<size_t>(steps.size(), node.base + kWindow);
    for (unsigned step = node.base; step < end; ++step) {
      if (steps[step].first != kind || isTaken(node, step))
        continue;
      if (isOfGroup(kind) || steps[step].second == inst.line)
        return step;
      if (other == kNone)
        other = step;
    }
    // Lanes that all fail a guard execute nothing.
    return inst.guard ? kNone : other;
  }

  /// Marks a step as executed.
  void take(Node &node, unsigned step) const {
    if (step != node.base) {
      node.ahead.set(step - node.base - 1);
      // The first step is too far behind to come yet.
      if (step - node.base + 1 < kWindow)
        return;
      node.cost += kDifference;
    }
    do {
      bool isNext = node.ahead[0];
      node.ahead >>= 1;
      ++node.base;
      if (!isNext)
        break;
    } while (true);
  }

  void visit(unsigned number) {
    Node node = nodes[number];
    if (!seen.insert(node).second)
      return;
    unsigned index = node.inst;
    const MachineInst &inst = graph.kernel().insts[index];
    node.before = number;
    node.step = kNone;
    ++node.cost;
    if (kinds[index] != StepKind::None) {
      unsigned step = stepOf(node, inst, kinds[index]);
      if (step == kNone) {
        node.cost += inst.guard ? 0 : kDifference;
      } else {
        if (!isOfGroup(kinds[index]) && steps[step].second != inst.line)
          node.cost += kOtherLine;
        node.cost += kAhead * (step - node.base);
        take(node, step);
        node.step = step;
      }
    }
    leave(node, index);
  }

  /// Goes on from an instruction.
  void leave(Node node, unsigned index) {
    for (unsigned next : graph.next(index)) {
      node.inst = next;
      add(node);
    }
    if (!graph.mayEnd(index))
      return;
    uint64_t left = steps.size() - std::min<size_t>(node.base, steps.size());
    node.cost += kDifference * (left - node.ahead.count());
    node.isEnd = true;
    node.inst = index;
    add(node);
  }

  MachinePath trace(unsigned number) const {
    MachinePath path;
    path.places.resize(steps.size());
    std::vector<std::pair<unsigned, unsigned>> back; // instruction, step
    for (unsigned at = number; nodes[at].before != kNone; at = nodes[at].before)
      back.push_back({nodes[nodes[at].before].inst, nodes[at].step});
    for (auto [inst, step] : llvm::reverse(back)) {
      if (step != kNone)
        path.places[step] = path.insts.size();
      else if (kinds[inst] != StepKind::None &&
               !graph.kernel().insts[inst].guard)
        ++path.passed;
      path.insts.push_back(inst);
    }
    path.missing = llvm::count(path.places, std::nullopt);
    return path;
  }

  const FlowGraph &graph;
  const std::vector<StepKind> &kinds;
  llvm::ArrayRef<std::pair<StepKind, unsigned>> steps;
  std::vector<Node> nodes;
  using Item = std::pair<uint64_t, unsigned>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> pending;
  std::unordered_set<Place, PlaceHash> seen;
};

std::optional<MachinePath> PathFinder::find(llvm::ArrayRef<Step> steps) {
  std::vector<std::pair<StepKind, unsigned>> own;
  for (const Step &step : steps)
    if (!step.isFurther)
      own.push_back(
          {step.kind == StepKind::TMAWait ? StepKind::AsyncWait : step.kind,
           step.line});
  auto [entry, isNew] = known.try_emplace(own);
  if (isNew)
    entry->second = Search(*this, own).run();
  if (!entry->second || own.size() == steps.size())
    return entry->second;
  // Further steps have the place of the one before.
  MachinePath path = *entry->second;
  std::vector<std::optional<unsigned>> places;
  size_t next = 0;
  for (const Step &step : steps)
    places.push_back(step.isFurther ? path.places[next - 1]
                                    : path.places[next++]);
  path.places = std::move(places);
  return path;
}
