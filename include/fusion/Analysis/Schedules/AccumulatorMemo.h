//===- AccumulatorMemo.h - Layouts of accumulators compared -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULES_ACCUMULATORMEMO_H
#define FUSION_ANALYSIS_SCHEDULES_ACCUMULATORMEMO_H

#include "fusion/Analysis/Schedules/Schedule.h"
#include <map>
#include <tuple>

namespace fusion {

/// Answers questions about the layouts of accumulators. Remembers its answers:
/// a search asks about few accumulators, and about each of them often.
class AccumulatorMemo {
public:
  /// Returns whether the same threads hold each index of an axis in the
  /// accumulators of both contractions.
  bool haveSameThreads(const ContractionMapping &first,
                       const ContractionMapping &second,
                       const Schedule &schedule, unsigned axis);

  /// Returns whether threads can write the accumulator of a tile of `parts`
  /// times `rows` rows to shared memory as panels of `rows` rows.
  bool hasShares(const ContractionMapping &mapping, int64_t rows,
                 int64_t columns, int64_t parts);

private:
  /// Intrinsic, rows, columns, and warps along both.
  using Accumulator =
      std::tuple<const Intrinsic *, int64_t, int64_t, int64_t, int64_t>;
  /// An axis of an accumulator: its rows, or its columns.
  struct Side {
    Accumulator accumulator;
    bool isOfRows;

    bool operator<(const Side &other) const {
      return std::tie(accumulator, isOfRows) <
             std::tie(other.accumulator, other.isOfRows);
    }
  };

  std::map<std::pair<Side, Side>, bool> sameThreads;
  std::map<std::pair<Accumulator, int64_t>, bool> shares; ///< and parts
};

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULES_ACCUMULATORMEMO_H
