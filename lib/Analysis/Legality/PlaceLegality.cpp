//===- PlaceLegality.cpp - Warps, places and stages -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceLegality.h"
#include "fusion/Analysis/Resources/Footprint.h"
#include "fusion/Analysis/Schedules/Forwarding.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/MemoryTile.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "fusion/Target/Layouts/FragmentLayouts.h"
#include "fusion/Target/Layouts/MatrixDescriptors.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using Reason = std::optional<std::string>;

namespace {

class PlaceChecker {
public:
  PlaceChecker(const GroupModel &group, const Schedule &schedule,
               const ChipInfo &chip, const RetainedTiles &retained)
      : group(group), schedule(schedule), chip(chip), retained(retained) {}

  Reason runWarps() {
    for (unsigned number = 0; number < group.contractions.size(); ++number)
      if (Reason reason = checkArrangement(number))
        return reason;
    if (Reason reason = checkProducers())
      return reason;
    for (unsigned number = 0; number < group.contractions.size(); ++number)
      if (Reason reason = checkJoins(number))
        return reason;
    return std::nullopt;
  }

  Reason runPlaces() {
    for (unsigned number = 0; number < group.contractions.size(); ++number)
      if (Reason reason = checkInPlace(number))
        return reason;
    for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
      if (Reason reason = checkPlace(tensor))
        return reason;
    for (unsigned number = 0; number < group.contractions.size(); ++number)
      if (Reason reason = checkOverlap(number))
        return reason;
    if (Reason reason = checkTurns())
      return reason;
    if (Reason reason = checkCopiesOfProducers())
      return reason;
    if (Reason reason = checkCopiesOfCluster())
      return reason;
    return whyTooManyBarriers(group, schedule, retained);
  }

  Reason runStages() {
    for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
      if (schedule.places[tensor].stages != 1)
        if (Reason reason = checkStages(tensor))
          return reason;
    for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
      if (schedule.places[tensor].registerStages != 1)
        if (Reason reason = checkRegisterStages(tensor))
          return reason;
    for (unsigned number = 0; number < group.contractions.size(); ++number)
      if (Reason reason = checkOverlap(number))
        return reason;
    if (Reason reason = checkCopiesOfProducers())
      return reason;
    return whyTooManyBarriers(group, schedule, retained);
  }

private:
  Reason checkArrangement(unsigned number);
  Reason checkInPlace(unsigned number);
  Reason checkOverlap(unsigned number) {
    return schedule.contractions[number].stages == 1
               ? std::nullopt
               : whyNotOverlapped(group, schedule, number);
  }
  Reason checkTurns() {
    return schedule.isPingPong ? whyNotPingPong(group, schedule) : std::nullopt;
  }
  Reason checkProducers();
  Reason checkCopiesOfProducers();
  Reason checkCopiesOfCluster();
  Reason checkPlace(unsigned tensor);
  Reason checkStages(unsigned tensor);
  Reason checkPipeline(unsigned tensor);
  Reason checkRegisterStages(unsigned tensor);
  Reason checkIntermediateEpilogue(unsigned producer);
  Reason checkJoins(unsigned number);

  const GroupModel &group;
  const Schedule &schedule;
  const ChipInfo &chip;
  const RetainedTiles &retained;
};

} // namespace

Reason PlaceChecker::checkArrangement(unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  const std::string &name = group.valueName(number);
  const Intrinsic &intrinsic = *mapping.intrinsic;
  if (mapping.warps[0] * mapping.warps[1] != schedule.warps)
    return "'" + name + "' arranges " +
           std::to_string(mapping.warps[0] * mapping.warps[1]) +
           " warps but the block has " + std::to_string(schedule.warps);
  if (mapping.warps[0] % intrinsic.warps)
    return intrinsic.name.str() + " is executed by warpgroups of " +
           std::to_string(intrinsic.warps) +
           " warps, one below the other, but '" + name + "' has " +
           std::to_string(mapping.warps[0]) + " along its rows";
  // The columns of one contraction are the reduced axis of the next, so both
  // are whole steps of the reduction.
  constexpr int64_t minColumns = 16;
  if (!intrinsic.divides(schedule.tiles[mapping.i1], schedule.tiles[mapping.i2],
                         schedule.tiles[mapping.r1],
                         {mapping.warps[0], mapping.warps[1]}) ||
      schedule.tiles[mapping.i2] % minColumns != 0)
    return "the tile of '" + name + "' (" +
           std::to_string(schedule.tiles[mapping.i1]) + " x " +
           std::to_string(schedule.tiles[mapping.i2]) + " x " +
           std::to_string(schedule.tiles[mapping.r1]) + ") is no multiple of " +
           intrinsic.name.str() + " over " + std::to_string(mapping.warps[0]) +
           " x " + std::to_string(mapping.warps[1]) + " warps";
  return std::nullopt;
}

