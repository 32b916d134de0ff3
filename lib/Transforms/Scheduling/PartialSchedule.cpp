//===- PartialSchedule.cpp - The schedule of the parts of a split chain ---===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialSchedule.h"
#include "fusion/Analysis/Chains/ReadChain.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"

using namespace mlir;
using namespace fusion;

/// Returns whether a node contains a statement on the tensor.
static bool contains(const TilingNode &node, TilingNode::Kind kind,
                     unsigned tensor) {
  return (node.kind == kind && node.index == tensor) ||
         llvm::any_of(node.children, [&](const TilingNode &child) {
           return contains(child, kind, tensor);
         });
}

/// Places the stores of row statistics at the end of the loops that compute
/// them.
static void placeRowStore(Schedule &schedule, const GroupModel &group,
                          unsigned tensor) {
  const GroupTensor &rows = group.tensors[tensor];
  unsigned value = group.contractions[rows.contraction].result;
  TilingTree *items = &schedule.tree;
  auto inner = [&]() -> TilingTree * {
    for (TilingNode &node : *items)
      if (node.isLoop() && contains(node, TilingNode::Kind::Compute, value) &&
          (schedule.isBlockAxis(node.index) ||
           llvm::is_contained(rows.axes, node.index)))
        return &node.children;
    return nullptr;
  };
  while (TilingTree *next = inner())
    items = next;
  items->push_back({TilingNode::Kind::Store, tensor, {}});
}

/// Returns the tensor of the partial group that stands for one of the chain's.
static unsigned tensorOfPart(unsigned tensor, const GroupAxes &whole,
                             const GroupAxes &part, const IRMapping &mapping) {
  auto ofValue = [&](unsigned each) {
    return part.tensorOf.lookup(mapping.lookup(whole.values[each]));
  };
  // Row statistics are the chain's, in the same order.
  for (auto [pass, own] :
       llvm::zip_equal(whole.model.rowStatistics, part.model.rowStatistics)) {
    if (pass.rows == tensor)
      return own.rows;
    for (auto [read, ahead] : llvm::zip_equal(pass.reads, pass.prepassReads))
      if (ahead == tensor)
        return own.prepassReads[llvm::find(own.reads, ofValue(read)) -
                                own.reads.begin()];
  }
  return ofValue(tensor);
}

FailureOr<fuse::ScheduleAttr>
fusion::makePartialSchedule(const GroupAxes &axes, const Schedule &schedule,
                            fuse::ChainOp group, ValueRange yielded,
                            const IRMapping &mapping) {
  auto fail = [&](const Twine &why) {
    group.emitError("cannot be split: ") << why;
  };
  FailureOr<GroupAxes> partial = readChain(
      cast<fuse::FusedGroupOpInterface>(group.getOperation()).getOperators(),
      yielded, fail);
  if (failed(partial))
    return failure();
  auto tensorOf = [&](unsigned tensor) {
    return tensorOfPart(tensor, axes, *partial, mapping);
  };
  Schedule result = schedule;
  std::function<void(TilingTree &)> drop = [&](TilingTree &items) {
    llvm::erase_if(items, [&](const TilingNode &node) {
      return !node.isLoop() &&
             isReducedAcrossBlocks(axes.model, schedule, node.index);
    });
    for (TilingNode &node : items)
      if (node.isLoop())
        drop(node.children);
      else
        node.index = tensorOf(node.index);
  };
  drop(result.tree);
  for (auto [index, tensor] : llvm::enumerate(partial->model.tensors))
    if (tensor.role == TensorRole::Statistic)
      placeRowStore(result, partial->model, index);
  result.places.assign(partial->model.tensors.size(), {});
  for (unsigned tensor = 0; tensor < axes.model.tensors.size(); ++tensor)
    if (!isReducedAcrossBlocks(axes.model, schedule, tensor))
      result.places[tensorOf(tensor)] = schedule.places[tensor];
  // Reductions behind the sum are in the group that adds the partial results.
  result.reduction = reductionForm(partial->model, result);
  if (result.reduction != fuse::ReductionForm::Online)
    result.rescaleThreshold = 0;
  return exportSchedule(result, partial->model, group.getContext());
}
