//===- StitchSearch.cpp - Chooses the schedule of a stitched group --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/StitchSearch.h"
#include "fusion/Analysis/StitchAlignment.h"
#include "fusion/Analysis/StitchSplit.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <limits>

using namespace fusion;
using llvm::SmallVector;

namespace {

class Enumeration {
public:
  /// `split`: the reduced axis that blocks have a part of.
  Enumeration(const StitchGroup &group, const ChipInfo &chip, bool isCoarse,
              bool mayWalk = true, std::optional<unsigned> split = std::nullopt)
      : group(group), chip(chip), work(group, split), isCoarse(isCoarse),
        split(split) {
    if (!mayWalk)
      work.walked.reset();
    chooseAxes();
  }

  /// `warps`: of the block, 0 for any number.
  std::optional<StitchResult> run(std::string &reason, int64_t onlyWarps = 0) {
    if (group.axes.size() > kMaxTileRank) {
      reason = "a tile has at most " + std::to_string(kMaxTileRank) +
               " dimensions, the group has " +
               std::to_string(group.axes.size()) + " axes";
      return std::nullopt;
    }
    for (int64_t warps = 1; warps <= kMostWarps; warps *= 2)
      if (!onlyWarps || warps == onlyWarps)
        searchWarps(warps);
    if (best && !onlyWarps)
      tryStreams();
    if (!best)
      reason = "no block has room for the rows: none of " +
               std::to_string(candidates) + " ways to spread them fits";
    else
      best->candidates = candidates, best->legal = legal;
    return best;
  }

private:
  /// The best with what is touched once past the caches, where that is faster.
  void tryStreams() {
    current = best->schedule;
    current.streams = true;
    std::optional<StitchCost> cost =
        predictStitching(group, work, current, chip);
    if (cost && cost->total < best->cost.total)
      best = StitchResult{current, *cost};
  }

  static auto key(const StitchResult &result) {
    return std::make_tuple(result.cost.total, result.cost.traffic,
                           result.cost.latency, result.cost.issue,
                           result.cost.registers);
  }

  /// All ways to spread a block of so many warps; where they are too many, the
  /// coarse ones, and around their best what pairs of axes can exchange.
  void searchWarps(int64_t warps) {
    std::optional<StitchResult> others = std::exchange(best, std::nullopt);
    auto spreadAll = [&](int64_t most) {
      current.warps = warps;
      current.spread.assign(group.axes.size(), {});
      room = most;
      spreadOver(0, kWarpSize, warps);
      return room > 0;
    };
    if (!spreadAll(isCoarse ? kAll : kMostSpreads) && !isCoarse) {
      isCoarse = true;
      spreadAll(kAll);
      isCoarse = false;
      exchange();
    }
    if (others && (!best || key(*others) <= key(*best)))
      best = others;
  }

  /// From the best on: lanes, warps and registers of two axes anew, as long as
  /// that is faster.
  void exchange() {
    for (bool isFaster = best.has_value(); isFaster;) {
      auto before = key(*best);
      for (unsigned a = 0; a < order.size(); ++a)
        for (unsigned b = a + 1; b < order.size(); ++b) {
          base = unwalked(best->schedule);
          open = {order[a], order[b]};
          room = kMostSpreads;
          current.spread.assign(group.axes.size(), {});
          spreadOver(0, kWarpSize, current.warps);
        }
      base.reset();
      isFaster = key(*best) < before;
    }
  }

  /// The spread with a single step of the walked axis, as the enumeration has
  /// it.
  static SmallVector<AxisSpread> unwalked(const StitchSchedule &schedule) {
    SmallVector<AxisSpread> spread(schedule.spread);
    if (schedule.walk)
      spread[schedule.walk->axis].tile = schedule.walk->step;
    return spread;
  }

