//===- ScheduleLegality.cpp - What lowering can do ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/ScheduleLegality.h"
#include "fusion/Analysis/Footprint.h"
#include "fusion/Analysis/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::Twine;
using Reason = std::optional<std::string>;

std::optional<std::string> fusion::checkGroup(const GroupModel &group,
                                              const ChipInfo &chip) {
  for (const Product &product : group.products) {
    const std::string &name = group.tensors[product.result].name;
    if (!product.type || llvm::none_of(allIntrinsics(), [&](const Intrinsic &i) {
          return i.multiplies(*product.type) && i.availableOn(chip);
        }))
      return "no intrinsic of " + chip.name.str() +
             " multiplies the operands of product '" + name + "'";
    if (product.lhsAxes.empty() || product.rhsAxes.empty())
      return "product '" + name +
             "' has no rows or no columns (a product with a vector)";
  }
  for (const Axis &axis : group.axes) {
    if (axis.isDynamic)
      return "axis '" + axis.name + "' has no static extent";
    if (axis.extent == 0)
      return "axis '" + axis.name + "' is empty";
  }
  return std::nullopt;
}

namespace {

class Checker {
public:
  Checker(const GroupModel &group, const Schedule &schedule,
          const ChipInfo &chip)
      : group(group), schedule(schedule), chip(chip) {}

  Reason run() {
    for (unsigned number = 0; number < group.products.size(); ++number)
      if (Reason reason = checkProduct(number))
        return reason;
    if (Reason reason = checkBlocks())
      return reason;
    if (Reason reason = whyNotSplit(group, schedule))
      return reason;
    if (Reason reason = checkTree())
      return reason;
    for (unsigned number = 0; number < group.products.size(); ++number)
      if (Reason reason = checkCompletion(number))
        return reason;
    for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
      if (Reason reason = checkPlace(tensor))
        return reason;
    return checkResources();
  }

private:
  /// Where a statement stands: the live loops around it, outermost first, and
  /// its place in program order.
  struct Position {
    SmallVector<const TilingNode *, 8> loops;
    unsigned order;
  };

  const std::string &axisName(unsigned axis) const {
    return group.axes[axis].name;
  }
  const std::string &tensorName(unsigned tensor) const {
    return group.tensors[tensor].name;
  }
  int64_t trips(unsigned axis) const {
    return sequentialTrips(group, schedule, axis);
  }

  Reason checkProduct(unsigned number);
  Reason checkBlocks();
  Reason checkTree();
  void locate(const TilingTree &items,
              llvm::SmallVectorImpl<const TilingNode *> &loops, Reason &reason);
  Reason checkCompletion(unsigned number);
  Reason checkPlace(unsigned tensor);
  Reason checkPipeline(unsigned tensor);
  Reason checkHandOver(unsigned producer);
  Reason checkResources();

  const GroupModel &group;
  const Schedule &schedule;
  const ChipInfo &chip;
  unsigned counter = 0;
  /// By tensor; an operand has a load, a product a computation, the result also
  /// a store.
  std::vector<std::optional<Position>> loads, computes, stores;
};

} // namespace

