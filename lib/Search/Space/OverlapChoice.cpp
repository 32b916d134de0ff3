//===- OverlapChoice.cpp - MMAs beside the next iteration -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/OverlapChoice.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

bool fusion::setOverlaps(const GroupModel &group, Schedule &schedule) {
  bool isAny = false;
  for (auto [number, mapping] : llvm::enumerate(schedule.contractions)) {
    if (!producerOfOperandA(group, schedule, number))
      continue;
    mapping.stages = whyNotOverlapped(group, schedule, number) ? 1 : 2;
    isAny |= mapping.stages > 1;
  }
  return isAny;
}

llvm::SmallVector<unsigned, 4> fusion::sumsInFlight(const GroupModel &group,
                                                    const Schedule &schedule,
                                                    ModelKind model) {
  llvm::SmallVector<unsigned, 4> numbers;
  if (model != ModelKind::Default)
    return numbers;
  for (auto [number, mapping] : llvm::enumerate(schedule.contractions))
    if (mapping.intrinsic->isAsync &&
        !producerOfOperandA(group, schedule, number) &&
        !whyNotOverlapped(group, schedule, number))
      numbers.push_back(number);
  return numbers;
}

void fusion::setSumsInFlight(const GroupModel &group, Schedule &schedule,
                             llvm::ArrayRef<unsigned> numbers) {
  constexpr unsigned least = 3; // two that MMAs read, and one to be filled
  for (unsigned number : numbers)
    schedule.contractions[number].stages =
        fewestStages(group, schedule, number) >= least ? 2 : 1;
}
