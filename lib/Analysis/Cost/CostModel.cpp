//===- CostModel.cpp - Predicted time of a kernel -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Cost/CpuModel.h"
#include "fusion/Analysis/Cost/PipelineModel.h"
#include "fusion/Analysis/Resources/Occupancy.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace fusion;

llvm::StringRef Cost::bound() const {
  double most = std::max(busiest(), pipeline);
  if (launch > std::max(most, splitReduction))
    return isOfCpu ? "fork and join" : "launch";
  if (splitReduction > most)
    return "combining";
  if (most == compute)
    return isOfCpu ? "instructions" : "tensor cores";
  if (most == shared)
    return isOfCpu ? "L2" : "shared memory";
  if (most == dram)
    return "DRAM";
  if (most == issue)
    return "issue slots";
  if (most == l2)
    return isOfCpu ? "L3" : "L2";
  return "pipeline";
}

double Cost::busiest() const {
  return std::max({dram, l2, shared, compute, issue});
}

Cost fusion::predictThroughput(const GroupModel &group,
                               const Schedule &schedule,
                               const Footprint &footprint, const ChipInfo &chip,
                               PipelineMemo *memo) {
  Cost cost;
  cost.launch = chip.launchOverhead;
  // Blocks spread over the SMs first, so the busiest SM has this many.
  double blocksOnBusiest = static_cast<double>(llvm::divideCeil(
      footprint.blocks, chip.usableSMs(schedule.clusterBlocks())));
  double share = blocksOnBusiest / footprint.blocks;

  // By unit. A unit that multiplies several types has the rate of the slowest.
  std::array<double, kNumIntrinsicUnits> rates;
  rates.fill(std::numeric_limits<double>::infinity());
  for (auto [contraction, mapping] :
       llvm::zip_equal(group.contractions, schedule.contractions))
    if (contraction.type) {
      double &rate = rates[static_cast<size_t>(mapping.intrinsic->unit)];
      rate =
          std::min(rate, mmaRate(chip, *contraction.type, *mapping.intrinsic) /
                             chip.numSMs);
    }
  double contractions = 0;
  for (auto [flops, rate] : llvm::zip_equal(footprint.unitFlops, rates))
    contractions += flops * share / rate;
  // Both kinds of other units work at the same time.
  double plainRate = chip.f32FlopsPerSecond / 2 / chip.numSMs;
  double specialRate = chip.specialPerClockPerSM * chip.clockHz;
  auto seconds = [&](const ScalarWork &work) {
    return share * std::max(work.plain / plainRate, work.special / specialRate);
  };
  // Tensor cores wait for their operands, unless the schedule overlaps the wait
  // with another contraction.
  cost.compute = contractions + seconds(footprint.scalar);
  for (const Footprint::Overlap &overlap : footprint.overlaps) {
    const Intrinsic &intrinsic =
        *schedule.contractions[overlap.contraction].intrinsic;
    double multiplying = overlap.flops * share /
                         rates[static_cast<size_t>(intrinsic.unit)],
           waiting = overlap.waits * share *
                     (intrinsic.latency(chip) + chip.barrierLatency),
           computing = seconds(overlap.scalar);
    cost.compute +=
        std::max(multiplying + waiting, computing) - multiplying - computing;
  }
  cost.dramBytes = footprint.compulsoryBytes;
  cost.dram =
      cost.dramBytes / chip.memoryOf(group.outsideBytes()).bytesPerSecond;
  double fetched = footprint.globalLoadBytes + footprint.globalStoreBytes;
  // Every SM has its own port, however few of them have a block.
  cost.l2 = std::max(fetched / chip.l2BytesPerSecond,
                     share * (fetched + footprint.multicastBytes) /
                         (chip.l2BytesPerClockPerSM * chip.clockHz));
  cost.shared = footprint.sharedTraffic * share /
                (chip.sharedBytesPerClockPerSM * chip.clockHz);
  if (storesPartials(schedule)) {
    SplitReductionFootprint splitReduction =
        splitReductionFootprint(group, schedule);
    // A thread loads several partial results of its elements at a time, and
    // adds them up one after the other, in about as many instructions each.
    constexpr double ofPartial = 40;
    constexpr int64_t ofOnline = 3; // maximum, sum and accumulator
    double parts = schedule.splitOf(*schedule.splitAxis());
    int64_t stages =
        genericStages(parts, splitOnline(group, schedule) ? ofOnline : 1);
    double merge =
        std::ceil(parts / stages) * chip.l2Latency +
        parts * ofPartial * chip.cyclesOfInstruction(1) / chip.clockHz;
    cost.splitReduction =
        std::max(predictStreaming(splitReduction.loadBytes +
                                      splitReduction.storeBytes,
                                  chip),
                 chip.launchOverhead + merge) +
        (splitReduction.launches - 1) * predictStreaming(0, chip);
  }
  cost.issue = leastIssue(group, schedule, footprint, chip, memo);
  cost.total = cost.launch + cost.splitReduction + cost.busiest() +
               kExposedIssue * cost.issue;
  return cost;
}

