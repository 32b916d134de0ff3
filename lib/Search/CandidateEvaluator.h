//===- CandidateEvaluator.h - Candidates completed and evaluated ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_CANDIDATERATER_H
#define FUSION_LIB_SEARCH_CANDIDATERATER_H

#include "fusion/Search/ScheduleSpace.h"
#include <limits>

namespace fusion {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// What became of the candidates that were looked at.
struct LookedAt {
  int64_t legal = 0, rejected = 0, bounded = 0;
  Refusals
      rejections; ///< of those that were refused, where a ranking is wanted

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

/// Completes loops and tiles by warps, stages and how operands are copied, and
/// rates what lowering accepts by the model that the options ask for. What
/// these do not change is looked at once. Every thread has a rater of its own.
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
  /// Seconds beyond which nothing is of interest; asked before each schedule.
  using Limit = llvm::function_ref<double()>;

  CandidateEvaluator(const GroupModel &group, const ChipInfo &chip,
                     const SearchOptions &options, const ScheduleSpace &space)
      : group(group), chip(chip), options(options), space(space),
        checker(group, chip, &space.visited()) {}

  /// Whether CostBound.h bounds what the model says.
  bool hasBounds() const { return options.model == ModelKind::Default; }

  /// Rates the candidate's loops and tiles with these arrangements of warps
  /// (`ScheduleSpace::arrangements()`), and of each all transports of operands,
  /// producers, blocks that stay, and stages that may be faster than the limit;
  /// or of transports, producers and blocks that stay `only` these.
  void evaluateAll(const ScheduleCandidate &candidate,
                   llvm::ArrayRef<unsigned> arrangements, Limit limit,
                   Take take, const MainloopPolicy *only = nullptr);

  /// Rates a complete schedule.
  void rate(const Schedule &schedule, const ScheduleCandidate &candidate,
            Take take);

  LookedAt looked;
  std::string lastReason; ///< why one was passed over

private:
  class Stages;

  bool accepts(const Schedule &schedule, std::optional<std::string> reason);
  void reject(std::string reason);
  /// What is left to choose once loops and tiles are.
  struct Open {
    llvm::SmallVector<PipelinedLoop, 4> loops;
    llvm::SmallVector<TensorSet, 4> transports; ///< operands in bulk
    const MainloopPolicy *only;                 ///< or null
    Limit limit;
    Take take;
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
  /// Returns its seconds.
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

#endif // FUSION_LIB_SEARCH_CANDIDATERATER_H
