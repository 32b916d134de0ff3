//===- SearchEffort.h - How much a search looks at --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_CHAINS_SEARCHEFFORT_H
#define FUSION_LIB_SEARCH_CHAINS_SEARCHEFFORT_H

#include "BranchAndBound.h"
#include <algorithm>

namespace fusion {

/// What descents from many trees may look at: draws of trees, and candidates
/// that each step looks at, all points together, best first.
struct DescentEffort {
  uint64_t starts;   ///< sets of whole axes and of values that are kept
  int64_t tiles;     ///< each choice once
  int64_t choices;   ///< one after the other
  int64_t exchanges; ///< of two axes' tiles
};

/// What the methods of space `default` may look at where the options leave that
/// to the search, so that it takes about a second of one core, or so many times
/// as much (`SearchOptions::effort`). It is counted in candidates, so that the
/// answer depends on nothing but the seed. A candidate with more products takes
/// longer, and there are more of them, of which bounds of some tiles say less.
/// On a chip with two units there are twice as many.
struct SearchEffort {
  SearchEffort(const GroupModel &group, const ScheduleSpace &space,
               const SearchOptions &options) {
    uint64_t times = options.effort, bounds = times << 19,
             contractions = std::max<size_t>(2, group.contractions.size()),
             further = contractions - 1, units = space.units().size();
    int64_t candidates = bounds / contractions;
    all = {bounds / (further * further * further * further), candidates};
    root = {bounds / (further * further) / 4, candidates / 16};
    runnersUp = {root.branches, candidates / 4};
    int64_t most = candidates / units;
    // Most trees of long chains are new.
    uint64_t starts = units == 1 || contractions <= 3 ? 4096
                      : contractions <= 5             ? 3072
                                                      : 2048;
    starts *= times;
    full = {starts, 12 * most / int64_t(contractions), most / 2, most / 4};
    rough = {/*starts=*/256 * times, most / 8, most / 8, most / 16};
    drawnInClusters = {/*starts=*/2048 * times, most / 2, most / 4, most / 16};
    restarts = {most / 2, most / 6};
    together = 8 * most / int64_t(contractions);
    togetherInClusters = most / 4;
    nearTiles = inClusters = most / 8;
  }

  BranchEffort all;       ///< of the whole space
  BranchEffort root;      ///< of the tiles of one root
  BranchEffort runnersUp; ///< of the whole space, and of neighbours
  DescentEffort full, rough;
  DescentEffort drawnInClusters; ///< of one size
  // Candidates that each step may look at.
  /// From changes that are drawn, where nothing is proven and where only
  /// retained tiles may be better.
  struct Restarts {
    int64_t ofAll, ofRetained;
  } restarts;
  int64_t together;   ///< of several choices at a time
  int64_t nearTiles;  ///< of those of the best schedules, at last
  int64_t inClusters; ///< from known trees, of one size
  int64_t togetherInClusters;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_CHAINS_SEARCHEFFORT_H