/// Checks that operands in shared memory lie there as the intrinsic reads them.
Reason PlaceChecker::checkInPlace(unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  const Intrinsic &intrinsic = *mapping.intrinsic;
  if (!intrinsic.readsShared())
    return std::nullopt;
  const Contraction &contraction = group.contractions[number];
  for (const RowStatistics &pass : group.rowStatistics)
    if (pass.contraction == number)
      return "'" + group.tensorName(pass.rows) +
             "' is made of an operand's fragments, which " +
             intrinsic.name.str() + " does not load";
  for (unsigned operand : {0u, 1u}) {
    bool isOperandA = mapping.isOperandA(operand);
    std::string which = std::string("operand ") + (isOperandA ? "A" : "B") +
                        " of '" + group.valueName(number) + "'";
    if (!isReadFromShared(group, schedule, number, operand)) {
      if (isOperandA)
        continue;
      return which + " is not in shared memory, where " + intrinsic.name.str() +
             " reads it";
    }
    // Rows and columns of the operand's buffer.
    MemoryTile tile{mapping.i1, mapping.i2, true};
    int64_t bytes = 0;
    if (std::optional<unsigned> producer = contraction.producer[operand]) {
      const ContractionMapping &from = schedule.contractions[*producer];
      tile = {from.i1, from.i2, true};
      bytes = group.tensors[group.contractions[*producer].result].elementBytes;
    } else {
      for (const GroupTensor &tensor : group.tensors)
        if (tensor.isOperandOf(number, operand) && !tensor.pass) {
          const ContractionMapping &own =
              schedule.contractions[tensor.contraction];
          tile = getMemoryTile(tensor, own.parallelAxis(operand), own.r1);
          bytes = tensor.elementBytes;
        }
    }
    bool reducedIsContiguous = tile.columnAxis == mapping.r1;
    if (!reducedIsContiguous && intrinsic.needsReducedContiguous())
      return which + " lies across axis '" + group.axisName(mapping.r1) +
             "', along which " + intrinsic.name.str() + " reads its operands";
    std::optional<MatrixDescriptors> descriptors = matrixDescriptors(
        schedule.tiles[tile.rowAxis], schedule.tiles[tile.columnAxis], bytes,
        reducedIsContiguous);
    int64_t part = isOperandA ? intrinsic.i1 * intrinsic.warps
                              : instructionColumns(schedule.tiles[mapping.i2],
                                                   mapping.warps[1], bytes);
    if (!descriptors || part == 0 || !descriptors->canCut(part))
      return "the tile of " + which + " (" +
             std::to_string(schedule.tiles[tile.rowAxis]) + " x " +
             std::to_string(schedule.tiles[tile.columnAxis]) +
             ") lies in shared memory as no descriptor of " +
             intrinsic.name.str() + " can say";
  }
  return std::nullopt;
}

Reason PlaceChecker::checkProducers() {
  if (schedule.producerWarps == 0)
    return std::nullopt;
  if (!chip.hasTMA)
    return chip.name.str() + " has no TMA copies for a producer to issue";
  return whyTooManyWarps(schedule.warps, schedule.producerWarps);
}

/// Checks that producer warps have TMA copies to issue, and run ahead of the
/// other warps in a loop with stages.
Reason PlaceChecker::checkCopiesOfProducers() {
  if (schedule.producerWarps == 0 ||
      llvm::any_of(schedule.places, [](const Placement &place) {
        return place.transport == fuse::Transport::TMA && place.stages > 1;
      }))
    return std::nullopt;
  return "no operand has TMA copies in several stages, which producers would "
         "prefetch";
}

