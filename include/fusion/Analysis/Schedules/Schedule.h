//===- Schedule.h - A schedule as plain data ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `#fuse.schedule`, resolved against the model of its group. Searches build
// this form, legality and cost models evaluate it, and lowering follows it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULES_SCHEDULE_H
#define FUSION_ANALYSIS_SCHEDULES_SCHEDULE_H

#include "fusion/Analysis/Schedules/Codegen.h"
#include "fusion/Analysis/Schedules/TilingTree.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Target/Chips/Intrinsics.h"

namespace fusion {

/// How one contraction uses its intrinsic. The tile of A is (i1 × r1), that of
/// B (r1 × i2). With `swapped` A is the RHS of the contraction: i1 is then one
/// of its rhsAxes.
struct ContractionMapping {
  const Intrinsic *intrinsic = nullptr;
  unsigned i1 = 0, i2 = 0, r1 = 0; ///< axes
  unsigned warps[2] = {1, 1};      ///< along i1 and i2
  bool swapped = false;
  /// 2 for cross-iteration overlap with its loop's next iteration.
  unsigned stages = 1;
  /// Whether loops around it mask the tiles of all their iterations. A part of
  /// `Schedule::codegen`.
  bool keepsMasks = false;

  /// Returns whether operand 0 or 1 of the contraction is the intrinsic's A.
  bool isOperandA(unsigned operand) const { return (operand == 0) != swapped; }
  /// Returns the axis that an operand shares with the result.
  unsigned parallelAxis(unsigned operand) const {
    return isOperandA(operand) ? i1 : i2;
  }
};

/// Returns the bytes that threads copy at a time or, for TMA, the bytes that
/// divide each row of a box; 0 if data passes through registers.
unsigned transportBytes(fuse::Transport transport);

/// Where a tensor's tile lives, how it is moved, and its number of stages.
struct Placement {
  fuse::Space space = fuse::Space::Registers;
  fuse::Transport transport = fuse::Transport::Sync;
  fuse::Eviction eviction = fuse::Eviction::Normal;
  unsigned stages = 1;
  /// Stages of the MMA fragments that are loaded from the tile in shared
  /// memory.
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
  /// By axis: the blocks of its split reduction, 1 = not split. May be shorter
  /// than the axes, or empty: axes without an entry are not split.
  llvm::SmallVector<int64_t, 8> splits;
  /// Whether the blocks of a split reduction are a cluster that reduces their
  /// partial results, instead of a second launch.
  bool splitInCluster = false;
  /// Threadblock swizzle: the two fastest grid axes run in columns of this many
  /// blocks.
  int64_t blockSwizzle = 1;
  bool persistent = false; ///< blocks loop over the tiles of the grid
  int64_t cluster = 1;     ///< CTAs of a cluster, along the fastest grid axis
  unsigned producerWarps = 0; ///< warps beside `warps` that only issue loads
  bool isPingPong = false;    ///< consumer warpgroups, on the tensor cores
  /// How reductions are evaluated that the group also consumes; nullopt for
  /// groups without reductions.
  std::optional<fuse::ReductionForm> reduction = std::nullopt;
  /// Conditional rescaling, for online reductions only: accumulators are
  /// rescaled if that divides them by more than 2 to the power of this. Until
  /// then the loop computes with an earlier running value. 0: always rescaled.
  unsigned rescaleThreshold = 0;

  /// The axis whose loop visits only tiles that no mask excludes
  /// (fusion/Analysis/Schedules/MaskedTiles.h); none where every loop visits
  /// all.
  std::optional<unsigned> maskedAxis = std::nullopt;
  /// Options for machine code, or nullopt to let `fuse-complete-schedules`
  /// choose them.
  std::optional<Codegen> codegen = std::nullopt;

