//===- StitchCost.cpp - The latency evaluator of stitched groups ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/StitchCost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

StitchWork::StitchWork(const StitchGroup &group) {
  lastRead.assign(group.inputs.size(), 0);
  SmallVector<unsigned> depths;
  for (auto [number, constOp] : llvm::enumerate(group.operators)) {
    linalg::LinalgOp op = constOp;
    Operator &entry = operators.emplace_back();
    entry.axes.assign(group.loops[number].begin(), group.loops[number].end());
    entry.resultAxes = group.resultAxes(number);
    entry.work = countScalarWork(op);
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    entry.bytes = std::max(1u, element.getIntOrFloatBitWidth() / 8);
    entry.lastUse = number;
    unsigned depth = 0;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (std::optional<unsigned> maker = group.definer(operand->get())) {
        operators[*maker].lastUse = number;
        depth = std::max(depth, depths[*maker]);
        continue;
      }
      for (auto [input, tensor] : llvm::enumerate(group.inputs))
        if (tensor.value == operand->get())
          lastRead[input] = number;
    }
    depths.push_back(depth + group.reductions[number].has_value());
    chained = std::max(chained, depths.back());
  }
  auto add = [&](const StitchTensor &tensor) {
    int64_t bytes = tensor.elementBytes;
    for (unsigned axis : tensor.axes)
      bytes *= group.axes[axis].extent;
    compulsoryBytes += bytes;
  };
  llvm::for_each(group.inputs, add);
  llvm::for_each(group.results, add);
}

std::optional<StitchCost>
fusion::predictStitching(const StitchGroup &group, const StitchWork &work,
                         const StitchSchedule &schedule, const ChipInfo &chip) {
  constexpr int64_t warpSize = 32, registerBytes = 4, schedulers = 4;
  StitchCost cost;
  // Elements of a thread over some axes: registers repeat, replicas too.
  auto elements = [&](ArrayRef<unsigned> axes) {
    int64_t count = 1;
    for (unsigned axis : axes)
      count *= schedule.spread[axis].registers() * schedule.spread[axis].vector;
    return count;
  };
  auto registersOf = [&](ArrayRef<unsigned> axes, unsigned bytes) {
    return llvm::divideCeil(elements(axes) * bytes, registerBytes);
  };

  // The most that lives at once: all inputs are loaded first.
  int64_t live = 0, instructions = 0, special = 0, loads = 0;
  SmallVector<int64_t> ends(work.operators.size() + 1, 0);
  for (auto [tensor, last] : llvm::zip_equal(group.inputs, work.lastRead)) {
    int64_t count = registersOf(tensor.axes, tensor.elementBytes);
    live += count;
    ends[last] += count;
    loads += std::max<int64_t>(1, elements(tensor.axes) * tensor.elementBytes /
                                      tensor.alignment);
  }
  int64_t most = live, scratch = 0, exchanges = 0;
  for (auto [number, op] : llvm::enumerate(work.operators)) {
    int64_t count = registersOf(op.resultAxes, std::max(op.bytes, 4u));
    live += count;
    most = std::max(most, live);
    live -= ends[number];
    if (op.lastUse == number)
      live -= count;
    else
      ends[op.lastUse] += count;
    int64_t points = elements(op.axes);
    instructions += points * std::max<int64_t>(1, op.work.plain);
    special += points * op.work.special;
    if (!group.reductions[number])
      continue;
    // What is left of the axes after the threads' own elements.
    int64_t rows = elements(op.resultAxes), kept = 1;
    for (unsigned axis : op.axes) {
      const AxisSpread &spread = schedule.spread[axis];
      if (llvm::is_contained(op.resultAxes, axis)) {
        kept *= spread.tile;
        continue;
      }
      instructions += 2 * rows * llvm::Log2_64_Ceil(spread.lanes);
      if (spread.warps > 1)
        ++exchanges;
    }
    int64_t parts = 1;
    for (unsigned axis : op.axes)
      if (!llvm::is_contained(op.resultAxes, axis))
        parts *= schedule.spread[axis].warps;
    if (parts > 1) {
      instructions += rows * parts * 2;
      scratch = std::max<int64_t>(scratch, parts * kept * op.bytes);
    }
  }
  constexpr int64_t ownRegisters = 24; // addresses, coordinates
  cost.registers = most + ownRegisters;
  cost.sharedMemory = scratch;
  int64_t threads = schedule.warps * warpSize;
  if (cost.registers > chip.maxRegistersPerThread ||
      cost.registers * threads > chip.registersPerSM ||
      scratch > chip.sharedMemoryPerBlock)
    return std::nullopt;
  cost.blocksPerSM = std::min<int64_t>(
      {chip.maxBlocksPerSM, chip.maxWarpsPerSM / schedule.warps,
       chip.registersPerSM / (cost.registers * threads),
       chip.sharedMemoryPerSM / (scratch + chip.sharedMemoryReserved)});
  if (cost.blocksPerSM == 0)
    return std::nullopt;

  int64_t blocks = countBlocks(group, schedule);
  cost.waves = llvm::divideCeil(blocks, chip.numSMs * cost.blocksPerSM);
  double clock = 1 / chip.clockHz;
  // One warp's steps: its loads, then what depends on them.
  double warp = chip.dramLatency + loads * clock + instructions * clock +
                exchanges * 2 * chip.barrierLatency +
                work.chained * 10 * chip.fmaCycles * clock;
  cost.latency = cost.waves * warp;
  double share = double(llvm::divideCeil(blocks, chip.numSMs));
  cost.issue =
      share * schedule.warps *
      std::max<double>(instructions / double(schedulers),
                       special * warpSize / double(chip.specialPerClockPerSM)) *
      clock;
  StitchTraffic traffic = countTraffic(group, schedule);
  double bytes = traffic.loaded + traffic.stored;
  cost.memory = std::max(work.compulsoryBytes / chip.dramBytesPerSecond,
                         bytes / chip.l2BytesPerSecond);
  // Of the last wave the loads of a few blocks alone use the bandwidth.
  cost.total = chip.launchOverhead + chip.dramLatency +
               std::max({cost.memory, cost.issue, cost.latency});
  return cost;
}
