//===- ChimeraSearch.cpp - Chimera's choice of a block execution order ----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Papers/ChimeraSearch.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Search/Papers/PaperSpace.h"
#include "fusion/Search/Space/ScheduleBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <algorithm>

using namespace fusion;
using llvm::SmallVector;

namespace {

class ChimeraSearch {
public:
  ChimeraSearch(const GroupModel &group, int64_t capacity, PartialSums sums)
      : group(group), capacity(capacity), sums(sums) {}

  /// Evaluates all tiles with the given loop order.
  void visit(llvm::ArrayRef<unsigned> order, const DataMovement &policy) {
    current.order.assign(order.begin(), order.end());
    current.tiles.clear();
    for (const auto &list : choices)
      current.tiles.push_back(list.front());
    chooseTile(0, policy);
  }

  SmallVector<SmallVector<int64_t>, 8> choices; ///< tiles by axis, ascending
  std::optional<ChimeraOptimum> best;

private:
  void chooseTile(unsigned axis, const DataMovement &policy) {
    if (axis == group.axes.size()) {
      current.memoryUsage = policy.memoryUsage(group, current.tiles);
      if (current.memoryUsage > capacity)
        return;
      current.volume = policy.volume(group, current.tiles, /*clipped=*/true);
      auto key = [](const ChimeraOptimum &each) {
        return std::make_pair(each.volume, each.memoryUsage);
      };
      if (!best || key(current) < key(*best))
        best = current;
      return;
    }
    for (int64_t tile : choices[axis]) {
      current.tiles[axis] = tile;
      // One tile of each tensor grows with every tile size. Retained
      // accumulators may shrink, as their padding does.
      if (sums == PartialSums::Moved &&
          policy.memoryUsage(group, current.tiles) > capacity)
        break;
      chooseTile(axis + 1, policy);
    }
    current.tiles[axis] = choices[axis].front();
  }

  const GroupModel &group;
  int64_t capacity;
  PartialSums sums;
  ChimeraOptimum current;
};

} // namespace

std::optional<ChimeraOptimum>
fusion::searchChimera(const GroupModel &group, const ChipInfo &chip,
                      int64_t capacity, MovementReading reading,
                      PartialSums sums, std::string &reason) {
  constexpr size_t maxPermuted = 7;
  if (std::optional<std::string> impossible = checkGroup(group, chip)) {
    reason = *impossible;
    return std::nullopt;
  }
  ScheduleBuilder builder(group, chip);
  ChimeraSearch search(group, capacity, sums);
  SmallVector<unsigned, 8> order, permuted;
  for (auto [index, axis] : llvm::enumerate(group.axes)) {
    unsigned number = index;
    bool isTiled = builder.isMapped(number);
    (isTiled ? permuted : order).push_back(number);
    search.choices.push_back(
        isTiled ? applyPaddingRule(listTileSizes(axis.extent), axis.extent,
                                   PaddingRule::LeastOfTrips)
                : SmallVector<int64_t>{1});
  }
  if (permuted.size() > maxPermuted) {
    reason = "more than " + std::to_string(maxPermuted) + " axes to permute";
    return std::nullopt;
  }
  size_t outer = order.size();
  llvm::append_range(order, permuted);
  llvm::StringSet<> known;
  do {
    DataMovement policy = analyzeDataMovement(group, order, reading, sums);
    std::string text =
        policy.printVolume(group) + policy.printMemoryUsage(group);
    if (known.insert(text).second)
      search.visit(order, policy);
  } while (std::next_permutation(order.begin() + outer, order.end()));
  if (!search.best) {
    reason = "no tiles fit into " + std::to_string(capacity) + " elements";
    return std::nullopt;
  }
  search.best->orders = known.size();
  return std::move(search.best);
}

std::optional<SmallVector<int64_t, 8>> fusion::closedFormTiles(
    const GroupModel &group, const ChipInfo &chip,
    llvm::function_ref<llvm::ArrayRef<int64_t>(unsigned)> choices) {
  unsigned elementBytes = 1;
  for (const GroupTensor &tensor : group.tensors)
    if (tensor.role == TensorRole::Operand)
      elementBytes = std::max(elementBytes, tensor.elementBytes);
  constexpr int64_t granularity = 16;
  std::string reason;
  auto solution = solveChimera(group, chip.sharedMemoryPerBlock / elementBytes,
                               granularity, granularity, reason);
  if (!solution)
    return std::nullopt;
  for (auto [axis, tile] : llvm::enumerate(solution->seed)) {
    llvm::ArrayRef<int64_t> list = choices(axis);
    tile = *std::prev(llvm::upper_bound(list, std::max(tile, list.front())));
  }
  return solution->seed;
}
