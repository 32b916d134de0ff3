//===- CudaDeviceTest.cpp - The CUDA device on a fake driver --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include "PtxManifest.h"
#include "fusion/Runtime/DeviceCall.h"
#include "fusion/Runtime/Executor.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
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
  ASSERT_FALSE(bool(device->loadModule(withPtx(doublePtx))));
  // The fake loads no machine code: the driver rejects ptxas's machine code, if
  // ptxas is installed, and compiles.
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

TEST(CudaDevice, TensorMaps) {
  std::unique_ptr<Device> device = openDevice();
  ASSERT_TRUE(device);
  llvm::Expected<DeviceAddress> address = device->allocate(4096, 256);
  ASSERT_TRUE(bool(address)) << llvm::toString(address.takeError());
  TensorMapRequest request;
  request.base = *address;
  request.type = ElementType::F16;
  request.dims = {64, 32};
  request.stridesBytes = {128};
  request.box = {64, 8};
  request.elementStrides = {1, 1};
  request.swizzleBytes = 128;
  llvm::Expected<std::vector<uint8_t>> map = device->encodeTensorMap(request);
  ASSERT_TRUE(bool(map)) << llvm::toString(map.takeError());
  ASSERT_EQ(map->size(), 128u);
  DeviceAddress encoded;
  std::memcpy(&encoded, map->data(), sizeof(encoded));
  EXPECT_EQ(encoded, *address);
}

