//===- CostBoundTest.cpp - Bounds of the search ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/CostBound.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "fusion/Search/Space/ScheduleSpace.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

const llvm::SmallVector<int64_t, 6> kChains[] = {{128, 64, 96},
                                                 {512, 64, 256, 64},
                                                 {100, 72, 40, 24},
                                                 {1024, 64, 512, 96},
                                                 {96, 64, 48, 80, 32}};

/// Legal candidates of a chain with their bounds and predicted times.
template <typename Visit>
void forRandomCandidates(const ChainShape &shape, const ChipInfo &chip,
                         Visit visit, const ScalarWork &perPoint = {}) {
  GroupModel group = makeChainModel(shape);
  for (Contraction &contraction : group.contractions)
    contraction.perPoint += perPoint;
  SearchOptions options;
  ScheduleSpace space(group, chip, options);
  Random numbers(11), apart(12);
  unsigned legal = 0;
  for (unsigned tries = 0; tries < 20000 && legal < 100; ++tries) {
    ScheduleCandidate candidate = space.random(numbers);
    if (apart.below(2))
      space.drawPolicy(candidate, apart);
    candidate.cluster = 0; // others share bytes, which no bound is about
    Schedule schedule = space.complete(candidate);
    if (checkSchedule(group, schedule, chip))
      continue;
    ++legal;
    visit(group, space, candidate, schedule);
  }
  EXPECT_GT(legal, 0u);
}

// No schedule is faster than the bound of its loops and tiles, with operators
// on the values or without, nor than that of its warps and copies.
TEST(CostBound, NothingIsFaster) {
  for (const char *name : {"sm_80", "sm_86", "sm_90a", "sm_120"})
    for (const auto &sizes : kChains)
      for (int64_t batch : {1, 6}) {
        const ChipInfo &chip = *lookupChip(name);
        forRandomCandidates(
            {sizes, batch}, chip,
            [&](const GroupModel &group, const ScheduleSpace &space,
                const ScheduleCandidate &candidate, const Schedule &schedule) {
              CostBound bound(group, schedule, schedule.blocks,
                              space.intrinsics(), chip, space.mayOverlap());
              Cost cost = predictCost(group, schedule,
                                      computeFootprint(group, schedule), chip);
              double own =
                  bound.seconds(space.tilesOf(candidate), candidate.intrinsics);
              EXPECT_LE(own, cost.total * (1 + 1e-9))
                  << printTiling(schedule.tree, group);
              Cost throughput = predictThroughput(
                  group, schedule, computeFootprint(group, schedule), chip);
              EXPECT_LE(throughput.total, cost.total * (1 + 1e-9));
              EXPECT_LE(throughput.issue, cost.issue * (1 + 1e-9));
              EXPECT_GT(throughput.issue, 0);
              // Intrinsics that are open only lower it, one after the other.
              for (unsigned chosen = group.contractions.size(); chosen-- > 0;) {
                double with = bound.seconds(
                    space.tilesOf(candidate),
                    llvm::ArrayRef(candidate.intrinsics).take_front(chosen));
                EXPECT_LE(with, own * (1 + 1e-9));
                own = with;
              }
              EXPECT_EQ(own, bound.seconds(space.tilesOf(candidate)));
            },
            batch == 1 ? ScalarWork() : ScalarWork{40, 4});
      }
}

// Nor with cross-iteration overlap.
TEST(CostBound, NothingIsFasterThatOverlaps) {
  const ChipInfo &chip = *lookupChip("sm_90a");
  unsigned overlapped = 0;
  for (int64_t columns : {256, 1024}) {
    GroupModel group = makeChainModel({{512, 64, columns, 64}});
    for (Contraction &contraction : group.contractions)
      contraction.perPoint += {40, 4};
    SearchOptions options;
    ScheduleSpace space(group, chip, options);
    ASSERT_TRUE(space.mayOverlap());
    Random numbers(13);
    for (unsigned tries = 0; tries < 60000; ++tries) {
      ScheduleCandidate candidate = space.random(numbers);
      candidate.intrinsics = space.units()[tries % space.units().size()];
      candidate.stages = 2;
      candidate.policy.copied = space.transports().back();
      candidate.policy.overlaps = true;
      Schedule schedule = space.complete(candidate);
      if (!schedule.overlapsIterations() ||
          checkSchedule(group, schedule, chip))
        continue;
      ++overlapped;
      CostBound bound(group, schedule, schedule.blocks, space.intrinsics(),
                      chip, /*overlaps=*/true);
      Cost cost =
          predictCost(group, schedule, computeFootprint(group, schedule), chip);
      EXPECT_LE(bound.seconds(space.tilesOf(candidate), candidate.intrinsics),
                cost.total * (1 + 1e-9))
          << printTiling(schedule.tree, group);
    }
  }
  EXPECT_GT(overlapped, 20u);
}

