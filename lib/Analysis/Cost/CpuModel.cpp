//===- CpuModel.cpp - Predicted time on the cores of a CPU ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/CpuModel.h"
#include "fusion/Analysis/Cost/CpuTraffic.h"
#include "fusion/Analysis/Schedules/RetainedTiles.h"
#include "fusion/Target/Chips/RowBlocks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Cycles to enter and leave the loop of a micro-kernel: addresses, and a
/// branch that is mispredicted now and then.
static constexpr double kKernelStart = 12;
/// Cycles to begin a row of a loop over points.
static constexpr double kRowStart = 6;
/// Cycles to begin a block: its coordinates and the addresses of its tensors.
static constexpr double kBlockStart = 100;
/// Instructions that copy a vector: a load, and the address of its place.
static constexpr int64_t kInstructionsOfCopy = 5;
/// Instructions that copy a vector of a window: the place of each position, and
/// whether it is in the memory.
static constexpr int64_t kInstructionsOfWindow = 14;
/// Cycles to gather a vector of elements that are no neighbours and to store
/// it: a masked gather of eight elements takes 39 instructions of Zen 3
/// (uops.info).
static constexpr double kGatherCycles = 36;
/// Cycles to scatter an element.
static constexpr double kScatterCycles = 1;
/// The part of the resources that are not the busiest one that adds to the
/// time: prefetching and out-of-order execution hide the rest.
static constexpr double kExposed = 0.2;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static double loadsPerCycle(const CpuInfo &cpu) {
  return cpu.l1BytesPerCycle / cpu.vectorBytes;
}

double fusion::cyclesOfKernel(int64_t rows, int64_t vectors, int64_t depth,
                              const KernelOperands &operands,
                              const CpuInfo &cpu) {
  double sums = rows * vectors;
  double widening =
      vectors * operands.widensVector + rows * operands.widensElement;
  double units = operands.units ? operands.units : cpu.fmaUnits;
  double latency = operands.latency ? operands.latency : cpu.fmaLatency;
  double step =
      std::max({sums * operands.multiplyAdds / units,
                (rows + vectors) / loadsPerCycle(cpu), widening, latency});
  double steps = llvm::divideCeil(depth, operands.depthOfStep);
  // A store in a cycle, beside loads.
  return kKernelStart + latency + steps * step + sums;
}

double fusion::cyclesOfTile(int64_t rows, int64_t columns, int64_t depth,
                            const Intrinsic &intrinsic,
                            const KernelOperands &operands,
                            const CpuInfo &cpu) {
  int64_t lanes = cpu.vectorBytes / operands.accumulatorBytes;
  auto ofPanel = [&](int64_t vectors) {
    double cycles = 0;
    if (int64_t whole = rows / intrinsic.i1)
      cycles +=
          whole * cyclesOfKernel(intrinsic.i1, vectors, depth, operands, cpu);
    if (int64_t rest = rows % intrinsic.i1)
      cycles += cyclesOfKernel(rest, vectors, depth, operands, cpu);
    return cycles;
  };
  double cycles = 0;
  if (int64_t whole = columns / intrinsic.i2)
    cycles += whole * ofPanel(intrinsic.i2 / lanes);
  if (int64_t rest = columns % intrinsic.i2)
    cycles += ofPanel(llvm::divideCeil(rest, lanes));
  return cycles;
}

double fusion::cyclesOfRows(int64_t rows, int64_t columns, int64_t depth,
                            const KernelOperands &operands,
                            const CpuInfo &cpu) {
  // Adding the lanes of a vector takes some ten instructions.
  constexpr double kLaneSum = 4;
  RowBlock block = blockOfRows(rows, columns);
  double sums = block.rows * block.columns;
  double loads = block.rows + block.columns;
  double step = std::max(
      {sums * operands.multiplyAdds / cpu.fmaUnits, loads / loadsPerCycle(cpu),
       loads * operands.widensVector, double(cpu.fmaLatency)});
  double steps =
      llvm::divideCeil(depth, cpu.vectorBytes / operands.accumulatorBytes);
  double blocks = llvm::divideCeil(rows, block.rows) *
                  double(llvm::divideCeil(columns, block.columns));
  return blocks *
         (kKernelStart + cpu.fmaLatency + steps * step + sums * kLaneSum);
}

double fusion::cyclesOfPoints(double points, ScalarWork work,
                              const CpuInfo &cpu) {
  double instructions = work.plain + kSpecialInstructions * work.special + 1;
  return points / cpu.f32Lanes() * std::max(instructions / cpu.fmaUnits, 1.0);
}

