//===- RetainedStatistics.cpp - Which row statistics are retained ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RetainedTilesAnalysis.h"

using namespace fusion;
using llvm::SmallVector;
using Reason = std::optional<std::string>;
using Loops = RetainedTilesAnalysis::Loops;

/// Its statement, in all live loops over its rows and, innermost, its axis,
/// with the loads that are its own.
Reason RetainedTilesAnalysis::locatePass(unsigned number) {
  const RowStatistics &pass = group.rowStatistics[number];
  const std::string &name = group.tensorName(pass.rows);
  const std::optional<TreePosition> &at = retained.computes[pass.rows];
  if (!at || retained.loads[pass.rows] || retained.stores[pass.rows])
    return "the rows '" + name + "' are computed once and not moved";
  SmallVector<unsigned, 4> needed(group.tensors[pass.rows].axes);
  needed.push_back(pass.axis);
  for (unsigned axis : needed)
    if (trips(axis) > 1 &&
        llvm::none_of(at->loops, [&](const TilingNode *loop) {
          return loop->index == axis;
        }))
      return "C" + name + " stands outside of loop '" + group.axisName(axis) +
             "'";
  if (trips(pass.axis) > 1) {
    if (at->loops.back()->index != pass.axis)
      return "C" + name + " is not directly in the loop '" +
             group.axisName(pass.axis) + "' that it runs along";
    retained.statisticsLoops[number] = at->loops.back();
  }
  for (unsigned tensor : pass.prepassReads) {
    if (!retained.loads[tensor])
      continue;
    const std::string load = "L" + group.tensorName(tensor);
    if (retained.computes[tensor] || retained.stores[tensor])
      return "operand '" + group.tensorName(tensor) + "' must not be computed";
    if (retained.loads[tensor]->order > at->order)
      return load + " does not precede C" + name;
    for (unsigned axis : group.tensors[tensor].axes)
      if (trips(axis) > 1 && llvm::none_of(retained.loads[tensor]->loops,
                                           [&](const TilingNode *loop) {
                                             return loop->index == axis;
                                           }))
        return load + " stands outside of loop '" + group.axisName(axis) + "'";
    if (Reason reason = analyzeLoad(tensor, at->loops))
      return reason;
    retained.lastUses[tensor] = at->order;
  }
  return std::nullopt;
}

/// Rows are final where `user` reads them, or run in the same loop as it.
Reason RetainedTilesAnalysis::checkRowsReach(unsigned number,
                                             const TreePosition &user,
                                             const std::string &statement) {
  const std::string name =
      "C" + group.tensorName(group.rowStatistics[number].rows);
  const TreePosition &at = *retained.computes[group.rowStatistics[number].rows];
  Loops around(at.loops);
  if (user.order < at.order)
    return name + " does not precede " + statement;
  if (retained.statisticsLoops[number] &&
      !llvm::is_contained(user.loops, retained.statisticsLoops[number]))
    around = around.drop_back();
  if (commonPart(around, user.loops) < around.size())
    return "the rows of " + name + " do not reach " + statement;
  return std::nullopt;
}

/// The readers of the rows: later statistics of the contraction, and all
/// contractions that multiply its prologue's values.
Reason RetainedTilesAnalysis::analyzePass(unsigned number) {
  const RowStatistics &pass = group.rowStatistics[number];
  const TilingNode *loop = retained.statisticsLoops[number];
  SmallVector<unsigned, 2> readers{pass.contraction};
  for (unsigned tensor : pass.reads)
    for (unsigned contraction : group.tensors[tensor].sharedBy)
      if (!llvm::is_contained(readers, contraction))
        readers.push_back(contraction);
  std::optional<bool> runs;
  for (unsigned reader : readers) {
    unsigned result = group.contractions[reader].result;
    const TreePosition &compute = *retained.computes[result];
    if (Reason reason =
            checkRowsReach(number, compute, "C" + group.tensorName(result)))
      return reason;
    bool isInside = loop && llvm::is_contained(compute.loops, loop);
    if (isInside && retained.reductions[reader] != loop)
      return "C" + group.tensorName(result) + " does not sum up in loop '" +
             group.axisName(pass.axis) + "', in which its rows are reduced";
    if (runs && *runs != isInside)
      return "the rows of C" + group.tensorName(pass.rows) +
             " run in the loop of one contraction and not in the other's";
    runs = isInside;
  }
  retained.runsWithContraction[number] = *runs;
  for (unsigned later = number + 1; later < group.rowStatistics.size();
       ++later) {
    const RowStatistics &other = group.rowStatistics[later];
    if (other.contraction != pass.contraction ||
        other.operandNumber != pass.operandNumber)
      continue;
    if (Reason reason = checkRowsReach(number, *retained.computes[other.rows],
                                       "C" + group.tensorName(other.rows)))
      return reason;
    if (loop && (retained.statisticsLoops[later] == loop) != *runs)
      return "C" + group.tensorName(pass.rows) + " and C" +
             group.tensorName(other.rows) +
             " run in one loop only if their contractions do, too";
  }
  return std::nullopt;
}
