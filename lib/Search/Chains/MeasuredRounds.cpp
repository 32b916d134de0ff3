//===- MeasuredRounds.cpp - Local search by measurement -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasuredRounds.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using Entries = std::vector<ScheduleRanking::Entry>;

static double secondsOf(const ScheduleRanking::Entry &entry) {
  return entry.costed.measuredSeconds.value_or(kNever);
}

/// Measures the entries of `next` and sorts them into the ranking. Returns
/// whether one of them is the new fastest.
bool MeasuredRounds::measure(Entries &ranking, Entries next) {
  double before = ranking.empty() ? kNever : secondsOf(ranking.front());
  for (ScheduleRanking::Entry &entry : next) {
    entry.costed.measuredSeconds =
        options.measurement->measure(entry.costed.schedule);
    auto place = llvm::upper_bound(
        ranking, secondsOf(entry),
        [](double seconds, const ScheduleRanking::Entry &other) {
          return seconds < secondsOf(other);
        });
    ranking.insert(place, std::move(entry));
  }
  return !ranking.empty() && secondsOf(ranking.front()) < before;
}

/// Returns the candidate's mainloop policy with one choice changed.
llvm::SmallVector<MainloopPolicy, 8>
MeasuredRounds::listPolicies(const ScheduleCandidate &candidate) const {
  llvm::SmallVector<MainloopPolicy, 8> movements;
  for (const ScheduleDimension &dimension : space.dimensions()) {
    if (!dimension.isMainloopPolicy ||
        (dimension.isOpen && !dimension.isOpen(space, candidate)))
      continue;
    dimension.forEachStep(candidate, [&](ScheduleCandidate other) {
      space.settle(other);
      movements.push_back(other.policy);
    });
  }
  return movements;
}

/// Returns candidates that differ from this one in one choice, best first by
/// the model. The choice is the next smaller or larger value of a dimension,
/// such as the tile of an axis, other warps, transports or producer warps. The
/// model chooses all other fields, such as stages.
Entries MeasuredRounds::listNeighbours(const ScheduleCandidate &candidate) {
  Entries neighbours;
  auto add = [&](const ScheduleCandidate &other,
                 llvm::ArrayRef<unsigned> arrangements,
                 const MainloopPolicy *only = nullptr) {
    ScheduleRanking one(group, chip, options, space);
    one.evaluateAll(other, arrangements, only);
    seen.add(one.looked());
    if (one.empty())
      return;
    const ScheduleRanking::Entry &best = one.starts().front();
    neighbours.insert(llvm::upper_bound(neighbours, best,
                                        [](const auto &a, const auto &b) {
                                          return isBetter(a.costed, b.costed);
                                        }),
                      best);
  };
  auto addBeside = [&](const ScheduleDimension &dimension, unsigned index,
                       llvm::ArrayRef<int64_t> values) {
    int64_t chosen = dimension.get(candidate, index);
    auto addValue = [&](int64_t value) {
      ScheduleCandidate other = candidate;
      dimension.set(other, value, index);
      add(other, space.usualArrangements());
    };
    // From a value that no step leads to, the first value is the nearest.
    if (dimension.searchedApart > 0 && !llvm::is_contained(values, chosen))
      return addValue(values.front());
    auto at = llvm::lower_bound(values, chosen);
    if (at != values.begin())
      addValue(*std::prev(at));
    if (at != values.end() && *at == chosen)
      ++at;
    if (at != values.end())
      addValue(*at);
  };
  for (unsigned each = 0; each < space.arrangements().size(); ++each)
    add(candidate, each);
  for (const ScheduleDimension &dimension : space.dimensions()) {
    if (dimension.isEvaluated || dimension.isInTree ||
        dimension.isMainloopPolicy)
      continue;
    bool isOfAxes = dimension.scope == DimensionInfo::Scope::Axis;
    for (auto [index, element] : llvm::enumerate(dimension.elements))
      addBeside(dimension, index,
                isOfAxes ? space.minTiles(element) : dimension.steps(index));
  }
  for (const MainloopPolicy &policy : listPolicies(candidate)) {
    ScheduleCandidate other = candidate;
    other.policy = policy;
    add(other, candidate.arrangement, &policy);
  }
  return neighbours;
}

bool MeasuredRounds::run(Entries &ranking, unsigned maxRounds) {
  size_t perRound = std::max(1u, options.ranked);
  Entries next = std::move(ranking);
  ranking.clear();
  for (unsigned round = 0; round < maxRounds; ++round) {
    if (!measure(ranking, std::move(next)) || round + 1 == maxRounds)
      break;
    next = listNeighbours(ranking.front().candidate);
    llvm::erase_if(next, [&](const ScheduleRanking::Entry &entry) {
      return llvm::any_of(ranking, [&](const ScheduleRanking::Entry &known) {
        return known.candidate == entry.candidate;
      });
    });
    if (next.size() > perRound)
      next.erase(next.begin() + perRound, next.end());
  }
  return !ranking.empty() && secondsOf(ranking.front()) < kNever;
}