  /// Threads go over the axis that is nearest in memory and over the others
  /// from the longest on.
  void chooseAxes() {
    SmallVector<int64_t> bytes(group.axes.size(), 0);
    vectors.assign(group.axes.size(), 1);
    aligned.assign(group.axes.size(), 1);
    narrowest.assign(group.axes.size(), 0);
    auto add = [&](const StitchTensor &tensor) {
      if (tensor.axes.empty())
        return;
      int64_t size = tensor.elementBytes;
      for (unsigned axis : tensor.axes)
        size *= group.axes[axis].extent;
      bytes[tensor.axes.back()] += size;
      int64_t width = tensor.alignment / tensor.elementBytes;
      int64_t &widest = vectors[tensor.axes.back()],
              &least = narrowest[tensor.axes.back()];
      widest = std::max(widest, width);
      if (tensor.isInPhase)
        aligned[*tensor.unit] = std::max<int64_t>(
            aligned[*tensor.unit], kWidestAccess / tensor.elementBytes);
      least = least == 0 ? width : std::min(least, width);
    };
    llvm::for_each(group.inputs, add);
    llvm::for_each(group.results, add);
    order = llvm::to_vector(llvm::seq<unsigned>(0, group.axes.size()));
    unsigned unit =
        std::max_element(bytes.begin(), bytes.end()) - bytes.begin();
    llvm::stable_sort(order, [&](unsigned a, unsigned b) {
      if ((a == unit) != (b == unit))
        return a == unit;
      return group.axes[a].extent > group.axes[b].extent;
    });
    for (unsigned axis = 0; axis < vectors.size(); ++axis)
      if (axis != unit)
        vectors[axis] = aligned[axis] = 1;
  }

  void spreadOver(unsigned position, int64_t lanes, int64_t warps) {
    if (room <= 0)
      return;
    if (position == order.size()) {
      --room;
      if (warps == 1 && (lanes == 1 || !hasRoom()))
        judge();
      return;
    }
    unsigned axis = order[position];
    AxisSpread &spread = current.spread[axis];
    if (base && !llvm::is_contained(open, axis)) {
      spread = (*base)[axis];
      if (lanes % spread.lanes == 0 && warps % spread.warps == 0)
        spreadOver(position + 1, lanes / spread.lanes, warps / spread.warps);
      spread = {};
      return;
    }
    bool isLast = position + 1 == order.size();
    // Of axes that tell where an aligned one begins a block has one element.
    if (beginsRows(group, current, axis)) {
      spread = {1};
      if (!isLast || warps == 1)
        spreadOver(position + 1, lanes, warps);
      spread = {};
      return;
    }
    spreadAligned(position, lanes, warps, 1);
    if (position == 0 && group.axes[axis].align > 1 && !split)
      spreadAligned(position, lanes, warps, group.axes[axis].align);
    spread = {};
  }

  /// The same with tiles that begin at a multiple of `align` elements.
  void spreadAligned(unsigned position, int64_t lanes, int64_t warps,
                     int64_t align) {
    unsigned axis = order[position];
    AxisSpread &spread = current.spread[axis];
    bool isLast = position + 1 == order.size();
    int64_t extent = group.axes[axis].extent + align - 1;
    // Coarsely an axis takes all lanes and warps that it has use for, or none.
    auto isSkipped = [&](int64_t count, int64_t most, int64_t rest) {
      return isCoarse && count > 1 && count < most &&
             count < static_cast<int64_t>(llvm::PowerOf2Ceil(rest));
    };
    // The widest accesses that a warp has use for. Narrower ones have as many
    // bytes under way in more requests.
    SmallVector<int64_t, 4> widths = {align > 1 ? aligned[axis]
                                                : vectors[axis]};
    while (widths.back() > 1 && (widths.back() * kWarpSize > extent ||
                                 widths.back() > narrowest[axis]))
      widths.push_back(
          isCoarse && widths.back() <= narrowest[axis] ? 1 : widths.back() / 2);
    for (int64_t vector : widths)
      for (int64_t l = 1; l <= lanes; l *= 2) {
        if (l > 1 && vector * l / 2 >= extent)
          break;
        if (isSkipped(l, lanes, llvm::divideCeil(extent, vector)))
          continue;
        for (int64_t w = isLast ? warps : 1; w <= warps; w *= 2) {
          if (w > 1 && vector * l * w / 2 >= extent && !isLast)
            break;
          if (isSkipped(w, warps, llvm::divideCeil(extent, vector * l)))
            continue;
          int64_t step = vector * l * w;
          int64_t most = llvm::divideCeil(extent, step);
          // A reduced axis is in the block whole; one that is walked through
          // has some of it at a time.
          bool isWalked = work.walked && work.walked->axis == axis;
          for (int64_t r = group.axes[axis].isReduced && !isWalked ? most : 1;
               r <=
               std::min<int64_t>(most, isWalked ? kMostOfStep : kMostRegisters);
               r *= isCoarse && !isWalked ? kCoarseStep : 2) {
            spread = {step * r, vector, l, w, align};
            spreadOver(position + 1, lanes / l, warps / w);
          }
        }
      }
  }

