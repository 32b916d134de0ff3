//===- AsyncOperandsTest.cpp - Rarer operands of Hopper's instructions ----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorHarness.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

/// Runs `text` with an output of `words` zeros by `threads` threads.
std::vector<uint32_t> words(const std::string &text, size_t words,
                            uint32_t threads, const Options &options = {}) {
  auto program = parse(text);
  if (!program)
    return {};
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(words));
  LaunchResult result =
      runOk(*program, makeLaunch("k", {1, 1, 1}, {threads, 1, 1}, out), memory,
            options);
  EXPECT_TRUE(result.findings.empty());
  return out.fetch();
}

std::string failure(const std::string &body, uint32_t threads = 1) {
  auto program = parse(hopperKernel(1, 64, body));
  if (!program)
    return "";
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(64));
  LaunchResult result =
      run(*program, makeLaunch("k", {1, 1, 1}, {threads, 1, 1}, out), memory);
  EXPECT_TRUE(result.error) << body;
  return result.error ? result.error->message : "";
}

/// "The i-th bit of byteMask specifies whether the i-th byte of each 16-byte
/// chunk is copied." ptxas has it from sm_100 on.
TEST(BulkCopy, ByteMask) {
  for (uint32_t mask : {0x0000u, 0xffffu, 0x8421u, 0x00f0u, 0x0001u}) {
    SCOPED_TRACE(mask);
    std::string body = R"(
      mov.u32 %r1, 0x03020100; mov.u32 %r2, 0x13121110;
      mov.u32 %r3, 0x23222120; mov.u32 %r4, 0x33323130;
      st.shared.v4.u32 [%s], {%r1, %r2, %r3, %r4};
      st.shared.v4.u32 [%s+16], {%r4, %r3, %r2, %r1};
      fence.proxy.async.shared::cta;
      mov.b16 %h0, )" + std::to_string(mask) +
                       R"(;
      cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%p0], [%s], 32, %h0;
      cp.async.bulk.commit_group;
      cp.async.bulk.wait_group 0;
)";
    std::vector<uint32_t> source{0x03020100, 0x13121110, 0x23222120,
                                 0x33323130, 0x33323130, 0x23222120,
                                 0x13121110, 0x03020100, 0};
    std::vector<uint8_t> expected(36);
    for (unsigned i = 0; i < 32; ++i)
      if (mask >> (i % 16) & 1)
        expected[i] = uint8_t(source[i / 4] >> (8 * (i % 4)));
    std::string text = hopperKernel(1, 64, body);
    text.replace(text.find("sm_90a"), 6, "sm_100");
    auto result = words(text, 9, 1);
    ASSERT_EQ(result.size(), 9u);
    EXPECT_EQ(std::memcmp(result.data(), expected.data(), 36), 0);
  }
}

/// A phase ends when no arrivals and no bytes are missing; complete_tx stands
/// for bytes that arrive.
TEST(Mbarrier, CompleteTx) {
  std::string text = hopperKernel(1, 64, R"(
    mbarrier.init.shared::cta.b64 [%s], 1;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%s], 60;
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %d1, [%s], 40;
    mbarrier.test_wait.shared::cta.b64 %q0, [%s], %d1;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%s], 60;
    mbarrier.test_wait.shared::cta.b64 %q1, [%s], %d1;
    mbarrier.complete_tx.shared::cta.b64 [%s], 39;
    mbarrier.test_wait.shared::cta.b64 %q2, [%s], %d1;
    mov.u32 %r1, 1;
    mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%s], %r1;
    mbarrier.test_wait.shared::cta.b64 %q3, [%s], %d1;
    // In the next phase the bytes come before the arrival.
    mbarrier.expect_tx.shared::cta.b64 [%s], 8;
    mbarrier.complete_tx.shared::cta.b64 [%s], 8;
    mbarrier.test_wait.parity.shared::cta.b64 %q4, [%s], 1;
    mbarrier.arrive.shared::cta.b64 %d2, [%s];
    mbarrier.test_wait.shared::cta.b64 %q5, [%s], %d2;
    selp.u32 %r0, 1, 0, %q0; selp.u32 %r1, 1, 0, %q1;
    selp.u32 %r2, 1, 0, %q2; selp.u32 %r3, 1, 0, %q3;
    selp.u32 %r4, 1, 0, %q4; selp.u32 %r5, 1, 0, %q5;
    st.global.v4.u32 [%p0], {%r0, %r1, %r2, %r3};
    st.global.v2.u32 [%p0+16], {%r4, %r5};
)");
  expectAssembles(text);
  // %q4: phase 0 has ended, so the wait for odd parity is over the phase
  // before it, which counts as done.
  EXPECT_EQ(words(text, 6, 1), (std::vector<uint32_t>{0, 0, 0, 1, 0, 1}));
}

