//===- EmulatorDeviceTest.cpp - Plans on the emulator ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxManifest.h"
#include "fusion/Runtime/Executor.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

// Loads a box of the first map at (2, 1) and stores it at (0, 0) of the second.
const char *const kMoveBox = R"ptx(
.version 8.6
.target sm_90a
.address_size 64
.visible .entry move(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128])
{
  .shared .align 128 .b8 box[128];
  .shared .align 8 .b8 full[8];
  .reg .b64 %from, %to;
  .reg .b32 %box, %full;
  .reg .pred %done;
  mov.u32 %box, box;
  mov.u32 %full, full;
  mov.b64 %from, from;
  cvta.param.u64 %from, %from;
  mov.b64 %to, to;
  cvta.param.u64 %to, %to;
  mbarrier.init.shared::cta.b64 [%full], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], 128;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%box], [%from, {4, 1}], [%full];
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %done, [%full], 0;
  @!%done bra WAIT;
  cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%to, {0, 0}], [%box];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}
)ptx";

llvm::Expected<Execution> runMoveBox(const std::string &box,
                                     const HostTensor &input) {
  llvm::Expected<Manifest> manifest =
      Manifest::parse(R"json({
    "version": 1, "chip": "sm_90a",
    "kernels": [{"name": "move", "block": [1, 1, 1],
      "arguments": [{"kind": "tensor_map"}, {"kind": "tensor_map"}]}],
    "functions": [{"name": "f",
      "inputs": [{"type": "f32", "shape": ["?", "?"]}],
      "results": [{"type": "f32", "shape": ["size:arg0.0", "size:arg0.1"]}],
      "launches": [{"kernel": "move", "grid": [1, 1, 1], "arguments": [
        {"of": "arg0", "type": "f32", "dims": ["size:arg0.1", "size:arg0.0"],
         "strides_bytes": ["size:arg0.1 * 4"], "box": )json" +
                      box + R"json(, "swizzle": "32B"},
        {"of": "result0", "type": "f32", "dims": ["size:arg0.1", "size:arg0.0"],
         "strides_bytes": ["size:arg0.1 * 4"], "box": )json" +
                      box + R"json(, "swizzle": "32B"}]}]}]})json");
  if (!manifest)
    return manifest.takeError();
  std::unique_ptr<Device> device = createEmulatorDevice({});
  if (llvm::Error error = device->loadModule(withPtx(kMoveBox)))
    return std::move(error);
  return execute(*manifest, manifest->functions[0], *device, {input});
}

TEST(EmulatorDevice, TensorMaps) {
  HostTensor input(ElementType::F32, {4, 8});
  for (int64_t i = 0; i < 32; ++i)
    elementFromDouble(input.type, double(i), input.at(i));
  llvm::Expected<Execution> run = runMoveBox("[8, 4]", input);
  ASSERT_TRUE(bool(run)) << llvm::toString(run.takeError());
  ASSERT_FALSE(run->fault) << *run->fault;
  for (int64_t row = 0; row < 4; ++row)
    for (int64_t column = 0; column < 8; ++column) {
      bool inside = row + 1 < 4 && column + 4 < 8;
      double expected = inside ? double((row + 1) * 8 + column + 4) : 0;
      float value;
      std::memcpy(&value, run->results[0].at(row * 8 + column), 4);
      EXPECT_EQ(double(value), expected) << row << ", " << column;
    }
}

TEST(EmulatorDevice, BadTensorMaps) {
  HostTensor input(ElementType::F32, {4, 8});
  llvm::Expected<Execution> run = runMoveBox("[3, 4]", input);
  ASSERT_FALSE(bool(run));
  std::string message = llvm::toString(run.takeError());
  EXPECT_NE(message.find("no multiple of 16 bytes"), std::string::npos)
      << message;
}

// Each block stores the number of blocks to its own element.
const char *const kCountBlocks = R"ptx(
.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 scratch[];
.visible .entry count(.param .u64 .ptr .global .align 16 out) .minnctapersm 1 .maxntid 416 {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
)ptx";

/// Returns the blocks that a persistent kernel is launched with, or the error.
std::string launchPersistent(unsigned cluster, unsigned sharedMemory,
                             std::vector<GpcGroup> gpcs,
                             std::optional<uint64_t> most = std::nullopt,
                             unsigned threads = 384,
                             llvm::StringRef ptx = kCountBlocks) {
  std::string blocks = std::to_string(cluster);
  Manifest manifest = llvm::cantFail(Manifest::parse(
      R"json({"version": 1, "chip": "sm_90a", "kernels": [{"name": "count",
        "block": [)json" +
      std::to_string(threads) + R"json(, 1, 1], "cluster": [)json" + blocks +
      R"json(, 1, 1], "dynamic_shared_memory": )json" +
      std::to_string(sharedMemory) +
      R"json(, "arguments": [{"kind": "buffer", "access": "write"}]}],
      "functions": [{"name": "f", "inputs": [],
        "results": [{"type": "i32", "shape": [4096]}],
        "launches": [{"kernel": "count", "grid": ["min(512, device:active_clusters) * )json" +
      blocks + R"json(", 1, 1], "arguments": [{"of": "result0"}]}]}]})json"));
  EmulatorOptions options;
  options.processors = {std::move(gpcs), {228 * 1024, 1024, 65536, 64, 32}};
  std::unique_ptr<Device> device = createEmulatorDevice(options);
  llvm::cantFail(device->loadModule(withPtx(ptx)));
  ExecuteOptions execution;
  execution.maxClusters = most;
  llvm::Expected<Execution> run =
      execute(manifest, manifest.functions[0], *device, {}, execution);
  if (!run)
    return llvm::toString(run.takeError());
  if (run->fault)
    return *run->fault;
  return std::to_string(run->launches[0].grid[0]);
}

TEST(EmulatorDevice, PersistentGridsFitTheGpcs) {
  // Two chips of 132 SMs.
  std::vector<GpcGroup> even = {{2, 18}, {6, 16}}, uneven = {{6, 18}, {2, 12}};
  constexpr unsigned wholeSM = 200 * 1024, halfSM = 100 * 1024;
  EXPECT_EQ(launchPersistent(1, wholeSM, even), "132");
  EXPECT_EQ(launchPersistent(2, wholeSM, even), "132");
  EXPECT_EQ(launchPersistent(4, wholeSM, even), "128");
  EXPECT_EQ(launchPersistent(8, wholeSM, even), "128");
  EXPECT_EQ(launchPersistent(1, wholeSM, uneven), "132");
  EXPECT_EQ(launchPersistent(2, wholeSM, uneven), "132");
  EXPECT_EQ(launchPersistent(4, wholeSM, uneven), "120");
  EXPECT_EQ(launchPersistent(8, wholeSM, uneven), "112");
  // The kernel's registers are only known to leave room for one block.
  EXPECT_EQ(launchPersistent(1, halfSM, even), "132");
  // No more than there are tiles, nor than are asked for.
  EXPECT_EQ(launchPersistent(1, wholeSM, {}), "512");
  EXPECT_EQ(launchPersistent(8, wholeSM, even, 14), "112");
  EXPECT_EQ(launchPersistent(8, wholeSM, uneven, 15), "112");
  EXPECT_EQ(launchPersistent(8, wholeSM, {{2, 6}}),
            "function 'f': kernel 'count': emulator has no room for one of its "
            "clusters");
}

// Registers are those of sub-partitions: 13 warps of 4864 registers fit the SM,
// but four of them no quarter of it.
TEST(EmulatorDevice, ResidentBlocksNeedRegistersOfSubPartitions) {
  constexpr unsigned wholeSM = 200 * 1024;
  std::string limited = kCountBlocks;
  llvm::StringRef bound = ".minnctapersm 1";
  limited.replace(limited.find(bound), bound.size(), ".maxnreg 152");
  auto launch = [&](unsigned threads) {
    return launchPersistent(1, wholeSM, {{2, 18}, {6, 16}}, std::nullopt,
                            threads, limited);
  };
  EXPECT_EQ(launch(384), "132");
  EXPECT_EQ(launch(416),
            "function 'f': kernel 'count': emulator has no room for one of its "
            "clusters");
}

} // namespace
