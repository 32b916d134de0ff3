//===- Forwarding.cpp - Accumulators as operands --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/Forwarding.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

/// Why a contraction's accumulator is not the next one's operand without a
/// move.
enum class Mismatch { Axes, Intrinsic, Warps };

/// Whether an accumulator's registers are an operand's registers. Warpgroups
/// hold the same rows as single warps where each warp has an odd number of row
/// steps, and its next step lies after the steps of all warps (`tileFragment`).
static bool forwards(const Schedule &schedule, const ContractionMapping &from,
                     const ContractionMapping &to, unsigned operand) {
  const Intrinsic &intrinsic = *from.intrinsic, &next = *to.intrinsic;
  if (intrinsic.forwardsTo(next))
    return true;
  return intrinsic.accumulator.registers &&
         next.operandPlaces(to.isOperandA(operand)).registers &&
         !next.replicatesOperands() && intrinsic.i1 == next.i1 &&
         intrinsic.accumulatorColumns == 32 / next.operandBits &&
         schedule.tiles[from.i1] / (intrinsic.i1 * from.warps[0]) % 2 == 1;
}

/// Returns the consumer of a contraction that cannot use its accumulator as an
/// operand, and why, or nullopt.
static std::optional<std::pair<unsigned, Mismatch>>
findMismatch(const GroupModel &group, const Schedule &schedule,
             unsigned producer) {
  const ContractionMapping &from = schedule.contractions[producer];
  for (unsigned number = 0; number < group.contractions.size(); ++number)
    for (unsigned operand : {0u, 1u}) {
      if (group.contractions[number].producer[operand] != producer)
        continue;
      const ContractionMapping &to = schedule.contractions[number];
      if (from.i1 != to.parallelAxis(operand) || from.i2 != to.r1)
        return std::pair(number, Mismatch::Axes);
      if (!forwards(schedule, from, to, operand))
        return std::pair(number, Mismatch::Intrinsic);
      // Rows of the accumulator are distributed over the warps along the
      // parallel axis. Every warp needs all of the reduced axis.
      if (from.warps[1] != 1 || to.warps[to.isOperandA(operand) ? 1 : 0] != 1)
        return std::pair(number, Mismatch::Warps);
    }
  return std::nullopt;
}

bool fusion::isForwardedInRegisters(const GroupModel &group,
                                    const Schedule &schedule,
                                    unsigned producer) {
  return !findMismatch(group, schedule, producer);
}

std::optional<std::string> fusion::whyNotForwardedInRegisters(
    const GroupModel &group, const Schedule &schedule, unsigned producer) {
  auto mismatch = findMismatch(group, schedule, producer);
  if (!mismatch)
    return std::nullopt;
  std::string name = "'" + group.valueName(producer) + "'";
  const ContractionMapping &to = schedule.contractions[mismatch->first];
  switch (mismatch->second) {
  case Mismatch::Axes:
    return name + " cannot stay in registers: its accumulator's layout is none "
                  "of an operand of the next intrinsic";
  case Mismatch::Intrinsic:
    return name + " cannot stay in registers: the accumulator of " +
           schedule.contractions[producer].intrinsic->name.str() +
           " has another layout than the operand of " +
           to.intrinsic->name.str();
  case Mismatch::Warps:
    return name +
           " cannot stay in registers: the warps that multiply it do "
           "not hold all of axis '" +
           group.axisName(to.r1) + "'";
  }
  llvm_unreachable("covered switch");
}
