//===- ExecutorTest.cpp - Execution of plans ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Executor.h"
#include "FakeDevice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace fusion;

namespace {

std::string problem(const Manifest &manifest, FakeDevice &device,
                    llvm::ArrayRef<HostTensor> inputs) {
  llvm::Expected<Execution> run =
      execute(manifest, manifest.functions[0], device, inputs);
  EXPECT_TRUE(device.memory.empty()) << "everything is freed";
  return run ? "" : llvm::toString(run.takeError());
}

TEST(Executor, RunsAPlan) {
  Manifest manifest = planOf(twoStep);
  FakeDevice device;
  HostTensor input = iota(70);
  ExecuteOptions options;
  options.measure = true;
  llvm::Expected<Execution> run =
      execute(manifest, manifest.functions[0], device, {input}, options);
  ASSERT_TRUE(bool(run)) << llvm::toString(run.takeError());
  EXPECT_TRUE(device.memory.empty());
  EXPECT_EQ(run->results[0].data, input.data);
  EXPECT_EQ(run->results[1].shape, llvm::SmallVector<int64_t>{69});
  EXPECT_EQ(elementToInteger(ElementType::I32, run->results[1].at(0)), 2);
  EXPECT_EQ(elementToInteger(ElementType::Index, run->results[2].at(0)), 138);

  ASSERT_EQ(device.launches.size(), 2u);
  EXPECT_EQ(device.launches[0].grid, (std::array<uint32_t, 3>{3, 1, 1}));
  EXPECT_EQ(device.launches[1].grid, (std::array<uint32_t, 3>{1, 2, 3}));
  EXPECT_EQ(run->launches[0].predicted->globalLoadBytes, 280);
  EXPECT_EQ(run->launches[0].predicted->us, 1.5);
  EXPECT_EQ(run->launches[0].predicted->sharedMemory, std::nullopt);
  EXPECT_EQ(run->launches[0].measuredUs, 1.0);
  EXPECT_EQ(run->measuredUs, 2.0);
}

TEST(Executor, WorkspaceIsOneAllocation) {
  Manifest manifest = planOf(twoStep);
  FakeDevice device;
  ASSERT_EQ(problem(manifest, device, {iota(70)}), "");
  // arg0, const0, result0, workspace.
  EXPECT_EQ(device.alignments.size(), 4u);
  uint64_t temp0 = FakeDevice::word<uint64_t>(device.launches[0], 1);
  EXPECT_EQ(temp0 % 256, 0u);
}

TEST(Executor, EmptyGridIsSkipped) {
  Manifest manifest = planOf(R"json(
      "inputs": [{"type": "i32", "shape": ["?"]}],
      "results": [{"type": "i32", "shape": ["size:arg0.0"]}],
      "launches": [{"kernel": "copy", "grid": ["size:arg0.0", 1, 1],
        "arguments": [{"of": "arg0"}, {"of": "result0"}, {"of": 0}]}])json");
  FakeDevice device;
  EXPECT_EQ(problem(manifest, device, {iota(0)}), "");
  EXPECT_TRUE(device.launches.empty());
}

TEST(Executor, ProgrammaticLaunches) {
  // The first that is not skipped waits for what ran before the call.
  Manifest manifest = planOf(R"json(
      "inputs": [{"type": "i32", "shape": ["?"]}],
      "results": [{"type": "i32", "shape": ["size:arg0.0"]}],
      "temporaries": [{"bytes": "size:arg0.0 * 4", "offset": 0}, {"bytes": 512}],
      "launches": [
        {"kernel": "copy", "grid": ["size:arg0.0 - 70", 1, 1],
         "arguments": [{"of": "arg0"}, {"of": "temp1"}, {"of": 0}]},
        {"kernel": "copy", "grid": [1, 1, 1], "programmatic": true,
         "arguments": [{"of": "arg0"}, {"of": "temp0"}, {"of": "size:arg0.0 * 4"}]},
        {"kernel": "copy", "grid": [1, 1, 1], "programmatic": true,
         "arguments": [{"of": "temp0"}, {"of": "result0"}, {"of": "size:arg0.0 * 4"}]}])json");
  FakeDevice device;
  ASSERT_EQ(problem(manifest, device, {iota(70)}), "");
  ASSERT_EQ(device.launches.size(), 2u);
  EXPECT_FALSE(device.launches[0].isProgrammatic);
  EXPECT_TRUE(device.launches[0].pending.empty());
  const DeviceLaunch &second = device.launches[1];
  EXPECT_TRUE(second.isProgrammatic);
  // The result and both temporaries, not the input.
  EXPECT_EQ(second.pending.size(), 3u);
  uint64_t input = FakeDevice::word<uint64_t>(device.launches[0], 0);
  EXPECT_FALSE(llvm::is_contained(second.pending, input));
  for (size_t argument : {0, 1})
    EXPECT_TRUE(llvm::is_contained(
        second.pending, FakeDevice::word<uint64_t>(second, argument)));
}

TEST(Executor, ScalarsAndTensorMaps) {
  Manifest manifest = planOf(R"json(
      "inputs": [{"type": "f32"}, {"type": "index"}, {"type": "i32", "shape": [8, "?"]}], "results": [],
      "launches": [{"kernel": "s", "grid": [1, 1, 1],
        "arguments": [{"of": "arg0"}, {"of": "arg1"}, {"of": -3}, {"of": 0.5}, {"of": "value:arg1 * 2"},
          {"of": "arg2", "offset": 16, "type": "i32", "dims": ["size:arg2.1", 8],
           "strides_bytes": ["size:arg2.1 * 4"], "box": [4, 8], "swizzle": "64B", "fill": "nan"}]}])json",
                             R"json(, {"name": "s", "block": [1, 1, 1],
      "arguments": [{"kind": "f32"}, {"kind": "i64"}, {"kind": "i8"}, {"kind": "f16"}, {"kind": "i16"},
                    {"kind": "tensor_map"}]})json");
  HostTensor f(ElementType::F32, {}), i(ElementType::Index, {});
  elementFromDouble(f.type, 0.75, f.at(0));
  elementFromInteger(i.type, 300, i.at(0));
  FakeDevice device;
  ASSERT_EQ(
      problem(manifest, device, {f, i, HostTensor(ElementType::I32, {8, 12})}),
      "");
  const DeviceLaunch &launch = device.launches[0];
  EXPECT_EQ(FakeDevice::word<float>(launch, 0), 0.75f);
  EXPECT_EQ(FakeDevice::word<int64_t>(launch, 1), 300);
  EXPECT_EQ(FakeDevice::word<int8_t>(launch, 2), -3);
  EXPECT_EQ(FakeDevice::word<uint16_t>(launch, 3), 0x3800);
  EXPECT_EQ(FakeDevice::word<int16_t>(launch, 4), 600);
  EXPECT_EQ(launch.parameters[5].size(), 128u);
  ASSERT_EQ(device.maps.size(), 1u);
  EXPECT_EQ(device.maps[0].base % 256, 16u);
  EXPECT_EQ(device.maps[0].dims[0], 12u);
  EXPECT_EQ(device.maps[0].stridesBytes[0], 48u);
  EXPECT_EQ(device.maps[0].swizzleBytes, 64u);
  EXPECT_TRUE(device.maps[0].fillNan);
}

