//===- CodegenChoice.cpp - What machine code is told ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/CodegenChoice.h"
#include "fusion/Analysis/Resources/Occupancy.h"
#include "fusion/Analysis/Resources/RegisterBudgets.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;

/// Iterations, besides the first one, that surely lie inside of masks in a loop
/// that is split. The first one alone would be no loop, and ptxas would have
/// more of its loads in flight than any footprint counts. A loop of no
/// iteration would be code that perhaps never runs.
static constexpr int64_t kUnmaskedIterations = 1;

/// Whether loops around a contraction mask all of their tiles. Multiply-adds of
/// each thread take all registers and leave none for the bounds of further
/// loops, and a mask is little work beside them.
static bool keepsMasks(const ContractionMapping &mapping) {
  return mapping.intrinsic->isScalar();
}

void fusion::chooseCodegen(Schedule &schedule, const Footprint &footprint,
                           const Cost &cost, const ChipInfo &chip) {
  Codegen &codegen = schedule.codegen.emplace();
  codegen.residentBlocks = cost.residentBlocks;
  codegen.unmaskedIterations = kUnmaskedIterations;
  for (ContractionMapping &mapping : schedule.contractions)
    mapping.keepsMasks = keepsMasks(mapping);
  // A block that asks for other than equal shares takes all that the SM has for
  // it, so it does so only where the equal ones are too few.
  std::optional<RegisterBudgets> dealt = registerBudgets(
      schedule.warps, schedule.producerWarps, codegen.residentBlocks, chip,
      producerRegisters(schedule));
  if (!dealt || registersWithRoom(footprint, chip) <= dealt->atFirst)
    return;
  codegen.producerRegisters = dealt->producer;
  codegen.consumerRegisters = dealt->consumer;
}

void fusion::chooseCodegen(StitchSchedule &schedule, const StitchGroup &group,
                           const std::optional<StitchCost> &cost,
                           const ChipInfo &chip) {
  Codegen &codegen = schedule.codegen.emplace();
  codegen.unmaskedIterations = kUnmaskedIterations;
  if (cost)
    codegen.residentBlocks = std::min<int64_t>(
        cost->promisedBlocks,
        llvm::divideCeil(countBlocks(group, schedule), chip.numSMs));
}
