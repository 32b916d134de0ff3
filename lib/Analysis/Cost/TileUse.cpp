//===- TileUse.cpp - What a block does with its tiles -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileUse.h"
#include "fusion/Analysis/Resources/BlockResources.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <tuple>

using namespace fusion;

static constexpr double cores = kSubPartitions; // tensor cores of an SM

int64_t TileUse::tileBytes(unsigned number) const {
  const GroupTensor &tensor = group.tensors[number];
  int64_t bytes = isSplit ? movedElementBytes(group, schedule, number)
                          : tensor.elementBytes;
  for (unsigned axis : tensor.axes)
    bytes *= schedule.tiles[axis];
  if (isReduceScattered(group, schedule, number))
    bytes /= schedule.clusterBlocks();
  return bytes;
}

/// Returns the share of the tensor cores' rate that the resident warps can use.
/// Each of an SM's four tensor cores needs a warp. To cover an instruction's
/// latency, further MMAs have to be in flight: of other warps, or of
/// independent accumulators of one warp.
double TileUse::utilisation(const ContractionMapping &mapping,
                            double rate) const {
  double warps = schedule.warps * blocksPerSM / cores;
  const Intrinsic &mma = *mapping.intrinsic;
  double perWarp = static_cast<double>(schedule.tiles[mapping.i1]) *
                   schedule.tiles[mapping.i2] /
                   (mma.i1 * mma.i2 * mapping.warps[0] * mapping.warps[1]);
  double issue = 2.0 * mma.i1 * mma.i2 * mma.r1 * cores * chip.numSMs / rate;
  // Asynchronous instructions follow each other without a gap.
  if (mma.isAsync)
    return std::min(1.0, warps);
  double underWay = std::max(1.0, warps) * std::max(1.0, perWarp);
  return std::min(1.0, warps) *
         std::min(1.0, underWay * issue / mma.latency(chip));
}

double TileUse::sharedSeconds(double bytes) const {
  return bytes * blocksPerSM / (chip.sharedBytesPerClockPerSM * chip.clockHz);
}

/// Returns the stages of a contraction's register-level loop: the fewest of the
/// tensors that it loads.
unsigned TileUse::registerStages(unsigned number) const {
  if (commonStages)
    return *commonStages;
  std::optional<unsigned> fewest;
  for (unsigned operand : {0u, 1u})
    for (unsigned tensor : listFragments(group, schedule, number, operand)) {
      unsigned own = schedule.places[tensor].registerStages;
      fewest = std::min(fewest.value_or(own), own);
    }
  return fewest.value_or(1);
}

/// T_smem_use of one tile of a contraction: the register-level loop over the
/// steps of its intrinsic. One step loads fragments (bytes over the SM's
/// bandwidth, and the latency of shared memory) and multiplies them. An
/// intermediate in shared memory is stored and, once all threads have stored
/// it, loaded again. `repetitions` of the loop follow each other without a
/// break.
double TileUse::useSeconds(unsigned number, int64_t repetitions) {
  PipelineMemo::Use asked{blocksPerSM, repetitions, registerStages(number),
                          schedule.contractions[number].stages};
  PipelineMemo::Use &known = memo.uses[number];
  if (std::tie(known.blocksPerSM, known.repetitions, known.stages,
               known.accumulators) != std::tie(asked.blocksPerSM,
                                               asked.repetitions, asked.stages,
                                               asked.accumulators)) {
    known = asked;
    known.seconds = computeUse(number, repetitions, asked.stages);
  }
  return known.seconds;
}
double TileUse::computeUse(unsigned number, int64_t repetitions,
                           unsigned ofRegisters) const {
  const Contraction &contraction = group.contractions[number];
  const ContractionMapping &mapping = schedule.contractions[number];
  double i1 = schedule.tiles[mapping.i1], i2 = schedule.tiles[mapping.i2];
  double steps =
      static_cast<double>(schedule.tiles[mapping.r1]) / mapping.intrinsic->r1;
  double step = mapping.intrinsic->r1;
  const Intrinsic &intrinsic = *mapping.intrinsic;
  double rate = contraction.type ? mmaRate(chip, *contraction.type, intrinsic)
                                 : chip.f32FlopsPerSecond;
  // Blocks of an SM share its tensor cores.
  double compute = 2 * i1 * i2 * step * blocksPerSM /
                   (rate / chip.numSMs * utilisation(mapping, rate));
  double bytes = fragmentBytes(group, schedule, number, intrinsic.r1);
  double load = chip.sharedLatency + sharedSeconds(bytes);
  double stages = ofRegisters, multiplexed = schedule.warps;
  if (form == PipelineForm::Continuous) {
    // There are no more stages than steps, and only warps of one core
    // alternate.
    stages = std::min(stages, steps * repetitions);
    multiplexed = std::max(1.0, schedule.warps * blocksPerSM / cores);
  }
  double use = intrinsic.readsShared()
                   ? inPlaceSeconds(compute, bytes, steps, intrinsic,
                                    waitsForMMAs(number, repetitions))
                   : loadUseLatency(load, compute, steps, stages, multiplexed,
                                    form, sharedSeconds(bytes));
  for (std::optional<unsigned> producer : contraction.producer) {
    if (!producer)
      continue;
    unsigned tensor = group.contractions[*producer].result;
    if (schedule.places[tensor].space == fuse::Space::Shared)
      use += sharedSeconds(2.0 * tileBytes(tensor)) + 2 * chip.sharedLatency +
             (form == PipelineForm::Printed ? 0 : 2 * chip.barrierLatency);
  }
  return use + reductionSeconds(number);
}

