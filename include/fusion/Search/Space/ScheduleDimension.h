//===- ScheduleDimension.h - What a schedule leaves to choose ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The default space is a product of dimensions: loops, tiles, stages, and so
// on. `ScheduleCandidate` holds one value of each. `ScheduleDimension` says
// what the searches and reports need to know of one: name, values, how to read
// and set it, and which searches leave it to others.
//
// The table of all dimensions is in ScheduleDimension.cpp. Searches, keys of
// caches, draws and reports go through it, so that a new choice is a member of
// the candidate and an entry of the table.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_SCHEDULEDIMENSION_H
#define FUSION_SEARCH_SPACE_SCHEDULEDIMENSION_H

#include "fusion/Search/Space/CostBound.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <tuple>

namespace llvm::json {
class Object;
} // namespace llvm::json

namespace fusion {

class ScheduleSpace;
struct ScheduleDimension;

/// Contractions of the largest group that is searched. In a longer one, what a
/// block would recompute for each tile of the later contractions costs more
/// than fusion saves.
constexpr unsigned kMaxContractions = 8;

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// How tiles move between global and shared memory. Chips without TMA have one
/// choice: threads copy, and each block has one tile of the grid.
struct MainloopPolicy {
  /// Operands that TMA loads, where `whyNotTMA` has no reason against it.
  TensorSet copied = 0;
  /// Results that TMA stores, under the same condition.
  TensorSet stored = 0;
  unsigned producers = 0;    ///< producer warps
  bool isPersistent = false; ///< a persistent kernel
  /// Contractions overlap with those of the next iteration, where
  /// `whyNotOverlapped` has no reason against it.
  bool overlaps = false;
  /// Consumer warpgroups alternate (ping-pong scheduling), where
  /// `whyNotPingPong` has no reason against it.
  bool isPingPong = false;

  auto members() const {
    return std::tie(copied, stored, producers, isPersistent, overlaps,
                    isPingPong);
  }
  bool operator==(const MainloopPolicy &other) const {
    return members() == other.members();
  }
};

/// The blocks of a cluster: `blocks` of them, which multicast what several of
/// them load; or all blocks of a split reduction, which combine their partial
/// results.
struct Cluster {
  int64_t blocks = 1;
  bool reducesPartials = false; ///< then `blocks` is 1
};

/// Where a row pass is computed. `ScheduleCandidate::hoisted` has it as a
/// number.
enum class RowPassPlacement : uint8_t {
  Default,  ///< `defaultPlacement`
  Resident, ///< ahead of its contraction, with retained tiles
  Other,    ///< with its contraction or ahead of it, what is not the default
};

/// A point of the space.
struct ScheduleCandidate {
  unsigned expression = 0;                          ///< of `expressions()`
  unsigned arrangement = 0;                         ///< of `arrangements()`
  std::array<int64_t, CostBound::kMaxAxes> tiles{}; ///< by axis
  unsigned stages = 1, registerStages = 1;
  int64_t splits = 1; ///< blocks that share the last contraction's reduction
  int64_t blockSwizzle = 1; ///< columns of the grid; 1 where it has no two axes
  unsigned cluster = 0; ///< of `clusters()`, of which the first is one block
  MainloopPolicy policy;
  /// By product, of `ScheduleSpace::intrinsics`.
  std::array<uint8_t, kMaxContractions> intrinsics{};
  /// The number of loops that an operand's load is moved out of, so that its
  /// tiles are resident (`hoistLoad`), and that a contraction is moved out of,
  /// so that its result is retained in place of recomputed
  /// (`retainIntermediate`). A tree without such loops moves nothing. In groups
  /// of more tensors nothing is moved.
  static constexpr unsigned kMaxTensors = 24;
  /// For the rows of a row pass it is a `RowPassPlacement` (`placementOf`).
  std::array<uint8_t, kMaxTensors> hoisted{};       ///< by tensor
  std::array<uint8_t, kMaxContractions> retained{}; ///< by product

  /// Returns where the row pass is computed whose rows are the tensor `rows`.
  /// Numbers beyond the last placement are the default, too.
  RowPassPlacement placementOf(unsigned rows) const {
    if (rows >= kMaxTensors ||
        hoisted[rows] > static_cast<uint8_t>(RowPassPlacement::Other))
      return RowPassPlacement::Default;
    return static_cast<RowPassPlacement>(hoisted[rows]);
  }

  auto members() const {
    return std::tie(expression, arrangement, tiles, stages, registerStages,
                    splits, blockSwizzle, cluster, policy, intrinsics, hoisted,
                    retained);
  }
  bool operator==(const ScheduleCandidate &other) const {
    return members() == other.members();
  }
};

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// What a dimension is in every space. The defaults are right for a choice that
/// changes how much a schedule moves or computes: `Refinement` and `RunnersUp`
/// try all values in the best schedules, `MeasuredRounds` the next smaller and
/// larger one, and `drawPolicy` draws it in the order of the table.
struct DimensionInfo {
  /// A dimension has one value for the schedule, or one for each axis, product
  /// or tensor.
  enum class Scope : uint8_t { Schedule, Axis, Contraction, Tensor };

