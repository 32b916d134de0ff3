//===- DramModel.h - Bytes between DRAM and L2 ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch fetches from DRAM: every tensor once, and again where the L2
// has evicted it before its next use.
//
// A launch is a nest of loops, from the inside out:
//
// * the resident blocks, which loop over their tiles in step;
// * the sequential loops of a block;
// * the rest of the grid, wave by wave, in the order of block numbers. With a
//   `blockSwizzle` of R the two fastest grid axes, y and x, are three loops: x
//   inside of a column of R blocks, y, then the columns.
//
// A loop that does not index a tensor uses the tensor again in each of its
// iterations. The reuse distance is what one iteration touches, with every byte
// counted once. An LRU cache still holds the tensor if that fits. If not, the
// loop's trip count multiplies what the tensor fetches. Nested loops that do
// not index the tensor count as one loop: what the inner loop uses at its end
// is used when it begins again. Resident blocks share a fetch.
//
// For C[m,n] = A[m,k]·B[k,n], one block after the other, n fastest: the next
// block of the row uses A again. The block below uses B again, after a row's
// worth of B. If B does not fit, it is fetched for every row. In columns of R
// blocks, the next use is after R tiles of B and one of A; A is fetched once
// for each column.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_COST_DRAMMODEL_H
#define FUSION_ANALYSIS_COST_DRAMMODEL_H

#include "fusion/Analysis/Schedules/Schedule.h"

namespace fusion {

/// Bytes between DRAM and L2. Stored bytes count once: no two blocks write one
/// element.
struct DramTraffic {
  double loadBytes = 0, storeBytes = 0;
};

/// Predicts the DRAM traffic of one launch of a schedule with `concurrent`
/// resident blocks and an L2 of `l2Bytes`. Rows that are no multiple of a
/// sector are counted by their bytes.
DramTraffic predictDram(const GroupModel &group, const Schedule &schedule,
                        int64_t concurrent, uint64_t l2Bytes);

/// Remembers `predictDram` by the number of resident blocks, for schedules with
/// the same loops, tiles and grid.
class DramMemo {
public:
  /// Forgets all predictions; call it when loops, tiles or grid change.
  void clear() { known.clear(); }
  DramTraffic predict(const GroupModel &group, const Schedule &schedule,
                      int64_t concurrent, uint64_t l2Bytes);

private:
  llvm::SmallVector<std::pair<int64_t, DramTraffic>, 8> known;
};

} // namespace fusion

#endif // FUSION_ANALYSIS_COST_DRAMMODEL_H
