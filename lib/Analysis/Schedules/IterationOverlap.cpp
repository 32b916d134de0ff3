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

/// A contraction that overlaps with the next iteration waits for nothing but
/// the copies of its own operand, and multiplies a value that waits for it.
Reason fusion::whyNotOverlapped(const GroupModel &group,
                                const Schedule &schedule, unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  const Contraction &contraction = group.contractions[number];
  std::string who = "'" + group.valueName(number) +
                    "' cannot overlap with the next iteration's contractions: ";
  if (Reason reason = whyNotFed(group, schedule, number))
    return who + *reason;
  unsigned second = mapping.isOperandA(0) ? 1 : 0;
  if (contraction.producer[second])
    return who + "the B operand of its MMA is computed";
  for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places)) {
    if (tensor.role != TensorRole::Operand)
      continue;
    bool isOwn = tensor.operandNumber == second &&
                 (tensor.contraction == number ||
                  llvm::is_contained(tensor.sharedBy, number));
    if (isOwn && place.transport != fuse::Transport::TMA)
      return who + "'" + tensor.name + "' is not copied by TMA";
    // Threads that wait for their own copies meet at barriers.
    if (place.stages > 1 && place.transport != fuse::Transport::TMA)
      return who + "'" + tensor.name + "' is prefetched by copies of threads";
  }
  return std::nullopt;
}

Reason fusion::whyOverlapStalls(const GroupModel &group,
                                const Schedule &schedule) {
  for (auto [number, mapping] : llvm::enumerate(schedule.contractions)) {
    if (mapping.stages == 1)
      continue;
    unsigned second = mapping.isOperandA(0) ? 1 : 0;
    for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
      if (tensor.role == TensorRole::Operand &&
          tensor.operandNumber == second &&
          (tensor.contraction == number ||
           llvm::is_contained(tensor.sharedBy, number)) &&
          place.stages == 1)
        return "'" + group.valueName(number) +
               "' cannot overlap with the next iteration's contractions: '" +
               tensor.name + "' has one stage";
  }
  return std::nullopt;
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
