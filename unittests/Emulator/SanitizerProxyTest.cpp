//===- SanitizerProxyTest.cpp - Tensor maps in memory; setmaxnreg ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncSanitizers.h"
#include "TensorHarness.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

List kindsOf(const LaunchResult &result) {
  List list;
  for (const Finding &f : result.findings)
    if (std::find(list.begin(), list.end(), f.kind) == list.end())
      list.push_back(f.kind);
  std::sort(list.begin(), list.end());
  if (result.error && list.empty())
    list.push_back("error: " + result.error->message);
  return list;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// Each of 64 threads has its word of the map, or half of the threads none, in
/// %r5; warp 0 writes the map to %p1 (`write`), thread 32 uses it.
List mapKinds(const std::string &write, const std::string &before) {
  std::string body = R"(
    and.b32 %r9, %t, 31;
    shl.b32 %r3, %r9, 2;
    cvt.u64.u32 %d1, %r3;
    add.s64 %d2, %d31, %d1;
    ld.u32 %r5, [%d2];
    add.s32 %r4, %s, %r3;
    add.s64 %d2, %p1, %d1;
    setp.ge.u32 %q0, %t, 32;
    setp.ne.u32 %q1, %t, 32;
    add.s32 %r0, %s, 512;
    @!%q1 mbarrier.init.shared::cta.b64 [%r0], 1;
    @!%q1 fence.mbarrier_init.release.cluster;
    @%q0 bra WRITTEN;
)" + write + R"(
WRITTEN:
    bar.sync 0;
    @%q1 bra END;
)" + before + R"(
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 64;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s+1024], [%p1, {0, 0}], [%r0];
TRY:
    mbarrier.try_wait.parity.shared::cta.b64 %q2, [%r0], 0;
    @!%q2 bra TRY;
END:
    ret;
)";
  std::string text = tensorKernel(2, 2048, body);
  expectAssembles(text);
  auto program = parse(text);
  if (!program)
    return {};
  List first;
  for (uint64_t seed : {0, 1, 2, 3}) {
    Memory memory;
    Array<uint32_t> source(memory, std::vector<uint32_t>(64)),
        out(memory, std::vector<uint32_t>(64));
    TensorMapInfo info;
    info.type = TensorMapType::U32;
    info.address = source.address;
    info.dims = {16, 4};
    info.strides = {64};
    info.box = {8, 2};
    Launch launch =
        tensorLaunch(encode(info), source.address, out.address, true);
    launch.block = {64, 1, 1};
    Options options;
    options.sanitize = true;
    options.seed = seed;
    List kinds = kindsOf(run(*program, launch, memory, options));
    if (!seed)
      first = kinds;
    EXPECT_EQ(kinds, first) << "seed " << seed;
  }
  return first;
}

const std::string kStage = "st.shared.u32 [%r4], %r5;\nbar.warp.sync -1;\n";
const std::string kPublish =
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."
    "gpu.sync.aligned [%p1], [%s], 128;\n";
const std::string kStoreMap = "st.global.u32 [%d2], %r5;\n";
const std::string kRelease = "fence.proxy.tensormap::generic.release.gpu;\n";
const std::string kAcquire =
    "fence.proxy.tensormap::generic.acquire.gpu [%p1], 128;\n";

TEST(SanitizerTensorMaps, Published) {
  EXPECT_EQ(mapKinds(kStage + kPublish, kAcquire), List{});
  EXPECT_EQ(mapKinds(kStoreMap + kRelease, kAcquire), List{});
  // By a thread that the copy's one comes after.
  EXPECT_EQ(mapKinds(kStage + kPublish + kAcquire, ""), List{});
}

TEST(SanitizerTensorMaps, MissingFences) {
  List missing{"missing-proxy-fence"};
  EXPECT_EQ(mapKinds(kStage + kPublish, ""), missing);
  EXPECT_EQ(mapKinds(kStoreMap + kRelease, ""), missing);
  EXPECT_EQ(mapKinds(kStoreMap, kAcquire), missing);
  // Before the write; the wrong kind; of another map.
  EXPECT_EQ(mapKinds(kRelease + kStoreMap, kAcquire), missing);
  EXPECT_EQ(mapKinds(kStoreMap + "fence.proxy.async;\n", kAcquire), missing);
  EXPECT_EQ(
      mapKinds(kStage + kPublish,
               "fence.proxy.tensormap::generic.acquire.gpu [%p0], 128;\n"),
      missing);
  // The map was written after it was acquired.
  EXPECT_EQ(mapKinds(kAcquire + kStoreMap + kRelease, ""), missing);
}

TEST(SanitizerTensorMaps, Races) {
  // Lanes write what another one copies.
  EXPECT_EQ(mapKinds("st.shared.u32 [%r4], %r5;\n" + kPublish, kAcquire),
            List{"shared-race"});
  EXPECT_EQ(mapKinds(kStage + kPublish,
                     kAcquire + "st.global.u32 [%p1], 0;\n" + kAcquire),
            List{"missing-proxy-fence"});
}

