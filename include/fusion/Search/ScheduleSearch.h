//===- ScheduleSearch.h - Chooses the schedule of a chain -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search sees plain structs only. Options choose the search space, the
// model that evaluates candidates, and the search method. Every answer is a
// complete schedule that lowering accepts. Equal options give an equal answer,
// on any machine and with any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SCHEDULESEARCH_H
#define FUSION_SEARCH_SCHEDULESEARCH_H

#include "fusion/Analysis/CostModel.h"
#include "fusion/Analysis/Models.h"
#include "fusion/Analysis/ScheduleLegality.h"
#include "fusion/Search/Evolution.h"
#include "fusion/Search/PaperSpace.h"
#include "fusion/Search/ScheduleDimension.h"
#include <functional>

namespace fusion {

enum class SpaceKind : uint8_t {
  Default, ///< Fusion's
  Paper,   ///< MCFuser's: deep and flat expressions times tile sizes
  Chimera, ///< the deep expressions of MCFuser's
};

enum class SearchMethod : uint8_t {
  Auto, ///< exhaustive where the space allows, else descents or evolutionary
  Exhaustive,
  Descents,     ///< from many different candidates; of space `default`
  Evolutionary, ///< MCFuser, algorithm 1
};

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
  int64_t legal = 0; ///< accepted by lowering, with enough registers
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

constexpr unsigned kMaxEffort = 64;

/// The space, the model and the method of a search.
struct SearchOptions {
  unsigned maxStages = 8; ///< of a buffer in shared memory
  unsigned maxRegisterStages = 2;
  unsigned ranked = 1; ///< candidates to report
  /// If set, the answer is a legal candidate drawn with this seed instead of
  /// the best.
  std::optional<uint64_t> randomSeed = {};
  SpaceKind space = SpaceKind::Default;
  ModelKind model = ModelKind::Default;
  /// Rules of the papers' spaces. The space determines `flat`.
  PaperSpaceOptions rules = {};
  SearchMethod method = SearchMethod::Auto;
  Convergence convergence = Convergence::BestOfAll;
  uint64_t seed = 0; ///< of all random draws
  /// For space `default`: a factor on the number of visited candidates, from 1,
  /// which takes about a second, to `kMaxEffort`.
  unsigned effort = 1;
  unsigned threads = 1;   ///< does not change the answer
  bool skipMasked = true; ///< tiles that masks provably exclude
  /// Rough search: the first answers, and descents from the best few alone. The
  /// result approximates the predicted time of a group, for callers that
  /// compare many groups.
  bool isRough = false;
  /// Measures the best few by the model (`ranked`). In the default space rounds
  /// with as many neighbours of the fastest follow (docs/search-spaces.md). May
  /// be null.
  Measurement<Schedule> *measurement = nullptr;
  /// Called between candidates, by any thread. After it returns false no
  /// candidate is visited, and the answer, which comes soon, is to be
  /// discarded. Empty: the search ends by itself.
  std::function<bool()> proceed = {};

  bool isStopped() const { return proceed && !proceed(); }
};

/// Returns the share of a rough search's predicted time that the full search
/// saves at most, for nine groups in ten (`RoughSearchIsNear`). It grows with
/// the length of the chain, as there is more to find.
inline double roughness(size_t contractions) {
  return std::min(0.5,
                  0.06 * (contractions - std::min<size_t>(contractions, 1)));
}

/// Returns the legal schedule of least predicted time. Ties are broken by
/// smaller clusters, fewer producers, blocks of one tile and occupancy, then by
/// what a block waits for, fewer bytes, and the order of enumeration. Returns
/// nullopt with `reason` if no candidate is legal, or if the space or the model
/// does not cover the group.
std::optional<SearchResult> searchSchedule(const GroupModel &group,
                                           const ChipInfo &chip,
                                           std::string &reason,
                                           const SearchOptions &options = {});

/// Searches space `paper` or `chimera`: tile sizes and loops by the model that
/// is asked for, from the best on, until lowering accepts one. The papers leave
/// the other fields open: Fusion's model chooses warps, and buffers have one
/// stage. ALCOP's model, which is about stages, chooses both itself.
std::optional<SearchResult> searchPaperSpace(const GroupModel &group,
                                             const ChipInfo &chip,
                                             std::string &reason,
                                             const SearchOptions &options);

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

/// Return names as in the options `space=` and `search=`, and what they name.
llvm::StringRef name(SpaceKind space);
llvm::StringRef name(SearchMethod method);
std::optional<SpaceKind> lookupSpace(llvm::StringRef name);
std::optional<SearchMethod> lookupMethod(llvm::StringRef name);

} // namespace fusion

#endif // FUSION_SEARCH_SCHEDULESEARCH_H
