//===- StitchSchedule.h - Schedules of stitched groups ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHSCHEDULE_H
#define FUSION_ANALYSIS_STITCHSCHEDULE_H

#include "fusion/Analysis/Codegen.h"
#include "fusion/Analysis/StitchPasses.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Support/LinearLayout.h"
#include "fusion/Target/ChipTable.h"

namespace fusion {

/// How an axis is spread over a block, as `#fuse.spread`.
struct AxisSpread {
  int64_t tile = 1;
  int64_t vector = 1, lanes = 1, warps = 1;
  int64_t align = 1;   ///< elements that the first tile begins at a multiple of
  int64_t cluster = 1; ///< blocks that share the axis (StitchCluster.h)

  int64_t registers() const { return tile / (vector * lanes * warps); }
  bool operator==(const AxisSpread &other) const {
    auto all = [](const AxisSpread &s) {
      return std::tie(s.tile, s.vector, s.lanes, s.warps, s.align, s.cluster);
    };
    return all(*this) == all(other);
  }
  bool operator!=(const AxisSpread &other) const { return !(*this == other); }
};

/// How a block goes through a long axis, as `#fuse.walk`.
struct StitchWalk {
  unsigned axis;
  int64_t step; ///< elements
  /// Steps whose values are kept in registers, and those in shared memory.
  int64_t registers = 0, shared = 0;
  /// Reductions run in the pass of those that they need (StitchPasses.h).
  bool isOnline = false;
  /// What is kept spares later passes what is costly (StitchPasses.h).
  bool keepsCostly = false;
  /// Of what is copied ahead (StitchStages.h); 1: nothing is.
  int64_t stages = 1;
  /// By boxes of tensor maps, what is made of such boxes.
  bool inBulk = false;
};

/// How a block goes through its part of the axis along which blocks share
/// reductions, and for each step of that through the walk.
struct StitchRows {
  unsigned axis;
  int64_t step; ///< elements
};

struct StitchSchedule {
  int64_t warps = 1;
  llvm::SmallVector<AxisSpread> spread; ///< by axis
  std::optional<StitchWalk> walk;
  std::optional<StitchRows> rows;
  /// What is touched once goes past the caches.
  bool streams = false;
  /// Parts of shared reductions that one block combines; 0: all of them.
  int64_t combine = 0;
  /// Warps, beside the others, that issue bulk copies and do nothing else.
  int64_t producers = 0;
  /// What lowering is told about machine code, or nullopt where that is left to
  /// `fuse-complete-schedules`.
  std::optional<Codegen> codegen;

