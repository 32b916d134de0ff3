//===- EvictionTest.cpp - What may leave the L2 cache first ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/Eviction.h"
#include "ScheduledGroup.h"

using namespace fusion;
using namespace fusion::test;

namespace {

fuse::Eviction evictionOf(ScheduledGroup &group, llvm::StringRef name) {
  return fusion::evictionOf(group.model(), *group.schedule,
                            *lookupChip("sm_90a"), group.tensor(name));
}

/// A contraction whose columns are one tile: blocks along its rows only.
struct OneColumn : ScheduledGroup {
  explicit OneColumn(int64_t reduced)
      : ScheduledGroup(chainIR({4096, reduced, 64}), kProductSchedule) {
    setTiling("m(k(LA,LB,CC),SC)");
    setBlocks({"m"});
  }
};

// One column of blocks: each reads rows of its own, and all the same columns.
TEST(Eviction, ReadOnceAndByAll) {
  OneColumn group(256);
  EXPECT_EQ(evictionOf(group, "A"), fuse::Eviction::First);
  EXPECT_EQ(evictionOf(group, "B"), fuse::Eviction::Last);
}

// Rows and columns are read by some blocks each.
TEST(Eviction, ReadBySome) {
  ScheduledGroup group(chainIR({4096, 256, 4096}), kProductSchedule);
  EXPECT_EQ(evictionOf(group, "A"), fuse::Eviction::Normal);
  EXPECT_EQ(evictionOf(group, "B"), fuse::Eviction::Normal);
}

// What all blocks read but the L2 does not hold.
TEST(Eviction, LargerThanTheCache) {
  OneColumn group(1 << 20);
  EXPECT_EQ(evictionOf(group, "A"), fuse::Eviction::First);
  EXPECT_EQ(evictionOf(group, "B"), fuse::Eviction::Normal);
}

// A loop around the load reads rows again.
TEST(Eviction, ReadAgainInALoop) {
  ScheduledGroup group(chainIR({4096, 256, 512, 64}), kNestSchedule);
  group.setTiling("m(n(k(LA,LB,CC),LD,CE),SE)");
  group.setBlocks({"m"});
  EXPECT_EQ(evictionOf(group, "A"), fuse::Eviction::Normal);
  EXPECT_EQ(evictionOf(group, "B"), fuse::Eviction::Last);
  EXPECT_EQ(evictionOf(group, "D"), fuse::Eviction::Last);
}

// One cluster along the columns reads rows once; two read them again.
TEST(Eviction, ReadByAClusterAtOnce) {
  ScheduledGroup group(chainIR({4096, 256, 256}), kProductSchedule);
  group.place("A").transport = group.place("B").transport =
      fuse::Transport::TMA;
  group.schedule->cluster = 4;
  EXPECT_EQ(evictionOf(group, "A"), fuse::Eviction::First);
  EXPECT_EQ(evictionOf(group, "B"), fuse::Eviction::Normal);
  group.schedule->cluster = 2;
  EXPECT_EQ(evictionOf(group, "A"), fuse::Eviction::Normal);
}

TEST(Eviction, SaidOfBulkCopiesOnly) {
  OneColumn group(256);
  group.place("B").transport = fuse::Transport::TMA;
  chooseEvictions(group.model(), *lookupChip("sm_90a"), *group.schedule);
  EXPECT_EQ(group.place("A").eviction, fuse::Eviction::Normal);
  EXPECT_EQ(group.place("B").eviction, fuse::Eviction::Last);
  EXPECT_EQ(group.place("C").eviction, fuse::Eviction::Normal);
}

} // namespace