TEST(Executor, ScalarResults) {
  Manifest manifest = planOf(R"json(
      "inputs": [{"type": "f16"}, {"type": "i1"}, {"type": "f8E5M2"}],
      "results": [{"type": "f16", "value": "value:arg0"}, {"type": "i1", "value": "arg1"},
                  {"type": "f8E5M2", "value": "arg2"}, {"type": "f32", "value": "-inf"},
                  {"type": "f64", "value": 1.25}, {"type": "i8", "value": "2 - 5"},
                  {"type": "i1", "value": -1}],
      "launches": [])json");
  HostTensor h(ElementType::F16, {}), b(ElementType::I1, {}),
      e(ElementType::F8E5M2, {});
  elementFromDouble(h.type, -1.5, h.at(0));
  elementFromInteger(b.type, 1, b.at(0));
  elementFromDouble(e.type, 0.75, e.at(0));
  FakeDevice device;
  llvm::Expected<Execution> run =
      execute(manifest, manifest.functions[0], device, {h, b, e});
  ASSERT_TRUE(bool(run)) << llvm::toString(run.takeError());
  std::vector<double> values;
  for (const HostTensor &result : run->results)
    values.push_back(elementToDouble(result.type, result.at(0)));
  EXPECT_EQ(values,
            (std::vector<double>{-1.5, 1, 0.75, -INFINITY, 1.25, -3, 1}));
}

TEST(Executor, ChecksInputs) {
  Manifest manifest = planOf(twoStep);
  FakeDevice device;
  EXPECT_EQ(problem(manifest, device, {}),
            "function 'f': takes 1 inputs, got 0");
  EXPECT_EQ(problem(manifest, device, {HostTensor(ElementType::F32, {4})}),
            "function 'f': input 0 is f32 4, the plan expects i32 ?");
  EXPECT_EQ(problem(manifest, device, {HostTensor(ElementType::I32, {4, 4})}),
            "function 'f': input 0 is i32 4x4, the plan expects i32 ?");
  EXPECT_EQ(problem(manifest, device, {iota(0)}),
            "function 'f': a result's size 'size:arg0.0 - 1' is -1");
}

