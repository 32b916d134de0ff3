//===- ScheduleLegality.cpp - What lowering can do
//----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/ScheduleLegality.h"
#include "BlockResources.h"
#include "ReductionLegality.h"
#include "fusion/Analysis/Footprint.h"
#include "fusion/Analysis/KeptTiles.h"
#include "fusion/Analysis/MaskedTiles.h"
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
    const std::string &name = group.tensorName(product.result);
    if (!product.type ||
        llvm::none_of(allIntrinsics(), [&](const Intrinsic &i) {
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
          const ChipInfo &chip, KeptTiles &kept, Footprint &footprint)
      : group(group), schedule(schedule), chip(chip), kept(kept),
        footprint(footprint) {}

  Reason run() {
    for (unsigned number = 0; number < group.products.size(); ++number)
      if (Reason reason = checkProduct(number))
        return reason;
    if (Reason reason = checkBlocks())
      return reason;
    if (Reason reason = whyNotSplit(group, schedule))
      return reason;
    if (Reason reason = checkCluster())
      return reason;
    if (Reason reason = checkProducers())
      return reason;
    if (Reason reason = analyzeKeptTiles(group, schedule, kept))
      return reason;
    for (unsigned number = 0; number < group.products.size(); ++number)
      if (Reason reason = checkJoins(number))
        return reason;
    if (Reason reason = checkKeptParts())
      return reason;
    if (schedule.skipped)
      if (Reason reason =
              whyNotSkipped(group, schedule, kept, *schedule.skipped))
        return "tiles of '" + group.axisName(*schedule.skipped) +
               "' cannot be skipped: " + *reason;
    if (Reason reason = whyNotReduced(group, schedule, kept))
      return reason;
    if (Reason reason = checkPlaces())
      return reason;
    footprint = computeFootprint(group, schedule, kept);
    return checkResources();
  }

  /// Of what `run` has accepted with other stages.
  Reason runStages() {
    if (Reason reason = checkPlaces())
      return reason;
    countResources(group, schedule, kept, footprint);
    return checkResources();
  }

private:
  int64_t trips(unsigned axis) const {
    return sequentialTrips(group, schedule, axis);
  }

  Reason checkProduct(unsigned number);
  Reason checkBlocks();
  Reason checkKeptParts();
  Reason checkCluster();
  Reason checkProducers();
  Reason checkPlaces() {
    for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
      if (Reason reason = checkPlace(tensor))
        return reason;
    return std::nullopt;
  }
  Reason checkPlace(unsigned tensor);
  Reason checkPipeline(unsigned tensor);
  Reason checkHandOver(unsigned producer);
  Reason checkJoins(unsigned number);
  Reason checkResources();

  const GroupModel &group;
  const Schedule &schedule;
  const ChipInfo &chip;
  KeptTiles &kept;
  Footprint &footprint; ///< once the resources are checked
};

} // namespace

