//===- OperandTypesTest.cpp - Registers that instructions take ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"
#include "TargetForms.h"

#include <array>
#include <map>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

/// The types of the registers that the forms name.
unsigned widthOf(const std::string &name) {
  static const std::map<std::string, unsigned> others{
      {"%s", 32}, {"%s1", 32},   {"%g", 64},
      {"%l", 64}, {"%f64a", 64}, {"%f64b", 64}};
  if (auto it = others.find(name); it != others.end())
    return it->second;
  if (name.size() != 3 || name[2] < '0' || name[2] > '9')
    return 0;
  switch (name[1]) {
  case 'h':
    return 16;
  case 'r':
  case 'f':
    return 32;
  case 'd':
    return 64;
  default:
    return 0;
  }
}

TEST(OperandTypes, AreThoseOfTheInstruction) {
  const std::array<const char *, 14> good{
      "add.u32 %xs32, %xb32, %xu32;",   "add.f32 %xf32, %xb32, %xf32;",
      "and.b32 %xf32, %xu32, %xf16x2;", "mov.b32 %xf32, %xs32;",
      "mov.f32 %xb32, %xf32;",          "fma.rn.f16 %xf16, %xb16, %xf16, %h1;",
      "add.f16x2 %xf16x2, %xb32, %r1;", "selp.b64 %xf64, %xu64, %xs64, %p1;",
      "setp.lt.s32 %p1, %xu32, %xb32;", "cvt.rn.f32.s32 %xf32, %xu32;",
      "ld.global.b32 %xf64, [%xu64];",  "st.global.f32 [%xs64], %xb64;",
      "mul.wide.s32 %xu64, %r1, %r1;",  "shl.b32 %xf32, %xf32, %xu32;"};
  for (const char *instruction : good)
    EXPECT_TRUE(isAccepted(instruction)) << instruction;
  const std::array<const char *, 14> bad{
      "add.u32 %r1, %xf32, %r1;",     "add.s32 %xf32, %r1, %r1;",
      "add.f32 %f1, %xu32, %f1;",     "mov.u32 %r1, %xf32;",
      "mov.f64 %xs64, %f64a;",        "fma.rn.f16 %h1, %h1, %xu16, %h1;",
      "add.f16x2 %r1, %xu32, %r1;",   "add.f16x2 %r1, %xf32, %r1;",
      "setp.lt.s32 %p1, %xf32, %r1;", "setp.lt.f32 %p1, %xs32, %f1;",
      "cvt.rn.f32.s32 %xu32, %r1;",   "ld.global.u32 %xf64, [%g];",
      "st.global.f32 [%g], %xu32;",   "shl.b32 %r1, %r1, %xf32;"};
  for (const char *instruction : bad) {
    unsigned line;
    Error error = errorOf(instruction, line);
    EXPECT_NE(error.message.find("has the wrong type for '"), std::string::npos)
        << instruction << ": " << error.message;
    EXPECT_EQ(error.line, line) << instruction;
  }
  unsigned line;
  EXPECT_EQ(errorOf("ld.global.u32 %r1, [%f64a];", line).message,
            "'%f64a' is no address");
}

