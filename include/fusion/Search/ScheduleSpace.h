//===- ScheduleSpace.h - Our search space -----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate has a value of each dimension (ScheduleDimension.h): how loops
// are nested (a deep or flat expression after binding to the grid), how large
// tiles are, how many warps there are and how each product arranges them, how
// deep buffers and fragments are pipelined, which tiles are kept instead of
// loaded or computed again, how many blocks share a reduction, in what order
// blocks run, which of them copy for one another, how tiles are copied and by
// whom. What follows from these ScheduleBuilder adds. Work that padding or
// recomputation waste is priced by the model, not forbidden.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SCHEDULESPACE_H
#define FUSION_SEARCH_SCHEDULESPACE_H

#include "fusion/Search/Random.h"
#include "fusion/Search/ScheduleBuilder.h"
#include "fusion/Search/ScheduleDimension.h"
#include "fusion/Search/ScheduleSearch.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

namespace fusion {

struct TreeKey;
struct NumberedTree;
class TreeCache;

class ScheduleSpace {
public:
  /// `group` passes `checkGroup` and has at most CostBound::kMaxAxes axes.
  ScheduleSpace(const GroupModel &group, const ChipInfo &chip,
                const SearchOptions &options);
  ~ScheduleSpace();

  /// All that there is to choose, in the order of `allDimensions`.
  llvm::ArrayRef<ScheduleDimension> dimensions() const { return choices; }
  /// Sets each dimension that has no choice beside the candidate's others
  /// (`isOpen`) to its first values.
  void settle(ScheduleCandidate &candidate) const;

  const GroupModel &model() const { return group; }

  /// Without duplicates; the first is `ScheduleBuilder::nestedReductions`.
  llvm::ArrayRef<BoundExpression> expressions() const { return bound; }

  llvm::ArrayRef<WarpArrangement> arrangements() const { return arranged; }
  /// Of them, those that are the same for all products, and those that leave
  /// intermediates in registers.
  llvm::ArrayRef<unsigned> usualArrangements() const { return usual; }
  /// The numbers of all.
  llvm::ArrayRef<unsigned> everyArrangement() const { return every; }
  /// The usual ones and, for each number of warps, the one in which each
  /// product's warps read the fewest fragments of these tiles.
  llvm::SmallVector<unsigned, 24>
  fittingArrangements(const ScheduleCandidate &candidate) const;

  /// Stages that are tried, ascending.
  llvm::ArrayRef<unsigned> stages() const { return depths; }
  /// Stages of fragments that are tried are from 1 to these.
  unsigned maxRegisterStages() const {
    return std::max(1u, options.maxRegisterStages);
  }

