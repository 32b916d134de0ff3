//===- DeviceCallTest.cpp - Calls on tensors of the device ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/DeviceCall.h"
#include "FakeDevice.h"

using namespace fusion;

namespace {

/// A plan on the fake device, with its constants there.
struct Prepared {
  explicit Prepared(Manifest plan) : manifest(std::move(plan)) {
    constants = llvm::cantFail(DeviceConstants::create(manifest, device));
  }

  std::unique_ptr<DeviceCall> call(std::vector<CallInput> inputs) {
    auto call = DeviceCall::prepare(manifest, manifest.functions[0], device,
                                    *constants, std::move(inputs));
    if (call)
      return std::move(*call);
    problem = llvm::toString(call.takeError());
    return nullptr;
  }

  DeviceAddress allocate(size_t bytes) {
    return llvm::cantFail(device.allocate(bytes, 256));
  }

  Manifest manifest;
  FakeDevice device;
  std::unique_ptr<DeviceConstants> constants;
  std::string problem;
};

CallInput vectorOf(int64_t size) { return {ElementType::I32, {size}, {}}; }

TEST(DeviceCall, RunsInTheCallersMemory) {
  Prepared plan(planOf(twoStep));
  std::unique_ptr<DeviceCall> call = plan.call({vectorOf(70)});
  ASSERT_TRUE(call) << plan.problem;
  ASSERT_EQ(call->results(), 3u);
  EXPECT_EQ(call->resultBytes(0), 280);
  EXPECT_EQ(call->resultShape(1), llvm::ArrayRef<int64_t>(69));
  EXPECT_EQ(elementToInteger(ElementType::Index, call->resultValue(2).data()),
            138);
  EXPECT_TRUE(call->resultValue(0).empty());
  // temp1 up to 512, temp0 at 256.
  EXPECT_EQ(call->workspaceBytes(), 256 + 280);

  HostTensor input = iota(70);
  DeviceAddress argument = plan.allocate(280), copy = plan.allocate(280),
                piece = plan.allocate(276), workspace = plan.allocate(536);
  llvm::cantFail(plan.device.write(argument, input.data.data(), 280));
  size_t before = plan.device.memory.size();
  int stream = 0;
  llvm::Error error =
      call->start({argument}, {copy, piece, 0}, workspace, &stream);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(plan.device.memory.size(), before) << "nothing is allocated";
  EXPECT_EQ(std::memcmp(plan.device.at(copy, 280), input.data.data(), 280), 0);
  // An alias is copied, behind the launches.
  EXPECT_EQ(std::memcmp(plan.device.at(piece, 276), input.at(1), 276), 0);
  EXPECT_EQ(plan.device.streams, std::vector<DeviceStream>(3, &stream));
  EXPECT_EQ(FakeDevice::word<uint64_t>(plan.device.launches[0], 1),
            workspace + 256);

  // Again, on other tensors.
  DeviceAddress other = plan.allocate(280);
  llvm::cantFail(
      call->start({argument}, {other, piece, 0}, workspace, nullptr));
  EXPECT_EQ(std::memcmp(plan.device.at(other, 280), input.data.data(), 280), 0);
}

TEST(DeviceCall, TemporariesThatStandAloneAreInTheWorkspace) {
  Prepared plan(planOf(R"json(
      "inputs": [{"type": "i32", "shape": [4]}], "results": [],
      "temporaries": [{"bytes": 100, "offset": 0}, {"bytes": 16, "alignment": 512}],
      "launches": [{"kernel": "copy", "grid": [1, 1, 1],
        "arguments": [{"of": "arg0"}, {"of": "temp1"}, {"of": 16}]}])json"));
  std::unique_ptr<DeviceCall> call = plan.call({vectorOf(4)});
  ASSERT_TRUE(call) << plan.problem;
  EXPECT_EQ(call->workspaceBytes(), 512 + 16 + 256);
  DeviceAddress argument = plan.allocate(16),
                workspace = plan.allocate(call->workspaceBytes());
  llvm::cantFail(call->start({argument}, {}, workspace, nullptr));
  uint64_t temporary = FakeDevice::word<uint64_t>(plan.device.launches[0], 1);
  EXPECT_EQ(temporary % 512, 0u);
  EXPECT_GE(temporary, workspace + 512);
  EXPECT_LE(temporary + 16, workspace + call->workspaceBytes());
}

TEST(DeviceCall, Errors) {
  Prepared plan(planOf(twoStep));
  EXPECT_FALSE(plan.call({}));
  EXPECT_EQ(plan.problem, "function 'f': takes 1 inputs, got 0");
  EXPECT_FALSE(plan.call({{ElementType::F32, {4}, {}}}));
  EXPECT_EQ(plan.problem,
            "function 'f': input 0 is f32 4, the plan expects i32 ?");
  EXPECT_FALSE(plan.call({vectorOf(-1)}));

  std::unique_ptr<DeviceCall> call = plan.call({vectorOf(8)});
  ASSERT_TRUE(call) << plan.problem;
  DeviceAddress argument = plan.allocate(64), result = plan.allocate(32),
                piece = plan.allocate(28), workspace = plan.allocate(1024);
  auto start = [&](DeviceAddress input, DeviceAddress workspace) {
    return llvm::toString(
        call->start({input}, {result, piece, 0}, workspace, nullptr));
  };
  EXPECT_NE(start(argument + 2, workspace).find("not a multiple of 4 bytes"),
            std::string::npos);
  EXPECT_EQ(start(argument, workspace + 16),
            "function 'f': the workspace is not aligned to 256 bytes");
  EXPECT_TRUE(plan.device.launches.empty());
  plan.device.fault = "trap";
  EXPECT_EQ(start(argument, workspace), "trap");
}

} // namespace
