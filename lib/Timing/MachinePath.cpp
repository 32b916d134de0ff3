//===- MachinePath.cpp - A warp's way through its machine code ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/MachinePath.h"
#include "AccessWidth.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include <bitset>
#include <queue>
#include <set>
#include <unordered_set>

using namespace fusion;
using namespace fusion::timing;
using emulator::StepAction;

/// What a missing or passed anchor costs, in instructions.
static constexpr uint64_t kDifference = uint64_t(1) << 14;
/// What a step costs for each step before it that has no instruction yet. The
/// number of these, and not the distance to the first one: a step that ptxas
/// has removed stays the first one, and must not hide the order of the others.
static constexpr uint64_t kAhead = 16;
/// Where a step that far ahead, by its cost, is the next one of a guarded
/// anchor, it may also be of a later execution: all lanes fail the guard in
/// this one, which costs a little.
static constexpr uint64_t kFarAhead = 512, kSkip = 8;
/// What each step that waits is expected to cost. Places that have executed
/// more steps in order are tried first: as a rule they are on the path.
static constexpr uint64_t kExpected = 64;

/// Returns whether the machine code of a step may have the line of another step
/// of its kind: one of the group of wgmma, or a commit that ptxas has merged
/// with that of another branch, as commits have no operands.
static bool isOfGroup(StepKind kind) {
  return kind == StepKind::WarpgroupMma || kind == StepKind::WarpgroupFence ||
         kind == StepKind::WarpgroupWait || kind == StepKind::AsyncCommit;
}

/// How far ahead of the first step without an instruction others have one.
static constexpr unsigned kWindow = 512;
/// How many executed steps a place may have less than the one with the most.
/// Others that have executed as many are on the path of the least cost, or near
/// it.
static constexpr unsigned kBehind = 64;
/// The executed steps after which the path found until then stays.
static constexpr unsigned kSegment = 2048;
/// The most places of a segment. If there are more, what was found until the
/// first one with the most executed steps stays.
static constexpr size_t kMostNodes = 500000;

/// Marks the lines of waits for mbarriers, so that waits and other operations
/// whose lines are not known stay apart.
static constexpr unsigned kWait = 1u << 31;

/// Instructions between the target of a jump and the try of a wait there, at
/// most.
static constexpr unsigned kMostBetween = 8;

PathFinder::PathFinder(const FlowGraph &graph,
                       llvm::ArrayRef<emulator::PtxInst> ptx)
    : graph(graph), mostSteps(mergedExecutions(graph.kernel(), ptx)) {
  for (const MachineInst &inst : graph.kernel().insts) {
    kinds.push_back(anchorKind(inst));
    lines.push_back(isMbarrierWait(inst) ? inst.line | kWait : inst.line);
  }
  // ptxas peels the first try off the loop of a wait, and gives it another
  // line. The line of the PTX is that of the try in the loop.
  for (auto [index, inst] : llvm::enumerate(graph.kernel().insts)) {
    std::optional<Retry> retry;
    if (inst.target)
      retry = retryOf(index, *inst.target);
    triesAgain.push_back(retry.has_value());
    if (retry)
      lines[retry->first] = graph.kernel().insts[retry->next].line | kWait;
  }
  for (auto [kind, line] : llvm::zip(kinds, lines))
    if (kind != StepKind::None)
      anchors.insert({kind, line});
}

/// Returns the tries of a wait for an mbarrier before and behind a jump that
/// tries the wait again: both of the same mbarrier and phase. Returns nullopt
/// for other jumps.
std::optional<PathFinder::Retry> PathFinder::retryOf(unsigned jump,
                                                     unsigned target) const {
  llvm::ArrayRef<MachineInst> insts = graph.kernel().insts;
  unsigned next = target;
  while (next < insts.size() && kinds[next] == StepKind::None &&
         next - target < kMostBetween)
    ++next;
  // The last try before the jump, without another jump between the two. ptxas
  // may have moved any instructions there.
  unsigned before = jump;
  while (before > 0 && !isMbarrierWait(insts[before]) &&
         (before == jump || !insts[before].target))
    --before;
  if (next == insts.size() || !isMbarrierWait(insts[next]) ||
      !isMbarrierWait(insts[before]))
    return std::nullopt;
  // `P2, [UR13+0xc040], R2`: the predicates may differ.
  if (insts[next].operands.split(',').second !=
      insts[before].operands.split(',').second)
    return std::nullopt;
  return Retry{before, next};
}

/// Which anchors may execute which steps: those of one class.
struct PathFinder::Classes {
  static constexpr unsigned kNone = ~0u;
  std::vector<unsigned> ofSteps; ///< kNone: the machine code has no anchor
  std::vector<unsigned> ofInsts; ///< kNone: no anchor, or none that has steps
};