/// Widths, vectors, special registers and hints. ptxas says the same.
TEST(OperandTypes, AreNotOnlyWidths) {
  Names good{
      // Conversions between the types of old take wider registers.
      "cvt.rn.f32.s32 %xb64, %xu64;",
      "cvt.rn.f16x2.f32 %xb64, %xb64, %f1;",
      "cvt.pack.sat.u8.s32.b32 %xu64, %xs64, %r1, %xf64;",
      "cvt.pack.sat.s16.s32 %r1, %xb64, %r1;",
      "isspacep.shared %p1, %r1;",
      "isspacep.global %p1, %xs64;",
      "nanosleep.u32 %xs32;",
      "nanosleep.u32 100;",
      "mov.u64 %d1, %clock64;",
      "mov.b64 {%r1, %r2}, %clock64;",
      "mov.u16 %h1, %tid.x;",
      "mov.u16 %h1, %gridid;",
      "mov.v4.u16 {%h1, %h2, %h1, %h2}, %ctaid;",
      "cvt.u64.u32 %d1, %clock;",
      "cvt.u32.u16 %r1, %ntid.y;",
      "ld.global.L2::cache_hint.u32 %r1, [%g], %xs64;",
      "st.global.L2::cache_hint.u32 [%g], %r1, %d1;",
      "atom.global.add.L2::cache_hint.u32 %r1, [%g], %r1, %d1;",
      "red.global.add.L2::cache_hint.u32 [%g], %r1, %d1;",
      "cp.async.ca.shared.global.L2::cache_hint [%s], [%g], 4, %d1;",
      "createpolicy.fractional.L2::evict_last.b64 %d1;",
      "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %d1, "
      "%f1;",
      "createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d1, [%g], "
      "%r1, 256;",
      "createpolicy.cvt.L2.b64 %d1, 0x12f0000000000000;",
      "prefetch.L2::evict_last [%g];",
      "prefetch.param.tensormap [g];",
      "fence.gpu;",
      "fence.sc.cta;",
      "membar.proxy.alias;",
      "fence.proxy.async.shared::cta;",
      "pmevent.mask 300;",
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%xb32,%xs32,%xu32,%r1},"
      "{%xf32,%xf32,%xf32,%xf32}, {%xf16x2,%xb32}, {%xs32,0,%xs32,0};",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%xb32,%xs32},"
      "{%xu32,%xb32,%xf32,%xf32}, {%xf16x2,%xf16x2}, {%f1,%f2,%f3,%f4};",
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%xf32, %xf32}, [%s];"};
  Names bad{
      "cvt.rn.bf16.f32 %r1, %f1;",
      "cvt.rn.bf16.f32 %xu16, %f1;",
      "cvt.rn.bf16.f32 %h1, %xb64;",
      "cvt.f32.bf16 %f1, %r1;",
      "cvt.f32.bf16 %xb64, %h1;",
      "cvt.rna.tf32.f32 %xb64, %f1;",
      "cvt.rna.tf32.f32 %xf32, %f1;",
      "cvt.rn.satfinite.e4m3x2.f32 %r1, %f1, %f1;",
      "cvt.rn.satfinite.e4m3x2.f32 %xu16, %f1, %f1;",
      "cvt.rn.bf16x2.f32 %d1, %f1, %f1;",
      "cvt.rn.f16x2.e5m2x2 %r1, %r1;",
      "cvt.rn.f16x2.f32 %xu64, %f1, %f1;",
      "cvt.pack.sat.u8.s32.b32 %r1, %r1, %r1, %h1;",
      "cvt.pack.sat.u8.s32.b32 %xf64, %r1, %r1, %r1;",
      "isspacep.shared %p1, %f1;",
      "isspacep.shared %p1, %h1;",
      "nanosleep.u32 %f1;",
      "nanosleep.u32 %d1;",
      "nanosleep.u64 %d1;",
      "mov.u32 %r1, %clock64;",
      "mov.u64 %d1, %clock;",
      "mov.u64 %d1, %tid.x;",
      "mov.u16 %h1, %laneid;",
      "mov.f32 %f1, %tid.x;",
      "mov.u32 %r1, %current_graph_exec;",
      "add.u32 %r1, %r1, %tid.x;",
      "setp.eq.u32 %p1, %laneid, 0;",
      "cvt.rn.f32.u32 %f1, %tid.x;",
      "cvt.pack.sat.s16.s32 %r1, %tid.x, %r1;",
      "ld.global.f16 %h1, [%g];",
      "st.global.bf16 [%g], %h1;",
      "ld.global.f16x2 %r1, [%g];",
      "mov.f16 %h1, %h1;",
      "mov.b8 %b1, %b1;",
      "selp.f16 %h1, %h1, %h1, %p1;",
      "ld.global.L2::cache_hint.u32 %r1, [%g], %f64a;",
      "ld.global.L2::cache_hint.u32 %r1, [%g], %r1;",
      "ld.global.L2::cache_hint.u32 %r1, [%g];",
      "ld.global.u32 %r1, [%g], %d1;",
      "atom.global.add.L2::cache_hint.u32 %r1, [%g], %r1, %r1;",
      "cp.async.ca.shared.global.L2::cache_hint [%s], [%g], 4, %f64a;",
      "createpolicy.fractional.L2::evict_last.b64 %f64a, 1.0;",
      "createpolicy.fractional.L2::evict_last.b64 %d1, %xu32;",
      "createpolicy.fractional.L2::no_allocate.b64 %d1, 1.0;",
      "createpolicy.range.L2::evict_last.b64 %d1, [%g], %d1, 256;",
      "prefetch.shared.L1 [%g];",
      "prefetchu.L2 [%g];",
      "prefetch.local.L2::evict_last [%g];",
      "prefetch.global.L1 %g;",
      "applypriority.global.L2::evict_last [%g], 128;",
      "discard.L1 [%g], 128;",
      "fence.sc;",
      "fence.mbarrier_init.release.cta;",
      "fence.sc.acquire.gpu;",
      "fence.proxy.async.shared;",
      "fence.proxy;",
      "membar.gpu;",
      "membar;",
      "fence.proxy.tensormap::generic.release;",
      "mbarrier.arrive.shared.b64 %f64a, [sm];",
      "mbarrier.test_wait.shared.b64 %p1, [sm], %f64a;",
      "mbarrier.pending_count.b64 %r1, %f64a;",
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%xf32,%r1,%xs32,%xs32},"
      "{%r1,%r2,%r3,%xf32}, {%r1,%r2}, {%f1,%f1,%f1,%f1};",
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1,%xf32,%xs32,%r4},"
      "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, "
      "{%xu32,%xu32,%xu32,%xu32}, {%r1,%r2}, {%f1,%f2,%f3,%f4};",
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%f64a,%f64b}, %f64a, "
      "{%f64b}, {%f64a,%f64b};",
      "wmma.load.c.sync.aligned.row.m8n8k4.global.f64 {%f64a,%xu64}, [%g];",
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%xf32, %xs32}, [%s];"};
  for (const std::string &instruction : good)
    EXPECT_TRUE(isAccepted(instruction)) << instruction;
  for (const std::string &instruction : bad) {
    unsigned line;
    Error error = errorOf(instruction, line);
    EXPECT_TRUE(isRefusal(error.message))
        << instruction << ": " << error.message;
    EXPECT_EQ(error.line, line) << instruction;
  }
  if (!hasAssembler())
    return;
  Names all = good;
  all.insert(all.end(), bad.begin(), bad.end());
  unsigned first;
  std::string text = module(all, first);
  std::set<unsigned> lines = refused(text, first);
  for (unsigned i = 0; i < all.size(); ++i)
    EXPECT_EQ(lines.count(i), i >= good.size()) << all[i];
}