Reason Checker::checkProduct(unsigned number) {
  const Product &product = group.products[number];
  const ProductMapping &mapping = schedule.products[number];
  const std::string &name = group.tensorName(product.result);
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
    return "i1 = '" + group.axisName(mapping.i1) +
           "' is no parallel axis of one operand of '" + name + "'";
  if (!llvm::is_contained(columns, mapping.i2))
    return "i2 = '" + group.axisName(mapping.i2) +
           "' is no parallel axis of the other operand of '" + name + "'";
  if (!llvm::is_contained(product.reduction, mapping.r1))
    return "r1 = '" + group.axisName(mapping.r1) + "' is not reduced by '" +
           name + "'";
  for (unsigned axis : product.axes)
    if (axis != mapping.i1 && axis != mapping.i2 && axis != mapping.r1 &&
        schedule.tiles[axis] != 1)
      return "axis '" + group.axisName(axis) + "' of '" + name +
             "' is not mapped to the intrinsic, so its tile size must be 1";
  if (mapping.warps[0] * mapping.warps[1] != schedule.warps)
    return "'" + name + "' arranges " +
           std::to_string(mapping.warps[0] * mapping.warps[1]) +
           " warps but the block has " + std::to_string(schedule.warps);
  auto divides = [&](unsigned axis, int64_t unit) {
    return schedule.tiles[axis] % unit == 0;
  };
  // The columns of one product are the reduced axis of the next, so both come
  // in whole steps of the reduction.
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
        return "axis '" + group.axisName(axis) + "' is reduced by '" +
               group.tensorName(product.result) +
               "' and cannot be bound to the grid (a reduction is split by "
               "'parallel')";
    if (!llvm::is_contained(result->axes, axis))
      return "axis '" + group.axisName(axis) +
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
           " blocks is row by row: axis '" + group.axisName(fastest) +
           "' has " + std::to_string(trips(fastest));
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

/// A cluster is neighbours along the fastest grid axis, all in one row of
/// blocks.
Reason Checker::checkCluster() {
  int64_t size = schedule.cluster;
  if (size == 1)
    return std::nullopt;
  if (!chip.hasClusters)
    return chip.name.str() + " has no clusters";
  if (size > chip.maxClusterSize)
    return "a cluster of " + chip.name.str() + " has at most " +
           std::to_string(chip.maxClusterSize) + " blocks, not " +
           std::to_string(size);
  if (schedule.blocks.empty())
    return "a cluster needs an axis bound to the grid";
  unsigned fastest = schedule.blocks.back();
  if (trips(fastest) % size != 0 ||
      (schedule.raster > 1 && schedule.raster % size != 0))
    return "clusters of " + std::to_string(size) +
           " blocks do not divide the blocks along '" +
           group.axisName(fastest) + "'";
  return std::nullopt;
}

Reason Checker::checkProducers() {
  if (schedule.producerWarps == 0)
    return std::nullopt;
  if (!chip.hasBulkTensorCopy)
    return chip.name.str() + " has no bulk copies for a producer to issue";
  constexpr unsigned most = 32; // of a block, on every chip
  if (schedule.warps + schedule.producerWarps > most)
    return "a block has at most " + std::to_string(most) + " warps, not " +
           std::to_string(schedule.warps) + " and " +
           std::to_string(schedule.producerWarps) + " producers";
  return std::nullopt;
}

/// Arrays of registers are unrolled, so loops that fill them have the same
/// trips in every part.
Reason Checker::checkKeptParts() {
  std::optional<unsigned> split = schedule.splitAxis();
  if (!split || tripCount(group.axes[*split], schedule.tiles[*split]) %
                        schedule.splitOf(*split) ==
                    0)
    return std::nullopt;
  auto refuse = [&](const TileSlots &slots, unsigned tensor) -> Reason {
    if (!llvm::is_contained(slots.axes, *split))
      return std::nullopt;
    return "tiles of '" + group.tensorName(tensor) + "' are kept along axis '" +
           group.axisName(*split) + "', whose " +
           std::to_string(schedule.splitOf(*split)) +
           " parts have different lengths";
  };
  for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
    if (Reason reason = refuse(kept.values[tensor], tensor))
      return reason;
  for (auto [number, product] : llvm::enumerate(group.products))
    if (Reason reason = refuse(kept.accumulators[number], product.result))
      return reason;
  return std::nullopt;
}

Reason Checker::checkPlace(unsigned index) {
  const GroupTensor &tensor = group.tensors[index];
  const Placement &place = schedule.places[index];
  // A pass over rows that reads the product's tiles.
  if (tensor.pass && !kept.loads[index])
    return place.space == fuse::Space::Shared || place.stages > 1
               ? Reason("'" + tensor.name +
                        "' is not loaded and needs no shared memory")
               : std::nullopt;
  constexpr unsigned mostStages = 8;
  if (place.stages < 1 || place.stages > mostStages)
    return "'" + tensor.name + "' asks for " + std::to_string(place.stages) +
           " stages; a buffer has 1 to " + std::to_string(mostStages);
  if (place.stages > 1 && tensor.role != TensorRole::Operand)
    return "'" + tensor.name +
           "' is no operand that is loaded in a loop and has "
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
    unsigned parallel = mapping.parallelAxis(tensor.operandNumber);
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
    bool isDense = getMemoryTile(tensor, parallel, mapping.r1).isDense;
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
  case TensorRole::Statistic:
  case TensorRole::Rows:
    if (isShared)
      return "'" + tensor.name + "' " +
             (tensor.role == TensorRole::Rows ? "stays in" : "is stored from") +
             " registers";
    break;
  case TensorRole::Result:
    break;
  }
  return std::nullopt;
}

