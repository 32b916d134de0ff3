//===- StitchSchedule.h - Schedules of stitched groups ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHSCHEDULE_H
#define FUSION_ANALYSIS_STITCHING_STITCHSCHEDULE_H

#include "fusion/Analysis/Schedules/Codegen.h"
#include "fusion/Analysis/Stitching/StitchPasses.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Support/LinearLayout.h"
#include "fusion/Target/Chips/ChipTable.h"

namespace fusion {

/// The thread mapping of an axis, as `#fuse.thread_mapping`.
struct AxisThreadMapping {
  int64_t tile = 1;
  int64_t vector = 1, lanes = 1, warps = 1;
  int64_t align = 1;   ///< elements that the first tile begins at a multiple of
  int64_t cluster = 1; ///< blocks with tiles of the axis (StitchCluster.h)

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
  /// Whether reductions run in the pass of the reductions that they need
  /// (StitchPasses.h).
  bool isOnline = false;
  /// Whether later passes read expensive operators from retained values
  /// (StitchPasses.h).
  bool retainsExpensive = false;
  /// Stages of prefetched inputs (StitchStages.h); 1: no prefetching.
  int64_t stages = 1;
  /// Whether tiles that are boxes of TMA copies have these.
  bool usesTMA = false;
};

/// The loop of a block over its tile of the axis along which reductions are
/// split. The serial loop runs inside of it.
struct StitchSplitLoop {
  unsigned axis;
  int64_t step; ///< elements
};

/// Which threads exchange values: partial results of a reduction along an axis,
/// or elements of an element-wise operator that several threads need
/// (FusionStitching, section 4.1).
enum class Composition : uint8_t { Thread, Warp, Block, Cluster };

/// The composition of an element-wise operator, as `#fuse.composition`
/// (StitchCompositions.h).
struct StitchComposition {
  unsigned op;
  Composition scheme; ///< Warp or Block

  bool operator==(const StitchComposition &other) const {
    return op == other.op && scheme == other.scheme;
  }
};

struct StitchSchedule {
  int64_t warps = 1;
  llvm::SmallVector<AxisThreadMapping> threadMapping; ///< by axis
  std::optional<StitchSerialLoop> serialLoop;
  std::optional<StitchSplitLoop> splitLoop;
  /// Whether accesses to data that is used once are evict-first.
  bool evictFirst = false;
  /// Partial results of split reductions that one block reduces; 0: all.
  int64_t fanIn = 0;
  /// Producer warps, which only issue TMA copies, in addition to `warps`.
  int64_t producers = 0;
  /// Options for machine code, or nullopt to let `fuse-complete-schedules`
  /// choose them.
  std::optional<Codegen> codegen;

  /// The element-wise operators whose elements are evaluated by one thread
  /// each, in ascending order.
  llvm::SmallVector<StitchComposition, 0> compositions;

