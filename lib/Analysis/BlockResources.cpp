//===- BlockResources.cpp - What a block holds ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockResources.h"
#include "fusion/Analysis/PipelineModel.h"
#include "fusion/Analysis/SplitReduction.h"
#include "fusion/Target/Hardware.h"
#include "fusion/Target/ProductLayouts.h"
#include "fusion/Target/RegisterFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace fusion;
using llvm::ArrayRef;

/// Lanes that lie along a dimension that is lacking hold replicas (of an
/// accumulator's 32 lanes 8 lie along the rows and 4 along the columns), and so
/// do all warps along it.
int64_t fusion::countHolders(const Schedule &schedule,
                             const GroupTensor &tensor) {
  const ProductMapping &mapping = schedule.products[tensor.product];
  auto lacks = [&](unsigned axis) {
    return !llvm::is_contained(tensor.axes, axis);
  };
  int64_t rows = mapping.warps[0], columns = mapping.warps[1];
  if (tensor.role == TensorRole::Operand) {
    bool isFirst = mapping.isFirst(tensor.operandNumber);
    const Intrinsic &intrinsic = *mapping.intrinsic;
    bool lacksParallel = lacks(isFirst ? mapping.i1 : mapping.i2);
    int64_t distinct = (lacksParallel ? 1 : intrinsic.parallelLanes(isFirst)) *
                       (lacks(mapping.r1) ? 1 : intrinsic.reducedLanes);
    int64_t along = isFirst ? rows : columns, others = isFirst ? columns : rows;
    return kWarpSize / distinct * (lacksParallel ? along : 1) * others;
  }
  return (lacks(mapping.i1) ? 8 * rows : 1) *
         (lacks(mapping.i2) ? 4 * columns : 1);
}

namespace {

class RegisterCounter {
public:
  RegisterCounter(const GroupModel &group, const Schedule &schedule,
                  const KeptTiles &kept)
      : group(group), schedule(schedule), kept(kept) {}

  /// Registers of addresses and counters.
  struct Addressing {
    int64_t always; ///< the block's own, and those of its copies
    int64_t handed; ///< beside copies of its own: see BlockResources
  };
  /// Where one thread copies everything, by tensor maps, ptxas 13.0 allocates 6
  /// to 12 registers fewer (docs/measurements/hopper.md, "TMA loads").
  static Addressing addressing(const GroupModel &group,
                               const Schedule &schedule) {
    constexpr int64_t ofBlock = 40, byThreads = 12, inBulk = 6;
    bool isByThreads = false, isInBulk = false;
    for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
      if (tensor.role == TensorRole::Operand &&
          place.space == fuse::Space::Shared)
        (place.transport == fuse::Transport::Bulk ? isInBulk : isByThreads) =
            true;
    return {ofBlock + (isInBulk && !isByThreads ? inBulk : byThreads),
            isInBulk && isByThreads ? inBulk : 0};
  }

  /// Registers of a thread that hold a product's accumulator, or a value of
  /// `bytes` that is handed on.
  int64_t tileRegisters(unsigned number, int64_t bytes) const {
    const ProductMapping &mapping = schedule.products[number];
    int64_t i1 = schedule.tiles[mapping.i1] / mapping.warps[0];
    int64_t i2 = schedule.tiles[mapping.i2] / mapping.warps[1];
    return i1 * i2 / kWarpSize * bytes / 4;
  }

  /// Whether a value of which one tile is handed over passes through shared
  /// memory: who multiplies it takes the whole tile into registers at once, as
  /// the memory is needed for the next.
  bool isTakenWhole(unsigned tensor) const {
    return group.tensors[tensor].role == TensorRole::Intermediate &&
           schedule.places[tensor].space == fuse::Space::Shared &&
           !hasOwnBuffer(group, schedule, kept, tensor);
  }