Reason Checker::checkProduct(unsigned number) {
  const Product &product = group.products[number];
  const ProductMapping &mapping = schedule.products[number];
  const std::string &name = tensorName(product.result);
  const Intrinsic &intrinsic = *mapping.intrinsic;
  if (!product.type || !intrinsic.multiplies(*product.type))
    return intrinsic.name.str() + " does not multiply the operands of '" +
           name + "'";
  if (!intrinsic.availableOn(chip))
    return chip.name.str() + " has no " + intrinsic.name.str();
  ArrayRef<unsigned> rows = mapping.swapped ? product.rhsAxes : product.lhsAxes;
  ArrayRef<unsigned> columns =
      mapping.swapped ? product.lhsAxes : product.rhsAxes;
  if (!llvm::is_contained(rows, mapping.i1))
    return "i1 = '" + axisName(mapping.i1) +
           "' is no parallel axis of one operand of '" + name + "'";
  if (!llvm::is_contained(columns, mapping.i2))
    return "i2 = '" + axisName(mapping.i2) +
           "' is no parallel axis of the other operand of '" + name + "'";
  if (!llvm::is_contained(product.reduction, mapping.r1))
    return "r1 = '" + axisName(mapping.r1) + "' is not reduced by '" + name +
           "'";
  for (unsigned axis : product.axes)
    if (axis != mapping.i1 && axis != mapping.i2 && axis != mapping.r1 &&
        schedule.tiles[axis] != 1)
      return "axis '" + axisName(axis) + "' of '" + name +
             "' is not mapped to the intrinsic, so its tile size must be 1";
  if (mapping.warps[0] * mapping.warps[1] != schedule.warps)
    return "'" + name + "' arranges " +
           std::to_string(mapping.warps[0] * mapping.warps[1]) +
           " warps but the block has " + std::to_string(schedule.warps);
  auto divides = [&](unsigned axis, int64_t unit) {
    return schedule.tiles[axis] % unit == 0;
  };
  // The columns of one product are the reduced axis of the next, so both come in
  // whole steps of the reduction.
  if (!divides(mapping.i1, intrinsic.i1 * mapping.warps[0]) ||
      !divides(mapping.i2, intrinsic.i2 * mapping.warps[1]) ||
      !divides(mapping.i2, 16) || !divides(mapping.r1, intrinsic.r1))
    return "the tile of '" + name + "' (" +
           std::to_string(schedule.tiles[mapping.i1]) + " x " +
           std::to_string(schedule.tiles[mapping.i2]) + " x " +
           std::to_string(schedule.tiles[mapping.r1]) + ") is no multiple of " +
           intrinsic.name.str() + " over " + std::to_string(mapping.warps[0]) +
           " x " + std::to_string(mapping.warps[1]) + " warps";
  return std::nullopt;
}

Reason Checker::checkBlocks() {
  const GroupTensor *result = nullptr;
  for (const GroupTensor &tensor : group.tensors)
    if (tensor.role == TensorRole::Result)
      result = &tensor;
  for (unsigned axis : schedule.blocks) {
    for (const Product &product : group.products)
      if (llvm::is_contained(product.reduction, axis))
        return "axis '" + axisName(axis) + "' is reduced by '" +
               tensorName(product.result) +
               "' and cannot be bound to the grid (a reduction is split by "
               "'parallel')";
    if (!llvm::is_contained(result->axes, axis))
      return "axis '" + axisName(axis) +
             "' does not index the result and cannot be bound to the grid";
  }
  if (schedule.raster == 1)
    return std::nullopt;
  if (schedule.blocks.size() < 2)
    return "'raster' orders blocks of two grid axes; there are " +
           std::to_string(schedule.blocks.size());
  unsigned fastest = schedule.blocks.back();
  if (schedule.raster >= trips(fastest))
    return "a raster of " + std::to_string(schedule.raster) +
           " blocks is row by row: axis '" + axisName(fastest) + "' has " +
           std::to_string(trips(fastest));
  return std::nullopt;
}

void Checker::locate(const TilingTree &items,
                     llvm::SmallVectorImpl<const TilingNode *> &loops,
                     Reason &reason) {
  for (const TilingNode &node : items) {
    if (reason)
      return;
    if (node.isLoop()) {
      if (trips(node.index) == 1)
        reason = "loop '" + axisName(node.index) +
                 "' has one iteration and must not be in the expression";
      else if (llvm::any_of(loops, [&](const TilingNode *outer) {
                 return outer->index == node.index;
               }))
        reason = "loop '" + axisName(node.index) + "' is nested in itself";
      else if (schedule.isBlockAxis(node.index) &&
               (!loops.empty() && !schedule.isBlockAxis(loops.back()->index)))
        reason = "loop '" + axisName(node.index) +
                 "' is bound to the grid but stands inside of '" +
                 axisName(loops.back()->index) + "', which is not";
      else if (schedule.isBlockAxis(node.index) && items.size() != 1)
        reason = "loop '" + axisName(node.index) +
                 "' is bound to the grid and must enclose everything else";
      loops.push_back(&node);
      locate(node.children, loops, reason);
      loops.pop_back();
      continue;
    }
    auto &list = node.kind == TilingNode::Kind::Load      ? loads
                 : node.kind == TilingNode::Kind::Compute ? computes
                                                          : stores;
    std::optional<Position> &slot = list[node.index];
    if (slot)
      reason = "tensor '" + tensorName(node.index) +
               "' has the same statement twice";
    slot = Position{SmallVector<const TilingNode *, 8>(loops.begin(), loops.end()), counter++};
  }
}

