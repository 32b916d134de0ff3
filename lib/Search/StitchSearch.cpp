//===- StitchSearch.cpp - Chooses the schedule of a stitched group --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/StitchSearch.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::SmallVector;

namespace {

class Enumeration {
public:
  Enumeration(const StitchGroup &group, const ChipInfo &chip, bool isCoarse)
      : group(group), chip(chip), work(group), isCoarse(isCoarse) {
    chooseAxes();
  }

  std::optional<StitchResult> run(std::string &reason) {
    if (group.axes.size() > kMaxTileRank) {
      reason = "a tile has at most " + std::to_string(kMaxTileRank) +
               " dimensions, the group has " +
               std::to_string(group.axes.size()) + " axes";
      return std::nullopt;
    }
    for (int64_t warps = 1; warps <= 32; warps *= 2) {
      current.warps = warps;
      current.spread.assign(group.axes.size(), {});
      spreadOver(0, /*lanes=*/32, warps);
    }
    if (!best)
      reason = "no block has room for the rows: none of " +
               std::to_string(candidates) + " ways to spread them fits";
    else
      best->candidates = candidates, best->legal = legal;
    return best;
  }

private:
  /// Threads go over the axis that is nearest in memory and over the others
  /// from the longest on.
  void chooseAxes() {
    SmallVector<int64_t> bytes(group.axes.size(), 0);
    vectors.assign(group.axes.size(), 1);
    auto add = [&](const StitchTensor &tensor) {
      if (tensor.axes.empty())
        return;
      int64_t size = tensor.elementBytes;
      for (unsigned axis : tensor.axes)
        size *= group.axes[axis].extent;
      bytes[tensor.axes.back()] += size;
      vectors[tensor.axes.back()] = std::max<int64_t>(
          vectors[tensor.axes.back()], tensor.alignment / tensor.elementBytes);
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
        vectors[axis] = 1;
  }

  void spreadOver(unsigned position, int64_t lanes, int64_t warps) {
    if (position == order.size()) {
      if (warps == 1)
        judge();
      return;
    }
    unsigned axis = order[position];
    int64_t extent = group.axes[axis].extent;
    AxisSpread &spread = current.spread[axis];
    bool isLast = position + 1 == order.size();
    // Coarsely an axis takes all lanes and warps that it has use for, or none.
    auto isSkipped = [&](int64_t count, int64_t most, int64_t rest) {
      return isCoarse && count > 1 && count < most &&
             count < static_cast<int64_t>(llvm::PowerOf2Ceil(rest));
    };
    for (int64_t vector = isCoarse ? vectors[axis] : 1;
         vector <= vectors[axis]; vector *= 2)
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
          // A reduced axis is in the block whole.
          for (int64_t r = group.axes[axis].isReduced ? most : 1;
               r <= std::min<int64_t>(most, kMostRegisters);
               r *= isCoarse ? kCoarseStep : 2) {
            spread = {step * r, vector, l, w};
            spreadOver(position + 1, lanes / l, warps / w);
          }
        }
      }
    spread = {};
  }

  void judge() {
    ++candidates;
    if (checkStitching(group, current, chip))
      return;
    std::optional<StitchCost> cost =
        predictStitching(group, work, current, chip);
    if (!cost)
      return;
    ++legal;
    auto key = [](const StitchResult &result) {
      return std::make_tuple(result.cost.total, result.cost.latency,
                             result.cost.issue, result.cost.registers);
    };
    StitchResult rated{current, *cost};
    if (!best || key(rated) < key(*best))
      best = rated;
  }

  static constexpr int64_t kMostRegisters = 256;
  static constexpr int64_t kCoarseStep = 16;

  const StitchGroup &group;
  const ChipInfo &chip;
  StitchWork work;
  bool isCoarse;
  SmallVector<unsigned> order;
  SmallVector<int64_t> vectors;
  StitchSchedule current;
  std::optional<StitchResult> best;
  int64_t candidates = 0, legal = 0;
};

} // namespace

std::optional<StitchResult> fusion::searchStitching(const StitchGroup &group,
                                                    const ChipInfo &chip,
                                                    std::string &reason,
                                                    bool isCoarse) {
  return Enumeration(group, chip, isCoarse).run(reason);
}
