//===- CudaDeviceTest.cpp - The CUDA device on a fake driver --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Executor.h"
#include "gtest/gtest.h"
#include <cmath>
#include <dlfcn.h>

using namespace fusion;

namespace {

/// out[i] = 2 in[i] through shared memory; one block of 32 threads.
const char *const doublePtx = R"ptx(
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 scratch[];
.visible .entry double_it(.param .u64 .ptr .global .align 16 in,
                          .param .u64 .ptr .global .align 16 out) {
  .reg .b32 %r<4>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>;
  mov.u32 %r1, %tid.x;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, scratch;
  add.s32 %r2, %r2, %r3;
  ld.global.f32 %f1, [%rd4];
  add.rn.f32 %f2, %f1, %f1;
  st.shared.f32 [%r2], %f2;
  ld.shared.f32 %f3, [%r2];
  st.global.f32 [%rd5], %f3;
  ret;
}
)ptx";

Manifest planWithSharedMemory(unsigned bytes) {
  std::string json = R"json({"version": 1, "chip": "sm_80",
    "kernels": [{"name": "double_it", "block": [32, 1, 1], "dynamic_shared_memory": )json" +
                     std::to_string(bytes) + R"json(,
      "arguments": [{"kind": "buffer", "access": "read"}, {"kind": "buffer", "access": "write"}]}],
    "functions": [{"name": "f", "inputs": [{"type": "f32", "shape": [32]}],
      "results": [{"type": "f32", "shape": [32]}, {"type": "f32", "shape": [2]}],
      "launches": [{"kernel": "double_it", "grid": [1, 1, 1], "arguments": [{"of": "arg0"}, {"of": "result0"}]},
                   {"kernel": "double_it", "grid": [1, 1, 1], "arguments": [{"of": "arg0"}, {"of": "result0"}]}]}]})json";
  return llvm::cantFail(Manifest::parse(json));
}

std::unique_ptr<Device> openDevice() {
  llvm::Expected<std::unique_ptr<Device>> device = createCudaDevice();
  if (!device) {
    ADD_FAILURE() << llvm::toString(device.takeError());
    return nullptr;
  }
  return std::move(*device);
}

TEST(CudaDevice, RunsAndMeasures) {
  std::unique_ptr<Device> device = openDevice();
  ASSERT_TRUE(device);
  EXPECT_EQ(device->name(), "Fake GPU");
  ASSERT_FALSE(bool(device->loadModule(doublePtx)));
  // The fake loads no machine code: what ptxas made, if there is one, is
  // refused, and the driver compiles.
  EXPECT_EQ(device->assembler().substr(0, 6), "driver");

  // Above 48 KB, which needs the opt-in.
  Manifest manifest = planWithSharedMemory(100 * 1024);
  HostTensor input(ElementType::F32, {32});
  fillRandom(input, 1, 0, 1);
  ExecuteOptions options;
  options.measure = true;
  llvm::Expected<Execution> run =
      execute(manifest, manifest.functions[0], *device, {input}, options);
  ASSERT_TRUE(bool(run)) << llvm::toString(run.takeError());
  for (int64_t i = 0; i < 32; ++i)
    EXPECT_EQ(elementToDouble(ElementType::F32, run->results[0].at(i)),
              2 * elementToDouble(ElementType::F32, input.at(i)));
  // What no kernel writes is a NaN.
  EXPECT_TRUE(
      std::isnan(elementToDouble(ElementType::F32, run->results[1].at(0))));
  // A launch of the fake takes 250 us.
  EXPECT_DOUBLE_EQ(*run->launches[0].measuredUs, 250);
  EXPECT_DOUBLE_EQ(*run->measuredUs, 500);
  EXPECT_FALSE(run->launches[0].counters);
}

TEST(CudaDevice, Errors) {
  std::unique_ptr<Device> device = openDevice();
  ASSERT_TRUE(device);
  llvm::Error broken = device->loadModule(".version 8.0 nonsense");
  ASSERT_TRUE(bool(broken));
  std::string message = llvm::toString(std::move(broken));
  EXPECT_NE(message.find("does not load the kernels on Fake GPU"),
            std::string::npos)
      << message;

  ASSERT_FALSE(bool(device->loadModule(doublePtx)));
  Manifest manifest = planWithSharedMemory(200 * 1024);
  HostTensor input(ElementType::F32, {32});
  llvm::Expected<Execution> run =
      execute(manifest, manifest.functions[0], *device, {input});
  ASSERT_FALSE(bool(run));
  EXPECT_EQ(llvm::toString(run.takeError()),
            "kernel 'double_it' needs 204800 bytes of shared memory; Fake GPU "
            "has 166912 per block");
  DeviceLaunch missing;
  missing.kernel = "other";
  llvm::Expected<LaunchObservation> launched = device->launch(missing);
  ASSERT_FALSE(bool(launched));
  EXPECT_NE(llvm::toString(launched.takeError()).find("kernel 'other'"),
            std::string::npos);
}

} // namespace

int main(int argc, char **argv) {
  // dlopen("libcuda.so.1") finds a library of that name that is loaded.
  if (!dlopen(FAKE_CUDA_DRIVER, RTLD_NOW | RTLD_LOCAL)) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