Reason Checker::checkTree() {
  loads.resize(group.tensors.size());
  computes.resize(group.tensors.size());
  stores.resize(group.tensors.size());
  SmallVector<const TilingNode *, 8> loops;
  Reason reason;
  locate(schedule.tree, loops, reason);
  if (reason)
    return reason;

  auto hasLoop = [](const Position &position, unsigned axis) {
    return llvm::any_of(position.loops, [&](const TilingNode *loop) {
      return loop->index == axis;
    });
  };
  for (auto [number, tensor] : llvm::enumerate(group.tensors)) {
    bool isProduct = tensor.role == TensorRole::Intermediate ||
                     tensor.role == TensorRole::Result;
    bool isStored = tensor.role == TensorRole::Result;
    if (loads[number].has_value() == isProduct)
      return isProduct ? "product '" + tensor.name + "' must not be loaded"
                       : "operand '" + tensor.name + "' is never loaded";
    if (computes[number].has_value() != isProduct)
      return isProduct ? "product '" + tensor.name + "' is never computed"
                       : "operand '" + tensor.name + "' must not be computed";
    if (stores[number].has_value() != isStored)
      return isStored ? "result '" + tensor.name + "' is never stored"
                      : "'" + tensor.name + "' is no result and must not be stored";
    // A statement must stand in all live loops that index its tensor or belong
    // to its operator.
    const Position &position = isProduct ? *computes[number] : *loads[number];
    ArrayRef<unsigned> axes =
        isProduct ? ArrayRef<unsigned>(group.products[tensor.product].axes)
                  : ArrayRef<unsigned>(tensor.axes);
    for (unsigned axis : axes)
      if (trips(axis) > 1 && !hasLoop(position, axis))
        return std::string(isProduct ? "C" : "L") + tensor.name +
               " stands outside of loop '" + axisName(axis) + "'";
    if (isStored)
      for (unsigned axis : tensor.axes)
        if (trips(axis) > 1 && !hasLoop(*stores[number], axis))
          return "S" + tensor.name + " stands outside of loop '" +
                 axisName(axis) + "'";
  }
  return std::nullopt;
}

/// A product's accumulator starts before its outermost reduction loop and is
/// complete after it; nothing else may iterate in between, and who uses the value
/// must follow within the same iteration of the loops around.
Reason Checker::checkCompletion(unsigned number) {
  const Product &product = group.products[number];
  const std::string &name = tensorName(product.result);
  const Position &compute = *computes[product.result];
  unsigned complete = compute.loops.size();
  for (auto [depth, loop] : llvm::enumerate(compute.loops)) {
    bool isReduction = llvm::is_contained(product.reduction, loop->index);
    if (isReduction && complete == compute.loops.size())
      complete = depth;
    if (!isReduction && depth > complete)
      return group.indexes(product.result, loop->index)
                 ? "loop '" + axisName(loop->index) + "' inside of reduction '" +
                       axisName(compute.loops[complete]->index) +
                       "' would keep several tiles of '" + name + "'"
                 : "loop '" + axisName(loop->index) + "' repeats C" + name +
                       " inside of its own reduction";
  }
  // The iteration in which the value is complete.
  ArrayRef<const TilingNode *> scope(compute.loops);
  scope = scope.take_front(complete);
  auto follows = [&](const Position &user) {
    ArrayRef<const TilingNode *> loops(user.loops);
    if (loops.size() < scope.size() ||
        loops.take_front(scope.size()) != scope || user.order < compute.order)
      return false;
    // Not inside of the reduction itself.
    return complete == compute.loops.size() || loops.size() == complete ||
           loops[complete] != compute.loops[complete];
  };
  for (auto [other, consumer] : llvm::enumerate(group.products))
    if ((consumer.producer[0] == number || consumer.producer[1] == number) &&
        !follows(*computes[consumer.result]))
      return "C" + tensorName(consumer.result) +
             " does not follow the completion of '" + name + "'";
  if (stores[product.result]) {
    const Position &store = *stores[product.result];
    if (!follows(store) || store.loops.size() != scope.size())
      return "S" + name + " must directly follow the completion of '" + name +
             "'";
  }
  for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
    if (!loads[index] || tensor.product != number)
      continue;
    const Position &load = *loads[index];
    ArrayRef<const TilingNode *> outer(load.loops);
    if (tensor.role == TensorRole::Operand) {
      ArrayRef<const TilingNode *> inner(compute.loops);
      if (outer.size() > inner.size() ||
          inner.take_front(outer.size()) != outer || load.order > compute.order)
        return "L" + tensor.name + " does not precede C" + name;
    } else if (outer.size() > scope.size() ||
               scope.take_front(outer.size()) != outer) {
      return "L" + tensor.name + " stands deeper than '" + name +
             "' is complete";
    } else if (stores[product.result] &&
               load.order > stores[product.result]->order) {
      return "L" + tensor.name + " does not precede S" + name;
    }
    for (const Product &consumer : group.products)
      if (tensor.role == TensorRole::Extra &&
          llvm::is_contained(consumer.producer, std::optional(number)) &&
          load.order > computes[consumer.result]->order)
        return "L" + tensor.name + " does not precede C" +
               tensorName(consumer.result);
  }
  return std::nullopt;
}

