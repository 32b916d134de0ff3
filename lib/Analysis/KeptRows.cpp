//===- KeptRows.cpp - Where rows of operands are made and needed ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptTilesAnalysis.h"

using namespace fusion;
using llvm::SmallVector;
using Reason = std::optional<std::string>;
using Loops = KeptTilesAnalysis::Loops;

/// Its statement, in all live loops over its rows and, innermost, its axis,
/// with the loads that are its own.
Reason KeptTilesAnalysis::locatePass(unsigned number) {
  const RowPass &pass = group.passes[number];
  const std::string &name = group.tensorName(pass.rows);
  const std::optional<TreePosition> &at = kept.computes[pass.rows];
  if (!at || kept.loads[pass.rows] || kept.stores[pass.rows])
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
    kept.rowLoops[number] = at->loops.back();
  }
  for (unsigned tensor : pass.ahead) {
    if (!kept.loads[tensor])
      continue;
    const std::string load = "L" + group.tensorName(tensor);
    if (kept.computes[tensor] || kept.stores[tensor])
      return "operand '" + group.tensorName(tensor) + "' must not be computed";
    if (kept.loads[tensor]->order > at->order)
      return load + " does not precede C" + name;
    for (unsigned axis : group.tensors[tensor].axes)
      if (trips(axis) > 1 &&
          llvm::none_of(kept.loads[tensor]->loops, [&](const TilingNode *loop) {
            return loop->index == axis;
          }))
        return load + " stands outside of loop '" + group.axisName(axis) + "'";
    if (Reason reason = analyzeLoad(tensor, at->loops))
      return reason;
    kept.lastUses[tensor] = at->order;
  }
  return std::nullopt;
}

/// Rows are final where `user` reads them, or run in the same loop as it.
Reason KeptTilesAnalysis::checkRowsReach(unsigned number,
                                         const TreePosition &user,
                                         const std::string &statement) {
  const std::string name = "C" + group.tensorName(group.passes[number].rows);
  const TreePosition &at = *kept.computes[group.passes[number].rows];
  Loops around(at.loops);
  if (user.order < at.order)
    return name + " does not precede " + statement;
  if (kept.rowLoops[number] &&
      !llvm::is_contained(user.loops, kept.rowLoops[number]))
    around = around.drop_back();
  if (commonPart(around, user.loops) < around.size())
    return "the rows of " + name + " do not reach " + statement;
  return std::nullopt;
}

/// Who needs the rows: later passes of the product, and all that multiply what
/// the operators in front of it make.
Reason KeptTilesAnalysis::analyzePass(unsigned number) {
  const RowPass &pass = group.passes[number];
  const TilingNode *loop = kept.rowLoops[number];
  SmallVector<unsigned, 2> readers{pass.product};
  for (unsigned tensor : pass.reads)
    for (unsigned product : group.tensors[tensor].sharedBy)
      if (!llvm::is_contained(readers, product))
        readers.push_back(product);
  std::optional<bool> runs;
  for (unsigned reader : readers) {
    unsigned result = group.products[reader].result;
    const TreePosition &compute = *kept.computes[result];
    if (Reason reason =
            checkRowsReach(number, compute, "C" + group.tensorName(result)))
      return reason;
    bool isInside = loop && llvm::is_contained(compute.loops, loop);
    if (isInside && kept.reductions[reader] != loop)
      return "C" + group.tensorName(result) + " does not sum up in loop '" +
             group.axisName(pass.axis) + "', in which its rows are reduced";
    if (runs && *runs != isInside)
      return "the rows of C" + group.tensorName(pass.rows) +
             " run in the loop of one product and not in the other's";
    runs = isInside;
  }
  kept.runsWithProduct[number] = *runs;
  for (unsigned later = number + 1; later < group.passes.size(); ++later) {
    const RowPass &other = group.passes[later];
    if (other.product != pass.product ||
        other.operandNumber != pass.operandNumber)
      continue;
    if (Reason reason = checkRowsReach(number, *kept.computes[other.rows],
                                       "C" + group.tensorName(other.rows)))
      return reason;
    if (loop && (kept.rowLoops[later] == loop) != *runs)
      return "C" + group.tensorName(pass.rows) + " and C" +
             group.tensorName(other.rows) +
             " run in one loop only if their product does, too";
  }
  return std::nullopt;
}

bool fusion::runsOnline(const GroupModel &group, const KeptTiles &kept,
                        unsigned axis) {
  if (kept.trips[axis] == 1)
    return false;
  for (auto [number, pass] : llvm::enumerate(group.passes))
    if (pass.axis == axis)
      return kept.runsWithProduct[number];
  return true;
}
