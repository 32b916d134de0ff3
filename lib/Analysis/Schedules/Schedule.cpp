//===- Schedule.cpp - A schedule as plain data ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"

using namespace mlir;
using namespace fusion;

unsigned fusion::transportBytes(fuse::Transport transport) {
  switch (transport) {
  case fuse::Transport::Sync:
    return 0;
  case fuse::Transport::Async4:
    return 4;
  case fuse::Transport::Async8:
    return 8;
  case fuse::Transport::Async16:
  case fuse::Transport::TMA:
    return 16;
  }
  llvm_unreachable("covered switch");
}

int64_t fusion::countBlocks(const GroupModel &group, const Schedule &schedule) {
  int64_t blocks = 1;
  for (unsigned axis : schedule.blocks)
    blocks *= tripCount(group.axes[axis], schedule.tiles[axis]);
  if (std::optional<unsigned> split = schedule.splitAxis())
    blocks *= schedule.splitOf(*split);
  return blocks;
}

/// Returns the bytes that instructions read of operands in shared memory,
/// `depth` elements deep. A is read once for each part of the columns that one
/// instruction has, B once for each 64 rows.
static int64_t bytesInPlace(const GroupModel &group, const Schedule &schedule,
                            unsigned contraction, int64_t depth) {
  const ContractionMapping &mapping = schedule.contractions[contraction];
  const Intrinsic &intrinsic = *mapping.intrinsic;
  int64_t i1 = schedule.tiles[mapping.i1], i2 = schedule.tiles[mapping.i2],
          elementBytes = intrinsic.operandBits / 8;
  int64_t bytes =
      i1 / (intrinsic.i1 * intrinsic.warps) * i2 * depth * elementBytes;
  if (!isReadFromShared(group, schedule, contraction, mapping.swapped ? 1 : 0))
    return bytes;
  int64_t columns = instructionColumns(i2, mapping.warps[1], elementBytes);
  return bytes + (columns ? i2 / columns : 1) * i1 * depth * elementBytes;
}

int64_t fusion::fragmentBytes(const GroupModel &group, const Schedule &schedule,
                              unsigned contraction, int64_t depth) {
  const ContractionMapping &mapping = schedule.contractions[contraction];
  const Intrinsic &intrinsic = *mapping.intrinsic;
  if (intrinsic.readsShared())
    return bytesInPlace(group, schedule, contraction, depth);
  return intrinsic.operandBytes(/*isOperandA=*/true, schedule.tiles[mapping.i1],
                                depth) *
             mapping.warps[1] +
         intrinsic.operandBytes(/*isOperandA=*/false,
                                schedule.tiles[mapping.i2], depth) *
             mapping.warps[0];
}

bool fusion::isReadFromShared(const GroupModel &group, const Schedule &schedule,
                              unsigned contraction, unsigned operand) {
  const Contraction &info = group.contractions[contraction];
  const ContractionMapping &mapping = schedule.contractions[contraction];
  bool isLhs = mapping.isOperandA(operand);
  if (!mapping.intrinsic->operandPlaces(isLhs).shared || info.computed[operand])
    return false;
  if (std::optional<unsigned> producer = info.producer[operand])
    return schedule.places[group.contractions[*producer].result].space ==
           fuse::Space::Shared;
  return llvm::any_of(llvm::enumerate(group.tensors), [&](const auto &each) {
    const GroupTensor &tensor = each.value();
    return tensor.isOperandOf(contraction, operand) && !tensor.pass &&
           schedule.places[each.index()].space == fuse::Space::Shared;
  });
}

std::optional<fuse::ReductionForm>
fusion::reductionForm(const GroupModel &group, const Schedule &schedule) {
  if (group.reductions.empty())
    return std::nullopt;
  bool isAhead = false;
  for (const Reduction &reduction : group.reductions)
    for (unsigned axis : reduction.reduced) {
      if (sequentialTrips(group, schedule, axis) == 1)
        continue;
      if (!reduction.pass ||
          runsWithContraction(group, schedule.tree,
                              group.rowStatistics[*reduction.pass]))
        return fuse::ReductionForm::Online;
      isAhead = true;
    }
  return isAhead ? fuse::ReductionForm::Prepass : fuse::ReductionForm::OneTile;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

bool fusion::hasFragments(const GroupModel &group, const Schedule &schedule,
                          unsigned tensor) {
  const GroupTensor &info = group.tensors[tensor];
  if (schedule.places[tensor].space != fuse::Space::Shared)
    return false;
  // An operand that is read from shared memory is read as a whole tile; nothing
  // could be loaded early.
  auto isLoaded = [&](unsigned contraction) {
    return !schedule.contractions[contraction].intrinsic->readsShared();
  };
  if (info.role == TensorRole::Operand)
    return isLoaded(info.contraction) || llvm::any_of(info.sharedBy, isLoaded);
  if (info.role != TensorRole::Intermediate)
    return false;
  // Contractions are in program order.
  for (unsigned number = info.contraction + 1;
       number < group.contractions.size(); ++number) {
    const Contraction &consumer = group.contractions[number];
    if ((consumer.producer[0] == info.contraction ||
         consumer.producer[1] == info.contraction) &&
        isLoaded(number))
      return true;
  }
  return false;
}

std::optional<unsigned> fusion::commonRegisterStages(const GroupModel &group,
                                                     const Schedule &schedule) {
  std::optional<unsigned> common;
  for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor) {
    if (!hasFragments(group, schedule, tensor))
      continue;
    unsigned own = schedule.places[tensor].registerStages;
    if (common && *common != own)
      return std::nullopt;
    common = own;
  }
  return common.value_or(1);
}

SmallVector<unsigned, 2> fusion::listFragments(const GroupModel &group,
                                               const Schedule &schedule,
                                               unsigned contraction,
                                               unsigned operand) {
  SmallVector<unsigned, 2> list;
  if (std::optional<unsigned> producer =
          group.contractions[contraction].producer[operand]) {
    unsigned value = group.contractions[*producer].result;
    if (hasFragments(group, schedule, value))
      list.push_back(value);
  }
  for (auto [index, tensor] : llvm::enumerate(group.tensors))
    if (tensor.isOperandOf(contraction, operand) &&
        hasFragments(group, schedule, index))
      list.push_back(index);
  return list;
}
