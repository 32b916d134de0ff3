//===- StitchStages.h - Copies ahead of a walk's steps ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of a loop waits for its own loads. With stages what it needs is copied
// to shared memory by cp.async (PTX ISA, "Data Movement and Conversion
// Instructions: cp.async") so many steps less one before: each thread copies
// what it would load, to a place of its own, so that nothing but the thread
// itself waits (ALCOP's load-and-use loop, where warps share nothing).
//
// In bulk one thread copies for all (PTX ISA, "cp.async.bulk.tensor"), where
// the tile, in the order in which threads have their places, is a box of a
// tensor map (Support/PrivateBoxes.h). Threads then wait for the stage's
// mbarrier, and for one another before it is filled again.
//
// What is kept in shared memory for later passes is copied straight to where it
// is kept.
//
// A walk along an axis that is not reduced makes a block persistent: instead of
// a block for each step there is one for several, what is the same in all of
// them is loaded once, and the next steps' copies are under way while one is
// computed.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHSTAGES_H
#define FUSION_ANALYSIS_STITCHSTAGES_H

#include "fusion/Analysis/StitchSchedule.h"

namespace fusion {

/// Stages that a walk has at most.
constexpr int64_t kMaxStitchStages = 8;

/// Whether blocks walk along an axis that is not reduced.
bool isPersistent(const StitchGroup &group, const StitchSchedule &schedule);

/// Bytes of each of a thread's copies of the input of a step, 4, 8 or 16, or
/// nullopt where it is loaded in the step: elements of gathers, what begins
/// anywhere, what is narrower than any copy, and what is no part of the walk.
std::optional<int64_t> bytesOfCopies(const StitchGroup &group,
                                     const StitchSchedule &schedule,
                                     const StitchTensor &tensor);

/// Why no box of a tensor map brings what threads copy ahead of the input, or
/// nullopt.
std::optional<std::string> whyNotTMA(const StitchGroup &group,
                                     const StitchSchedule &schedule,
                                     const StitchTensor &tensor);
/// Whether the schedule has the input copied in bulk.
bool isCopiedByTMA(const StitchGroup &group, const StitchSchedule &schedule,
                   const StitchTensor &tensor);

/// Mbarriers of what is copied in bulk, one for each stage or place; as many
/// again say when a stage has been read.
int64_t countStageBarriers(const StitchGroup &group,
                           const StitchSchedule &schedule,
                           const StitchPasses &passes);

/// The steps of a block of which the loop with copies ahead consists, of the
/// first pass: the first one and the one behind.
std::pair<int64_t, int64_t> stagedSteps(const StitchGroup &group,
                                        const StitchSchedule &schedule,
                                        const StitchPasses &passes);

/// Bytes of shared memory of all stages; 0 without, and of what is copied to
/// where it is kept.
int64_t countStages(const StitchGroup &group, const StitchSchedule &schedule,
                    const StitchPasses &passes);

/// Why the schedule's producers have nothing to do, or cannot be, or nullopt.
std::optional<std::string> checkStitchProducers(const StitchSchedule &schedule);

/// Why blocks cannot walk along an axis that is not reduced as the schedule
/// says, or have copies ahead, or nullopt. `known`: the schedule's passes.
std::optional<std::string> checkStages(const StitchGroup &group,
                                       const StitchSchedule &schedule,
                                       const StitchPasses *known = nullptr);
/// The same of copies ahead alone, where the schedule's passes are known.
std::optional<std::string> checkStages(const StitchGroup &group,
                                       const StitchSchedule &schedule,
                                       const StitchPasses &passes);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHSTAGES_H
