//===- BlockResources.cpp - What a block holds ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Resources/BlockResources.h"
#include "fusion/Analysis/Schedules/AccumulatorMemo.h"
#include "fusion/Analysis/Schedules/Forwarding.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/RegisterFile.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace fusion;
using llvm::ArrayRef;

/// Lanes and warps along a dimension that the tensor lacks hold replicas. The
/// 32 lanes of an accumulator are 8 along the rows times 4 along the columns.
int64_t fusion::countHolders(const Schedule &schedule,
                             const GroupTensor &tensor) {
  const ContractionMapping &mapping = schedule.contractions[tensor.contraction];
  auto lacks = [&](unsigned axis) {
    return !llvm::is_contained(tensor.axes, axis);
  };
  int64_t rows = mapping.warps[0], columns = mapping.warps[1];
  if (tensor.role == TensorRole::Operand) {
    bool isOperandA = mapping.isOperandA(tensor.operandNumber);
    const Intrinsic &intrinsic = *mapping.intrinsic;
    bool lacksParallel = lacks(isOperandA ? mapping.i1 : mapping.i2);
    int64_t distinct =
        (lacksParallel ? 1 : intrinsic.parallelLanes(isOperandA)) *
        (lacks(mapping.r1) ? 1 : intrinsic.reducedLanes);
    int64_t along = isOperandA ? rows : columns,
            others = isOperandA ? columns : rows;
    return kWarpSize / distinct * (lacksParallel ? along : 1) * others;
  }
  return (lacks(mapping.i1) ? 8 * rows : 1) *
         (lacks(mapping.i2) ? 4 * columns : 1);
}

namespace {

class RegisterCounter {
public:
  RegisterCounter(const GroupModel &group, const Schedule &schedule,
                  const RetainedTiles &retained)
      : group(group), schedule(schedule), retained(retained) {}

  /// Registers of addresses and counters.
  struct Addressing {
    int64_t always; ///< the block's own, and those of its copies
    int64_t handed; ///< of producers' stages: see BlockResources
  };
  /// Returns the registers of addresses and counters. Where one thread issues
  /// all copies, through tensor maps, ptxas 13.0 allocates 6 to 12 registers
  /// fewer (docs/measurements/hopper.md, "TMA loads").
  static Addressing addressing(const GroupModel &group,
                               const Schedule &schedule) {
    constexpr int64_t ofBlock = 40, byThreads = 12, usesTMA = 6;
    bool isByThreads = false, isTMA = false;
    for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
      if (tensor.role == TensorRole::Operand &&
          place.space == fuse::Space::Shared)
        (place.transport == fuse::Transport::TMA ? isTMA : isByThreads) = true;
    return {ofBlock + (isTMA && !isByThreads ? usesTMA : byThreads),
            isTMA && isByThreads ? usesTMA : 0};
  }

  /// Returns the registers of a thread for a tile of a contraction's
  /// accumulator or value, whose elements have `bytes` bytes.
  int64_t tileRegisters(unsigned number, int64_t bytes) const {
    const ContractionMapping &mapping = schedule.contractions[number];
    int64_t i1 = schedule.tiles[mapping.i1] / mapping.warps[0];
    int64_t i2 = schedule.tiles[mapping.i2] / mapping.warps[1];
    return i1 * i2 / kWarpSize * bytes / 4;
  }

  /// Whether an intermediate passes through shared memory one tile at a time.
  /// Its consumer then loads the whole tile into registers at once, as the next
  /// tile needs the memory.
  bool isTakenWhole(unsigned tensor) const {
    return group.tensors[tensor].role == TensorRole::Intermediate &&
           schedule.places[tensor].space == fuse::Space::Shared &&
           !hasOwnBuffer(group, schedule, retained, tensor);
  }

  /// Returns the registers of a thread for a tile of operand 0 or 1 of a
  /// contraction, as its intrinsic holds it. Lanes of multiply-adds hold
  /// replicas.
  int64_t operandRegisters(unsigned number, unsigned operand) const {
    const ContractionMapping &mapping = schedule.contractions[number];
    bool isOperandA = mapping.isOperandA(operand);
    int64_t parallel = schedule.tiles[mapping.parallelAxis(operand)] /
                       mapping.warps[isOperandA ? 0 : 1];
    return mapping.intrinsic->operandRegisters(isOperandA, parallel) *
           (schedule.tiles[mapping.r1] / mapping.intrinsic->r1);
  }

