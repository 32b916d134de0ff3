//===- PaperOrder.cpp - Candidates of the papers' spaces, best first ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Papers/PaperOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace fusion;
using llvm::ArrayRef;

/// What is still open comes before candidates of the same time, since they may
/// have one that is to be preferred.
bool PaperOrder::Later::operator()(const Branch &a, const Branch &b) const {
  auto key = [&](const Branch &branch) {
    return std::make_tuple(branch.seconds, branch.chosen == axes,
                           ArrayRef(branch.tiles), branch.expression,
                           branch.whole);
  };
  return key(b) < key(a);
}

PaperOrder::PaperOrder(const GroupModel &group, const PaperSpace &space,
                       Bound bound, size_t maxBranches)
    : group(group), space(space), bound(std::move(bound)),
      maxBranches(maxBranches),
      queue(Later{static_cast<unsigned>(group.axes.size())}) {
  unsigned axes = group.axes.size();
  for (unsigned expression = 0; expression < space.expressions().size();
       ++expression)
    for (unsigned whole = 0; whole < 1u << axes; ++whole) {
      auto isEmpty = [&](unsigned axis) {
        return choices(axis, whole >> axis & 1).empty();
      };
      if (llvm::none_of(llvm::seq<unsigned>(0, axes), isEmpty))
        push({0, expression, static_cast<uint16_t>(whole), 0, {}});
    }
}

/// The tiles that make the axis one tile, or the smaller ones.
ArrayRef<int64_t> PaperOrder::choices(unsigned axis, bool whole) const {
  ArrayRef<int64_t> all = space.tileChoices(axis);
  size_t smaller =
      llvm::lower_bound(all, group.axes[axis].extent) - all.begin();
  return whole ? all.drop_front(smaller) : all.take_front(smaller);
}

/// Rates the branch and keeps it, unless rule 4 leaves nothing of it.
void PaperOrder::push(Branch branch) {
  unsigned axes = group.axes.size();
  std::array<int64_t, McFuserModel::kMaxAxes> least, most;
  for (unsigned axis = 0; axis < axes; ++axis)
    least[axis] = axis < branch.chosen
                      ? space.tileChoices(axis)[branch.tiles[axis]]
                      : choices(axis, branch.whole >> axis & 1).front();
  most = least;
  ArrayRef<int64_t> from(least.data(), axes), to(most.data(), axes);
  if (!space.admits(from))
    return;
  // Each open axis may take what the least tiles of the others leave of the
  // memory.
  for (unsigned axis = branch.chosen; axis < axes; ++axis) {
    ArrayRef<int64_t> list = choices(axis, branch.whole >> axis & 1);
    int64_t alone = least[axis];
    most[axis] = *std::prev(llvm::partition_point(list, [&](int64_t tile) {
      least[axis] = tile;
      return space.admits(from);
    }));
    least[axis] = alone;
  }
  branch.seconds = bound(branch.expression, from, to);
  // Bounds are added up as candidates are, of other summands.
  constexpr double rounding = 1 - 1e-12;
  if (branch.chosen == axes)
    ++costed;
  else
    branch.seconds *= rounding;
  if (queue.size() >= maxBranches)
    gaveUp = true;
  else
    queue.push(branch);
}

std::optional<PaperOrder::Costed> PaperOrder::next() {
  while (!gaveUp && !queue.empty()) {
    Branch branch = queue.top();
    queue.pop();
    if (branch.chosen == group.axes.size()) {
      Costed found{{}, branch.seconds};
      found.candidate.expression = branch.expression;
      for (unsigned axis = 0; axis < group.axes.size(); ++axis)
        found.candidate.tiles[axis] =
            space.tileChoices(axis)[branch.tiles[axis]];
      return found;
    }
    unsigned axis = branch.chosen++;
    ArrayRef<int64_t> list = choices(axis, branch.whole >> axis & 1);
    size_t first = list.begin() - space.tileChoices(axis).begin();
    for (size_t each = 0; each < list.size(); ++each) {
      branch.tiles[axis] = first + each;
      push(branch);
    }
  }
  return std::nullopt;
}

std::optional<PaperOrder::Costed> fusion::searchFitting(const GroupModel &group,
                                                        const PaperSpace &space,
                                                        const ChipInfo &chip,
                                                        size_t maxBranches) {
  PaperOrder order(
      group, space,
      [&](unsigned expression, ArrayRef<int64_t> least,
          ArrayRef<int64_t> most) {
        return space.model(expression, least).predictAtLeast(least, most).total;
      },
      maxBranches);
  while (std::optional<PaperOrder::Costed> next = order.next())
    if (space.model(next->candidate)
            .sharedMemory(space.tilesOf(next->candidate),
                          FootprintUnit::Bytes) <= chip.sharedMemoryPerBlock)
      return next;
  return std::nullopt;
}

std::optional<double> fusion::lossByPadding(const GroupModel &group,
                                            const ChipInfo &chip,
                                            const PaperSpaceOptions &options) {
  constexpr size_t affordable = 1 << 16;
  auto best = [&](PaddingRule rule) -> std::optional<double> {
    PaperSpaceOptions own = options;
    own.padding = rule;
    std::string reason;
    auto space = PaperSpace::create(group, chip, own, reason);
    if (!space)
      return std::nullopt;
    auto found = searchFitting(group, *space, chip, affordable);
    if (!found)
      return std::nullopt;
    return found->seconds;
  };
  auto printed = best(PaddingRule::Printed),
       ours = best(PaddingRule::LeastOfTrips);
  if (!printed || !ours)
    return std::nullopt;
  return *printed / *ours - 1;
}
