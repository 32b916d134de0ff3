//===- ExecutionFixture.h - Small kernels that store a result ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_EMULATOR_EXECUTIONFIXTURE_H
#define FUSION_UNITTESTS_EMULATOR_EXECUTIONFIXTURE_H

#include "Evaluate.h"

namespace fusion::emulator::test {

inline std::string module(const std::string &body,
                          const std::string &before = "") {
  return ".version 8.6\n.target sm_90\n.address_size 64\n" + before +
         "\n.visible .entry k(.param .u64 out)\n{\n"
         ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n"
         ".reg .b64 %d<16>;\nld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\n" +
         body + "\nret;\n}\n";
}

/// Stores %r31 of every thread.
const char *const storeResult = "mul.wide.u32 %d15, %r0, 4;\n"
                                "add.s64 %d15, %d0, %d15;\n"
                                "st.global.u32 [%d15], %r31;\n";

class Execution : public ::testing::Test {
protected:
  Memory memory;
  Array<uint32_t> out{memory, std::vector<uint32_t>(1024)};

  LaunchResult launch(const std::string &text, uint32_t threads,
                      const Options &options = {}, uint32_t shared = 0) {
    auto program = parse(text);
    if (!program)
      return {};
    Launch launch = makeLaunch("k", {1, 1, 1}, {threads, 1, 1}, out);
    launch.dynamicSharedMemory = shared;
    return run(*program, launch, memory, options);
  }
  LaunchResult good(const std::string &text, uint32_t threads,
                    const Options &options = {}, uint32_t shared = 0) {
    LaunchResult result = launch(text, threads, options, shared);
    EXPECT_FALSE(result.error)
        << result.error->line << ": " << result.error->message;
    out.fetch();
    return result;
  }
  void bad(const std::string &text, uint32_t threads, const std::string &part,
           const Options &options = {}) {
    LaunchResult result = launch(text, threads, options);
    ASSERT_TRUE(result.error);
    EXPECT_NE(result.error->message.find(part), std::string::npos)
        << result.error->message;
    EXPECT_NE(result.error->line, 0u);
  }
  static Options sanitized() {
    Options options;
    options.sanitize = true;
    return options;
  }
};

} // namespace fusion::emulator::test

#endif // FUSION_UNITTESTS_EMULATOR_EXECUTIONFIXTURE_H