double fusion::secondsOfCore(double cycles, ArrayRef<double> bytes,
                             int64_t active, const CpuInfo &cpu) {
  double memory =
      std::min(cpu.dramBytesPerSecondPerCore, cpu.dramBytesPerSecond / active);
  double parts[] = {
      cycles / cpu.clockHz, bytes[0] / (cpu.l2BytesPerCycle * cpu.clockHz),
      bytes[1] / (cpu.l3BytesPerCycle * cpu.clockHz), bytes[2] / memory};
  double longest = 0, all = 0;
  for (double part : parts) {
    longest = std::max(longest, part);
    all += part;
  }
  return longest + kExposed * (all - longest);
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

namespace {

/// Adds up the cycles of all blocks.
class ChainCycles {
public:
  ChainCycles(const GroupModel &group, const Schedule &schedule,
              const RetainedTiles &retained, ArrayRef<double> trips,
              const CpuInfo &cpu)
      : group(group), schedule(schedule), retained(retained), trips(trips),
        cpu(cpu) {}

  double run() {
    visit(schedule.tree);
    return cycles;
  }

private:
  void visit(const TilingTree &items);
  void addContraction(unsigned number);
  void addPoints(unsigned number);
  double executions(ArrayRef<unsigned> without) const;
  double elementsOf(unsigned tensor) const;
  bool canTranspose(const GroupTensor &tensor, unsigned dense,
                    unsigned other) const;
  void addCopy(unsigned tensor, double elements, bool isTransposed,
               unsigned inner, unsigned outer);
  bool isAround(unsigned axis) const { return llvm::is_contained(loops, axis); }

  const GroupModel &group;
  const Schedule &schedule;
  const RetainedTiles &retained;
  ArrayRef<double> trips;
  const CpuInfo &cpu;
  SmallVector<unsigned, 8> loops; ///< around the statement
  double cycles = 0;
};

} // namespace

/// Returns how often the loops around a statement execute it, without loops
/// over `without`.
double ChainCycles::executions(ArrayRef<unsigned> without) const {
  double count = 1;
  for (unsigned axis : loops)
    if (!llvm::is_contained(without, axis))
      count *= trips[axis];
  return count;
}

/// Returns the elements of a tensor that a statement's executions visit. Its
/// tiles partition each axis.
double ChainCycles::elementsOf(unsigned tensor) const {
  const GroupTensor &info = group.tensors[tensor];
  double count = executions(info.axes);
  for (unsigned axis : info.axes) {
    double extent = group.axes[axis].extent, tile = schedule.tiles[axis];
    count *= isAround(axis) ? std::min(extent, trips[axis] * tile)
                            : std::min(extent, tile);
  }
  return count;
}

/// Returns the tiles of an axis by their sizes, and how many there are.
static SmallVector<std::pair<int64_t, double>, 2>
tilesOf(const Axis &axis, int64_t tile, double trips) {
  if (tile >= axis.extent)
    return {{axis.extent, 1}};
  int64_t whole = axis.extent / tile, rest = axis.extent % tile;
  // A loop that masks shorten visits some of them.
  double share = trips / (whole + (rest != 0));
  SmallVector<std::pair<int64_t, double>, 2> sizes{{tile, whole * share}};
  if (rest)
    sizes.push_back({rest, share});
  return sizes;
}

/// Returns the cycles that widen a vector of elements of `bytes`, and one
/// element that is then broadcast.
static std::pair<double, double> widening(unsigned bytes, MultiplicandType type,
                                          unsigned accumulatorBytes) {
  if (bytes >= accumulatorBytes)
    return {0, 0};
  // Elements pass through an integer register. f16 is then converted, bf16
  // shifted. Measured on Zen 3.
  if (type == MultiplicandType::F16)
    return {0.5, 3.5};
  return {1, 1.7};
}

void ChainCycles::addContraction(unsigned number) {
  const Contraction &contraction = group.contractions[number];
  const ContractionMapping &mapping = schedule.contractions[number];
  KernelOperands operands;
  MultiplicandType type = contraction.type.value_or(MultiplicandType::F32);
  operands.accumulatorBytes = type == MultiplicandType::F64 ? 8 : 4;
  bool isOfRows = cpuOperand(group, schedule, number, /*isLhs=*/false).isOfRows;
  bool isOfDots = mapping.intrinsic->multipliesDots() && !isOfRows;
  if (isOfDots) {
    bool isBf16 = type == MultiplicandType::BF16;
    operands.depthOfStep = mapping.intrinsic->r1;
    operands.units = isBf16 ? cpu.bf16DotUnits : cpu.s8DotUnits;
    operands.latency = isBf16 ? cpu.bf16DotLatency : cpu.s8DotLatency;
  } else if (type == MultiplicandType::S8) {
    operands.multiplyAdds = 2;
  }
  for (bool isLhs : {true, false}) {
    CpuOperand operand = cpuOperand(group, schedule, number, isLhs);
    unsigned inner = isLhs ? mapping.r1 : mapping.i2,
             outer = isLhs ? mapping.i1 : mapping.r1;
    auto widen = [&](unsigned tensor) {
      if (isOfDots)
        return;
      auto [vector, element] = widening(group.tensors[tensor].elementBytes,
                                        type, operands.accumulatorBytes);
      (isLhs ? operands.widensElement : operands.widensVector) =
          isLhs ? element : vector;
    };
    for (unsigned tensor : operand.tensors) {
      if (operand.isCopiedLate)
        addCopy(tensor, elementsOf(tensor), operand.isTransposed, inner, outer);
      if (!operand.isCopied)
        widen(tensor);
    }
    // Several tiles are retained with the elements of the tensor, one tile with
    // those of accumulators.
    if (operand.producer && !operand.isCopied) {
      unsigned tensor = group.contractions[*operand.producer].result;
      if (retained.values[tensor].isRetained())
        widen(tensor);
    }
    if (operand.producer && operand.isCopiedLate)
      addCopy(group.contractions[*operand.producer].result,
              elementsOf(group.contractions[*operand.producer].result),
              operand.isTransposed, inner, outer);
  }
  unsigned axes[] = {mapping.i1, mapping.i2, mapping.r1};
  double others = executions(axes);
  SmallVector<std::pair<int64_t, double>, 2> sizes[3];
  for (auto [axis, own] : llvm::zip_equal(axes, sizes))
    own = tilesOf(group.axes[axis], schedule.tiles[axis], trips[axis]);
  for (auto [rows, rowTiles] : sizes[0])
    for (auto [columns, columnTiles] : sizes[1])
      for (auto [depth, depthTiles] : sizes[2])
        cycles += others * rowTiles * columnTiles * depthTiles *
                  (isOfRows ? cyclesOfRows(rows, columns, depth, operands, cpu)
                            : cyclesOfTile(rows, columns, depth,
                                           *mapping.intrinsic, operands, cpu));
  addPoints(number);
}

/// Adds the element-wise operators and reductions behind a contraction, and the
/// loop that stores a result.
void ChainCycles::addPoints(unsigned number) {
  const Contraction &contraction = group.contractions[number];
  const ContractionMapping &mapping = schedule.contractions[number];
  const GroupTensor &result = group.tensors[contraction.result];
  SmallVector<unsigned, 8> inside(result.axes.begin(), result.axes.end());
  llvm::append_range(inside, contraction.reduction);
  double points = executions(inside);
  for (unsigned axis : result.axes)
    points *= isAround(axis)
                  ? std::min<double>(group.axes[axis].extent,
                                     trips[axis] * schedule.tiles[axis])
                  : group.axes[axis].extent;
  ScalarWork work = contraction.perPoint;
  double rescaled = 0;
  for (const OnlineAxis &online : group.online) {
    if (!runsOnline(group, retained, online.axis))
      continue;
    for (const auto &[deferring, later] : online.deferred)
      if (deferring == number)
        work += later * -1;
    if (llvm::is_contained(online.corrected, number))
      rescaled +=
          points * executions(result.axes) / std::max(1.0, executions(inside));
  }
  bool isResult = result.role == TensorRole::Result;
  if (isResult || work.plain > 0 || work.special > 0) {
    double rows = points / std::min<int64_t>(schedule.tiles[mapping.i2],
                                             group.axes[mapping.i2].extent);
    cycles += cyclesOfPoints(points, work, cpu) +
              cyclesOfPoints(rows, contraction.perRow, cpu) + rows * kRowStart;
  }
  if (rescaled > 0)
    cycles += cyclesOfPoints(rescaled, {1, 0}, cpu);
  if (isResult && !isDenseAlong(result, mapping.i2))
    cycles += canTranspose(result, mapping.i1, mapping.i2)
                  ? points / cpu.f32Lanes() * kTransposeCycles
                  : points * kScatterCycles;
}

/// Returns whether vectors of a window are neighbours in memory: channels of
/// one position.
static bool hasNeighbours(const TensorWindow &window, int64_t lanes) {
  return llvm::any_of(window.indices.back().digits,
                      [&](const TensorWindow::Digit &digit) {
                        return digit.coefficient == 1 && digit.divisor == 1 &&
                               digit.count % lanes == 0;
                      });
}

/// Returns whether blocks of a tile can be transposed in registers: the tensor
/// is dense along `dense`, and each axis of a block has a vector of elements.
bool ChainCycles::canTranspose(const GroupTensor &tensor, unsigned dense,
                               unsigned other) const {
  auto isVector = [&](unsigned axis) {
    return std::min(schedule.tiles[axis], group.axes[axis].extent) >=
           int64_t(cpu.f32Lanes());
  };
  return (tensor.role == TensorRole::Intermediate ||
          isDenseAlong(tensor, dense)) &&
         isVector(dense) && isVector(other);
}

void ChainCycles::addCopy(unsigned tensor, double elements, bool isTransposed,
                          unsigned inner, unsigned outer) {
  const GroupTensor &info = group.tensors[tensor];
  if (info.window && hasNeighbours(*info.window, cpu.f32Lanes()))
    cycles += cyclesOfPoints(elements, {kInstructionsOfWindow, 0}, cpu);
  else if (isTransposed || info.window)
    cycles +=
        elements / cpu.f32Lanes() *
        (!info.window && canTranspose(info, outer, inner) ? kTransposeCycles
                                                          : kGatherCycles);
  else
    cycles += cyclesOfPoints(elements, {kInstructionsOfCopy, 0}, cpu);
}

void ChainCycles::visit(const TilingTree &items) {
  for (const TilingNode &item : items) {
    if (item.isLoop()) {
      loops.push_back(item.index);
      visit(item.children);
      loops.pop_back();
      continue;
    }
    const GroupTensor &tensor = group.tensors[item.index];
    if (item.kind == TilingNode::Kind::Compute) {
      if (tensor.role != TensorRole::Rows) {
        addContraction(tensor.contraction);
        continue;
      }
      for (const RowStatistics &pass : group.rowStatistics)
        if (pass.rows == item.index)
          for (unsigned read : pass.reads)
            cycles += cyclesOfPoints(elementsOf(read), pass.perPoint, cpu);
      continue;
    }
    if (item.kind == TilingNode::Kind::Load &&
        schedule.places[item.index].space == fuse::Space::Packed) {
      const ContractionMapping &mapping =
          schedule.contractions[tensor.contraction];
      bool isLhs = (tensor.operandNumber == 0) != mapping.swapped;
      CpuOperand operand =
          cpuOperand(group, schedule, tensor.contraction, isLhs);
      if (tensor.role == TensorRole::Operand && !operand.isCopiedLate)
        addCopy(item.index, elementsOf(item.index), operand.isTransposed,
                isLhs ? mapping.r1 : mapping.i2,
                isLhs ? mapping.i1 : mapping.r1);
    }
  }
}

Cost fusion::predictCpu(const GroupModel &group, const Schedule &schedule,
                        const Footprint &footprint, const ChipInfo &chip) {
  const CpuInfo &cpu = *chip.cpu;
  Cost cost;
  cost.isOfCpu = true;
  RetainedTiles retained;
  if (analyzeRetainedTiles(group, schedule, retained))
    return cost;
  SmallVector<double, 8> trips(retained.trips.begin(), retained.trips.end());
  if (footprint.shortened)
    trips[footprint.shortened->axis] = footprint.shortened->average;
  int64_t blocks = std::max<int64_t>(1, footprint.blocks);
  int64_t active = std::min<int64_t>(cpu.cores, blocks);
  cost.blocksPerSM = cost.residentBlocks = 1;
  cost.waves = llvm::divideCeil(blocks, active);
  double share = double(cost.waves) / blocks; // of the busiest core
  double cycles =
      ChainCycles(group, schedule, retained, trips, cpu).run() * share +
      cost.waves * kBlockStart;
  CpuTraffic traffic = countCpuTraffic(group, schedule, retained, trips, cpu);
  double bytes[] = {traffic.intoL1 * share, traffic.intoL2 * share,
                    traffic.intoL3 * share};
  cost.compute = cycles / cpu.clockHz;
  cost.shared = bytes[0] / (cpu.l2BytesPerCycle * cpu.clockHz);
  cost.l2 = bytes[1] / (cpu.l3BytesPerCycle * cpu.clockHz);
  cost.dramBytes = traffic.intoL3;
  cost.dram = bytes[2] / std::min(cpu.dramBytesPerSecondPerCore,
                                  cpu.dramBytesPerSecond / active);
  cost.launch = active > 1 ? cpu.forkJoinSeconds : 0;
  cost.total = cost.launch + secondsOfCore(cycles, bytes, active, cpu);
  return cost;
}
