//===- RetainedTilesAnalysis.cpp - Which tiles of a tree live on ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RetainedTilesAnalysis.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::Twine;
using Reason = std::optional<std::string>;

using Loops = RetainedTilesAnalysis::Loops;

size_t RetainedTilesAnalysis::commonPart(Loops a, Loops b) {
  size_t length = 0;
  while (length < a.size() && length < b.size() && a[length] == b[length])
    ++length;
  return length;
}

Reason RetainedTilesAnalysis::locate(
    const TilingTree &items, llvm::SmallVectorImpl<const TilingNode *> &loops) {
  for (const TilingNode &node : items) {
    if (node.isLoop()) {
      if (trips(node.index) == 1)
        return "loop '" + group.axisName(node.index) +
               "' has one iteration and must not be in the expression";
      if (llvm::any_of(loops, [&](const TilingNode *outer) {
            return outer->index == node.index;
          }))
        return "loop '" + group.axisName(node.index) + "' is nested in itself";
      bool isBlock = schedule.isBlockAxis(node.index);
      if (isBlock && !loops.empty() &&
          !schedule.isBlockAxis(loops.back()->index))
        return "loop '" + group.axisName(node.index) +
               "' is bound to the grid but stands inside of '" +
               group.axisName(loops.back()->index) + "', which is not";
      if (isBlock && items.size() != 1)
        return "loop '" + group.axisName(node.index) +
               "' is bound to the grid and must enclose everything else";
      loops.push_back(&node);
      if (Reason reason = locate(node.children, loops))
        return reason;
      loops.pop_back();
      ends.push_back({&node, counter - 1});
      continue;
    }
    auto &list = node.kind == TilingNode::Kind::Load      ? retained.loads
                 : node.kind == TilingNode::Kind::Compute ? retained.computes
                                                          : retained.stores;
    std::optional<TreePosition> &slot = list[node.index];
    if (slot)
      return "tensor '" + group.tensorName(node.index) +
             "' has the same statement twice";
    slot.emplace();
    slot->loops.assign(loops.begin(), loops.end());
    slot->order = counter++;
  }
  return std::nullopt;
}

/// Checks that each statement occurs once, in all live loops that index its
/// tensor or belong to its operator.
Reason RetainedTilesAnalysis::checkStatements() const {
  auto hasLoop = [](const TreePosition &position, unsigned axis) {
    return llvm::any_of(position.loops, [&](const TilingNode *loop) {
      return loop->index == axis;
    });
  };
  for (auto [number, tensor] : llvm::enumerate(group.tensors)) {
    if (tensor.role == TensorRole::Rows || tensor.pass)
      continue; // RetainedStatistics.cpp checks these
    bool isProduct = tensor.role == TensorRole::Intermediate ||
                     tensor.role == TensorRole::Result;
    bool isStatistic = tensor.role == TensorRole::Statistic;
    bool isStored = tensor.role == TensorRole::Result || isStatistic;
    if (retained.loads[number].has_value() == (isProduct || isStatistic))
      return isProduct || isStatistic
                 ? "contraction '" + tensor.name + "' must not be loaded"
                 : "operand '" + tensor.name + "' is never loaded";
    if (retained.computes[number].has_value() != isProduct)
      return isProduct ? "contraction '" + tensor.name + "' is never computed"
                       : "operand '" + tensor.name + "' must not be computed";
    if (retained.stores[number].has_value() != isStored)
      return isStored
                 ? "result '" + tensor.name + "' is never stored"
                 : "'" + tensor.name + "' is no result and must not be stored";
    const TreePosition &position = isProduct     ? *retained.computes[number]
                                   : isStatistic ? *retained.stores[number]
                                                 : *retained.loads[number];
    ArrayRef<unsigned> axes =
        isProduct
            ? ArrayRef<unsigned>(group.contractions[tensor.contraction].axes)
            : ArrayRef<unsigned>(tensor.axes);
    for (unsigned axis : axes)
      if (trips(axis) > 1 && !hasLoop(position, axis))
        return std::string(isProduct ? "C" : "L") + tensor.name +
               " stands outside of loop '" + group.axisName(axis) + "'";
    if (isStored)
      for (unsigned axis : tensor.axes)
        if (trips(axis) > 1 && !hasLoop(*retained.stores[number], axis))
          return "S" + tensor.name + " stands outside of loop '" +
                 group.axisName(axis) + "'";
  }
  return std::nullopt;
}

void RetainedTilesAnalysis::addSlots(TileSlots &slots, unsigned axis) const {
  // More than any block can hold, and still exact when multiplied by a tile.
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  slots.axes.push_back(axis);
  slots.count = std::min(most, slots.count * std::min(most, trips(axis)));
}

