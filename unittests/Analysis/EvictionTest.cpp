//===- EvictionTest.cpp - What may leave the L2 cache first ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Eviction.h"
#include "ScheduledGroup.h"

using namespace fusion;
using namespace fusion::test;

namespace {

fuse::Eviction evictionOf(ScheduledGroup &group, llvm::StringRef name) {
  return fusion::evictionOf(group.model(), *group.schedule,
                            *lookupChip("sm_90a"), group.tensor(name));
}

// One column of blocks: each reads rows of its own, and all the same columns.
TEST(Eviction, ReadOnceAndByAll) {
  ScheduledGroup group(chainIR({4096, 256, 64}), kProductSchedule);
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
  ScheduledGroup group(chainIR({4096, 1 << 20, 64}), kProductSchedule);
  EXPECT_EQ(evictionOf(group, "A"), fuse::Eviction::First);
  EXPECT_EQ(evictionOf(group, "B"), fuse::Eviction::Normal);
}

// A loop around the load reads rows again; the blocks of a row share them, too.
TEST(Eviction, ReadAgainInALoop) {
  ScheduledGroup group(chainIR({4096, 256, 512, 64}), kNestSchedule);
  EXPECT_EQ(evictionOf(group, "A"), fuse::Eviction::Normal);
  EXPECT_EQ(evictionOf(group, "B"), fuse::Eviction::Last);
  EXPECT_EQ(evictionOf(group, "D"), fuse::Eviction::Last);
}

TEST(Eviction, SaidOfBulkCopiesOnly) {
  ScheduledGroup group(chainIR({4096, 256, 64}), kProductSchedule);
  group.place("B").transport = fuse::Transport::Bulk;
  chooseEvictions(group.model(), *lookupChip("sm_90a"), *group.schedule);
  EXPECT_EQ(group.place("A").eviction, fuse::Eviction::Normal);
  EXPECT_EQ(group.place("B").eviction, fuse::Eviction::Last);
  EXPECT_EQ(group.place("C").eviction, fuse::Eviction::Normal);
}

} // namespace
