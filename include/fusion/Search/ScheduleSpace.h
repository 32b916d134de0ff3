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
// each product arranges them, how deep buffers and fragments are pipelined,
// which tiles are kept instead of loaded or computed again, how many blocks
// share a reduction, in what order blocks run, which of them copy for one
// another, how tiles are copied and by whom.
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
#include "llvm/Support/MathExtras.h"

namespace fusion {

/// How tiles get on and off the chip. Without bulk copies there is one choice:
/// threads copy, and each block has one tile of the grid.
struct Movement {
  /// Tensors that bulk copies fill or store, as far as they can
  /// (`whyNotInBulk`).
  TensorSet inBulk = 0;
  unsigned producers = 0;    ///< warps that only copy
  bool isPersistent = false; ///< blocks go through tiles
  /// Products run beside those of the next iteration, as far as they can
  /// (`whyNotOverlapped`).
  bool overlaps = false;
  /// Groups of warps beside producers take turns, as far as they can
  /// (`whyNoTurns`).
  bool takesTurns = false;

  bool operator==(const Movement &other) const {
    return std::tie(inBulk, producers, isPersistent, overlaps, takesTurns) ==
           std::tie(other.inBulk, other.producers, other.isPersistent,
                    other.overlaps, other.takesTurns);
  }
};

/// A point of the space.
struct ScheduleCandidate {
  unsigned expression = 0;                          ///< of `expressions()`
  unsigned arrangement = 0;                         ///< of `arrangements()`
  std::array<int64_t, CostBound::kMaxAxes> tiles{}; ///< by axis
  unsigned stages = 1, registerStages = 1;
  int64_t parts = 1;  ///< blocks that share the last product's reduction
  int64_t raster = 1; ///< columns of the grid; 1 where it has no two axes
  /// Blocks that copy for one another; more than one copy in bulk. Or that the
  /// parts of a split reduction are a cluster, which combines them.
  int64_t cluster = 1;
  static constexpr int64_t kOfParts = 0;
  Movement movement;
  /// By product, of `ScheduleSpace::intrinsics`.
  std::array<uint8_t, kMostProducts> intrinsics{};
  /// Loops that an operand's load is moved out of to make its tiles resident
  /// (`hoistLoad`), and a product's computation to keep its value instead of
  /// computing it again (`keepIntermediate`); what a tree has no such loops for
  /// stays where it is. Beyond these many tensors nothing is moved.
  static constexpr unsigned kMostTensors = 24;
  /// Of the rows of a pass, how it stands to its product: 0 is `usualPlace`, 1
  /// ahead of it with tiles that stay, 2 the remaining one.
  std::array<uint8_t, kMostTensors> hoisted{}; ///< by tensor
  std::array<uint8_t, kMostProducts> kept{};   ///< by product

  bool operator==(const ScheduleCandidate &other) const {
    return std::tie(expression, arrangement, tiles, stages, registerStages,
                    parts, raster, cluster, movement, intrinsics, hoisted,
                    kept) ==
           std::tie(other.expression, other.arrangement, other.tiles,
                    other.stages, other.registerStages, other.parts,
                    other.raster, other.cluster, other.movement,
                    other.intrinsics, other.hoisted, other.kept);
  }
};

struct TreeKey;
struct NumberedTree;
class TreeCache;

class ScheduleSpace {
public:
  /// `group` passes `checkGroup` and has at most CostBound::kMaxAxes axes.
  ScheduleSpace(const GroupModel &group, const ChipInfo &chip,
                const SearchOptions &options);
  ~ScheduleSpace();

  /// Without duplicates; the first is `ScheduleBuilder::nestedReductions`.
  llvm::ArrayRef<BoundExpression> expressions() const { return bound; }

  llvm::ArrayRef<Arrangement> arrangements() const { return arranged; }
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