  bool isBlockAxis(unsigned axis) const {
    return llvm::is_contained(blocks, axis);
  }
  /// Returns whether some contraction has cross-iteration overlap.
  bool overlapsIterations() const {
    return llvm::any_of(contractions, [](const ContractionMapping &mapping) {
      return mapping.stages > 1;
    });
  }
  int64_t splitOf(unsigned axis) const {
    return axis < splits.size() ? splits[axis] : 1;
  }
  /// Returns the first axis whose reduction is split, or nullopt.
  std::optional<unsigned> splitAxis() const {
    for (unsigned axis = 0; axis < splits.size(); ++axis)
      if (splits[axis] > 1)
        return axis;
    return std::nullopt;
  }
  /// Returns the number of blocks of a cluster: of multicast copies, or of a
  /// split reduction.
  int64_t clusterBlocks() const {
    return splitInCluster ? splitOf(splitAxis().value_or(0)) : cluster;
  }
};

/// Returns the number of blocks of the grid: one for each tile of the grid axes
/// and each partial result of a split reduction.
int64_t countBlocks(const GroupModel &group, const Schedule &schedule);

/// Returns the form that the reductions of a group need with a schedule's tree
/// and tiles. It is `online` if one runs in the loop that consumes it,
/// `prepass` if only axes of reductions before a contraction are tiled, and
/// nullopt if there are no reductions.
std::optional<fuse::ReductionForm> reductionForm(const GroupModel &group,
                                                 const Schedule &schedule);

/// Returns the bytes that all lanes of a block load from shared memory as
/// fragments for `depth` elements of the reduced axis of a contraction. Every
/// warp loads its rows of one operand and its columns of the other. Warpgroups
/// do not load an operand that is in registers.
int64_t fragmentBytes(const GroupModel &group, const Schedule &schedule,
                      unsigned contraction, int64_t depth);

/// Returns whether a contraction's intrinsic reads operand 0 or 1 from shared
/// memory; otherwise fragments of it are in registers.
bool isReadFromShared(const GroupModel &group, const Schedule &schedule,
                      unsigned contraction, unsigned operand);

/// Returns whether fragments of a tensor are loaded from shared memory for an
/// MMA, so that they can have stages.
bool hasFragments(const GroupModel &group, const Schedule &schedule,
                  unsigned tensor);

/// Returns the stages of all fragments, 1 if no fragments are loaded, or
/// nullopt if they differ.
std::optional<unsigned> commonRegisterStages(const GroupModel &group,
                                             const Schedule &schedule);

/// Returns the tensors in shared memory whose fragments are loaded for operand
/// 0 or 1 of a contraction. There are several if element-wise operators join
/// them.
llvm::SmallVector<unsigned, 2> listFragments(const GroupModel &group,
                                             const Schedule &schedule,
                                             unsigned contraction,
                                             unsigned operand);

/// Reads the attribute. Returns nullopt and calls `explain` if it names what
/// the group does not have or omits what the group needs.
std::optional<Schedule>
importSchedule(fuse::ScheduleAttr attr, const GroupModel &group,
               llvm::function_ref<void(const llvm::Twine &)> explain);

/// Writes the attribute; reading it back gives an equal schedule.
fuse::ScheduleAttr exportSchedule(const Schedule &schedule,
                                  const GroupModel &group,
                                  mlir::MLIRContext *context);

/// Returns how many iterations of a thread's innermost reduction load their
/// elements together in the generic form: `loads` in each of them. The number of
/// iterations may be dynamic.
int64_t genericStages(int64_t iterations, int64_t loads);
/// The most of any of the operators.
int64_t genericStages(llvm::ArrayRef<mlir::linalg::LinalgOp> operators);

/// Returns the schedule of a group of operators in the generic form: one thread
/// computes one element of the result, with all reductions as loops inside.
/// `register_stages` iterations of the innermost one load their elements
/// together. A block of a CPU is a task, which computes as many elements as a
/// block can have.
fuse::ScheduleAttr
makeGenericSchedule(mlir::MLIRContext *context,
                    llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
                    bool isForCpu = false);

/// Returns the reason why a schedule of the generic form cannot lower the
/// group, or nullopt.
std::optional<std::string>
checkGenericSchedule(fuse::FusedGroupOpInterface group,
                     fuse::ScheduleAttr schedule);

/// Returns whether a schedule is in the generic form.
bool isGenericSchedule(fuse::ScheduleAttr schedule);

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULES_SCHEDULE_H
