//===- StitchTotals.h - A thread's work in a stitched kernel ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_STITCHING_STITCHTOTALS_H
#define FUSION_LIB_ANALYSIS_STITCHING_STITCHTOTALS_H

#include "StitchThreads.h"

namespace fusion {

/// The work of a thread in all steps of its kernel, and the registers that
/// ptxas needs for it.
class ThreadTotals {
public:
  /// `steps` counts the work of a step under the schedule's thread mapping.
  ThreadTotals(const StitchGroup &group, const StitchWork &work,
               const StitchSchedule &schedule, StitchSteps &steps);

  const ThreadWork &work() const { return total; }
  /// Returns the registers without which ptxas spills values.
  int64_t countRegisters() const {
    return total.live + total.held + ofTurned + ofVectors + ofBorders +
           ofCopies + minOwnRegisters(group);
  }

private:
  void add(const ThreadWork &part, int64_t times);
  void addSerialLoop(const StitchPasses &passes,
                     const StitchSteps::Passes &counted);
  /// Adds stores, through shared memory where that makes neighbours contiguous.
  void addStores(const StitchWork &work, const StitchPasses &passes,
                 const ThreadCounter &counter);
  /// Counts the registers of a serial loop beside its values.
  void countLoopRegisters(const StitchPasses &passes,
                          const StitchSteps::Passes &counted);

  const StitchGroup &group;
  const StitchSchedule &schedule;
  ThreadWork total;

  // Registers that ptxas takes in addition to those of values.

  /// Vectors that the steps load for other lanes. In straight-line code those
  /// of all steps are in flight at once, in a loop those of one step. The
  /// compiler spills where there is no room for them.
  int64_t ofVectors = 0;
  /// Addresses of accesses across the ends of rows. Outside of clusters, two
  /// steps have such accesses.
  int64_t ofBorders = 0;
  int64_t ofCopies = 0; ///< of a cluster's copies that are issued early
  int64_t ofTurned = 0; ///< addresses of transposed results in shared memory
};

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_STITCHING_STITCHTOTALS_H
