//===- ScheduleLegality.h - Which schedules are legal -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_LEGALITY_SCHEDULELEGALITY_H
#define FUSION_ANALYSIS_LEGALITY_SCHEDULELEGALITY_H

#include "fusion/Analysis/Resources/Footprint.h"
#include "fusion/Target/Chips/Hardware.h"

namespace fusion {

/// Tensors of a group, as one bit for each of the first 64.
using TensorSet = uint64_t;
constexpr unsigned kMaxInSet = 64;

/// Returns the reason why lowering does not support a field of `schedule` that
/// some chip could run, or nullopt. Such fields have a predicted time only: a
/// search that ignores this function reports what they would gain.
std::optional<std::string> whyNotLowered(const Schedule &schedule);

/// Returns the reason why `schedule` could not run on `chip` even if lowering
/// supported every field, or nullopt. `group` is a chain whose contractions are
/// mapped to intrinsics.
std::optional<std::string> whyImpossible(const GroupModel &group,
                                         const Schedule &schedule,
                                         const ChipInfo &chip,
                                         Footprint *footprint = nullptr);

/// Returns the reason why `schedule` cannot be lowered for `chip`, or nullopt:
/// that of `whyNotLowered` or of `whyImpossible`. The verifier of scheduled
/// groups and the pruning of searches use this predicate. For a legal schedule,
/// `footprint` gets the result of `computeFootprint`.
std::optional<std::string> checkSchedule(const GroupModel &group,
                                         const Schedule &schedule,
                                         const ChipInfo &chip,
                                         Footprint *footprint = nullptr);

class UnmaskedTilesMemo; // MaskedTiles.h

/// `checkSchedule` for many schedules of one group. Most schedules of a search
/// differ from the one before in warps or stages only, which changes few of the
/// checks.
class ScheduleChecker {
public:
  /// Constructs a checker of a group that passes `checkGroup`. `group`, `chip`
  /// and `visited` must outlive the checker. Checkers of one group may share
  /// `visited`.
  ScheduleChecker(const GroupModel &group, const ChipInfo &chip,
                  UnmaskedTilesMemo *visited = nullptr);
  ~ScheduleChecker();

  /// Returns the reason why the schedule is infeasible, or nullopt
  /// (`checkSchedule`).
  std::optional<std::string> check(const Schedule &schedule);
  /// Returns the reason why no lowering could run the schedule, or nullopt
  /// (`whyImpossible`).
  std::optional<std::string> checkPossible(const Schedule &schedule);

  /// The functions below check a schedule in steps, in this order. Each expects
  /// that the steps before it accepted the fields that they check.
  ///
  /// Returns the reason why loops, tile sizes, splits, grid, masked axis, or
  /// the placements of operands and results are infeasible, or nullopt.
  std::optional<std::string> checkLoops(const Schedule &schedule);
  /// Returns the sets of operands whose buffers TMA copies can fill together:
  /// one set of all these operands, or one set for each if a block has too few
  /// mbarriers for all.
  llvm::SmallVector<TensorSet, 2> listTMA(const Schedule &schedule) const;
  /// Returns the reason why `warps` warps cannot hold the accumulators in any
  /// warp arrangement, or nullopt.
  std::optional<std::string> checkSums(const Schedule &schedule,
                                       unsigned warps) const;
  /// Returns the footprint for these warps and placements of intermediates,
  /// without the resources that a block holds.
  const Footprint &countTraffic(const Schedule &schedule);
  /// Returns the reason why the warps cannot be lowered, or nullopt; call
  /// `countTraffic` first.
  std::optional<std::string> checkWarps(const Schedule &schedule) const;
  /// Returns the reason why placements, transports and stages are infeasible,
  /// or nullopt.
  std::optional<std::string> checkPlaces(const Schedule &schedule);
  /// Returns the reason why other stages of loads or fragments, after
  /// `checkPlaces`, are infeasible, or nullopt.
  std::optional<std::string> checkStages(const Schedule &schedule) const;
  /// Returns the reason why the resources of a block do not suffice, or
  /// nullopt: for the stages, the producers and the next tile of a persistent
  /// block.
  std::optional<std::string> checkRoom(const Schedule &schedule);

  /// Returns the footprint of the schedule that was accepted last as a whole.
  const Footprint &footprint() const;

private:
  std::optional<std::string> checkForCpu(const Schedule &schedule);

  struct State;
  const GroupModel &group;
  const ChipInfo &chip;
  UnmaskedTilesMemo *visited;
  std::unique_ptr<State> state;
};

/// Returns the reason why no schedule of the group is legal on `chip`, whatever
/// the tile sizes, or nullopt if one may be.
std::optional<std::string> checkGroup(const GroupModel &group,
                                      const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_LEGALITY_SCHEDULELEGALITY_H
