//===- SanitizerScopesTest.cpp - Findings about scopes --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strong accesses race where the scope of one leaves the other's thread out.
//
//===----------------------------------------------------------------------===//

#include "AsyncSanitizers.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

/// Runs `first` in block 0 and `second` in block 1.
std::string byBlock(const std::string &first, const std::string &second) {
  return "setp.ne.u32 %q4, %c, 0;\n@%q4 bra OTHER;\n" + first +
         "bra END;\nOTHER:\n" + second + "END:\n";
}

std::string add(const std::string &scope) {
  return "atom.relaxed." + scope + ".global.add.u32 %r5, [%p0], 1;\n";
}

const List kNothing, kGlobal{"global-race"}, kShared{"shared-race"};

TEST_F(AsyncSanitizers, StrongAccessesOfOtherBlocksNeedTheirScope) {
  EXPECT_EQ(kinds(add("gpu")), kNothing);
  EXPECT_EQ(kinds(add("cta")), kGlobal);
  EXPECT_EQ(kinds(byBlock(add("cta"), add("gpu"))), kGlobal);
  EXPECT_EQ(kinds(byBlock(add("gpu"), add("cta"))), kGlobal);
  EXPECT_EQ(kinds("red.relaxed.cta.global.add.u32 [%p0], 1;\n"), kGlobal);
  std::string store = "st.relaxed.cta.global.u32 [%p0], 1;\n",
              load = "ld.relaxed.cta.global.u32 %r5, [%p0];\n";
  EXPECT_EQ(kinds(byBlock(store, load)), kGlobal);
  EXPECT_EQ(kinds(byBlock(load, store)), kGlobal);
  EXPECT_EQ(kinds(load), kNothing);
  // Threads of a block have every scope; so has a word of a block's own.
  EXPECT_EQ(kinds(byBlock(add("cta"), "")), kNothing);
  EXPECT_EQ(kinds("mul.wide.u32 %d0, %c, 4;\nadd.s64 %d0, %d0, %p0;\n"
                  "atom.relaxed.cta.global.add.u32 %r5, [%d0], 1;\n"),
            kNothing);
  LaunchResult result = launch(byBlock(store, load));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_NE(result.findings[0].message.find("scope .cta"), std::string::npos);
  EXPECT_GT(result.findings[0].otherLine, 0u);
}

TEST_F(AsyncSanitizers, ScopesOfClusters) {
  EXPECT_EQ(kinds(add("cluster"), 64, 2), kNothing);
  EXPECT_EQ(kinds(add("cluster"), 64, 1), kGlobal);
  EXPECT_EQ(kinds(add("cta"), 64, 2), kGlobal);
  // Shared memory of another block.
  auto atomics = [](const std::string &scope) {
    return "mov.u32 %r4, 0;\nmapa.shared::cluster.u32 %r3, %s, %r4;\n"
           "@!%q0 st.shared.u32 [%s], 0;\n" +
           kCluster + "atom.relaxed." + scope +
           ".shared::cluster.add.u32 %r5, [%r3], 1;\n" + kCluster;
  };
  EXPECT_EQ(kinds(atomics("cluster"), 64, 2), kNothing);
  EXPECT_EQ(kinds(atomics("cta"), 64, 2), kShared);
}

TEST_F(AsyncSanitizers, ScopesOfPartsOfWords) {
  auto stores = [](int offset) {
    return byBlock("st.relaxed.cta.global.u8 [%p0], 1;\n",
                   "st.relaxed.cta.global.u8 [%p0+" + std::to_string(offset) +
                       "], 1;\n");
  };
  EXPECT_EQ(kinds(stores(0), 1), kGlobal);
  EXPECT_EQ(kinds(stores(1), 1), kNothing);
  EXPECT_EQ(kinds(byBlock("st.relaxed.cta.global.u64 [%p0], 1;\n",
                          "st.relaxed.cta.global.u32 [%p0+4], 1;\n"),
                  1),
            kGlobal);
}

TEST_F(AsyncSanitizers, ScopesAndOrder) {
  auto through = [](const std::string &raise, const std::string &look,
                    const std::string &access) {
    return byBlock("@!%q0 st." + access +
                       "global.u32 [%p0], 1;\n@!%q0 fence.acq_rel.gpu;\n"
                       "@!%q0 st.relaxed." +
                       raise + ".global.u32 [%p0+512], 1;\n",
                   "@%q0 bra END;\nAGAIN: ld.relaxed." + look +
                       ".global.u32 %r5, [%p0+512];\nsetp.eq.u32 %q5, %r5, "
                       "0;\n@%q5 bra AGAIN;\nfence.acq_rel.gpu;\n"
                       "ld." +
                       access + "global.u32 %r6, [%p0];\n");
  };
  EXPECT_EQ(kinds(through("gpu", "gpu", "relaxed.cta.")), kNothing);
  EXPECT_EQ(kinds(through("gpu", "gpu", "")), kNothing);
  // Neither a flag nor a look of scope .cta orders blocks, whatever the fences:
  // the flag and what it is about are two findings.
  for (auto [raise, look] : {std::pair("cta", "gpu"), std::pair("gpu", "cta")})
    EXPECT_EQ(launch(through(raise, look, "")).findings.size(), 2u);
}

} // namespace