PathFinder::Classes PathFinder::classify(const Key &steps) const {
  // Instructions of a group, and those with lines that no step has, are a class
  // by their kind alone; so are steps with lines that no instruction has.
  std::set<std::pair<StepKind, unsigned>> linesOfSteps(steps.begin(),
                                                       steps.end());
  std::map<std::pair<StepKind, unsigned>, unsigned> numbers;
  Classes classes;
  auto numberOf = [&](StepKind kind, unsigned line) {
    return numbers.try_emplace({kind, line}, numbers.size()).first->second;
  };
  for (auto [index, kind] : llvm::enumerate(kinds)) {
    classes.ofInsts.push_back(Classes::kNone);
    if (kind == StepKind::None)
      continue;
    unsigned line = lines[index];
    bool isExact = !isOfGroup(kind) && linesOfSteps.count({kind, line});
    classes.ofInsts.back() = numberOf(kind, isExact ? line : line & kWait);
  }
  size_t known = numbers.size();
  for (auto [kind, line] : steps) {
    bool isExact = !isOfGroup(kind) && anchors.count({kind, line});
    unsigned number = numberOf(kind, isExact ? line : line & kWait);
    classes.ofSteps.push_back(number < known ? number : Classes::kNone);
  }
  return classes;
}

/// A search that goes on at the place of the least cost, with what is expected
/// of the steps that wait. A place is an instruction and the steps that have
/// been executed before it.
class PathFinder::Search {
public:
  /// `merges`: whether wide accesses execute several steps.
  Search(const PathFinder &finder, const Classes &classes, bool merges)
      : graph(finder.graph), kinds(finder.kinds), triesAgain(finder.triesAgain),
        mostSteps(finder.mostSteps), ofInsts(classes.ofInsts), merges(merges) {
    for (auto [step, number] : llvm::enumerate(classes.ofSteps))
      if (number != Classes::kNone) {
        steps.push_back(number);
        original.push_back(step);
      }
    path.places.resize(classes.ofSteps.size());
    path.removed = classes.ofSteps.size() - steps.size();
  }

