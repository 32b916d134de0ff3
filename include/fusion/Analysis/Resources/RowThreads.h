//===- RowThreads.h - Threads that hold the same rows -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_RESOURCES_ROWTHREADS_H
#define FUSION_ANALYSIS_RESOURCES_ROWTHREADS_H

#include "fusion/Analysis/Schedules/Schedule.h"
#include <map>
#include <tuple>

namespace fusion {

/// Compares which threads hold the rows of accumulators. Remembers its answers:
/// a search asks for few pairs of accumulators, and for each of them often.
class RowThreads {
public:
  /// Returns whether the same threads hold each index of an axis in the
  /// accumulators of both contractions.
  bool areSame(const ContractionMapping &first,
               const ContractionMapping &second, const Schedule &schedule,
               unsigned axis);

private:
  /// Intrinsic, rows, columns, warps along both, and whether rows are asked
  /// for.
  using Accumulator =
      std::tuple<const Intrinsic *, int64_t, int64_t, int64_t, int64_t, bool>;

  std::map<std::pair<Accumulator, Accumulator>, bool> known;
};

} // namespace fusion

#endif // FUSION_ANALYSIS_RESOURCES_ROWTHREADS_H