  /// Whether an axis has elements for further lanes.
  bool hasRoom() const {
    for (auto [axis, spread] : llvm::zip_equal(group.axes, current.spread))
      if (spread.vector * spread.lanes < axis.extent)
        return true;
    return false;
  }

  /// Along the walked axis what is kept, and where, is one more choice.
  void judge() {
    if (!work.walked) {
      rate();
      return;
    }
    unsigned axis = *work.walked->axis;
    AxisSpread saved = current.spread[axis];
    int64_t step = saved.tile,
            steps = llvm::divideCeil(spanOf(group.axes[axis], saved), step);
    if (split) {
      // So many blocks for each SM, in a loop or straight on.
      current.spread[axis].tile = step * steps;
      int64_t others = countBlocks(group, current), last = 0;
      for (int64_t each = 1; each <= kMostOfSM; each *= isCoarse ? 4 : 2) {
        int64_t parts = llvm::divideCeil(each * chip.numSMs, others);
        int64_t own = llvm::divideCeil(steps, std::min(parts, steps));
        if (own == last || own == steps)
          continue;
        last = own;
        current.spread[axis].tile = step * own;
        current.walk = {axis, step, 0, 0};
        rate();
        if (own <= kMostUnrolled) {
          current.walk->registers = own;
          rate();
        }
      }
      current.walk.reset();
      current.spread[axis] = saved;
      return;
    }
    current.spread[axis].tile = step * steps;
    // What is kept whole is read once in either form, and the running form
    // computes more.
    if (!judgeKept(*work.walked, step, steps, /*isOnline=*/false) &&
        work.online)
      judgeKept(*work.online, step, steps, /*isOnline=*/true);
    current.walk.reset();
    current.spread[axis] = saved;
  }

  /// Returns whether the whole walk can be kept.
  bool judgeKept(const StitchPasses &passes, int64_t step, int64_t steps,
                 bool isOnline) {
    unsigned axis = *passes.axis;
    auto attempt = [&](int64_t registers, int64_t shared) {
      if (registers > kMostUnrolled)
        return false;
      current.walk = {axis, step, registers, shared, isOnline};
      return rate();
    };
    bool isKept = passes.count > 1, isWhole = false;
    bool fits = attempt(steps, 0);
    if (isKept) {
      // As much as shared memory has room for, beside registers or alone.
      current.walk = {axis, step, 0, 1, isOnline};
      int64_t bytes = countStash(group, current, passes);
      int64_t room =
          bytes ? std::min<int64_t>(steps, chip.sharedMemoryPerBlock / bytes)
                : 0;
      if (room > 0) {
        bool hasRoom = attempt(0, room);
        isWhole = hasRoom && room == steps;
        if (!hasRoom)
          attempt(0, --room);
      }
      // Then as many in registers as there are.
      int64_t low = 0, high = std::min(steps - room, kMostUnrolled);
      while (!fits && low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (attempt(middle, room)) {
          low = middle;
          isWhole |= middle + room == steps;
        } else {
          high = middle - 1;
        }
      }
    }
    if (!isKept || !fits)
      attempt(0, 0);
    return isWhole || (isKept && fits);
  }

  bool rate() {
    ++candidates;
    if (checkStitching(group, current, chip))
      return false;
    std::optional<StitchCost> cost =
        predictStitching(group, work, current, chip, &memo);
    if (!cost)
      return false;
    ++legal;
    StitchResult rated{current, *cost};
    if (!best || key(rated) < key(*best))
      best = rated;
    return true;
  }

  static constexpr int64_t kWarpSize = 32;
  static constexpr int64_t kWidestAccess = 16;     // bytes
  static constexpr int64_t kMostWarps = 32;        // of a block
  static constexpr int64_t kMostSpreads = 1 << 14; // that are all looked at
  static constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  static constexpr int64_t kMostOfStep = 4;    // registers, in units of vectors
  static constexpr int64_t kMostUnrolled = 32; // steps
  static constexpr int64_t kMostRegisters = 32; // of an axis, in vectors
  static constexpr int64_t kCoarseStep = 16;
  static constexpr int64_t kMostOfSM = 32; // blocks that share reductions

