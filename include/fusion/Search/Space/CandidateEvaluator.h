//===- CandidateEvaluator.h - Candidates completed and evaluated ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_CANDIDATEEVALUATOR_H
#define FUSION_SEARCH_SPACE_CANDIDATEEVALUATOR_H

#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Search/Space/ScheduleSpace.h"
#include "fusion/Search/Space/SearchResult.h"
#include <limits>

namespace fusion {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Counts of the candidates that were looked at.
struct LookedAt {
  int64_t legal = 0, rejected = 0, bounded = 0;
  Refusals
      rejections; ///< reasons of rejected candidates, if runners-up are ranked

  int64_t checked() const { return legal + rejected; }
  int64_t all() const { return checked() + bounded; }

  void reject(llvm::StringRef reason, bool isRetained = true) {
    ++rejected;
    if (isRetained)
      countRejection(rejections, reason);
  }
  void count(bool isLegal, llvm::StringRef reason) {
    if (isLegal)
      ++legal;
    else
      reject(reason);
  }
  void add(const LookedAt &other) {
    legal += other.legal;
    rejected += other.rejected;
    bounded += other.bounded;
    for (const auto &[reason, count] : other.rejections)
      countRejection(rejections, reason, count);
  }
  /// Copies the counts into a result.
  void finish(SearchResult &result) const {
    result.candidates = all();
    result.legal = legal;
    result.rejected = rejected;
    result.bounded = bounded;
    result.rejections = rejections;
    sortRejections(result.rejections);
  }
};

/// Completes loops and tiles by warp arrangements, stages and transports, and
/// evaluates each schedule that lowering accepts by the model of the options.
/// What these choices do not change is computed once. Not thread-safe: each
/// thread has an evaluator of its own.
class CandidateEvaluator {
public:
  struct Costed {
    const Schedule &schedule;
    const Footprint &footprint;
    const Cost &cost; ///< by our model
    double seconds;   ///< by the model that was asked for
    const ScheduleCandidate &candidate;
  };
  using Take = llvm::function_ref<void(const Costed &)>;
  /// Returns the predicted seconds beyond which no schedule is of interest;
  /// called before each schedule.
  using Limit = llvm::function_ref<double()>;

  CandidateEvaluator(const GroupModel &group, const ChipInfo &chip,
                     const SearchOptions &options, const ScheduleSpace &space)
      : group(group), chip(chip), options(options), space(space),
        checker(group, chip, &space.visited()) {}

  /// Returns whether the lower bounds of CostBound.h hold for the chosen model.
  bool hasBounds() const { return options.model == ModelKind::Default; }

  /// Evaluates the candidate's loops and tiles with the given warp arrangements
  /// (`ScheduleSpace::arrangements()`). Each arrangement is combined with all
  /// transports of operands, producer warps, persistence, and numbers of stages
  /// that may be faster than the limit. Where `only` is given, its transports,
  /// producer warps and persistence are the only ones. With `takesTimes`, not
  /// all schedules that are as fast as each other are evaluated.
  void evaluateAll(const ScheduleCandidate &candidate,
                   llvm::ArrayRef<unsigned> arrangements, Limit limit,
                   Take take, const MainloopPolicy *only = nullptr,
                   bool takesTimes = false);

  /// Evaluates a complete schedule.
  void rate(const Schedule &schedule, const ScheduleCandidate &candidate,
            Take take);

  LookedAt looked;
  std::string lastReason; ///< why the last rejected one was

private:
  class Stages;

  bool accepts(const Schedule &schedule, std::optional<std::string> reason);
  void reject(std::string reason);
  /// Choices that are open once loops and tiles are chosen.
  struct Open {
    llvm::SmallVector<PipelinedLoop, 4> loops;
    llvm::SmallVector<TensorSet, 4> transports; ///< operands copied by TMA
    const MainloopPolicy *only;                 ///< or null
    Limit limit;
    Take take;
    bool takesTimes; ///< and not the schedules
  };
  llvm::SmallVector<TensorSet, 4>
  listTransports(const Schedule &schedule, const MainloopPolicy *only) const;
  void evaluateWarps(Schedule &schedule, ScheduleCandidate &candidate,
                     const Open &open);
  void evaluateStages(Schedule &schedule, ScheduleCandidate &candidate,
                      const Open &open, const Cost &throughput,
                      int64_t &hopelessBlocks);
  void evaluateOverlaps(Schedule &schedule, ScheduleCandidate &candidate,
                        const Open &open, const Cost &throughput);
  void evaluatePingPong(Schedule &schedule, ScheduleCandidate &candidate,
                        const Open &open, const Cost &throughput);
  /// Returns the predicted seconds of the schedule.
  double take(const Schedule &schedule, const ScheduleCandidate &candidate,
              const Cost &throughput, Take take);

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  const ScheduleSpace &space;
  ScheduleChecker checker;
  PipelineMemo memo; ///< of the loops, tiles and warps at hand
};

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_CANDIDATEEVALUATOR_H
