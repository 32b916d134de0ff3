//===- ScheduleLegality.h - Which schedules are legal -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULELEGALITY_H
#define FUSION_ANALYSIS_SCHEDULELEGALITY_H

#include "fusion/Analysis/Footprint.h"
#include "fusion/Target/Hardware.h"

namespace fusion {

/// Returns the reason why accumulator-to-operand forwarding cannot pass the
/// result of contraction `producer`, an intermediate, to its consumers, or
/// nullopt. It can pass it as A of the next intrinsic if the same warps hold
/// the same rows. It can pass it transposed, as B, whose fragment is the
/// accumulator's mirror image (PTX ISA, "Matrix Fragments for mma.m16n8k16").
/// Placement in registers and in shared memory both follow from this.
std::optional<std::string> whyNotForwardedInRegisters(const GroupModel &group,
                                                      const Schedule &schedule,
                                                      unsigned producer);

/// Returns whether accumulator-to-operand forwarding passes the result.
bool isForwardedInRegisters(const GroupModel &group, const Schedule &schedule,
                            unsigned producer);

/// Returns the reason why TMA copies cannot fill the buffer of operand
/// `tensor`, or TMA stores cannot store result `tensor` from its buffer, or
/// nullopt. Reasons are:
///
/// * rows that are not at multiples of 16 bytes;
/// * windows;
/// * too many retained tiles;
/// * more than five dimensions;
/// * layouts in shared memory that are no swizzle;
/// * partial results.
///
/// cp.async, or loads and stores of threads, cover the other cases.
std::optional<std::string> whyNotTMA(const GroupModel &group,
                                     const Schedule &schedule,
                                     const ChipInfo &chip, unsigned tensor);

/// Returns the reason why the blocks of a cluster do not load operand `tensor`
/// by multicast, each a part of the tile's rows for all, or nullopt if they do.
/// The reasons: threads copy it, it differs between the blocks, or the number
/// of blocks does not divide its rows.
std::optional<std::string> whyNotMulticast(const GroupModel &group,
                                           const Schedule &schedule,
                                           unsigned tensor);

/// Returns whether the blocks of a cluster load `tensor` by multicast.
bool isMulticast(const GroupModel &group, const Schedule &schedule,
                 unsigned tensor);

/// Returns the reason why contraction `number` cannot have cross-iteration
/// overlap (`overlap` of `#fuse.pipeline`), or nullopt if it can once B of its
/// intrinsic has several stages. Where its MMAs are issued, no waits are
/// allowed but those for the mbarriers of B.
std::optional<std::string> whyNotOverlapped(const GroupModel &group,
                                            const Schedule &schedule,
                                            unsigned number);

/// Returns the reason why cross-iteration overlap stalls, or nullopt: B of a
/// contraction with overlap has a single stage.
std::optional<std::string> whyOverlapStalls(const GroupModel &group,
                                            const Schedule &schedule);

/// Returns the number of warpgroups that could have ping-pong scheduling; 1 if
/// the warps are no whole warpgroups.
inline unsigned countWarpgroups(const Schedule &schedule) {
  return schedule.warps % kWarpgroupWarps == 0
             ? schedule.warps / kWarpgroupWarps
             : 1;
}

/// Returns the reason why consumer warpgroups cannot have ping-pong scheduling
/// (`ping_pong` of `#fuse.parallel`), or nullopt. Some contraction must read
/// the result of another one in its loop, so that there is work that overlaps
/// with the MMAs of the other warpgroups. Warpgroups must not wait for one
/// another otherwise.
std::optional<std::string> whyNotPingPong(const GroupModel &group,
                                          const Schedule &schedule);

/// Returns the contraction whose result is A of contraction `number`'s
/// intrinsic, or nullopt if A is loaded.
std::optional<unsigned> producerOfOperandA(const GroupModel &group,
                                           const Schedule &schedule,
                                           unsigned number);

/// Returns the operands that blocks copy to shared memory.
llvm::SmallVector<unsigned, 4> listCopied(const GroupModel &group,
                                          const Schedule &schedule);

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

#endif // FUSION_ANALYSIS_SCHEDULELEGALITY_H
