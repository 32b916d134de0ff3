//===- IterationOverlap.cpp - MMAs beside other work ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace fusion;
using llvm::ArrayRef;
using Reason = std::optional<std::string>;

/// Returns the loops of a block around a contraction's computation, outermost
/// first.
static llvm::SmallVector<unsigned, 8>
loopsOf(ArrayRef<TilingStatement> statements, const GroupModel &group,
        const Schedule &schedule, unsigned number) {
  const TilingStatement *found =
      llvm::find_if(statements, [&](const TilingStatement &statement) {
        return statement.kind == TilingNode::Kind::Compute &&
               statement.tensor == group.contractions[number].result;
      });
  llvm::SmallVector<unsigned, 8> loops;
  if (found != statements.end())
    llvm::copy_if(found->loops, std::back_inserter(loops),
                  [&](unsigned axis) { return !schedule.isBlockAxis(axis); });
  return loops;
}

/// Returns the reason why a contraction cannot overlap with its operand's
/// computation, or nullopt. In each iteration of a loop over its reduction, it
/// has to multiply a value that the same loop computes in registers, by
/// asynchronous instructions.
static Reason whyNotFed(const GroupModel &group, const Schedule &schedule,
                        unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  const Contraction &contraction = group.contractions[number];
  if (!mapping.intrinsic->isAsync)
    return mapping.intrinsic->name.str() +
           " is synchronous: it has ended when the next instruction begins";
  std::optional<unsigned> producer =
      producerOfOperandA(group, schedule, number);
  if (!producer || !schedule.contractions[*producer].intrinsic->isAsync ||
      schedule.places[group.contractions[*producer].result].space !=
          fuse::Space::Registers)
    return "the A operand of its MMA is not the value of an asynchronous "
           "contraction, in registers";
  llvm::SmallVector<TilingStatement> statements = listStatements(schedule.tree);
  llvm::SmallVector<unsigned, 8> loops =
      loopsOf(statements, group, schedule, number);
  if (loops != loopsOf(statements, group, schedule, *producer))
    return "the A operand of its MMA is computed in other loops";
  if (loops.empty() || sequentialTrips(group, schedule, loops.back()) < 2)
    return "it is in no loop";
  if (!llvm::is_contained(contraction.reduction, loops.back()))
    return "it is complete in each iteration, and the operators that need it "
           "come after it";
  return std::nullopt;
}

std::optional<unsigned> fusion::producerOfOperandA(const GroupModel &group,
                                                   const Schedule &schedule,
                                                   unsigned number) {
  return group.contractions[number]
      .producer[schedule.contractions[number].isOperandA(0) ? 0 : 1];
}

/// Returns the reason why the MMAs of a contraction cannot be in flight while
/// the next iteration adds to its sum, or nullopt, whatever else is in its
/// loop.
static Reason whyNotSummed(const GroupModel &group, const Schedule &schedule,
                           unsigned number, ArrayRef<unsigned> loops) {
  const ContractionMapping &mapping = schedule.contractions[number];
  const Contraction &contraction = group.contractions[number];
  if (!mapping.intrinsic->isAsync)
    return mapping.intrinsic->name.str() +
           " is synchronous: it has ended when the next instruction begins";
  for (unsigned operand : {0u, 1u})
    if (contraction.producer[operand] ||
        !isReadFromShared(group, schedule, number, operand))
      return std::string("the ") + (mapping.isOperandA(operand) ? "A" : "B") +
             " operand of its MMA is not loaded to shared memory";
  if (loops.empty() || sequentialTrips(group, schedule, loops.back()) < 2)
    return "it is in no loop";
  if (!llvm::is_contained(contraction.reduction, loops.back()))
    return "it is complete in each iteration";
  return std::nullopt;
}

static Reason whyNotSummed(const GroupModel &group, const Schedule &schedule,
                           unsigned number) {
  llvm::SmallVector<TilingStatement> statements = listStatements(schedule.tree);
  llvm::SmallVector<unsigned, 8> loops =
      loopsOf(statements, group, schedule, number);
  if (Reason reason = whyNotSummed(group, schedule, number, loops))
    return reason;
  for (unsigned other = 0; other < group.contractions.size(); ++other)
    if (other != number &&
        loopsOf(statements, group, schedule, other) == loops &&
        whyNotSummed(group, schedule, other, loops))
      return "'" + group.valueName(other) + "', in its loop, cannot";
  return std::nullopt;
}

