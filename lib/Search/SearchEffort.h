//===- SearchEffort.h - How much a search looks at --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_SEARCHEFFORT_H
#define FUSION_LIB_SEARCH_SEARCHEFFORT_H

#include "BranchAndBound.h"
#include <algorithm>

namespace fusion {

/// What the methods of space `default` may look at where the options leave that
/// to the search, so that it takes about a second of one core. It is counted in
/// candidates, so that the answer depends on nothing but the seed. Of a
/// candidate all takes as long as it has products; with every further product
/// there are more tiles, and bounds of some of them say less. On a chip with
/// two units there are twice the candidates.
struct SearchEffort {
  SearchEffort(const GroupModel &group, const ScheduleSpace &space) {
    constexpr uint64_t bounds = 1 << 19;
    uint64_t products = std::max<size_t>(2, group.products.size()),
             further = products - 1, units = space.units().size();
    int64_t candidates = bounds / products;
    all = {bounds / (further * further * further * further), candidates};
    root = {bounds / (further * further) / 4, candidates / 4};
    // Most trees of long chains are new.
    starts = units == 1 || products <= 3 ? 4096 : products <= 5 ? 3072 : 2048;
    int64_t most = candidates / units;
    tiles = choices = restarts = most / 2;
    exchanges = together = most / 4;
    nearTiles = inClusters = most / 8;
  }

  /// Of a part of a search, which has others beside it.
  SearchEffort shared(int64_t parts) const {
    SearchEffort part = *this;
    for (int64_t *each : {&part.tiles, &part.choices, &part.exchanges})
      *each /= parts;
    return part;
  }

  BranchEffort all;  ///< of the whole space
  BranchEffort root; ///< of the tiles of one root
  uint64_t starts;   ///< sets of whole axes and of values that are kept
  // Candidates that each step may look at, all points together, best first.
  int64_t tiles;      ///< of each axis, once
  int64_t choices;    ///< one after the other
  int64_t exchanges;  ///< of two axes' tiles
  int64_t restarts;   ///< from changes that are drawn
  int64_t together;   ///< of several choices at a time
  int64_t nearTiles;  ///< of those of the best schedules, at last
  int64_t inClusters; ///< from known trees, of one size
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_SEARCHEFFORT_H