/// Checks that blocks of a cluster have copies in common. They share nothing
/// else.
Reason PlaceChecker::checkCopiesOfCluster() {
  if (schedule.cluster == 1)
    return std::nullopt;
  Reason first;
  for (unsigned tensor : listCopied(group, schedule)) {
    Reason reason = whyNotMulticast(group, schedule, tensor);
    if (!reason)
      return std::nullopt;
    if (!first || isSharedByNeighbours(group, schedule, tensor))
      first = reason;
  }
  return "the blocks of a cluster share no copies: " +
         first.value_or("nothing is copied to shared memory");
}

/// Row statistics that read the contraction's tiles need no place.
static std::string notLoaded(const GroupTensor &tensor) {
  return "'" + tensor.name + "' is not loaded and needs no shared memory";
}

Reason PlaceChecker::checkStages(unsigned index) {
  const GroupTensor &tensor = group.tensors[index];
  const Placement &place = schedule.places[index];
  if (tensor.pass && !retained.loads[index])
    return place.stages > 1 ? Reason(notLoaded(tensor)) : std::nullopt;
  constexpr unsigned maxStages = 8;
  if (place.stages < 1 || place.stages > maxStages)
    return "'" + tensor.name + "' asks for " + std::to_string(place.stages) +
           " stages; a buffer has 1 to " + std::to_string(maxStages);
  if (place.stages > 1 && tensor.role != TensorRole::Operand)
    return "'" + tensor.name +
           "' is no operand that is loaded in a loop and has "
           "one stage";
  return place.stages > 1 ? checkPipeline(index) : std::nullopt;
}

Reason PlaceChecker::checkRegisterStages(unsigned index) {
  constexpr unsigned most = 2;
  unsigned stages = schedule.places[index].registerStages;
  if (stages < 1 || stages > most)
    return "the fragments of '" + group.tensorName(index) + "' ask for " +
           std::to_string(stages) + " stages; they have 1 or " +
           std::to_string(most);
  if (!hasFragments(group, schedule, index))
    return "'" + group.tensorName(index) +
           "' is not multiplied from shared memory and has no fragments with "
           "stages";
  return std::nullopt;
}

Reason PlaceChecker::checkPlace(unsigned index) {
  const GroupTensor &tensor = group.tensors[index];
  const Placement &place = schedule.places[index];
  if (place.stages != 1)
    if (Reason reason = checkStages(index))
      return reason;
  if (place.registerStages != 1)
    if (Reason reason = checkRegisterStages(index))
      return reason;
  bool isShared = place.space == fuse::Space::Shared,
       isLoaded = !tensor.pass || retained.loads[index];
  if (isShared && !isLoaded)
    return notLoaded(tensor);
  bool isMoved = isLoaded && (tensor.role == TensorRole::Operand ||
                              tensor.role == TensorRole::Result);
  if (place.transport != fuse::Transport::Sync && !isMoved)
    return "'" + tensor.name +
           "' is not copied into shared memory and has no transport";
  if (!isLoaded)
    return std::nullopt;
  switch (tensor.role) {
  case TensorRole::Extra:
    if (isShared)
      return "'" + tensor.name +
             "' is read by element-wise operators after a contraction and must "
             "be "
             "placed in registers";
    break;
  case TensorRole::Operand: {
    const ContractionMapping &mapping =
        schedule.contractions[tensor.contraction];
    unsigned parallel = mapping.parallelAxis(tensor.operandNumber);
    bool isTile = llvm::is_contained(tensor.axes, parallel) &&
                  llvm::is_contained(tensor.axes, mapping.r1);
    if (isShared != isTile)
      return isTile
                 ? "operand '" + tensor.name +
                       "' of a contraction must be placed in shared memory"
                 : "operand '" + tensor.name +
                       "' lacks an axis of its contraction's tile and must be "
                       "placed in registers";
    if (!isShared && place.transport != fuse::Transport::Sync)
      return "operand '" + tensor.name +
             "' is read into registers and has no transport";
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
    if (place.transport == fuse::Transport::TMA)
      return whyNotTMA(group, schedule, chip, retained, index);
    break;
  }
  case TensorRole::Intermediate:
    return checkIntermediateEpilogue(tensor.contraction);
  case TensorRole::Statistic:
  case TensorRole::Rows:
    if (isShared)
      return "'" + tensor.name + "' " +
             (tensor.role == TensorRole::Rows ? "stays in" : "is stored from") +
             " registers";
    break;
  case TensorRole::Result:
    if (place.transport == fuse::Transport::Sync)
      break;
    if (place.transport != fuse::Transport::TMA)
      return "'" + tensor.name +
             "' is stored by threads or by TMA, not by asynchronous copies of "
             "threads";
    if (!isShared)
      return "'" + tensor.name +
             "' is stored by TMA and must be placed in shared memory";
    if (place.eviction != fuse::Eviction::Normal)
      return "'" + tensor.name +
             "' is stored, and only operands that are read have an eviction "
             "policy";
    return whyNotTMA(group, schedule, chip, retained, index);
  }
  return std::nullopt;
}

