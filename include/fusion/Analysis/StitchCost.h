//===- StitchCost.h - The latency evaluator of stitched groups --*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching's latency evaluator (section 4.3): L = N_wave · L_warp, with
// the occupancy from the registers of live values and from shared memory. A
// warp's latency is here that of its loads, its instructions and its exchanges,
// and a wave takes no less than its bytes need at the chip's bandwidth.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHCOST_H
#define FUSION_ANALYSIS_STITCHCOST_H

#include "fusion/Analysis/StitchSchedule.h"

namespace fusion {

struct StitchCost {
  double total = 0;        ///< seconds, with the launch
  double memory = 0;       ///< bytes at DRAM bandwidth
  double traffic = 0;      ///< bytes of all threads at L2 bandwidth
  double latency = 0;      ///< waves of dependent steps
  double issue = 0;        ///< instructions and bytes of the busiest SM
  double instructions = 0; ///< of a thread
  double sectors = 0;      ///< of global memory that accesses touch
  /// Bytes of operands, or those of DRAM where they are more, and the
  /// compulsory ones.
  double moved = 0, compulsory = 0;
  int64_t registers = 0;    ///< of a thread
  int64_t sharedMemory = 0; ///< exchanges and what is kept, bytes
  int64_t blocksPerSM = 0;  ///< that one SM can hold
  /// Of them, those that ptxas is promised: it overlaps loads and spills what
  /// then exceeds the limit, so that the limit leaves it a quarter more.
  int64_t promisedBlocks = 0;
  int64_t waves = 0;
};

/// What a group's operators cost whatever the schedule is.
struct StitchWork {
  /// `walk`: the axis that a block may walk through instead of the usual one.
  /// `split`: another one, of which blocks have a part. Without
  /// `hasOtherForms` no walk is online or keeps what is costly, which is known
  /// sooner.
  explicit StitchWork(const StitchGroup &group,
                      std::optional<unsigned> walk = std::nullopt,
                      std::optional<unsigned> split = std::nullopt,
                      bool hasOtherForms = true);
  /// As the schedule needs it.
  static StitchWork of(const StitchGroup &group,
                       const StitchSchedule &schedule);

  struct Operator {
    llvm::SmallVector<unsigned, 4> axes, resultAxes;
    unsigned space, resultSpace; ///< numbers of both in `spaces`
    ScalarWork work;
    unsigned bytes; ///< of an element of the result
    /// After which operator the result is not needed any more; its own number
    /// where it is stored at once.
    unsigned lastUse;
  };
  llvm::SmallVector<Operator> operators;
  /// Sets of axes, each once, and those of inputs and results by number:
  /// operators have few different ones.
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> spaces;
  llvm::SmallVector<unsigned> inputSpaces, resultSpaces;
  /// What accesses depend on: tensors with the same axes in the same places,
  /// each once by one of them, and those of inputs and results by number.
  llvm::SmallVector<const StitchTensor *> shapes;
  llvm::SmallVector<unsigned> inputShapes, resultShapes;
  /// By input: the last operator that reads it.
  llvm::SmallVector<unsigned> lastRead;
  StitchPasses once; ///< without a walk
  /// Along the axis that a block may walk through, where there is one: by
  /// itself the reduced axis that most bytes lie along.
  std::optional<StitchPasses> serialAxis;
  /// The same with reductions in the passes of those that they need, where some
  /// have a running form, and why some have none.
  std::optional<StitchPasses> online;
  std::string whyNotOnline;
  /// Those of `walked` with the results of costly operators kept, where that is
  /// something else.
  std::optional<StitchPasses> expensive;

  const StitchPasses &passesOf(const StitchSchedule &schedule) const {
    if (!schedule.serialLoop)
      return once;
    if (schedule.serialLoop->retainsExpensive)
      return *expensive;
    return schedule.serialLoop->isOnline ? *online : *serialAxis;
  }
  int64_t compulsoryBytes = 0; ///< every input and result once
  bool hasPolynomials = false; ///< `evaluatesPolynomials` of any operator
  unsigned chained = 0; ///< reductions that wait for one another, at most

private:
  unsigned spaceOf(llvm::ArrayRef<unsigned> axes);
  unsigned shapeOf(const StitchTensor &tensor);
};

/// Blocks of so many warps for which an SM has room, as far as threads and
/// their registers are concerned.
int64_t blocksByThreads(int64_t registers, int64_t warps, const ChipInfo &chip);

/// Seconds that the last blocks take to combine what blocks share.
double secondsOfRounds(const StitchGroup &group, const StitchSchedule &schedule,
                       const ChipInfo &chip);

struct StitchSteps;
/// What the evaluator counted for the last schedule: schedules that differ in
/// what they keep of a walk have the same steps.
class StitchMemo {
public:
  StitchMemo();
  ~StitchMemo();
  std::unique_ptr<StitchSteps> last;
};

/// Returns nullopt where a thread has not enough registers or the block no room
/// for its exchanges. `memo`: of other schedules of the same group.
std::optional<StitchCost> predictStitching(const StitchGroup &group,
                                           const StitchWork &work,
                                           const StitchSchedule &schedule,
                                           const ChipInfo &chip,
                                           StitchMemo *memo = nullptr);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHCOST_H
