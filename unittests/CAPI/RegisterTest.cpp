//===- RegisterTest.cpp - Passes in a context of MLIR's C API -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion-c/MLIR.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"
#include <gtest/gtest.h>
#include <string>

namespace {

const char kChain[] = R"mlir(
func.func @chain(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %d: tensor<64x32xf16>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = arith.truncf %c : tensor<64x64xf32> to tensor<64x64xf16>
  %g = tensor.empty() : tensor<64x32xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<64x32xf32>) -> tensor<64x32xf32>
  %r = linalg.matmul ins(%t, %d : tensor<64x64xf16>, tensor<64x32xf16>) outs(%h : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
})mlir";

void append(MlirStringRef text, void *to) {
  static_cast<std::string *>(to)->append(text.data, text.length);
}

class RegisterTest : public ::testing::Test {
protected:
  void SetUp() override {
    MlirDialectRegistry registry = mlirDialectRegistryCreate();
    fusionRegisterDialects(registry);
    context = mlirContextCreateWithRegistry(registry, /*threading=*/false);
    mlirDialectRegistryDestroy(registry);
    fusionRegisterPasses();
    fusionRegisterPasses(); // once more changes nothing
    mlirContextAttachDiagnosticHandler(
        context,
        [](MlirDiagnostic diagnostic, void *to) {
          mlirDiagnosticPrint(diagnostic, append, to);
          return mlirLogicalResultSuccess();
        },
        &messages, /*deleteUserData=*/nullptr);
  }
  void TearDown() override { mlirContextDestroy(context); }

  /// The module behind the pipeline; empty where it fails.
  std::string run(const char *pipeline) {
    MlirModule module =
        mlirModuleCreateParse(context, mlirStringRefCreateFromCString(kChain));
    EXPECT_FALSE(mlirModuleIsNull(module)) << messages;
    MlirPassManager manager = mlirPassManagerCreate(context);
    std::string text;
    if (mlirLogicalResultIsSuccess(mlirParsePassPipeline(
            mlirPassManagerGetAsOpPassManager(manager),
            mlirStringRefCreateFromCString(pipeline), append, &messages)) &&
        mlirLogicalResultIsSuccess(
            mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module))))
      mlirOperationPrint(mlirModuleGetOperation(module), append, &text);
    mlirPassManagerDestroy(manager);
    mlirModuleDestroy(module);
    return text;
  }

  MlirContext context;
  std::string messages;
};

TEST_F(RegisterTest, PipelinesRunInTheCallersContext) {
  std::string lowered = run("builtin.module(fuse-to-nvvm{chip=sm_90a})");
  EXPECT_NE(lowered.find("gpu.module"), std::string::npos) << messages;
  EXPECT_NE(lowered.find("llvm.func"), std::string::npos);
  EXPECT_EQ(lowered.find("linalg.matmul"), std::string::npos);
  EXPECT_EQ(messages, "");
}

TEST_F(RegisterTest, PassesRunOneByOne) {
  std::string grouped = run("builtin.module(fuse-to-unscheduled-groups{chip="
                            "sm_80 force-fusion=true},fuse-search-schedules)");
  EXPECT_NE(grouped.find("fuse.chain"), std::string::npos) << messages;
  EXPECT_NE(grouped.find("#fuse.schedule"), std::string::npos);
}

TEST_F(RegisterTest, WrongOptionsAreDiagnosed) {
  EXPECT_EQ(run("builtin.module(fuse-to-nvvm{chip=sm_1})"), "");
  EXPECT_NE(messages.find("unknown chip 'sm_1'"), std::string::npos)
      << messages;
}

} // namespace
