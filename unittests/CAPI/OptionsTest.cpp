//===- OptionsTest.cpp - Options of the C API -----------------------------===//
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

const std::string kModule = R"mlir(
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})mlir";

FusionText toText(const std::string &text) {
  return {text.data(), text.size()};
}

/// Gathers the messages of errors.
struct Errors {
  Errors() {
    callbacks.user = &text;
    callbacks.diagnose = [](const FusionDiagnostic *diagnostic, void *user) {
      if (diagnostic->severity == FusionError)
        static_cast<std::string *>(user)
            ->append(diagnostic->message.data, diagnostic->message.length)
            .append("\n");
    };
  }
  std::string text;
  FusionCallbacks callbacks{};
};

/// What is said where a compilation with these options fails.
std::string errorOf(const FusionCompileOptions &options) {
  Errors errors;
  FusionProgram *program =
      fusionCompile(toText(kModule), &options, &errors.callbacks);
  EXPECT_EQ(program, nullptr);
  if (program)
    fusionProgramDestroy(program);
  return errors.text;
}

std::string manifest() {
  FusionProgram *program = fusionCompile(toText(kModule), nullptr, nullptr);
  if (!program)
    return "";
  FusionText text = fusionProgramManifest(program);
  std::string result(text.data, text.length);
  fusionProgramDestroy(program);
  return result;
}

TEST(CAPIOptions, NoneAreTheDefaults) {
  std::string plan = manifest();
  EXPECT_NE(plan.find("\"chip\": \"sm_80\""), std::string::npos) << plan;
  Errors errors;
  FusionPlan *made = fusionPlanCreate(toText(plan), nullptr, &errors.callbacks);
  ASSERT_NE(made, nullptr) << errors.text;
  EXPECT_EQ(errors.text, "");
  fusionPlanDestroy(made);
}

TEST(CAPIOptions, ManifestsAreChecked) {
  EXPECT_EQ(fusionManifestCheck(toText(manifest()), nullptr), 0);
  Errors errors;
  const std::string empty = R"({"functions":[],"kernels":[]})";
  EXPECT_NE(fusionManifestCheck(toText(empty), &errors.callbacks), 0);
  EXPECT_NE(errors.text.find("version: expected"), std::string::npos)
      << errors.text;
}

TEST(CAPIOptions, KindsOfDevicesThatThereAreNot) {
  FusionRunOptions options{};
  options.device = static_cast<FusionDeviceKind>(3);
  Errors errors;
  EXPECT_EQ(fusionPlanCreate(toText(manifest()), &options, &errors.callbacks),
            nullptr);
  EXPECT_EQ(errors.text, "there is no kind of device 3\n");
}

TEST(CAPIOptions, NothingIsIgnoredBesideAPassPipeline) {
  const std::string pipeline = "builtin.module(fuse-to-nvvm{chip=sm_90a})",
                    chip = "sm_80";
  FusionCompileOptions options{};
  options.passPipeline = toText(pipeline);
  FusionProgram *program = fusionCompile(toText(kModule), &options, nullptr);
  ASSERT_NE(program, nullptr);
  fusionProgramDestroy(program);
  options.chip = toText(chip);
  EXPECT_NE(errorOf(options).find("'chip' beside it"), std::string::npos);
  options.chip = {"", 0};
  options.forceFusion = 1;
  EXPECT_NE(errorOf(options).find("'force fusion' beside it"),
            std::string::npos);
}

TEST(CAPIOptions, ErrorsSayWhatIsWrongWithAPipelinesOptions) {
  const std::string unknown = "builtin.module(fuse-to-nvvm{bogus=1})",
                    none = "builtin.module(fuse-to-groups{force-fusion=x})";
  FusionCompileOptions options{};
  options.passPipeline = toText(unknown);
  testing::internal::CaptureStderr();
  EXPECT_NE(errorOf(options).find("no such option bogus"), std::string::npos);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  options.passPipeline = toText(none);
  EXPECT_NE(errorOf(options).find("the options 'force-fusion=x' are not those "
                                  "of 'fuse-to-groups'"),
            std::string::npos);
}

} // namespace