/// A tensor map that another block changes in global memory.
TEST(TensorMapProxy, ReleaseAndAcquire) {
  Tensor tensor{{32, 8}, {8, 1}, {}, 4, 0};
  tensor.fill();
  // Block 0 replaces the address and raises a flag; block 1 waits for it.
  std::string text = hopperKernel(3, 1024, R"(
    setp.ne.s32 %q0, %t, 0;
    @%q0 ret;
    setp.eq.s32 %q1, %c, 1;
    @%q1 bra LOAD;
    tensormap.replace.tile.global_address.global.b1024.b64 [%p1], %p2;
    fence.proxy.tensormap::generic.release.gpu;
    st.release.gpu.global.u32 [%p0+64], 1;
    ret;
LOAD:
    ld.acquire.gpu.global.u32 %r1, [%p0+64];
    setp.eq.u32 %q2, %r1, 0;
    @%q2 bra LOAD;
    fence.proxy.tensormap::generic.acquire.gpu [%p1], 128;
    mbarrier.init.shared::cta.b64 [%s+512], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s+512], 32;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%p1, {8, 3}], [%s+512];
TRY:
    mbarrier.try_wait.parity.shared::cta.b64 %q3, [%s+512], 0;
    @!%q3 bra TRY;
    ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%s];
    st.global.v4.u32 [%p0], {%r1, %r2, %r3, %r4};
)");
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  for (uint64_t seed : {0, 1, 2}) {
    Memory memory;
    Array<uint8_t> source(memory, tensor.data);
    Array<uint8_t> other(memory, std::vector<uint8_t>(tensor.data.size(), 0));
    Array<uint8_t> map(memory, encode(tensor.info(other.address)));
    Array<uint32_t> out(memory, std::vector<uint32_t>(17));
    Options options;
    options.seed = seed;
    runOk(*program, makeLaunch("k", {2, 1, 1}, {32, 1, 1}, out, map, source),
          memory, options);
    out.fetch();
    // Elements count from 1, 32 to a row.
    for (uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(out.host[i], 3 * 32 + 8 + i + 1);
  }
}

TEST(TensorMapProxy, SizeOfTheFence) {
  EXPECT_NE(failure("fence.proxy.tensormap::generic.acquire.gpu [%p0], 64;\n"),
            "");
  EXPECT_NE(failure("fence.proxy.tensormap::generic.acquire.gpu;\n"), "");
}

/// setmaxnreg and griddepcontrol do not change registers and memory.
TEST(Hints, RegistersAndGrids) {
  std::string text = hopperKernel(1, 64, R"(
    griddepcontrol.wait;
    mad.lo.u32 %r1, %t, 3, 5;
    setmaxnreg.dec.sync.aligned.u32 24;
    add.u32 %r2, %r1, 1;
    setmaxnreg.inc.sync.aligned.u32 256;
    griddepcontrol.launch_dependents;
    mul.wide.u32 %d1, %t, 4;
    add.s64 %d1, %d1, %p0;
    st.global.u32 [%d1], %r2;
)");
  auto result = words(text, 128, 128);
  ASSERT_EQ(result.size(), 128u);
  for (uint32_t t = 0; t < 128; ++t)
    EXPECT_EQ(result[t], 3 * t + 6);
  // "imm-reg-count is in the range 24 to 256 and a multiple of 8."
  for (const char *count : {"16", "25", "28", "264", "0", "%r1"})
    EXPECT_NE(failure("setmaxnreg.inc.sync.aligned.u32 " + std::string(count) +
                      ";\n"),
              "");
  EXPECT_NE(failure("setmaxnreg.inc.u32 24;\n"), "");
  EXPECT_NE(failure("griddepcontrol.wait %r0;\n"), "");
  EXPECT_NE(failure("griddepcontrol.start;\n"), "");
}

} // namespace
