//===- ScheduleSearch.h - Chooses the schedule of a chain -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search sees plain structs only. What it may choose from is a space, what
// judges a candidate is a model, how it looks is a method; all are options.
// Every answer is a complete schedule that lowering accepts, and the same one
// for the same options, on any machine and with any number of threads.
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
  Default, ///< ours
  Paper,   ///< MCFuser's: deep and flat expressions times tiles
  Chimera, ///< of these the deep expressions
};

enum class SearchMethod : uint8_t {
  Auto, ///< exhaustive where the space allows, else descents or evolutionary
  Exhaustive,
  Descents,     ///< from many different candidates; of space `default`
  Evolutionary, ///< MCFuser, algorithm 1
};

/// A candidate with what is known of it.
struct CostedSchedule {
  Schedule schedule;
  Footprint footprint;
  Cost cost;                             ///< by our model
  double modelSeconds = 0;               ///< by the model that was asked for
  std::optional<double> measuredSeconds; ///< where it was measured
};

/// Why candidates were passed over, with numbers left out, and how many.
using Refusals = std::vector<std::pair<std::string, int64_t>>;

/// The size of a paper's space (PaperSpace.h).
struct SpaceCounts : PaperSpaceCounts {
  WideCount afterRule4InElements = 0;      ///< rule 4 as the paper counts
  PaddingRule padding = PaddingRule::None; ///< that was used; never Auto
  /// What rule 3 as printed loses (`lossByPadding`); nullopt where it was not
  /// thought of or that takes too long to tell.
  std::optional<double> paddingLoss;
};

/// The size of the default space: how many values each dimension has.
struct ChoiceCounts {
  struct Dimension {
    llvm::StringRef name;
    DimensionInfo::Scope scope;
    llvm::SmallVector<unsigned, 8> elements; ///< `ScheduleDimension::elements`
    llvm::SmallVector<size_t, 8> values;     ///< how many each of them has
  };
  std::vector<Dimension> dimensions;
  double points = 1; ///< all combinations, without moves

  /// The numbers of values of the dimension with this name, which there is.
  llvm::ArrayRef<size_t> of(llvm::StringRef name) const;
};

struct SearchResult : CostedSchedule {
  /// Looked at until the choice was made: each was legal, refused or bounded.
  int64_t candidates = 0;
  int64_t legal = 0; ///< lowering accepts them, and they have registers enough
  int64_t rejected = 0; ///< for the reasons in `refusals`
  /// Not checked, since others are faster whatever is still open: by their
  /// bytes and work alone, or by a model of tiles alone.
  int64_t bounded = 0;
  /// The choice, then the best others with different loops, tiles, warps or
  /// intrinsics (`ranked`), maybe one that no proof was about and is better.
  std::vector<CostedSchedule> ranking;
  int64_t rankedFrom = 0; ///< candidates for the others of the ranking
  SearchMethod method = SearchMethod::Exhaustive; ///< never Auto
  /// Nothing that the method lists is better by the model: of the default
  /// space, loops, splits, tiles, intrinsics, warps, how operands are copied
  /// and common stages, where exhaustive searches may end before; what is kept,
  /// stages of each buffer, clusters and results in bulk are tried in the best
  /// of these.
  bool isProven = false;
  Refusals rejections; ///< most frequent first, where a ranking is asked for
  std::optional<SpaceCounts> counts;   ///< of spaces `paper` and `chimera`
  std::optional<ChoiceCounts> choices; ///< of space `default`
  llvm::StringRef measuredBy;          ///< empty where the model alone decided
};

constexpr unsigned kMaxEffort = 64;

/// What the search may choose from, and how.
struct SearchOptions {
  unsigned maxStages = 8; ///< of a buffer in shared memory
  unsigned maxRegisterStages = 2;
  unsigned ranked = 1; ///< candidates to report
  /// Instead of the best candidate, a legal one drawn with this seed.
  std::optional<uint64_t> randomSeed = {};
  SpaceKind space = SpaceKind::Default;
  ModelKind model = ModelKind::Default;
  /// Rules of the papers' spaces. `flat` is the space's to say.
  PaperSpaceOptions rules = {};
  SearchMethod method = SearchMethod::Auto;
  Convergence convergence = Convergence::BestOfAll;
  uint64_t seed = 0; ///< of all that is drawn
  /// Of space `default`: how many times as much is looked at as takes about a
  /// second; from 1 to `kMaxEffort`.
  unsigned effort = 1;
  unsigned threads = 1;   ///< does not change the answer
  bool skipMasked = true; ///< tiles that masks provably exclude
  /// The first answers and descents from the best few alone: about what a group
  /// takes, for who compares many of them.
  bool isRough = false;
  /// Measures the best few by the model (`ranked`), then in our space in rounds
  /// as many beside the fastest (docs/search-spaces.md); may be null.
  Measurement<Schedule> *measurement = nullptr;
  /// Asked between candidates, by any thread. From false on nothing is looked
  /// at, and what comes back soon is to be thrown away. Empty: the search ends
  /// by itself.
  std::function<bool()> proceed = {};

  bool isStopped() const { return proceed && !proceed(); }
};

/// The share of a rough search's time that the whole search saves at most, of
/// nine groups in ten (`RoughSearchIsNear`): the longer, the more there is to
/// come upon.
inline double roughness(size_t contractions) {
  return std::min(0.5,
                  0.06 * (contractions - std::min<size_t>(contractions, 1)));
}

/// The legal schedule of least predicted time. Equal times are decided by
/// smaller clusters, fewer producers, blocks of one tile, occupancy, then by
/// what a block waits for, fewer bytes, and the order of enumeration. Returns
/// nullopt with `reason` where no candidate is legal, or the space or the model
/// cannot take the group.
std::optional<SearchResult> searchSchedule(const GroupModel &group,
                                           const ChipInfo &chip,
                                           std::string &reason,
                                           const SearchOptions &options = {});

/// The same in space `paper` or `chimera`: tiles and loops by the model that is
/// asked for, from the best on, until lowering accepts one. The papers leave
/// the rest open: warps are chosen by our model, buffers have one stage; under
/// ALCOP's model, which is about stages, it chooses both.
std::optional<SearchResult> searchPaperSpace(const GroupModel &group,
                                             const ChipInfo &chip,
                                             std::string &reason,
                                             const SearchOptions &options);

/// Whether `a` is to be preferred, by our model and what decides equal times.
bool isBetter(const CostedSchedule &a, const CostedSchedule &b);

/// Why a legal schedule is passed over that may spill (kRegisterMargin).
constexpr llvm::StringLiteral kNoRegisterRoom =
    "registers may spill: what ptxas needs beside the predicted ones is not "
    "left";

/// Measures schedules and sorts them by that, those that do not run last.
/// Returns whether any did.
bool measureRanking(std::vector<CostedSchedule> &ranking,
                    Measurement<Schedule> &measurement);

/// A reason of `checkSchedule` with its numbers left out, for counting.
std::string withoutNumbers(llvm::StringRef reason);

/// Adds to a reason's count.
void countRejection(Refusals &rejections, llvm::StringRef reason,
                    int64_t candidates = 1);

/// Most frequent first, equals by their text.
void sortRejections(Refusals &rejections);

/// As given to space= and search=.
llvm::StringRef name(SpaceKind space);
llvm::StringRef name(SearchMethod method);
std::optional<SpaceKind> lookupSpace(llvm::StringRef name);
std::optional<SearchMethod> lookupMethod(llvm::StringRef name);

} // namespace fusion

#endif // FUSION_SEARCH_SCHEDULESEARCH_H