//===----------------------------------------------------------------------===//
// setmaxnreg
//===----------------------------------------------------------------------===//

/// Two warpgroups of threads that have 64 registers at first; %q3: the second
/// one, %q4: no lane of warp 0.
LaunchResult setRegisters(const std::string &body,
                          const char *directives = ".maxntid 256, 1, 1\n"
                                                   ".maxnreg 64\n") {
  std::string text = asyncKernel("setp.ge.u32 %q3, %t, 128;\n"
                                 "setp.ge.u32 %q4, %t, 32;\n" +
                                 body);
  text.insert(text.find('{'), directives);
  return launchAsync(text, /*threads=*/256);
}

std::string byWarpgroup(const std::string &first, const std::string &second) {
  return "@%q3 bra SECOND;\n" + first + "bra JOINED;\nSECOND:\n" + second +
         "JOINED:\n";
}
std::string change(const char *action, unsigned count) {
  return std::string("setmaxnreg.") + action + ".sync.aligned.u32 " +
         std::to_string(count) + ";\n";
}

TEST(SanitizerRegisters, Handed) {
  // In whichever order.
  EXPECT_EQ(
      kindsOf(setRegisters(byWarpgroup(change("inc", 88), change("dec", 40)))),
      List{});
  EXPECT_EQ(
      kindsOf(setRegisters(byWarpgroup(change("dec", 40), change("inc", 88)))),
      List{});
  // And back, once all have synchronised.
  EXPECT_EQ(kindsOf(setRegisters(
                byWarpgroup(change("inc", 88), change("dec", 40)) + kBar +
                "@%q3 bra LAST;\n" + change("dec", 64) + "bra OVER;\nLAST:\n" +
                change("inc", 64) + "OVER:\n")),
            List{});
}

TEST(SanitizerRegisters, TooFew) {
  LaunchResult result =
      setRegisters(byWarpgroup(change("inc", 96), change("dec", 40)));
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->message.find("wait for registers"), std::string::npos)
      << result.error->message;
  EXPECT_EQ(kindsOf(result), List{"deadlock"});
  // Without launch bounds nobody knows how many there are.
  EXPECT_EQ(kindsOf(setRegisters(change("inc", 96), "")), List{});
  // 65536 registers for two blocks of 256 threads.
  const char *bounds = ".maxntid 256, 1, 1\n.minnctapersm 2\n";
  EXPECT_EQ(kindsOf(setRegisters(change("inc", 128), bounds)), List{});
  EXPECT_EQ(kindsOf(setRegisters(change("inc", 136), bounds)),
            List{"deadlock"});
}

TEST(SanitizerRegisters, PartOfAWarpgroup) {
  std::string whole = asyncKernel(change("dec", 40));
  std::string part = asyncKernel("setp.ge.u32 %q4, %t, 32;\n@%q4 bra SKIP;\n" +
                                 change("dec", 40) + "SKIP:\n");
  std::string waits = asyncKernel("setp.ge.u32 %q4, %t, 96;\n@%q4 bra SKIP;\n" +
                                  change("dec", 40) + "SKIP:\nbar.sync 0;\n");
  std::string lanes =
      asyncKernel("@%q1 bra SKIP;\n" + change("dec", 40) + "SKIP:\n");
  // The last warpgroup is those warps that there are.
  for (uint32_t threads : {32, 64, 128, 160, 192, 256})
    EXPECT_EQ(kindsOf(launchAsync(whole, threads)), List{}) << threads;
  for (uint32_t threads : {64, 128, 160}) {
    LaunchResult result = launchAsync(part, threads);
    EXPECT_EQ(kindsOf(result), List{"bad-setmaxnreg"}) << threads;
    for (const Finding &finding : result.findings)
      EXPECT_TRUE(finding.line);
  }
  EXPECT_EQ(kindsOf(launchAsync(waits, 128)), List{"bad-setmaxnreg"});
  EXPECT_EQ(kindsOf(launchAsync(lanes, 128)), List{"divergent-warp"});
}

TEST(SanitizerRegisters, Misused) {
  List bad{"bad-setmaxnreg"};
  EXPECT_EQ(kindsOf(setRegisters(change("dec", 40) + change("dec", 40))), bad);
  EXPECT_EQ(kindsOf(setRegisters(change("dec", 40) + kBar + change("dec", 40))),
            List{});
  EXPECT_EQ(
      kindsOf(setRegisters("@%q4 bra SKIP;\n" + change("dec", 40) + "SKIP:\n")),
      bad);
  EXPECT_EQ(kindsOf(setRegisters("@%q4 bra OTHER;\n" + change("dec", 40) +
                                 "bra SKIP;\nOTHER:\n" + change("dec", 40) +
                                 "SKIP:\n")),
            bad);
}

} // namespace