// Leaving tiles open does not raise the bound: what is cut off with a part of
// the choices is cut off with all of them.
TEST(CostBound, OpenTilesOnlyLowerIt) {
  const ChipInfo &chip = *lookupChip("sm_80");
  for (const auto &sizes : kChains)
    forRandomCandidates(
        {sizes}, chip,
        [&](const GroupModel &group, const ScheduleSpace &space,
            ScheduleCandidate candidate, const Schedule &) {
          // Branch and bound chooses loops and tiles; the retained tiles follow
          // from them.
          candidate.hoisted.fill(0);
          candidate.retained.fill(0);
          Schedule schedule = space.outline(candidate);
          CostBound whole(group, schedule, schedule.blocks, space.intrinsics(),
                          chip);
          double bound = whole.seconds(space.tilesOf(candidate));
          // One axis after the other is opened; its loop is then dead.
          ScheduleCandidate shape = candidate;
          for (unsigned axis = group.axes.size(); axis-- > 1;) {
            shape.tiles[axis] = group.axes[axis].extent;
            CostBound part(group, space.outline(shape),
                           space.expressions()[candidate.expression].blocks,
                           space.intrinsics(), chip);
            double own =
                part.seconds(space.tilesOf(candidate).take_front(axis));
            EXPECT_LE(own, bound * (1 + 1e-9))
                << printTiling(schedule.tree, group) << " axis " << axis;
            bound = own;
          }
        });
}

// Tiles of one axis after the other, in any order, have the bounds that they
// have by themselves, whether those of further axes are chosen or not.
TEST(CostBound, AlongAnAxisItIsTheSame) {
  const ChipInfo &chip = *lookupChip("sm_80");
  for (const auto &sizes : kChains)
    forRandomCandidates(
        {sizes, 6}, chip,
        [&](const GroupModel &group, const ScheduleSpace &space,
            const ScheduleCandidate &candidate, const Schedule &schedule) {
          CostBound bound(group, schedule, schedule.blocks, space.intrinsics(),
                          chip);
          for (unsigned chosen = 1; chosen <= group.axes.size(); ++chosen) {
            llvm::ArrayRef<int64_t> tiles =
                space.tilesOf(candidate).take_front(chosen);
            for (unsigned axis = 0; axis < chosen; ++axis) {
              CostBound::Along along(bound, tiles, axis);
              auto other = llvm::to_vector(tiles);
              for (int64_t tile :
                   {tiles[axis], int64_t(512), int64_t(16), tiles[axis]}) {
                other[axis] = tile;
                EXPECT_EQ(along.seconds(tile), bound.seconds(other));
              }
            }
          }
        });
}

// Tiles that mayFit leaves out are infeasible for all numbers of warps.
TEST(CostBound, WhatCannotFitIsRefused) {
  const ChipInfo &chip = *lookupChip("sm_86");
  GroupModel group = makeChainModel({{1024, 512, 1024, 512}});
  SearchOptions options;
  ScheduleSpace space(group, chip, options);
  Random numbers(3);
  unsigned out = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    ScheduleCandidate candidate = space.random(numbers);
    if (space.mayFit(space.tilesOf(candidate)))
      continue;
    ++out;
    EXPECT_TRUE(checkSchedule(group, space.complete(candidate), chip));
  }
  EXPECT_GT(out, 1000u);
}

} // namespace
