//===- StitchCost.cpp - The latency evaluator of stitched groups ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/StitchCost.h"
#include "fusion/Analysis/StitchAlignment.h"
#include "fusion/Analysis/StitchSplit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

/// Of the elements that are there.
static int64_t bytesOf(const StitchTensor &tensor) {
  int64_t bytes = tensor.elementBytes;
  for (auto [first, beyond] : tensor.inside)
    bytes *= beyond - first;
  return bytes;
}

unsigned StitchWork::spaceOf(ArrayRef<unsigned> axes) {
  SmallVector<unsigned, 4> ascending(axes);
  llvm::sort(ascending);
  auto *known = llvm::find(spaces, ascending);
  if (known == spaces.end())
    known = spaces.insert(known, ascending);
  return known - spaces.begin();
}

StitchWork::StitchWork(const StitchGroup &group, std::optional<unsigned> walk)
    : once(group, std::nullopt) {
  lastRead.assign(group.inputs.size(), 0);
  SmallVector<unsigned> depths;
  for (auto [number, constOp] : llvm::enumerate(group.operators)) {
    linalg::LinalgOp op = constOp;
    Operator &entry = operators.emplace_back();
    entry.axes.assign(group.loops[number].begin(), group.loops[number].end());
    entry.resultAxes = group.resultAxes(number);
    entry.space = spaceOf(entry.axes);
    entry.resultSpace = spaceOf(entry.resultAxes);
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
  for (const StitchTensor &tensor : group.inputs)
    inputSpaces.push_back(spaceOf(tensor.axes));
  for (const StitchTensor &tensor : group.results)
    resultSpaces.push_back(spaceOf(tensor.axes));
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

constexpr int64_t sectorBytes = 32, lineBytes = 128, widestAccess = 16;

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

/// The same for what one access of a warp moves: rows that begin anywhere take
/// it a sector further, and a wider vector leaves gaps that others move again.
double sectorsOfAccess(const StitchGroup &group, const StitchSchedule &schedule,
                       const StitchTensor &tensor) {
  if (tensor.isGathered || !tensor.unit)
    return 1;
  int64_t vector = schedule.spread[*tensor.unit].vector,
          realigned = realignedWidth(group, schedule, tensor),
          width = std::max(std::min(accessWidth(schedule, tensor), vector),
                           realigned),
          span = tensor.elementBytes *
                 countRun(group, tensor,
                          [&](unsigned axis) {
                            const AxisSpread &spread = schedule.spread[axis];
                            return spread.vector * spread.lanes;
                          }),
          alignment = alignmentOf(schedule, tensor);
  bool isAnywhere = schedule.spread[*tensor.unit].align == 1
                        ? tensor.alignment < widestAccess
                        : !tensor.isInPhase;
  if (!isAnywhere && width == vector)
    return 1;
  double sectors = llvm::divideCeil(span, sectorBytes);
  if (realigned > 1)
    sectors += 1;
  else if (isAnywhere && alignment < sectorBytes)
    sectors = 1 + double(span - alignment) / sectorBytes;
  double useful = double(span) * width / vector;
  return std::max(1.0, sectors * sectorBytes / useful);
}

/// Lines of 128 bytes that one access of a warp touches, a cycle each.
double linesOfAccess(const StitchGroup &group, const StitchSchedule &schedule,
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
  double lines = llvm::divideCeil(run * tensor.elementBytes, lineBytes);
  // Runs of odd rows begin anywhere in a line, as far as they are not aligned.
  if (int64_t alignment = alignmentOf(schedule, tensor);
      tensor.alignment < widestAccess && alignment <= run * tensor.elementBytes)
    lines = 1 + double(run * tensor.elementBytes - alignment) / lineBytes;
  return std::min<double>(lanes * (bytes / lineBytes),
                          llvm::divideCeil(span, run) * lines);
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
  double lines = 0;  ///< of a warp's loads and stores
  int64_t live = 0;  ///< registers, at most
  int64_t held = 0;  ///< those that ptxas takes where it overlaps guarded loads
  int64_t behind = 0; ///< of what is loaded to be handed on to other lanes
};

class ThreadCounter {
public:
  ThreadCounter(const StitchGroup &group, const StitchWork &work,
                const StitchSchedule &schedule)
      : group(group), work(work), spread(schedule.spread) {
    SmallVector<int64_t, 8> ofAxis;
    for (unsigned axis = 0; axis < schedule.spread.size(); ++axis)
      ofAxis.push_back(elementsOf(schedule, axis));
    for (ArrayRef<unsigned> axes : work.spaces) {
      int64_t count = 1;
      for (unsigned axis : axes)
        count *= ofAxis[axis];
      elements.push_back(count);
    }
    for (auto [tensor, space] : llvm::zip_equal(group.inputs, work.inputSpaces))
      accesses.push_back(accessOf(schedule, tensor, space));
  }

  /// Elements of a thread in a tile over a set of axes.
  int64_t elementsIn(unsigned space) const { return elements[space]; }
  int64_t registersOf(unsigned space, unsigned bytes) const {
    constexpr int64_t registerBytes = 4;
    return llvm::divideCeil(uint64_t(elements[space]) * bytes, registerBytes);
  }

  /// Operators one after the other; all inputs are loaded first.
  ThreadWork count(ArrayRef<unsigned> operators, ArrayRef<unsigned> inputs,
                   std::optional<unsigned> walked) const {
    ThreadWork total;
    SmallVector<int64_t, 64> ends(work.operators.size() + 1, 0);
    int64_t live = 0, held = 0;
    for (unsigned input : inputs) {
      int64_t count = registersOf(work.inputSpaces[input],
                                  group.inputs[input].elementBytes);
      live += count;
      ends[work.lastRead[input]] += count;
      total.loads += accesses[input].count;
      total.lines += accesses[input].lines;
      total.instructions += accesses[input].moves;
      held += accesses[input].held;
      total.behind += accesses[input].behind;
    }
    total.live = live;
    total.held = held;
    for (unsigned number : operators) {
      const StitchWork::Operator &op = work.operators[number];
      int64_t count = registersOf(op.resultSpace, std::max(op.bytes, 4u));
      live += count;
      total.live = std::max(total.live, live);
      live -= ends[number];
      if (op.lastUse == number)
        live -= count;
      else
        ends[op.lastUse] += count;
      int64_t points = elements[op.space];
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
  struct Access {
    int64_t count;
    double lines;
    int64_t moves = 0; ///< instructions that put what is loaded to its place
    /// Registers that guarded accesses have until they are done: an address of
    /// each, and the vector behind.
    int64_t held = 0, behind = 0;
  };
  /// Of so many words each comes from the next lane, moves by a power of two of
  /// words after the other, and then by parts of one.
  static int64_t movesOf(int64_t bytes) {
    int64_t words = bytes / 4, moves = 2 * words;
    for (int64_t step = words / 2; step > 0; step /= 2)
      moves += 2 * words - step;
    return moves;
  }
  Access accessOf(const StitchSchedule &schedule, const StitchTensor &tensor,
                  unsigned space) const {
    int64_t width =
        std::min(accessWidth(schedule, tensor),
                 tensor.unit ? schedule.spread[*tensor.unit].vector : 1);
    int64_t wide = realignedWidth(group, schedule, tensor);
    width = std::max(width, wide);
    int64_t count = std::max<int64_t>(1, elements[space] / width);
    Access access{count, count * linesOfAccess(group, schedule, tensor, width)};
    constexpr int64_t addressRegisters = 2, registerBytes = 4;
    if (isRotated(schedule, tensor))
      access.held = count * addressRegisters;
    if (wide > 1) {
      int64_t bytes = width * tensor.elementBytes;
      access.moves = count * movesOf(bytes);
      access.behind = count * bytes / registerBytes;
      access.held += access.behind;
    }
    return access;
  }

  /// What is left of a reduction after the threads' own elements.
  void addExchange(const StitchWork::Operator &op, ThreadWork &total) const {
    int64_t rows = elements[op.resultSpace], parts = 1;
    for (unsigned axis : op.axes) {
      if (llvm::is_contained(op.resultAxes, axis))
        continue;
      total.instructions += 2 * rows * llvm::Log2_64_Ceil(spread[axis].lanes);
      total.exchanges += spread[axis].warps > 1;
      parts *= spread[axis].warps;
    }
    if (parts > 1)
      total.instructions += rows * parts * 2;
  }

private:
  const StitchGroup &group;
  const StitchWork &work;
  SmallVector<AxisSpread> spread;
  SmallVector<int64_t, 16> elements; ///< by set of axes
  SmallVector<Access, 16> accesses;  ///< by input
};

} // namespace

/// Of one spread: what the passes do in a step, kept or not.
struct fusion::StitchSteps {
  StitchSteps(const StitchGroup &group, const StitchWork &work,
              const StitchSchedule &schedule)
      : key(keyOf(schedule)), counter(group, work, schedule) {}

  /// The spread of a step: that of the tile says how many there are.
  static SmallVector<AxisSpread> keyOf(const StitchSchedule &schedule) {
    SmallVector<AxisSpread> key;
    for (unsigned axis = 0; axis < schedule.spread.size(); ++axis)
      key.push_back(schedule.stepOf(axis));
    return key;
  }

  struct Pass {
    ThreadWork step, again;
    /// Of results so far, for a step.
    ThreadWork corrections;
    int64_t corrected = 0; ///< registers of a correction
    int64_t ahead = 0;     ///< those of the loads of a step ahead
  };
  struct Passes {
    const StitchPasses *of;
    SmallVector<Pass> passes;
    ThreadWork
        once; ///< outside of the walk, and the ends of reductions along it
    int64_t accumulators = 0;
    int64_t words = 0;       ///< of what is kept of a step
    int64_t inRegisters = 0; ///< those of it that registers take
  };
  const Passes &passesOf(const StitchGroup &group, const StitchWork &work,
                         const StitchPasses &passes) {
    for (const Passes &entry : known)
      if (entry.of == &passes)
        return entry;
    known.push_back(count(group, work, passes));
    return known.back();
  }
  Passes count(const StitchGroup &group, const StitchWork &work,
               const StitchPasses &passes) const;

  SmallVector<AxisSpread> key;
  ThreadCounter counter;
  std::vector<Passes> known;
};

StitchSteps::Passes StitchSteps::count(const StitchGroup &group,
                                       const StitchWork &work,
                                       const StitchPasses &passes) const {
  Passes result;
  result.of = &passes;
  // ptxas computes what several passes widen once, and keeps it as wide.
  constexpr unsigned wide = 4;
  ThreadWork ends;
  SmallVector<unsigned> operators, inputs;
  for (unsigned op = 0; op < group.operators.size(); ++op) {
    const StitchWork::Operator &entry = work.operators[op];
    bool isReducing = passes.reducesAxis(group, op);
    if (!passes.isWalked[op])
      operators.push_back(op);
    else if (isReducing)
      counter.addExchange(entry, ends);
    if (isReducing)
      result.accumulators += counter.elementsIn(entry.space);
    if (passes.isKept[op]) {
      result.words += counter.registersOf(entry.resultSpace, entry.bytes);
      result.inRegisters +=
          counter.registersOf(entry.resultSpace, std::max(entry.bytes, wide));
    }
  }
  for (unsigned input = 0; input < group.inputs.size(); ++input) {
    if (!passes.isWalkedInput[input])
      inputs.push_back(input);
    if (!passes.isKeptInput[input])
      continue;
    unsigned bytes = group.inputs[input].elementBytes,
             space = work.inputSpaces[input];
    result.words += counter.registersOf(space, bytes);
    result.inRegisters += counter.registersOf(space, std::max(bytes, wide));
  }
  result.once = counter.count(operators, inputs, passes.axis);
  result.once.instructions += ends.instructions;
  result.once.exchanges += ends.exchanges;
  if (!passes.axis)
    return result;
  for (unsigned number = 0; number < passes.count; ++number) {
    const StitchPasses::Step &step = passes.steps[number],
                             &again = passes.stepsAgain[number];
    Pass &pass = result.passes.emplace_back();
    pass.step = counter.count(step.operators, step.inputs, passes.axis);
    pass.again = counter.count(again.operators, again.inputs, passes.axis);
    for (unsigned op : step.operators) {
      if (!passes.factors[op] || !passes.reducesAxis(group, op))
        continue;
      int64_t points = counter.elementsIn(work.operators[op].space);
      ScalarWork correction = passes.correctionWork(op) * points;
      pass.corrections.instructions += correction.plain;
      pass.corrections.special += correction.special;
      // The reference before and after, and the factor.
      pass.corrected = std::max(pass.corrected, 3 * points);
    }
    for (unsigned input : step.inputs)
      if (!passes.isKeptInput[input])
        pass.ahead += counter.registersOf(work.inputSpaces[input],
                                          group.inputs[input].elementBytes);
  }
  return result;
}

StitchMemo::StitchMemo() = default;
StitchMemo::~StitchMemo() = default;

std::optional<StitchCost>
fusion::predictStitching(const StitchGroup &group, const StitchWork &work,
                         const StitchSchedule &schedule, const ChipInfo &chip,
                         StitchMemo *memo) {
  constexpr int64_t warpSize = 32, schedulers = 4;
  const StitchPasses &passes = work.passesOf(schedule);
  StitchMemo own;
  std::unique_ptr<StitchSteps> &known = memo ? memo->last : own.last;
  if (!known || known->key != StitchSteps::keyOf(schedule))
    known = std::make_unique<StitchSteps>(group, work, schedule);
  const ThreadCounter &counter = known->counter;
  StitchCost cost;
  ThreadWork total;
  auto add = [&](const ThreadWork &part, int64_t times) {
    total.instructions += part.instructions * times;
    total.special += part.special * times;
    total.loads += part.loads * times;
    total.exchanges += part.exchanges * times;
    total.lines += part.lines * times;
    total.live = std::max(total.live, part.live);
    total.held = std::max(total.held, part.held);
  };
  // Straight on ptxas has what all steps hand on under way at once, and spills
  // where there is no room for it.
  int64_t ofAllSteps = 0;
  const StitchSteps::Passes &counted = known->passesOf(group, work, passes);
  add(counted.once, 1);
  if (schedule.walk) {
    int64_t steps = schedule.countSteps(),
            keptSteps = schedule.walk->registers + schedule.walk->shared;
    int64_t inStep = 0, behind = 0;
    for (const StitchSteps::Pass &pass : counted.passes) {
      behind = std::max(behind, pass.step.behind);
      add(pass.step, keptSteps);
      if (steps > keptSteps)
        add(pass.again, steps - keptSteps);
      // Results so far are corrected in every step, and at last.
      add(pass.corrections, steps + 1);
      inStep = std::max({inStep, pass.step.live + pass.corrected,
                         pass.again.live + pass.corrected});
      // Straight on the next step's loads are under way.
      if (schedule.walk->registers > 1)
        inStep = std::max(inStep, pass.step.live + pass.corrected + pass.ahead);
    }
    total.instructions += counted.words * schedule.walk->shared * 2 / 4;
    total.live = std::max(counted.once.live, inStep) + counted.accumulators +
                 counted.inRegisters * schedule.walk->registers;
    ofAllSteps = behind * schedule.walk->registers;
  }
  // Stores, by way of shared memory where that puts neighbours side by side,
  // and what blocks move of their neighbours' sectors.
  double beside = 0;
  auto addBeside = [&](const StitchTensor &tensor) {
    double bytes = bytesOf(tensor),
           whole = wholeSectors(group, schedule, tensor),
           ofAccess = sectorsOfAccess(group, schedule, tensor);
    beside += bytes * (whole - 1);
    if (ofAccess <= whole)
      return;
    // Each block that has a tile of other axes does so again.
    for (unsigned axis = 0; axis < group.axes.size(); ++axis)
      if (group.components[axis] == tensor.component &&
          !llvm::is_contained(tensor.axes, axis))
        bytes *= countTiles(group, schedule, axis);
    beside += bytes * (ofAccess - whole);
  };
  llvm::for_each(group.inputs, addBeside);
  for (auto [tensor, space] :
       llvm::zip_equal(group.results, work.resultSpaces)) {
    int64_t steps = 1;
    if (passes.axis && llvm::is_contained(tensor.axes, *passes.axis))
      steps = schedule.countSteps();
    addBeside(tensor);
    if (countTurned(group, schedule, tensor)) {
      total.instructions += 4 * steps * counter.elementsIn(space);
      continue;
    }
    total.lines += steps * counter.accessOf(schedule, tensor, space).lines;
  }
  constexpr int64_t ownRegisters = 40; // addresses, coordinates, loads ahead
  cost.registers = total.live + ownRegisters;
  cost.sharedMemory =
      sharedToFit(group, schedule, passes, chip.sharedMemoryPerBlock);
  int64_t threads = schedule.warps * warpSize;
  // The same where there are no more to be had.
  constexpr int64_t slack = 8, promised = 4;
  if (cost.registers + std::max(cost.registers / slack, ofAllSteps) >
          chip.maxRegistersPerThread ||
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
      warpsByRegisters(cost.registers + cost.registers / promised + total.held,
                       chip) /
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
                                 total.lines}) *
               clock;
  StitchTraffic traffic = countTraffic(group, schedule, passes);
  double bytes = traffic.loaded + traffic.stored;
  // Rows that are too long for a block are read from DRAM again.
  double again = std::max(0.0, bytes - traffic.repeated - traffic.exchanged -
                                   traffic.beside - work.compulsoryBytes);
  // What blocks load again stays in the L1 beside what is touched once only
  // where that goes past it, and where there is room.
  if (schedule.streams) {
    int64_t own = 0;
    bool isPast = true;
    for (const StitchTensor &tensor : group.inputs)
      if (tensor.isRepeated)
        own += bytesOf(tensor);
      else
        isPast &= isStreamed(schedule, tensor);
    if (isPast &&
        own <= chip.sharedMemoryPerSM -
                   cost.blocksPerSM *
                       (cost.sharedMemory + int64_t(chip.sharedMemoryReserved)))
      bytes -= std::max<int64_t>(
          0, traffic.repeated - own * std::min<int64_t>(blocks, chip.numSMs));
  }
  cost.memory =
      std::max((work.compulsoryBytes + again) / chip.dramBytesPerSecond,
               (bytes + beside) / chip.l2BytesPerSecond);
  cost.traffic = (bytes + beside) / chip.l2BytesPerSecond;
  // What the busiest SM moves, however few of them have a block.
  double port =
      share * (bytes + beside) / blocks * clock / chip.l2BytesPerClockPerSM;
  cost.issue = std::max(cost.issue, port);
  // Blocks of an SM hide one another's dependent steps; a block that is alone
  // there leaves the memory idle while it computes.
  double busy = std::max({cost.memory, cost.issue, cost.latency});
  cost.total = chip.launchOverhead + chip.dramLatency +
               std::max(busy, std::max(cost.memory, port) +
                                  cost.latency / cost.blocksPerSM);
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
