//===- ProcessorsTest.cpp - Blocks that an SM holds -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Chips/ChipTable.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

BlockDemand demand(unsigned warps, unsigned registers, uint64_t sharedMemory) {
  BlockDemand block;
  block.warps = warps;
  block.registers = registers;
  block.sharedMemory = sharedMemory;
  return block;
}

// Every resource of an SM may be the one that runs out.
TEST(Processors, HoldsBlocksByTheScarcestResource) {
  SMResources sm = resourcesOfSM(*lookupChip("sm_90a"));
  EXPECT_EQ(blocksPerSM(sm, demand(1, 32, 0)), 32u);        // blocks
  EXPECT_EQ(blocksPerSM(sm, demand(8, 32, 0)), 8u);         // warps
  EXPECT_EQ(blocksPerSM(sm, demand(8, 64, 0)), 4u);         // registers
  EXPECT_EQ(blocksPerSM(sm, demand(8, 32, 75 * 1024)), 3u); // shared memory
  EXPECT_EQ(blocksPerSM(sm, demand(8, 0, 75 * 1024 + 1)),
            2u);                                      // what is reserved
  EXPECT_EQ(blocksPerSM(sm, demand(32, 128, 0)), 0u); // none fits
}

// A quarter of the SM has 16384 registers, room for three warps of 4864, though
// all of it has room for 13.
TEST(Processors, AllocatesRegistersInSubPartitions) {
  SMResources sm = resourcesOfSM(*lookupChip("sm_90a"));
  EXPECT_EQ(blocksPerSM(sm, demand(1, 152, 0)), 12u);
  EXPECT_EQ(blocksPerSM(sm, demand(13, 152, 0)), 0u);
  for (unsigned warps = 1; warps <= 32; ++warps) {
    int64_t most = registersByWarps(warps, sm.registers);
    EXPECT_GE(blocksPerSM(sm, demand(warps, most, 0)), 1u) << warps;
  }
  // Registers may be allocated for more warps than there are.
  BlockDemand uneven = demand(5, 168, 0);
  EXPECT_EQ(blocksPerSM(sm, uneven), 2u);
  uneven.allocatedWarps = 8;
  EXPECT_EQ(blocksPerSM(sm, uneven), 1u);
}

// What the emulator gets of a chip is what cost models count with.
TEST(Processors, AreThoseOfTheChip) {
  for (const ChipInfo &chip : allGpus()) {
    SCOPED_TRACE(chip.name.str());
    Processors processors = processorsOf(chip);
    BlockDemand block = demand(4, 96, 20 * 1024);
    EXPECT_EQ(blocksPerSM(processors.sm, block),
              blocksPerSM(resourcesOfSM(chip), block));
    EXPECT_EQ(activeClusters(processors.gpcs, 1, 1), chip.numSMs);
  }
}

} // namespace