  /// What a block has of an axis at once.
  AxisSpread stepOf(unsigned axis) const {
    AxisSpread result = spread[axis];
    if (walk && walk->axis == axis)
      result.tile = walk->step;
    if (rows && rows->axis == axis)
      result.tile = rows->step;
    return result;
  }
  /// Steps through the walked axis, 1 without one.
  int64_t countSteps() const;
  /// Those that are kept for the next pass; all without a walk.
  int64_t keptSteps() const;
  /// Times that it is walked through.
  int64_t countWalks() const;
};

/// The passes of the schedule's walk, all operators in one without a walk.
StitchPasses passesOf(const StitchGroup &group, const StitchSchedule &schedule);

/// Composition of a reduction along an axis (FusionStitching, section 4.1).
enum class Composition : uint8_t { Thread, Warp, Block, Cluster };
Composition compositionOf(const AxisSpread &spread);
llvm::StringRef name(Composition composition);

/// The plain form of a schedule with a `stitching` part. Returns nullopt with a
/// reason where it does not fit the group.
std::optional<StitchSchedule>
importStitching(fuse::ScheduleAttr attr, const StitchGroup &group,
                llvm::function_ref<void(const llvm::Twine &)> explain);
fuse::ScheduleAttr exportStitching(const StitchSchedule &schedule,
                                   const StitchGroup &group,
                                   mlir::MLIRContext *context);

/// Steps of the walk that are inside of the axis in all blocks: the first one,
/// and the first one behind them.
std::pair<int64_t, int64_t> wholeSteps(const StitchGroup &group,
                                       const StitchSchedule &schedule);

/// Why a walk cannot keep what it keeps, or nullopt: a single whole step is no
/// loop, so that LLVM would keep what the first pass has loaded of it.
std::optional<std::string> checkKept(const StitchGroup &group,
                                     const StitchSchedule &schedule,
                                     const StitchPasses &passes);

/// Why the schedule cannot be lowered, or nullopt. `passes`: its passes, where
/// they are known.
std::optional<std::string> checkStitching(const StitchGroup &group,
                                          const StitchSchedule &schedule,
                                          const ChipInfo &chip,
                                          const StitchPasses *passes = nullptr);

/// Where the elements of a tile over `axes`, ascending and of one component,
/// live in the block: (Register, Lane, Warp) -> coordinates. Lanes and warps
/// that no axis of the component takes, and those of axes that are not among
/// these, hold replicas.
LinearLayout layoutOf(const StitchGroup &group, const StitchSchedule &schedule,
                      unsigned component, llvm::ArrayRef<unsigned> axes);

/// Bytes of shared memory, at most, through which a result is turned where the
/// block's layout would not store neighbours side by side; 0 where it is stored
/// as it lies.
int64_t countTurned(const StitchGroup &group, const StitchSchedule &schedule,
                    const StitchTensor &result);
/// Neighbours of a thread that it is turned to have.
int64_t turnedWidth(const StitchSchedule &schedule, const StitchTensor &result);
/// Whether it is stored in aligned pieces of so many, of rows that begin
/// anywhere.
bool isTurnedRealigned(const StitchSchedule &schedule,
                       const StitchTensor &result);
struct TurnedResult {
  LinearLayout layout;
  int64_t bytes; ///< of shared memory
};
/// What it is turned to. nullopt where it is stored as it lies.
std::optional<TurnedResult> turnResult(const StitchGroup &group,
                                       const StitchSchedule &schedule,
                                       const StitchTensor &result);

/// Blocks of the grid.
int64_t countBlocks(const StitchGroup &group, const StitchSchedule &schedule);
/// Those of one component, which follow one another in the grid.
int64_t countBlocks(const StitchGroup &group, const StitchSchedule &schedule,
                    unsigned component);

/// Bytes of shared memory for the values that a block puts aside.
int64_t countStash(const StitchGroup &group, const StitchSchedule &schedule,
                   const StitchPasses &passes);
/// Those of the kernel: what is put aside and, behind it, the largest exchange.
int64_t countShared(const StitchGroup &group, const StitchSchedule &schedule,
                    const StitchPasses &passes);
/// The same for a search, which asks often, as places of turned results take
/// long to plan: too high only where that changes neither whether a block can
/// have it nor how many blocks an SM holds, of which there are at most
/// `mostBlocks` for other reasons. `knownBytes`: `bytesToTurn` of a result, of
/// who has planned them already.
int64_t sharedToFit(
    const StitchGroup &group, const StitchSchedule &schedule,
    const StitchPasses &passes, const ChipInfo &chip, int64_t mostBlocks,
    llvm::function_ref<int64_t(const StitchTensor &)> knownBytes = nullptr);
/// Bytes of shared memory through which a result is turned.
int64_t bytesToTurn(const StitchGroup &group, const StitchSchedule &schedule,
                    const StitchTensor &result);
/// Blocks of so many bytes that the shared memory of an SM holds.
int64_t blocksByShared(int64_t bytes, const ChipInfo &chip);
/// Bytes of a tile over these axes.
int64_t tileBytes(const StitchSchedule &schedule, llvm::ArrayRef<unsigned> axes,
                  int64_t elementBytes);
/// Elements of a thread in a tile over `axes`.
int64_t elementsOf(const StitchSchedule &schedule,
                   llvm::ArrayRef<unsigned> axes);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHSCHEDULE_H
