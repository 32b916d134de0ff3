//===- ReductionLegality.cpp - Reductions between products ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionLegality.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using Reason = std::optional<std::string>;

namespace {

class Checker {
public:
  Checker(const GroupModel &group, const Schedule &schedule,
          const RetainedTiles &retained)
      : group(group), schedule(schedule), retained(retained) {}

  Reason run() {
    std::optional<fuse::ReductionForm> form = reductionForm(group, schedule);
    if (schedule.reduction != form) {
      if (!form)
        return "the group has no reductions whose form could be chosen";
      switch (*form) {
      case fuse::ReductionForm::Online:
        return "an axis of a reduction is cut into tiles, so the reductions "
               "run "
               "online";
      case fuse::ReductionForm::Prepass:
        return "the reductions whose axes are cut into tiles are complete "
               "before the contraction that reads them, so they are 'prepass'";
      case fuse::ReductionForm::OneTile:
        return "the axes of all reductions fit in their tiles, so none runs "
               "online";
      }
    }
    if (schedule.rescaleThreshold > 0)
      if (Reason reason = checkRescale())
        return reason;
    for (const Reduction &reduction : group.reductions)
      if (Reason reason =
              reduction.pass ? checkPass(*reduction.pass) : check(reduction))
        return reason;
    for (auto [index, tensor] : llvm::enumerate(group.tensors))
      if (tensor.role == TensorRole::Statistic)
        if (Reason reason = checkStatistic(index))
          return reason;
    return std::nullopt;
  }

private:
  Reason checkRescale();
  Reason check(const Reduction &reduction);
  Reason checkPass(unsigned number);
  Reason checkOnline(const Reduction &reduction, unsigned axis);
  Reason checkRows(unsigned contraction);
  Reason checkJoinedRows(unsigned contraction, unsigned home);
  Reason checkLeaving(unsigned contraction, ArrayRef<unsigned> axes,
                      const std::string &what);
  Reason checkStatistic(unsigned tensor);
  Reason checkLeavingRows(unsigned tensor);

  const GroupModel &group;
  const Schedule &schedule;
  const RetainedTiles &retained;
};

} // namespace

/// Checks that values in the loop have room for the factor that conditional
/// rescaling leaves in them.
Reason Checker::checkRescale() {
  if (schedule.reduction != fuse::ReductionForm::Online)
    return "no reduction runs online whose rescaling could be conditional";
  for (const OnlineAxis &online : group.online) {
    if (!runsOnline(group, retained, online.axis) || !online.whyNot.empty() ||
        online.room >= schedule.rescaleThreshold)
      continue;
    const std::string &name = group.axisName(online.axis);
    if (online.room == 0)
      return "rescaling along '" + name +
             "' cannot be conditional: " + online.roomLimit;
    return "rescaling along '" + name + "' can be postponed up to 2^" +
           std::to_string(online.room) + ", which " + online.roomLimit +
           " have room for, not up to 2^" +
           std::to_string(schedule.rescaleThreshold);
  }
  return std::nullopt;
}

Reason Checker::check(const Reduction &reduction) {
  const ContractionMapping &mapping =
      schedule.contractions[reduction.contraction];
  const std::string &name = group.valueName(reduction.contraction);
  for (unsigned axis : reduction.reduced) {
    if (axis != mapping.i1 && axis != mapping.i2)
      return "'" + name + "' is reduced along '" + group.axisName(axis) +
             "', which is not mapped to its intrinsic";
    if (schedule.isBlockAxis(axis))
      return "'" + name + "' is reduced along '" + group.axisName(axis) +
             "', which is spread over blocks";
  }
  // The reduction has one value for a whole tile. All threads hold it in the
  // end.
  if (reduction.reduced.size() > 1) {
    for (unsigned axis : reduction.reduced)
      if (tripCount(group.axes[axis], schedule.tiles[axis]) > 1)
        return "'" + name +
               "' is reduced along several axes at once, of which '" +
               group.axisName(axis) + "' is cut into tiles";
    return std::nullopt;
  }
  unsigned axis = reduction.reduced.front();
  if (sequentialTrips(group, schedule, axis) > 1)
    if (Reason reason = checkOnline(reduction, axis))
      return reason;
  if (schedule.splitOf(axis) > 1)
    if (Reason reason = checkLeaving(reduction.contraction, reduction.axes,
                                     "the rows of '" + name + "'"))
      return reason;
  return checkRows(reduction.contraction);
}