  /// Returns the registers that one instruction of a contraction needs at
  /// launch.
  int64_t launchRegisters(unsigned number) const {
    const ContractionMapping &mapping = schedule.contractions[number];
    int64_t columns =
        instructionColumns(schedule.tiles[mapping.i2], mapping.warps[1],
                           mapping.intrinsic->operandBits / 8);
    return mapping.intrinsic->launchRegisters(
        columns,
        !isReadFromShared(group, schedule, number, mapping.swapped ? 1 : 0));
  }

  /// Returns the registers of a contraction's fragments: by operand, for one
  /// step, and in total for operands that are loaded whole.
  std::pair<std::array<BlockResources::PerContraction::Fragments, 2>, int64_t>
  fragmentRegisters(unsigned number) const {
    const ContractionMapping &mapping = schedule.contractions[number];
    const Contraction &contraction = group.contractions[number];
    std::array<BlockResources::PerContraction::Fragments, 2> steps;
    int64_t whole = 0;
    for (unsigned operand : {0u, 1u}) {
      std::optional<unsigned> producer = contraction.producer[operand];
      if (mapping.intrinsic->readsShared()) {
        // An operand that is read in place needs no registers, one that is
        // computed needs them for its whole tile.
        if (contraction.computed[operand])
          whole += mapping.intrinsic->operandRegisters(
                       /*isOperandA=*/true,
                       schedule.tiles[mapping.i1] / mapping.warps[0]) *
                   (schedule.tiles[mapping.r1] / mapping.intrinsic->r1);
        continue;
      }
      if (producer && isTakenWhole(group.contractions[*producer].result)) {
        whole += operandRegisters(number, operand);
      } else {
        bool isOperandA = mapping.isOperandA(operand);
        steps[operand].registers = mapping.intrinsic->operandRegisters(
            isOperandA, schedule.tiles[mapping.parallelAxis(operand)] /
                            mapping.warps[isOperandA ? 0 : 1]);
        if (producer &&
            hasFragments(group, schedule, group.contractions[*producer].result))
          steps[operand].tensors.push_back(
              group.contractions[*producer].result);
      }
    }
    for (auto [index, tensor] : llvm::enumerate(group.tensors))
      if (tensor.isOperandOf(number, tensor.operandNumber) &&
          hasFragments(group, schedule, index) &&
          steps[tensor.operandNumber].registers > 0)
        steps[tensor.operandNumber].tensors.push_back(index);
    // Fragments that are computed from an accumulator, step by step, have the
    // stages of the other operand's.
    for (unsigned operand : {0u, 1u})
      if (steps[operand].tensors.empty())
        steps[operand].tensors = steps[1 - operand].tensors;
    return {std::move(steps), whole};
  }

  /// What a contraction holds in registers, and when.
  struct Lifetime {
    int64_t accumulator, value; ///< registers; a value that is elsewhere has 0
    /// The outermost loop of the intermediate epilogue that is not around the
    /// computation. Each iteration passes on one tile.
    const TilingNode *forwards = nullptr;
  };

  llvm::SmallVector<Lifetime, 4> listLifetimes() const {
    llvm::SmallVector<Lifetime, 4> lifetimes(group.contractions.size());
    for (auto [number, contraction] : llvm::enumerate(group.contractions)) {
      Lifetime &own = lifetimes[number];
      own.accumulator =
          retained.accumulators[number].count * tileRegisters(number, 4);
      bool isForwardedInRegisters =
          schedule.places[contraction.result].space == fuse::Space::Registers ||
          group.tensors[contraction.result].role == TensorRole::Result ||
          llvm::any_of(group.contractions,
                       [number = number](const Contraction &home) {
                         return llvm::is_contained(home.joined, number);
                       });
      own.value = isForwardedInRegisters
                      ? retained.values[contraction.result].count *
                            tileRegisters(number, bytesOf(contraction.result))
                      : 0;
      const TreePosition &at = *retained.computes[contraction.result];
      for (const TilingNode *loop :
           retained.intermediateEpilogues[number].loops)
        if (!llvm::is_contained(at.loops, loop)) {
          own.forwards = loop;
          break;
        }
    }
    return lifetimes;
  }