  std::optional<MachinePath> run() {
    if (kinds.empty())
      return std::nullopt;
    add({});
    unsigned most = 0, segment = 0; // executed steps
    unsigned foremost = 0;          // the first node with the most
    while (!pending.empty()) {
      if (nodes.size() > kMostNodes && most > segment) {
        segment = most;
        restart(foremost);
        foremost = 0;
      }
      unsigned number = pending.top().second;
      pending.pop();
      const Node &node = nodes[number];
      if (node.isEnd) {
        trace(number);
        path.missing = llvm::count(path.places, std::nullopt) - path.removed;
        return std::move(path);
      }
      if (node.executed + kBehind < most)
        continue;
      if (node.executed > most) {
        most = node.executed;
        foremost = number;
      }
      if (node.executed >= segment + kSegment) {
        segment = node.executed;
        restart(number);
        foremost = 0;
        continue;
      }
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
    bool executes = false;   ///< whether the instruction before had steps
    unsigned executed = 0;   ///< steps that have an instruction
    bool isEnd = false;
  };

  void add(Node node) {
    uint64_t waiting = steps.size() - std::min<size_t>(node.base, steps.size());
    pending.push(
        {node.cost + kExpected * waiting, static_cast<unsigned>(nodes.size())});
    nodes.push_back(node);
  }

  bool isTaken(const Place &place, unsigned step) const {
    return step != place.base && place.ahead[step - place.base - 1];
  }

  /// Returns the steps that an anchor executes, the first of its class that
  /// have no instruction.
  llvm::SmallVector<unsigned, 4> stepsOf(const Place &place,
                                         unsigned inst) const {
    llvm::SmallVector<unsigned, 4> found;
    unsigned number = ofInsts[inst], most = merges ? mostSteps[inst] : 1;
    if (number == Classes::kNone)
      return found;
    unsigned end = std::min<size_t>(steps.size(), place.base + kWindow);
    for (unsigned step = place.base; step < end && found.size() < most; ++step)
      if (steps[step] == number && !isTaken(place, step))
        found.push_back(step);
    return found;
  }

  /// Returns how many steps before one have no instruction yet.
  unsigned waitingBefore(const Node &node, unsigned step) const {
    if (step == node.base)
      return 0;
    unsigned between = step - node.base - 1;
    Window taken = node.ahead << (kWindow - between);
    return 1 + between - taken.count();
  }

  /// Marks a step as executed.
  void take(Node &node, unsigned step) const {
    ++node.executed;
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
    node.executes = false;
    ++node.cost;
    if (kinds[index] != StepKind::None) {
      llvm::SmallVector<unsigned, 4> found = stepsOf(node, index);
      // Lanes that all fail a guard execute nothing.
      if (found.empty()) {
        node.cost += inst.guard ? 0 : kDifference;
      } else {
        uint64_t ahead = kAhead * waitingBefore(node, found.front());
        if (inst.guard && ahead > kFarAhead) {
          Node skips = node;
          skips.cost += kSkip;
          leave(skips, index);
        }
        node.cost += ahead;
        for (unsigned step : found)
          take(node, step);
        node.executes = true;
      }
    }
    leave(node, index);
  }

  /// Goes on from an instruction.
  void leave(Node node, unsigned index) {
    for (unsigned next : graph.next(index)) {
      // A step is a try that succeeds.
      if (triesAgain[index] && next == graph.kernel().insts[index].target)
        continue;
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

  /// Appends the instructions before a node to the path.
  void trace(unsigned number) {
    std::vector<unsigned> back;
    for (unsigned at = number; nodes[at].before != kNone; at = nodes[at].before)
      back.push_back(at);
    for (unsigned at : llvm::reverse(back)) {
      const Node &before = nodes[nodes[at].before];
      if (nodes[at].executes)
        for (unsigned step : stepsOf(before, before.inst))
          path.places[original[step]] = path.insts.size();
      else if (kinds[before.inst] != StepKind::None &&
               !graph.kernel().insts[before.inst].guard)
        ++path.passed;
      path.insts.push_back(before.inst);
    }
  }

  /// Goes on from one node alone.
  void restart(unsigned number) {
    trace(number);
    Node root = nodes[number];
    root.before = kNone;
    root.executes = false;
    root.cost = 0;
    nodes.clear();
    pending = {};
    seen.clear();
    add(root);
  }

  const FlowGraph &graph;
  const std::vector<StepKind> &kinds;
  const std::vector<bool> &triesAgain;
  const std::vector<unsigned> &mostSteps;
  const std::vector<unsigned> &ofInsts; ///< classes
  bool merges;
  std::vector<unsigned> steps;    ///< classes of steps that have anchors
  std::vector<unsigned> original; ///< their numbers in the execution
  MachinePath path;
  std::vector<Node> nodes;
  using Item = std::pair<uint64_t, unsigned>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> pending;
  std::unordered_set<Place, PlaceHash> seen;
};

/// Fills in the steps by place, from the places by step.
static void listSteps(MachinePath &path) {
  path.steps.assign(path.insts.size(), MachinePath::kNoStep);
  for (auto [step, place] : llvm::enumerate(path.places))
    if (place && path.steps[*place] == MachinePath::kNoStep)
      path.steps[*place] = step;
}

std::optional<MachinePath> PathFinder::search(const Key &steps) const {
  Classes classes = classify(steps);
  auto differences = [](const std::optional<MachinePath> &path) {
    return path ? path->missing + path->passed : ~0u;
  };
  std::optional<MachinePath> path = Search(*this, classes, false).run();
  bool mayMerge = llvm::any_of(mostSteps, [](unsigned n) { return n > 1; });
  if (!mayMerge || differences(path) == 0)
    return path;
  std::optional<MachinePath> merged = Search(*this, classes, true).run();
  return differences(merged) < differences(path) ? merged : path;
}

const MachinePath *PathFinder::find(llvm::ArrayRef<Step> steps) {
  // A further step is marked by its line, which no other one has.
  Key own, all;
  for (const Step &step : steps) {
    StepKind kind =
        step.kind == StepKind::TMAWait ? StepKind::AsyncWait : step.kind;
    bool isWait = kind == StepKind::Mbarrier && step.action == StepAction::Wait;
    unsigned line = isWait ? step.line | kWait : step.line;
    all.push_back({kind, step.isFurther ? ~0u : line});
    if (!step.isFurther)
      own.push_back(all.back());
  }
  auto [entry, isNew] = known.try_emplace(own);
  if (isNew) {
    entry->second = search(own);
    if (entry->second)
      listSteps(*entry->second);
  }
  if (!entry->second)
    return nullptr;
  if (own.size() == all.size())
    return &*entry->second;
  auto [whole, isNewWhole] = knownWithFurther.try_emplace(all);
  if (isNewWhole) {
    // Further steps have the place of the one before.
    whole->second = *entry->second;
    std::vector<std::optional<unsigned>> &places = whole->second->places;
    places.clear();
    size_t next = 0;
    for (const Step &step : steps)
      places.push_back(
          entry->second->places[step.isFurther ? next - 1 : next++]);
    listSteps(*whole->second);
  }
  return &*whole->second;
}
