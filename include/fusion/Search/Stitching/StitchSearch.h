//===- StitchSearch.h - The schedule of a stitched group --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_STITCHING_STITCHSEARCH_H
#define FUSION_SEARCH_STITCHING_STITCHSEARCH_H

#include "fusion/Analysis/Stitching/StitchCost.h"
#include "fusion/Search/Space/Random.h"
#include <optional>
#include <vector>

namespace fusion {

struct StitchResult {
  StitchSchedule schedule;
  StitchCost cost;
  int64_t candidates = 0; ///< visited
  int64_t legal = 0;      ///< visited and fitting into a block
};

/// The fastest schedules that a search has predicted, the fastest first. A
/// search may skip schedules that cannot be the best. With a seed, also draws
/// one of all schedules that the search has predicted, each with the same
/// probability.
class StitchRanking {
public:
  explicit StitchRanking(size_t most, std::optional<uint64_t> seed = {})
      : most(most), random(seed ? std::optional(Random(*seed)) : std::nullopt) {
  }

  /// Inserts `result` if it is among the `most` fastest.
  void add(const StitchResult &result);
  llvm::ArrayRef<StitchResult> results() const { return best; }
  llvm::MutableArrayRef<StitchResult> results() { return best; }
  /// Returns the drawn schedule, or nullopt if there was none to draw from.
  const std::optional<StitchResult> &drawn() const { return one; }

private:
  size_t most;
  std::vector<StitchResult> best;
  std::optional<Random> random;
  uint64_t added = 0;
  std::optional<StitchResult> one;
};

enum class StitchEffort : uint8_t {
  Full,
  Coarse, ///< visits few candidates, which is enough to compare groups
  /// Finds what Coarse finds and skips candidates that are no better by a lower
  /// bound (StitchBound.h). Counts only the visited candidates and gives no
  /// reason.
  Bounded,
  /// Takes `likely` if it is legal, whether Coarse would visit it or not; else
  /// the legal candidate with the best lower bound. It finds one if Coarse
  /// does.
  First
};

/// Enumerates the thread mappings of the axes (FusionStitching, section 4.2:
/// schedules of the sub-roots times launch dimensions; those of other operators
/// follow). Returns the schedule of least predicted latency, the first of
/// equals, or nullopt with `reason` if none is legal. `likely`, for `First`, is
/// the schedule of a group with the same axes. `ranking` gets the predicted
/// times of schedules of the whole group.
///
/// The latency evaluator as printed sees no exchanges between blocks, no copies
/// that overlap with computation and no caches. With it, the search has neither
/// clusters, cross-block reductions and persistent blocks nor stages and
/// evict-first accesses, and `Bounded` is `Coarse`. Full searches add our
/// counts of bytes to the costs.
std::optional<StitchResult>
searchStitching(const StitchGroup &group, const ChipInfo &chip,
                std::string &reason, StitchEffort effort = StitchEffort::Full,
                const StitchSchedule *likely = nullptr,
                StitchRanking *ranking = nullptr,
                EvaluatorForm evaluator = EvaluatorForm::Default);

} // namespace fusion

#endif // FUSION_SEARCH_STITCHING_STITCHSEARCH_H
