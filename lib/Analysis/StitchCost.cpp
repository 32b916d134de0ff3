//===- StitchCost.cpp - The latency evaluator of stitched groups ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/StitchCost.h"
#include "fusion/Analysis/StitchSplit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

StitchWork::StitchWork(const StitchGroup &group, std::optional<unsigned> walk)
    : once(group, std::nullopt) {
  lastRead.assign(group.inputs.size(), 0);
  SmallVector<unsigned> depths;
  for (auto [number, constOp] : llvm::enumerate(group.operators)) {
    linalg::LinalgOp op = constOp;
    Operator &entry = operators.emplace_back();
    entry.axes.assign(group.loops[number].begin(), group.loops[number].end());
    entry.resultAxes = group.resultAxes(number);
    entry.work = countScalarWork(op);
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    entry.bytes = element.isIntOrFloat()
                      ? std::max(1u, element.getIntOrFloatBitWidth() / 8)
                      : 8;
    entry.lastUse = number;
    unsigned depth = 0;
    const StitchGroup::Sources &sources = group.sources[number];
    for (unsigned maker : sources.operators) {
      operators[maker].lastUse = number;
      depth = std::max(depth, depths[maker]);
    }
    for (unsigned input : sources.inputs)
      lastRead[input] = number;
    depths.push_back(depth + group.reductions[number].has_value());
    chained = std::max(chained, depths.back());
  }
  auto bytesOf = [&](const StitchTensor &tensor) {
    int64_t bytes = tensor.elementBytes;
    for (auto [first, beyond] : tensor.inside)
      bytes *= beyond - first;
    return bytes;
  };
  SmallVector<int64_t> along(group.axes.size(), 0);
  for (const StitchTensor &tensor : group.inputs) {
    compulsoryBytes += bytesOf(tensor);
    for (unsigned axis : tensor.axes)
      along[axis] += bytesOf(tensor);
  }
  for (const StitchTensor &tensor : group.results)
    compulsoryBytes += bytesOf(tensor);
  std::optional<unsigned> longest = walk;
  for (auto [number, axis] : llvm::enumerate(group.axes))
    if (!walk && axis.isReduced &&
        (!longest || along[number] > along[*longest]))
      longest = number;
  if (!longest)
    return;
  walked.emplace(group, longest);
  if (walked->count == 1)
    return;
  online.emplace(group, longest, /*isOnline=*/true);
  whyNotOnline = online->whyNotOnline;
  if (!online->isOnline())
    online.reset();
}

namespace {

constexpr int64_t sectorBytes = 32, lineBytes = 128;

/// Elements of a tensor that lie side by side where `countOf` elements of each
/// of its axes are taken.
int64_t countRun(const StitchGroup &group, const StitchTensor &tensor,
                 llvm::function_ref<int64_t(unsigned)> countOf) {
  int64_t run = 1;
  for (unsigned done = 0; done < tensor.axes.size(); ++done) {
    auto *next = llvm::find(tensor.strides, run);
    if (next == tensor.strides.end())
      return run;
    unsigned axis = tensor.axes[next - tensor.strides.begin()];
    int64_t extent = group.axes[axis].extent,
            count = std::min(countOf(axis), extent);
    run *= count;
    if (count < extent || count == 1)
      return run;
  }
  return run;
}

/// Bytes of the sectors that a block moves for each byte of its tile:
/// neighbours in a sector that belong to other blocks are fetched by each of
/// them.
double wholeSectors(const StitchGroup &group, const StitchSchedule &schedule,
                    const StitchTensor &tensor) {
  if (tensor.isGathered)
    return 1;
  int64_t bytes =
      tensor.elementBytes * countRun(group, tensor, [&](unsigned axis) {
        return schedule.spread[axis].tile;
      });
  return double(llvm::alignTo(bytes, sectorBytes)) / bytes;
}

/// Lines of 128 bytes that one access of a warp touches, a cycle each.
int64_t linesOfAccess(const StitchGroup &group, const StitchSchedule &schedule,
                      const StitchTensor &tensor, int64_t width) {
  // Of a wider vector each access takes a part, so that it leaves gaps.
  int64_t lanes = 1, gap = 1;
  for (unsigned axis : tensor.axes)
    lanes *= schedule.spread[axis].lanes;
  if (tensor.unit)
    gap = std::max<int64_t>(1, schedule.spread[*tensor.unit].vector / width);
  int64_t span = lanes * width * gap;
  int64_t run = std::min(span, countRun(group, tensor, [&](unsigned axis) {
                           const AxisSpread &spread = schedule.spread[axis];
                           return spread.vector * spread.lanes;
                         }));
  int64_t bytes = std::max<int64_t>(lineBytes, width * tensor.elementBytes);
  return std::min<int64_t>(
      lanes * (bytes / lineBytes),
      llvm::divideCeil(span, run) *
          llvm::divideCeil(run * tensor.elementBytes, lineBytes));
}

/// Warps that the register files of an SM hold: each of its four parts has a
/// quarter of them, and warps get them in units of 256 (CUDA C++ Programming
/// Guide, "Maximum Number of Resident Blocks", and the occupancy calculator).
int64_t warpsByRegisters(int64_t registers, const ChipInfo &chip) {
  constexpr int64_t parts = 4, unit = 256, warpSize = 32;
  return parts * (chip.registersPerSM / parts /
                  llvm::alignTo(registers * warpSize, unit));
}

/// What the operators of some steps do in a thread.
struct ThreadWork {
  int64_t instructions = 0, special = 0, loads = 0, exchanges = 0;
  int64_t lines = 0; ///< of a warp's loads and stores
  int64_t live = 0;  ///< registers, at most
};

class ThreadCounter {
public:
  ThreadCounter(const StitchGroup &group, const StitchWork &work,
                const StitchSchedule &schedule)
      : group(group), work(work), schedule(schedule) {}

