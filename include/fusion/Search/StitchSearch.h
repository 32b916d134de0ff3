//===- StitchSearch.h - The schedule of a stitched group --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_STITCHSEARCH_H
#define FUSION_SEARCH_STITCHSEARCH_H

#include "fusion/Analysis/StitchCost.h"
#include <vector>

namespace fusion {

struct StitchResult {
  StitchSchedule schedule;
  StitchCost cost;
  int64_t candidates = 0; ///< looked at
  int64_t legal = 0;      ///< of them, those that a block has room for
};

/// The fastest of the schedules that a search has predicted, from the fastest
/// on. A search may skip what cannot be the best.
class StitchRanking {
public:
  explicit StitchRanking(size_t most) : most(most) {}

  /// Keeps `result` where it is among the `most` fastest.
  void add(const StitchResult &result);
  llvm::ArrayRef<StitchResult> results() const { return best; }

private:
  size_t most;
  std::vector<StitchResult> best;
};

enum class StitchEffort : uint8_t {
  Full,
  Coarse, ///< looks at few, which is enough to compare groups
  /// Finds what Coarse finds and skips what a lower bound (StitchBound.h) says
  /// is no better; counts only what it looks at and gives no reason.
  Bounded,
  /// One that is likely, which is possible whether Coarse would look at it or
  /// not, or else the most promising one by the lower bound that is possible,
  /// which is one where Coarse finds one.
  First
};

/// Enumerates the spreads of the axes (FusionStitching, section 4.2: schedules
/// of the sub-roots times launch dimensions; the other operators' follow) and
/// returns the one of least predicted latency, the first of equals. nullopt
/// with `reason` where none is possible. `likely`: one of a group with the same
/// axes, which `First` takes where it is possible. `ranking` gets what was
/// predicted for schedules of the whole group.
std::optional<StitchResult>
searchStitching(const StitchGroup &group, const ChipInfo &chip,
                std::string &reason, StitchEffort effort = StitchEffort::Full,
                const StitchSchedule *likely = nullptr,
                StitchRanking *ranking = nullptr);

} // namespace fusion

#endif // FUSION_SEARCH_STITCHSEARCH_H