/// Applies ALCOP's rules (section II-A), as tile-pipeline-identify will: a
/// schedule must not name stages that could not be lowered.
Reason PlaceChecker::checkPipeline(unsigned index) {
  const std::string &name = group.tensorName(index);
  const TreePosition &load = *retained.loads[index];
  if (retained.values[index].isRetained())
    return "'" + name + "' is retained in " +
           std::to_string(retained.values[index].count) +
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
  // Threads wait for their groups of copies in the order of issue (rule 3).
  // Each stage of a TMA copy has an mbarrier of its own.
  auto isGrouped = [](const Placement &place) {
    return place.transport != fuse::Transport::Sync &&
           place.transport != fuse::Transport::TMA;
  };
  for (auto [other, place] : llvm::enumerate(schedule.places)) {
    if (!isGrouped(schedule.places[index]) || !isGrouped(place) ||
        place.stages == 1 || !retained.loads[other])
      continue;
    ArrayRef<const TilingNode *> around(retained.loads[other]->loops);
    // A tensor that is loaded in no loop is rejected for that reason.
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

/// Layouts decide where a single tile of an intermediate is. The schedule must
/// say the same, or its shared memory and traffic would not be the kernel's.
/// Several tiles may be retained in shared memory even where the next
/// contraction could take them from registers.
Reason PlaceChecker::checkIntermediateEpilogue(unsigned producer) {
  unsigned tensor = group.contractions[producer].result;
  if (schedule.places[tensor].space != fuse::Space::Shared)
    return whyNotForwardedInRegisters(group, schedule, producer);
  if (!retained.values[tensor].isRetained() &&
      isForwardedInRegisters(group, schedule, producer))
    return "'" + group.tensorName(tensor) +
           "' is held by the threads that multiply it next and stays in "
           "registers";
  return std::nullopt;
}

/// Checks that tiles are joined in the registers of the threads that computed
/// them, and that all contractions read a shared operand's tile with the same
/// axes.
Reason PlaceChecker::checkJoins(unsigned number) {
  const ContractionMapping &to = schedule.contractions[number];
  for (unsigned other : group.contractions[number].joined) {
    const ContractionMapping &from = schedule.contractions[other];
    if (from.i1 != to.i1 || from.i2 != to.i2 || from.warps[0] != to.warps[0] ||
        from.warps[1] != to.warps[1])
      return "'" + group.valueName(other) +
             "' is held by other threads than '" + group.valueName(number) +
             "', which it joins";
  }
  for (const GroupTensor &tensor : group.tensors) {
    if (!llvm::is_contained(tensor.sharedBy, number))
      continue;
    const ContractionMapping &own = schedule.contractions[tensor.contraction];
    if (own.parallelAxis(tensor.operandNumber) !=
            to.parallelAxis(tensor.operandNumber) ||
        own.r1 != to.r1 || own.swapped != to.swapped ||
        own.warps[0] != to.warps[0] || own.warps[1] != to.warps[1])
      return "'" + tensor.name + "' is multiplied by '" +
             group.valueName(tensor.contraction) + "' and '" +
             group.valueName(number) + "' in different ways";
  }
  return std::nullopt;
}

Reason fusion::whyWarpsIllegal(const GroupModel &group,
                               const Schedule &schedule, const ChipInfo &chip,
                               const RetainedTiles &retained) {
  return PlaceChecker(group, schedule, chip, retained).runWarps();
}

Reason fusion::whyPlacesIllegal(const GroupModel &group,
                                const Schedule &schedule, const ChipInfo &chip,
                                const RetainedTiles &retained) {
  return PlaceChecker(group, schedule, chip, retained).runPlaces();
}

Reason fusion::whyStagesIllegal(const GroupModel &group,
                                const Schedule &schedule, const ChipInfo &chip,
                                const RetainedTiles &retained) {
  return PlaceChecker(group, schedule, chip, retained).runStages();
}
