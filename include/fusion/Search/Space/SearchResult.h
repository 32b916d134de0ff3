//===- SearchResult.h - What a search found ---------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_SEARCHRESULT_H
#define FUSION_SEARCH_SPACE_SEARCHRESULT_H

#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Search/Space/ScheduleDimension.h"
#include "fusion/Search/Space/SearchOptions.h"

namespace fusion {

/// A candidate with its footprint and its predicted and measured times.
struct CostedSchedule {
  Schedule schedule;
  Footprint footprint;
  Cost cost;                             ///< by Fusion's model
  double modelSeconds = 0;               ///< by the model that was asked for
  std::optional<double> measuredSeconds; ///< if it was measured
};

/// Reasons why candidates were rejected, without their numbers, and the number
/// of candidates.
using Refusals = std::vector<std::pair<std::string, int64_t>>;

/// The size of a paper's space (PaperSpace.h).
struct SpaceCounts : PaperSpaceCounts {
  WideCount afterRule4InElements = 0;      ///< rule 4 as the paper counts
  PaddingRule padding = PaddingRule::None; ///< that was used; never Auto
  /// What rule 3 as printed loses (`lossByPadding`); nullopt if it was not
  /// considered, or would take too long to compute.
  std::optional<double> paddingLoss;
};

/// The size of the default space: the number of values of each dimension.
struct ChoiceCounts {
  struct Dimension {
    llvm::StringRef name;
    DimensionInfo::Scope scope;
    llvm::SmallVector<unsigned, 8> elements; ///< `ScheduleDimension::elements`
    llvm::SmallVector<size_t, 8> values;     ///< number for each of them
  };
  std::vector<Dimension> dimensions;
  double points = 1; ///< all combinations, without moves

  /// Returns the numbers of values of the dimension with this name, which must
  /// exist.
  llvm::ArrayRef<size_t> of(llvm::StringRef name) const;
};

struct SearchResult : CostedSchedule {
  /// Candidates visited until the choice was made: legal, rejected or bounded.
  int64_t candidates = 0;
  int64_t legal = 0;    ///< accepted by lowering, with enough registers
  int64_t rejected = 0; ///< for the reasons in `rejections`
  /// Not checked, since others are faster whatever the open choices are: by
  /// their bytes and work alone, or by a model of tile sizes alone.
  int64_t bounded = 0;
  /// The choice, then the runners-up with different loops, tile sizes, warps or
  /// intrinsics (`ranked`). A runner-up that the proof did not cover may be
  /// better than the choice.
  std::vector<CostedSchedule> ranking;
  int64_t rankedFrom = 0; ///< candidates for the runners-up
  SearchMethod method = SearchMethod::Exhaustive; ///< never Auto
  /// Whether nothing that the method lists is better by the model. In the
  /// default space the method lists loops, splits, tile sizes, intrinsics,
  /// warps, transports of operands and common stages; exhaustive searches may
  /// end earlier. Retained tiles, stages of single buffers, clusters and TMA
  /// stores are tried only in the best of these.
  bool isProven = false;
  Refusals rejections; ///< most frequent first, if a ranking was asked for
  std::optional<SpaceCounts> counts;   ///< of spaces `paper` and `chimera`
  std::optional<ChoiceCounts> choices; ///< of space `default`
  llvm::StringRef measuredBy;          ///< empty if the model alone decided
};

/// Returns whether `a` is better than `b`, by Fusion's model and the
/// tie-breaking rules.
bool isBetter(const CostedSchedule &a, const CostedSchedule &b);

/// The reason for which a legal schedule that may spill is rejected
/// (kRegisterMargin).
constexpr llvm::StringLiteral kNoRegisterRoom =
    "registers may spill: what ptxas needs beside the predicted ones is not "
    "left";

/// Measures schedules and sorts them by time; schedules that do not run are
/// last. Returns whether any did.
bool measureRanking(std::vector<CostedSchedule> &ranking,
                    Measurement<Schedule> &measurement);

/// Returns a reason of `checkSchedule` without its numbers, for counting.
std::string withoutNumbers(llvm::StringRef reason);

/// Adds to a reason's count.
void countRejection(Refusals &rejections, llvm::StringRef reason,
                    int64_t candidates = 1);

/// Sorts by count, most frequent first, equals by their text.
void sortRejections(Refusals &rejections);

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_SEARCHRESULT_H