/// Every register of every form in turn, as one of each type, and of each width
/// where the widths may differ.
TEST(OperandTypes, AsTheAssembler) {
  if (!hasAssembler())
    GTEST_SKIP() << "no ptxas";
  Names forms{
      "add.u32 %r1, %r1, %r1;",
      "add.f32 %f1, %f1, %f1;",
      "add.f64 %f64a, %f64a, %f64a;",
      "add.f16 %h1, %h1, %h1;",
      "add.f16x2 %r1, %r1, %r1;",
      "mul.wide.u16 %r1, %h1, %h1;",
      "mad.wide.u32 %d1, %r1, %r1, %d1;",
      "shr.s64 %d1, %d1, %r1;",
      "setp.lt.s32 %p1, %r1, %r1;",
      "setp.lt.f32 %p1, %f1, %f1;",
      "setp.eq.b64 %p1, %d1, %d1;",
      "set.lt.u32.f32 %r1, %f1, %f1;",
      "set.lt.f32.s32 %f1, %r1, %r1;",
      "selp.b32 %r1, %r1, %r1, %p1;",
      "selp.f32 %f1, %f1, %f1, %p1;",
      "slct.u64.f32 %d1, %d1, %d1, %f1;",
      "mov.u32 %r1, %r1;",
      "mov.b32 %r1, %r1;",
      "mov.f32 %f1, %f1;",
      "mov.u64 %d1, %d1;",
      "mov.b64 %d1, %d1;",
      "mov.f64 %f64a, %f64a;",
      "mov.u16 %h1, %h1;",
      "mov.b64 {%r1, %r2}, %d1;",
      "mov.b32 %r1, {%h1, %h2};",
      "mov.u32 %r1, %tid.x;",
      "mov.u64 %d1, %clock64;",
      "mov.u64 %d1, sm;",
      "cvt.rzi.u32.f32 %r1, %f1;",
      "cvt.rn.f32.s32 %f1, %r1;",
      "cvt.u64.u32 %d1, %r1;",
      "cvt.u16.u32 %h1, %r1;",
      "cvt.rn.f16.f32 %h1, %f1;",
      "cvt.f32.f16 %f1, %h1;",
      "cvt.rn.f16x2.f32 %r1, %f1, %f2;",
      "cvt.f64.f32 %f64a, %f1;",
      "cvt.rn.bf16.f32 %h1, %f1;",
      "cvt.f32.bf16 %f1, %h1;",
      "cvt.rn.bf16x2.f32 %r1, %f1, %f2;",
      "cvt.rna.tf32.f32 %r1, %f1;",
      "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;",
      "cvt.rn.satfinite.e5m2x2.f16x2 %h1, %r1;",
      "cvt.rn.f16x2.e4m3x2 %r1, %h1;",
      "cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;",
      "cvt.pack.sat.s16.s32 %r1, %r2, %r3;",
      "isspacep.shared %p1, %g;",
      "nanosleep.u32 %r1;",
      "createpolicy.range.L2::evict_last.b64 %d1, [%g], %r1, %r2;",
      "ld.global.u32 %r1, [%g];",
      "ld.global.b32 %r1, [%g];",
      "ld.global.f32 %f1, [%g];",
      "ld.global.f64 %f64a, [%g];",
      "ld.global.u8 %r1, [%g];",
      "ld.global.b16 %h1, [%g];",
      "ld.global.v2.f32 {%f1, %f2}, [%g];",
      "st.global.u32 [%g], %r1;",
      "st.global.f32 [%g], %f1;",
      "st.global.b16 [%g], %h1;",
      "st.shared.v2.f32 [%s], {%f1, %f2};",
      "atom.global.add.u32 %r1, [%g], %r1;",
      "atom.global.add.f32 %f1, [%g], %f1;",
      "atom.global.cas.b32 %r1, [%g], %r1, %r1;",
      "atom.global.exch.b64 %d1, [%g], %d1;",
      "red.global.add.f64 [%g], %f64a;",
      "shfl.sync.bfly.b32 %r1|%p1, %r1, %r2, %r3, %r4;",
      "vote.sync.ballot.b32 %r1, %p1, -1;",
      "redux.sync.add.s32 %r1, %r1, %r2;",
      "match.any.sync.b32 %r1, %r1, %r2;",
      "popc.b64 %r1, %d1;",
      "bfe.u32 %r1, %r1, %r2, %r3;",
      "bfi.b32 %r1, %r1, %r2, %r3, %r4;",
      "prmt.b32 %r1, %r1, %r2, %r3;",
      "lop3.b32 %r1, %r1, %r2, %r3, 0x3f;",
      "shf.l.wrap.b32 %r1, %r1, %r2, %r3;",
      "rem.s64 %d1, %d1, %d1;",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, "
      "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%f1,%f2,%f3,%f4};",
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1,%r2,%r3,%r4}, "
      "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};",
      "cp.async.ca.shared.global [%s], [%g], 4, %r1;",
      "bar.sync %r1, %r2;",
      "vadd.s32.s32.s32 %r1, %r2, %r3;"};
  for (const TargetForm &form : targetForms)
    forms.push_back(form.instruction);
  std::set<unsigned> bad;
  {
    unsigned first;
    std::string text = module(forms, first);
    bad = refused(text, first);
  }
  Names all;
  for (unsigned i = 0; i < forms.size(); ++i) {
    const std::string &form = forms[i];
    if (bad.count(i)) // not of that target
      continue;
    for (size_t at = 0; (at = form.find('%', at)) != std::string::npos; ++at) {
      size_t end = form.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyz_0123456789", at + 1);
      unsigned width = widthOf(form.substr(at, end - at));
      bool isAny = form.compare(0, 3, "cvt") == 0 ||
                   form.compare(0, 8, "isspacep") == 0 ||
                   form.compare(0, 9, "nanosleep") == 0;
      for (unsigned bits : {16u, 32u, 64u})
        if (width && (bits == width || isAny))
          for (const std::string &name : ofWidth(bits))
            all.push_back(form.substr(0, at) + name + form.substr(end));
    }
  }
  ASSERT_GT(all.size(), 4000u);
  unsigned first;
  std::string text = module(all, first);
  std::set<unsigned> lines = refused(text, first);
  ASSERT_GT(lines.size(), 1000u);
  // Registers of .f16x2 go as words here, in more places than there; and a
  // tensor map may not be at an address of .f64.
  for (unsigned i = 0; i < all.size(); ++i) {
    unsigned line;
    std::string message = errorOf(all[i], line).message;
    if (!lines.count(i))
      EXPECT_FALSE(isRefusal(message) &&
                   all[i].find("[%xf64]") == std::string::npos)
          << all[i] << ": " << message;
    else if (all[i].find("%xf16x2") == std::string::npos)
      EXPECT_TRUE(isRefusal(message)) << all[i] << ": " << message;
  }
}

} // namespace
