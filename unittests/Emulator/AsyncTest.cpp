//===- AsyncTest.cpp - mbarriers, bulk copies and clusters ---===//
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

/// Runs a kernel of one parameter, an output of `words`, on 1 + 1 schedules
/// with and without sanitizers, all of which agree. Returns the output.
std::vector<uint32_t> runAll(const std::string &text, uint32_t grid,
                             uint32_t block, uint32_t cluster, size_t words,
                             std::vector<uint32_t> input = {}) {
  expectAssembles(text);
  auto program = parse(text);
  if (!program)
    return std::vector<uint32_t>(words);
  std::vector<uint32_t> first;
  for (uint64_t seed : {0, 1, 2, 3, 4}) {
    for (bool sanitize : {false, true}) {
      Memory memory;
      Array<uint32_t> out(memory, std::vector<uint32_t>(words, 0xabababab));
      Launch launch = makeLaunch("k", {grid, 1, 1}, {block, 1, 1}, out);
      std::unique_ptr<Array<uint32_t>> in;
      if (!input.empty()) {
        in = std::make_unique<Array<uint32_t>>(memory, input);
        launch.parameters.push_back(bytesOf(*in));
      }
      launch.cluster = {cluster, 1, 1};
      Options options;
      options.seed = seed;
      options.sanitize = sanitize;
      LaunchResult result = runOk(*program, launch, memory, options);
      for (const Finding &finding : result.findings)
        ADD_FAILURE() << finding.kind << " line " << finding.line << " ("
                      << finding.otherLine << "): " << finding.message << "\n"
                      << text;
      out.fetch();
      if (first.empty())
        first = out.host;
      else
        EXPECT_EQ(out.host, first) << "seed " << seed;
    }
  }
  return first;
}

std::string failure(const std::string &text, uint32_t grid, uint32_t block,
                    uint32_t cluster = 1) {
  auto program = parse(text);
  if (!program)
    return "";
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(1024));
  Launch launch = makeLaunch("k", {grid, 1, 1}, {block, 1, 1}, out);
  launch.cluster = {cluster, 1, 1};
  LaunchResult result = run(*program, launch, memory);
  EXPECT_TRUE(result.error) << text;
  return result.error ? result.error->message : "";
}

TEST(Mbarrier, CountsAndStates) {
  std::string body = R"(
    mbarrier.init.shared::cta.b64 [%s], 5;
    mbarrier.arrive.shared::cta.b64 %d1, [%s];
    mbarrier.pending_count.b64 %r1, %d1;
    mbarrier.arrive.release.cta.shared::cta.b64 %d2, [%s], 2;
    mbarrier.pending_count.b64 %r2, %d2;
    mbarrier.arrive_drop.shared::cta.b64 %d3, [%s];
    mbarrier.pending_count.b64 %r3, %d3;
    mbarrier.test_wait.shared::cta.b64 %q1, [%s], %d1;
    mbarrier.test_wait.parity.shared::cta.b64 %q2, [%s], 1;
    mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %d4, [%s+8], 1;
    mbarrier.arrive.shared::cta.b64 %d4, [%s];
    mbarrier.test_wait.shared::cta.b64 %q3, [%s], %d1;
    mbarrier.try_wait.shared::cta.b64 %q4, [%s], %d1, 100;
    mbarrier.arrive.shared::cta.b64 %d5, [%s];
    mbarrier.pending_count.b64 %r4, %d5;
    mbarrier.inval.shared::cta.b64 [%s];
    selp.u32 %r5, 1, 0, %q1; selp.u32 %r6, 1, 0, %q2;
    selp.u32 %r7, 1, 0, %q3; selp.u32 %r8, 1, 0, %q4;
    st.global.v4.u32 [%p0], {%r1, %r2, %r3, %r4};
    st.global.v4.u32 [%p0+16], {%r5, %r6, %r7, %r8};
)";
  body.insert(0, "mbarrier.init.shared::cta.b64 [%s+8], 2;\n");
  // After the drop four arrivals are expected.
  EXPECT_EQ(runAll(hopperKernel(1, 64, body), 1, 1, 1, 8),
            (std::vector<uint32_t>{5, 4, 2, 4, 0, 1, 1, 1}));
}

