//===- CandidateEvaluatorTest.cpp - Stages that candidates get ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/CandidateEvaluator.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Resources/Occupancy.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Search/Space/OverlapChoice.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

/// The best that any stages of any loop make of a candidate with its warps and
/// movement.
double rateEveryStage(const GroupModel &group, const ChipInfo &chip,
                      const SearchOptions &options, const ScheduleSpace &space,
                      ScheduleCandidate candidate) {
  candidate.stages = candidate.registerStages = 1;
  Schedule schedule = space.complete(candidate);
  if (candidate.policy.overlaps)
    setOverlaps(group, schedule);
  llvm::SmallVector<PipelinedLoop, 4> loops = listPipelinedLoops(schedule);
  double best = kNever;
  auto choose = [&](auto &&self, unsigned loop) -> void {
    if (loop < loops.size()) {
      int64_t trips = sequentialTrips(group, schedule, loops[loop].axes.back());
      for (unsigned stages : space.stages()) {
        ScheduleBuilder::setStages(schedule, stages, loops[loop].loads);
        self(self, loop + 1);
        if (stages > trips && options.model == ModelKind::Default)
          break; // further ones would stay empty
      }
      return;
    }
    setSumsInFlight(group, schedule,
                    sumsInFlight(group, schedule, options.model));
    Footprint footprint;
    if (checkSchedule(group, schedule, chip, &footprint) ||
        !hasRegisterRoom(schedule, footprint, chip))
      return;
    std::string reason;
    best = std::min(best,
                    predictSeconds(options.model, group, schedule, chip, reason)
                        .value_or(kNever));
  };
  for (unsigned registers = 1; registers <= options.maxRegisterStages;
       ++registers) {
    space.build().setRegisterStages(schedule, registers);
    choose(choose, 0);
  }
  return best;
}

/// The candidates with any mainloop policy.
double rateEverything(const GroupModel &group, const ChipInfo &chip,
                      const SearchOptions &options, const ScheduleSpace &space,
                      ScheduleCandidate candidate) {
  double best = kNever;
  TensorSet stored = candidate.policy.stored;
  llvm::SmallVector<TensorSet, 4> transports(space.transports());
  // Each operand alone, where a block has too few mbarriers for all.
  ScheduleChecker checker(group, chip);
  Schedule outline = space.outline(candidate);
  if (!checker.checkLoops(outline))
    llvm::append_range(transports, checker.listTMA(outline));
  for (TensorSet copied : transports)
    for (unsigned producers : space.producers())
      for (bool isPersistent : {false, true}) {
        if (isPersistent && !ScheduleSpace::mayPersist(producers))
          continue;
        for (bool overlaps : {false, true})
          for (bool turns : {false, true}) {
            if ((overlaps && !space.mayOverlap()) ||
                (turns && !space.mayPingPong(producers)))
              continue;
            candidate.policy = {copied,       stored,   producers,
                                isPersistent, overlaps, turns};
            best = std::min(
                best, rateEveryStage(group, chip, options, space, candidate));
          }
      }
  return best;
}

struct Best {
  double seconds = kNever;
  MainloopPolicy policy;
};

Best rate(const GroupModel &group, const ChipInfo &chip,
          const SearchOptions &options, const ScheduleSpace &space,
          const ScheduleCandidate &candidate, double limit,
          bool takesTimes = false) {
  CandidateEvaluator evaluator(group, chip, options, space);
  Best best;
  evaluator.evaluateAll(
      candidate, candidate.arrangement,
      [&] { return std::min(limit, best.seconds); },
      [&](const CandidateEvaluator::Costed &costed) {
        if (costed.seconds < best.seconds)
          best = {costed.seconds, costed.candidate.policy};
      },
      /*only=*/nullptr, takesTimes);
  return best;
}

// Each loop's own stages, found by going from the same ones in all, with any
// transports and producers, are as good as all combinations, by either model
// that sees them; and a limit hides none that is faster, nor does asking for
// times alone.
TEST(CandidateEvaluator, StagesOfLoopsAreTheBest) {
  SearchOptions options;
  Random numbers(3);
  unsigned several = 0, clusters = 0, usesTMA = 0, produced = 0, staying = 0,
           overlapped = 0, turned = 0;
  for (const char *name : {"sm_80", "sm_86", "sm_90a"})
    for (const ChainShape &shape : {ChainShape{{1024, 512, 1024, 512}},
                                    ChainShape{{768, 256, 512, 640, 384}},
                                    ChainShape{{512, 64, 777, 96}, 48},
                                    ChainShape{{512, 64, 256, 64}, 16}}) {
      const ChipInfo &chip = *lookupChip(name);
      GroupModel group = makeChainModel(shape);
      // What is worth hiding.
      for (Contraction &contraction : group.contractions)
        contraction.perPoint += {40, 4};
      ScheduleSpace space(group, chip, options);
      // The last one is for cross-iteration overlap.
      if (shape.batch == 16 && !space.mayOverlap())
        continue;
      // ALCOP's model, which no bounds are known of, has every ninth.
      for (unsigned i = 0; i < 45000; ++i) {
        options.model = i < 40000 ? ModelKind::Default : ModelKind::Alcop;
        ScheduleCandidate candidate = space.randomOutline(numbers);
        candidate.arrangement = numbers.below(space.arrangements().size());
        // Few that are drawn have all products by one unit.
        if (space.mayOverlap() && i % 2)
          candidate.intrinsics = space.units().back();
        candidate.cluster = numbers.below(space.copyingClusters().size() + 1);
        candidate.policy.stored = space.storeTransports()[numbers.below(
            space.storeTransports().size())];
        if (!space.divides(space.arrangements()[candidate.arrangement],
                           candidate) ||
            !space.fillsSplits(candidate))
          continue;
        double all = rateEverything(group, chip, options, space, candidate);
        Best found = rate(group, chip, options, space, candidate, kNever);
        double own = found.seconds;
        ASSERT_EQ(all == kNever, own == kNever);
        if (all == kNever)
          continue;
        Schedule schedule = space.complete(candidate);
        several += listPipelinedLoops(schedule).size() > 1;
        clusters += candidate.cluster > 0;
        usesTMA += (found.policy.copied | found.policy.stored) != 0;
        produced += found.policy.producers > 0;
        staying += found.policy.isPersistent;
        overlapped += found.policy.overlaps;
        turned += found.policy.isPingPong;
        EXPECT_GE(own, all * (1 - 1e-9));
        EXPECT_LE(own, all * (1 + 1e-9))
            << name << ": " << printTiling(schedule.tree, group)
            << " in clusters of " << schedule.cluster << ", "
            << found.policy.producers << " producers"
            << (found.policy.isPersistent ? ", persistent" : "");
        double below =
            rate(group, chip, options, space, candidate, own * (1 + 1e-6))
                .seconds;
        EXPECT_DOUBLE_EQ(below, own) << printTiling(schedule.tree, group);
        EXPECT_EQ(rate(group, chip, options, space, candidate, kNever,
                       /*takesTimes=*/true)
                      .seconds,
                  own)
            << printTiling(schedule.tree, group);
      }
    }
  EXPECT_GT(several, 200u);
  EXPECT_GT(clusters, 30u);
  EXPECT_GT(usesTMA, 100u);
  EXPECT_GT(produced, 30u);
  EXPECT_GT(staying, 3u);
  EXPECT_GT(overlapped, 3u);
  EXPECT_GT(turned, 3u);
}

} // namespace
