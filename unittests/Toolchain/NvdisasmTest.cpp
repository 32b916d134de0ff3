//===- NvdisasmTest.cpp - Tests of listings -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Toolchain/Nvdisasm.h"
#include "fusion/Toolchain/Ptxas.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

TEST(Nvdisasm, ListsInstructionsWithLines) {
  std::optional<std::string> ptxas = findPtxas();
  std::optional<std::string> nvdisasm = findNvidiaTool("nvdisasm");
  if (!ptxas || !nvdisasm)
    GTEST_SKIP() << "there is no ptxas or nvdisasm on PATH, under CUDA_HOME or "
                    "from PyPI";
  auto cubin = assemblePtx(*ptxas,
                           ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry k() {\n  bar.sync 0;\n  ret;\n}\n",
                           "sm_80", PtxLines::With);
  ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
  auto listing = disassembleCubin(*nvdisasm, *cubin);
  ASSERT_TRUE(bool(listing)) << llvm::toString(listing.takeError());
  EXPECT_NE(listing->find("BAR.SYNC"), std::string::npos) << *listing;
  EXPECT_NE(listing->find("line 5"), std::string::npos) << *listing;
  auto broken = disassembleCubin(*nvdisasm, llvm::ArrayRef<char>("no cubin"));
  EXPECT_FALSE(bool(broken));
  llvm::consumeError(broken.takeError());
}

} // namespace
