//===- StitchStages.h - Prefetching in serial loops -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of a serial loop waits for its own loads. With stages its inputs are
// copied to shared memory by cp.async (PTX ISA, "Data Movement and Conversion
// Instructions: cp.async"), at a prefetch distance of stages less one. Each
// thread copies what it would load, to its own addresses, so that only the
// thread itself waits (ALCOP's load-and-use loop, where warps share nothing).
//
// With TMA copies one thread copies for all (PTX ISA, "cp.async.bulk.tensor"),
// if the tile, in the order of the threads' addresses, is a box of a tensor map
// (Support/PrivateBoxes.h). Threads then wait for the stage's mbarrier, and for
// one another before the stage is filled again.
//
// Tiles that are retained in shared memory for later passes are copied directly
// to their final addresses.
//
// A serial loop over an axis that is not reduced makes a block persistent: one
// block processes several steps instead of one. Inputs that all steps have in
// common are loaded once, and the copies of the next steps are in flight while
// one step is computed.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHSTAGES_H
#define FUSION_ANALYSIS_STITCHING_STITCHSTAGES_H

#include "fusion/Analysis/Stitching/StitchSchedule.h"

namespace fusion {

/// The most stages that a serial loop has.
constexpr int64_t kMaxStitchStages = 8;

/// Returns whether the serial loop is over an axis that is not reduced.
bool isPersistent(const StitchGroup &group, const StitchSchedule &schedule);

/// Returns the bytes of each of a thread's copies of an input of a step: 4, 8
/// or 16. Returns nullopt if the input is loaded in the step: gathered
/// elements, misaligned rows, elements narrower than any copy, and inputs
/// outside of the serial loop.
std::optional<int64_t> bytesOfCopies(const StitchGroup &group,
                                     const StitchSchedule &schedule,
                                     const StitchTensor &tensor);

/// Returns the reason why no TMA copy can prefetch the input, or nullopt.
std::optional<std::string> whyNotTMA(const StitchGroup &group,
                                     const StitchSchedule &schedule,
                                     const StitchTensor &tensor);
/// Returns whether the schedule has TMA copies of the input.
bool isCopiedByTMA(const StitchGroup &group, const StitchSchedule &schedule,
                   const StitchTensor &tensor);

/// Returns the number of mbarriers of TMA copies, one for each stage or
/// retained step. As many again signal when a stage has been read.
int64_t countStageBarriers(const StitchGroup &group,
                           const StitchSchedule &schedule,
                           const StitchPasses &passes);

/// Returns the steps of the first pass that the loop with prefetching covers:
/// the first one and the one after the last.
std::pair<int64_t, int64_t> stagedSteps(const StitchGroup &group,
                                        const StitchSchedule &schedule,
                                        const StitchPasses &passes);

/// Returns the bytes of shared memory of all stages; 0 without stages, and for
/// inputs that are copied to where they are retained.
int64_t countStages(const StitchGroup &group, const StitchSchedule &schedule,
                    const StitchPasses &passes);

/// Returns the reason why the schedule's producers are infeasible or have no
/// copies to issue, or nullopt.
std::optional<std::string> checkStitchProducers(const StitchSchedule &schedule);

/// Returns the reason why blocks cannot have the schedule's serial loop over an
/// axis that is not reduced, or its stages, or nullopt. `known` are the
/// schedule's passes.
std::optional<std::string> checkStages(const StitchGroup &group,
                                       const StitchSchedule &schedule,
                                       const StitchPasses *known = nullptr);
/// Returns the reason why the schedule's stages are infeasible, or nullopt,
/// from the schedule's passes.
std::optional<std::string> checkStages(const StitchGroup &group,
                                       const StitchSchedule &schedule,
                                       const StitchPasses &passes);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHSTAGES_H