  /// Returns the registers that are live at a statement, such as the
  /// computation of contraction `number`. Accumulators live from the start of
  /// their outermost reduction to their intermediate epilogue, values from
  /// there to their last use.
  int64_t liveRegisters(const TreePosition &at, std::optional<unsigned> number,
                        ArrayRef<Lifetime> lifetimes) const {
    auto isInside = [&](const TilingNode *loop) {
      return loop && llvm::is_contained(at.loops, loop);
    };
    int64_t live = 0;
    for (auto [other, lifetime] : llvm::enumerate(lifetimes)) {
      unsigned result = group.contractions[other].result;
      const IntermediateEpilogue &epilogue =
          retained.intermediateEpilogues[other];
      if (other == number || isInside(retained.reductions[other]) ||
          isInside(lifetime.forwards) ||
          (retained.computes[result]->order < at.order &&
           at.order < epilogue.order))
        live += lifetime.accumulator;
      if (lifetime.value && at.order <= retained.lastUses[result] &&
          (epilogue.order < at.order || isInside(retained.makers[result])))
        live += lifetime.value;
    }
    // Tensors that are loaded directly into registers and retained.
    for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
      if (!retained.loads[index] || !retained.values[index].isRetained() ||
          schedule.places[index].space == fuse::Space::Shared)
        continue;
      if (retained.loads[index]->order < at.order &&
          at.order <= retained.lastUses[index])
        live += retained.values[index].count *
                llvm::divideCeil(tileElements(tensor.axes) *
                                     countHolders(schedule, tensor) *
                                     tensor.elementBytes,
                                 4 * kWarpSize * schedule.warps);
    }
    return live;
  }

  /// Returns the tiles of arrays in registers for which a contraction's
  /// computation is unrolled: its own accumulators and values, and its
  /// operands. The compiler, ptxas, loads all fragments of the next iteration's
  /// tile early.
  int64_t unrolledIterations(unsigned number) const {
    int64_t count = retained.accumulators[number].count;
    auto add = [&](unsigned value) {
      if (schedule.places[value].space == fuse::Space::Registers)
        count = std::max(count, retained.values[value].count);
    };
    add(group.contractions[number].result);
    for (std::optional<unsigned> producer : group.contractions[number].producer)
      if (producer)
        add(group.contractions[*producer].result);
    return count;
  }

  /// Returns the registers for values of rows. Every thread that holds an
  /// element of a row has one register for each reduction. Conditional
  /// rescaling needs one more, for the reference.
  int64_t rowRegisters() const {
    int64_t count = 0;
    for (unsigned number = 0; number < group.reductions.size(); ++number) {
      const Reduction &reduction = group.reductions[number];
      const ContractionMapping &mapping =
          schedule.contractions[reduction.contraction];
      if (reduction.reduced.size() > 1) {
        ++count;
        continue;
      }
      bool hasReference =
          schedule.rescaleThreshold > 0 &&
          llvm::any_of(group.online, [&](const OnlineAxis &online) {
            return llvm::is_contained(online.references, number) &&
                   runsOnline(group, retained, online.axis);
          });
      int64_t values = hasReference ? 2 : 1;
      bool alongColumns =
          reduction.pass
              ? mapping.isOperandA(
                    group.rowStatistics[*reduction.pass].operandNumber)
              : llvm::is_contained(reduction.reduced, mapping.i2);
      count +=
          values * (alongColumns
                        ? schedule.tiles[mapping.i1] / mapping.warps[0] / 8
                        : schedule.tiles[mapping.i2] / mapping.warps[1] / 4);
    }
    return count;
  }

  /// Returns the registers of operands of contractions that overlap with the
  /// next iteration.
  int64_t waitingRegisters() const {
    int64_t count = 0;
    for (auto [number, contraction] : llvm::enumerate(group.contractions)) {
      const ContractionMapping &mapping = schedule.contractions[number];
      std::optional<unsigned> producer =
          contraction.producer[mapping.isOperandA(0) ? 0 : 1];
      if (mapping.stages == 1 || !producer)
        continue;
      const GroupTensor &value =
          group.tensors[group.contractions[*producer].result];
      count += llvm::divideCeil(tileElements(value.axes) * value.elementBytes,
                                4 * kWarpSize * schedule.warps);
    }
    return count;
  }

  /// Returns how many loops of the block itself, not of the grid, are around
  /// the load of a tensor.
  int64_t loopsAround(unsigned tensor) const {
    return retained.loads[tensor]
               ? llvm::count_if(retained.loads[tensor]->loops,
                                [&](const TilingNode *loop) {
                                  return !schedule.isBlockAxis(loop->index);
                                })
               : 0;
  }

