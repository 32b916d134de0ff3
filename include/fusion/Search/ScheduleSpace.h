//===- ScheduleSpace.h - Our search space -----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate says how loops are nested (a deep or flat expression after
// binding to the grid), how large tiles are, how many warps there are and how
// each product arranges them, how deep buffers and fragments are pipelined.
// What follows from these ScheduleBuilder adds. Work that padding or
// recomputation waste is priced by the model, not forbidden.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SCHEDULESPACE_H
#define FUSION_SEARCH_SCHEDULESPACE_H

#include "fusion/Search/CostBound.h"
#include "fusion/Search/Random.h"
#include "fusion/Search/ScheduleBuilder.h"
#include "fusion/Search/ScheduleSearch.h"

namespace fusion {

/// A point of the space.
struct ScheduleCandidate {
  unsigned expression = 0;                          ///< of `expressions()`
  unsigned arrangement = 0;                         ///< of `arrangements()`
  std::array<int64_t, CostBound::kMaxAxes> tiles{}; ///< by axis
  unsigned stages = 1, registerStages = 1;

  bool operator==(const ScheduleCandidate &other) const {
    return expression == other.expression && arrangement == other.arrangement &&
           tiles == other.tiles && stages == other.stages &&
           registerStages == other.registerStages;
  }
};

class ScheduleSpace {
public:
  /// `group` passes `checkGroup` and has at most CostBound::kMaxAxes axes.
  ScheduleSpace(const GroupModel &group, const ChipInfo &chip,
                const SearchOptions &options);

  /// Without duplicates; the first is `ScheduleBuilder::nestedReductions`.
  llvm::ArrayRef<BoundExpression> expressions() const { return bound; }

  llvm::ArrayRef<Arrangement> arrangements() const { return arranged; }
  /// Of them, those that are the same for all products, and those that leave
  /// intermediates in registers.
  llvm::ArrayRef<unsigned> usualArrangements() const { return usual; }

  /// Stages that are tried, ascending.
  llvm::ArrayRef<unsigned> stages() const { return depths; }

  /// All tiles of an axis, ascending: multiples of 16, or 1 where no intrinsic
  /// takes the axis.
  llvm::ArrayRef<int64_t> allTiles(unsigned axis) const { return fine[axis]; }
  /// Of the tiles with the same trip count the least one that each number of
  /// warps divides: others pad and hold more, and gain nothing.
  llvm::ArrayRef<int64_t> leastTiles(unsigned axis) const {
    return least[axis];
  }
  /// Powers of two and the whole axis.
  llvm::ArrayRef<int64_t> fewTiles(unsigned axis) const { return few[axis]; }

  llvm::ArrayRef<int64_t> tilesOf(const ScheduleCandidate &candidate) const {
    return llvm::ArrayRef(candidate.tiles).take_front(group.axes.size());
  }

  /// Candidates in the space, as far as a double counts.
  double size() const;

  /// Mapping, tiles, tree and grid; one stage, not arranged.
  Schedule outline(const ScheduleCandidate &candidate) const;

  /// Whether the tiles are multiples of the intrinsics' over these warps. Lets
  /// most of what cannot be lowered pass by cheaply; `checkSchedule` decides.
  bool divides(const Arrangement &arrangement,
               llvm::ArrayRef<int64_t> tiles) const;

  /// Whether a block of some warps may hold the tiles: operands in shared
  /// memory, accumulators in registers. Tiles of 0 count as the least ones;
  /// what does not fit does not with larger tiles either.
  bool mayFit(llvm::ArrayRef<int64_t> tiles) const;

  Schedule complete(const ScheduleCandidate &candidate) const;

  ScheduleCandidate random(Random &numbers) const;
  /// The candidate with one choice changed.
  ScheduleCandidate mutate(const ScheduleCandidate &candidate,
                           Random &numbers) const;

  const ScheduleBuilder &build() const { return builder; }

private:
  void listExpressions();
  void listTiles();

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  ScheduleBuilder builder;
  std::vector<BoundExpression> bound;
  std::vector<Arrangement> arranged;
  llvm::SmallVector<unsigned, 16> usual;
  llvm::SmallVector<unsigned, 8> depths;
  llvm::SmallVector<llvm::SmallVector<int64_t>, 8> fine, least, few;
};

} // namespace fusion

#endif // FUSION_SEARCH_SCHEDULESPACE_H
