//===- MemoryTest.cpp - Device memory -------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace fusion::emulator;

namespace {

TEST(Memory, AllocationsAreApartAndAligned) {
  Memory memory;
  uint64_t a = memory.allocate(100, 256), b = memory.allocate(0),
           c = memory.allocate(8, 4096);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(c % 4096, 0u);
  EXPECT_GE(b, a + 100 + 256);
  EXPECT_NE(b, c);
  uint32_t value = 7, back = 0;
  EXPECT_TRUE(memory.write(a + 96, &value, 4));
  EXPECT_TRUE(memory.read(a + 96, &back, 4));
  EXPECT_EQ(back, 7u);
  EXPECT_FALSE(memory.write(a + 97, &value, 4));
  EXPECT_FALSE(memory.read(a - 1, &back, 1));
  EXPECT_TRUE(memory.write(b, &value, 0));
  EXPECT_FALSE(memory.write(b, &value, 1));
  EXPECT_FALSE(memory.free(a + 4));
  EXPECT_TRUE(memory.free(a));
  EXPECT_FALSE(memory.free(a));
  EXPECT_FALSE(memory.read(a, &back, 1));
}

TEST(Memory, AddressesAreTheSameEveryTime) {
  Memory first, second;
  for (size_t bytes : {1u, 1000u, 0u, 77777u})
    EXPECT_EQ(first.allocate(bytes), second.allocate(bytes));
}

} // namespace
