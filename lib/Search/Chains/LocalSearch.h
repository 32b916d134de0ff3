//===- LocalSearch.h - Descents from many different candidates ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a space is too large for branch and bound, the best of it is near the
// best of one of the trees that loops can make. Descents (Descent.h) start from
// several trees and go on from what random changes make of the best ones.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_CHAINS_LOCALSEARCH_H
#define FUSION_LIB_SEARCH_CHAINS_LOCALSEARCH_H

#include "Descent.h"
#include "SearchEffort.h"

namespace fusion {

class LocalSearch {
public:
  LocalSearch(const GroupModel &group, const ChipInfo &chip,
              const SearchOptions &options, const ScheduleSpace &space,
              unsigned cluster = 0)
      : group(group), chip(chip), options(options), space(space),
        effort(group, space, options), cluster(cluster), numbers(options.seed),
        descent(group, chip, options, space) {}

  /// Descends from the best of the trees, and of `seeds`.
  void start(llvm::ArrayRef<ScheduleCandidate> seeds);

  /// The same from the best few, one choice after the other.
  void startRoughly(llvm::ArrayRef<ScheduleCandidate> seeds);

  /// The same from draws in clusters.
  void startInClusters();

  /// Changes some of the best points at random and descends from there, for
  /// `candidates` checked candidates.
  void restart(int64_t candidates);

  /// Descends from the best few by changes of several choices at a time.
  void finish();

  /// The best ones, best first; at most `kPoints`.
  llvm::ArrayRef<Descent::Point> best() const { return points; }
  static constexpr size_t kPoints = 8;

  /// What all descents have come to.
  llvm::ArrayRef<Descent::Point> descended() const { return ends; }

  const LookedAt &looked() const { return descent.looked(); }

private:
  void drawTiles(ScheduleCandidate &candidate, uint64_t whole, int64_t others);
  void drawStarts(uint64_t most, bool isRough,
                  llvm::function_ref<void(const ScheduleCandidate &)> take);
  void listStarts(llvm::ArrayRef<ScheduleCandidate> seeds, uint64_t most,
                  size_t wanted, bool isRough);
  void keepBest(size_t most);
  void descend(llvm::ArrayRef<ScheduleCandidate> seeds, size_t descents,
               const DescentEffort &effort, bool isRough);
  bool change(Descent::Point &point, double limit);
  int64_t wholeTile(unsigned axis) const;
  int64_t tileBelow(unsigned axis, int64_t tile) const;

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  const ScheduleSpace &space;
  const SearchEffort effort;
  unsigned cluster; ///< of what is drawn, of `ScheduleSpace::clusters`
  Random numbers;
  Descent descent;
  std::vector<Descent::Point> points, ends;
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_CHAINS_LOCALSEARCH_H