  int64_t registersOf(ArrayRef<unsigned> axes, unsigned bytes) const {
    constexpr int64_t registerBytes = 4;
    return llvm::divideCeil(elementsOf(schedule, axes) * bytes, registerBytes);
  }

  /// Operators one after the other; all inputs are loaded first.
  ThreadWork count(ArrayRef<unsigned> operators, ArrayRef<unsigned> inputs,
                   std::optional<unsigned> walked) const {
    ThreadWork total;
    SmallVector<int64_t> ends(work.operators.size() + 1, 0);
    int64_t live = 0;
    for (unsigned input : inputs) {
      const StitchTensor &tensor = group.inputs[input];
      int64_t count = registersOf(tensor.axes, tensor.elementBytes);
      live += count;
      ends[work.lastRead[input]] += count;
      addAccess(tensor, total);
    }
    total.live = live;
    for (unsigned number : operators) {
      const StitchWork::Operator &op = work.operators[number];
      int64_t count = registersOf(op.resultAxes, std::max(op.bytes, 4u));
      live += count;
      total.live = std::max(total.live, live);
      live -= ends[number];
      if (op.lastUse == number)
        live -= count;
      else
        ends[op.lastUse] += count;
      int64_t points = elementsOf(schedule, op.axes);
      total.instructions += points * std::max<int64_t>(1, op.work.plain);
      total.special += points * op.work.special;
      // Along the walked axis parts are exchanged after the last step.
      if (group.reductions[number] &&
          (!walked || llvm::is_contained(op.resultAxes, *walked) ||
           !llvm::is_contained(op.axes, *walked)))
        addExchange(op, total);
    }
    return total;
  }

  /// The loads or stores of a tile of a tensor.
  void addAccess(const StitchTensor &tensor, ThreadWork &total) const {
    int64_t width = 1;
    if (tensor.unit)
      width = std::min<int64_t>(
          schedule.spread[*tensor.unit].vector,
          std::max(1u, tensor.alignment / tensor.elementBytes));
    int64_t accesses =
        std::max<int64_t>(1, elementsOf(schedule, tensor.axes) / width);
    total.loads += accesses;
    total.lines += accesses * linesOfAccess(group, schedule, tensor, width);
  }

  /// What is left of a reduction after the threads' own elements.
  void addExchange(const StitchWork::Operator &op, ThreadWork &total) const {
    int64_t rows = elementsOf(schedule, op.resultAxes), parts = 1;
    for (unsigned axis : op.axes) {
      const AxisSpread &spread = schedule.spread[axis];
      if (llvm::is_contained(op.resultAxes, axis))
        continue;
      total.instructions += 2 * rows * llvm::Log2_64_Ceil(spread.lanes);
      total.exchanges += spread.warps > 1;
      parts *= spread.warps;
    }
    if (parts > 1)
      total.instructions += rows * parts * 2;
  }

private:
  const StitchGroup &group;
  const StitchWork &work;
  const StitchSchedule &schedule;
};

} // namespace

