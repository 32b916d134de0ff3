//===- Footprint.cpp - What a schedule moves and occupies
//---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Footprint.h"
#include "fusion/Analysis/MaskedTiles.h"
#include "fusion/Analysis/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

MemoryTile fusion::getMemoryTile(const GroupTensor &tensor, unsigned axis0,
                                 unsigned axis1) {
  auto position = [&](unsigned axis) {
    return llvm::find(tensor.axes, axis) - tensor.axes.begin();
  };
  if (position(axis0) > position(axis1))
    std::swap(axis0, axis1);
  return {axis0, axis1, tensor.axes.back() == axis1};
}

bool fusion::isSharedByNeighbours(const GroupModel &group,
                                  const Schedule &schedule, unsigned tensor) {
  return !schedule.blocks.empty() &&
         !group.indexes(tensor, schedule.blocks.back());
}

namespace {

/// Walks the tree once, adding up what its statements do.
class Walker {
public:
  Walker(const GroupModel &group, const Schedule &schedule,
         const KeptTiles &kept)
      : group(group), schedule(schedule), kept(kept) {
    for (auto [index, axis] : llvm::enumerate(group.axes))
      trips.push_back(tripCount(axis, schedule.tiles[index]));
    if ((split = schedule.splitAxis()))
      parts = schedule.splitOf(*split);
    shortened = shortenedLoop(group, schedule);
    if (shortened)
      visited = listVisitedTiles(group, schedule, *shortened);
  }

  Footprint run() {
    for (unsigned axis : schedule.blocks)
      result.blocks *= trips[axis];
    result.blocks *= parts;
    for (auto [index, tensor] : llvm::enumerate(group.tensors))
      if (tensor.role != TensorRole::Intermediate &&
          !isCombined(group, schedule, index))
        result.compulsoryBytes +=
            movedElements(group, schedule, index) * bytesOf(index);
    if (shortened)
      addShortened();
    result.compulsoryBytes += partialRowBytes(group, schedule);
    result.globalStoreBytes += partialRowBytes(group, schedule);
    visit(schedule.tree);
    addSharedMemory();
    addRegisters();
    return result;
  }

private:
  int64_t bytesOf(unsigned tensor) const {
    return movedElementBytes(group, schedule, tensor);
  }

  /// How often all parts of a split axis together do what stands outside of the
  /// axis's loop; inside, their ranges add up to the axis.
  int64_t partsOutside() const {
    return split && !llvm::is_contained(loops, *split) ? parts : 1;
  }

  /// Bytes moved by a statement on the tensor: each tile once per iteration of
  /// the loops around it. Tiles partition an axis, so clipped extents add up to
  /// the axis.
  int64_t movedBytes(unsigned index) const {
    const GroupTensor &tensor = group.tensors[index];
    int64_t count = movedElements(group, schedule, index) * bytesOf(index);
    for (unsigned axis : loops)
      if (!llvm::is_contained(tensor.axes, axis))
        count *= trips[axis];
    bool hasParts = tensor.role == TensorRole::Result ||
                    (split && llvm::is_contained(tensor.axes, *split));
    count = shorten(count, tensor.axes);
    return hasParts ? count : count * partsOutside();
  }

  /// Iterations of the loops around a statement but those over `except`.
  int64_t enclosingTrips(ArrayRef<unsigned> except = {}) const {
    int64_t count = partsOutside();
    bool isShortened = shortened.has_value();
    for (unsigned axis : loops) {
      if (!llvm::is_contained(except, axis))
        count *= trips[axis];
      else if (isShortened && axis == shortened->masked->axis)
        isShortened = false;
    }
    return isShortened ? shorten(count, {}) : count;
  }

  /// `count` is a product over the tiles of loops: of those over `axes` the
  /// elements, of others the number. Where the loop that leaves out tiles is
  /// among them, what is left of it.
  int64_t shorten(int64_t count, ArrayRef<unsigned> axes) const {
    if (!shortened || !llvm::is_contained(loops, shortened->masked->axis))
      return count;
    auto sizeOf = [&](unsigned axis) {
      return llvm::is_contained(axes, axis) ? group.axes[axis].extent
                                            : trips[axis];
    };
    unsigned masked = shortened->masked->axis;
    int64_t all = sizeOf(masked), left = 0;
    for (unsigned other : shortened->others)
      all *= sizeOf(other);
    bool isIndexed = llvm::is_contained(axes, masked);
    for (const VisitedTiles &tiles : visited) {
      int64_t part = isIndexed ? tiles.covered : tiles.iterations;
      for (auto [other, extent] :
           llvm::zip_equal(shortened->others, tiles.extents))
        if (llvm::is_contained(axes, other))
          part *= extent;
      left += part;
    }
    return count / all * left;
  }

