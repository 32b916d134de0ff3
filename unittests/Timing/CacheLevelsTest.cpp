//===- CacheLevelsTest.cpp - Tests of where sectors are found -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/CacheLevels.h"
#include "gtest/gtest.h"

using namespace fusion;
using namespace fusion::timing;
using emulator::BlockRecording;
using emulator::SectorCache;

namespace {

constexpr uint64_t kMany = uint64_t(1) << 20;

/// A block that accesses sectors by their numbers, with the same flags.
BlockRecording block(uint64_t number, std::vector<uint64_t> sectors,
                     uint64_t flags = 0) {
  BlockRecording recording;
  recording.block = number;
  for (uint64_t sector : sectors)
    recording.sectors.push_back(sector * 32 | flags);
  return recording;
}

std::vector<uint64_t> range(uint64_t begin, uint64_t end) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = begin; i < end; ++i)
    numbers.push_back(i);
  return numbers;
}

CacheShape shape(unsigned processors) {
  CacheShape shape;
  shape.l1Bytes = 1 << 16;
  shape.processors = processors;
  return shape;
}

TEST(CacheLevels, TheSecondAccessIsNear) {
  SectorCache l2(kMany);
  auto levels = findLevels({block(0, {0, 1, 0})}, shape(1), l2)[0];
  EXPECT_EQ(levels.count(0, 2).dram, 2u);
  EXPECT_EQ(levels.count(2, 1).l1, 1u);
  // Other SMs find in L2 what one has loaded.
  auto other = findLevels({block(0, {0, 1})}, shape(1), l2)[0];
  EXPECT_EQ(other.count(0, 2).l2, 2u);
}

TEST(CacheLevels, SomeAccessesPassL1) {
  SectorCache l2(kMany);
  auto levels =
      findLevels({block(0, {0, 0}, emulator::kSectorPastL1)}, shape(1), l2)[0];
  EXPECT_EQ(levels.count(0, 1).dram, 1u);
  EXPECT_EQ(levels.count(1, 1).l2, 1u);
}

TEST(CacheLevels, StoresGoToL2) {
  SectorCache l2(kMany);
  auto levels =
      findLevels({block(0, {0, 0}, emulator::kSectorWritten)}, shape(1), l2)[0];
  EXPECT_EQ(levels.count(0, 2).l2, 2u);
  EXPECT_EQ(levels.count(0, 2).replaced, 0u);
}

TEST(CacheLevels, StoredSectorsAreReplaced) {
  // 16 lines have room. 64 stored ones replace 48 of them.
  SectorCache l2(16 * 128);
  std::vector<uint64_t> lines;
  for (uint64_t line = 0; line < 64; ++line)
    lines.push_back(line * 4);
  auto levels =
      findLevels({block(0, lines, emulator::kSectorWritten)}, shape(1), l2)[0];
  EXPECT_EQ(levels.count(0, 64).replaced, 48u);
}

TEST(CacheLevels, BlocksThatReadTheSamePayInTurn) {
  // Both read the same: neither always loads it from DRAM.
  SectorCache l2(kMany);
  auto levels = findLevels({block(0, range(0, 1024)), block(1, range(0, 1024))},
                           shape(2), l2);
  unsigned first = levels[0].count(0, 1024).dram,
           second = levels[1].count(0, 1024).dram;
  EXPECT_EQ(first + second, 1024u);
  EXPECT_GT(first, 256u);
  EXPECT_GT(second, 256u);
}

TEST(CacheLevels, WarmLaunchesFindTheirData) {
  SectorCache l2(kMany);
  CacheShape warm = shape(1);
  warm.isWarm = true;
  auto levels = findLevels({block(0, range(0, 100))}, warm, l2)[0];
  EXPECT_EQ(levels.count(0, 100).l2, 100u);
  EXPECT_EQ(levels.count(0, 100).dram, 0u);
}

} // namespace