  /// Numbers of blocks that may share the last product's reduction, ascending
  /// from 1.
  llvm::ArrayRef<int64_t> splits() const { return splitCounts; }
  /// Clusters of blocks that copy for one another, of sizes ascending from 1,
  /// and last the one that combines parts, where there may be one.
  llvm::ArrayRef<Cluster> clusters() const { return clustered; }
  /// Those of several blocks that copy for one another, by their numbers.
  auto copyingClusters() const {
    return llvm::seq<unsigned>(1, clustered.size() - !combined.empty());
  }
  /// The number of the cluster that combines parts.
  std::optional<unsigned> clusterOfParts() const {
    return combined.empty() ? std::nullopt
                            : std::optional<unsigned>(clustered.size() - 1);
  }
  /// Numbers of parts, ascending from 2, that a cluster may combine; none where
  /// there are no clusters.
  llvm::ArrayRef<int64_t> clusterSplits() const { return combined; }
  /// The operands that are copied in bulk, as far as they can be: none or all.
  /// Where too few mbarriers are left for all, `ScheduleChecker::listTMA`
  /// says which.
  llvm::ArrayRef<TensorSet> transports() const { return copied; }
  /// The results that are stored in bulk, as far as they can be.
  llvm::ArrayRef<TensorSet> storeTransports() const { return stored; }
  /// Numbers of producers, none first.
  llvm::ArrayRef<unsigned> producers() const { return roles; }
  /// Whether so many producers make sense beside these warps: several where the
  /// registers of both are dealt out anew (`registerBudgets`), else one issues
  /// all copies.
  bool mayProduce(unsigned producers, unsigned warps) const;
  bool mayProduce(const ScheduleCandidate &candidate) const;
  /// Whether blocks may go through tiles beside these producers.
  static bool mayPersist(unsigned producers) { return producers > 0; }
  /// Whether some product's intrinsics run beside other work.
  bool mayOverlap() const { return hasOverlaps; }
  /// Whether groups of warps may take turns beside these producers.
  bool mayPingPong(unsigned producers) const {
    return hasOverlaps && producers > 0;
  }
  /// Has the products that can run beside the next iteration's, with the
  /// schedule's loops, transports and warps. Returns whether there are any.
  bool setOverlaps(Schedule &schedule) const;
  /// The intrinsics that each product can choose from, best first.
  llvm::ArrayRef<Intrinsics> intrinsics() const { return multiplied; }
  /// Choices that map all products to intrinsics of one unit, as far as these
  /// have them, each of them to its best: values stay in registers between
  /// products of one unit only, and each unit has tiles of its own.
  llvm::ArrayRef<decltype(ScheduleCandidate::intrinsics)> units() const {
    return uniform;
  }

  /// Tensors whose loads, and products whose computations may be moved out of
  /// loops, of one up to that many.
  llvm::ArrayRef<unsigned> operands() const { return movable; }
  llvm::ArrayRef<unsigned> intermediates() const { return keepable; }
  static constexpr uint8_t kMaxLevels = 3;

  /// Whether no part of a split reduction is empty; of one axis, whose tile is
  /// chosen, or of all.
  bool fillsSplits(const ScheduleCandidate &candidate, unsigned axis) const {
    return axis != splitAxis || candidate.splits <= trips(candidate, axis);
  }
  bool fillsSplits(const ScheduleCandidate &candidate) const {
    return fillsSplits(candidate, splitAxis);
  }
  /// Splits the last product's reduction so that each part is one tile, the
  /// least there is. Returns false where it cannot be split so.
  bool splitIntoTiles(ScheduleCandidate &candidate, int64_t parts) const;
  /// Keeps the values of these of the products (`intermediates`, a bit of each)
  /// out of as many loops as the candidate's tree allows, and no others.
  void retainOutside(ScheduleCandidate &candidate, uint64_t contractions) const;
  /// Iterations of an axis's loop in one block.
  int64_t sequentialTrips(const ScheduleCandidate &candidate,
                          unsigned axis) const {
    int64_t all = trips(candidate, axis);
    return axis == splitAxis ? llvm::divideCeil(all, candidate.splits) : all;
  }

  /// All tiles of an axis, ascending: multiples of 16, or 1 where no intrinsic
  /// takes the axis.
  llvm::ArrayRef<int64_t> allTiles(unsigned axis) const { return fine[axis]; }
  /// Of the tiles with the same trip count the least one that each number of
  /// warps divides: others pad and hold more, and gain nothing.
  llvm::ArrayRef<int64_t> minTiles(unsigned axis) const { return least[axis]; }
  /// Powers of two and the whole axis.
  llvm::ArrayRef<int64_t> coarseTiles(unsigned axis) const { return few[axis]; }

  llvm::ArrayRef<int64_t> tilesOf(const ScheduleCandidate &candidate) const {
    return llvm::ArrayRef(candidate.tiles).take_front(group.axes.size());
  }

  /// How many of each choice there are.
  ChoiceCounts count() const;

  /// Mapping, tiles, tree, grid and places; one stage, not arranged. Operands
  /// are copied by threads, results stored as the candidate says. Any number of
  /// threads may ask.
  Schedule outline(const ScheduleCandidate &candidate) const;

  /// The number of the outline's tree and grid; others have others.
  unsigned treeOf(const ScheduleCandidate &candidate) const;

