//===- CpuTest.cpp - The machine's CPU through the C API ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion-c/Fusion.h"
#include <gtest/gtest.h>
#include <string>

namespace {

/// Doubles 64 numbers, 8 in each block.
const std::string kModule = R"mlir(
module attributes {fuse.chip = #fuse.chip<"host">} {
  module @kernels attributes {fuse.native} {
    llvm.func @double(%arguments: !llvm.ptr, %first: i64, %end: i64, %scratch: !llvm.ptr) {
      %one = arith.constant 1 : i64
      %from = llvm.load %arguments : !llvm.ptr -> !llvm.ptr
      %slot = llvm.getelementptr %arguments[1] : (!llvm.ptr) -> !llvm.ptr, i64
      %to = llvm.load %slot : !llvm.ptr -> !llvm.ptr
      scf.for %block = %first to %end step %one : i64 {
        %in = llvm.getelementptr %from[%block] : (!llvm.ptr, i64) -> !llvm.ptr, vector<8xf32>
        %out = llvm.getelementptr %to[%block] : (!llvm.ptr, i64) -> !llvm.ptr, vector<8xf32>
        %x = llvm.load %in {alignment = 16} : !llvm.ptr -> vector<8xf32>
        %y = arith.addf %x, %x : vector<8xf32>
        llvm.store %y, %out {alignment = 16} : vector<8xf32>, !llvm.ptr
      }
      llvm.return
    }
  }
  func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
    %blocks = arith.constant 8 : index
    %e = tensor.empty() : tensor<64xf32>
    %0 = tile.launch @kernels::@double grid(%blocks) ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    return %0 : tensor<64xf32>
  }
}
)mlir";

FusionText toText(const std::string &text) {
  return {text.data(), text.size()};
}

struct Cpu : testing::Test {
  Cpu() {
    callbacks.user = &errors;
    callbacks.diagnose = [](const FusionDiagnostic *diagnostic, void *user) {
      static_cast<std::string *>(user)->append(diagnostic->message.data,
                                               diagnostic->message.length);
    };
    const std::string pipeline = "builtin.module(tile-to-native)";
    FusionCompileOptions options{};
    options.passPipeline = toText(pipeline);
    program = fusionCompile(toText(kModule), &options, &callbacks);
    run.device = FusionCpu;
    run.threads = 2;
  }
  ~Cpu() override {
    if (program)
      fusionProgramDestroy(program);
  }

  FusionPlan *plan() {
    return fusionPlanCreate(fusionProgramManifest(program), &run, &callbacks);
  }

  std::string errors;
  FusionCallbacks callbacks{};
  FusionProgram *program;
  FusionRunOptions run{};
};

TEST_F(Cpu, ProgramsHaveAnObject) {
  ASSERT_TRUE(program) << errors;
  FusionText object = fusionProgramObject(program);
  EXPECT_EQ(std::string(object.data, 4), "\177ELF");
  EXPECT_EQ(fusionProgramPTX(program).length, 0u);
}

// Inputs and results are the caller's memory.
TEST_F(Cpu, CallsInPlace) {
  ASSERT_TRUE(program) << errors;
  FusionPlan *plan = this->plan();
  ASSERT_TRUE(plan) << errors;
  alignas(16) float input[64], output[64];
  for (int i = 0; i < 64; ++i)
    input[i] = i;
  const std::string function = "main", type = "f32";
  const int64_t shape = 64;
  FusionTensor tensor{toText(type), 1, &shape, input};
  FusionCall *call =
      fusionCallPrepare(plan, toText(function), &tensor, 1, &callbacks);
  ASSERT_TRUE(call) << errors;
  EXPECT_EQ(fusionCallWorkspaceBytes(call), 0u);
  auto from = reinterpret_cast<uint64_t>(input);
  auto to = reinterpret_cast<uint64_t>(output);
  EXPECT_EQ(fusionCallStart(call, &from, &to, 0, nullptr, &callbacks), 0)
      << errors;
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(output[i], 2 * i);
  from += sizeof(float);
  EXPECT_NE(fusionCallStart(call, &from, &to, 0, nullptr, &callbacks), 0);
  EXPECT_NE(errors.find("is not a multiple of 16"), std::string::npos);
  fusionCallDestroy(call);
  fusionPlanDestroy(plan);
}

TEST_F(Cpu, RunsOnCopies) {
  ASSERT_TRUE(program) << errors;
  FusionPlan *plan = this->plan();
  ASSERT_TRUE(plan) << errors;
  float input[64] = {1, 2, 3};
  const std::string function = "main", type = "f32";
  const int64_t shape = 64;
  FusionTensor tensor{toText(type), 1, &shape, input};
  FusionRun *done =
      fusionPlanRun(plan, toText(function), &tensor, 1, &callbacks);
  ASSERT_TRUE(done) << errors;
  EXPECT_EQ(static_cast<float *>(fusionRunResult(done, 0).data)[2], 6);
  fusionRunDestroy(done);
  fusionPlanDestroy(plan);
}

TEST_F(Cpu, OtherDevicesRefuseItsCode) {
  ASSERT_TRUE(program) << errors;
  run.device = FusionEmulator;
  EXPECT_EQ(plan(), nullptr);
  EXPECT_EQ(errors, "the emulator executes PTX; the kernels are machine code "
                    "for 'host'");
}

TEST(Chips, TheLastOneIsTheMachine) {
  size_t count = 0;
  std::string last;
  for (FusionText name; (name = fusionChipName(count)).length; ++count)
    last.assign(name.data, name.length);
  EXPECT_EQ(last, "host");
  EXPECT_EQ(fusionChipIsCpu(toText(last)), 1);
  const std::string gpu = "sm_80", none = "sm_1";
  EXPECT_EQ(fusionChipIsCpu(toText(gpu)), 0);
  EXPECT_EQ(fusionChipIsCpu(toText(none)), 0);
  EXPECT_NE(fusionHostCpu().length, 0u);
}

} // namespace