/// Producer and consumer warps over a ring of two stages.
TEST(Mbarrier, Pipeline) {
  std::string body = R"(
    mov.u32 %r20, 0; mov.u32 %r21, 0;
    setp.ne.s32 %q0, %t, 0;
    @%q0 bra READY;
    mbarrier.init.shared::cta.b64 [%s], 1;
    mbarrier.init.shared::cta.b64 [%s+8], 1;
    mbarrier.init.shared::cta.b64 [%s+16], 32;
    mbarrier.init.shared::cta.b64 [%s+24], 32;
    fence.mbarrier_init.release.cluster;
READY:
    bar.sync 0;
    setp.ge.s32 %q1, %t, 32;
    @%q1 bra CONSUME;
    @%q0 bra END;
PRODUCE:
    and.b32 %r1, %r20, 1; shl.b32 %r2, %r1, 3; add.s32 %r2, %r2, %s;
    shr.u32 %r3, %r20, 1; xor.b32 %r3, %r3, 1; and.b32 %r3, %r3, 1;
EMPTY:
    mbarrier.try_wait.parity.shared::cta.b64 %q2, [%r2+16], %r3;
    @!%q2 bra EMPTY;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 128;
    shl.b32 %r4, %r1, 7; add.s32 %r4, %r4, %s;
    mul.wide.u32 %d1, %r20, 128; add.s64 %d1, %d1, %p1;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+128], [%d1], 128, [%r2];
    add.s32 %r20, %r20, 1;
    setp.lt.s32 %q3, %r20, 7;
    @%q3 bra PRODUCE;
    bra END;
CONSUME:
    and.b32 %r1, %r20, 1; shl.b32 %r2, %r1, 3; add.s32 %r2, %r2, %s;
    shr.u32 %r3, %r20, 1; and.b32 %r3, %r3, 1;
FULL:
    mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %q2, [%r2], %r3;
    @!%q2 bra FULL;
    shl.b32 %r4, %r1, 7; add.s32 %r4, %r4, %s;
    sub.s32 %r5, %t, 32; shl.b32 %r6, %r5, 2; add.s32 %r4, %r4, %r6;
    ld.shared.u32 %r7, [%r4+128];
    add.s32 %r21, %r21, %r7;
    mbarrier.arrive.release.cta.shared::cta.b64 _, [%r2+16];
    add.s32 %r20, %r20, 1;
    setp.lt.s32 %q3, %r20, 7;
    @%q3 bra CONSUME;
    cvt.u64.u32 %d2, %r6; add.s64 %d2, %d2, %p0;
    st.global.u32 [%d2], %r21;
END:
)";
  std::vector<uint32_t> input(7 * 32), expected(32);
  for (size_t i = 0; i < input.size(); ++i) {
    input[i] = uint32_t(i * i);
    expected[i % 32] += input[i];
  }
  EXPECT_EQ(runAll(hopperKernel(2, 512, body), 1, 64, 1, 32, input), expected);
}

TEST(Mbarrier, AsyncArrive) {
  for (bool noIncrement : {false, true}) {
    // Without .noinc the 32 arrivals come on top of the one that is counted.
    std::string body = R"(
    setp.ne.s32 %q0, %t, 0;
    @!%q0 mbarrier.init.shared::cta.b64 [%s], )" +
                       std::string(noIncrement ? "33" : "1") + R"(;
    bar.sync 0;
    shl.b32 %r1, %t, 2; add.s32 %r2, %s, %r1;
    cvt.u64.u32 %d1, %r1; add.s64 %d2, %d1, %p1;
    cp.async.ca.shared.global [%r2+128], [%d2], 4;
    cp.async.mbarrier.arrive)" +
                       (noIncrement ? ".noinc" : "") + R"(.shared::cta.b64 [%s];
    bar.sync 0;
    @!%q0 mbarrier.arrive.shared::cta.b64 _, [%s];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %q1, [%s], 0;
    @!%q1 bra WAIT;
    xor.b32 %r1, %r1, 4; add.s32 %r2, %s, %r1;
    ld.shared.u32 %r3, [%r2+128];
    add.s64 %d2, %d1, %p0;
    st.global.u32 [%d2], %r3;
)";
    std::vector<uint32_t> input(32), expected(32);
    for (uint32_t i = 0; i < 32; ++i) {
      input[i] = i + 7;
      expected[i ^ 1] = i + 7;
    }
    EXPECT_EQ(runAll(hopperKernel(2, 512, body), 1, 32, 1, 32, input),
              expected);
  }
}