/// Counts accumulators, which live from the outermost reduction loop to its
/// end. Parallel loops inside of it retain a tile for each iteration.
Reason RetainedTilesAnalysis::analyzeSum(unsigned number) {
  const Contraction &contraction = group.contractions[number];
  Loops loops = retained.computes[contraction.result]->loops;
  for (const TilingNode *loop : loops) {
    bool isReduction = llvm::is_contained(contraction.reduction, loop->index);
    if (isReduction && !retained.reductions[number])
      retained.reductions[number] = loop;
    if (isReduction || !retained.reductions[number])
      continue;
    if (!group.indexes(contraction.result, loop->index))
      return "loop '" + group.axisName(loop->index) + "' repeats C" +
             group.tensorName(contraction.result) +
             " inside of its own reduction";
    addSlots(retained.accumulators[number], loop->index);
  }
  return std::nullopt;
}

/// Checks the element-wise operators after a contraction: they follow its
/// completion, or the last load of their other operands.
Reason RetainedTilesAnalysis::analyzeIntermediateEpilogue(unsigned number) {
  unsigned result = group.contractions[number].result;
  const std::string &name = group.tensorName(result);
  Loops scope = scopeOf(number);
  IntermediateEpilogue &epilogue = retained.intermediateEpilogues[number];
  epilogue.loops.assign(scope.begin(), scope.end());
  epilogue.order = retained.reductions[number]
                       ? endOf(retained.reductions[number])
                       : retained.computes[result]->order;
  for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
    if (tensor.role != TensorRole::Extra || tensor.contraction != number)
      continue;
    const TreePosition &load = *retained.loads[index];
    if (isInsideSum(number, load.loops))
      return "L" + tensor.name + " is inside of the loops that sum '" + name +
             "'";
    if (load.order < epilogue.order)
      continue;
    if (commonPart(load.loops, scope) < scope.size())
      return "L" + tensor.name + " comes after the loops in which '" + name +
             "' is completed";
    epilogue.loops = load.loops;
    epilogue.after = index;
    epilogue.order = load.order;
  }
  for (unsigned axis : retained.accumulators[number].axes)
    if (llvm::none_of(epilogue.loops, [&](const TilingNode *loop) {
          return loop->index == axis;
        }))
      epilogue.opened.push_back(axis);
  for (auto [index, tensor] : llvm::enumerate(group.tensors))
    if (tensor.role == TensorRole::Extra && tensor.contraction == number) {
      if (Reason reason = analyzeLoad(index, epilogue.loops))
        return reason;
      retained.lastUses[index] = epilogue.order;
    }
  return std::nullopt;
}

/// Counts slots for tiles that are made in loops `made` and in loops that
/// lowering opens. The uses share the outermost `common` loops.
Reason RetainedTilesAnalysis::keep(unsigned tensor, Loops made,
                                   ArrayRef<unsigned> opened, size_t common,
                                   const Twine &what) {
  TileSlots &slots = retained.values[tensor];
  Loops makers = made.drop_front(common);
  for (const TilingNode *loop : makers) {
    if (!group.indexes(tensor, loop->index))
      return ("loop '" + group.axisName(loop->index) + "' repeats " + what +
              ", which is used outside of it")
          .str();
    addSlots(slots, loop->index);
  }
  for (unsigned axis : opened)
    addSlots(slots, axis);
  retained.makers[tensor] = makers.empty() ? nullptr : makers.front();
  return std::nullopt;
}

Reason RetainedTilesAnalysis::analyzeLoad(unsigned tensor, Loops use) {
  Loops load = retained.loads[tensor]->loops;
  return keep(tensor, load, {}, commonPart(load, use),
              Twine("L") + group.tensorName(tensor));
}

/// Checks that operators after contraction `home` can read the tile of
/// contraction `number`: it is complete before, in loops that are around both.
Reason RetainedTilesAnalysis::analyzeJoin(unsigned number, unsigned home) {
  const std::string name = "'" + group.valueName(number) + "'",
                    other = "'" + group.valueName(home) + "'";
  const IntermediateEpilogue &made = retained.intermediateEpilogues[number],
                             &used = retained.intermediateEpilogues[home];
  bool isBefore = made.order < used.order ||
                  (made.order == used.order && number < home && !made.after);
  if (!isBefore || commonPart(made.loops, used.loops) < made.loops.size())
    return name + " is not complete where it joins " + other;
  if (!made.opened.empty() || !used.opened.empty())
    return "several tiles of " + name +
           " are complete at once where it joins " + other;
  unsigned &lastUse = retained.lastUses[group.contractions[number].result];
  lastUse = std::max(lastUse, used.order);
  return std::nullopt;
}