/// ALCOP's rules (section II-A), as tile-pipeline-identify will apply them:
/// stages that could not be lowered would not be what the schedule says.
Reason Checker::checkPipeline(unsigned index) {
  const std::string &name = group.tensorName(index);
  const TreePosition &load = *kept.loads[index];
  if (kept.values[index].isKept())
    return "'" + name + "' is kept in " +
           std::to_string(kept.values[index].count) +
           " tiles, which loops of its own load before they are used, and has "
           "one stage";
  bool isAsync = schedule.places[index].transport != fuse::Transport::Sync;
  if (!isAsync && schedule.places[index].stages > 2)
    return "'" + name +
           "' is not copied asynchronously: registers hold one tile ahead, "
           "which "
           "makes two stages";
  if (load.loops.empty() || schedule.isBlockAxis(load.loops.back()->index))
    return "'" + name +
           "' is not loaded in a sequential loop and has one stage";
  const TilingNode *loop = load.loops.back();
  for (auto [other, place] : llvm::enumerate(schedule.places)) {
    if (!isAsync || place.stages == 1 || !kept.loads[other] ||
        place.transport == fuse::Transport::Sync)
      continue;
    ArrayRef<const TilingNode *> around(kept.loads[other]->loops);
    // What is not loaded in a loop at all is refused on its own account.
    if (!around.empty() && around.back() != loop &&
        llvm::is_contained(around, loop))
      return "loop '" + group.axisName(loop->index) + "' of '" + name +
             "' holds the pipelined loop of '" + group.tensorName(other) +
             "'; groups of copies are waited for in order, so only the inner "
             "one "
             "can have stages";
  }
  return std::nullopt;
}

/// One tile of an intermediate is where the layouts put it: the schedule must
/// say the same, or its shared memory and traffic would not be the kernel's.
/// Several may wait in shared memory even where the next product takes them
/// from registers.
Reason Checker::checkHandOver(unsigned producer) {
  unsigned tensor = group.products[producer].result;
  if (schedule.places[tensor].space != fuse::Space::Shared)
    return whyNotInRegisters(group, schedule, producer);
  if (!kept.values[tensor].isKept() &&
      staysInRegisters(group, schedule, producer))
    return "'" + group.tensorName(tensor) +
           "' is held by the threads that multiply it next and stays in "
           "registers";
  return std::nullopt;
}

/// Tiles are joined in the registers of the threads that made them, and a tile
/// of an operand that several products multiply is one of the same axes for
/// all.
Reason Checker::checkJoins(unsigned number) {
  const ProductMapping &to = schedule.products[number];
  for (unsigned other : group.products[number].joined) {
    const ProductMapping &from = schedule.products[other];
    if (from.i1 != to.i1 || from.i2 != to.i2 || from.warps[0] != to.warps[0] ||
        from.warps[1] != to.warps[1])
      return "'" + group.valueName(other) +
             "' is held by other threads than '" + group.valueName(number) +
             "', which it joins";
  }
  for (const GroupTensor &tensor : group.tensors) {
    if (!llvm::is_contained(tensor.sharedBy, number))
      continue;
    const ProductMapping &own = schedule.products[tensor.product];
    if (own.parallelAxis(tensor.operandNumber) !=
            to.parallelAxis(tensor.operandNumber) ||
        own.r1 != to.r1 || own.swapped != to.swapped ||
        own.warps[0] != to.warps[0] || own.warps[1] != to.warps[1])
      return "'" + tensor.name + "' is multiplied by '" +
             group.valueName(tensor.product) + "' and '" +
             group.valueName(number) + "' in different ways";
  }
  return std::nullopt;
}

Reason Checker::checkResources() {
  if (footprint.sharedMemory > static_cast<int64_t>(chip.sharedMemoryPerBlock))
    return "the tiles need " + std::to_string(footprint.sharedMemory) +
           " bytes of shared memory; a block of " + chip.name.str() +
           " has at most " + std::to_string(chip.sharedMemoryPerBlock);
  // Producers keep the fewest registers, or as many as the others.
  int64_t warps = schedule.warps, all = chip.registersPerSM;
  if (chip.leastRegisters)
    all -= 32 * int64_t(chip.leastRegisters) * schedule.producerWarps;
  else
    warps += schedule.producerWarps;
  int64_t registers =
      std::min<int64_t>(chip.maxRegistersPerThread, all / (32 * warps));
  if (footprint.registers > registers)
    return "the tiles need about " + std::to_string(footprint.registers) +
           " registers per thread; " + std::to_string(registers) +
           " are available";
  if (footprint.blocks > std::numeric_limits<int32_t>::max())
    return "the grid would have " + std::to_string(footprint.blocks) +
           " blocks";
  return std::nullopt;
}