  const StitchGroup &group;
  const ChipInfo &chip;
  StitchWork work;
  bool isCoarse;
  std::optional<unsigned> split;
  SmallVector<unsigned> order;
  SmallVector<int64_t> vectors;   ///< elements of the widest accesses, by axis
  SmallVector<int64_t> aligned;   ///< the same where tiles begin aligned
  SmallVector<int64_t> narrowest; ///< of those that some tensor allows
  StitchSchedule current;
  StitchMemo memo;
  int64_t room = kAll; ///< for further ways to spread
  std::optional<SmallVector<AxisSpread>>
      base; ///< of the axes but the open ones
  std::array<unsigned, 2> open;
  std::optional<StitchResult> best;
  int64_t candidates = 0, legal = 0;
};

} // namespace

/// The operators of one component as a group, and the axes that its axes are in
/// the whole.
static StitchGroup extract(const StitchGroup &group, unsigned component,
                           SmallVector<unsigned> &axes) {
  StitchGroup part;
  SmallVector<unsigned> numbers(group.axes.size());
  for (auto [number, axis] : llvm::enumerate(group.axes))
    if (group.components[number] == component) {
      numbers[number] = axes.size();
      axes.push_back(number);
      part.axes.push_back(axis);
      part.components.push_back(0);
    }
  for (StitchAxis &axis : part.axes)
    for (auto &[other, stride] : axis.rowStrides)
      other = numbers[other];
  auto own = [&](StitchTensor tensor) {
    for (unsigned &axis : tensor.axes)
      axis = numbers[axis];
    if (tensor.unit)
      tensor.unit = numbers[*tensor.unit];
    tensor.component = 0;
    return tensor;
  };
  llvm::DenseMap<unsigned, unsigned> inputs, positions;
  for (auto [op, loops] : llvm::enumerate(group.loops)) {
    if (group.componentOf(op) != component)
      continue;
    part.homes.push_back(numbers[group.homes[op]]);
    part.operators.push_back(group.operators[op]);
    part.reductions.push_back(group.reductions[op]);
    part.resultLoops.push_back(group.resultLoops[op]);
    SmallVector<unsigned> &renamed = part.loops.emplace_back(loops);
    for (unsigned &axis : renamed)
      axis = numbers[axis];
    for (unsigned input : group.sources[op].inputs)
      if (inputs.insert({input, part.inputs.size()}).second)
        part.inputs.push_back(own(group.inputs[input]));
    positions[op] = part.operators.size() - 1;
    StitchGroup::Sources &sources = part.sources.emplace_back();
    for (unsigned source : group.sources[op].operators)
      sources.operators.push_back(positions[source]);
    for (unsigned input : group.sources[op].inputs)
      sources.inputs.push_back(inputs[input]);
  }
  for (auto [reader, input] : group.reads)
    if (auto it = inputs.find(input); it != inputs.end())
      part.reads[reader] = it->second;
  for (const StitchTensor &tensor : group.results)
    if (part.definer(tensor.value))
      part.results.push_back(own(tensor));
  return part;
}

/// One kernel of components whose blocks stand side by side. A block computes
/// one of them, with the registers and the shared memory that the kernel has;
/// the bytes and the instructions of all pass through the same chip.
static std::optional<StitchCost> packCosts(llvm::ArrayRef<StitchCost> parts,
                                           llvm::ArrayRef<int64_t> blocks,
                                           int64_t warps, int64_t sharedMemory,
                                           const ChipInfo &chip) {
  constexpr int64_t warpSize = 32;
  StitchCost cost;
  cost.sharedMemory = sharedMemory;
  for (const StitchCost &part : parts)
    cost.registers = std::max(cost.registers, part.registers);
  if (cost.registers * warps * warpSize > chip.registersPerSM ||
      cost.sharedMemory > chip.sharedMemoryPerBlock)
    return std::nullopt;
  cost.blocksPerSM = std::min<int64_t>(
      {chip.maxBlocksPerSM, chip.maxWarpsPerSM / warps,
       chip.registersPerSM / (cost.registers * warps * warpSize),
       chip.sharedMemoryPerSM /
           (cost.sharedMemory + chip.sharedMemoryReserved)});
  if (cost.blocksPerSM == 0)
    return std::nullopt;
  double places = double(chip.numSMs) * cost.blocksPerSM, longest = 0, sum = 0,
         issue = 0;
  int64_t allBlocks = 0;
  for (auto [part, count] : llvm::zip_equal(parts, blocks)) {
    cost.memory += part.memory;
    cost.traffic += part.traffic;
    // A block's steps, one after the other.
    double block = part.latency / part.waves;
    longest =
        std::max(longest, block * llvm::divideCeil(count, int64_t(places)));
    sum += block * count / places;
    cost.issue = std::max(cost.issue, part.issue);
    issue += part.issue * count /
             (double(chip.numSMs) * llvm::divideCeil(count, chip.numSMs));
    allBlocks += count;
  }
  cost.latency = std::max(longest, sum);
  cost.issue = std::max(cost.issue, issue);
  cost.waves = llvm::divideCeil(allBlocks, int64_t(places));
  double busy = std::max({cost.memory, cost.issue, cost.latency});
  cost.total = chip.launchOverhead + chip.dramLatency +
               std::max(busy, cost.memory + cost.latency / cost.blocksPerSM);
  return cost;
}