static unsigned transportBytes(fuse::Transport transport) {
  switch (transport) {
  case fuse::Transport::Sync:
    return 0;
  case fuse::Transport::Async4:
    return 4;
  case fuse::Transport::Async8:
    return 8;
  case fuse::Transport::Async16:
    return 16;
  }
  llvm_unreachable("covered switch");
}

Reason Checker::checkPlace(unsigned index) {
  const GroupTensor &tensor = group.tensors[index];
  const Placement &place = schedule.places[index];
  constexpr unsigned mostStages = 8;
  if (place.stages < 1 || place.stages > mostStages)
    return "'" + tensor.name + "' asks for " + std::to_string(place.stages) +
           " stages; a buffer has 1 to " + std::to_string(mostStages);
  if (place.stages > 1 && tensor.role != TensorRole::Operand)
    return "'" + tensor.name + "' is no operand that is loaded in a loop and has "
           "one stage";
  if (place.stages > 1)
    if (Reason reason = checkPipeline(index))
      return reason;
  bool isShared = place.space == fuse::Space::Shared;
  switch (tensor.role) {
  case TensorRole::Extra:
    if (isShared)
      return "'" + tensor.name +
             "' is read by element-wise operators after a product and must be "
             "placed in registers";
    break;
  case TensorRole::Operand: {
    const ProductMapping &mapping = schedule.products[tensor.product];
    unsigned parallel =
        (tensor.operandNumber == 0) != mapping.swapped ? mapping.i1 : mapping.i2;
    bool isTile = llvm::is_contained(tensor.axes, parallel) &&
                  llvm::is_contained(tensor.axes, mapping.r1);
    if (isShared != isTile)
      return isTile ? "operand '" + tensor.name +
                          "' of a product must be placed in shared memory"
                    : "operand '" + tensor.name +
                          "' lacks an axis of its product's tile and must be "
                          "placed in registers";
    if (!isShared)
      break;
    unsigned bytes = transportBytes(place.transport);
    bool isDense =
        getMemoryTile(tensor, parallel, mapping.r1).isDense;
    if (bytes && !isDense)
      return "the tile of '" + tensor.name +
             "' is not dense in memory and cannot be copied asynchronously";
    if (bytes > tensor.alignment)
      return "'" + tensor.name + "' is aligned to " +
             std::to_string(tensor.alignment) + " bytes but copied " +
             std::to_string(bytes) + " at a time";
    if (bytes && !chip.hasAsyncCopy)
      return chip.name.str() + " has no asynchronous copies";
    break;
  }
  case TensorRole::Intermediate:
    return checkHandOver(tensor.product);
  case TensorRole::Result:
    break;
  }
  return std::nullopt;
}