TEST(CudaDevice, ProgrammaticLaunches) {
  std::unique_ptr<Device> device = openDevice();
  ASSERT_TRUE(device);
  ASSERT_FALSE(bool(device->loadModule(withPtx(doublePtx))));
  auto *count = static_cast<uint64_t *>(
      dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fakeProgrammaticLaunches"));
  ASSERT_TRUE(count);
  Manifest manifest = planWithSharedMemory(1024);
  HostTensor input(ElementType::F32, {32});
  ExecuteOptions options;
  options.measure = true;
  for (bool isProgrammatic : {false, true}) {
    manifest.functions[0].launches[1].isProgrammatic = isProgrammatic;
    uint64_t before = *count;
    llvm::Expected<Execution> run =
        execute(manifest, manifest.functions[0], *device, {input}, options);
    ASSERT_TRUE(bool(run)) << llvm::toString(run.takeError());
    if (isProgrammatic)
      EXPECT_GT(*count, before);
    else
      EXPECT_EQ(*count, before);
  }
}

TEST(CudaDevice, ActiveClusters) {
  std::unique_ptr<Device> device = openDevice();
  ASSERT_TRUE(device);
  ASSERT_FALSE(bool(device->loadModule(withPtx(doublePtx))));
  DeviceLaunch launch;
  launch.kernel = "double_it";
  launch.block = {32, 1, 1};
  launch.dynamicSharedMemory = 200 * 1024;
  // What could not be set up is not kept.
  for (unsigned attempt = 0; attempt < 2; ++attempt) {
    llvm::Expected<uint64_t> clusters = device->activeClusters(launch);
    ASSERT_FALSE(bool(clusters));
    EXPECT_EQ(
        llvm::toString(clusters.takeError()),
        "kernel 'double_it' needs 204800 bytes of shared memory; Fake GPU "
        "has 166912 per block");
  }
  // Needs the opt-in, which comes first.
  launch.dynamicSharedMemory = 100 * 1024;
  EXPECT_EQ(llvm::cantFail(device->activeClusters(launch)), 10u);
  launch.cluster = {4, 1, 1};
  EXPECT_EQ(llvm::cantFail(device->activeClusters(launch)), 2u);
}

TEST(CudaDevice, Ordinals) {
  std::unique_ptr<Device> device = openDevice();
  ASSERT_TRUE(device);
  DeviceAddress address = llvm::cantFail(device->allocate(64, 16));
  EXPECT_EQ(llvm::cantFail(cudaDeviceOf(address + 63)), 0);
  EXPECT_EQ(llvm::cantFail(cudaDeviceOf(address + 64)), std::nullopt);
  ASSERT_FALSE(bool(device->free(address)));
  llvm::Expected<std::unique_ptr<Device>> second = createCudaDevice(1);
  ASSERT_FALSE(bool(second));
  EXPECT_EQ(llvm::toString(second.takeError()),
            "there is no GPU 1; the CUDA driver finds 1");
}

TEST(CudaDevice, CallsAreCaptured) {
  const cuda::Driver &driver = *llvm::cantFail(cuda::Driver::load());
  std::unique_ptr<Device> device = openDevice();
  ASSERT_TRUE(device);
  ASSERT_FALSE(bool(device->loadModule(withPtx(doublePtx))));
  Manifest manifest = planWithSharedMemory(100 * 1024);
  auto constants = llvm::cantFail(DeviceConstants::create(manifest, *device));
  auto call = llvm::cantFail(
      DeviceCall::prepare(manifest, manifest.functions[0], *device, *constants,
                          {{ElementType::F32, {32}, {}}}));
  HostTensor input(ElementType::F32, {32}), result(ElementType::F32, {32});
  fillRandom(input, 1, 0, 1);
  DeviceAddress in = llvm::cantFail(device->allocate(128, 16)),
                out = llvm::cantFail(device->allocate(128, 16)),
                other = llvm::cantFail(device->allocate(8, 16));
  ASSERT_FALSE(bool(device->write(in, input.data.data(), 128)));

  // The caller's context is current while it captures.
  cuda::Context context = nullptr;
  ASSERT_EQ(driver.primaryCtxRetain(&context, 7), 0);
  ASSERT_EQ(driver.ctxPushCurrent(context), 0);
  cuda::Stream stream = nullptr;
  cuda::Graph graph = nullptr;
  cuda::GraphExec exec = nullptr;
  ASSERT_EQ(driver.streamCreate(&stream, 0), 0);
  ASSERT_EQ(driver.streamBeginCapture(stream, cuda::captureThreadLocal), 0);
  llvm::Error error = call->start({in}, {out, other}, 0, stream);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  ASSERT_EQ(driver.streamEndCapture(stream, &graph), 0);
  ASSERT_FALSE(bool(device->read(out, result.data.data(), 128)));
  EXPECT_TRUE(std::isnan(elementToDouble(ElementType::F32, result.at(0))))
      << "captured, not run";
  ASSERT_EQ(driver.graphInstantiate(&exec, graph, 0), 0);
  ASSERT_EQ(driver.graphLaunch(exec, stream), 0);
  ASSERT_FALSE(bool(device->read(out, result.data.data(), 128)));
  for (int64_t i = 0; i < 32; ++i)
    EXPECT_EQ(elementToDouble(ElementType::F32, result.at(i)),
              2 * elementToDouble(ElementType::F32, input.at(i)));
  driver.graphExecDestroy(exec);
  driver.graphDestroy(graph);
  driver.streamDestroy(stream);
  EXPECT_EQ(driver.ctxPopCurrent(&context), 0);
  EXPECT_NE(driver.ctxPopCurrent(&context), 0) << "none of ours is left";
  for (DeviceAddress address : {in, out, other})
    ASSERT_FALSE(bool(device->free(address)));
}

TEST(CudaDevice, Errors) {
  std::unique_ptr<Device> device = openDevice();
  ASSERT_TRUE(device);
  llvm::Error broken = device->loadModule(withPtx(".version 8.0 nonsense"));
  ASSERT_TRUE(bool(broken));
  std::string message = llvm::toString(std::move(broken));
  EXPECT_NE(message.find("does not load the kernels on Fake GPU"),
            std::string::npos)
      << message;

  ASSERT_FALSE(bool(device->loadModule(withPtx(doublePtx))));
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
  llvm::Expected<LaunchObservation> launched =
      device->launch(missing, /*stream=*/nullptr);
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
