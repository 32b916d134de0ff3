//===- StitchCost.h - The latency evaluator of stitched groups --*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching's latency evaluator (section 4.3): L = N_wave · L_warp, with
// the occupancy from the registers of live values and from shared memory. Here
// a warp's latency is that of its loads, its instructions and its exchanges,
// and a wave takes no less than its bytes need at the chip's bandwidth. The
// evaluator as printed (PrintedEvaluators.h) has the same occupancy.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHCOST_H
#define FUSION_ANALYSIS_STITCHING_STITCHCOST_H

#include "fusion/Analysis/Stitching/PrintedEvaluators.h"
#include "fusion/Analysis/Stitching/StitchSchedule.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"

namespace fusion {

struct StitchCost {
  double total = 0;        ///< seconds, with the launch
  double memory = 0;       ///< bytes at DRAM bandwidth
  double traffic = 0;      ///< bytes of all threads at L2 bandwidth
  double latency = 0;      ///< waves of dependent steps
  double issue = 0;        ///< instructions and bytes of the busiest SM
  double instructions = 0; ///< of a thread
  double sectors = 0;      ///< of global memory that accesses touch
  /// Bytes of operands, or DRAM's bytes if they are more, and the compulsory
  /// bytes.
  double moved = 0, compulsory = 0;
  int64_t registers = 0;    ///< of a thread
  int64_t sharedMemory = 0; ///< bytes of exchanges and retained tiles
  int64_t blocksPerSM = 0;  ///< that one SM can hold
  /// Resident blocks that ptxas is told, at most `blocksPerSM`. As ptxas
  /// overlaps loads and spills registers beyond the limit, this number leaves
  /// it a quarter more registers.
  int64_t promisedBlocks = 0;
  int64_t waves = 0;
  double warpCycles = 0; ///< L_warp, by the printed evaluator alone
};

/// The work of a group's operators, for any schedule.
struct StitchWork {
  /// `walk`: the axis of the serial loop, if it is not the usual one. `split`:
  /// another axis, along which reductions are split over blocks. Without
  /// `hasOtherForms` the serial loop is neither online nor retains expensive
  /// operators, which takes less time.
  explicit StitchWork(const StitchGroup &group,
                      std::optional<unsigned> walk = std::nullopt,
                      std::optional<unsigned> split = std::nullopt,
                      bool hasOtherForms = true);
  /// Returns the work for a schedule's axes and forms.
  static StitchWork of(const StitchGroup &group,
                       const StitchSchedule &schedule);

  struct Operator {
    llvm::SmallVector<unsigned, 4> axes, resultAxes;
    unsigned space, resultSpace; ///< numbers of both in `spaces`
    ScalarWork work;
    unsigned bytes; ///< of an element of the result
    /// The operator after which the result is not needed any more; its own
    /// number if it is stored at once.
    unsigned lastUse;
  };
  llvm::SmallVector<Operator> operators;
  /// Sets of axes, each once, and the numbers of those of inputs and results.
  /// Operators have few different ones.
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> spaces;
  llvm::SmallVector<unsigned> inputSpaces, resultSpaces;
  /// Tensors that accesses do not distinguish, as they have the same axes at
  /// the same places: one tensor for each shape, and the shapes' numbers for
  /// inputs and results.
  llvm::SmallVector<const StitchTensor *> shapes;
  llvm::SmallVector<unsigned> inputShapes, resultShapes;
  /// By input: the last operator that reads it.
  llvm::SmallVector<unsigned> lastRead;
  StitchPasses once; ///< without a serial loop
  /// The passes of a serial loop, if an axis can have one. By default this is
  /// the reduced axis with the most bytes along it.
  std::optional<StitchPasses> serialAxis;
  /// The passes of an online serial loop, in which reductions run in the pass
  /// of the reductions that they need; nullopt, with the reason, if none has an
  /// online form.
  std::optional<StitchPasses> online;
  std::string whyNotOnline;
  /// The passes of `serialAxis` with the results of expensive operators
  /// retained, if that differs.
  std::optional<StitchPasses> expensive;

  const StitchPasses &passesOf(const StitchSchedule &schedule) const {
    if (!schedule.serialLoop)
      return once;
    if (schedule.serialLoop->retainsExpensive)
      return *expensive;
    return schedule.serialLoop->isOnline ? *online : *serialAxis;
  }
  int64_t compulsoryBytes = 0; ///< every input and result once
  int64_t inputBytes = 0;      ///< the part of `compulsoryBytes` of inputs
  bool hasPolynomials = false; ///< `evaluatesPolynomials` of any operator
  unsigned chained = 0;        ///< longest chain of dependent reductions

private:
  unsigned spaceOf(llvm::ArrayRef<unsigned> axes);
  unsigned shapeOf(const StitchTensor &tensor);
};

/// Returns the blocks of `warps` warps that an SM can hold, as limited by
/// threads and their registers.
int64_t blocksByThreads(int64_t registers, int64_t warps, const ChipInfo &chip);

/// Predicts how long the last blocks take for the cross-block reduction.
class RoundCosts {
public:
  RoundCosts(const StitchGroup &group, const StitchSchedule &schedule,
             const StitchSplit &split, const ChipInfo &chip);

  /// Returns the seconds of all rounds if a block reduces at most `fanIn`
  /// partial results at a time; 0: all of them.
  double seconds(int64_t fanIn) const;

private:
  const StitchSchedule &schedule;
  const StitchSplit &split;
  const ChipInfo &chip;
  double bytes = 0;  ///< of a partial result of all reductions
  int64_t lines = 0; ///< that only one block's partial result occupies
  int64_t steps = 1; ///< of a serial loop over another axis
};

struct StitchSteps;
/// What the evaluator counted for the last schedule. Schedules that differ in
/// the retained tiles of a serial loop have the same steps.
class StitchMemo {
public:
  StitchMemo();
  ~StitchMemo();
  std::unique_ptr<StitchSteps> last;
  /// A memo from which to take counts that do not depend on compositions, or
  /// null.
  const StitchMemo *withoutCompositions = nullptr;
};

/// Predicts the time of a schedule. Returns nullopt if a thread does not have
/// enough registers or the block no shared memory for its exchanges. `memo` may
/// be from other schedules of the same group.
std::optional<StitchCost> predictStitching(const StitchGroup &group,
                                           const StitchWork &work,
                                           const StitchSchedule &schedule,
                                           const ChipInfo &chip,
                                           StitchMemo *memo = nullptr);

/// Predicts the time of a schedule by the evaluator as printed, with the
/// launch. It sees no bytes: `memory`, `traffic`, `sectors`, `moved` and
/// `compulsory` are 0. Returns nullopt where `predictStitching` does.
std::optional<StitchCost> predictPrinted(const StitchGroup &group,
                                         const StitchWork &work,
                                         const StitchSchedule &schedule,
                                         const ChipInfo &chip,
                                         StitchMemo *memo = nullptr);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHCOST_H