/// ALCOP's rules (section II-A), as tile-pipeline-identify will apply them: stages
/// that could not be lowered would not be what the schedule says.
Reason Checker::checkPipeline(unsigned index) {
  const std::string &name = tensorName(index);
  const Position &load = *loads[index];
  bool isAsync = schedule.places[index].transport != fuse::Transport::Sync;
  if (!isAsync && schedule.places[index].stages > 2)
    return "'" + name +
           "' is not copied asynchronously: registers hold one tile ahead, which "
           "makes two stages";
  if (load.loops.empty() || schedule.isBlockAxis(load.loops.back()->index))
    return "'" + name +
           "' is not loaded in a sequential loop and has one stage";
  const TilingNode *loop = load.loops.back();
  for (auto [other, place] : llvm::enumerate(schedule.places)) {
    if (!isAsync || place.stages == 1 || !loads[other] ||
        place.transport == fuse::Transport::Sync)
      continue;
    ArrayRef<const TilingNode *> around(loads[other]->loops);
    // What is not loaded in a loop at all is refused on its own account.
    if (!around.empty() && around.back() != loop &&
        llvm::is_contained(around, loop))
      return "loop '" + axisName(loop->index) + "' of '" + name +
             "' holds the pipelined loop of '" + tensorName(other) +
             "'; groups of copies are waited for in order, so only the inner one "
             "can have stages";
  }
  return std::nullopt;
}

/// An intermediate is where the layouts put it: the schedule must say the same,
/// or its shared memory and traffic would not be the kernel's.
Reason Checker::checkHandOver(unsigned producer) {
  unsigned tensor = group.products[producer].result;
  Reason reason = whyNotInRegisters(group, schedule, producer);
  if (schedule.places[tensor].space != fuse::Space::Shared)
    return reason;
  if (!reason)
    return "'" + tensorName(tensor) +
           "' is held by the threads that multiply it next and stays in registers";
  return std::nullopt;
}

Reason Checker::checkResources() {
  Footprint footprint = computeFootprint(group, schedule);
  if (footprint.sharedMemory > static_cast<int64_t>(chip.sharedMemoryPerBlock))
    return "the tiles need " + std::to_string(footprint.sharedMemory) +
           " bytes of shared memory; a block of " + chip.name.str() +
           " has at most " + std::to_string(chip.sharedMemoryPerBlock);
  int64_t registers = std::min<int64_t>(
      chip.maxRegistersPerThread,
      chip.registersPerSM / (32 * static_cast<int64_t>(schedule.warps)));
  if (footprint.registers > registers)
    return "the tiles need about " + std::to_string(footprint.registers) +
           " registers per thread; " + std::to_string(registers) +
           " are available";
  if (footprint.blocks > std::numeric_limits<int32_t>::max())
    return "the grid would have " + std::to_string(footprint.blocks) + " blocks";
  return std::nullopt;
}

std::optional<std::string>
fusion::whyNotInRegisters(const GroupModel &group, const Schedule &schedule,
                          unsigned producer) {
  const ProductMapping &from = schedule.products[producer];
  std::string name =
      "'" + group.tensors[group.products[producer].result].name + "'";
  for (auto [number, consumer] : llvm::enumerate(group.products))
    for (unsigned operand : {0u, 1u}) {
      if (consumer.producer[operand] != producer)
        continue;
      const ProductMapping &to = schedule.products[number];
      bool isFirst = (operand == 0) != to.swapped;
      if (from.i1 != (isFirst ? to.i1 : to.i2) || from.i2 != to.r1)
        return name + " is not an operand of the next intrinsic as its accumulator "
                      "lies and cannot stay in registers";
      // Rows of the accumulator are spread over the warps along the parallel
      // axis; every warp needs all of the reduced one.
      if (from.warps[1] != 1 || to.warps[isFirst ? 1 : 0] != 1)
        return name + " is not held whole along '" +
               group.axes[to.r1].name +
               "' by the warps that multiply it and cannot stay in registers";
    }
  return std::nullopt;
}

std::optional<std::string> fusion::whyNotLowered(const Schedule &schedule) {
  if (schedule.persistent)
    return "'persistent' is not lowered; a block computes one tile";
  if (schedule.cluster != 1)
    return "'cluster' is not lowered; blocks are independent";
  if (schedule.producerWarps != 0)
    return "'producers' is not lowered; every warp loads and multiplies";
  if (schedule.splitAxis())
    return "split reductions are not lowered";
  return std::nullopt;
}

std::optional<std::string> fusion::checkSchedule(const GroupModel &group,
                                                 const Schedule &schedule,
                                                 const ChipInfo &chip) {
  if (Reason reason = whyNotLowered(schedule))
    return reason;
  return whyImpossible(group, schedule, chip);
}

std::optional<std::string> fusion::whyImpossible(const GroupModel &group,
                                                 const Schedule &schedule,
                                                 const ChipInfo &chip) {
  if (Reason reason = checkGroup(group, chip))
    return reason;
  return Checker(group, schedule, chip).run();
}