  void addShortened() {
    Footprint::Shortened loop{shortened->masked->axis, 0, 0};
    for (const VisitedTiles &tiles : visited) {
      loop.average += static_cast<double>(tiles.iterations) / visited.size();
      loop.most = std::max(loop.most, tiles.iterations);
    }
    result.shortened = loop;
  }

  int64_t tileElements(ArrayRef<unsigned> axes) const {
    int64_t count = 1;
    for (unsigned axis : axes)
      count *= schedule.tiles[axis];
    return count;
  }

  /// How many threads hold each element of a tensor that is loaded straight
  /// into registers: lanes along the dimension it lacks (of a fragment's 32
  /// lanes, 8 lie along the rows of its first operand and accumulator and 4
  /// along the columns; along the columns of its second operand 8, along its
  /// rows 4), and warps.
  int64_t replication(const GroupTensor &tensor) const {
    const ProductMapping &mapping = schedule.products[tensor.product];
    auto lacks = [&](unsigned axis) {
      return !llvm::is_contained(tensor.axes, axis);
    };
    int64_t rows = mapping.warps[0], columns = mapping.warps[1];
    if (tensor.role == TensorRole::Operand) {
      if (mapping.isFirst(tensor.operandNumber))
        return (lacks(mapping.i1) ? 8 * rows : 1) *
               (lacks(mapping.r1) ? 4 : 1) * columns;
      return (lacks(mapping.i2) ? 8 * columns : 1) *
             (lacks(mapping.r1) ? 4 : 1) * rows;
    }
    return (lacks(mapping.i1) ? 8 * rows : 1) *
           (lacks(mapping.i2) ? 4 * columns : 1);
  }

  void visit(const TilingTree &items) {
    for (const TilingNode &node : items) {
      if (node.isLoop()) {
        loops.push_back(node.index);
        visit(node.children);
        loops.pop_back();
        continue;
      }
      const GroupTensor &tensor = group.tensors[node.index];
      switch (node.kind) {
      case TilingNode::Kind::Load: {
        if (isCombined(group, schedule, node.index))
          break;
        int64_t bytes = movedBytes(node.index);
        bool isShared =
            schedule.places[node.index].space == fuse::Space::Shared;
        result.globalLoadBytes +=
            isShared ? bytes : bytes * replication(tensor);
        if (isShared)
          result.sharedTraffic += bytes;
        if (isShared && isSharedByNeighbours(group, schedule, node.index))
          result.neighbourBytes += bytes;
        break;
      }
      case TilingNode::Kind::Store: {
        if (isCombined(group, schedule, node.index))
          break;
        // Of blocks that all compute the same rows the first one stores them.
        int64_t bytes = tensor.role == TensorRole::Statistic
                            ? movedElements(group, schedule, node.index) *
                                  tensor.elementBytes
                            : movedBytes(node.index);
        result.globalStoreBytes += bytes;
        if (schedule.places[node.index].space == fuse::Space::Shared)
          result.sharedTraffic += 2 * bytes;
        break;
      }
      case TilingNode::Kind::Compute:
        visitProduct(tensor.product);
        break;
      case TilingNode::Kind::Loop:
        break;
      }
    }
  }

  void visitProduct(unsigned number) {
    const Product &product = group.products[number];
    const ProductMapping &mapping = schedule.products[number];
    int64_t count = enclosingTrips(),
            completed = enclosingTrips(product.reduction);
    int64_t i1 = schedule.tiles[mapping.i1], i2 = schedule.tiles[mapping.i2],
            r1 = schedule.tiles[mapping.r1];
    result.mmaFlops += 2 * i1 * i2 * r1 * count;
    bool isPartial =
        split && group.tensors[product.result].role == TensorRole::Result;
    if (!isPartial)
      result.otherFlops += i1 * i2 * product.flopsPerPoint * completed;
    // Sums so far are multiplied in each iteration of the axis.
    for (const OnlineAxis &online : group.online)
      if (llvm::is_contained(online.corrected, number) &&
          sequentialTrips(group, schedule, online.axis) > 1)
        result.otherFlops += i1 * i2 * count;
    // Every warp reads its rows of one operand and its columns of the other.
    result.sharedTraffic +=
        2 * r1 * (i1 * mapping.warps[1] + i2 * mapping.warps[0]) * count;
    int64_t steps = 1, completions = 1;
    for (unsigned axis : loops) {
      if (schedule.isBlockAxis(axis))
        continue;
      int64_t iterations = sequentialTrips(group, schedule, axis);
      if (result.shortened && result.shortened->axis == axis)
        iterations = std::ceil(result.shortened->average);
      steps *= iterations;
      if (!llvm::is_contained(product.reduction, axis))
        completions *= iterations;
    }
    // One barrier before the tiles are overwritten, one before they are read.
    result.serialLoads += steps;
    result.barriers += 2 * steps;
    const GroupTensor &value = group.tensors[product.result];
    bool isShared =
        schedule.places[product.result].space == fuse::Space::Shared;
    if (!isShared)
      return;
    result.barriers += 2 * completions;
    if (value.role != TensorRole::Intermediate)
      return;
    // Stored once, loaded by every warp that multiplies it.
    int64_t tile = i1 * i2 * value.elementBytes * completed;
    int64_t readers = 1;
    for (auto [index, consumer] : llvm::enumerate(group.products))
      for (unsigned operand : {0u, 1u})
        if (consumer.producer[operand] == number)
          readers =
              schedule.products[index]
                  .warps[schedule.products[index].isFirst(operand) ? 1 : 0];
    result.sharedTraffic += tile * (1 + readers);
  }

