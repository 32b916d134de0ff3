//===- ScheduleSpace.h - The default search space ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A candidate has a value of each dimension (ScheduleDimension.h):
//
// * how loops are nested: a deep or flat expression after binding to the grid;
// * tile sizes, warps, and the warp arrangement of each contraction;
// * stages of buffers and fragments;
// * which tiles are retained instead of being loaded or computed repeatedly;
// * split reductions, the order of blocks, clusters and their multicast copies;
// * transports, and the warps that issue copies.
//
// ScheduleBuilder derives the other fields. Candidates that waste work by
// padding or recomputing are not excluded: the model's predicted time includes
// it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_SCHEDULESPACE_H
#define FUSION_SEARCH_SPACE_SCHEDULESPACE_H

#include "fusion/Search/Space/Random.h"
#include "fusion/Search/Space/ScheduleBuilder.h"
#include "fusion/Search/Space/ScheduleDimension.h"
#include "fusion/Search/Space/SearchResult.h"
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

  /// Returns all dimensions, in the order of `allDimensions`.
  llvm::ArrayRef<ScheduleDimension> dimensions() const { return choices; }
  /// Sets each dimension that the candidate's other values leave no choice of
  /// (`isOpen`) to its first values.
  void settle(ScheduleCandidate &candidate) const;

  const GroupModel &model() const { return group; }

  /// Returns the expressions without duplicates; the first is
  /// `ScheduleBuilder::nestedReductions`.
  llvm::ArrayRef<BoundExpression> expressions() const { return bound; }

  llvm::ArrayRef<WarpArrangement> arrangements() const { return arranged; }
  /// Returns the numbers of the arrangements that are equal for all
  /// contractions or have accumulator-to-operand forwarding of intermediates.
  llvm::ArrayRef<unsigned> usualArrangements() const { return usual; }
  /// Returns the numbers of all arrangements.
  llvm::ArrayRef<unsigned> everyArrangement() const { return every; }
  /// Returns the usual arrangements and, for each number of warps, the one in
  /// which each contraction's warps load the fewest fragments of these tiles.
  llvm::SmallVector<unsigned, 24>
  fittingArrangements(const ScheduleCandidate &candidate) const;

  /// Returns the numbers of stages that are tried, ascending.
  llvm::ArrayRef<unsigned> stages() const { return depths; }
  /// Returns the most stages of fragments that are tried; the least is 1.
  unsigned maxRegisterStages() const {
    return std::max(1u, options.maxRegisterStages);
  }

  /// Returns the numbers of blocks over which the last contraction's reduction
  /// may be split, ascending from 1.
  llvm::ArrayRef<int64_t> splits() const { return splitCounts; }
  /// Returns clusters with multicast copies, of sizes ascending from 1, and
  /// last, if there is one, the cluster that reduces partial results.
  llvm::ArrayRef<Cluster> clusters() const { return clustered; }
  /// Returns the numbers of the clusters of several blocks with multicast
  /// copies.
  auto copyingClusters() const {
    return llvm::seq<unsigned>(1, clustered.size() - !combined.empty());
  }
  /// Returns the number of the cluster that reduces partial results.
  std::optional<unsigned> clusterOfPartials() const {
    return combined.empty() ? std::nullopt
                            : std::optional<unsigned>(clustered.size() - 1);
  }
  /// Returns the numbers of splits, ascending from 2, whose partial results a
  /// cluster may reduce; empty without clusters.
  llvm::ArrayRef<int64_t> clusterSplits() const { return combined; }
  /// Returns the operands for which TMA copies are tried, none or all that can
  /// have them. If too few mbarriers are left for all,
  /// `ScheduleChecker::listTMA` chooses.
  llvm::ArrayRef<TensorSet> transports() const { return copied; }
  /// Returns the results for which TMA stores are tried, none or all that can
  /// have them.
  llvm::ArrayRef<TensorSet> storeTransports() const { return stored; }
  /// Returns the numbers of producers, none first.
  llvm::ArrayRef<unsigned> producers() const { return roles; }
  /// Returns whether this number of producers makes sense for these warps.
  /// Several do with register reallocation (`registerBudgets`); else one issues
  /// all copies.
  bool mayProduce(unsigned producers, unsigned warps) const;
  bool mayProduce(const ScheduleCandidate &candidate) const;
  /// Returns whether a kernel with these producers may be persistent.
  static bool mayPersist(unsigned producers) { return producers > 0; }
  /// Returns whether some contraction's intrinsics overlap with other work.
  bool mayOverlap() const { return hasOverlaps; }
  /// Returns whether warpgroups may have ping-pong scheduling with these
  /// producers.
  bool mayPingPong(unsigned producers) const {
    return hasOverlaps && producers > 0;
  }
  /// Returns the intrinsics that each contraction can choose from, best first.
  llvm::ArrayRef<Intrinsics> intrinsics() const { return multiplied; }
  /// Returns choices that map each contraction to its best intrinsic of one
  /// unit, if it has one. Only contractions of one unit can forward
  /// accumulators to operands, and each unit has its own tile sizes.
  llvm::ArrayRef<decltype(ScheduleCandidate::intrinsics)> units() const {
    return uniform;
  }

  /// Return the tensors whose loads, and the contractions whose computations,
  /// may be moved out of one to `kMaxLevels` loops.
  llvm::ArrayRef<unsigned> operands() const { return movable; }
  llvm::ArrayRef<unsigned> intermediates() const { return retainable; }
  static constexpr uint8_t kMaxLevels = 3;

  /// Returns whether every range of a split reduction has a tile: for `axis`,
  /// whose tile size is chosen, or for all axes.
  bool fillsSplits(const ScheduleCandidate &candidate, unsigned axis) const {
    return axis != splitAxis || candidate.splits <= trips(candidate, axis);
  }
  bool fillsSplits(const ScheduleCandidate &candidate) const {
    return fillsSplits(candidate, splitAxis);
  }
  /// Splits the last contraction's reduction so that each range is one tile, as
  /// small as possible. Returns false if it cannot be split in this way.
  bool splitIntoTiles(ScheduleCandidate &candidate, int64_t parts) const;
  /// Retains the results of these contractions, a bit for each of
  /// `intermediates`, outside of as many loops as the candidate's tree allows,
  /// and no others.
  void retainOutside(ScheduleCandidate &candidate, uint64_t contractions) const;
  /// Returns the trip count of an axis's loop in one block.
  int64_t sequentialTrips(const ScheduleCandidate &candidate,
                          unsigned axis) const {
    int64_t all = trips(candidate, axis);
    return axis == splitAxis ? llvm::divideCeil(all, candidate.splits) : all;
  }

  /// Returns all tile sizes of an axis, ascending: multiples of 16, or 1 if no
  /// intrinsic takes the axis.
  llvm::ArrayRef<int64_t> allTiles(unsigned axis) const { return fine[axis]; }
  /// Returns, for each trip count, the least tile size that each number of
  /// warps divides: larger ones need more padding and resources, and gain
  /// nothing.
  llvm::ArrayRef<int64_t> minTiles(unsigned axis) const { return least[axis]; }
  /// Returns the powers of two and the whole axis.
  llvm::ArrayRef<int64_t> coarseTiles(unsigned axis) const { return few[axis]; }

  llvm::ArrayRef<int64_t> tilesOf(const ScheduleCandidate &candidate) const {
    return llvm::ArrayRef(candidate.tiles).take_front(group.axes.size());
  }

  /// Returns the number of values of each dimension.
  ChoiceCounts count() const;

  /// Returns the schedule with mapping, tile sizes, tree, grid and placements;
  /// it has one stage and no warp arrangement. Threads copy operands, and
  /// results are stored as the candidate says. Threads may call it
  /// concurrently.
  Schedule outline(const ScheduleCandidate &candidate) const;

  /// Returns a number that is unique for the outline's tree and grid.
  unsigned treeOf(const ScheduleCandidate &candidate) const;

  /// Returns whether the tile sizes are multiples of the intrinsics' extents
  /// over these warps. Three warpgroups are only for warpgroup intrinsics,
  /// whose B all of them share. It rejects most illegal candidates in little
  /// time; `checkSchedule` decides.
  bool divides(const WarpArrangement &arrangement,
               const ScheduleCandidate &candidate) const;

  /// Returns whether a block of some number of warps may hold the tiles:
  /// operands in shared memory, accumulators in registers. `tiles` has the tile
  /// sizes of the first axes; further ones count as the least. If these do not
  /// fit, larger ones do not either.
  bool mayFit(llvm::ArrayRef<int64_t> tiles) const;

  /// Returns the outline with all of the candidate's choices.
  Schedule complete(const ScheduleCandidate &candidate) const;

  /// Draws the dimensions that are drawn with the loops
  /// (`DimensionInfo::isDrawnWithLoops`); the others have their first values.
  ScheduleCandidate random(Random &numbers) const;
  /// Draws the dimensions that are not drawn with the loops.
  void drawPolicy(ScheduleCandidate &candidate, Random &numbers) const;
  /// Draws a candidate without the dimensions that `CandidateEvaluator`
  /// chooses. It prefers candidates that `mayFit`, if it finds some.
  ScheduleCandidate randomOutline(Random &numbers) const;
  /// Returns a copy of `candidate` with up to three of its choices changed,
  /// except the dimensions that `CandidateEvaluator` chooses.
  ScheduleCandidate mutateOutline(const ScheduleCandidate &candidate,
                                  Random &numbers) const;

  const ScheduleBuilder &build() const { return builder; }

  /// Returns the trip counts that masks leave, for all evaluations of the
  /// group's schedules.
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
  /// Arrangements that are not usual, by `codeOf`.
  llvm::DenseMap<uint64_t, unsigned> unusual;
  llvm::SmallVector<unsigned, 8> depths;
  llvm::SmallVector<int64_t, 12> splitCounts, combined;
  llvm::SmallVector<Cluster, 8> clustered;
  llvm::SmallVector<TensorSet, 2> copied, stored;
  llvm::SmallVector<unsigned, 3> roles;
  bool hasOverlaps = false;
  llvm::SmallVector<unsigned, 8> movable, retainable;
  std::vector<Intrinsics> multiplied; ///< by contraction
  llvm::SmallVector<decltype(ScheduleCandidate::intrinsics), 2> uniform;
  unsigned splitAxis = 0;
  llvm::SmallVector<llvm::SmallVector<int64_t>, 8> fine, least, few;
  std::vector<ScheduleDimension> choices;
  std::unique_ptr<TreeCache> trees;
  std::unique_ptr<UnmaskedTilesMemo> unmaskedTiles;
};

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_SCHEDULESPACE_H