TEST(Mbarrier, Misuse) {
  std::string init = "mbarrier.init.shared::cta.b64 [%s], 1;\n";
  auto kernel = [&](const std::string &body) {
    return hopperKernel(1, 64, body);
  };
  auto contains = [](const std::string &message, const char *part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  contains(
      failure(kernel("mbarrier.arrive.shared::cta.b64 %d0, [%s];\n"), 1, 1),
      "no initialised mbarrier at shared offset 0");
  contains(failure(kernel(init + "mbarrier.arrive.shared::cta.b64 %d0, [%s], "
                                 "2;\n"),
                   1, 1),
           "2 arrivals at the mbarrier");
  contains(failure(kernel("mbarrier.init.shared::cta.b64 [%s], 0;\n"), 1, 1),
           "mbarrier.init of 0");
  contains(failure(kernel("mbarrier.init.shared::cta.b64 [%s+4], 1;\n"), 1, 1),
           "no multiple of 8");
  std::string wait = "L: mbarrier.try_wait.parity.shared::cta.b64 %q0, [%s], "
                     "0;\n@!%q0 bra L;\n";
  contains(failure(kernel(init + wait), 1, 1), "1 of 1 arrivals");
  std::string lost = failure(
      kernel(init + "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], 32;\n" +
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
             "bytes [%s+16], [%p0], 16, [%s];\n" +
             wait),
      1, 1);
  contains(lost, "deadlock");
  contains(lost, "16 bytes are missing");
  std::string more = failure(
      kernel(init +
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
             "::bytes [%s+16], [%p0], 16, [%s];\n" +
             wait),
      1, 1);
  contains(more, "1 of 1 arrivals are missing, and 16 bytes more than were "
                 "expected have come");
}

TEST(BulkCopy, StoresAndReductions) {
  std::string body = R"(
    shl.b32 %r1, %t, 2; add.s32 %r2, %s, %r1;
    add.s32 %r3, %t, 5;
    st.shared.u32 [%r2], %r3;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.ne.s32 %q0, %t, 0;
    @%q0 bra END;
    cp.async.bulk.global.shared::cta.bulk_group [%p0], [%s], 128;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%p0], [%s], 64;
    cp.async.bulk.commit_group;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%p0+64], [%s], 64;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    st.shared.u32 [%s], 99;
    cp.async.bulk.prefetch.L2.global [%p0], 128;
END:
)";
  std::vector<uint32_t> expected(32);
  for (uint32_t i = 0; i < 32; ++i)
    expected[i] = i < 16 ? 2 * (i + 5) : (i + 5) ^ (i - 16 + 5);
  EXPECT_EQ(runAll(hopperKernel(1, 128, body), 1, 32, 1, 32), expected);
}

/// Without wait_group.read the copy sees what overwrites its source.
TEST(BulkCopy, ReadsItsSourceLate) {
  std::string body = R"(
    st.shared.v4.u32 [%s], {1, 2, 3, 4};
    fence.proxy.async.shared::cta;
    cp.async.bulk.global.shared::cta.bulk_group [%p0], [%s], 16;
    cp.async.bulk.commit_group;
    st.shared.u32 [%s], 9;
    cp.async.bulk.wait_group 0;
)";
  auto program = parse(hopperKernel(1, 128, body));
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(4));
  runOk(*program, makeLaunch("k", {1, 1, 1}, {1, 1, 1}, out), memory);
  EXPECT_EQ(out.fetch(), (std::vector<uint32_t>{9, 2, 3, 4}));
}

TEST(BulkCopy, Errors) {
  auto message = [](const std::string &instruction) {
    return failure(
        hopperKernel(1, 4096,
                     "mbarrier.init.shared::cta.b64 [%s], 1;\n" + instruction),
        1, 1);
  };
  std::string load = "cp.async.bulk.shared::cluster.global.mbarrier::complete_"
                     "tx::bytes ";
  EXPECT_NE(message(load + "[%s+16], [%p0], 24, [%s];\n").find("the size"),
            std::string::npos);
  EXPECT_NE(
      message(load + "[%s+24], [%p0], 16, [%s];\n").find("the destination"),
      std::string::npos);
  EXPECT_NE(message(load + "[%s+16], [%p0+4080], 32, [%s];\n").find("leaves"),
            std::string::npos);
  EXPECT_NE(message(load + "[%s+4080], [%p0], 32, [%s];\n")
                .find("out-of-bounds shared"),
            std::string::npos);
}

