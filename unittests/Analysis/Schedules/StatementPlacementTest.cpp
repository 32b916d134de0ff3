//===- StatementPlacementTest.cpp - Statements in deep and flat nests -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/ChainModel.h"
#include "fusion/Analysis/Schedules/TilingTree.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

class StatementPlacement : public ::testing::Test {
protected:
  /// The tree of an expression whose axes have four tiles each, but for `dead`.
  std::string place(llvm::StringRef expression, llvm::StringRef dead = "",
                    llvm::StringRef blocks = "", bool removeDeadLoops = true) {
    auto loops = parseLoops(expression, group, [](const llvm::Twine &why) {
      ADD_FAILURE() << why.str();
    });
    EXPECT_TRUE(loops);
    EXPECT_EQ(printTiling(*loops, group), expression);
    llvm::SmallVector<int64_t> tiles(group.axes.size(), 32);
    for (char name : dead)
      tiles[*group.findAxis(llvm::StringRef(&name, 1))] = 128;
    llvm::SmallVector<unsigned> grid;
    for (char name : blocks)
      grid.push_back(*group.findAxis(llvm::StringRef(&name, 1)));
    return printTiling(
        placeStatements(group, *loops, tiles, grid, removeDeadLoops), group);
  }
  GroupModel group = makeChainModel({{128, 128, 128, 128}});
};

TEST_F(StatementPlacement, FlatExpressions) {
  EXPECT_EQ(place("mn(k,h)"), "m(n(k(LA,LB,CC),h(LD,CE)),h(SE))");
  // E is complete after n, the outermost loop: its tiles of all m and h are
  // kept.
  EXPECT_EQ(place("nm(k,h)"), "nm(k(LA,LB,CC),h(LD,CE)),mh(SE)");
}

TEST_F(StatementPlacement, DeadLoopsOfFlatExpressions) {
  EXPECT_EQ(place("mn(k,h)", "k"), "m(LA,n(LB,CC,h(LD,CE)),h(SE))");
  EXPECT_EQ(place("mn(k,h)", "h"), "m(n(k(LA,LB,CC),LD,CE),SE)");
  EXPECT_EQ(place("mn(k,h)", "n"), "m(k(LA,LB,CC),h(LD,CE,SE))");
  EXPECT_EQ(place("mn(k,h)", "mnkh"), "LA,LB,CC,LD,CE,SE");
}

// A result that is summed up over n outside of h is stored after n, tile by
// tile.
TEST_F(StatementPlacement, StoresOfSeveralTilesOpenTheirLoopsAgain) {
  EXPECT_EQ(place("mnhk", "", "m"), "m(nh(k(LA,LB,CC),LD,CE),h(SE))");
}

// C is complete after k only; its consumer has another loop over its tiles. A
// loop of the consumer inside of k would add up C once for each iteration.
TEST_F(StatementPlacement, ReductionsOutsideOfSpatialLoopsKeepAllTiles) {
  EXPECT_EQ(place("mhkn"), "mh(k(LA,n(LB,CC)),n(LD,CE),SE)");
  EXPECT_EQ(place("mkhn", "", "m"), "m(k(LA,n(LB,CC)),h(n(LD,CE),SE))");
  EXPECT_EQ(place("mkhn", "k", "m"), "m(LA,h(n(LB,CC,LD,CE),SE))");
}

// The loop of the consumer inside of the producer's reduction is its sibling.
TEST_F(StatementPlacement, ConsumersFollowTheReduction) {
  EXPECT_EQ(place("mnkh"), place("mn(k,h)"));
}

// The example of MCFuser section III-B without the removal: A is loaded in the
// loops h and n, in which it does not change, because of a loop of one
// iteration.
TEST_F(StatementPlacement, DeadLoopsMayBeKept) {
  EXPECT_EQ(place("mhnk", "k", "", false), "mh(n(k(LA,LB,CC),LD,CE),SE)");
  EXPECT_EQ(place("mhnk", "k"), "m(LA,h(n(LB,CC,LD,CE),SE))");
}

