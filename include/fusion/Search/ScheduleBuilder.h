//===- ScheduleBuilder.h - From loops and tiles to a schedule -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches choose loops, tiles, warps and stages; the rest of a schedule
// follows from these: which axes of a product go to which of its intrinsic,
// where tensors live and how they move. It is the same for every space.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SCHEDULEBUILDER_H
#define FUSION_SEARCH_SCHEDULEBUILDER_H

#include "fusion/Analysis/ScheduleLegality.h"
#include "fusion/Search/TilingExpressions.h"
#include "fusion/Target/Hardware.h"
#include <array>

namespace fusion {

/// The warps of a block along i1 and i2 of each product; all products have as
/// many.
using WarpArrangement = llvm::SmallVector<std::array<unsigned, 2>, 4>;

/// What a product can be mapped to.
using Intrinsics = llvm::SmallVector<const Intrinsic *, 2>;

class ScheduleBuilder {
public:
  /// `group` passes `checkGroup`; both must outlive the builder.
  ScheduleBuilder(const GroupModel &group, const ChipInfo &chip);

  /// A schedule with products mapped to intrinsics and nothing else: tiles
  /// of 1.
  const Schedule &base() const { return mapped; }

  /// Whether a product's intrinsic takes the axis. Other axes have tiles of 1.
  bool isMapped(unsigned axis) const;

  /// The axes of the result, slowest in the grid first: those that are not
  /// tiled, then rows and columns.
  llvm::ArrayRef<unsigned> gridAxes() const { return grid; }

  /// All axes of the result bound to the grid, reductions nested in it, the
  /// last product's outermost: what a long chain is computed in without keeping
  /// more than a tile of each intermediate.
  const BoundExpression &nestedReductions() const { return nested; }

  /// The intrinsics that the product can be mapped to, best first.
  Intrinsics intrinsicsOf(unsigned contraction) const;

  /// Whether a result that `mapping` computes by `intrinsic` passes through
  /// shared memory on its way out: rows are dense there, and stores become
  /// wider than the elements that a thread holds side by side.
  static bool isStaged(const GroupTensor &result,
                       const ContractionMapping &mapping,
                       const Intrinsic &intrinsic) {
    return result.axes.back() == mapping.i2 &&
           result.alignment >
               intrinsic.accumulatorColumns * result.elementBytes;
  }

  /// Tree and grid of an expression with the schedule's tiles. Loops of one
  /// iteration are left out; unless `hoists`, statements stay in them as if
  /// they were there (MCFuser without removal of dead loops). `passes` as for
  /// `placeStatements`.
  void setLoops(Schedule &schedule, const BoundExpression &expression,
                bool hoists = true,
                llvm::ArrayRef<StatisticsPlacement> passes = {}) const;

  /// Sets all that loops and tiles decide alone, once these are set: places and
  /// transports of operands and results, the form of reductions, and the loop
  /// that leaves out masked tiles.
  void placeTensors(Schedule &schedule) const;

  /// Sets warps, and where they leave intermediates, with one stage of
  /// everything. The tensors are placed.
  void arrange(Schedule &schedule,
               llvm::ArrayRef<std::array<unsigned, 2>> warps) const;

  /// Gives `loads`, some of `listPipelinedLoads`, that many stages, two where
  /// they pass through registers. Others keep what they have.
  static void setStages(Schedule &schedule, unsigned stages,
                        llvm::ArrayRef<unsigned> loads);
  /// Has bulk copies fill the buffers of these of the operands in shared
  /// memory, and threads, as widely as they can, all others.
  void setTransports(Schedule &schedule, TensorSet usesTMA) const;
  /// Has these results pass through shared memory and be stored in bulk.
  static void storeByTMA(Schedule &schedule, TensorSet results);
  /// The same of all fragments.
  void setRegisterStages(Schedule &schedule, unsigned stages) const;

  /// Every product with the same warps.
  std::vector<WarpArrangement> uniformArrangements() const;

  /// Also those that differ between products: all of them for up to three
  /// products; for longer chains those that leave every intermediate in
  /// registers, and the uniform ones.
  std::vector<WarpArrangement> allArrangements() const;

  /// The arrangement of `warps` warps in which every intermediate can be handed
  /// over in registers, where its product's axes allow.
  WarpArrangement forwardingArrangement(unsigned warps) const;

  /// Every product by three groups of warps, one below the other (as
  /// FlashAttention-3 has heads of 64), where groups multiply and the chip
  /// deals registers to them.
  std::optional<WarpArrangement> arrangementOfGroups() const;

  /// The warps of three groups.
  static constexpr unsigned kThreeGroups = 3 * kWarpgroupWarps;
  /// Warp counts that are tried: powers of two, and three groups last.
  static constexpr std::array<unsigned, 5> kWarpCounts = {1, 2, 4, 8,
                                                          kThreeGroups};
  /// Without the three groups.
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

/// The operands loaded in the innermost sequential loops, whose waits match
/// (ALCOP's rule 3): those that stages are given to.
llvm::SmallVector<unsigned, 4> listPipelinedLoads(const Schedule &schedule);

/// The same by loops.
struct PipelinedLoop {
  llvm::SmallVector<unsigned, 4> axes; ///< its own, and of loops around before
  llvm::SmallVector<unsigned, 2> loads;
};
llvm::SmallVector<PipelinedLoop, 4>
listPipelinedLoops(const Schedule &schedule);

} // namespace fusion

#endif // FUSION_SEARCH_SCHEDULEBUILDER_H