/// Checks that each iteration of the loop over the axis completes one tile, and
/// that consumers in the loop use the reduction in the same iteration.
Reason Checker::checkOnline(const Reduction &reduction, unsigned axis) {
  const std::string &name = group.valueName(reduction.contraction);
  for (const OnlineAxis &online : group.online)
    if (online.axis == axis && !online.whyNot.empty())
      return "the reductions along '" + group.axisName(axis) +
             "' cannot run online: " + online.whyNot;
  for (const Reduction &other : group.reductions)
    if (other.reduced == reduction.reduced && !other.pass &&
        other.contraction != reduction.contraction)
      return "'" + name + "' and '" + group.valueName(other.contraction) +
             "' are both reduced along '" + group.axisName(axis) + "'";
  const IntermediateEpilogue &epilogue =
      retained.intermediateEpilogues[reduction.contraction];
  if (!epilogue.opened.empty() || epilogue.loops.empty() ||
      epilogue.loops.back()->index != axis)
    return "'" + name + "' is not complete once in each iteration of '" +
           group.axisName(axis) + "', along which it is reduced online";
  const TilingNode *loop = epilogue.loops.back();
  for (auto [number, contraction] : llvm::enumerate(group.contractions))
    if (llvm::is_contained(contraction.producer,
                           std::optional(reduction.contraction)) &&
        retained.reductions[number] != loop)
      return "C" + group.tensorName(contraction.result) +
             " does not sum up in loop '" + group.axisName(axis) +
             "', in which what it multiplies is reduced online";
  return std::nullopt;
}

/// Checks row statistics. They read the operand's tiles as the contraction's
/// intrinsic does. In the contraction's loop they rescale its accumulator, of
/// which they must be rows.
Reason Checker::checkPass(unsigned number) {
  const RowStatistics &pass = group.rowStatistics[number];
  const ContractionMapping &mapping = schedule.contractions[pass.contraction];
  const std::string &name = group.tensorName(pass.rows);
  if (schedule.isBlockAxis(pass.axis))
    return "the rows '" + name + "' are reduced along '" +
           group.axisName(pass.axis) + "', which is spread over blocks";
  if (!retained.runsWithContraction[number])
    return std::nullopt;
  for (const OnlineAxis &online : group.online)
    if (online.axis == pass.axis && !online.whyNot.empty())
      return "the reductions along '" + group.axisName(pass.axis) +
             "' cannot run online: " + online.whyNot;
  if (!mapping.isOperandA(pass.operandNumber))
    return "the rows '" + name + "', which run in the loop of '" +
           group.valueName(pass.contraction) +
           "', are columns of its accumulator";
  return std::nullopt;
}

/// Checks that operators after contraction `home` read rows that are final by
/// then.
Reason Checker::checkJoinedRows(unsigned number, unsigned home) {
  const IntermediateEpilogue &made = retained.intermediateEpilogues[number],
                             &used = retained.intermediateEpilogues[home];
  ArrayRef<const TilingNode *> loops(made.loops);
  // Online reductions are final after their loop.
  if (schedule.reduction == fuse::ReductionForm::Online)
    loops = loops.take_while([&](const TilingNode *loop) {
      return llvm::none_of(group.reductions, [&](const Reduction &reduction) {
        return reduction.contraction == number && !reduction.pass &&
               llvm::is_contained(reduction.reduced, loop->index);
      });
    });
  bool isAround =
      loops.size() <= used.loops.size() &&
      ArrayRef<const TilingNode *>(used.loops).take_front(loops.size()) ==
          loops;
  bool isInside = loops.size() < made.loops.size() &&
                  llvm::is_contained(used.loops, made.loops[loops.size()]);
  if (!isAround || isInside || used.order < made.order)
    return "the rows of '" + group.valueName(number) +
           "' are not final where they join '" + group.valueName(home) + "'";
  return std::nullopt;
}