/// A contraction that overlaps with the next iteration waits for nothing but
/// the copies of its own operands, and multiplies a value that waits for it.
Reason fusion::whyNotOverlapped(const GroupModel &group,
                                const Schedule &schedule, unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  const Contraction &contraction = group.contractions[number];
  std::string who = "'" + group.valueName(number) +
                    "' cannot overlap with the next iteration's contractions: ";
  bool isFed = producerOfOperandA(group, schedule, number).has_value();
  if (Reason reason = isFed ? whyNotFed(group, schedule, number)
                            : whyNotSummed(group, schedule, number))
    return who + *reason;
  if (!isFed && schedule.isPingPong)
    return who + "warpgroups alternate on the tensor cores";
  unsigned second = mapping.isOperandA(0) ? 1 : 0;
  if (contraction.producer[second])
    return who + "the B operand of its MMA is computed";
  for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places)) {
    if (tensor.role != TensorRole::Operand)
      continue;
    bool isOwn = tensor.isOperandOf(number, second) ||
                 (!isFed && tensor.isOperandOf(number, 1 - second));
    if (isOwn && place.transport != fuse::Transport::TMA)
      return who + "'" + tensor.name + "' is not copied by TMA";
    // Threads that wait for their own copies meet at barriers.
    if (place.stages > 1 && place.transport != fuse::Transport::TMA)
      return who + "'" + tensor.name + "' is prefetched by copies of threads";
  }
  return std::nullopt;
}

/// Calls `visit` with the number of each tensor whose tiles the MMAs of a
/// contraction with overlap read in place.
static void forEachOverlapped(const GroupModel &group, const Schedule &schedule,
                              unsigned number,
                              llvm::function_ref<void(unsigned)> visit) {
  for (unsigned operand : {0u, 1u})
    if (!group.contractions[number].producer[operand])
      for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
        if (group.tensors[tensor].isOperandOf(number, operand))
          visit(tensor);
}

unsigned fusion::fewestStages(const GroupModel &group, const Schedule &schedule,
                              unsigned number) {
  unsigned fewest = std::numeric_limits<unsigned>::max();
  forEachOverlapped(group, schedule, number, [&](unsigned tensor) {
    fewest = std::min(fewest, schedule.places[tensor].stages);
  });
  return fewest;
}

Reason fusion::whyOverlapStalls(const GroupModel &group,
                                const Schedule &schedule) {
  Reason reason;
  for (auto [number, mapping] : llvm::enumerate(schedule.contractions)) {
    if (mapping.stages == 1)
      continue;
    forEachOverlapped(group, schedule, number, [&](unsigned tensor) {
      if (!reason && schedule.places[tensor].stages == 1)
        reason = "'" + group.valueName(number) +
                 "' cannot overlap with the next iteration's contractions: '" +
                 group.tensors[tensor].name + "' has one stage";
    });
  }
  return reason;
}

std::optional<std::string> fusion::whyNotPingPong(const GroupModel &group,
                                                  const Schedule &schedule) {
  std::string what = "warpgroups cannot alternate on the tensor cores: ";
  if (countWarpgroups(schedule) < 2)
    return what + std::to_string(schedule.warps) +
           " warps do not make two warpgroups of " +
           std::to_string(kWarpgroupWarps);
  Reason first;
  bool isAny = false;
  for (auto [number, mapping] : llvm::enumerate(schedule.contractions)) {
    std::string name = "'" + group.valueName(number) + "'";
    if (!mapping.intrinsic->isOfWarpgroup())
      return what + "single warps multiply " + name;
    // Warpgroups side by side would exchange values and parts of rows.
    if (mapping.warps[1] > 1)
      return what + name + " has warpgroups side by side";
    Reason reason = whyNotFed(group, schedule, number);
    isAny |= !reason;
    if (reason && !first)
      first = name + ": " + *reason;
  }
  if (!isAny)
    return what + "nothing is computed between contractions of one loop; " +
           *first;
  // Threads that have copied meet at barriers.
  for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
    if (tensor.role == TensorRole::Operand &&
        place.space == fuse::Space::Shared &&
        place.transport != fuse::Transport::TMA)
      return what + "'" + tensor.name + "' is not copied by TMA";
  return std::nullopt;
}