/// Components share nothing but the number of warps, and the walk of one: that
/// of the most points goes first.
static std::optional<StitchResult>
searchPacked(const StitchGroup &group, unsigned count, const ChipInfo &chip,
             std::string &reason, bool isCoarse) {
  StitchWork work(group);
  std::optional<StitchResult> best;
  int64_t candidates = 0, legal = 0;
  for (int64_t warps = 1; warps <= 32; warps *= 2) {
    StitchSchedule whole;
    whole.warps = warps;
    whole.spread.assign(group.axes.size(), {});
    bool isPossible = true;
    SmallVector<StitchCost> costs;
    SmallVector<int64_t> blocks;
    for (unsigned component = 0; component < count && isPossible; ++component) {
      SmallVector<unsigned> axes;
      StitchGroup part = extract(group, component, axes);
      bool mayWalk =
          work.walked && llvm::is_contained(axes, *work.walked->axis);
      std::optional<StitchResult> found =
          Enumeration(part, chip, isCoarse, mayWalk).run(reason, warps);
      isPossible = found.has_value();
      if (!found)
        break;
      candidates += found->candidates;
      legal += found->legal;
      costs.push_back(found->cost);
      blocks.push_back(countBlocks(part, found->schedule));
      for (auto [own, axis] : llvm::enumerate(axes))
        whole.spread[axis] = found->schedule.spread[own];
      if (found->schedule.walk) {
        whole.walk = found->schedule.walk;
        whole.walk->axis = axes[found->schedule.walk->axis];
      }
    }
    if (!isPossible || checkStitching(group, whole, chip))
      continue;
    std::optional<StitchCost> cost =
        packCosts(costs, blocks, warps,
                  sharedToFit(group, whole, work.passesOf(whole),
                              chip.sharedMemoryPerBlock),
                  chip);
    if (cost && (!best || cost->total < best->cost.total))
      best = StitchResult{whole, *cost};
  }
  if (best)
    best->candidates = candidates, best->legal = legal;
  else if (reason.empty())
    reason = "no number of warps fits all of its parts";
  return best;
}

/// What a kernel whose blocks share reductions takes at least: its bytes, and a
/// store, a count and a load of the parts.
static double leastOfShared(const StitchGroup &group, const ChipInfo &chip) {
  return chip.launchOverhead + 2 * chip.dramLatency + 3 * chip.l2Latency +
         StitchWork(group).compulsoryBytes / chip.dramBytesPerSecond;
}

std::optional<StitchResult> fusion::searchStitching(const StitchGroup &group,
                                                    const ChipInfo &chip,
                                                    std::string &reason,
                                                    bool isCoarse) {
  unsigned count =
      group.components.empty() ? 0 : 1 + *llvm::max_element(group.components);
  if (count > 1)
    return searchPacked(group, count, chip, reason, isCoarse);
  std::optional<StitchResult> best =
      Enumeration(group, chip, isCoarse).run(reason);
  // Where that leaves multiprocessors without a block, blocks share reductions.
  if (best && (countBlocks(group, best->schedule) >= chip.numSMs ||
               best->cost.total <= leastOfShared(group, chip)))
    return best;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    if (!canSplit(group, axis))
      continue;
    std::string ignored;
    std::optional<StitchResult> shared =
        Enumeration(group, chip, isCoarse, /*mayWalk=*/true, axis).run(ignored);
    if (!shared)
      continue;
    if (best) {
      shared->candidates += best->candidates;
      shared->legal += best->legal;
    }
    if (!best || shared->cost.total < best->cost.total) {
      best = shared;
    } else {
      best->candidates = shared->candidates;
      best->legal = shared->legal;
    }
  }
  return best;
}
