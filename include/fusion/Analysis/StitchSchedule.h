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

/// The thread mapping of an axis, as `#fuse.thread_mapping`.
struct AxisThreadMapping {
  int64_t tile = 1;
  int64_t vector = 1, lanes = 1, warps = 1;
  int64_t align = 1;   ///< elements that the first tile begins at a multiple of
  int64_t cluster = 1; ///< blocks that share the axis (StitchCluster.h)

  int64_t registers() const { return tile / (vector * lanes * warps); }
  bool operator==(const AxisThreadMapping &other) const {
    auto all = [](const AxisThreadMapping &s) {
      return std::tie(s.tile, s.vector, s.lanes, s.warps, s.align, s.cluster);
    };
    return all(*this) == all(other);
  }
  bool operator!=(const AxisThreadMapping &other) const {
    return !(*this == other);
  }
};

/// The serial loop of a block over a long axis, as `#fuse.serial_loop`.
struct StitchSerialLoop {
  unsigned axis;
  int64_t step; ///< elements
  /// Steps whose values are retained in registers, and in shared memory.
  int64_t registerSteps = 0, sharedSteps = 0;
  /// Reductions run in the pass of those that they need (StitchPasses.h).
  bool isOnline = false;
  /// Retained values spare later passes expensive operators (StitchPasses.h).
  bool retainsExpensive = false;
  /// Stages of what is prefetched (StitchStages.h); 1: nothing is.
  int64_t stages = 1;
  /// Tiles that boxes of a tensor map cover have TMA copies.
  bool usesTMA = false;
};

/// The loop of a block over its tile of the axis along which reductions are
/// split. The serial loop runs inside of it.
struct StitchSplitLoop {
  unsigned axis;
  int64_t step; ///< elements
};

struct StitchSchedule {
  int64_t warps = 1;
  llvm::SmallVector<AxisThreadMapping> threadMapping; ///< by axis
  std::optional<StitchSerialLoop> serialLoop;
  std::optional<StitchSplitLoop> splitLoop;
  /// Data that is used once bypasses the caches.
  bool evictFirst = false;
  /// Partial results of split reductions that one block combines; 0: all.
  int64_t fanIn = 0;
  /// Warps, beside the others, that only issue TMA copies.
  int64_t producers = 0;
  /// What lowering is told about machine code, or nullopt where that is left to
  /// `fuse-complete-schedules`.
  std::optional<Codegen> codegen;

  /// What a block has of an axis at once.
  AxisThreadMapping stepOf(unsigned axis) const {
    AxisThreadMapping result = threadMapping[axis];
    if (serialLoop && serialLoop->axis == axis)
      result.tile = serialLoop->step;
    if (splitLoop && splitLoop->axis == axis)
      result.tile = splitLoop->step;
    return result;
  }
  /// Steps of the serial loop, 1 without one.
  int64_t countSteps() const;
  /// Steps that are retained for the next pass; all without a serial loop.
  int64_t retainedSteps() const;
  /// Times that the serial loop runs.
  int64_t countSerialPasses() const;
};

/// The passes of the schedule's serial loop; all operators in one without it.
StitchPasses passesOf(const StitchGroup &group, const StitchSchedule &schedule);

/// Composition of a reduction along an axis (FusionStitching, section 4.1).
enum class Composition : uint8_t { Thread, Warp, Block, Cluster };
Composition compositionOf(const AxisThreadMapping &mapping);
llvm::StringRef name(Composition composition);

/// The plain form of a schedule with a `stitching` part. Returns nullopt with a
/// reason where it does not fit the group.
std::optional<StitchSchedule>
importStitching(fuse::ScheduleAttr attr, const StitchGroup &group,
                llvm::function_ref<void(const llvm::Twine &)> explain);
fuse::ScheduleAttr exportStitching(const StitchSchedule &schedule,
                                   const StitchGroup &group,
                                   mlir::MLIRContext *context);

/// Steps of the serial loop that are inside of the axis in all blocks: the
/// first one, and the first one behind them.
std::pair<int64_t, int64_t> wholeSteps(const StitchGroup &group,
                                       const StitchSchedule &schedule);

/// Returns the reason why a serial loop cannot retain its steps, or nullopt: a
/// single whole step is no loop, so that LLVM would retain what the first pass
/// has loaded of it.
std::optional<std::string> checkRetained(const StitchGroup &group,
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

/// Bytes of shared memory, at most, through which a result is transposed where
/// the block's layout would not store neighbours side by side; 0 where it is
/// stored as it lies.
int64_t countTransposed(const StitchGroup &group,
                        const StitchSchedule &schedule,
                        const StitchTensor &result);
/// Neighbouring elements that a thread has of a transposed result.
int64_t transposedWidth(const StitchSchedule &schedule,
                        const StitchTensor &result);
/// Whether a transposed result is stored in aligned accesses of so many
/// elements, of misaligned rows.
bool isTransposedMisaligned(const StitchSchedule &schedule,
                            const StitchTensor &result);
struct TransposedResult {
  LinearLayout layout;
  int64_t bytes; ///< of shared memory
};
/// Returns the layout that a result is transposed to, or nullopt where it is
/// stored as it lies.
std::optional<TransposedResult> transposeResult(const StitchGroup &group,
                                                const StitchSchedule &schedule,
                                                const StitchTensor &result);

/// Blocks of the grid.
int64_t countBlocks(const StitchGroup &group, const StitchSchedule &schedule);
/// Those of one component, which follow one another in the grid.
int64_t countBlocks(const StitchGroup &group, const StitchSchedule &schedule,
                    unsigned component);

/// Bytes of shared memory for the values that a block stages.
int64_t countPrivateBytes(const StitchGroup &group,
                          const StitchSchedule &schedule,
                          const StitchPasses &passes);
/// Those of the kernel: staged values and, behind them, the largest exchange.
int64_t countShared(const StitchGroup &group, const StitchSchedule &schedule,
                    const StitchPasses &passes);
/// The same for a search, which asks often, as places of transposed results
/// take long to plan: too high only where that changes neither whether a block
/// can have it nor how many blocks an SM holds, of which there are at most
/// `maxBlocks` for other reasons. `knownBytes`: `transposeBytes` of a result,
/// of who has planned them already.
int64_t sharedToFit(
    const StitchGroup &group, const StitchSchedule &schedule,
    const StitchPasses &passes, const ChipInfo &chip, int64_t maxBlocks,
    llvm::function_ref<int64_t(const StitchTensor &)> knownBytes = nullptr);
/// Bytes of shared memory through which a result is transposed.
int64_t transposeBytes(const StitchGroup &group, const StitchSchedule &schedule,
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