  /// Registers of a thread for a tile of operand 0 or 1 of a product, as its
  /// intrinsic holds it: lanes of multiply-adds have replicas.
  int64_t operandRegisters(unsigned number, unsigned operand) const {
    const ProductMapping &mapping = schedule.products[number];
    bool isFirst = mapping.isFirst(operand);
    int64_t parallel = schedule.tiles[mapping.parallelAxis(operand)] /
                       mapping.warps[isFirst ? 0 : 1];
    return mapping.intrinsic->operandRegisters(isFirst, parallel) *
           (schedule.tiles[mapping.r1] / mapping.intrinsic->r1);
  }

  /// Registers that one instruction of a product asks of the launch.
  int64_t launchRegisters(unsigned number) const {
    const ProductMapping &mapping = schedule.products[number];
    int64_t columns = columnsOfInstruction(
        schedule.tiles[mapping.i2], mapping.warps[1],
        mapping.intrinsic->operandBits / 8);
    return mapping.intrinsic->launchRegisters(
        columns, !isMultipliedInPlace(group, schedule, number,
                                      mapping.swapped ? 1 : 0));
  }

  /// Registers of a product's fragments: of one step, and of what is taken
  /// whole.
  std::pair<std::array<BlockResources::PerProduct::Fragments, 2>, int64_t>
  fragmentRegisters(unsigned number) const {
    const ProductMapping &mapping = schedule.products[number];
    const Product &product = group.products[number];
    std::array<BlockResources::PerProduct::Fragments, 2> steps;
    int64_t whole = 0;
    for (unsigned operand : {0u, 1u}) {
      std::optional<unsigned> producer = product.producer[operand];
      if (mapping.intrinsic->readsShared()) {
        // Nothing of what it reads in place; what is computed, all of it.
        if (product.computed[operand])
          whole += mapping.intrinsic->operandRegisters(
                       /*isFirst=*/true,
                       schedule.tiles[mapping.i1] / mapping.warps[0]) *
                   (schedule.tiles[mapping.r1] / mapping.intrinsic->r1);
        continue;
      }
      if (producer && isTakenWhole(group.products[*producer].result)) {
        whole += operandRegisters(number, operand);
      } else {
        bool isFirst = mapping.isFirst(operand);
        steps[operand].registers = mapping.intrinsic->operandRegisters(
            isFirst, schedule.tiles[mapping.parallelAxis(operand)] /
                         mapping.warps[isFirst ? 0 : 1]);
        if (producer &&
            hasFragments(group, schedule, group.products[*producer].result))
          steps[operand].tensors.push_back(group.products[*producer].result);
      }
    }
    for (auto [index, tensor] : llvm::enumerate(group.tensors))
      if (tensor.role == TensorRole::Operand &&
          (tensor.product == number ||
           llvm::is_contained(tensor.sharedBy, number)) &&
          hasFragments(group, schedule, index) &&
          steps[tensor.operandNumber].registers > 0)
        steps[tensor.operandNumber].tensors.push_back(index);
    // What is made of an accumulator step by step keeps pace with the other.
    for (unsigned operand : {0u, 1u})
      if (steps[operand].tensors.empty())
        steps[operand].tensors = steps[1 - operand].tensors;
    return {std::move(steps), whole};
  }

  /// What a product holds in registers, and when.
  struct Lifetime {
    int64_t accumulator, value; ///< registers; 0 of a value that is elsewhere
    /// The outermost loop that hands over one tile after the other.
    const TilingNode *handsOver = nullptr;
  };

