//===- ScheduleLegality.h - What lowering can do ----------------*- C++ -*-===//
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

/// Why the result of product `producer`, an intermediate, cannot go to its
/// consumers as the registers that hold the accumulator, or nullopt where it
/// can. It can as the first operand of the next intrinsic where the same warps
/// hold the same rows, and transposed as the second operand, whose fragment is
/// the accumulator's mirror image (PTX ISA, "Matrix Fragments for
/// mma.m16n8k16"). Placement in registers and in shared memory both follow from
/// this.
std::optional<std::string> whyNotForwardedInRegisters(const GroupModel &group,
                                                      const Schedule &schedule,
                                                      unsigned producer);

/// Whether it can.
bool isForwardedInRegisters(const GroupModel &group, const Schedule &schedule,
                            unsigned producer);

/// Why bulk copies (by boxes of a tensor map) cannot fill the buffer of operand
/// `tensor`, or store that result from one, or nullopt where they can: rows not
/// at multiples of 16 bytes, windows, too many kept tiles, more than five
/// dimensions, orders in shared memory that are no swizzle, sums of parts.
/// cp.async or loads and stores of threads do what they cannot.
std::optional<std::string> whyNotTMA(const GroupModel &group,
                                     const Schedule &schedule,
                                     const ChipInfo &chip, unsigned tensor);

/// Why the blocks of a cluster cannot share the copies of operand `tensor`,
/// each of them a part of its tile's rows for all (multicast), or nullopt where
/// they can and so do: it is copied by threads, differs between the blocks, or
/// its rows are not divided.
std::optional<std::string> whyNotMulticast(const GroupModel &group,
                                           const Schedule &schedule,
                                           unsigned tensor);

/// Whether they share them.
bool isMulticast(const GroupModel &group, const Schedule &schedule,
                 unsigned tensor);

/// Why product `number` cannot run beside the products of the next iteration of
/// its loop, a second stage of `#fuse.pipeline`'s `products`, or nullopt where
/// it can, once its second operand has several stages: nothing but its own
/// operand's mbarriers may be waited for in its place.
std::optional<std::string> whyNotOverlapped(const GroupModel &group,
                                            const Schedule &schedule,
                                            unsigned number);

/// Which of the products that shall run beside the next iteration's has a
/// second operand with a single stage, or nullopt where none has.
std::optional<std::string> whyOverlapStalls(const GroupModel &group,
                                            const Schedule &schedule);

/// The warpgroups that could take turns at the tensor cores; 1 where the warps
/// are no whole warpgroups.
inline unsigned countWarpgroups(const Schedule &schedule) {
  return schedule.warps % kWarpgroupWarps == 0
             ? schedule.warps / kWarpgroupWarps
             : 1;
}

/// Why groups of warps beside producers cannot take turns at the tensor cores
/// (`turns` of `#fuse.parallel`), or nullopt where they can: some product is
/// fed by another one of its loop, so that there is something to compute under
/// others' products, and no group waits for another one but for its turn.
std::optional<std::string> whyNotPingPong(const GroupModel &group,
                                          const Schedule &schedule);

/// The product whose value is the first operand of product `number`'s
/// intrinsic, if it is computed.
std::optional<unsigned> producerOfOperandA(const GroupModel &group,
                                           const Schedule &schedule,
                                           unsigned number);

/// The operands that blocks copy to shared memory.
llvm::SmallVector<unsigned, 4> listCopied(const GroupModel &group,
                                          const Schedule &schedule);

/// Tensors of a group, a bit of each of the first 64.
using TensorSet = uint64_t;
constexpr unsigned kMaxInSet = 64;

/// Why `schedule` asks for something that could run on some chip but that
/// lowering does not do, or nullopt where it asks for nothing of the kind. This
/// is the gate of the fields that are costed only: a search that looks through
/// it reports what they would give.
std::optional<std::string> whyNotLowered(const Schedule &schedule);

/// Why `schedule` could not run on `chip` though every field were lowered, or
/// nullopt where it could. `group` is a chain whose products are mapped to
/// intrinsics.
std::optional<std::string> whyImpossible(const GroupModel &group,
                                         const Schedule &schedule,
                                         const ChipInfo &chip,
                                         Footprint *footprint = nullptr);

/// Why `schedule` cannot be lowered for `chip`, or nullopt where it can: the
/// two above. The verifier of scheduled groups and the pruning of searches are
/// this predicate. Where it can be lowered, `footprint` is what
/// `computeFootprint` gives.
std::optional<std::string> checkSchedule(const GroupModel &group,
                                         const Schedule &schedule,
                                         const ChipInfo &chip,
                                         Footprint *footprint = nullptr);

class UnmaskedTilesMemo; // MaskedTiles.h

/// `checkSchedule` of many schedules of one group. Most that a search looks at
/// differ from the last one in their warps or stages only, which changes little
/// of what there is to check.
class ScheduleChecker {
public:
  /// `group` passes `checkGroup`; both must outlive the checker, as must
  /// `visited`, which checkers of one group may share.
  ScheduleChecker(const GroupModel &group, const ChipInfo &chip,
                  UnmaskedTilesMemo *visited = nullptr);
  ~ScheduleChecker();

  /// Why not, or nullopt.
  std::optional<std::string> check(const Schedule &schedule);
  /// Without what lowering does not do (`whyImpossible`).
  std::optional<std::string> checkPossible(const Schedule &schedule);

  /// The same in steps, of one object that changes in between. Loops, tiles,
  /// splits, grid, what is skipped, and operands' and results' places, whatever
  /// the rest;
  std::optional<std::string> checkLoops(const Schedule &schedule);
  /// where they were accepted, the operands whose buffers bulk copies can fill,
  /// in sets that they can fill together: all of these, or each alone where a
  /// block has too few mbarriers for all;
  llvm::SmallVector<TensorSet, 2> listTMA(const Schedule &schedule) const;
  /// why that many warps cannot hold the sums, however they are arranged, or
  /// nullopt;
  std::optional<std::string> checkSums(const Schedule &schedule,
                                       unsigned warps) const;
  /// the footprint of warps and intermediates' places
  /// but for what a block holds;
  const Footprint &countTraffic(const Schedule &schedule);
  /// after that, whether these warps can be lowered,
  std::optional<std::string> checkWarps(const Schedule &schedule) const;
  /// and whether these places, transports and stages can;
  std::optional<std::string> checkPlaces(const Schedule &schedule);
  /// and where they can, other stages, also of fragments: whether loads and
  /// fragments may have them,
  std::optional<std::string> checkStages(const Schedule &schedule) const;
  /// and whether there is room for so many, and beside them for producers and
  /// the next tile of a block that stays.
  std::optional<std::string> checkRoom(const Schedule &schedule);

  /// Of the schedule that was accepted last, whole.
  const Footprint &footprint() const;

private:
  struct State;
  const GroupModel &group;
  const ChipInfo &chip;
  UnmaskedTilesMemo *visited;
  std::unique_ptr<State> state;
};

/// Why no schedule can exist for the group on `chip`, whatever the tiles, or
/// nullopt where one may.
std::optional<std::string> checkGroup(const GroupModel &group,
                                      const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULELEGALITY_H
