//===- StitchThreads.cpp - What a thread of a stitched group does ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchThreads.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace fusion;

int64_t fusion::countRun(const StitchGroup &group, const StitchTensor &tensor,
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

constexpr int64_t lineBytes = 128;

double fusion::linesOfAccess(const StitchGroup &group,
                             const StitchSchedule &schedule,
                             const StitchTensor &tensor, int64_t width) {
  // Each access moves a part of a wider vector, and leaves gaps.
  int64_t lanes = 1, gap = 1;
  for (unsigned axis : tensor.axes)
    lanes *= schedule.threadMapping[axis].lanes;
  if (tensor.unit)
    gap = std::max<int64_t>(1, schedule.threadMapping[*tensor.unit].vector /
                                   width);
  if (tensor.isGathered) {
    if (!tensor.gatheredRun)
      return lanes;
    const AxisThreadMapping &mapping =
        schedule.threadMapping[*tensor.gatheredRun];
    int64_t bytes = mapping.vector * mapping.lanes * tensor.elementBytes;
    return std::min<double>(
        lanes, lanes / mapping.lanes *
                   (1 + double(bytes - tensor.elementBytes) / lineBytes));
  }
  int64_t span = lanes * width * gap;
  int64_t run = std::min(span, countRun(group, tensor, [&](unsigned axis) {
                           const AxisThreadMapping &mapping =
                               schedule.threadMapping[axis];
                           return mapping.vector * mapping.lanes;
                         }));
  int64_t bytes = std::max<int64_t>(lineBytes, width * tensor.elementBytes);
  double lines = llvm::divideCeil(run * tensor.elementBytes, lineBytes);
  // Runs of misaligned rows begin at any place in a line that their alignment
  // allows.
  if (int64_t alignment = alignmentOf(schedule, tensor);
      tensor.alignment < kWidestAccess &&
      alignment <= run * tensor.elementBytes)
    lines = 1 + double(run * tensor.elementBytes - alignment) / lineBytes;
  return std::min<double>(lanes * (bytes / lineBytes),
                          llvm::divideCeil(span, run) * lines);
}

/// Returns the instructions that shift a misaligned vector of `bytes` bytes
/// into place. Each of its words comes from the next lane, moves by one power
/// of two of words after the other, and then by parts of a word.
static int64_t movesOf(int64_t bytes) {
  int64_t words = bytes / 4, moves = 2 * words;
  for (int64_t step = words / 2; step > 0; step /= 2)
    moves += 2 * words - step;
  return moves;
}

TileAccess TileAccess::of(const StitchGroup &group,
                          const StitchSchedule &schedule,
                          const StitchTensor &tensor, int64_t elements) {
  int64_t width =
      std::min(accessWidth(schedule, tensor),
               tensor.unit ? schedule.threadMapping[*tensor.unit].vector : 1);
  int64_t wide = misalignedAccessWidth(group, schedule, tensor);
  width = std::max(width, wide);
  TileAccess access;
  access.count = std::max<int64_t>(1, elements / width);
  access.lines = access.count * linesOfAccess(group, schedule, tensor, width);
  constexpr int64_t addressRegisters = 2, registerBytes = 4;
  if (isShifted(schedule, tensor))
    access.held = access.count * addressRegisters;
  if (wide > 1) {
    int64_t bytes = width * tensor.elementBytes;
    access.moves = access.count * movesOf(bytes);
    // The last lane of a warp's run loads the vector behind the run.
    access.behind =
        llvm::divideCeil(access.count * width *
                             schedule.threadMapping[*tensor.unit].lanes,
                         misalignedRun(schedule, tensor)) *
        bytes / registerBytes;
    access.held += access.behind;
    access.places = access.count;
    // The vector, the one behind it, their address, and by how much they are
    // off.
    access.moving = 2 * bytes / registerBytes + addressRegisters + 1;
  }
  return access;
}

TileAccess TileAccess::ofStores(const StitchGroup &group,
                                const StitchSchedule &schedule,
                                const StitchTensor &tensor, int64_t elements) {
  TileAccess access = of(group, schedule, tensor, elements);
  if (int64_t width = misalignedAccessWidth(group, schedule, tensor); width > 1)
    access.lines *=
        1 + accessesOfEnds(schedule.threadMapping[*tensor.unit].lanes, width) *
                width / misalignedRun(schedule, tensor);
  return access;
}

void ThreadCounter::shareOut(const StitchSchedule &schedule) {
  const StitchPasses &passes = work.passesOf(schedule);
  for (const StitchComposition &entry : schedule.compositions)
    shared[entry.op] = {countEvaluated(group, schedule, entry.op),
                        countExchange(group, schedule, passes, entry.op)};
  for (unsigned input = 0; input < group.inputs.size(); ++input) {
    std::optional<unsigned> reader =
        sharedReaderOf(group, schedule, passes, input);
    if (!reader)
      continue;
    const StitchTensor &tensor = group.inputs[input];
    int64_t width = tensor.unit
                        ? std::min(accessWidth(schedule, tensor),
                                   schedule.threadMapping[*tensor.unit].vector)
                        : 1;
    TileAccess &access = accesses[input] = {};
    access.count =
        llvm::divideCeil(shared[*reader].points, std::max<int64_t>(1, width));
    access.lines = access.count * linesOfAccess(group, schedule, tensor, width);
  }
}

StitchSteps::Passes StitchSteps::count(const StitchGroup &group,
                                       const StitchWork &work,
                                       const StitchPasses &passes) const {
  Passes result;
  result.of = &passes;
  // ptxas computes conversions to wider types once for several passes, and
  // keeps the wide values. For a single pass, values are held unconverted.
  constexpr unsigned wide = 4;
  auto bytesHeld = [&](unsigned number, unsigned bytes,
                       SmallVector<unsigned> StitchPasses::Step::*list) {
    auto readers = llvm::count_if(passes.steps, [&](const auto &step) {
      return llvm::is_contained(step.*list, number);
    });
    return readers > 1 ? std::max(bytes, wide) : bytes;
  };
  ThreadWork ends;
  SmallVector<unsigned> operators, inputs;
  for (unsigned op = 0; op < group.operators().size(); ++op) {
    const StitchWork::Operator &entry = work.operators[op];
    bool isReducing = passes.reducesAxis(op);
    if (!passes.isSerial[op])
      operators.push_back(op);
    else if (isReducing)
      counter.addExchange(entry, ends);
    // Next to a sum there may be a running mean.
    if (isReducing)
      result.accumulators +=
          counter.elementsIn(entry.space) * (passes.isCentre[op] ? 2 : 1);
    if (passes.isPart[op])
      result.parts += counter.elementsIn(entry.space);
    if (passes.isRetained[op]) {
      result.words += counter.registersOf(entry.resultSpace, entry.bytes);
      result.inRegisters += counter.registersOf(
          entry.resultSpace,
          bytesHeld(op, entry.bytes, &StitchPasses::Step::retained));
    }
  }
  for (unsigned input = 0; input < group.inputs.size(); ++input) {
    if (!passes.isSerialInput[input])
      inputs.push_back(input);
    if (!passes.isRetainedInput[input])
      continue;
    unsigned bytes = group.inputs[input].elementBytes,
             space = work.inputSpaces[input];
    result.words += counter.registersOf(space, bytes);
    result.inRegisters += counter.registersOf(
        space, bytesHeld(input, bytes, &StitchPasses::Step::retainedInputs));
  }
  // Values from before the steps that the steps read stay in registers.
  llvm::SmallSet<unsigned, 8> taken, takenInputs;
  for (auto [op, sources] : llvm::enumerate(group.sources)) {
    if (!passes.isSerial[op])
      continue;
    for (unsigned source : sources.operators)
      if (!passes.isSerial[source] && taken.insert(source).second)
        result.outside +=
            counter.registersOf(work.operators[source].resultSpace,
                                std::max(work.operators[source].bytes, wide));
    for (unsigned input : sources.inputs)
      if (!passes.isSerialInput[input] && takenInputs.insert(input).second)
        result.outside += counter.registersOf(work.inputSpaces[input],
                                              group.inputs[input].elementBytes);
  }
  result.once = counter.count(operators, inputs, passes.axis);
  result.once.instructions += ends.instructions;
  result.once.exchanges += ends.exchanges;
  result.once.shuffles += ends.shuffles;
  result.once.shared += ends.shared;
  if (!passes.axis)
    return result;
  llvm::SmallSet<unsigned, 32> computed;
  for (unsigned number = 0; number < passes.count; ++number) {
    const StitchPasses::Step &step = passes.steps[number],
                             &again = passes.stepsAgain[number];
    Pass &pass = result.passes.emplace_back();
    pass.step = counter.count(step.operators, step.inputs, passes.axis);
    pass.again = counter.count(again.operators, again.inputs, passes.axis);
    for (unsigned op : step.operators)
      if (!computed.insert(op).second)
        counter.addWork(op, pass.repeated);
    for (unsigned op : step.operators) {
      if ((!passes.factors[op] && !passes.centres[op]) ||
          !passes.reducesAxis(op))
        continue;
      int64_t points = counter.elementsIn(work.operators[op].space);
      ScalarWork correction = passes.correctionWork(op) * points;
      pass.corrections.instructions += correction.plain;
      pass.corrections.special += correction.special;
      // The reference before and after, and the factor.
      pass.corrected = std::max(pass.corrected, 3 * points);
    }
    for (unsigned input : step.inputs)
      if (!passes.isRetainedInput[input])
        pass.ahead += counter.registersOf(work.inputSpaces[input],
                                          group.inputs[input].elementBytes);
  }
  return result;
}