  llvm::SmallVector<Lifetime, 4> listLifetimes() const {
    llvm::SmallVector<Lifetime, 4> lifetimes(group.products.size());
    for (auto [number, product] : llvm::enumerate(group.products)) {
      Lifetime &own = lifetimes[number];
      own.accumulator =
          kept.accumulators[number].count * tileRegisters(number, 4);
      bool staysInRegisters =
          schedule.places[product.result].space == fuse::Space::Registers ||
          group.tensors[product.result].role == TensorRole::Result ||
          llvm::any_of(group.products, [number = number](const Product &home) {
            return llvm::is_contained(home.joined, number);
          });
      own.value = staysInRegisters
                      ? kept.values[product.result].count *
                            tileRegisters(number, bytesOf(product.result))
                      : 0;
      const TreePosition &at = *kept.computes[product.result];
      for (const TilingNode *loop : kept.handOvers[number].loops)
        if (!llvm::is_contained(at.loops, loop)) {
          own.handsOver = loop;
          break;
        }
    }
    return lifetimes;
  }

  /// What lives in registers at a statement, such as the computation of product
  /// `number`: accumulators from the start of their outermost reduction to
  /// their hand-over, values from there to their last use.
  int64_t liveRegisters(const TreePosition &at, std::optional<unsigned> number,
                        ArrayRef<Lifetime> lifetimes) const {
    auto isInside = [&](const TilingNode *loop) {
      return loop && llvm::is_contained(at.loops, loop);
    };
    int64_t live = 0;
    for (auto [other, lifetime] : llvm::enumerate(lifetimes)) {
      unsigned result = group.products[other].result;
      const HandOver &handOver = kept.handOvers[other];
      if (other == number || isInside(kept.reductions[other]) ||
          isInside(lifetime.handsOver) ||
          (kept.computes[result]->order < at.order &&
           at.order < handOver.order))
        live += lifetime.accumulator;
      if (lifetime.value && at.order <= kept.lastUses[result] &&
          (handOver.order < at.order || isInside(kept.makers[result])))
        live += lifetime.value;
    }
    // What is loaded straight into registers and kept.
    for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
      if (!kept.loads[index] || !kept.values[index].isKept() ||
          schedule.places[index].space == fuse::Space::Shared)
        continue;
      if (kept.loads[index]->order < at.order &&
          at.order <= kept.lastUses[index])
        live += kept.values[index].count *
                llvm::divideCeil(tileElements(tensor.axes) *
                                     countHolders(schedule, tensor) *
                                     tensor.elementBytes,
                                 4 * kWarpSize * schedule.warps);
    }
    return live;
  }

  /// Tiles of arrays in registers that a product's computation is unrolled for:
  /// its own accumulators and values, and those that it multiplies. ptxas loads
  /// all fragments of the next iteration's tile ahead.
  int64_t unrolledIterations(unsigned number) const {
    int64_t count = kept.accumulators[number].count;
    auto add = [&](unsigned value) {
      if (schedule.places[value].space == fuse::Space::Registers)
        count = std::max(count, kept.values[value].count);
    };
    add(group.products[number].result);
    for (std::optional<unsigned> producer : group.products[number].producer)
      if (producer)
        add(group.products[*producer].result);
    return count;
  }

  /// Values of rows: of each reduction one, in every thread that holds an
  /// element of the row, and one of the reference where it may stay behind.
  int64_t rowRegisters() const {
    int64_t count = 0;
    for (unsigned number = 0; number < group.reductions.size(); ++number) {
      const Reduction &reduction = group.reductions[number];
      const ProductMapping &mapping = schedule.products[reduction.product];
      if (reduction.reduced.size() > 1) {
        ++count;
        continue;
      }
      bool hasReference =
          schedule.rescale > 0 &&
          llvm::any_of(group.online, [&](const OnlineAxis &online) {
            return llvm::is_contained(online.references, number) &&
                   runsOnline(group, kept, online.axis);
          });
      int64_t values = hasReference ? 2 : 1;
      bool alongColumns =
          reduction.pass
              ? mapping.isFirst(group.passes[*reduction.pass].operandNumber)
              : llvm::is_contained(reduction.reduced, mapping.i2);
      count +=
          values * (alongColumns
                        ? schedule.tiles[mapping.i1] / mapping.warps[0] / 8
                        : schedule.tiles[mapping.i2] / mapping.warps[1] / 4);
    }
    return count;
  }