TEST_F(StatementPlacement, LongerChains) {
  group = makeChainModel({{128, 128, 128, 128, 128}});
  EXPECT_EQ(place("mphnk", "", "mp"), "mp(h(n(k(LA,LB,CC),LD,CE),LF,CG),SG)");
  // The first two contractions in one nest, the third beside it.
  EXPECT_EQ(place("mh(nk,p)", "", "m"),
            "m(h(n(k(LA,LB,CC),LD,CE),p(LF,CG)),p(SG))");
  EXPECT_EQ(place("mhn(k,p)", "", "m"),
            "m(h(n(k(LA,LB,CC),LD,CE),p(LF,CG)),p(SG))");
  // p encloses nothing of the first two contractions, so they are not repeated
  // in it.
  EXPECT_EQ(place("mhnpk", "", "m"),
            "m(h(n(k(LA,LB,CC),LD,CE),p(LF,CG)),p(SG))");
}

// The element-wise operators after a contraction read their inputs when it is
// complete: beside the loop k.
TEST_F(StatementPlacement, InputsOfElementwiseOperators) {
  GroupTensor bias = group.tensors[*group.findTensor("B")];
  bias.name = "F";
  bias.role = TensorRole::Extra;
  bias.axes = {*group.findAxis("n")};
  group.tensors.push_back(bias);
  EXPECT_EQ(place("mhnk"), "mh(n(k(LA,LB,CC),LF,LD,CE),SE)");
  EXPECT_EQ(place("mhkn"), "mh(k(LA,n(LB,CC)),n(LF,LD,CE),SE)");
}

// They are not loaded again in loops in which they do not change.
TEST_F(StatementPlacement, InputsOfElementwiseOperatorsAreHoisted) {
  GroupTensor bias = group.tensors[*group.findTensor("B")];
  bias.name = "F";
  bias.role = TensorRole::Extra;
  bias.axes = {*group.findAxis("n")};
  group.tensors.push_back(bias);
  EXPECT_EQ(place("mnhk", "", "m"), "m(n(LF,h(k(LA,LB,CC),LD,CE)),h(SE))");
  group.tensors.back().axes = {*group.findAxis("m")};
  EXPECT_EQ(place("mhnk", "", "mh"), "mh(LF,n(k(LA,LB,CC),LD,CE),SE)");
  EXPECT_EQ(place("mhkn", "", "mh"), "mh(LF,k(LA,n(LB,CC)),n(LD,CE),SE)");
}

TEST_F(StatementPlacement, LoopsWithoutStatementsAreParsedAndPrinted) {
  std::string reason;
  auto parse = [&](llvm::StringRef text) {
    auto loops = parseLoops(
        text, group, [&](const llvm::Twine &why) { reason = why.str(); });
    return loops ? printTiling(*loops, group) : "refused: " + reason;
  };
  for (const char *text : {"", "nk", "n(k,h)", "mn(k,h)", "k,h"})
    EXPECT_EQ(parse(text), text);
  EXPECT_EQ(parse("m(n(k))"), "mnk");
  EXPECT_EQ(
      parse("mn(k,LA)"),
      "refused: tiling expression 'mn(k,LA)', column 6: a loop was expected");
  EXPECT_EQ(parse("mn(k,"),
            "refused: tiling expression 'mn(k,', column 6: a loop "
            "or statement was expected");
}

TEST_F(StatementPlacement, StatementsAreListedWithTheirLoops) {
  auto loops = parseLoops("mn(k,h)", group, [](const llvm::Twine &) {});
  llvm::SmallVector<int64_t> tiles(4, 32);
  std::string text;
  for (const TilingStatement &statement :
       listStatements(placeStatements(group, *loops, tiles))) {
    for (unsigned axis : statement.loops)
      text += group.axes[axis].name;
    text += group.tensors[statement.tensor].name + " ";
  }
  EXPECT_EQ(text, "mnkA mnkB mnkC mnhD mnhE mhE ");
}

} // namespace
