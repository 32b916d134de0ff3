//===- WarpInstructions.cpp - Instructions of a warp of a block -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpInstructions.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <utility>

using namespace fusion;

bool fusion::loadsByTMA(const Schedule &schedule, const TilingNode &node) {
  if (node.kind == TilingNode::Kind::Load)
    return schedule.places[node.index].transport == fuse::Transport::TMA;
  return loadByTMA(schedule, node.children);
}

bool fusion::loadByTMA(const Schedule &schedule,
                       llvm::ArrayRef<TilingNode> items) {
  return llvm::all_of(items, [&](const TilingNode &item) {
    return loadsByTMA(schedule, item);
  });
}

double WarpInstructions::ofBlock(bool isSingleWave, bool issuesTMA) {
  std::optional<double> &known = memo.instructions[isSingleWave][issuesTMA];
  if (!known)
    known = ofItems(schedule.tree, 0, isSingleWave, issuesTMA);
  return *known;
}

std::pair<double, double> WarpInstructions::ofOperators(unsigned number) const {
  const Footprint::TileWork &work = footprint.tileWork[number];
  double share = 1.0 / (kWarpSize * schedule.warps), ofTiles = share;
  for (unsigned axis : group.contractions[number].reduction)
    ofTiles /= sequentialTrips(group, schedule, axis);
  return {work.completed.plain * ofTiles + work.computed.plain * share,
          work.completed.special * ofTiles + work.computed.special * share};
}

double WarpInstructions::ofControl(const TilingNode &loop,
                                   bool issuesTMA) const {
  if (form == PipelineForm::Printed)
    return 0;
  double instructions = kLoopInstructions;
  bool waits = false;
  for (const TilingNode &node : loop.children) {
    if (node.kind != TilingNode::Kind::Load ||
        isReducedAcrossBlocks(group, schedule, node.index))
      continue;
    waits = true;
    if (!loadsByTMA(schedule, node))
      instructions += kCopyInstructions * use.tileBytes(node.index) /
                      (kBytesOfCopy * kWarpSize * schedule.warps);
    else if (issuesTMA)
      instructions += kTMAInstructions;
  }
  return instructions + (waits ? kWaitInstructions : 0);
}

/// Returns the instructions of a warp in a body. Loops that only load have
/// none. `at` is the place of the first item among the memo's nodes.
double WarpInstructions::ofItems(const TilingTree &items, unsigned at,
                                 bool isSingleWave, bool issuesTMA) const {
  double instructions = 0;
  for (const TilingNode &node : items) {
    const PipelineMemo::Node &known = memo.nodes[at];
    unsigned place = std::exchange(at, known.end);
    if (node.isLoop() && !known.loaded) {
      double own = ofItems(node.children, place + 1, isSingleWave, issuesTMA);
      instructions += schedule.isBlockAxis(node.index)
                          ? own
                          : (own + ofControl(node, issuesTMA)) *
                                iterationsOf(node, place, isSingleWave);
    } else if (node.kind == TilingNode::Kind::Compute &&
               group.tensors[node.index].role != TensorRole::Rows) {
      unsigned number = group.tensors[node.index].contraction;
      auto [plain, special] = ofOperators(number);
      instructions += plain + special + use.instructions(number);
    }
  }
  return instructions;
}

int64_t WarpInstructions::iterationsOf(const TilingNode &loop, unsigned at,
                                       bool isSingleWave) const {
  if (!footprint.shortened || footprint.shortened->axis != loop.index)
    return memo.nodes[at].trips;
  return isSingleWave ? footprint.shortened->most
                      : std::ceil(footprint.shortened->average);
}
