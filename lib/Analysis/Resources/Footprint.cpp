//===- Footprint.cpp - What a schedule moves and occupies -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Resources/Footprint.h"
#include "fusion/Analysis/Resources/BlockResources.h"
#include "fusion/Analysis/Resources/LoopTraffic.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

bool fusion::hasOwnBuffer(const GroupModel &group, const Schedule &schedule,
                          const RetainedTiles &retained, unsigned tensor) {
  const GroupTensor &info = group.tensors[tensor];
  if (info.role != TensorRole::Intermediate ||
      schedule.places[tensor].space != fuse::Space::Shared)
    return false;
  if (retained.values[tensor].isRetained())
    return true;
  for (auto [contraction, mapping] :
       llvm::zip_equal(group.contractions, schedule.contractions))
    if (llvm::is_contained(contraction.producer,
                           std::optional(info.contraction)) &&
        (mapping.intrinsic->readsShared() ||
         mapping.intrinsic->replicatesOperands()))
      return true;
  return false;
}

/// Row statistics are held by the lanes along a row, in every warp along it.
static constexpr int64_t kLanesOfRow = 4;

/// Returns how many warps of the consumers of contraction `number` load each
/// part of its value: the warps along the axis that does not index the value.
static int64_t countReaders(const GroupModel &group, const Schedule &schedule,
                            unsigned number) {
  int64_t readers = 1;
  for (auto [index, consumer] : llvm::enumerate(group.contractions))
    for (unsigned operand : {0u, 1u})
      if (consumer.producer[operand] == number)
        readers =
            schedule.contractions[index]
                .warps[schedule.contractions[index].isOperandA(operand) ? 1
                                                                        : 0];
  return readers;
}

/// Adds row statistics. Every warp along the other axis of the contraction
/// reduces whole rows.
static void addPass(const GroupModel &group, const Schedule &schedule,
                    const LoopTraffic::PerPass &times, Footprint &result) {
  const RowStatistics &pass = group.rowStatistics[times.pass];
  const ContractionMapping &mapping = schedule.contractions[pass.contraction];
  bool isOperandA = mapping.isOperandA(pass.operandNumber);
  int64_t repeated = mapping.warps[isOperandA ? 1 : 0];
  int64_t parallel = schedule.tiles[mapping.parallelAxis(pass.operandNumber)];
  int64_t points = parallel * schedule.tiles[pass.axis];
  result.scalar += pass.perPoint * (points * repeated * times.combined);
  result.scalar +=
      pass.perRow * (parallel * kLanesOfRow * repeated * times.completed);
  if (!times.loadsFragments)
    return;
  for (unsigned tensor : pass.reads)
    if (llvm::is_contained(group.tensors[tensor].axes, pass.axis))
      result.sharedTraffic += points * repeated * times.combined *
                              group.tensors[tensor].elementBytes;
}

static double flopsOf(const Schedule &schedule, unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  return 2.0 * schedule.tiles[mapping.i1] * schedule.tiles[mapping.i2] *
         schedule.tiles[mapping.r1];
}

/// Returns the scalar work on each tile of a contraction's value.
static ScalarWork workOfValue(const GroupModel &group, const Schedule &schedule,
                              const LoopTraffic &traffic, unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  ScalarWork work = traffic.contractions[number].scalar;
  work += group.contractions[number].perRow *
          (schedule.tiles[mapping.i1] * kLanesOfRow * mapping.warps[1]);
  return work;
}

/// Returns what overlaps with a contraction whose MMAs run during the next
/// iteration. All iterations of the loop but the first compute their values
/// during the contraction of the iteration before.
static Footprint::Overlap overlapOf(const GroupModel &group,
                                    const Schedule &schedule,
                                    const LoopTraffic &traffic, unsigned number,
                                    unsigned producer) {
  const LoopTraffic::PerContraction &times = traffic.contractions[number];
  int64_t later = times.computed - times.completed;
  return {number, flopsOf(schedule, number) * later,
          workOfValue(group, schedule, traffic, producer) * later};
}