const char *const kClusterSync = "barrier.cluster.arrive.release.aligned;\n"
                                 "barrier.cluster.wait.acquire.aligned;\n";

/// In a cluster the address of a variable names the block, as on a GPU: who
/// needs the offset, as wgmma's descriptors do, must take the 18 bits of it.
TEST(Cluster, AddressesOfOwnVariables) {
  std::string body = R"(
    mov.u32 %r1, %cluster_ctarank;
    mapa.shared::cluster.u32 %r2, %s, %r1;
    sub.u32 %r3, %s, %r2;
    shr.u32 %r4, %s, 18;
    setp.ne.u32 %q1, %r4, 0; selp.u32 %r4, 1, 0, %q1;
    mov.u32 %r5, 7;
    st.shared.u32 [%s+4], %r5;
    add.u32 %r6, %s, 4;
    ld.shared.u32 %r7, [%r6];
    cvt.u64.u32 %d1, %s; cvta.shared.u64 %d2, %d1;
    ld.u32 %r8, [%d2+4];
    atom.shared.add.u32 %r9, [%r6], 1;
    mul.wide.u32 %d4, %c, 32; add.s64 %d4, %d4, %p0;
    cp.async.ca.shared.global [%r6], [%d4+24], 4;
    cp.async.wait_all;
    ld.shared.u32 %r10, [smem+4];
    st.global.v4.u32 [%d4], {%r3, %r4, %r7, %r8};
    st.global.v2.u32 [%d4+16], {%r9, %r10};
)";
  std::string text = hopperKernel(1, 64, body);
  expectAssembles(text);
  // A cluster of one block is one's own memory from 0 on.
  for (uint32_t cluster : {1u, 4u}) {
    std::vector<uint32_t> out = runAll(text, 4, 1, cluster, 32);
    for (uint32_t c = 0; c < 4; ++c) {
      EXPECT_EQ(std::vector<uint32_t>(out.begin() + c * 8 + 1,
                                      out.begin() + c * 8 + 5),
                (std::vector<uint32_t>{cluster > 1, 7, 7, 7}))
          << c;
      EXPECT_EQ(out[c * 8 + 5], out[c * 8 + 6]) << "what cp.async has copied";
    }
    if (cluster > 1)
      for (uint32_t c = 0; c < 4; ++c)
        EXPECT_EQ(out[c * 8], 0u) << "an address of one's own, by its rank";
  }
}

/// Every CTA writes into and reads from its neighbours, in all ways.
TEST(Cluster, DistributedSharedMemory) {
  std::string body = std::string(R"(
    mov.u32 %r20, %cluster_ctarank;
    mov.u32 %r21, %cluster_nctarank;
    add.s32 %r1, %r20, 1; rem.u32 %r1, %r1, %r21;
    mapa.shared::cluster.u32 %r2, %s, %r1;
    getctarank.shared::cluster.u32 %r3, %r2;
    cvt.u64.u32 %d1, %s; cvta.shared.u64 %d2, %d1;
    mapa.u64 %d3, %d2, %r1;
    getctarank.u64 %r4, %d3;
    isspacep.shared::cta %q1, %d2; isspacep.shared::cluster %q2, %d3;
    isspacep.shared::cta %q3, %d3;
    selp.u32 %r5, 1, 0, %q1; selp.u32 %r6, 2, %r5, %q2; add.s32 %r6, %r6, %r5;
    selp.u32 %r7, 4, 0, %q3; add.s32 %r6, %r6, %r7;
    mov.u32 %r8, 0;
    st.shared.u32 [%s+16], %r8;
)") + kClusterSync + R"(
    mul.lo.s32 %r9, %c, 10;
    st.shared::cluster.u32 [%r2], %r9;
    add.s32 %r10, %r9, 1;
    st.u32 [%d3+4], %r10;
    mapa.shared::cluster.u32 %r11, %s, 0;
    red.shared::cluster.add.u32 [%r11+16], %r9;
    atom.add.u32 %r12, [%d3+8], 0;
)" + kClusterSync + R"(
    ld.shared.u32 %r13, [%s];
    ld.shared.u32 %r14, [%s+4];
    ld.shared::cluster.u32 %r15, [%r2];
    ld.u32 %r16, [%d3+4];
    ld.shared.u32 %r17, [%s+16];
)" + kClusterSync + R"(
    mul.wide.u32 %d4, %c, 32; add.s64 %d4, %d4, %p0;
    st.global.v4.u32 [%d4], {%r3, %r4, %r6, %r13};
    st.global.v4.u32 [%d4+16], {%r14, %r15, %r16, %r17};
)";
  body.insert(body.find("st.shared.u32 [%s+16]"),
              "st.shared.u32 [%s+8], %r8;\n");
  std::vector<uint32_t> out = runAll(hopperKernel(1, 64, body), 8, 1, 4, 64);
  for (uint32_t c = 0; c < 8; ++c) {
    uint32_t base = c / 4 * 4, right = base + (c + 1) % 4,
             left = base + (c + 3) % 4, sum = 0;
    for (uint32_t i = 0; i < 4; ++i)
      sum += (base + i) * 10;
    std::vector<uint32_t> expected{right % 4,  right % 4,      3,
                                   left * 10,  left * 10 + 1,  c * 10,
                                   c * 10 + 1, c % 4 ? 0 : sum};
    EXPECT_EQ(
        std::vector<uint32_t>(out.begin() + c * 8, out.begin() + c * 8 + 8),
        expected)
        << c;
  }
}

