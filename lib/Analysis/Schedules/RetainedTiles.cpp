//===- RetainedTiles.cpp - Tiles that live beyond one iteration -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/RetainedTiles.h"
#include "RetainedTilesAnalysis.h"

using namespace fusion;
using Reason = std::optional<std::string>;

std::optional<std::string>
fusion::analyzeRetainedTiles(const GroupModel &group, const Schedule &schedule,
                             RetainedTiles &retained) {
  return RetainedTilesAnalysis(group, schedule, retained).run();
}

static bool usesBuffers(const TilingNode &node, const Schedule &schedule) {
  switch (node.kind) {
  case TilingNode::Kind::Compute:
    return true;
  case TilingNode::Kind::Load:
    return schedule.places[node.index].space == fuse::Space::Shared;
  case TilingNode::Kind::Store:
    return false;
  case TilingNode::Kind::Loop:
    return llvm::any_of(node.children, [&](const TilingNode &child) {
      return usesBuffers(child, schedule);
    });
  }
  llvm_unreachable("covered switch");
}

static bool stores(const TilingNode &node) {
  return node.kind == TilingNode::Kind::Store ||
         llvm::any_of(node.children, stores);
}

std::optional<size_t> fusion::findFinalStores(const TilingTree &items,
                                              const Schedule &schedule) {
  std::optional<size_t> first;
  for (size_t i = items.size(); i-- > 0 && !usesBuffers(items[i], schedule);)
    if (stores(items[i]))
      first = i;
  return first;
}

bool fusion::runsOnline(const GroupModel &group, const RetainedTiles &retained,
                        unsigned axis) {
  if (retained.trips[axis] == 1)
    return false;
  for (auto [number, pass] : llvm::enumerate(group.rowStatistics))
    if (pass.axis == axis)
      return retained.runsWithContraction[number];
  return true;
}