/// Checks that values of rows reach the tiles of later contractions in the
/// registers of the threads that reduced them.
Reason Checker::checkRows(unsigned number) {
  const ContractionMapping &from = schedule.contractions[number];
  for (auto [index, contraction] : llvm::enumerate(group.contractions)) {
    bool isJoined = llvm::is_contained(contraction.joinedStatistics, number);
    if (isJoined)
      if (Reason reason = checkJoinedRows(number, index))
        return reason;
    if (!isJoined &&
        !llvm::is_contained(contraction.producer, std::optional(number)))
      continue;
    const ContractionMapping &to = schedule.contractions[index];
    // Warpgroups are counted down the rows first, single warps along them.
    bool areCountedAlike =
        to.warps[1] == 1 || to.intrinsic->warps == from.intrinsic->warps;
    if (to.i1 != from.i1 || to.warps[0] != from.warps[0] ||
        to.warps[1] != from.warps[1] || !areCountedAlike)
      return "the rows of '" + group.valueName(number) +
             "', which are reduced, are held by other threads than those of '" +
             group.valueName(index) + "'";
  }
  return std::nullopt;
}

/// Returns the loops in which each iteration completes values of rows, indexed
/// by `axes`, outside of the loop that reduces them.
static ArrayRef<const TilingNode *>
statisticsLoops(const IntermediateEpilogue &epilogue, const Schedule &schedule,
                ArrayRef<unsigned> axes) {
  return ArrayRef<const TilingNode *>(epilogue.loops)
      .take_while([&](const TilingNode *loop) {
        return llvm::is_contained(axes, loop->index) ||
               schedule.isBlockAxis(loop->index);
      });
}

/// Checks that values of rows leave the kernel after the loop that reduces
/// them, which is the innermost loop in which they are made.
Reason Checker::checkLeaving(unsigned number, ArrayRef<unsigned> axes,
                             const std::string &what) {
  const IntermediateEpilogue &epilogue = retained.intermediateEpilogues[number];
  auto inside =
      ArrayRef<const TilingNode *>(epilogue.loops)
          .drop_front(statisticsLoops(epilogue, schedule, axes).size());
  for (const TilingNode *loop : inside)
    if (llvm::none_of(group.reductions, [&](const Reduction &reduction) {
          return reduction.contraction == number && !reduction.pass &&
                 llvm::is_contained(reduction.reduced, loop->index);
        }))
      return "loop '" + group.axisName(loop->index) + "' repeats " + what +
             ", which leave the kernel";
  if (!epilogue.opened.empty())
    return what +
           " leave the kernel, but several tiles of them are complete at "
           "once";
  return std::nullopt;
}

/// Checks that rows of an operand leave after the loops of their row
/// statistics.
Reason Checker::checkLeavingRows(unsigned index) {
  const GroupTensor &tensor = group.tensors[index];
  const TreePosition &store = *retained.stores[index];
  for (auto [number, pass] : llvm::enumerate(group.rowStatistics)) {
    if (pass.contraction != tensor.contraction)
      continue;
    const TreePosition &at = *retained.computes[pass.rows];
    ArrayRef<const TilingNode *> loops(at.loops);
    if (retained.statisticsLoops[number])
      loops = loops.drop_back();
    if (ArrayRef<const TilingNode *>(store.loops) != loops ||
        store.order < at.order)
      return "S" + tensor.name + " must follow the loops that reduce '" +
             tensor.name + "'";
  }
  return std::nullopt;
}

/// Checks that a statistic is stored after the loops that reduce it.
Reason Checker::checkStatistic(unsigned index) {
  const GroupTensor &tensor = group.tensors[index];
  const IntermediateEpilogue &epilogue =
      retained.intermediateEpilogues[tensor.contraction];
  const TreePosition &store = *retained.stores[index];
  if (tensor.ofOperand) {
    if (Reason reason = checkLeavingRows(index))
      return reason;
  } else {
    if (Reason reason = checkLeaving(tensor.contraction, tensor.axes,
                                     "'" + tensor.name + "'"))
      return reason;
    ArrayRef<const TilingNode *> loops =
        statisticsLoops(epilogue, schedule, tensor.axes);
    if (ArrayRef<const TilingNode *>(store.loops) != loops ||
        store.order < epilogue.order)
      return "S" + tensor.name + " must follow the loops that reduce '" +
             tensor.name + "'";
  }
  for (const TilingNode *loop : store.loops)
    if (!schedule.isBlockAxis(loop->index) &&
        !llvm::is_contained(tensor.axes, loop->index))
      return "loop '" + group.axisName(loop->index) + "' repeats S" +
             tensor.name;
  return std::nullopt;
}

Reason fusion::whyNotReduced(const GroupModel &group, const Schedule &schedule,
                             const RetainedTiles &retained) {
  return Checker(group, schedule, retained).run();
}
