//===- StepExecutor.h - What an instruction does in time --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TIMING_STEPEXECUTOR_H
#define FUSION_LIB_TIMING_STEPEXECUTOR_H

#include "Processor.h"

namespace fusion::timing {

/// Executes one instruction that a warp issues: asks for queues, sets
/// scoreboards, and ends what others wait for.
class StepExecutor {
public:
  StepExecutor(Processor &processor, Warp &warp, unsigned inst, Cycles now);

  /// `steps`: of the execution, from the instruction's own on; empty if it has
  /// none.
  void run(llvm::ArrayRef<Step> steps);
  /// Ends barriers of the block and the cluster that nobody is missing at.
  void releaseBarriers();

private:
  void runStep(const Step &step);
  void runWithoutStep();
  Cycles enterMemoryPipe(double slots);
  void loadGlobal(const Step &step);
  void storeGlobal(const Step &step);
  void accessShared(const Step &step);
  void atomic(const Step &step);
  void copy(const Step &step);
  void loadBulk(const Step &step);
  void storeBulk(const Step &step);
  void multiply();
  void commitMultiplications();
  void awaitMultiplications(const Step &step);
  void atWarpgroup();
  void atMbarrier(const Step &step);
  void atBarrier(const Step &step);
  void atClusterBarrier(const Step &step);
  void release(Barrier &barrier, const Moment &at, Wait reason);
  Mbarrier &mbarrierOf(const Step &step, unsigned rank);
  void advance(Mbarrier &mbarrier);
  SectorCounts sectorsOf(const Step &step) const;
  void waitUntil(const Moment &until, Wait reason);
  void resume(Warp &other, const Moment &at, Wait reason);
  Warpgroup &warpgroup() const;
  llvm::MutableArrayRef<Warp> warpsOfGroup() const;
  Moment own(Cycles time) const { return {time, warp.lastIssue}; }

  Processor &processor;
  Machine &machine;
  const Microarchitecture &micro;
  Warp &warp;
  const MachineInst &inst;
  const InstTiming &timing;
  Cycles now;
  /// When the result is written, and when the operands are read.
  Cycles written, read;
  Wait reason = Wait::Special;
  uint32_t cause; ///< of `written`
};

} // namespace fusion::timing

#endif // FUSION_LIB_TIMING_STEPEXECUTOR_H