/// Returns the seconds in which rows of a complete contraction are reduced, per
/// step of the contraction's own reduction. The lanes of a warp that hold a row
/// reduce it by shuffles. Warps that hold parts of it store them and, once all
/// have, load those of all the others, all of them at the same time.
double TileUse::reductionSeconds(unsigned number) const {
  if (form == PipelineForm::Printed)
    return 0;
  // An accumulator has 8 rows of 4 lanes each (PTX ISA, "Matrix Fragments for
  // mma").
  constexpr double rowLanes = 4, columnLanes = 8;
  const ContractionMapping &mapping = schedule.contractions[number];
  double seconds = 0,
         chain = chip.sharedLatency + chip.fmaCycles / chip.clockHz;
  for (const Reduction &reduction : group.reductions) {
    if (reduction.contraction != number || reduction.pass)
      continue;
    bool isOfRows = llvm::is_contained(reduction.reduced, mapping.i2);
    seconds += std::log2(isOfRows ? rowLanes : columnLanes) * chain;
    if (exchangedBytes(group, schedule, reduction) == 0)
      continue;
    double parts = mapping.warps[isOfRows ? 1 : 0];
    double values = std::max(
        1.0, isOfRows
                 ? schedule.tiles[mapping.i1] / (columnLanes * mapping.warps[0])
                 : schedule.tiles[mapping.i2] / (rowLanes * mapping.warps[1]));
    double accesses = schedule.warps * values * (parts + 1) * blocksPerSM;
    seconds += accesses / chip.clockHz + 2 * chip.sharedLatency +
               2 * chip.barrierLatency + parts * chip.fmaCycles / chip.clockHz;
  }
  for (unsigned axis : group.contractions[number].reduction)
    seconds /= sequentialTrips(group, schedule, axis);
  return seconds;
}

/// Returns the seconds of a contraction that reads operands in place: tensor
/// cores read shared memory while they multiply, one instruction after the
/// other. The last one is waited for, `waits` times in each tile. Meanwhile
/// other warpgroups use the cores.
double TileUse::inPlaceSeconds(double compute, double bytes, double steps,
                               const Intrinsic &intrinsic, double waits) const {
  double groups =
      std::max<double>(1, schedule.warps * blocksPerSM / intrinsic.warps);
  double busy = steps * std::max(compute, sharedSeconds(bytes));
  return busy + waits * (chip.sharedLatency + intrinsic.latency(chip)) / groups;
}

double TileUse::instructions(unsigned number) const {
  const ContractionMapping &mapping = schedule.contractions[number];
  const Intrinsic &mma = *mapping.intrinsic;
  double i1 = schedule.tiles[mapping.i1], i2 = schedule.tiles[mapping.i2],
         r1 = schedule.tiles[mapping.r1];
  double multiplied = i1 * i2 * r1 / schedule.warps;
  // One instruction of a warpgroup has as many columns as it can.
  double columns = mma.i2;
  if (mma.readsShared())
    columns = std::max<double>(
        columns, instructionColumns(i2, mapping.warps[1], mma.operandBits / 8));
  double mmas =
      multiplied / (mma.isScalar() ? kWarpSize : mma.i1 * columns * mma.r1);
  if (mma.readsShared())
    return mmas;
  constexpr double bytesOfLoad = 16;
  return mmas +
         fragmentBytes(group, schedule, number, schedule.tiles[mapping.r1]) /
             (bytesOfLoad * kWarpSize * schedule.warps);
}

/// Returns how often a tile of a contraction waits for its MMAs, of a loop with
/// `repetitions` tiles: once, or never where another contraction's follow
/// them, or once for the loop where the sum stays in flight.
double TileUse::waitsForMMAs(unsigned number, int64_t repetitions) const {
  if (schedule.contractions[number].stages == 1)
    return 1;
  return isSumInFlight(group, schedule, number) ? 1.0 / repetitions : 0;
}

/// Returns the seconds of row statistics of a tile: fragments from shared
/// memory, and the operations on them, which warps of one core share.
double TileUse::passSeconds(unsigned rows) const {
  const RowStatistics &pass =
      *llvm::find_if(group.rowStatistics, [&](const RowStatistics &each) {
        return each.rows == rows;
      });
  const ContractionMapping &mapping = schedule.contractions[pass.contraction];
  double points =
      static_cast<double>(
          schedule.tiles[mapping.parallelAxis(pass.operandNumber)]) *
      schedule.tiles[pass.axis] *
      mapping.warps[mapping.isOperandA(pass.operandNumber) ? 1 : 0];
  double bytes = 0;
  for (unsigned tensor : pass.reads)
    if (group.indexes(tensor, pass.axis))
      bytes += points * group.tensors[tensor].elementBytes;
  double rate = chip.f32FlopsPerSecond / 2 / chip.numSMs;
  double warps = schedule.warps * blocksPerSM / cores;
  double work = points * pass.perPoint.plain * blocksPerSM /
                (rate * std::min(1.0, warps));
  return chip.sharedLatency + std::max(sharedSeconds(bytes), work);
}
