//===- DrawnCandidates.cpp - Candidates of our space at random ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/ScheduleSpace.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;

ScheduleCandidate ScheduleSpace::random(Random &numbers) const {
  ScheduleCandidate candidate;
  candidate.expression = numbers.below(bound.size());
  candidate.arrangement = numbers.below(arranged.size());
  for (auto [axis, list] : llvm::enumerate(fine))
    candidate.tiles[axis] = list[numbers.below(list.size())];
  candidate.stages = depths[numbers.below(depths.size())];
  candidate.registerStages =
      1 + numbers.below(std::max(1u, options.mostRegisterStages));
  // Most grids and reductions are fine as they are.
  if (numbers.below(2) == 0)
    candidate.parts = splits[numbers.below(splits.size())];
  if (numbers.below(2) == 0)
    candidate.raster = columns[numbers.below(columns.size())];
  uint64_t combinations = 1;
  for (const Intrinsics &list : multiplied)
    combinations *= list.size();
  uint64_t combination = numbers.below(combinations);
  for (auto [choice, list] : llvm::zip(candidate.intrinsics, multiplied)) {
    choice = combination % list.size();
    combination /= list.size();
  }
  for (unsigned tensor : movable)
    if (numbers.below(4) == 0)
      candidate.hoisted[tensor] = 1 + numbers.below(kMostLevels);
  for (unsigned product : keepable)
    if (numbers.below(4) == 0)
      candidate.kept[product] = 1 + numbers.below(kMostLevels);
  return candidate;
}

void ScheduleSpace::drawMovement(ScheduleCandidate &candidate,
                                 Random &numbers) const {
  auto draw = [&](const auto &list) {
    return list[numbers.below(list.size())];
  };
  Movement &movement = candidate.movement;
  candidate.cluster = draw(sizes);
  // Each tensor by itself: what is copied in bulk stands beside what is not.
  TensorSet all = copied.back() | stored.back();
  for (TensorSet left = all; left; left &= left - 1)
    if (numbers.below(2))
      movement.inBulk |= left & -left;
  const Arrangement &arrangement = arranged[candidate.arrangement];
  if (unsigned producers = draw(roles);
      mayProduce(producers, arrangement.front()[0] * arrangement.front()[1]))
    movement.producers = producers;
  if (mayPersist(movement.producers))
    movement.isPersistent = numbers.below(2);
  if (hasOverlaps)
    movement.overlaps = numbers.below(2);
  if (mayTakeTurns(movement.producers))
    movement.takesTurns = numbers.below(2);
  if (llvm::is_contained(combined, candidate.parts) && numbers.below(2)) {
    candidate.cluster = ScheduleCandidate::kOfParts;
    movement.producers = 0;
    movement.isPersistent = movement.takesTurns = false;
  }
}

void ScheduleSpace::changeOne(ScheduleCandidate &candidate,
                              Random &numbers) const {
  unsigned axes = group.axes.size();
  unsigned which = numbers.below(axes + 6);
  if (which < axes) {
    // A neighbour as often as any other.
    ArrayRef<int64_t> list = fine[which];
    size_t at = llvm::find(list, candidate.tiles[which]) - list.begin();
    if (at == list.size() || numbers.below(2) == 0)
      at = numbers.below(list.size());
    else if (numbers.below(2) == 0)
      at = std::min(at + 1, list.size() - 1);
    else
      at = at > 0 ? at - 1 : at;
    candidate.tiles[which] = list[at];
  } else if (which == axes) {
    candidate.expression = numbers.below(bound.size());
  } else if (which == axes + 1) {
    candidate.parts = splits[numbers.below(splits.size())];
  } else if (which == axes + 2) {
    candidate.raster = columns[numbers.below(columns.size())];
  } else if (which == axes + 3) {
    uint64_t all = 0; // of every product
    for (const Intrinsics &list : multiplied)
      all += list.size();
    uint64_t number = numbers.below(all);
    for (auto [choice, list] : llvm::zip(candidate.intrinsics, multiplied)) {
      if (number < list.size()) {
        choice = number;
        break;
      }
      number -= list.size();
    }
  } else if (which == axes + 4) {
    candidate.hoisted[movable[numbers.below(movable.size())]] =
        numbers.below(kMostLevels + 1);
  } else if (!keepable.empty()) {
    candidate.kept[keepable[numbers.below(keepable.size())]] =
        numbers.below(kMostLevels + 1);
  }
}

/// Tries to make a candidate that a block may hold.
static constexpr unsigned kTries = 64;

ScheduleCandidate ScheduleSpace::randomOutline(Random &numbers) const {
  ScheduleCandidate candidate;
  for (unsigned i = 0; i < kTries; ++i) {
    candidate = random(numbers);
    candidate.arrangement = 0;
    candidate.stages = candidate.registerStages = 1;
    if (mayFit(tilesOf(candidate)) && fillsParts(candidate))
      break;
  }
  return candidate;
}

ScheduleCandidate
ScheduleSpace::mutateOutline(const ScheduleCandidate &candidate,
                             Random &numbers) const {
  // Other loops often want other tiles, and other tiles other parts: one change
  // alone leads nowhere.
  unsigned changes = 1 + numbers.below(3);
  for (unsigned i = 0; i < kTries; ++i) {
    ScheduleCandidate changed = candidate;
    for (unsigned change = 0; change < changes; ++change)
      changeOne(changed, numbers);
    if (!(changed == candidate) && mayFit(tilesOf(changed)) &&
        fillsParts(changed))
      return changed;
  }
  return candidate;
}
