//===- StageChoice.h - Stages of a schedule's buffers -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The innermost choice of CandidateEvaluator: numbers of stages of buffers and
// fragments, once everything else of a schedule is chosen.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_SEARCH_SPACE_STAGECHOICE_H
#define FUSION_LIB_SEARCH_SPACE_STAGECHOICE_H

#include "fusion/Search/Space/CandidateEvaluator.h"

namespace fusion {

/// Chooses stages of buffers and fragments for fixed loops, tiles, warps,
/// transports and producer warps, which already decide what blocks move and
/// compute. Leaves no sum in flight when it goes out of scope.
class CandidateEvaluator::Stages {
public:
  /// `schedule` and `candidate` are changed; they have one stage. `throughput`
  /// has the costs that stages do not change.
  Stages(CandidateEvaluator &evaluator, Schedule &schedule,
         ScheduleCandidate &candidate, llvm::ArrayRef<PipelinedLoop> loops,
         const Cost &throughput, Take take, bool takesTimes);
  ~Stages();

  /// Returns whether some number of stages may be faster than the limit, in
  /// seconds. Assumes the deepest stages, without the barriers that a loop with
  /// one stage does not have, and as many resident blocks of an SM as one stage
  /// leaves room for, or any fewer. More blocks may take longer, as all run in
  /// whole waves.
  bool mayBeFaster(double limit);

  /// Returns whether `mayBeFaster` also bounds schedules with producer warps
  /// and as many tiles for each block. In nested loops producers load the inner
  /// loop's first tiles earlier; otherwise they save the barriers alone.
  bool boundsProducers() const;

  /// Returns whether TMA copies, which producer warps could issue, fill stages
  /// of some loop.
  bool hasWorkForProducers() const { return isAhead(counts, 1); }

  /// Evaluates numbers of stages for buffers, with `registers` stages of
  /// fragments. First all loops have the same number. Then one loop has another
  /// number, and one loop has more where another has fewer, as long as that is
  /// faster. Each loop has a trip count of its own, and bytes that a stage
  /// takes.
  ///
  /// A model without bounds may get slower and faster again with more stages,
  /// as ALCOP's printed one does where its two branches meet: with few loops
  /// all combinations are tried. Where only times are asked for, of the stages
  /// of one loop with as many resident blocks the deepest are evaluated alone:
  /// no others are faster. `ofOne` is the predicted time in seconds with
  /// one stage, where it is known; producers have nothing to do then.
  void rate(unsigned registers, std::optional<double> ofOne);

private:
  /// By loop, of `ScheduleSpace::stages()`.
  using Depths = llvm::SmallVector<unsigned, 4>;
  enum class Room : uint8_t { None, Enough, Unused };

  unsigned countDepths(const PipelinedLoop &loop);
  bool isAhead(llvm::ArrayRef<unsigned> depths, unsigned stages) const;
  void setRegisterStages(unsigned stages);
  void set(const Depths &depths);
  void findSums();
  void tryAll(Depths depths, unsigned loop, Depths &best, double &seconds);
  Room findRoom(const Depths &depths);
  void takeAgain(const Depths &depths, Depths &best, double &seconds);
  bool tryDepths(const Depths &depths, Depths &best, double &seconds);
  void takeDepths(const Depths &depths, Depths &best, double &seconds);

  CandidateEvaluator &evaluator;
  Schedule &schedule;
  ScheduleCandidate &candidate;
  llvm::ArrayRef<PipelinedLoop> loops;
  const Cost &throughput;
  Take take;
  bool takesTimes;
  Footprint least;                     ///< with one stage
  bool isOverlapped;                   ///< with another contraction
  Depths counts;                       ///< of each loop
  llvm::SmallVector<unsigned, 4> sums; ///< contractions, in flight if staged
};

} // namespace fusion

#endif // FUSION_LIB_SEARCH_SPACE_STAGECHOICE_H