/// Checks that all uses of a value follow its intermediate epilogue, outside of
/// its reduction.
Reason RetainedTilesAnalysis::analyzeUses(unsigned number) {
  unsigned result = group.contractions[number].result;
  const std::string &name = group.tensorName(result);
  const IntermediateEpilogue &epilogue = retained.intermediateEpilogues[number];
  size_t common = epilogue.loops.size();
  unsigned lastUse = epilogue.order;
  auto use = [&](const TreePosition &user, const Twine &statement,
                 const char *incomplete) -> Reason {
    if (isInsideSum(number, user.loops) ||
        user.order < retained.computes[result]->order)
      return (statement + incomplete + name + "'").str();
    if (epilogue.after && user.order < epilogue.order)
      return ("L" + group.tensorName(*epilogue.after) + " does not precede " +
              statement)
          .str();
    size_t shared = commonPart(epilogue.loops, user.loops);
    common = std::min(common, shared);
    Loops own = Loops(user.loops).drop_front(shared);
    lastUse = std::max(lastUse, own.empty() ? user.order : endOf(own.front()));
    return std::nullopt;
  };
  for (const Contraction &consumer : group.contractions)
    if (llvm::is_contained(consumer.producer, std::optional(number)))
      if (Reason reason = use(*retained.computes[consumer.result],
                              Twine("C") + group.tensorName(consumer.result),
                              " does not follow the completion of '"))
        return reason;
  if (const std::optional<TreePosition> &store = retained.stores[result]) {
    if (Reason reason = use(*store, Twine("S") + name,
                            " must directly follow the completion of '"))
      return reason;
    for (const TilingNode *loop : Loops(store->loops).drop_front(common))
      if (!group.indexes(result, loop->index))
        return "loop '" + group.axisName(loop->index) + "' repeats S" + name;
  }
  retained.lastUses[result] = lastUse;
  return keep(result, epilogue.loops, epilogue.opened, common,
              Twine("C") + name);
}

Reason RetainedTilesAnalysis::run() {
  size_t tensors = group.tensors.size(),
         contractions = group.contractions.size();
  retained.trips.clear();
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    retained.trips.push_back(sequentialTrips(group, schedule, axis));
  // Drops the statements of the previous schedule.
  for (auto *list : {&retained.loads, &retained.computes, &retained.stores}) {
    list->resize(tensors);
    for (std::optional<TreePosition> &slot : *list)
      slot.reset();
  }
  auto clear = [](llvm::SmallVectorImpl<TileSlots> &list, size_t size) {
    list.resize(size);
    for (TileSlots &slots : list) {
      slots.axes.clear();
      slots.count = 1;
    }
  };
  clear(retained.values, tensors);
  retained.makers.assign(tensors, nullptr);
  retained.lastUses.assign(tensors, 0);
  clear(retained.accumulators, contractions);
  retained.reductions.assign(contractions, nullptr);
  retained.intermediateEpilogues.resize(contractions);
  for (IntermediateEpilogue &epilogue : retained.intermediateEpilogues) {
    epilogue.loops.clear();
    epilogue.opened.clear();
    epilogue.after.reset();
    epilogue.order = 0;
  }
  retained.statisticsLoops.assign(group.rowStatistics.size(), nullptr);
  retained.runsWithContraction.assign(group.rowStatistics.size(), false);
  SmallVector<const TilingNode *, 8> loops;
  if (Reason reason = locate(schedule.tree, loops))
    return reason;
  if (Reason reason = checkStatements())
    return reason;
  for (unsigned number = 0; number < group.rowStatistics.size(); ++number)
    if (Reason reason = locatePass(number))
      return reason;
  for (unsigned number = 0; number < contractions; ++number) {
    if (Reason reason = analyzeSum(number))
      return reason;
    if (Reason reason = analyzeIntermediateEpilogue(number))
      return reason;
    if (Reason reason = analyzeUses(number))
      return reason;
  }
  for (unsigned number = 0; number < group.rowStatistics.size(); ++number)
    if (Reason reason = analyzePass(number))
      return reason;
  for (auto [home, contraction] : llvm::enumerate(group.contractions))
    for (unsigned number : contraction.joined)
      if (Reason reason = analyzeJoin(number, home))
        return reason;
  for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
    if (tensor.role != TensorRole::Operand || tensor.pass)
      continue;
    SmallVector<unsigned, 2> readers{tensor.contraction};
    llvm::append_range(readers, tensor.sharedBy);
    Loops load = retained.loads[index]->loops;
    size_t common = load.size();
    for (unsigned reader : readers) {
      unsigned result = group.contractions[reader].result;
      const TreePosition &compute = *retained.computes[result];
      if (retained.loads[index]->order > compute.order)
        return "L" + tensor.name + " does not precede C" +
               group.tensorName(result);
      size_t shared = commonPart(load, compute.loops);
      common = std::min(common, shared);
      retained.lastUses[index] = std::max(retained.lastUses[index],
                                          shared == compute.loops.size()
                                              ? compute.order
                                              : endOf(compute.loops[shared]));
    }
    for (auto [number, pass] : llvm::enumerate(group.rowStatistics)) {
      auto *read = llvm::find(pass.reads, index);
      if (read == pass.reads.end() ||
          retained.loads[pass.prepassReads[read - pass.reads.begin()]])
        continue;
      // Row statistics that read the contraction's tiles.
      const TreePosition &compute = *retained.computes[pass.rows];
      if (retained.loads[index]->order > compute.order)
        return "L" + tensor.name + " does not precede C" +
               group.tensorName(pass.rows);
      common = std::min(common, commonPart(load, compute.loops));
    }
    if (Reason reason = keep(index, load, {}, common, Twine("L") + tensor.name))
      return reason;
  }
  return std::nullopt;
}
