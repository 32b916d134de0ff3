//===- DramModel.h - Bytes between DRAM and L2 ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch fetches from DRAM: every tensor once, and again where its next
// use is further away than L2 remembers.
//
// A launch is a nest of loops, from the inside out: the blocks that are
// resident together, which walk their tiles in step; the sequential loops of a
// block; the rest of the grid, wave by wave, in the order in which blocks are
// numbered. With a `blockSwizzle` of R the two fastest grid axes, y and x, are
// three loops: x inside of a column of R blocks, y, then the columns.
//
// A tensor that a loop does not index is used again in each of its iterations.
// Between two uses passes what one iteration touches, every byte counted once.
// A cache that drops what was not used for longest still holds the tensor where
// that fits, and has lost it where it does not: then the loop's trips multiply
// what the tensor fetches. Loops one inside the other that do not index it are
// as one: what the inner one uses at its end is used when it begins again.
// Blocks that are resident together share a fetch.
//
// For C[m,n] = A[m,k]·B[k,n], one block after the other, n fastest: A is used
// again by the next block of the row, B by the block below, after a row's worth
// of B. Where B does not fit, it is fetched for every row. In columns of R
// blocks, the next use is after R tiles of B and one of A; A is fetched once
// for each column.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_DRAMMODEL_H
#define FUSION_ANALYSIS_DRAMMODEL_H

#include "fusion/Analysis/Schedule.h"

namespace fusion {

/// Bytes between DRAM and L2. Stores pass once: no two blocks write one
/// element.
struct DramTraffic {
  double loadBytes = 0, storeBytes = 0;
};

/// The traffic of one launch of a schedule, of which `concurrent` blocks are
/// resident at a time, behind a cache of `l2Bytes`. Rows that are no whole
/// sectors of the cache are counted by their bytes.
DramTraffic predictDram(const GroupModel &group, const Schedule &schedule,
                        int64_t concurrent, uint64_t l2Bytes);

/// The same of one schedule's loops with several numbers of resident blocks,
/// each of which is predicted once.
class DramMemo {
public:
  /// Other loops, tiles or grid from here on.
  void clear() { known.clear(); }
  DramTraffic predict(const GroupModel &group, const Schedule &schedule,
                      int64_t concurrent, uint64_t l2Bytes);

private:
  llvm::SmallVector<std::pair<int64_t, DramTraffic>, 8> known;
};

} // namespace fusion

#endif // FUSION_ANALYSIS_DRAMMODEL_H
