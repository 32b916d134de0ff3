//===- ControlFlowTest.cpp - Loops, tables of functions, addresses --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What nvcc's PTX needs and smaller tests do not show.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

TEST(ControlFlow, LanesThatContinueALoopMeetAgain) {
  // Odd lanes take another way back to the header, where all have a barrier.
  auto program = parse(R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 d)
{
  .reg .b32 %t, %i, %b, %s;
  .reg .b64 %o, %q;
  .reg .pred %p, %odd;
  mov.u32 %t, %tid.x;
  mov.u32 %i, 0;
  mov.u32 %s, 0;
  and.b32 %b, %t, 1;
  setp.eq.u32 %odd, %b, 1;
Header:
  bar.sync 0;
  add.s32 %i, %i, 1;
  setp.gt.u32 %p, %i, 5;
  @%p bra Done;
  @%odd bra Header;
  add.s32 %s, %s, %i;
  bra Header;
Done:
  ld.param.u64 %o, [d];
  mul.wide.u32 %q, %t, 4;
  add.s64 %o, %o, %q;
  st.global.u32 [%o], %s;
  ret;
}
)");
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(64));
  Options options;
  options.sanitize = true;
  LaunchResult result = runOk(
      *program, makeLaunch("k", {1, 1, 1}, {64, 1, 1}, out), memory, options);
  EXPECT_TRUE(result.findings.empty());
  out.fetch();
  for (size_t t = 0; t < 64; ++t)
    ASSERT_EQ(out.host[t], t % 2 ? 0u : 15u);
  // Six rounds of two warps, each together.
  EXPECT_EQ(result.counters.barriers, 12u);
}

TEST(ControlFlow, TablesOfFunctions) {
  // Called through a table that names another table; a function that cannot
  // run here is nobody's fault until a kernel reaches a table that names it.
  auto program = parse(R"(
.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) twice(.param .b32 a);
.func (.param .b32 r) unknown(.param .b32 a);
.global .u64 inner[2] = {0, twice};
.global .u64 outer[1] = {inner};
.global .u64 other[1] = {unknown};
.func (.param .b32 r) twice(.param .b32 a)
{
  .reg .b32 %a;
  ld.param.b32 %a, [a];
  add.s32 %a, %a, %a;
  st.param.b32 [r], %a;
  ret;
}
.func (.param .b32 r) unknown(.param .b32 a)
{
  frobnicate.b32 r;
  ret;
}
.visible .entry k(.param .u64 d)
{
  .reg .b32 %v;
  .reg .b64 %o, %f;
  mov.u64 %f, outer;
  ld.global.u64 %f, [%f];
  ld.global.u64 %f, [%f+8];
  {
    .param .b32 a, r;
    st.param.b32 [a], 21;
    prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (r), %f, (a), prototype;
    ld.param.b32 %v, [r];
  }
  ld.param.u64 %o, [d];
  st.global.u32 [%o], %v;
  ret;
}
.visible .entry bad(.param .u64 d)
{
  .reg .b64 %f;
  mov.u64 %f, other;
  ret;
}
)");
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(1));
  runOk(*program, makeLaunch("k", {1, 1, 1}, {1, 1, 1}, out), memory);
  EXPECT_EQ(out.fetch()[0], 42u);
  LaunchResult result =
      run(*program, makeLaunch("bad", {1, 1, 1}, {1, 1, 1}, out), memory);
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->message.find("frobnicate"), std::string::npos);
}

TEST(Addresses, Of32BitsWrap) {
  auto program = parse(R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 d)
{
  .shared .align 4 .b32 s[4];
  .reg .b32 %a, %v;
  .reg .b64 %o;
  mov.u32 %a, s;
  st.shared.b32 [%a+8], 7;
  sub.s32 %a, %a, 64;
  ld.shared.b32 %v, [%a+72];
  ld.param.u64 %o, [d];
  st.global.u32 [%o], %v;
  ret;
}
)");
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(1));
  runOk(*program, makeLaunch("k", {1, 1, 1}, {1, 1, 1}, out), memory);
  EXPECT_EQ(out.fetch()[0], 7u);
}

} // namespace