  /// Whether the tiles are multiples of the intrinsics' over these warps; three
  /// groups only with intrinsics of groups, whose second operand all of them
  /// share. Lets most of what cannot be lowered pass by cheaply;
  /// `checkSchedule` decides.
  bool divides(const WarpArrangement &arrangement,
               const ScheduleCandidate &candidate) const;

  /// Whether a block of some warps may hold the tiles: operands in shared
  /// memory, accumulators in registers. `tiles` are those of the first
  /// axes; further ones count as the least. What does not fit does not with
  /// larger tiles either.
  bool mayFit(llvm::ArrayRef<int64_t> tiles) const;

  /// The outline with all of the candidate's choices.
  Schedule complete(const ScheduleCandidate &candidate) const;

  /// Draws the dimensions that are drawn with the loops
  /// (`DimensionInfo::isDrawnWithLoops`); of the others the first values.
  ScheduleCandidate random(Random &numbers) const;
  /// Draws the others.
  void drawPolicy(ScheduleCandidate &candidate, Random &numbers) const;
  /// The same without what `CandidateEvaluator` chooses, and of those that
  /// `mayFit` as far as some are found.
  ScheduleCandidate randomOutline(Random &numbers) const;
  /// Such a candidate with up to three of its choices changed.
  ScheduleCandidate mutateOutline(const ScheduleCandidate &candidate,
                                  Random &numbers) const;

  const ScheduleBuilder &build() const { return builder; }

  /// What masks leave of loops, for all who judge the group's schedules.
  UnmaskedTilesMemo &visited() const { return *unmaskedTiles; }

private:
  int64_t trips(const ScheduleCandidate &candidate, unsigned axis) const {
    return tripCount(group.axes[axis], candidate.tiles[axis]);
  }
  Schedule tile(const ScheduleCandidate &candidate) const;
  std::shared_ptr<const NumberedTree>
  makeTree(const ScheduleCandidate &candidate) const;
  std::shared_ptr<const NumberedTree>
  applyMove(const std::shared_ptr<const NumberedTree> &tree, bool isLoad,
            unsigned index, unsigned levels) const;
  TreeKey keyOf(const ScheduleCandidate &candidate) const;
  llvm::SmallVector<StatisticsPlacement, 1>
  placePasses(const ScheduleCandidate &candidate) const;
  void listPolicies();
  void listExpressions();
  void listIntrinsics();
  void listSplits();
  int64_t unitOf(unsigned axis) const;
  void listTiles();
  void changeOne(ScheduleCandidate &candidate, Random &numbers) const;

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  ScheduleBuilder builder;
  std::vector<BoundExpression> bound;
  std::vector<WarpArrangement> arranged;
  llvm::SmallVector<unsigned, 5> warpCounts; ///< of `arranged`, ascending
  llvm::SmallVector<unsigned, 16> usual, every;
  /// Those that are not usual, by what `codeOf` says.
  llvm::DenseMap<uint64_t, unsigned> unusual;
  llvm::SmallVector<unsigned, 8> depths;
  llvm::SmallVector<int64_t, 12> splitCounts, combined;
  llvm::SmallVector<Cluster, 8> clustered;
  llvm::SmallVector<TensorSet, 2> copied, stored;
  llvm::SmallVector<unsigned, 3> roles;
  bool hasOverlaps = false;
  llvm::SmallVector<unsigned, 8> movable, keepable;
  std::vector<Intrinsics> multiplied; ///< by product
  llvm::SmallVector<decltype(ScheduleCandidate::intrinsics), 2> uniform;
  unsigned splitAxis = 0;
  llvm::SmallVector<llvm::SmallVector<int64_t>, 8> fine, least, few;
  std::vector<ScheduleDimension> choices;
  std::unique_ptr<TreeCache> trees;
  std::unique_ptr<UnmaskedTilesMemo> unmaskedTiles;
};

} // namespace fusion

#endif // FUSION_SEARCH_SCHEDULESPACE_H