/// Returns what the warpgroups of a ping-pong schedule overlap with each
/// other's MMAs: contractions with a computed operand, and their producers, in
/// all iterations but the first. Where a warpgroup waits for its MMAs within
/// its turn, the turn ends with the last of them, and only then is the next
/// warpgroup signalled (`waits`).
static std::optional<Footprint::Overlap>
overlapOfTurns(const GroupModel &group, const Schedule &schedule,
               const LoopTraffic &traffic) {
  std::optional<Footprint::Overlap> overlap;
  llvm::SmallVector<bool, 4> isCounted(group.contractions.size(), false);
  for (unsigned number = 0; number < group.contractions.size(); ++number) {
    std::optional<unsigned> producer =
        producerOfOperandA(group, schedule, number);
    if (!producer)
      continue;
    const LoopTraffic::PerContraction &times = traffic.contractions[number];
    int64_t later = times.computed - times.completed;
    if (!overlap)
      overlap = Footprint::Overlap{number, 0, {}};
    for (unsigned each : {number, *producer})
      if (!std::exchange(isCounted[each], true))
        overlap->flops += flopsOf(schedule, each) * later;
    overlap->scalar += workOfValue(group, schedule, traffic, *producer) * later;
    if (schedule.contractions[number].stages == 1)
      overlap->waits +=
          static_cast<double>(times.computed) * countWarpgroups(schedule);
  }
  return overlap;
}

Footprint fusion::countTraffic(const GroupModel &group,
                               const Schedule &schedule,
                               const LoopTraffic &traffic) {
  Footprint result = traffic.loops;
  for (auto [tensor, bytes] : traffic.registerLoads)
    result.globalLoadBytes +=
        bytes * (isReadAfterClusterReduction(group, schedule, tensor)
                     ? countScatteredLoads(group, schedule, tensor)
                     : countHolders(schedule, group.tensors[tensor]));
  for (auto [tensor, bytes] : traffic.clusterLoads) {
    int64_t own =
        isMulticast(group, schedule, tensor) ? bytes / schedule.cluster : bytes;
    result.globalLoadBytes += own;
    result.multicastBytes += bytes - own;
  }
  for (const LoopTraffic::PerPass &times : traffic.passes)
    addPass(group, schedule, times, result);
  if (schedule.isPingPong)
    if (auto overlap = overlapOfTurns(group, schedule, traffic))
      result.overlaps.push_back(std::move(*overlap));
  for (auto [number, contraction] : llvm::enumerate(group.contractions)) {
    const LoopTraffic::PerContraction &times = traffic.contractions[number];
    const ContractionMapping &mapping = schedule.contractions[number];
    Footprint::TileWork &own = result.tileWork.emplace_back();
    if (!times.isPartial)
      own.completed = workOfValue(group, schedule, traffic, number);
    own.computed = times.rescaled;
    int64_t i1 = schedule.tiles[mapping.i1], i2 = schedule.tiles[mapping.i2],
            r1 = schedule.tiles[mapping.r1];
    if (!times.isPartial)
      result.scalar += contraction.perRow *
                       (i1 * kLanesOfRow * mapping.warps[1] * times.completed);
    // Whether it may overlap is checked later.
    if (std::optional<unsigned> producer =
            producerOfOperandA(group, schedule, number);
        producer && mapping.stages > 1 && !schedule.isPingPong)
      result.overlaps.push_back(
          overlapOf(group, schedule, traffic, number, *producer));
    // Every warp reads its rows of the LHS and its columns of the RHS.
    result.sharedTraffic +=
        fragmentBytes(group, schedule, number, r1) * times.computed;
    for (const Reduction &reduction : group.reductions)
      if (reduction.contraction == number && !reduction.pass &&
          exchangedBytes(group, schedule, reduction) > 0)
        result.barriers += 2 * times.completedByBlock;
    if (schedule.places[contraction.result].space != fuse::Space::Shared)
      continue;
    result.barriers += 2 * times.completedByBlock;
    const GroupTensor &value = group.tensors[contraction.result];
    // The value is stored once, and loaded by every warp that multiplies it.
    if (value.role == TensorRole::Intermediate)
      result.sharedTraffic += i1 * i2 * value.elementBytes * times.completed *
                              (1 + countReaders(group, schedule, number));
  }
  return result;
}

Footprint fusion::computeFootprint(const GroupModel &group,
                                   const Schedule &schedule) {
  RetainedTiles retained;
  std::optional<std::string> reason =
      analyzeRetainedTiles(group, schedule, retained);
  assert(!reason && "the schedule must be legal");
  (void)reason;
  return computeFootprint(group, schedule, retained);
}

Footprint fusion::computeFootprint(const GroupModel &group,
                                   const Schedule &schedule,
                                   const RetainedTiles &retained) {
  Footprint footprint = countTraffic(
      group, schedule, countLoopTraffic(group, schedule, retained));
  countResources(listResources(group, schedule, retained), schedule, footprint);
  return footprint;
}
