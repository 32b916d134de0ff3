//===- ScheduleBuilder.h - From loops and tiles to a schedule -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches choose loops, tile sizes, warps and stages. The builder derives the
// other fields of a schedule from these: the intrinsic mapping, and the
// placements and transports of tensors. It serves all search spaces.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_SCHEDULEBUILDER_H
#define FUSION_SEARCH_SPACE_SCHEDULEBUILDER_H

#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Search/Space/TilingExpressions.h"
#include "fusion/Target/Chips/Hardware.h"
#include <array>

namespace fusion {

/// The warps of a block along i1 and i2 of each contraction. All contractions
/// have equally many.
using WarpArrangement = llvm::SmallVector<std::array<unsigned, 2>, 4>;

/// The intrinsics that a contraction can be mapped to.
using Intrinsics = llvm::SmallVector<const Intrinsic *, 2>;

class ScheduleBuilder {
public:
  /// Constructs a builder for a group that passes `checkGroup`. `group` and
  /// `chip` must outlive the builder.
  ScheduleBuilder(const GroupModel &group, const ChipInfo &chip);

  /// Returns a schedule with contractions mapped to intrinsics and nothing
  /// else: tile sizes of 1.
  const Schedule &base() const { return mapped; }

  /// Returns whether a contraction's intrinsic takes the axis. Other axes have
  /// tile size 1.
  bool isMapped(unsigned axis) const;

  /// Returns the axes of the result, slowest in the grid first: the axes that
  /// are not tiled, then rows and columns.
  llvm::ArrayRef<unsigned> gridAxes() const { return grid; }

  /// Returns the expression with all axes of the result bound to the grid and
  /// the reductions nested, the last contraction's outermost. It computes a
  /// long chain with a single tile of each intermediate.
  const BoundExpression &nestedReductions() const { return nested; }

  /// Returns the intrinsics that the contraction can be mapped to, best first.
  Intrinsics intrinsicsOf(unsigned contraction) const;

  /// Returns whether a result that `mapping` computes by `intrinsic` is staged
  /// in shared memory. Rows are dense there, and stores are wider than the
  /// neighbouring elements of a thread.
  static bool isStaged(const GroupTensor &result,
                       const ContractionMapping &mapping,
                       const Intrinsic &intrinsic) {
    return result.axes.back() == mapping.i2 &&
           result.alignment >
               intrinsic.accumulatorColumns * result.elementBytes;
  }

  /// Sets the tree and grid of an expression, with the schedule's tile sizes.
  /// Loops of one iteration are left out. Unless `hoists`, statements are
  /// placed as if these loops were still there (MCFuser without removal of dead
  /// loops). `passes` is as for `placeStatements`.
  void setLoops(Schedule &schedule, const BoundExpression &expression,
                bool hoists = true,
                llvm::ArrayRef<StatisticsPlacement> passes = {}) const;

  /// Sets the fields that depend on loops and tile sizes alone, once these are
  /// set. They are placements and transports of operands and results, the form
  /// of reductions, and the loop that skips masked tiles.
  void placeTensors(Schedule &schedule) const;

  /// Sets warps, and the placements of intermediates that follow from them,
  /// with one stage of everything. Call `placeTensors` first.
  void arrange(Schedule &schedule,
               llvm::ArrayRef<std::array<unsigned, 2>> warps) const;

  /// Gives `loads`, some of `listPipelinedLoads`, `stages` stages, or two if
  /// they pass through registers. Other loads keep their stages.
  static void setStages(Schedule &schedule, unsigned stages,
                        llvm::ArrayRef<unsigned> loads);
  /// Sets TMA copies for these operands in shared memory. Threads copy all
  /// others, with the widest accesses that their alignment allows.
  void setTransports(Schedule &schedule, TensorSet usesTMA) const;
  /// Stages these results in shared memory and sets TMA stores for them.
  static void storeByTMA(Schedule &schedule, TensorSet results);
  /// Sets the stages of all fragments.
  void setRegisterStages(Schedule &schedule, unsigned stages) const;

  /// Returns the arrangements with the same warps for every contraction.
  std::vector<WarpArrangement> uniformArrangements() const;

  /// Returns the arrangements that differ between contractions too. For up to
  /// three contractions these are all; for longer chains they are the uniform
  /// ones and those with accumulator-to-operand forwarding of every
  /// intermediate.
  std::vector<WarpArrangement> allArrangements() const;

  /// Returns the arrangement of `warps` warps that allows
  /// accumulator-to-operand forwarding of every intermediate, if the axes of
  /// its contraction do.
  WarpArrangement forwardingArrangement(unsigned warps) const;

  /// Returns the arrangement of every contraction by three warpgroups along the
  /// rows (as FlashAttention-3 has heads of 64). Returns nullopt without
  /// warpgroup intrinsics or without register reallocation on the chip.
  std::optional<WarpArrangement> arrangementOfGroups() const;

  /// The warps of three warpgroups.
  static constexpr unsigned kThreeGroups = 3 * kWarpgroupWarps;
  /// Warp counts that are tried: powers of two, and three warpgroups last.
  static constexpr std::array<unsigned, 5> kWarpCounts = {1, 2, 4, 8,
                                                          kThreeGroups};
  /// Returns the warp counts without the three warpgroups.
  static llvm::ArrayRef<unsigned> warpCounts() {
    return llvm::ArrayRef(kWarpCounts).drop_back();
  }

private:
  void mapContractions();
  unsigned pickAxis(llvm::ArrayRef<unsigned> axes) const;
  void orderLoops();

  const GroupModel &group;
  const ChipInfo &chip;
  Schedule mapped;
  llvm::SmallVector<unsigned, 4> grid;
  BoundExpression nested;
};

/// Returns the operands that can have stages: they are loaded in the innermost
/// sequential loops, whose waits match (ALCOP's rule 3).
llvm::SmallVector<unsigned, 4> listPipelinedLoads(const Schedule &schedule);

/// A loop with loads that can have stages.
struct PipelinedLoop {
  llvm::SmallVector<unsigned, 4> axes; ///< its own, and of loops around before
  llvm::SmallVector<unsigned, 2> loads;
};
llvm::SmallVector<PipelinedLoop, 4>
listPipelinedLoops(const Schedule &schedule);

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_SCHEDULEBUILDER_H
