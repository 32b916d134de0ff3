//===- CpuStitchCost.cpp - Time of a stitched group on a CPU --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A core evaluates its tile by loops over the elements: a nest for each
// reduction that others wait for, and one for the results. Each nest loads what
// it needs. It finds the inputs of the nest before in L1 or L2 if the block's
// tiles fit there.
//
//===----------------------------------------------------------------------===//

#include "CpuStitchCost.h"
#include "StitchSectors.h"
#include "fusion/Analysis/Cost/CpuModel.h"
#include "fusion/Analysis/Cost/CpuTraffic.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchTraffic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace fusion;

/// Cycles to begin a block, and a row of a nest of loops.
static constexpr double kBlockStart = 100, kRowStart = 6;
/// Cycles of an element that has no neighbour in a vector, and of one whose
/// neighbour is on another page.
static constexpr double kElementAccess = 2, kPageAccess = 10;

namespace {

class CpuStitchPrediction {
public:
  CpuStitchPrediction(const StitchGroup &group, const StitchWork &work,
                      const StitchSchedule &schedule, const ChipInfo &chip)
      : group(group), work(work), schedule(schedule),
        passes(work.passesOf(schedule)), cpu(*chip.cpu) {}

  StitchCost predict();

private:
  int64_t tileOf(unsigned axis) const {
    return std::min(schedule.stepOf(axis).tile, group.axes[axis].extent);
  }
  double blocksOf(unsigned component) const {
    return countBlocks(group, schedule, component);
  }
  /// The elements of a tile, in whole vectors along its last axis.
  double pointsOf(ArrayRef<unsigned> axes) const;
  double rowsOf(ArrayRef<unsigned> axes) const;
  double bytesOfTile(const StitchTensor &tensor) const;
  double stepsOf(unsigned component) const;
  double cyclesOfElement(const StitchTensor &tensor, bool isStored) const;
  void addOperators();
  void addTensors();

  const StitchGroup &group;
  const StitchWork &work;
  const StitchSchedule &schedule;
  const StitchPasses &passes;
  const CpuInfo &cpu;
  double cycles = 0, bytes[3] = {0, 0, 0}; ///< of all blocks
};

} // namespace

double CpuStitchPrediction::pointsOf(ArrayRef<unsigned> axes) const {
  if (axes.empty())
    return 1;
  SmallVector<unsigned, 4> sorted(axes);
  llvm::sort(sorted);
  double points = 1;
  for (unsigned axis : sorted)
    points *= axis == sorted.back()
                  ? llvm::alignTo(tileOf(axis), cpu.f32Lanes())
                  : tileOf(axis);
  return points;
}

double CpuStitchPrediction::rowsOf(ArrayRef<unsigned> axes) const {
  double rows = 1;
  unsigned last = axes.empty() ? 0 : *llvm::max_element(axes);
  for (unsigned axis : axes)
    if (axis != last)
      rows *= tileOf(axis);
  return rows;
}

/// Returns the bytes of whole lines of a tensor that a block touches at a time.
double CpuStitchPrediction::bytesOfTile(const StitchTensor &tensor) const {
  double own = tensor.elementBytes;
  for (unsigned axis : tensor.axes) {
    double tile = tileOf(axis);
    if (tensor.unit == axis && tile < group.axes[axis].extent) {
      double line = double(cpu.lineBytes) / tensor.elementBytes;
      tile = std::ceil(tile / line) * line;
    }
    own *= tile;
  }
  return own;
}

/// Returns the steps of a block's loops over axes of a component.
double CpuStitchPrediction::stepsOf(unsigned component) const {
  const auto &loop = schedule.serialLoop;
  return loop && group.components[loop->axis] == component
             ? schedule.countSteps()
             : 1;
}

/// Returns the cycles of a load or a store, by the distance of neighbours along
/// the last axis of the tile.
double CpuStitchPrediction::cyclesOfElement(const StitchTensor &tensor,
                                            bool isStored) const {
  // Two loads in a cycle, and a store.
  double ofVector =
      (isStored ? 1 : cpu.vectorBytes / cpu.l1BytesPerCycle) / cpu.f32Lanes();
  if (tensor.isGathered)
    return kElementAccess;
  if (tensor.axes.empty())
    return ofVector;
  unsigned last = 0;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    if (group.components[axis] == tensor.component && tileOf(axis) > 1)
      last = axis;
  const unsigned *found = llvm::find(tensor.axes, last);
  if (found == tensor.axes.end() || tensor.unit == last)
    return ofVector;
  // Blocks are transposed in registers.
  if (tensor.unit && tileOf(*tensor.unit) >= cpu.f32Lanes() &&
      tileOf(last) >= cpu.f32Lanes())
    return kTransposeCycles / cpu.f32Lanes();
  int64_t stride = tensor.strides[found - tensor.axes.begin()];
  return std::abs(stride) * tensor.elementBytes >= kPageBytes ? kPageAccess
                                                              : kElementAccess;
}