  /// Numbers of blocks that may share the last product's reduction, ascending
  /// from 1.
  llvm::ArrayRef<int64_t> parts() const { return splits; }
  /// Widths of the columns that a grid's blocks may be visited in, from 1,
  /// which is row by row.
  llvm::ArrayRef<int64_t> rasters() const { return columns; }
  /// Sizes of clusters, ascending from 1.
  llvm::ArrayRef<int64_t> clusters() const { return sizes; }
  /// Numbers of parts, ascending from 2, that a cluster may combine; none where
  /// there are no clusters.
  llvm::ArrayRef<int64_t> partsOfClusters() const { return combined; }
  /// The operands that are copied in bulk, as far as they can be: none or all.
  /// Where too few mbarriers are left for all, `ScheduleChecker::listInBulk`
  /// says which.
  llvm::ArrayRef<TensorSet> transports() const { return copied; }
  /// The results that are stored in bulk, as far as they can be.
  llvm::ArrayRef<TensorSet> storeTransports() const { return stored; }
  /// Numbers of producers, none first.
  llvm::ArrayRef<unsigned> producers() const { return roles; }
  /// Whether so many producers make sense beside these warps: several where the
  /// registers of both are dealt out anew (`roleRegisters`), else one issues
  /// all copies.
  bool mayProduce(unsigned producers, unsigned warps) const;
  /// Whether blocks may go through tiles beside these producers.
  static bool mayPersist(unsigned producers) { return producers > 0; }
  /// Whether some product's intrinsics run beside other work.
  bool mayOverlap() const { return hasOverlaps; }
  /// Whether groups of warps may take turns beside these producers.
  bool mayTakeTurns(unsigned producers) const {
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
  static constexpr uint8_t kMostLevels = 3;

  /// Whether no part of a split reduction is empty; of one axis, whose tile is
  /// chosen, or of all.
  bool fillsParts(const ScheduleCandidate &candidate, unsigned axis) const {
    return axis != splitAxis || candidate.parts <= trips(candidate, axis);
  }
  bool fillsParts(const ScheduleCandidate &candidate) const {
    return fillsParts(candidate, splitAxis);
  }
  /// Splits the last product's reduction so that each part is one tile, the
  /// least there is. Returns false where it cannot be split so.
  bool splitIntoTiles(ScheduleCandidate &candidate, int64_t parts) const;
  /// Keeps the values of these of the products (`intermediates`, a bit of each)
  /// out of as many loops as the candidate's tree allows, and no others.
  void keepOutside(ScheduleCandidate &candidate, uint64_t products) const;
  /// Iterations of an axis's loop in one block.
  int64_t sequentialTrips(const ScheduleCandidate &candidate,
                          unsigned axis) const {
    int64_t all = trips(candidate, axis);
    return axis == splitAxis ? llvm::divideCeil(all, candidate.parts) : all;
  }

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
  /// share. Lets most of what cannot be lowered pass by cheaply; `checkSchedule`
  /// decides.
  bool divides(const Arrangement &arrangement,
               const ScheduleCandidate &candidate) const;

  /// Whether a block of some warps may hold the tiles: operands in shared
  /// memory, accumulators in registers. Tiles of 0 count as the least ones;
  /// what does not fit does not with larger tiles either.
  bool mayFit(llvm::ArrayRef<int64_t> tiles) const;

  Schedule complete(const ScheduleCandidate &candidate) const;

  /// Any choices but clusters and movement.
  ScheduleCandidate random(Random &numbers) const;
  /// Draws these.
  void drawMovement(ScheduleCandidate &candidate, Random &numbers) const;
  /// The same without an arrangement and stages, for who tries all of them, and
  /// of those that `mayFit` as far as some are found.
  ScheduleCandidate randomOutline(Random &numbers) const;
  /// Such a candidate with up to three of its choices changed.
  ScheduleCandidate mutateOutline(const ScheduleCandidate &candidate,
                                  Random &numbers) const;

  const ScheduleBuilder &build() const { return builder; }

  /// What masks leave of loops, for all who judge the group's schedules.
  VisitedMemo &visited() const { return *visitedTiles; }

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
  llvm::SmallVector<PassPlace, 1>
  placePasses(const ScheduleCandidate &candidate) const;
  void listMovements();
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
  std::vector<Arrangement> arranged;
  llvm::SmallVector<unsigned, 5> warpCounts; ///< of `arranged`, ascending
  llvm::SmallVector<unsigned, 16> usual, every;
  /// Those that are not usual, by what `codeOf` says.
  llvm::DenseMap<uint64_t, unsigned> unusual;
  llvm::SmallVector<unsigned, 8> depths;
  llvm::SmallVector<int64_t, 12> splits, combined;
  llvm::SmallVector<int64_t, 8> columns, sizes;
  llvm::SmallVector<TensorSet, 2> copied, stored;
  llvm::SmallVector<unsigned, 3> roles;
  bool hasOverlaps = false;
  llvm::SmallVector<unsigned, 8> movable, keepable;
  std::vector<Intrinsics> multiplied; ///< by product
  llvm::SmallVector<decltype(ScheduleCandidate::intrinsics), 2> uniform;
  unsigned splitAxis = 0;
  llvm::SmallVector<llvm::SmallVector<int64_t>, 8> fine, least, few;
  std::unique_ptr<TreeCache> trees;
  std::unique_ptr<VisitedMemo> visitedTiles;
};

} // namespace fusion

#endif // FUSION_SEARCH_SCHEDULESPACE_H