Cost fusion::predictCost(const GroupModel &group, const Schedule &schedule,
                         const Footprint &footprint, const ChipInfo &chip,
                         const Cost &throughput, PipelineMemo *memo) {
  Cost cost = throughput;
  cost.blocksPerSM = blocksPerSM(schedule, footprint, chip);
  cost.waves = llvm::divideCeil(
      footprint.blocks, residentSlots(schedule, cost.blocksPerSM, chip));
  PipelineLatency pipeline = predictPipeline(group, schedule, footprint, chip,
                                             PipelineForm::Continuous, memo);
  cost.dramBytes = pipeline.dram.loadBytes + pipeline.dram.storeBytes;
  cost.dram =
      cost.dramBytes / chip.memoryOf(group.outsideBytes()).bytesPerSecond;
  cost.pipeline = pipeline.kernel;
  cost.issue = pipeline.issue;
  cost.residentBlocks = pipeline.residentBlocks;
  cost.total = cost.launch + cost.splitReduction +
               std::max(cost.busiest(), cost.pipeline) +
               kExposedIssue * cost.issue;
  return cost;
}

Cost fusion::predictCost(const GroupModel &group, const Schedule &schedule,
                         const Footprint &footprint, const ChipInfo &chip) {
  if (chip.isCpu())
    return predictCpu(group, schedule, footprint, chip);
  return predictCost(group, schedule, footprint, chip,
                     predictThroughput(group, schedule, footprint, chip));
}

double fusion::predictStreaming(int64_t bytes, const ChipInfo &chip) {
  double bandwidth = bytes <= static_cast<int64_t>(chip.l2Bytes)
                         ? chip.l2BytesPerSecond
                         : chip.dramBytesPerSecond;
  return chip.launchOverhead + chip.dramLatency + bytes / bandwidth;
}

double fusion::predictGeneric(int64_t bytes, double threads, double steps,
                              double stepsOfSector, const ChipInfo &chip) {
  if (chip.isCpu()) {
    // A core computes one element after the other. A step depends on the one
    // before.
    double cycles = std::ceil(threads / chip.cpu->cores) * steps *
                    chip.cpu->fmaLatency;
    return std::max(predictStreaming(bytes, chip),
                    chip.launchOverhead + cycles / chip.clockHz);
  }
  double waves =
      std::ceil(threads / (kWarpSize * chip.maxWarpsPerSM * chip.numSMs));
  double step = chip.sharedLatency + chip.dramLatency / stepsOfSector;
  return std::max(predictStreaming(bytes, chip),
                  chip.launchOverhead + waves * steps * step);
}

static double extents(const GroupModel &group, llvm::ArrayRef<unsigned> axes) {
  double count = 1;
  for (unsigned axis : axes)
    count *= group.axes[axis].extent;
  return count;
}

double fusion::intensity(const GroupModel &group,
                         const Contraction &contraction) {
  double m = extents(group, contraction.lhsAxes),
         n = extents(group, contraction.rhsAxes),
         k = extents(group, contraction.reduction);
  return 2 * m * n * k / (2 * m * n + m * k + n * k);
}

double fusion::machineBalance(const Contraction &contraction,
                              unsigned elementBytes, const ChipInfo &chip) {
  double flops = contraction.type ? chip.peakFlops(*contraction.type)
                                  : chip.f32FlopsPerSecond;
  return flops / (chip.dramBytesPerSecond / elementBytes);
}