  /// Returns the bytes of one load, by one thread, of a tile.
  int64_t unitBytes(unsigned number) const {
    const GroupTensor &tensor = group.tensors[number];
    int64_t copied = transportBytes(schedule.places[number].transport);
    return copied ? copied
                  : std::max<int64_t>(tensor.alignment, tensor.elementBytes);
  }
  /// Returns how many loads of `unitBytes` bytes each thread issues for a tile.
  int64_t unitsPerThread(unsigned number) const {
    const GroupTensor &tensor = group.tensors[number];
    return llvm::divideCeil(tileElements(tensor.axes) * tensor.elementBytes,
                            unitBytes(number) * kWarpSize * schedule.warps);
  }

  /// Returns the registers of loads through windows in loops: the address of
  /// each row that a thread loads from, and the position along every dimension
  /// that the window leaves.
  int64_t windowRegisters() const {
    int64_t count = 0;
    for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
      if (!tensor.window || loopsAround(index) == 0)
        continue;
      const ContractionMapping &mapping =
          schedule.contractions[tensor.contraction];
      unsigned row = mapping.parallelAxis(tensor.operandNumber);
      int64_t perRow = 1;
      for (const TensorWindow::Index &each : tensor.window->indices)
        perRow +=
            each.leaves() && llvm::any_of(each.digits, [&](const auto &digit) {
              return digit.axis == row && digit.count > 1;
            });
      count += perRow * unitsPerThread(index);
    }
    return count;
  }

  /// Returns the registers of one more stage of a buffer. If a loop inside of
  /// another one fills it through a window, its first loads keep their
  /// addresses and byte counts in registers. These do not change in the outer
  /// loop. If threads load the buffer, the data waits in registers for its
  /// iteration.
  int64_t stageRegisters(unsigned number) const {
    int64_t count = 0;
    if (group.tensors[number].window && loopsAround(number) > 1)
      count += 3 * unitsPerThread(number);
    if (schedule.places[number].transport == fuse::Transport::Sync)
      count += dataRegisters(number);
    return count;
  }
  int64_t dataRegisters(unsigned number) const {
    return unitsPerThread(number) *
           llvm::divideCeil(unitBytes(number), int64_t(4));
  }

  /// Lists the loads that threads issue. ptxas issues all loads between two
  /// contractions before it stores any of the loaded data.
  void listLoads(ArrayRef<Lifetime> lifetimes, BlockResources &held) const {
    llvm::SmallVector<unsigned> loaded;
    for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
      const Placement &place = schedule.places[index];
      if (tensor.role == TensorRole::Operand && retained.loads[index] &&
          place.space == fuse::Space::Shared &&
          place.transport == fuse::Transport::Sync)
        loaded.push_back(index);
    }
    llvm::sort(loaded, [&](unsigned a, unsigned b) {
      return retained.loads[a]->order < retained.loads[b]->order;
    });
    const TreePosition *last = nullptr;
    for (unsigned index : loaded) {
      const TreePosition &at = *retained.loads[index];
      if (!last || last->loops != at.loops || computesBetween(*last, at))
        held.loads.push_back(
            {liveRegisters(at, /*number=*/std::nullopt, lifetimes), {}});
      held.loads.back().operands.push_back({index, dataRegisters(index)});
      last = &at;
    }
  }

  bool computesBetween(const TreePosition &from, const TreePosition &to) const {
    return llvm::any_of(
        group.contractions, [&](const Contraction &contraction) {
          unsigned order = retained.computes[contraction.result]->order;
          return from.order < order && order < to.order;
        });
  }

  /// Lists the registers that live at each contraction, those of one step's
  /// fragments, and those of addresses.
  void list(BlockResources &held) const {
    for (BlockResources::Buffer &buffer : held.buffers)
      buffer.registersPerStage = stageRegisters(buffer.tensor);
    // These live through the whole nest, whatever is computed.
    auto [ofAddresses, handed] = addressing(group, schedule);
    held.always =
        ofAddresses + rowRegisters() + windowRegisters() + waitingRegisters();
    held.handed = handed;
    llvm::SmallVector<Lifetime, 4> lifetimes = listLifetimes();
    for (unsigned number = 0; number < group.contractions.size(); ++number) {
      int64_t unrolled = unrolledIterations(number);
      const ContractionMapping &mapping = schedule.contractions[number];
      int64_t steps = schedule.tiles[mapping.r1] / mapping.intrinsic->r1;
      auto [fragments, whole] = fragmentRegisters(number);
      const TreePosition &at =
          *retained.computes[group.contractions[number].result];
      held.contractions.push_back({liveRegisters(at, number, lifetimes) + whole,
                                   std::move(fragments),
                                   unrolled > 1 ? steps : 0});
      held.atLaunch = std::max(held.atLaunch, launchRegisters(number));
    }
    listLoads(lifetimes, held);
    for (unsigned number = 0; number < group.rowStatistics.size(); ++number)
      held.passes = std::max(held.passes, passRegisters(number));
  }

  /// Returns the registers of row statistics: accumulators that they rescale,
  /// and one step of their operands, as loaded and as combined.
  int64_t passRegisters(unsigned number) const {
    const RowStatistics &pass = group.rowStatistics[number];
    const ContractionMapping &mapping = schedule.contractions[pass.contraction];
    int64_t live = 0;
    if (retained.runsWithContraction[number])
      live = retained.accumulators[pass.contraction].count *
             tileRegisters(pass.contraction, 4);
    bool isOperandA = mapping.isOperandA(pass.operandNumber);
    int64_t parallel =
        schedule.tiles[mapping.parallelAxis(pass.operandNumber)] /
        mapping.warps[isOperandA ? 0 : 1];
    int64_t combined = parallel * mapping.intrinsic->r1 / kWarpSize;
    return live + 2 * combined +
           pass.reads.size() *
               mapping.intrinsic->operandRegisters(isOperandA, parallel);
  }

