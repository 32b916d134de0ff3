//===- CpuLegality.cpp - What a schedule for a CPU can have ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuLegality.h"

using namespace fusion;
using Reason = std::optional<std::string>;

static Reason whyNotInPlace(const GroupModel &group, const Schedule &schedule,
                            unsigned number) {
  const GroupTensor &tensor = group.tensors[number];
  const Placement &place = schedule.places[number];
  std::string name = "'" + tensor.name + "'";
  bool isOperand =
      tensor.role == TensorRole::Operand || tensor.role == TensorRole::Extra;
  if (place.space == fuse::Space::Shared)
    return "a CPU has no shared memory for " + name +
           ": its tile is read in place ('registers') or 'packed'";
  if (place.space == fuse::Space::Packed && !isOperand)
    return name + " is no operand, so its tile cannot be packed";
  if (place.transport != fuse::Transport::Sync)
    return "a CPU has no asynchronous copies for " + name;
  if (place.stages != 1 || place.registerStages != 1)
    return "a CPU has no stages for " + name;
  if (place.eviction != fuse::Eviction::Normal)
    return "a CPU has no eviction for " + name;
  return std::nullopt;
}

/// Checks that values with which another one is joined have its rows and
/// columns, and that all contractions read the same tile of a shared operand.
static Reason whyNotJoined(const GroupModel &group, const Schedule &schedule,
                           unsigned number) {
  const ContractionMapping &to = schedule.contractions[number];
  for (unsigned other : group.contractions[number].joined) {
    const ContractionMapping &from = schedule.contractions[other];
    if (from.i1 != to.i1 || from.i2 != to.i2)
      return "'" + group.valueName(other) + "' has other rows than '" +
             group.valueName(number) + "', which it joins";
  }
  for (const GroupTensor &tensor : group.tensors) {
    if (!llvm::is_contained(tensor.sharedBy, number))
      continue;
    const ContractionMapping &own = schedule.contractions[tensor.contraction];
    if (own.parallelAxis(tensor.operandNumber) !=
            to.parallelAxis(tensor.operandNumber) ||
        own.r1 != to.r1 || own.swapped != to.swapped)
      return "'" + tensor.name + "' is multiplied by '" +
             group.valueName(tensor.contraction) + "' and '" +
             group.valueName(number) + "' in different ways";
  }
  return std::nullopt;
}

Reason fusion::whyNotForCpu(const GroupModel &group, const Schedule &schedule) {
  if (schedule.warps != 1)
    return "a core of a CPU executes a block alone, so 'warps' is 1";
  if (schedule.producerWarps != 0 || schedule.isPingPong)
    return "a CPU has no producer warps";
  if (schedule.cluster != 1 || schedule.splitInCluster)
    return "a CPU has no clusters";
  if (schedule.persistent)
    return "blocks of a CPU are tasks of its cores, and not 'persistent'";
  for (const ContractionMapping &mapping : schedule.contractions)
    if (mapping.stages != 1 || mapping.warps[0] * mapping.warps[1] != 1)
      return "a micro-kernel has no warps and no overlap with the next "
             "iteration";
  for (unsigned number = 0; number < group.contractions.size(); ++number)
    if (Reason reason = whyNotJoined(group, schedule, number))
      return reason;
  for (unsigned number = 0; number < group.tensors.size(); ++number)
    if (Reason reason = whyNotInPlace(group, schedule, number))
      return reason;
  return std::nullopt;
}
