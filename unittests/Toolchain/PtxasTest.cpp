//===- PtxasTest.cpp - NVIDIA's PTX assembler -----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Toolchain/Ptxas.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

TEST(Ptxas, AssemblesAndReportsErrors) {
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas)
    GTEST_SKIP() << "there is no ptxas on PATH, under CUDA_HOME or from PyPI";
  auto cubin = assemblePtx(*ptxas,
                           ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry k() { ret; }\n",
                           "sm_90");
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_EQ(llvm::StringRef(cubin->data(), 4), "\x7f"
                                               "ELF");
  auto broken =
      assemblePtx(*ptxas, ".version 8.0\n.target sm_80\nfoo;\n", "sm_80");
  ASSERT_FALSE(bool(broken));
  std::string message = llvm::toString(broken.takeError());
  EXPECT_NE(message.find("line 3"), std::string::npos) << message;
}

TEST(Ptxas, MissingProgram) {
  auto cubin = assemblePtx("/nonexistent/ptxas", "", "sm_80");
  ASSERT_FALSE(bool(cubin));
  EXPECT_NE(llvm::toString(cubin.takeError()).find("/nonexistent/ptxas: "),
            std::string::npos);
}

} // namespace