  static int64_t alignBuffer(int64_t bytes) {
    return llvm::alignTo(bytes, 128);
  }

  /// Whether stores end the block, so that the result can take the place of the
  /// operands' buffers.
  bool storesEndBlock() const {
    const TilingTree *items = &schedule.tree;
    while (items->size() == 1 && items->front().isLoop() &&
           schedule.isBlockAxis(items->front().index))
      items = &items->front().children;
    return findFinalStores(*items, schedule).has_value();
  }

  /// Operands' buffers, with their stages or slots, and those of kept
  /// intermediates live for the whole loop nest. Beside them lives, one at a
  /// time, what passes through shared memory: an intermediate that is handed
  /// over and the result where it is stored inside of a loop.
  void addSharedMemory() {
    int64_t buffers = 0, handedOver = 0, staging = 0;
    for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
      const Placement &place = schedule.places[index];
      if (place.space != fuse::Space::Shared)
        continue;
      int64_t tile = tileElements(tensor.axes) * bytesOf(index);
      int64_t slots = kept.values[index].count;
      if (tensor.role == TensorRole::Result)
        staging = alignBuffer(tile);
      else if (tensor.role == TensorRole::Intermediate && slots == 1)
        handedOver = std::max(handedOver, alignBuffer(tile));
      else
        buffers += alignBuffer(tile * place.stages * slots);
    }
    for (const Reduction &reduction : group.reductions)
      handedOver = std::max(handedOver, alignBuffer(exchangedRows(reduction)));
    // The next tile's first loads are under way while this one is stored.
    result.sharedMemory = storesEndBlock() && !schedule.persistent
                              ? std::max(buffers + handedOver, staging)
                              : buffers + std::max(handedOver, staging);
  }

  /// Bytes that the warps of a block pass to each other to reduce rows of which
  /// each holds a part.
  int64_t exchangedRows(const Reduction &reduction) const {
    const ProductMapping &mapping = schedule.products[reduction.product];
    bool alongColumns = llvm::is_contained(reduction.reduced, mapping.i2);
    int64_t parts = mapping.warps[alongColumns ? 1 : 0];
    int64_t rows = schedule.tiles[alongColumns ? mapping.i1 : mapping.i2];
    return parts == 1 ? 0 : parts * rows * reduction.elementBytes;
  }

  /// Registers of a thread that hold a product's accumulator, or a value of
  /// `bytes` that is handed on.
  int64_t tileRegisters(unsigned number, int64_t bytes) const {
    const ProductMapping &mapping = schedule.products[number];
    int64_t i1 = schedule.tiles[mapping.i1] / mapping.warps[0];
    int64_t i2 = schedule.tiles[mapping.i2] / mapping.warps[1];
    return i1 * i2 / 32 * bytes / 4;
  }

