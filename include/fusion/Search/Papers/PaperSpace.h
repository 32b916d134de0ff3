//===- PaperSpace.h - MCFuser's and Chimera's search spaces ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MCFuser sections III-A and III-C: tiling expressions times tile sizes, pruned
// by four rules, each of which can be switched off. Without flat expressions it
// is Chimera's space of block execution orders.
//
// Rule 1 loses nothing. Rule 3 as printed loses up to 30 % of the best
// predicted time if a dimension is 16 times a prime (M = 208). It loses some
// percent if a tile size between two powers of two would fill the shared
// memory. With PaddingRule::LeastOfTrips the rules together lose less than 2 %
// on all workloads. PaperSpaceLossTest and the benchmark paper-space-benchmark
// compute these losses.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_PAPERS_PAPERSPACE_H
#define FUSION_SEARCH_PAPERS_PAPERSPACE_H

#include "fusion/Search/Space/PaperRules.h"
#include "fusion/Search/Space/Random.h"
#include "fusion/Search/Space/TilingExpressions.h"
#include <array>
#include <memory>
#include <tuple>

namespace fusion {

/// A point of the space.
struct PaperCandidate {
  unsigned expression = 0;
  std::array<int64_t, McFuserModel::kMaxAxes> tiles{}; ///< by axis

  bool operator==(const PaperCandidate &other) const {
    return expression == other.expression && tiles == other.tiles;
  }
  bool operator!=(const PaperCandidate &other) const {
    return !(*this == other);
  }
  bool operator<(const PaperCandidate &other) const {
    return std::tie(expression, tiles) <
           std::tie(other.expression, other.tiles);
  }
};

class PaperSpace {
public:
  using Candidate = PaperCandidate;

  /// Creates the space of a group; it refers to the group. Returns nullopt with
  /// `reason` if the group has too many axes or expressions, or if the chip has
  /// no rate for its contractions.
  static std::optional<PaperSpace> create(const GroupModel &group,
                                          const ChipInfo &chip,
                                          const PaperSpaceOptions &options,
                                          std::string &reason);

  llvm::ArrayRef<BoundExpression> expressions() const { return bound; }
  /// Returns the tile sizes of an axis after rule 3, ascending. Axes that no
  /// intrinsic takes have tile size 1.
  llvm::ArrayRef<int64_t> tileChoices(unsigned axis) const {
    return choices[axis];
  }

  /// Counts candidates by sums and products, without visiting them one by one.
  PaperSpaceCounts count() const;

  /// Returns whether rule 4 keeps the tile sizes.
  bool admits(llvm::ArrayRef<int64_t> tiles) const;
  /// Visits the tile sizes that rules 3 and 4 keep, in ascending order.
  void forEachTiles(
      llvm::function_ref<void(llvm::ArrayRef<int64_t> tiles)> visit) const;

  TilingTree tree(const PaperCandidate &candidate) const;
  /// Returns MCFuser's model of the candidate's tree. Threads may call it
  /// concurrently.
  const McFuserModel &model(const PaperCandidate &candidate) const {
    return model(candidate.expression, tilesOf(candidate));
  }
  const McFuserModel &model(unsigned expression,
                            llvm::ArrayRef<int64_t> tiles) const;
  /// Returns the predicted seconds by equations 2 to 5.
  double estimate(const PaperCandidate &candidate) const {
    return model(candidate).predict(tilesOf(candidate)).total;
  }

  PaperCandidate random(Random &numbers) const;
  /// Returns the candidate with one tile size changed (algorithm 1), or
  /// unchanged if there is no other.
  PaperCandidate mutate(const PaperCandidate &candidate, Random &numbers) const;
  /// Mutates the expression too (Fusion's extension).
  PaperCandidate mutateAll(const PaperCandidate &candidate,
                           Random &numbers) const;

  /// The candidate of least predicted time, the first of equals, and the number
  /// of visited candidates.
  struct Best {
    PaperCandidate candidate;
    double seconds;
    uint64_t visited;
  };
  using Filter =
      llvm::function_ref<bool(const McFuserModel &, llvm::ArrayRef<int64_t>)>;
  std::optional<Best> searchExhaustively(Filter isTaken = nullptr) const;

  llvm::ArrayRef<int64_t> tilesOf(const PaperCandidate &candidate) const {
    return llvm::ArrayRef(candidate.tiles).take_front(group->axes.size());
  }

private:
  struct ModelCache;

  void listTiles();
  WideCount countAdmitted() const;
  int64_t sharedMemoryLimit() const;
  template <typename Visit>
  void descend(llvm::SmallVectorImpl<int64_t> &tiles, unsigned axis,
               bool countsLast, Visit visit) const;

  const GroupModel *group;
  const ChipInfo *chip;
  PaperSpaceOptions options;
  std::vector<BoundExpression> bound;
  PaperSpaceCounts expressionCounts;
  llvm::SmallVector<llvm::SmallVector<int64_t>, 8> allTiles, choices;
  std::shared_ptr<ModelCache> cache;
};

/// A paper space in which mutation changes the expression too (Fusion's
/// extension).
struct MutableExpressions {
  using Candidate = PaperCandidate;
  const PaperSpace &space;

  PaperCandidate random(Random &numbers) const { return space.random(numbers); }
  PaperCandidate mutate(const PaperCandidate &candidate,
                        Random &numbers) const {
    return space.mutateAll(candidate, numbers);
  }
  double estimate(const PaperCandidate &candidate) const {
    return space.estimate(candidate);
  }
};

/// Returns the multiples of 16 up to the dimension, rounded up.
llvm::SmallVector<int64_t> listTileSizes(int64_t extent);

/// Returns the tile sizes that rule 3 keeps among the ascending ones of a
/// dimension. If `Printed` keeps none, the tile sizes with the least padding
/// are returned.
llvm::SmallVector<int64_t> applyPaddingRule(llvm::ArrayRef<int64_t> tiles,
                                            int64_t extent, PaddingRule rule);

} // namespace fusion

#endif // FUSION_SEARCH_PAPERS_PAPERSPACE_H
