//===- StackTest.cpp - alloca, and atomics of 128 bits --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExecutionFixture.h"
#include "Hopper.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

using Stack = Execution;

TEST_F(Stack, EveryLaneAllocatesWhatItAsksFor) {
  // The thread with number t fills t + 1 words and adds them up.
  std::string text = module("add.u32 %r1, %r0, 1;\nshl.b32 %r2, %r1, 2;\n"
                            "cvt.u64.u32 %d1, %r2;\nalloca.u64 %d2, %d1, 16;\n"
                            "alloca.u64 %d3, %d1;\ncvta.local.u64 %d4, %d3;\n"
                            "mov.u32 %r3, 0;\nmov.u64 %d5, %d2;\n"
                            "L: mul.wide.u32 %d6, %r3, 4;\n"
                            "add.s64 %d7, %d2, %d6;\nst.local.u32 [%d7], %r3;\n"
                            "add.s64 %d7, %d4, %d6;\nst.u32 [%d7], 100;\n"
                            "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p0, %r3, %r1;\n"
                            "@%p0 bra L;\nmov.u32 %r31, 0;\n"
                            "M: sub.u32 %r3, %r3, 1;\n"
                            "mul.wide.u32 %d6, %r3, 4;\n"
                            "add.s64 %d7, %d2, %d6;\nld.local.u32 %r4, [%d7];\n"
                            "add.s64 %d7, %d3, %d6;\nld.local.u32 %r5, [%d7];\n"
                            "add.u32 %r31, %r31, %r4;\n"
                            "add.u32 %r31, %r31, %r5;\n"
                            "setp.ne.u32 %p0, %r3, 0;\n@%p0 bra M;\n" +
                            std::string(storeResult));
  expectAssembles(text);
  good(text, 40);
  for (uint32_t t = 0; t < 40; ++t)
    EXPECT_EQ(out.host[t], t * (t + 1) / 2 + 100 * (t + 1)) << t;
}

TEST_F(Stack, ReturnsAndRestoresGiveItBack) {
  // More than the stack holds in all; the function's memory is its own.
  std::string function =
      ".func (.reg .u32 %x) f(.reg .u32 %n)\n{\n.reg .b64 %a<3>;\n"
      "mov.u64 %a0, 4096;\nalloca.u64 %a1, %a0, 256;\n"
      "st.local.u32 [%a1+4092], %n;\nld.local.u32 %x, [%a1+4092];\nret;\n}\n";
  std::string text = module(
      "mov.u64 %d9, 64;\nalloca.u64 %d1, %d9;\nst.local.u32 [%d1], 5;\n"
      "mov.u32 %r31, 0;\nmov.u32 %r1, 0;\n"
      "L: call (%r2), f, (%r1);\nadd.u32 %r31, %r31, %r2;\n"
      "stacksave.u64 %d2;\nalloca.u64 %d3, 8192;\nst.local.u32 [%d3], %r1;\n"
      "stackrestore.u64 %d2;\nadd.u32 %r1, %r1, 1;\n"
      "setp.lt.u32 %p0, %r1, 500;\n@%p0 bra L;\n"
      "ld.local.u32 %r2, [%d1];\nadd.u32 %r31, %r31, %r2;\n" +
          std::string(storeResult),
      function);
  good(text, 32);
  EXPECT_EQ(out.host[0], 499u * 500 / 2 + 5);
  EXPECT_EQ(out.host[31], 499u * 500 / 2 + 5);
}

TEST_F(Stack, NarrowPointers) {
  std::string text = module("alloca.u32 %r1, 8;\nst.local.u32 [%r1+4], %r0;\n"
                            "stacksave.u32 %r2;\nsub.u32 %r31, %r2, %r1;\n"
                            "ld.local.u32 %r3, [%r1+4];\n"
                            "add.u32 %r31, %r31, %r3;\n" +
                            std::string(storeResult));
  good(text, 32);
  EXPECT_EQ(out.host[3], 11u);
}

TEST_F(Stack, Errors) {
  std::string allocate = "alloca.u64 %d1, 16;\n";
  bad(module(allocate + "ld.local.u32 %r1, [%d1+16];"), 32,
      "out-of-bounds stack load of 4 bytes at offset 16 of 16 bytes");
  bad(module("alloca.u64 %d1, 524289;"), 32, "at most 524288");
  bad(module("L: alloca.u64 %d1, 1024;\nbra L;"), 32, "in use");
  bad(module("mov.u64 %d1, 4;\nstackrestore.u64 %d1;"), 32, "no stacksave");
  bad(module("stacksave.u64 %d2;\n" + allocate +
             "stackrestore.u64 %d2;\nst.local.u32 [%d1], 1;"),
      32, "out-of-bounds local store");
  bad(module("alloca.u64 %d1, 16, 3;"), 32, "power of two");
  bad(module("alloca.b64 %d1, 16;"), 32, "unknown or unsupported");
}

TEST_F(Stack, AtomicsOf128Bits) {
  // A counter in the low half, changed by every thread through cas; the high
  // half counts along.
  std::string loop =
      ".reg .b128 %w<3>;\n.reg .b64 %l<4>;\n"
      "{ mov.u64 %l0, 0; mov.b128 %w0, {%l0, %l0}; }\n"
      "L: mov.b128 {%l0, %l1}, %w0;\nadd.s64 %l2, %l0, 1;\n"
      "add.s64 %l3, %l1, 3;\nmov.b128 %w1, {%l2, %l3};\n"
      "atom.relaxed.gpu.global.cas.b128 %w2, [%d0+1024], %w0, %w1;\n"
      "mov.b128 {%l2, %l3}, %w2;\nsetp.ne.s64 %p0, %l2, %l0;\n"
      "mov.b128 %w0, %w2;\n@%p0 bra L;\n";
  std::string exchange =
      ".shared .align 16 .b8 s[16];\nmov.b128 %w0, {%l0, %l0};\n"
      "setp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared.v2.u64 [s], {7, 9};\n"
      "bar.sync 0;\n@!%p1 bra E;\n"
      "atom.acq_rel.cta.shared::cta.exch.b128 %w1, [s], %w0;\n"
      "mov.b128 {%l2, %l3}, %w1;\nadd.s64 %l2, %l2, %l3;\n"
      "cvt.u32.u64 %r31, %l2;\nst.global.u32 [%d0], %r31;\nE:\n";
  std::string text = module(loop + exchange);
  expectAssembles(text);
  for (bool sanitize : {false, true}) {
    Options options;
    options.sanitize = sanitize;
    std::vector<uint32_t> zeros(1024);
    EXPECT_TRUE(memory.write(out.address, zeros.data(), 4096));
    LaunchResult result = good(text, 96, options);
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(out.host[256], 96u);
    EXPECT_EQ(out.host[258], 3 * 96u);
    EXPECT_EQ(out.host[0], 16u);
  }
  bad(module(".reg .b128 %w<2>;\natom.global.add.b128 %w0, [%d0], %w1;"), 32,
      "unknown or unsupported");
  bad(module(".reg .b128 %w<2>;\natom.global.exch.b128 %w0, [%d0+8], %w1;"), 32,
      "misaligned access of 16 bytes");
}

} // namespace