  /// What lives in registers when product `number` is computed: accumulators
  /// from the start of their outermost reduction to their hand-over, values
  /// from there to their last use.
  int64_t liveRegisters(unsigned number) const {
    const TreePosition &at = *kept.computes[group.products[number].result];
    auto isInside = [&](const TilingNode *loop) {
      return loop && llvm::is_contained(at.loops, loop);
    };
    int64_t live = 0;
    for (auto [other, product] : llvm::enumerate(group.products)) {
      const TileSlots &slots = kept.values[product.result];
      const HandOver &handOver = kept.handOvers[other];
      const TreePosition &own = *kept.computes[product.result];
      // The outermost loop that hands over one tile after the other.
      const TilingNode *handsOver = nullptr;
      for (const TilingNode *loop : llvm::reverse(handOver.loops))
        if (!llvm::is_contained(own.loops, loop))
          handsOver = loop;
      if (other == number || isInside(kept.reductions[other]) ||
          isInside(handsOver) ||
          (own.order < at.order && at.order < handOver.order))
        live += kept.accumulators[other].count * tileRegisters(other, 4);
      bool isMade =
          handOver.order < at.order || isInside(kept.makers[product.result]);
      bool staysInRegisters =
          schedule.places[product.result].space == fuse::Space::Registers ||
          group.tensors[product.result].role == TensorRole::Result;
      if (isMade && at.order <= kept.lastUses[product.result] &&
          staysInRegisters)
        live += slots.count * tileRegisters(other, bytesOf(product.result));
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
                                     replication(tensor) * tensor.elementBytes,
                                 4 * 32 * schedule.warps);
    }
    return live;
  }

  /// Tiles of arrays in registers that a product's computation is unrolled for:
  /// its own accumulators and the values that it multiplies.
  int64_t unrolledIterations(unsigned number) const {
    int64_t count = kept.accumulators[number].count;
    for (std::optional<unsigned> producer : group.products[number].producer)
      if (producer) {
        unsigned value = group.products[*producer].result;
        if (schedule.places[value].space == fuse::Space::Registers)
          count = std::max(count, kept.values[value].count);
      }
    return count;
  }

  /// The loops over an array of tiles are unrolled: each iteration's copies
  /// have their own stage and with it addresses that do not change, which ptxas
  /// holds in registers, and the next iteration's fragments are loaded ahead.
  int64_t unrolledAddresses(unsigned number, int64_t unrolled) const {
    if (unrolled == 1)
      return 0;
    int64_t addresses = 0;
    for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
      const Placement &place = schedule.places[index];
      if (!kept.loads[index] || place.space != fuse::Space::Shared ||
          llvm::none_of(kept.loads[index]->loops, [&](const TilingNode *loop) {
            return llvm::is_contained(kept.accumulators[number].axes,
                                      loop->index);
          }))
        continue;
      constexpr int64_t bytesPerCopy = 16;
      int64_t copies =
          llvm::divideCeil(tileElements(tensor.axes) * tensor.elementBytes,
                           bytesPerCopy * 32 * schedule.warps);
      addresses += copies * std::min<int64_t>(place.stages, unrolled);
    }
    return addresses;
  }

  /// Values of rows: of each reduction one, in every thread that holds an
  /// element of the row.
  int64_t rowRegisters() const {
    int64_t count = 0;
    for (const Reduction &reduction : group.reductions) {
      const ProductMapping &mapping = schedule.products[reduction.product];
      bool alongColumns = llvm::is_contained(reduction.reduced, mapping.i2);
      count += alongColumns ? schedule.tiles[mapping.i1] / mapping.warps[0] / 8
                            : schedule.tiles[mapping.i2] / mapping.warps[1] / 4;
    }
    return count;
  }

  /// The most that lives at any product, the fragments of one of its steps, and
  /// addresses.
  void addRegisters() {
    constexpr int64_t addressing = 56;
    // They live through the whole nest, also while others are computed.
    int64_t addresses = 0;
    for (unsigned number = 0; number < group.products.size(); ++number)
      addresses += unrolledAddresses(number, unrolledIterations(number));
    for (auto [number, mapping] : llvm::enumerate(schedule.products)) {
      int64_t i1 = schedule.tiles[mapping.i1] / mapping.warps[0];
      int64_t i2 = schedule.tiles[mapping.i2] / mapping.warps[1];
      int64_t fragments = (i1 / 16) * 4 + (i2 / 8) * 2;
      int64_t unrolled = unrolledIterations(number);
      result.registers = std::max(
          result.registers,
          liveRegisters(number) + rowRegisters() + addressing + addresses +
              fragments * (schedule.registerStages +
                           std::min<int64_t>(unrolled - 1, 1)));
    }
  }

  const GroupModel &group;
  const Schedule &schedule;
  const KeptTiles &kept;
  SmallVector<int64_t, 8> trips;
  SmallVector<unsigned, 8> loops;
  std::optional<ShortenedLoop> shortened;
  std::vector<VisitedTiles> visited; ///< by it
  std::optional<unsigned> split;     ///< the axis whose reduction is split
  int64_t parts = 1;
  Footprint result;
};

} // namespace

Footprint fusion::computeFootprint(const GroupModel &group,
                                   const Schedule &schedule) {
  KeptTiles kept;
  std::optional<std::string> reason = analyzeKeptTiles(group, schedule, kept);
  assert(!reason && "the schedule must be legal");
  (void)reason;
  return computeFootprint(group, schedule, kept);
}

Footprint fusion::computeFootprint(const GroupModel &group,
                                   const Schedule &schedule,
                                   const KeptTiles &kept) {
  return Walker(group, schedule, kept).run();
}

bool fusion::hasRegisterRoom(const Schedule &schedule,
                             const Footprint &footprint, const ChipInfo &chip) {
  int64_t available = std::min<int64_t>(
      chip.maxRegistersPerThread,
      chip.registersPerSM / (32 * static_cast<int64_t>(schedule.warps)));
  return footprint.registers * kRegisterMargin <= available;
}