  /// What products multiply that run beside those of the next iteration.
  int64_t waitingRegisters() const {
    int64_t count = 0;
    for (auto [number, product] : llvm::enumerate(group.products)) {
      const ProductMapping &mapping = schedule.products[number];
      std::optional<unsigned> producer =
          product.producer[mapping.isFirst(0) ? 0 : 1];
      if (mapping.stages == 1 || !producer)
        continue;
      const GroupTensor &value =
          group.tensors[group.products[*producer].result];
      count += llvm::divideCeil(tileElements(value.axes) * value.elementBytes,
                                4 * kWarpSize * schedule.warps);
    }
    return count;
  }

  /// Loops of the block itself around the load of a tensor.
  int64_t loopsAround(unsigned tensor) const {
    return kept.loads[tensor]
               ? llvm::count_if(kept.loads[tensor]->loops,
                                [&](const TilingNode *loop) {
                                  return !schedule.isBlockAxis(loop->index);
                                })
               : 0;
  }

  /// Bytes that a thread loads of a tile at a time.
  int64_t unitBytes(unsigned number) const {
    const GroupTensor &tensor = group.tensors[number];
    int64_t copied = transportBytes(schedule.places[number].transport);
    return copied ? copied
                  : std::max<int64_t>(tensor.alignment, tensor.elementBytes);
  }
  /// How often.
  int64_t unitsPerThread(unsigned number) const {
    const GroupTensor &tensor = group.tensors[number];
    return llvm::divideCeil(tileElements(tensor.axes) * tensor.elementBytes,
                            unitBytes(number) * kWarpSize * schedule.warps);
  }

  /// Of what is read through windows in loops: where each row that a thread
  /// loads from lies, and how far along every dimension that the window leaves.
  int64_t windowRegisters() const {
    int64_t count = 0;
    for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
      if (!tensor.window || loopsAround(index) == 0)
        continue;
      const ProductMapping &mapping = schedule.products[tensor.product];
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

  /// Of a further stage of a buffer that is filled through a window by a loop
  /// in another one: its first loads' addresses, and the bytes that are there,
  /// do not change in the loop around and stay. Of what threads load
  /// themselves: the data, which waits in registers for its iteration.
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

  /// ptxas issues all loads between two products before it stores any of what
  /// they bring.
  void listLoads(ArrayRef<Lifetime> lifetimes, BlockResources &held) const {
    llvm::SmallVector<unsigned> loaded;
    for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
      const Placement &place = schedule.places[index];
      if (tensor.role == TensorRole::Operand && kept.loads[index] &&
          place.space == fuse::Space::Shared &&
          place.transport == fuse::Transport::Sync)
        loaded.push_back(index);
    }
    llvm::sort(loaded, [&](unsigned a, unsigned b) {
      return kept.loads[a]->order < kept.loads[b]->order;
    });
    const TreePosition *last = nullptr;
    for (unsigned index : loaded) {
      const TreePosition &at = *kept.loads[index];
      if (!last || last->loops != at.loops || computesBetween(*last, at))
        held.loads.push_back(
            {liveRegisters(at, /*number=*/std::nullopt, lifetimes), {}});
      held.loads.back().operands.push_back({index, dataRegisters(index)});
      last = &at;
    }
  }

  bool computesBetween(const TreePosition &from, const TreePosition &to) const {
    return llvm::any_of(group.products, [&](const Product &product) {
      unsigned order = kept.computes[product.result]->order;
      return from.order < order && order < to.order;
    });
  }

