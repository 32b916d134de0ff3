//===- PlaceRefinement.cpp - Stages and transports of buffers
//------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceRefinement.h"
#include "fusion/Analysis/ScheduleLegality.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

static std::vector<ScheduleRanking::Entry>
copyStarts(const ScheduleRanking &ranking) {
  // Judging moves the entries.
  return {ranking.starts().begin(), ranking.starts().end()};
}

void fusion::refineStages(const GroupModel &group, const SearchOptions &options,
                          const ScheduleSpace &space,
                          ScheduleRanking &ranking) {
  if (ranking.empty() || seesTilesOnly(options.model))
    return;
  double before;
  do {
    before = ranking.best();
    std::vector<ScheduleRanking::Entry> starts = copyStarts(ranking);
    for (const ScheduleRanking::Entry &start : starts)
      for (unsigned tensor : listPipelinedLoads(start.rated.schedule)) {
        Schedule schedule = start.rated.schedule;
        for (unsigned stages : space.stages()) {
          schedule.places[tensor].stages = stages;
          if (stages != start.rated.schedule.places[tensor].stages)
            ranking.judge(schedule, start.candidate);
        }
      }
    for (const ScheduleRanking::Entry &start : starts)
      for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor) {
        Schedule schedule = start.rated.schedule;
        unsigned &stages = schedule.places[tensor].registerStages;
        if (!hasFragments(group, schedule, tensor))
          continue;
        unsigned before = stages;
        for (stages = 1; stages <= options.mostRegisterStages; ++stages)
          if (stages != before)
            ranking.judge(schedule, start.candidate);
      }
  } while (ranking.best() < before);
}

void fusion::tryBulk(const GroupModel &group, Schedule &schedule,
                     const ChipInfo &chip, unsigned tensor) {
  fuse::Transport byThreads = schedule.places[tensor].transport;
  if (whyNotInBulk(group, schedule, chip, tensor))
    return;
  schedule.places[tensor].transport = fuse::Transport::Bulk;
  if (whyImpossible(group, schedule, chip))
    schedule.places[tensor].transport = byThreads;
}

void fusion::copyInBulk(const GroupModel &group, const ChipInfo &chip,
                        const SearchOptions &options,
                        ScheduleRanking &ranking) {
  if (!chip.hasBulkTensorCopy || seesTilesOnly(options.model))
    return;
  for (const ScheduleRanking::Entry &start : copyStarts(ranking)) {
    const Schedule &byThreads = start.rated.schedule;
    llvm::SmallVector<unsigned, 8> tensors;
    for (unsigned tensor : listCopied(group, byThreads))
      if (!whyNotInBulk(group, byThreads, chip, tensor))
        tensors.push_back(tensor);
    Schedule schedule = byThreads;
    for (unsigned tensor : tensors)
      schedule.places[tensor].transport = fuse::Transport::Bulk;
    if (!whyImpossible(group, schedule, chip)) {
      ranking.judge(schedule, start.candidate);
      continue;
    }
    for (unsigned tensor : tensors) {
      schedule = byThreads;
      schedule.places[tensor].transport = fuse::Transport::Bulk;
      ranking.judge(schedule, start.candidate);
    }
  }
}