void CpuStitchPrediction::addOperators() {
  for (const StitchPasses::Step &step : passes.steps)
    for (unsigned op : step.operators) {
      const StitchWork::Operator &own = work.operators[op];
      unsigned component = group.componentOf(op);
      double times = blocksOf(component) * stepsOf(component);
      double instructions =
          own.work.plain + kSpecialInstructions * own.work.special;
      cycles += times * pointsOf(own.axes) / cpu.f32Lanes() * instructions /
                cpu.fmaUnits;
      // A reduction ends a nest.
      if (group.reductions[op])
        cycles += times * rowsOf(own.axes) * kRowStart;
    }
}

void CpuStitchPrediction::addTensors() {
  // Nests of a block over the same elements: one after each reduction that
  // others wait for.
  double nests = passes.axis ? 1 : 1 + work.chained;
  SmallVector<double, 4> held(
      blocksOf(0) > 0 ? 1 + *llvm::max_element(group.components) : 1, 0);
  for (const StitchTensor &tensor : group.inputs)
    held[tensor.component] += bytesOfTile(tensor);
  for (const StitchTensor &tensor : group.results)
    held[tensor.component] += bytesOfTile(tensor);
  auto add = [&](const StitchTensor &tensor, bool isStored) {
    double blocks = blocksOf(tensor.component) * stepsOf(tensor.component);
    double elements = pointsOf(tensor.axes) * blocks;
    double visits = isStored ? 1 : nests;
    if (!isStored && passes.axis) {
      visits = 0;
      for (const StitchPasses::Step &step : passes.stepsAgain)
        visits += llvm::is_contained(step.inputs,
                                     unsigned(&tensor - group.inputs.data()));
      if (passes.stepsAgain.empty() || visits == 0)
        visits = 1;
    }
    cycles += elements * visits * cyclesOfElement(tensor, isStored);
    if (isStored && isEvictFirst(schedule, tensor)) { // non-temporal
      bytes[2] += double(bytesOf(tensor));
      return;
    }
    // A stored line is read before, and written back.
    double once = bytesOfTile(tensor) * blocks * (isStored ? 2 : 1);
    double own = held[tensor.component];
    bool isSerial = passes.axis.has_value();
    bytes[0] += once * (own > cpu.l1Bytes || isSerial ? visits : 1);
    // Rows of gains stay in L2 from block to block.
    double ofL2 = once * (own > cpu.l2Bytes || isSerial ? visits : 1);
    if (tensor.isRepeated && own <= cpu.l2Bytes)
      ofL2 = std::min(ofL2, double(bytesOf(tensor)) * cpu.cores);
    bytes[1] += ofL2;
    double whole = double(bytesOf(tensor)) * (isStored ? 2 : 1);
    bytes[2] += whole * shareInDram(bytesOf(tensor), cpu) *
                (isSerial && held[tensor.component] * schedule.countSteps() >
                                 double(cpu.l3Bytes) / cpu.cores
                     ? visits
                     : 1);
  };
  for (const StitchTensor &tensor : group.inputs)
    add(tensor, /*isStored=*/false);
  for (const StitchTensor &tensor : group.results)
    add(tensor, /*isStored=*/true);
}

StitchCost CpuStitchPrediction::predict() {
  addOperators();
  addTensors();
  int64_t blocks = std::max<int64_t>(1, countBlocks(group, schedule));
  int64_t active = std::min<int64_t>(blocks, cpu.cores);
  StitchCost cost;
  cost.blocksPerSM = cost.promisedBlocks = 1;
  cost.waves = llvm::divideCeil(blocks, active);
  double share = double(cost.waves) / blocks; // of the busiest core
  double ofCore = cycles * share + cost.waves * kBlockStart;
  double moved[] = {bytes[0] * share, bytes[1] * share, bytes[2] * share};
  cost.instructions = ofCore;
  cost.issue = ofCore / cpu.clockHz;
  cost.traffic = moved[1] / (cpu.l3BytesPerCycle * cpu.clockHz);
  cost.memory = moved[2] / std::min(cpu.dramBytesPerSecondPerCore,
                                    cpu.dramBytesPerSecond / active);
  cost.compulsory = work.compulsoryBytes;
  cost.moved = std::max(bytes[2], cost.compulsory);
  cost.sectors = bytes[1] / cpu.lineBytes;
  cost.total = (active > 1 ? cpu.forkJoinSeconds : 0) +
               secondsOfCore(ofCore, moved, active, cpu);
  return cost;
}

StitchCost fusion::predictStitchingCpu(const StitchGroup &group,
                                       const StitchWork &work,
                                       const StitchSchedule &schedule,
                                       const ChipInfo &chip) {
  return CpuStitchPrediction(group, work, schedule, chip).predict();
}