/// Rank 0 multicasts; the others copy on, arrive remotely and store.
TEST(Cluster, MulticastAndRemoteArrivals) {
  std::string body = std::string(R"(
    mov.u32 %r20, %cluster_ctarank;
    setp.ne.s32 %q0, %r20, 0;
    mbarrier.init.shared::cta.b64 [%s], 1;
    mbarrier.init.shared::cta.b64 [%s+8], 3;
    mbarrier.init.shared::cta.b64 [%s+16], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s], 32;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%s+16], 24;
)") + kClusterSync + R"(
    @%q0 bra REST;
    mov.b16 %h0, 7;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%s+64], [%p1], 32, [%s], %h0;
REST:
FULL:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q1, [%s], 0;
    @!%q1 bra FULL;
    ld.shared.u32 %r1, [%s+64];
    ld.shared.u32 %r2, [%s+92];
    add.s32 %r3, %r20, 1; rem.u32 %r3, %r3, 3;
    mapa.shared::cluster.u32 %r4, %s, %r3;
    cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r4+128], [%s+64], 16, [%r4+16];
    add.s32 %r5, %r20, 100;
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r4+160], {%r5, %r3}, [%r4+16];
    mapa.shared::cluster.u32 %r6, %s, 0;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6+8];
    @%q0 bra SECOND;
ALL:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q1, [%s+8], 0;
    @!%q1 bra ALL;
SECOND:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q1, [%s+16], 0;
    @!%q1 bra SECOND;
    ld.shared.u32 %r7, [%s+140];
    ld.shared.u32 %r8, [%s+160];
    mul.wide.u32 %d4, %c, 16; add.s64 %d4, %d4, %p0;
    st.global.v4.u32 [%d4], {%r1, %r2, %r7, %r8};
)" + kClusterSync;
  std::vector<uint32_t> input{11, 12, 13, 14, 15, 16, 17, 18};
  std::vector<uint32_t> out =
      runAll(hopperKernel(2, 256, body), 6, 1, 3, 24, input);
  for (uint32_t c = 0; c < 6; ++c)
    EXPECT_EQ(
        std::vector<uint32_t>(out.begin() + c * 4, out.begin() + c * 4 + 4),
        (std::vector<uint32_t>{11, 18, 14, 100 + (c + 2) % 3}))
        << c;
}

/// red.async, and fences and hints that have nothing to do.
TEST(Cluster, AsyncReductions) {
  std::string body = std::string(R"(
    mov.u32 %r20, %cluster_ctarank;
    setmaxnreg.dec.sync.aligned.u32 40;
    griddepcontrol.wait;
    griddepcontrol.launch_dependents;
    setp.ne.s32 %q0, %t, 0;
    @%q0 bra READY;
    mbarrier.init.shared::cta.b64 [%s], 1;
    mov.u32 %r1, 5;
    st.shared.u32 [%s+16], %r1;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%s], 8;
    mbarrier.arrive.shared::cta.b64 _, [%s];
    fence.mbarrier_init.release.cluster;
READY:
    fence.acq_rel.cluster;
    fence.proxy.async;
    fence.proxy.async.global;
)") + kClusterSync + R"(
    @%q0 bra DONE;
    mapa.shared::cluster.u32 %r2, %s, 0;
    mapa.shared::cluster.u32 %r3, %s, 1;
    add.s32 %r4, %c, 100;
    red.async.relaxed.cluster.add.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2+16], %r4, [%r2];
    red.async.relaxed.cluster.max.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3+16], %r4, [%r3];
WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q1, [%s], 0;
    @!%q1 bra WAIT;
    ld.shared.u32 %r5, [%s+16];
    mul.wide.u32 %d1, %c, 4; add.s64 %d1, %d1, %p0;
    st.global.u32 [%d1], %r5;
DONE:
)" + kClusterSync;
  EXPECT_EQ(runAll(hopperKernel(1, 64, body), 2, 128, 2, 2),
            (std::vector<uint32_t>{5 + 100 + 101, 101}));
}

TEST(Cluster, Errors) {
  std::string dead = failure(
      hopperKernel(1, 64,
                   "setp.eq.s32 %q0, %c, 0;\n"
                   "@%q0 barrier.cluster.arrive;\n"
                   "@%q0 barrier.cluster.wait;\n"
                   "L: @!%q0 mbarrier.init.shared::cta.b64 [%s], 1;\n"
                   "M: @%q0 bra E;\n"
                   "mbarrier.try_wait.parity.shared::cta.b64 %q1, [%s], 0;\n"
                   "@!%q1 bra M;\nE:\n"),
      2, 1, 2);
  EXPECT_NE(dead.find("barrier.cluster"), std::string::npos) << dead;
  EXPECT_NE(dead.find("1 of 2 threads"), std::string::npos) << dead;
  std::string gone =
      failure(hopperKernel(1, 64,
                           "mapa.shared::cluster.u32 %r0, %s, 1;\n"
                           "setp.ne.s32 %q0, %c, 0;\n@%q0 bra E;\n"
                           "mov.u32 %r1, 100000;\n"
                           "L: sub.s32 %r1, %r1, 1;\nsetp.ne.s32 %q1, %r1, 0;\n"
                           "@%q1 bra L;\n"
                           "ld.shared::cluster.u32 %r2, [%r0];\nE:\n"),
              2, 1, 2);
  EXPECT_NE(gone.find("has ended"), std::string::npos) << gone;
  std::string own =
      failure(hopperKernel(1, 64,
                           "mapa.shared::cluster.u32 %r0, %s, 1;\n"
                           "ld.shared.u32 %r2, [%r0];\n"),
              2, 1, 2);
  EXPECT_NE(own.find("out-of-bounds shared load"), std::string::npos) << own;
  std::string rank = failure(
      hopperKernel(1, 64, "mapa.shared::cluster.u32 %r0, %s, 2;\n"), 2, 1, 2);
  EXPECT_NE(rank.find("mapa to block 2"), std::string::npos) << rank;
}

/// Clusters in more than one dimension; a kernel's own cluster size.
TEST(Cluster, Shape) {
  std::string text = hopperKernel(1, 64, std::string(kClusterSync) + R"(
    mov.u32 %r1, %ctaid.y; mov.u32 %r2, %nctaid.x;
    mad.lo.s32 %r3, %r1, %r2, %c;
    mul.wide.u32 %d1, %r3, 16; add.s64 %d1, %d1, %p0;
    mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, %clusterid.x;
    mov.u32 %r6, %clusterid.y; mov.u32 %r7, %cluster_nctaid.y;
    mov.pred %q0, %is_explicit_cluster;
    @%q0 add.s32 %r7, %r7, 10;
    st.global.v4.u32 [%d1], {%r4, %r5, %r6, %r7};
)");
  text.insert(text.find("\n{\n"), "\n.reqnctapercluster 2, 3, 1");
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(4 * 6 * 4));
  runOk(*program, makeLaunch("k", {4, 6, 1}, {1, 1, 1}, out), memory);
  out.fetch();
  for (uint32_t y = 0; y < 6; ++y)
    for (uint32_t x = 0; x < 4; ++x) {
      const uint32_t *row = &out.host[(y * 4 + x) * 4];
      EXPECT_EQ(row[0], x % 2 + y % 3 * 2);
      EXPECT_EQ(row[1], x / 2);
      EXPECT_EQ(row[2], y / 3);
      EXPECT_EQ(row[3], 13u);
    }
}

} // namespace
