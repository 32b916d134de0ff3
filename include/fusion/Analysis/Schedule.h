//===- Schedule.h - A schedule as plain data ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `#fuse.schedule` says, resolved against the model of its group: the form
// in which searches build it, legality and cost models judge it, and lowering
// obeys it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULE_H
#define FUSION_ANALYSIS_SCHEDULE_H

#include "fusion/Analysis/Codegen.h"
#include "fusion/Analysis/TilingTree.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Target/Intrinsics.h"

namespace fusion {

/// How one contraction uses its intrinsic. The tile of A is (i1 × r1), that of
/// B (r1 × i2). `swapped` says that A is the RHS of the contraction: i1 is then
/// one of its rhsAxes.
struct ContractionMapping {
  const Intrinsic *intrinsic = nullptr;
  unsigned i1 = 0, i2 = 0, r1 = 0; ///< axes
  unsigned warps[2] = {1, 1};      ///< along i1 and i2
  bool swapped = false;
  /// 2 for cross-iteration overlap with its loop's next iteration.
  unsigned stages = 1;
  /// Whether loops around it mask the tiles of all their iterations. Part of
  /// what `Schedule::codegen` says.
  bool keepsMasks = false;

  /// Whether operand 0 or 1 of the contraction is the intrinsic's A.
  bool isOperandA(unsigned operand) const { return (operand == 0) != swapped; }
  /// The axis that an operand shares with the result.
  unsigned parallelAxis(unsigned operand) const {
    return isOperandA(operand) ? i1 : i2;
  }
};

/// Bytes that threads copy at a time, or that a box's rows are multiples of; 0
/// of what passes through registers.
unsigned transportBytes(fuse::Transport transport);

/// Where a tensor's tile lives, how it moves, how often it is buffered.
struct Placement {
  fuse::Space space = fuse::Space::Registers;
  fuse::Transport transport = fuse::Transport::Sync;
  fuse::Eviction eviction = fuse::Eviction::Normal;
  unsigned stages = 1;
  /// Of the fragments that are loaded from the tile in shared memory to be
  /// multiplied.
  unsigned registerStages = 1;
};

struct Schedule {
  TilingTree tree;
  llvm::SmallVector<int64_t, 8> tiles; ///< by axis
  llvm::SmallVector<unsigned, 4>
      blocks;         ///< axes bound to the grid, slowest first
  unsigned warps = 4; ///< of a block
  llvm::SmallVector<ContractionMapping, 4> contractions;
  llvm::SmallVector<Placement, 8> places; ///< by tensor
  /// By axis: the blocks that share its reduction, 1 = not split. May be
  /// shorter than the axes, or empty: what is missing is not split.
  llvm::SmallVector<int64_t, 8> splits;
  /// Whether the blocks that share a reduction are a cluster, which combines
  /// their sums, and not a second launch.
  bool splitInCluster = false;
  /// Threadblock swizzle: the two fastest grid axes run in columns of this many
  /// blocks.
  int64_t blockSwizzle = 1;
  bool persistent = false; ///< blocks loop over the tiles of the grid
  int64_t cluster = 1;     ///< CTAs of a cluster, along the fastest grid axis
  unsigned producerWarps = 0; ///< warps beside `warps` that only issue loads
  bool isPingPong = false;    ///< consumer warpgroups, on the tensor cores
  /// How reductions are evaluated that the group also consumes; none in groups
  /// without reductions.
  std::optional<fuse::ReductionForm> reduction = std::nullopt;
  /// Accumulators are rescaled where that would divide them by more than 2 to
  /// this; until then the loop computes with an earlier running value. 0:
  /// always rescaled. Of online reductions only.
  unsigned rescaleThreshold = 0;

  /// The axis whose loop visits only tiles that no mask excludes
  /// (fusion/Analysis/MaskedTiles.h); none where every loop visits all.
  std::optional<unsigned> maskedAxis = std::nullopt;
  /// What lowering is told about machine code, or nullopt where that is left to
  /// `fuse-complete-schedules`.
  std::optional<Codegen> codegen = std::nullopt;