private:
  int64_t bytesOf(unsigned tensor) const {
    return movedElementBytes(group, schedule, tensor);
  }

  int64_t tileElements(ArrayRef<unsigned> axes) const {
    int64_t count = 1;
    for (unsigned axis : axes)
      count *= schedule.tiles[axis];
    return count;
  }

  const GroupModel &group;
  const Schedule &schedule;
  const RetainedTiles &retained;
};

} // namespace

int64_t fusion::minRegisters(const GroupModel &group, const Schedule &schedule,
                             const RetainedTiles &retained, unsigned warps) {
  int64_t most = 0;
  for (auto [mapping, slots] :
       llvm::zip_equal(schedule.contractions, retained.accumulators))
    most = std::max(most, slots.count * schedule.tiles[mapping.i1] *
                              schedule.tiles[mapping.i2] / (kWarpSize * warps));
  return RegisterCounter::addressing(group, schedule).always + most;
}

BlockResources fusion::listResources(const GroupModel &group,
                                     const Schedule &schedule,
                                     const RetainedTiles &retained) {
  BlockResources held;
  AccumulatorMemo accumulators;
  listBuffers(group, schedule, retained, accumulators, held);
  listRegisters(group, schedule, retained, held);
  return held;
}

void fusion::listRegisters(const GroupModel &group, const Schedule &schedule,
                           const RetainedTiles &retained,
                           BlockResources &held) {
  RegisterCounter(group, schedule, retained).list(held);
}

void fusion::countResources(const BlockResources &held,
                            const Schedule &schedule, Footprint &footprint) {
  footprint.sharedMemory = countBuffers(held, schedule);
  int64_t registers =
              held.always + (schedule.producerWarps > 0 ? held.handed : 0),
          most = held.passes;
  for (const BlockResources::Buffer &buffer : held.buffers)
    registers +=
        buffer.registersPerStage * (schedule.places[buffer.tensor].stages - 1);
  for (const BlockResources::PerContraction &each : held.contractions) {
    int64_t own = each.live;
    for (const auto &operand : each.operands) {
      unsigned stages = 1;
      for (unsigned tensor : operand.tensors)
        stages = std::max(stages, schedule.places[tensor].registerStages);
      own += operand.registers * (stages + each.ahead);
    }
    most = std::max(most, own);
  }
  for (const BlockResources::Loads &each : held.loads) {
    int64_t own = each.live;
    for (auto [tensor, data] : each.operands)
      if (schedule.places[tensor].stages == 1)
        own += data;
    most = std::max(most, own);
  }
  footprint.atLaunch = held.atLaunch;
  footprint.registers = std::max(registers + most, held.atLaunch);
}
