//===- SearchOptions.h - Space, model and method of a search ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_SEARCHOPTIONS_H
#define FUSION_SEARCH_SPACE_SEARCHOPTIONS_H

#include "fusion/Analysis/Cost/Models.h"
#include "fusion/Search/Space/Evolution.h"
#include "fusion/Search/Space/PaperRules.h"
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

/// Return names as in the options `space=` and `search=`, and what they name.
llvm::StringRef name(SpaceKind space);
llvm::StringRef name(SearchMethod method);
std::optional<SpaceKind> lookupSpace(llvm::StringRef name);
std::optional<SearchMethod> lookupMethod(llvm::StringRef name);

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_SEARCHOPTIONS_H
