//===- MemoryTest.cpp - Device memory -------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

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

/// "32-bit addresses" of constant variables: registers of 32 bits, immediates
/// of both signs, sums that wrap.
TEST(ConstantSpace, AddressesOf32Bits) {
  std::string text = R"(
.version 8.0
.target sm_80
.address_size 64
.const .align 16 .b32 first[8] = {10, 11, 12, 13, 14, 15, 16, 17};
.const .align 16 .b8 bytes[4] = {200, 1, 2, 255};
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<16>; .reg .b64 %d<4>; .reg .b16 %h<4>;
  ld.param.u64 %d0, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, first;
  mad.lo.u32 %r2, %r0, 4, %r1;
  ld.const.u32 %r3, [%r2];
  add.u32 %r4, %r2, 32;
  ld.const.u32 %r5, [%r4+-32];
  ld.const.u32 %r6, [first+12];
  add.u32 %r7, %r1, -16;
  ld.const.v2.u32 {%r8, %r9}, [%r7+24];
  mov.u32 %r10, bytes;
  ld.const.s8 %r11, [%r10+3];
  ld.const.u8 %r12, [%r10];
  mul.wide.u32 %d1, %r0, 32;
  add.s64 %d1, %d1, %d0;
  st.global.v4.u32 [%d1], {%r3, %r5, %r6, %r8};
  st.global.v4.u32 [%d1+16], {%r9, %r11, %r12, %r0};
  ret;
}
)";
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(64));
  runOk(*program, makeLaunch("k", {1, 1, 1}, {8, 1, 1}, out), memory);
  out.fetch();
  for (uint32_t t = 0; t < 8; ++t) {
    const uint32_t expected[] = {10 + t, 10 + t,      13,  12,
                                 13,     0xffffffffu, 200, t};
    for (unsigned i = 0; i < 8; ++i)
      EXPECT_EQ(out.host[t * 8 + i], expected[i]) << t << ", " << i;
  }
}

/// LLVM's short pointers: addresses of local variables in 32 bits, of several
/// functions, whose generic addresses come from them.
TEST(LocalSpace, AddressesOf32Bits) {
  std::string text = R"(
.version 9.0
.target sm_90a
.address_size 64
.func (.reg .b32 %sum) callee(.reg .b32 %n)
{
  .local .align 8 .b8 __local_depot1[16];
  .reg .b32 %SPL, %a<2>; .reg .b64 %SP;
  mov.b32 %SPL, __local_depot1;
  cvt.u64.u32 %SP, %SPL;
  cvta.local.u64 %SP, %SP;
  st.local.v2.b32 [%SPL+8], {%n, 1000};
  ld.v2.b32 {%a0, %a1}, [%SP+8];
  add.u32 %sum, %a0, %a1;
  ret;
}
.visible .entry k(.param .u64 out)
{
  .local .align 16 .b8 __local_depot0[64];
  .reg .b32 %SPL, %r<16>; .reg .b64 %SP, %d<4>;
  mov.b32 %SPL, __local_depot0;
  cvt.u64.u32 %SP, %SPL;
  cvta.local.u64 %SP, %SP;
  ld.param.u64 %d0, [out];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d1, %r0, 32;
  add.s64 %d1, %d1, %d0;
  shl.b32 %r1, %r0, 2;
  and.b32 %r1, %r1, 12;
  add.u32 %r2, %SPL, %r1;      // its own element
  st.local.b32 [%r2], %r0;
  add.u32 %r3, %SPL, 64;
  st.local.b32 [%r3+-48], 77;  // a sum that wraps
  mov.b32 %r4, __local_depot0+16;
  ld.local.b32 %r5, [%r4];
  cvt.u64.u32 %d2, %r1;
  add.s64 %d2, %SP, %d2;
  ld.b32 %r6, [%d2];           // what the narrow address stored
  st.b32 [%SP+20], 5;
  ld.local.b32 %r7, [%SPL+20];
  call (%r8), callee, (%r0);
  ld.local.b32 %r9, [%r2];     // the callee's memory is its own
  st.global.v4.u32 [%d1], {%r5, %r6, %r7, %r8};
  st.global.u32 [%d1+16], %r9;
  ret;
}
)";
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(40 * 8));
  runOk(*program, makeLaunch("k", {1, 1, 1}, {40, 1, 1}, out), memory);
  out.fetch();
  for (uint32_t t = 0; t < 40; ++t) {
    const uint32_t expected[] = {77, t, 5, t + 1000, t};
    for (unsigned i = 0; i < 5; ++i)
      EXPECT_EQ(out.host[t * 8 + i], expected[i]) << t << ", " << i;
  }
}

/// Beyond the variables there is nothing, whatever lies in other spaces.
TEST(ConstantSpace, Bounds) {
  auto program = parse(".version 8.0\n.target sm_80\n.address_size 64\n"
                       ".const .align 4 .b32 only[2] = {1, 2};\n"
                       ".visible .entry k(.param .u32 offset)\n{\n"
                       ".reg .b32 %r<4>;\nld.param.u32 %r0, [offset];\n"
                       "mov.u32 %r1, only;\nadd.u32 %r1, %r1, %r0;\n"
                       "ld.const.u32 %r2, [%r1];\nret;\n}\n");
  ASSERT_TRUE(program);
  Memory memory;
  for (auto [offset, good] : {std::pair(0u, true),
                              {4u, true},
                              {8u, false},
                              {0xfffffffcu, false},
                              {0x80000000u, false},
                              {2u, false}}) {
    Launch launch = makeLaunch("k", {1, 1, 1}, {1, 1, 1}, offset);
    EXPECT_EQ(!run(*program, launch, memory).error, good) << offset;
  }
}

} // namespace