  bool isBlockAxis(unsigned axis) const {
    return llvm::is_contained(blocks, axis);
  }
  /// Whether some contraction has cross-iteration overlap.
  bool overlapsIterations() const {
    return llvm::any_of(contractions, [](const ContractionMapping &mapping) {
      return mapping.stages > 1;
    });
  }
  int64_t splitOf(unsigned axis) const {
    return axis < splits.size() ? splits[axis] : 1;
  }
  /// The first axis whose reduction is split, if any is.
  std::optional<unsigned> splitAxis() const {
    for (unsigned axis = 0; axis < splits.size(); ++axis)
      if (splits[axis] > 1)
        return axis;
    return std::nullopt;
  }
  /// The blocks of a cluster: those that share what they copy, or a reduction.
  int64_t clusterBlocks() const {
    return splitInCluster ? splitOf(splitAxis().value_or(0)) : cluster;
  }
};

/// Returns the number of blocks of the grid: one for each tile of the axes that
/// are bound to it, and each part of a split reduction.
int64_t countBlocks(const GroupModel &group, const Schedule &schedule);

/// The form that the reductions of a group need with a schedule's tree and
/// tiles: online where one runs in the loop that consumes it, ahead where axes
/// are cut of those in front of a product alone, none where there are no
/// reductions.
std::optional<fuse::ReductionForm> reductionForm(const GroupModel &group,
                                                 const Schedule &schedule);

/// Bytes that all lanes of a block load from shared memory to multiply a tile
/// of `depth` of the reduced axis of a product: every warp its rows of one
/// operand and its columns of the other. Groups of warps read what lies in
/// registers not at all.
int64_t fragmentBytes(const GroupModel &group, const Schedule &schedule,
                      unsigned contraction, int64_t depth);

/// Whether a product's intrinsic multiplies operand 0 or 1 where it lies in
/// shared memory; where not, fragments of it are in registers.
bool isReadFromShared(const GroupModel &group, const Schedule &schedule,
                      unsigned contraction, unsigned operand);

/// Whether fragments of a tensor are loaded from shared memory to be
/// multiplied: they can have stages.
bool hasFragments(const GroupModel &group, const Schedule &schedule,
                  unsigned tensor);

/// The stages of all fragments, 1 where there are none, or nullopt where they
/// differ.
std::optional<unsigned> commonRegisterStages(const GroupModel &group,
                                             const Schedule &schedule);

/// The tensors in shared memory of which fragments are loaded for operand 0 or
/// 1 of a product; several where element-wise operators join them.
llvm::SmallVector<unsigned, 2> listFragments(const GroupModel &group,
                                             const Schedule &schedule,
                                             unsigned contraction,
                                             unsigned operand);

/// Reads the attribute. Returns nullopt and calls `explain` where it names what
/// the group does not have or leaves out what the group needs.
std::optional<Schedule>
importSchedule(fuse::ScheduleAttr attr, const GroupModel &group,
               llvm::function_ref<void(const llvm::Twine &)> explain);

/// Writes the attribute; reading it back gives an equal schedule.
fuse::ScheduleAttr exportSchedule(const Schedule &schedule,
                                  const GroupModel &group,
                                  mlir::MLIRContext *context);

/// The schedule of a group in the generic form: one thread computes one element
/// of the result, with all reductions as loops inside.
fuse::ScheduleAttr makeGenericSchedule(mlir::MLIRContext *context);

/// Why the group cannot be lowered by a schedule of the generic form, or
/// nullopt where it can.
std::optional<std::string>
checkGenericSchedule(fuse::FusedGroupOpInterface group,
                     fuse::ScheduleAttr schedule);

/// Whether a schedule is in the generic form.
bool isGenericSchedule(fuse::ScheduleAttr schedule);

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULE_H