std::string problemOf(const std::string &plan,
                      llvm::ArrayRef<HostTensor> inputs) {
  Manifest manifest = planOf(plan);
  FakeDevice device;
  return problem(manifest, device, inputs);
}

TEST(Executor, ChecksThePlan) {
  std::string io = R"json("inputs": [{"type": "i32", "shape": ["?"]}],
                      "results": [{"type": "i32", "shape": [4]}], )json";
  auto launch = [&](const std::string &grid, const std::string &source,
                    const std::string &bytes) {
    return io + R"json("launches": [{"kernel": "copy", "grid": )json" + grid +
           R"json(, "arguments": [)json" + source +
           R"json(, {"of": "result0"}, {"of": )json" + bytes + "}]}]";
  };
  std::string one = "[1, 1, 1]", arg = R"json({"of": "arg0"})json";
  EXPECT_EQ(
      problemOf(launch(one, R"json({"of": "arg0", "offset": 2})json", "4"),
                {iota(4)}),
      "function 'f': kernel 'copy', argument 0: the address of arg0 "
      "plus offset 2 is not a multiple of 4 bytes, which the kernel "
      "relies on");
  EXPECT_EQ(
      problemOf(launch(one, R"json({"of": "arg0", "offset": 20})json", "4"),
                {iota(4)}),
      "function 'f': kernel 'copy', argument 0: offset 20 is outside "
      "arg0");
  EXPECT_EQ(problemOf(launch(one, arg, "4294967296"), {iota(4)}),
            "function 'f': kernel 'copy', argument 2: 4294967296 does not fit "
            "i32");
  EXPECT_EQ(problemOf(launch("[1, 65536, 1]", arg, "4"), {iota(4)}),
            "function 'f': kernel 'copy': a grid of 65536 blocks in dimension "
            "1 exceeds 65535");
  EXPECT_EQ(problemOf(launch(R"json(["size:arg0.0 - 9", 1, 1])json", arg, "4"),
                      {iota(4)}),
            "function 'f': the grid 'size:arg0.0 - 9' is -5");
  EXPECT_EQ(
      problemOf(io + R"json("requires": [{"equal": ["mod(size:arg0.0, 8)", 0],
                          "message": "compiled for multiples of 8"}],
                         "launches": [])json",
                {iota(4)}),
      "function 'f': compiled for multiples of 8 (mod(size:arg0.0, 8) is 4, 0 "
      "is 0)");
  auto atMost = [&](const char *bound) {
    return problemOf(
        io + R"json("requires": [{"at_most": ["size:arg0.0", )json" + bound +
            R"json(], "message": "too long"}], "launches": [])json",
        {iota(4)});
  };
  EXPECT_EQ(atMost("3"), "function 'f': too long (size:arg0.0 is 4, 3 is 3)");
  EXPECT_EQ(atMost("4"), "");
  EXPECT_EQ(atMost("5"), "");
  EXPECT_EQ(problemOf(R"json("inputs": [{"type": "i32", "shape": ["?"]}],
                         "results": [{"type": "i32", "shape": [4],
                                      "alias": {"of": "arg0", "offset": 4}}],
                         "launches": [])json",
                      {iota(4)}),
            "function 'f': result0 (16 bytes at offset 4) is not inside arg0 "
            "(16 bytes)");
  EXPECT_EQ(problemOf(io + R"json("temporaries": [{"bytes": 4, "offset": 8,
                               "alignment": 16}], "launches": [])json",
                      {iota(4)}),
            "function 'f': temp0 is to be aligned to 16 bytes, but its offset "
            "is 8");
}

TEST(Executor, StopsAtAFault) {
  Manifest manifest = planOf(twoStep);
  FakeDevice device;
  device.fault = "kernel 'copy': trap";
  HostTensor input = iota(4);
  llvm::Expected<Execution> run =
      execute(manifest, manifest.functions[0], device, {input});
  ASSERT_TRUE(bool(run));
  EXPECT_EQ(run->fault, "kernel 'copy': trap");
  EXPECT_EQ(run->launches.size(), 1u);
  EXPECT_TRUE(run->results.empty());
}

TEST(CudaDevice, SaysWhyThereIsNone) {
  llvm::Expected<std::unique_ptr<Device>> device = createCudaDevice();
  if (device) {
    EXPECT_FALSE((*device)->name().empty());
    return;
  }
  std::string message = llvm::toString(device.takeError());
  EXPECT_NE(message.find("CUDA"), std::string::npos) << message;
}

} // namespace