std::optional<StitchCost>
fusion::predictStitching(const StitchGroup &group, const StitchWork &work,
                         const StitchSchedule &schedule, const ChipInfo &chip) {
  constexpr int64_t warpSize = 32, schedulers = 4;
  const StitchPasses &passes = work.passesOf(schedule);
  ThreadCounter counter(group, work, schedule);
  StitchCost cost;
  ThreadWork total;
  auto add = [&](const ThreadWork &part, int64_t times) {
    total.instructions += part.instructions * times;
    total.special += part.special * times;
    total.loads += part.loads * times;
    total.exchanges += part.exchanges * times;
    total.lines += part.lines * times;
    total.live = std::max(total.live, part.live);
  };
  // What is outside of the walk, and the ends of reductions along it.
  SmallVector<unsigned> operators, inputs;
  for (unsigned op = 0; op < group.operators.size(); ++op)
    if (!passes.isWalked[op])
      operators.push_back(op);
    else if (passes.reducesAxis(group, op))
      counter.addExchange(work.operators[op], total);
  for (unsigned input = 0; input < group.inputs.size(); ++input)
    if (!passes.isWalkedInput[input])
      inputs.push_back(input);
  ThreadWork outside = counter.count(operators, inputs, passes.axis);
  add(outside, 1);
  int64_t kept = 0, accumulators = 0;
  if (schedule.walk) {
    int64_t steps = schedule.countSteps(),
            keptSteps = schedule.walk->registers + schedule.walk->shared;
    // ptxas computes what several passes widen once, and keeps it as wide.
    constexpr unsigned wide = 4;
    int64_t inStep = 0, words = 0, inRegisters = 0;
    for (unsigned pass = 0; pass < passes.count; ++pass) {
      ThreadWork step = counter.count(passes.steps[pass].operators,
                                      passes.steps[pass].inputs, passes.axis),
                 again =
                     counter.count(passes.stepsAgain[pass].operators,
                                   passes.stepsAgain[pass].inputs, passes.axis);
      add(step, keptSteps);
      if (steps > keptSteps)
        add(again, steps - keptSteps);
      // Results so far are corrected in every step, and at last.
      int64_t corrected = 0;
      for (unsigned op : passes.steps[pass].operators) {
        if (!passes.factors[op] || !passes.reducesAxis(group, op))
          continue;
        int64_t points = elementsOf(schedule, work.operators[op].axes);
        ScalarWork correction = passes.correctionWork(op) * points;
        ThreadWork entry;
        entry.instructions = correction.plain;
        entry.special = correction.special;
        add(entry, steps + 1);
        // The reference before and after, and the factor.
        corrected = std::max(corrected, 3 * points);
      }
      inStep =
          std::max({inStep, step.live + corrected, again.live + corrected});
      // Straight on the next step's loads are under way.
      int64_t ahead = 0;
      for (unsigned input : passes.steps[pass].inputs)
        if (!passes.isKeptInput[input])
          ahead += counter.registersOf(group.inputs[input].axes,
                                       group.inputs[input].elementBytes);
      if (schedule.walk->registers > 1)
        inStep = std::max(inStep, step.live + corrected + ahead);
    }
    for (unsigned op = 0; op < group.operators.size(); ++op) {
      const StitchWork::Operator &entry = work.operators[op];
      if (passes.isKept[op]) {
        words += counter.registersOf(entry.resultAxes, entry.bytes);
        inRegisters +=
            counter.registersOf(entry.resultAxes, std::max(entry.bytes, wide));
      }
      if (passes.reducesAxis(group, op))
        accumulators += elementsOf(schedule, entry.axes);
    }
    for (unsigned input = 0; input < group.inputs.size(); ++input)
      if (passes.isKeptInput[input]) {
        const StitchTensor &tensor = group.inputs[input];
        words += counter.registersOf(tensor.axes, tensor.elementBytes);
        inRegisters += counter.registersOf(tensor.axes,
                                           std::max(tensor.elementBytes, wide));
      }
    kept = inRegisters * schedule.walk->registers;
    total.instructions += words * schedule.walk->shared * 2 / 4;
    total.live = std::max(outside.live, inStep) + accumulators + kept;
  }
  // Stores, by way of shared memory where that puts neighbours side by side,
  // and what blocks move of their neighbours' sectors.
  double beside = 0;
  auto addBeside = [&](const StitchTensor &tensor) {
    int64_t bytes = tensor.elementBytes;
    for (auto [first, beyond] : tensor.inside)
      bytes *= beyond - first;
    beside += bytes * (wholeSectors(group, schedule, tensor) - 1);
  };
  llvm::for_each(group.inputs, addBeside);
  for (const StitchTensor &tensor : group.results) {
    int64_t steps = 1;
    if (passes.axis && llvm::is_contained(tensor.axes, *passes.axis))
      steps = schedule.countSteps();
    addBeside(tensor);
    if (countTurned(group, schedule, tensor)) {
      total.instructions += 4 * steps * elementsOf(schedule, tensor.axes);
      continue;
    }
    ThreadWork stores;
    counter.addAccess(tensor, stores);
    stores.loads = 0;
    add(stores, steps);
  }
  constexpr int64_t ownRegisters = 40; // addresses, coordinates, loads ahead
  cost.registers = total.live + ownRegisters;
  cost.sharedMemory =
      sharedToFit(group, schedule, passes, chip.sharedMemoryPerBlock);
  int64_t threads = schedule.warps * warpSize;
  // The same where there are no more to be had.
  constexpr int64_t slack = 8, promised = 4;
  if (cost.registers + cost.registers / slack > chip.maxRegistersPerThread ||
      cost.registers * threads > chip.registersPerSM ||
      cost.sharedMemory > chip.sharedMemoryPerBlock)
    return std::nullopt;
  cost.blocksPerSM = std::min<int64_t>(
      {chip.maxBlocksPerSM, chip.maxWarpsPerSM / schedule.warps,
       warpsByRegisters(cost.registers, chip) / schedule.warps,
       chip.sharedMemoryPerSM /
           (cost.sharedMemory + chip.sharedMemoryReserved)});
  if (cost.blocksPerSM == 0)
    return std::nullopt;
  cost.promisedBlocks = std::clamp<int64_t>(
      warpsByRegisters(cost.registers + cost.registers / promised, chip) /
          schedule.warps,
      1, cost.blocksPerSM);

  int64_t blocks = countBlocks(group, schedule);
  cost.waves = llvm::divideCeil(blocks, chip.numSMs * cost.blocksPerSM);
  double clock = 1 / chip.clockHz;
  // One warp's steps: its loads, then what depends on them, pass by pass.
  double waits = chip.dramLatency + (passes.count - 1) * chip.l2Latency;
  // A step of a loop waits for its own loads.
  if (schedule.walk)
    waits += (schedule.countSteps() - schedule.walk->registers -
              schedule.walk->shared) *
                 passes.count * chip.l2Latency +
             schedule.walk->shared * chip.dramLatency;
  double warp = waits + total.loads * clock + total.instructions * clock +
                total.exchanges * 2 * chip.barrierLatency +
                work.chained * 10 * chip.fmaCycles * clock;
  cost.latency = cost.waves * warp;
  double share = double(llvm::divideCeil(blocks, chip.numSMs));
  cost.issue = share * schedule.warps *
               std::max<double>({total.instructions / double(schedulers),
                                 total.special * warpSize /
                                     double(chip.specialPerClockPerSM),
                                 double(total.lines)}) *
               clock;
  StitchTraffic traffic = countTraffic(group, schedule, passes);
  double bytes = traffic.loaded + traffic.stored;
  // Rows that are too long for a block are read from DRAM again.
  double again = std::max(0.0, bytes - traffic.repeated - traffic.exchanged -
                                   work.compulsoryBytes);
  cost.memory =
      std::max((work.compulsoryBytes + again) / chip.dramBytesPerSecond,
               (bytes + beside) / chip.l2BytesPerSecond);
  cost.traffic = (bytes + beside) / chip.l2BytesPerSecond;
  // Blocks of an SM hide one another's dependent steps; a block that is alone
  // there leaves the memory idle while it computes.
  double busy = std::max({cost.memory, cost.issue, cost.latency});
  cost.total = chip.launchOverhead + chip.dramLatency +
               std::max(busy, cost.memory + cost.latency / cost.blocksPerSM);
  // Then the last blocks combine the parts, each through its own SM, after a
  // fence, a count and a load.
  if (StitchSplit::axisOf(group, schedule)) {
    StitchSplit split(group, schedule);
    double steps = llvm::divideCeil(split.parts, split.stepOfParts());
    double busy = std::min<int64_t>(split.counters, chip.numSMs);
    cost.total +=
        (2 + steps) * chip.l2Latency +
        split.countBytes(group) * chip.numSMs / (busy * chip.l2BytesPerSecond);
  }
  return cost;
}