  /// Returns the composition of an element-wise operator.
  Composition schemeOf(unsigned op) const {
    for (const StitchComposition &entry : compositions)
      if (entry.op == op)
        return entry.scheme;
    return Composition::Thread;
  }
  /// Returns the thread mapping of the elements of an axis that a block holds
  /// at a time.
  AxisThreadMapping stepOf(unsigned axis) const {
    AxisThreadMapping result = threadMapping[axis];
    if (serialLoop && serialLoop->axis == axis)
      result.tile = serialLoop->step;
    if (splitLoop && splitLoop->axis == axis)
      result.tile = splitLoop->step;
    return result;
  }
  /// Returns the steps of the serial loop, 1 without one.
  int64_t countSteps() const;
  /// Returns the steps that are retained for the next pass; all without a
  /// serial loop.
  int64_t retainedSteps() const;
  /// Returns how often the serial loop runs.
  int64_t countSerialPasses() const;
};

/// Returns the passes of the schedule's serial loop; without it all operators
/// are in one pass.
StitchPasses passesOf(const StitchGroup &group, const StitchSchedule &schedule);

/// Returns the composition of a reduction along an axis.
Composition compositionOf(const AxisThreadMapping &mapping);
llvm::StringRef name(Composition composition);

/// Returns the plain form of a schedule with a `stitching` part, or nullopt
/// with a reason if it does not fit the group.
std::optional<StitchSchedule>
importStitching(fuse::ScheduleAttr attr, const StitchGroup &group,
                llvm::function_ref<void(const llvm::Twine &)> explain);
fuse::ScheduleAttr exportStitching(const StitchSchedule &schedule,
                                   const StitchGroup &group,
                                   mlir::MLIRContext *context);

/// Returns the steps of the serial loop that are inside of the axis in all
/// blocks: the first one, and the first one after them.
std::pair<int64_t, int64_t> wholeSteps(const StitchGroup &group,
                                       const StitchSchedule &schedule);

/// Returns the reason why a serial loop cannot retain its steps, or nullopt. A
/// single whole step is no loop: LLVM would retain what its first pass has
/// loaded.
std::optional<std::string> checkRetained(const StitchGroup &group,
                                         const StitchSchedule &schedule,
                                         const StitchPasses &passes);

/// Returns the reason why the schedule cannot be lowered, or nullopt. `passes`
/// are those of the schedule, if known.
std::optional<std::string> checkStitching(const StitchGroup &group,
                                          const StitchSchedule &schedule,
                                          const ChipInfo &chip,
                                          const StitchPasses *passes = nullptr);

/// Returns the layout of the elements of a tile over `axes`, ascending and of
/// one component, in the block: (Register, Lane, Warp) -> coordinates. Lanes
/// and warps of axes that are not among `axes`, or of no axis of the component,
/// hold replicas.
LinearLayout layoutOf(const StitchGroup &group, const StitchSchedule &schedule,
                      unsigned component, llvm::ArrayRef<unsigned> axes);

/// Returns an upper bound of the bytes of shared memory through which a result
/// is transposed. It is 0 if the result is stored in the block's layout. A
/// result is transposed if that would not store neighbours side by side.
int64_t countTransposed(const StitchGroup &group,
                        const StitchSchedule &schedule,
                        const StitchTensor &result);
/// Returns the number of neighbouring elements of a transposed result that a
/// thread holds.
int64_t transposedWidth(const StitchSchedule &schedule,
                        const StitchTensor &result);
/// Returns whether a transposed result with misaligned rows is stored in
/// aligned accesses of `transposedWidth` elements.
bool isTransposedMisaligned(const StitchSchedule &schedule,
                            const StitchTensor &result);
struct TransposedResult {
  LinearLayout layout;
  int64_t bytes; ///< of shared memory
};
/// Returns the layout that a result is transposed to, or nullopt if it is
/// stored in the block's layout.
std::optional<TransposedResult> transposeResult(const StitchGroup &group,
                                                const StitchSchedule &schedule,
                                                const StitchTensor &result);

/// Returns the blocks of the grid.
int64_t countBlocks(const StitchGroup &group, const StitchSchedule &schedule);
/// Returns the blocks of one component, which are consecutive in the grid.
int64_t countBlocks(const StitchGroup &group, const StitchSchedule &schedule,
                    unsigned component);

/// Returns the bytes of shared memory for the values that a block stages.
int64_t countPrivateBytes(const StitchGroup &group,
                          const StitchSchedule &schedule,
                          const StitchPasses &passes);
/// Returns the bytes of shared memory of the kernel: staged values and, after
/// them, the largest exchange.
int64_t countShared(const StitchGroup &group, const StitchSchedule &schedule,
                    const StitchPasses &passes);
/// Returns `countShared` or a larger number, in less time, for searches, as
/// transposed results take long to plan. It is larger only if that changes
/// neither whether the block fits nor how many blocks an SM holds, with at most
/// `maxBlocks` for other reasons. `knownBytes` may return `transposeBytes` of
/// results that the caller has planned before.
int64_t sharedToFit(
    const StitchGroup &group, const StitchSchedule &schedule,
    const StitchPasses &passes, const ChipInfo &chip, int64_t maxBlocks,
    llvm::function_ref<int64_t(const StitchTensor &)> knownBytes = nullptr);
/// Returns the bytes of shared memory through which a result is transposed.
int64_t transposeBytes(const StitchGroup &group, const StitchSchedule &schedule,
                       const StitchTensor &result);
/// Returns the blocks with `bytes` of shared memory that an SM holds.
int64_t blocksByShared(int64_t bytes, const ChipInfo &chip);
/// Returns the bytes of a tile over these axes.
int64_t tileBytes(const StitchSchedule &schedule, llvm::ArrayRef<unsigned> axes,
                  int64_t elementBytes);
/// Returns the elements of a thread in a tile over `axes`.
int64_t elementsOf(const StitchSchedule &schedule,
                   llvm::ArrayRef<unsigned> axes);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHSCHEDULE_H
