//===- TilingTreeTest.cpp - Tiling expressions ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/TilingTree.h"
#include "ParsedGroup.h"

using namespace fusion;
using namespace fusion::test;

namespace {

class TilingTreeTest : public ::testing::Test {
protected:
  TilingTreeTest() : group(chainIR({128, 128, 128, 128})) {}

  std::string deep(llvm::ArrayRef<const char *> loops,
                   std::vector<std::pair<const char *, int64_t>> tiles,
                   llvm::ArrayRef<const char *> blocks = {}) {
    llvm::SmallVector<unsigned> order, grid;
    for (const char *name : loops)
      order.push_back(group.axis(name));
    for (const char *name : blocks)
      grid.push_back(group.axis(name));
    llvm::SmallVector<int64_t> sizes(group.model().axes.size(), 32);
    for (auto [name, tile] : tiles)
      sizes[group.axis(name)] = tile;
    return printTiling(makeDeepTiling(group.model(), order, sizes, grid),
                       group.model());
  }
  std::string roundTrip(llvm::StringRef text) {
    auto tree = parseTiling(text, group.model(), [&](const llvm::Twine &why) {
      reason = why.str();
    });
    return tree ? printTiling(*tree, group.model()) : "refused";
  }

  ParsedGroup group;
  std::string reason;
};

TEST_F(TilingTreeTest, TextParsesBackToItself) {
  for (const char *text :
       {"mh(n(k(LA,LB,CC),LD,CE),SE)", "LA,LB,CC,LD,CE,SE",
        "m(LA,k(LB,CC),n(LD,CE),SE)", "mhnk(LA,LB,CC,LD,CE,SE)"})
    EXPECT_EQ(roundTrip(text), text);
}

TEST_F(TilingTreeTest, ParenthesesOfAChainOfLoopsMayBeLeftOut) {
  EXPECT_EQ(roundTrip("m(h(n(k(LA,LB,CC),LD,CE),SE))"),
            "mh(n(k(LA,LB,CC),LD,CE),SE)");
}

TEST_F(TilingTreeTest, MalformedTextSaysWhere) {
  std::pair<const char *, const char *> cases[] = {
      {"", "column 1: a loop or statement was expected"},
      {"m", "column 2: a loop or statement was expected"},
      {"q(LA)", "column 1: the group has no axis 'q'"},
      {"m(LQ)", "column 3: the group has no tensor 'Q'"},
      {"m(L", "column 3: the group has no tensor ''"},
      {"m(LA", "column 5: ')' was expected"},
      {"m(LA))", "column 6: unexpected ')'"},
      {"m(LA,)", "column 6: a loop or statement was expected"},
      {"m(XA)", "column 3: a loop or statement was expected"},
      {"m (LA)", "column 2: a loop or statement was expected"},
      {"m1(LA)", "column 1: the group has no axis 'm1'"}};
  for (auto [text, why] : cases) {
    EXPECT_EQ(roundTrip(text), "refused") << text;
    EXPECT_NE(reason.find(why), std::string::npos) << text << ": " << reason;
  }
}

TEST_F(TilingTreeTest, DepthIsBounded) {
  EXPECT_EQ(roundTrip(std::string(100000, 'm')), "refused");
  EXPECT_NE(reason.find("nested too deeply"), std::string::npos);
}

// MCFuser section III-B: the deep expression mhnk of a GEMM chain.
TEST_F(TilingTreeTest, StatementsOfThePapersExample) {
  EXPECT_EQ(deep({"m", "h", "n", "k"}, {}), "mh(n(k(LA,LB,CC),LD,CE),SE)");
}

// With k in one tile its loop is dead: the load of A then depends on m alone
// and is hoisted out of h and n, that of B to n.
TEST_F(TilingTreeTest, DeadLoopsAreLeftOutAndLoadsHoisted) {
  EXPECT_EQ(deep({"m", "h", "n", "k"}, {{"k", 128}}),
            "m(LA,h(n(LB,CC,LD,CE),SE))");
}

TEST_F(TilingTreeTest, NothingIsHoistedOutOfTheGrid) {
  EXPECT_EQ(deep({"m", "h", "n", "k"}, {{"k", 128}}, {"m", "h"}),
            "mh(LA,n(LB,CC,LD,CE),SE)");
  // An operand that is one tile.
  EXPECT_EQ(deep({"m", "h", "n", "k"}, {{"k", 128}, {"n", 128}, {"h", 128}},
                 {"m", "h"}),
            "m(LA,LB,CC,LD,CE,SE)");
  EXPECT_EQ(deep({"m", "h", "n", "k"}, {{"k", 128}, {"n", 128}, {"h", 128}}),
            "LB,LD,m(LA,CC,CE,SE)");
}

// A contraction whose reduction is inside of the loop that its consumer reduces
// is complete in each of its iterations; the result only after all.
TEST_F(TilingTreeTest, StoresFollowTheCompleteReduction) {
  EXPECT_EQ(deep({"m", "h", "n", "k"}, {{"n", 128}}),
            "mh(k(LA,LB,CC),LD,CE,SE)");
  EXPECT_EQ(deep({"m", "h", "n", "k"},
                 {{"m", 128}, {"n", 128}, {"h", 128}, {"k", 128}}),
            "LA,LB,CC,LD,CE,SE");
}

TEST_F(TilingTreeTest, TripCounts) {
  Axis axis{"m", 100, false};
  EXPECT_EQ(tripCount(axis, 32), 4);
  EXPECT_EQ(tripCount(axis, 100), 1);
  EXPECT_EQ(tripCount(axis, 128), 1);
  EXPECT_EQ(tripCount(axis, 1), 100);
}

} // namespace