/// Why a product's accumulator is not the operand of the next as it lies.
enum class Mismatch { Axes, Intrinsic, Warps };

/// The consumer of a product that cannot take its accumulator as it lies, and
/// why; nullopt where all can.
static std::optional<std::pair<unsigned, Mismatch>>
findMismatch(const GroupModel &group, const Schedule &schedule,
             unsigned producer) {
  const ProductMapping &from = schedule.products[producer];
  for (unsigned number = 0; number < group.products.size(); ++number)
    for (unsigned operand : {0u, 1u}) {
      if (group.products[number].producer[operand] != producer)
        continue;
      const ProductMapping &to = schedule.products[number];
      if (from.i1 != to.parallelAxis(operand) || from.i2 != to.r1)
        return std::pair(number, Mismatch::Axes);
      if (!from.intrinsic->handsOverTo(*to.intrinsic))
        return std::pair(number, Mismatch::Intrinsic);
      // Rows of the accumulator are spread over the warps along the parallel
      // axis; every warp needs all of the reduced one.
      if (from.warps[1] != 1 || to.warps[to.isFirst(operand) ? 1 : 0] != 1)
        return std::pair(number, Mismatch::Warps);
    }
  return std::nullopt;
}

bool fusion::staysInRegisters(const GroupModel &group, const Schedule &schedule,
                              unsigned producer) {
  return !findMismatch(group, schedule, producer);
}

std::optional<std::string> fusion::whyNotInRegisters(const GroupModel &group,
                                                     const Schedule &schedule,
                                                     unsigned producer) {
  auto mismatch = findMismatch(group, schedule, producer);
  if (!mismatch)
    return std::nullopt;
  std::string name = "'" + group.valueName(producer) + "'";
  const ProductMapping &to = schedule.products[mismatch->first];
  switch (mismatch->second) {
  case Mismatch::Axes:
    return name + " is not an operand of the next intrinsic as its accumulator "
                  "lies and cannot stay in registers";
  case Mismatch::Intrinsic:
    return name + " is held otherwise by " +
           schedule.products[producer].intrinsic->name.str() + " than " +
           to.intrinsic->name.str() +
           " wants its operand and cannot stay in registers";
  case Mismatch::Warps:
    return name + " is not held whole along '" + group.axisName(to.r1) +
           "' by the warps that multiply it and cannot stay in registers";
  }
  llvm_unreachable("covered switch");
}

std::optional<std::string> fusion::whyNotLowered(const Schedule &schedule) {
  if (schedule.persistent)
    return "'persistent' is not lowered; a block computes one tile";
  if (schedule.cluster != 1)
    return "'cluster' is not lowered; blocks are independent";
  if (schedule.producerWarps != 0)
    return "'producers' is not lowered; every warp loads and multiplies";
  return std::nullopt;
}

std::optional<std::string> fusion::checkSchedule(const GroupModel &group,
                                                 const Schedule &schedule,
                                                 const ChipInfo &chip,
                                                 Footprint *footprint) {
  if (Reason reason = whyNotLowered(schedule))
    return reason;
  return whyImpossible(group, schedule, chip, footprint);
}

std::optional<std::string> fusion::whyImpossible(const GroupModel &group,
                                                 const Schedule &schedule,
                                                 const ChipInfo &chip,
                                                 Footprint *footprint) {
  if (Reason reason = checkGroup(group, chip))
    return reason;
  KeptTiles kept;
  Footprint counted;
  return Checker(group, schedule, chip, kept, footprint ? *footprint : counted)
      .run();
}

Reason ScheduleChecker::check(const Schedule &schedule) {
  if (Reason reason = whyNotLowered(schedule))
    return reason;
  return Checker(group, schedule, chip, kept, counted).run();
}

Reason ScheduleChecker::checkStages(const Schedule &schedule) {
  return Checker(group, schedule, chip, kept, counted).runStages();
}
