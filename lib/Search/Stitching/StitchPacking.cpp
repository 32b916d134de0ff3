//===- StitchPacking.cpp - Schedules of independent operators -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchPacking.h"
#include "StitchEnumeration.h"
#include <deque>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Returns the operators of one component as a group, and sets `axes` to the
/// numbers of its axes in the whole group.
static StitchGroup extract(const StitchGroup &group, unsigned component,
                           SmallVector<unsigned> &axes) {
  StitchGroup part;
  SmallVector<unsigned> numbers(group.axes.size());
  for (auto [number, axis] : llvm::enumerate(group.axes))
    if (group.components[number] == component) {
      numbers[number] = axes.size();
      axes.push_back(number);
      part.axes.push_back(axis);
      part.components.push_back(0);
    }
  for (StitchAxis &axis : part.axes)
    for (auto &[other, stride] : axis.rowStrides)
      other = numbers[other];
  auto own = [&](StitchTensor tensor) {
    for (unsigned &axis : tensor.axes)
      axis = numbers[axis];
    if (tensor.unit)
      tensor.unit = numbers[*tensor.unit];
    if (tensor.gatheredRun)
      tensor.gatheredRun = numbers[*tensor.gatheredRun];
    tensor.component = 0;
    return tensor;
  };
  llvm::DenseMap<unsigned, unsigned> inputs, positions;
  for (auto [op, loops] : llvm::enumerate(group.loops)) {
    if (group.componentOf(op) != component)
      continue;
    part.homes.push_back(numbers[group.homes[op]]);
    part.add(group.operators()[op], group.share(op));
    part.reductions.push_back(group.reductions[op]);
    part.resultLoops.push_back(group.resultLoops[op]);
    SmallVector<unsigned> &renamed = part.loops.emplace_back(loops);
    for (unsigned &axis : renamed)
      axis = numbers[axis];
    for (unsigned input : group.sources[op].inputs)
      if (inputs.insert({input, part.inputs.size()}).second)
        part.inputs.push_back(own(group.inputs[input]));
    positions[op] = part.operators().size() - 1;
    StitchGroup::Sources &sources = part.sources.emplace_back();
    for (unsigned source : group.sources[op].operators)
      sources.operators.push_back(positions[source]);
    for (unsigned input : group.sources[op].inputs)
      sources.inputs.push_back(inputs[input]);
  }
  for (auto [reader, input] : group.reads)
    if (auto it = inputs.find(input); it != inputs.end())
      part.reads[reader] = it->second;
  for (const StitchTensor &tensor : group.results)
    if (part.definer(tensor.value))
      part.results.push_back(own(tensor));
  part.findShared();
  return part;
}

namespace {

/// One component of a group and what its search needs.
struct Component {
  Component(const StitchGroup &whole, unsigned number, const StitchWork &all,
            const ChipInfo &chip, StitchEffort effort)
      : group(extract(whole, number, axes)), work(group),
        mayBeSerial(all.serialAxis &&
                    llvm::is_contained(axes, *all.serialAxis->axis)) {
    for (unsigned op = 0; op < whole.operators().size(); ++op)
      if (whole.componentOf(op) == number)
        operators.push_back(op);
    if (effort == StitchEffort::Bounded)
      bound.emplace(group, work, chip, mayBeSerial);
  }
  const StitchBound *boundOrNull() const { return bound ? &*bound : nullptr; }

  SmallVector<unsigned> axes;      ///< of the whole
  SmallVector<unsigned> operators; ///< of the whole
  StitchGroup group;
  StitchWork work;
  bool mayBeSerial;
  std::optional<StitchBound> bound;
};

} // namespace

/// Returns the shared memory of a block, in bytes, if an SM otherwise holds at
/// most `maxBlocks` blocks.
using SharedMemory = llvm::function_ref<int64_t(int64_t maxBlocks)>;

/// Returns the cost of one kernel whose blocks each compute one of several
/// components. All blocks have the registers and the shared memory of the
/// kernel; the bytes and the instructions of all components share the chip.
static std::optional<StitchCost>
packCosts(llvm::ArrayRef<StitchCost> parts, llvm::ArrayRef<int64_t> blocks,
          int64_t warps, SharedMemory sharedMemory, const ChipInfo &chip) {
  StitchCost cost;
  for (const StitchCost &part : parts)
    cost.registers = std::max(cost.registers, part.registers);
  int64_t maxBlocks = blocksByThreads(cost.registers, warps, chip);
  if (maxBlocks == 0)
    return std::nullopt;
  cost.sharedMemory = sharedMemory(maxBlocks);
  if (cost.sharedMemory > chip.sharedMemoryPerBlock)
    return std::nullopt;
  cost.blocksPerSM =
      std::min(maxBlocks, blocksByShared(cost.sharedMemory, chip));
  if (cost.blocksPerSM == 0)
    return std::nullopt;
  double places = double(chip.numSMs) * cost.blocksPerSM, longest = 0, sum = 0,
         issue = 0;
  int64_t allBlocks = 0;
  for (auto [part, count] : llvm::zip_equal(parts, blocks)) {
    cost.memory += part.memory;
    cost.traffic += part.traffic;
    cost.sectors += part.sectors;
    cost.moved += part.moved;
    cost.compulsory += part.compulsory;
    // Steps of a block follow one another.
    double block = part.latency / part.waves;
    longest =
        std::max(longest, block * llvm::divideCeil(count, int64_t(places)));
    sum += block * count / places;
    cost.issue = std::max(cost.issue, part.issue);
    issue += part.issue * count /
             (double(chip.numSMs) * llvm::divideCeil(count, chip.numSMs));
    allBlocks += count;
  }
  cost.latency = std::max(longest, sum);
  cost.issue = std::max(cost.issue, issue);
  cost.waves = llvm::divideCeil(allBlocks, int64_t(places));
  double busy = std::max({cost.memory, cost.issue, cost.latency});
  cost.total = chip.launchOverhead + chip.dramLatency +
               std::max(busy, cost.memory + cost.latency / cost.blocksPerSM);
  return cost;
}