  /// What lives at each product and the fragments of one of its steps, and
  /// addresses.
  void list(BlockResources &held) const {
    for (BlockResources::Buffer &buffer : held.buffers)
      buffer.registersPerStage = stageRegisters(buffer.tensor);
    // They live through the whole nest, also while others are computed.
    auto [ofAddresses, handed] = addressing(group, schedule);
    held.always = ofAddresses + rowRegisters() + windowRegisters() +
                  waitingRegisters();
    held.handed = handed;
    llvm::SmallVector<Lifetime, 4> lifetimes = listLifetimes();
    for (unsigned number = 0; number < group.products.size(); ++number) {
      int64_t unrolled = unrolledIterations(number);
      const ProductMapping &mapping = schedule.products[number];
      int64_t steps = schedule.tiles[mapping.r1] / mapping.intrinsic->r1;
      auto [fragments, whole] = fragmentRegisters(number);
      const TreePosition &at = *kept.computes[group.products[number].result];
      held.products.push_back({liveRegisters(at, number, lifetimes) + whole,
                               std::move(fragments), unrolled > 1 ? steps : 0});
      held.atLaunch = std::max(held.atLaunch, launchRegisters(number));
    }
    listLoads(lifetimes, held);
    for (unsigned number = 0; number < group.passes.size(); ++number)
      held.passes = std::max(held.passes, passRegisters(number));
  }

  /// At a pass over rows: accumulators that it corrects, and a step of its
  /// operands, as it is loaded and as it is combined.
  int64_t passRegisters(unsigned number) const {
    const RowPass &pass = group.passes[number];
    const ProductMapping &mapping = schedule.products[pass.product];
    int64_t live = 0;
    if (kept.runsWithProduct[number])
      live = kept.accumulators[pass.product].count *
             tileRegisters(pass.product, 4);
    bool isFirst = mapping.isFirst(pass.operandNumber);
    int64_t parallel =
        schedule.tiles[mapping.parallelAxis(pass.operandNumber)] /
        mapping.warps[isFirst ? 0 : 1];
    int64_t combined = parallel * mapping.intrinsic->r1 / kWarpSize;
    return live + 2 * combined +
           pass.reads.size() *
               mapping.intrinsic->operandRegisters(isFirst, parallel);
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
  const KeptTiles &kept;
};

} // namespace

int64_t fusion::leastRegisters(const GroupModel &group,
                               const Schedule &schedule, const KeptTiles &kept,
                               unsigned warps) {
  int64_t most = 0;
  for (auto [mapping, slots] :
       llvm::zip_equal(schedule.products, kept.accumulators))
    most = std::max(most, slots.count * schedule.tiles[mapping.i1] *
                              schedule.tiles[mapping.i2] / (kWarpSize * warps));
  return RegisterCounter::addressing(group, schedule).always + most;
}

BlockResources fusion::listResources(const GroupModel &group,
                                     const Schedule &schedule,
                                     const KeptTiles &kept) {
  BlockResources held;
  listBuffers(group, schedule, kept, held);
  listRegisters(group, schedule, kept, held);
  return held;
}

void fusion::listRegisters(const GroupModel &group, const Schedule &schedule,
                           const KeptTiles &kept, BlockResources &held) {
  RegisterCounter(group, schedule, kept).list(held);
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
  for (const BlockResources::PerProduct &each : held.products) {
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

int64_t fusion::registersWithRoom(const Footprint &footprint,
                                  const ChipInfo &chip) {
  return std::min<int64_t>(
      chip.maxRegistersPerThread,
      static_cast<int64_t>(std::ceil(footprint.registers * kRegisterMargin)));
}

bool fusion::hasRegisterRoom(const Schedule &schedule,
                             const Footprint &footprint, const ChipInfo &chip) {
  auto fits = [](int64_t needed, int64_t most) {
    return needed * kRegisterMargin <= most;
  };
  if (!fits(footprint.registers, registersByWarps(schedule.warps, chip)))
    return false;
  // Producers leave less than that. What is multiplied in place has no
  // fragments that ptxas would load ahead, and does with what it is counted for.
  bool isInPlace = llvm::all_of(schedule.products, [](const auto &product) {
    return product.intrinsic->readsShared();
  });
  return isInPlace || fits(footprint.registers,
                           mostRegisters(schedule, schedule.warps, chip));
}