  llvm::StringLiteral name; ///< in reports, under `choices`
  Scope scope;
  /// Read and write the value in a candidate. `element` is the number of the
  /// axis, product or tensor, and 0 where the scope is the schedule.
  int64_t (*read)(const ScheduleCandidate &candidate, unsigned element);
  void (*write)(ScheduleCandidate &candidate, unsigned element, int64_t value);
  /// Lists a space's axes, products or tensors that have a value, and the
  /// values to choose from.
  void (*list)(const ScheduleSpace &space, ScheduleDimension &dimension);

  /// Writes the choice into a schedule that has tiles, mapping, tree and grid,
  /// and no places. Null where `ScheduleSpace::outline` and `complete` do that
  /// together with other choices.
  void (*apply)(const ScheduleSpace &space, const ScheduleCandidate &candidate,
                Schedule &schedule) = nullptr;
  /// Writes the schedule's choice into an entry of the report's `ranking`. Null
  /// where another dimension's entry says it.
  void (*report)(const Schedule &schedule, const GroupModel &group,
                 llvm::json::Object &entry) = nullptr;
  /// Returns what `describe` says behind "blocks over m, n", or nothing. Null
  /// where the dimension is not about the grid.
  std::string (*wordsOfGrid)(const Schedule &schedule) = nullptr;
  /// Returns a phrase that `describe` ends with, or an empty one. Null where
  /// `describe` has words of its own.
  std::string (*words)(const Schedule &schedule,
                       const GroupModel &group) = nullptr;
  /// Returns whether the candidate's other choices leave this one open. Where
  /// not, the first value is the only one. Null: always open.
  bool (*isOpen)(const ScheduleSpace &space,
                 const ScheduleCandidate &candidate) = nullptr;

  /// `CandidateEvaluator` finds the best value for each candidate, as the value
  /// changes neither what blocks move nor how much they compute. No other
  /// search steps through it, and candidates that differ in nothing else are
  /// one (`CandidateKey`).
  bool isEvaluated = false;
  /// The candidate's tree follows from the value, so that keys have the tree's
  /// number instead. Measured rounds leave it out: other loops need other
  /// tiles.
  bool isInTree = false;
  /// Moves a statement out of loops, by as many as the value says. Moves are
  /// tried two at a time (`Refinement::tryMoves`), as either alone may lose
  /// what both win, and `points` does not count them: most trees have no such
  /// loops.
  bool isMove = false;
  /// A member of `MainloopPolicy`. Measured rounds try all values, and let the
  /// warps and the rest of the policy stay.
  bool isMainloopPolicy = false;
  /// The value is a set of tensors. Steps take all or none; a candidate may
  /// have any subset of the last value.
  bool isTensorSet = false;
  /// Changes nothing but the order of blocks. The runners-up leave it out: of
  /// schedules that differ in nothing else the best one is ranked.
  bool isOrderOfBlocks = false;
  /// `ScheduleSpace::random` draws it, and `mutateOutline` changes it. What
  /// only some chips have `drawPolicy` draws, from other numbers, so that a
  /// seed draws the same loops and tiles on every chip.
  bool isDrawnWithLoops = false;
  /// One draw of this number takes another value than the first.
  unsigned drawsForOther = 1;
};

/// A dimension of one space.
struct ScheduleDimension : DimensionInfo {
  using Values = llvm::SmallVector<int64_t, 0>;

  ScheduleDimension(const DimensionInfo &info, const ScheduleSpace &space)
      : DimensionInfo(info) {
    list(space, *this);
  }

  /// The numbers of the axes, products or tensors that have a value, or a 0
  /// alone where the scope is the schedule.
  llvm::SmallVector<unsigned, 8> elements;
  /// The values of each element to choose from. The first one is the default;
  /// it switches a feature off.
  std::vector<Values> domains;
  /// The last values of each domain that no step from another value leads to:
  /// they want other values of other dimensions, and are searched by
  /// themselves.
  unsigned searchedApart = 0;
  /// Values of all elements that are tried together, before one element's.
  std::vector<Values> together;

  /// Returns the value of `elements[index]` in a candidate.
  int64_t get(const ScheduleCandidate &candidate, unsigned index = 0) const {
    return read(candidate, elements[index]);
  }
  void set(ScheduleCandidate &candidate, int64_t value,
           unsigned index = 0) const {
    write(candidate, elements[index], value);
  }
  llvm::ArrayRef<int64_t> domain(unsigned index = 0) const {
    return domains[index];
  }
  /// Returns the values that one step leads to.
  llvm::ArrayRef<int64_t> steps(unsigned index = 0) const {
    return domain(index).drop_back(searchedApart);
  }
  /// Returns whether a candidate of the space may have the value.
  bool contains(int64_t value, unsigned index = 0) const;
  /// Sets all elements to their first values.
  void reset(ScheduleCandidate &candidate) const;
  /// Calls with each candidate that differs from this one in `together` values,
  /// then with each that differs in one element.
  void
  forEachStep(const ScheduleCandidate &candidate,
              llvm::function_ref<void(const ScheduleCandidate &)> visit) const;
};

/// All dimensions, in the order in which they are drawn.
llvm::ArrayRef<DimensionInfo> allDimensions();

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_SCHEDULEDIMENSION_H