/// Returns the same cost by the evaluator as printed. All warps share the waves
/// of the kernel and take the mean of the components' cycles, but the kernel
/// takes no less than the longest warp.
static StitchCost packPrinted(StitchCost cost, llvm::ArrayRef<StitchCost> parts,
                              llvm::ArrayRef<int64_t> blocks, int64_t warps,
                              const ChipInfo &chip) {
  double sum = 0, longest = 0;
  int64_t count = 0;
  for (auto [part, own] : llvm::zip_equal(parts, blocks)) {
    sum += part.warpCycles * own;
    longest = std::max(longest, part.warpCycles);
    count += own;
  }
  StitchCost printed;
  printed.registers = cost.registers;
  printed.sharedMemory = cost.sharedMemory;
  printed.blocksPerSM = cost.blocksPerSM;
  printed.waves = countWaves(count * warps,
                             cost.blocksPerSM * warps * int64_t(chip.numSMs));
  printed.warpCycles = sum / count;
  printed.total =
      chip.launchOverhead +
      std::max(longest, printed.waves * printed.warpCycles) / chip.clockHz;
  return printed;
}

std::optional<StitchResult>
fusion::searchPacked(const StitchGroup &group, unsigned count,
                     const ChipInfo &chip, std::string &reason,
                     StitchEffort effort, const StitchWork &work,
                     StitchRanking *ranking, EvaluatorForm evaluator) {
  std::deque<Component> components; // which bounds refer to
  for (unsigned component = 0; component < count; ++component)
    components.emplace_back(group, component, work, chip, effort);
  std::optional<StitchResult> best;
  int64_t candidates = 0, legal = 0;
  for (int64_t warps = 1; warps <= kMaxWarps; warps *= 2) {
    StitchSchedule whole;
    whole.warps = warps;
    whole.threadMapping.assign(group.axes.size(), {});
    bool isPossible = true;
    SmallVector<StitchCost> costs;
    SmallVector<int64_t> blocks;
    for (const Component &component : components) {
      ArrayRef<unsigned> axes = component.axes;
      std::optional<StitchResult> found =
          StitchEnumeration(component.group, component.work, chip, effort,
                            component.boundOrNull(), component.mayBeSerial,
                            /*split=*/std::nullopt, /*cluster=*/1,
                            /*ranking=*/nullptr, evaluator)
              .run(reason, warps);
      isPossible = found.has_value();
      if (!found)
        break;
      candidates += found->candidates;
      legal += found->legal;
      costs.push_back(found->cost);
      blocks.push_back(countBlocks(component.group, found->schedule));
      for (const StitchComposition &entry : found->schedule.compositions)
        whole.compositions.push_back(
            {component.operators[entry.op], entry.scheme});
      for (auto [own, axis] : llvm::enumerate(axes))
        whole.threadMapping[axis] = found->schedule.threadMapping[own];
      if (found->schedule.serialLoop) {
        whole.serialLoop = found->schedule.serialLoop;
        whole.serialLoop->axis = axes[found->schedule.serialLoop->axis];
      }
    }
    llvm::sort(whole.compositions,
               [](const StitchComposition &a, const StitchComposition &b) {
                 return a.op < b.op;
               });
    if (!isPossible || checkStitching(group, whole, chip))
      continue;
    std::optional<StitchCost> cost = packCosts(
        costs, blocks, warps,
        [&](int64_t maxBlocks) {
          return sharedToFit(group, whole, work.passesOf(whole), chip,
                             maxBlocks);
        },
        chip.withData(work.compulsoryBytes));
    if (cost && evaluator == EvaluatorForm::Printed)
      cost = packPrinted(*cost, costs, blocks, warps, chip);
    if (cost && ranking)
      ranking->add(StitchResult{whole, *cost});
    if (cost && (!best || weighed(*cost) < weighed(best->cost)))
      best = StitchResult{whole, *cost};
  }
  if (best)
    best->candidates = candidates, best->legal = legal;
  else if (reason.empty())
    reason = "no number of warps fits all of its parts";
  return best;
}
