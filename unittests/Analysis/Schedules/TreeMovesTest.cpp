//===- TreeMovesTest.cpp - Statements moved to loops of their own ---------===//
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

class TreeMoves : public ::testing::Test {
protected:
  TilingTree parse(llvm::StringRef text) {
    auto tree = parseTiling(text, group, [](const llvm::Twine &why) {
      ADD_FAILURE() << why.str();
    });
    return *tree;
  }
  std::string print(const std::optional<TilingTree> &tree) {
    return tree ? printTiling(*tree, group) : "none";
  }
  std::string hoist(llvm::StringRef text, llvm::StringRef tensor,
                    unsigned levels) {
    return print(hoistLoad(group, parse(text), *group.findTensor(tensor),
                           levels, {*group.findAxis("m")}));
  }
  std::string keep(llvm::StringRef text, unsigned contraction,
                   unsigned levels) {
    return print(retainIntermediate(group, parse(text), contraction, levels,
                                    {*group.findAxis("m")}));
  }
  GroupModel group = makeChainModel({{128, 128, 128, 128}});
};

constexpr const char *kNest = "m(h(n(k(LA,LB,CC),LD,CE),SE))";

TEST_F(TreeMoves, Loads) {
  EXPECT_EQ(hoist(kNest, "A", 1), "mh(n(k(LA),k(LB,CC),LD,CE),SE)");
  EXPECT_EQ(hoist(kNest, "A", 2), "mh(k(LA),n(k(LB,CC),LD,CE),SE)");
  EXPECT_EQ(hoist(kNest, "A", 3), "m(k(LA),h(n(k(LB,CC),LD,CE),SE))");
  EXPECT_EQ(hoist(kNest, "A", 4), "none");
  EXPECT_EQ(hoist(kNest, "A", 0), "none");
  EXPECT_EQ(hoist(kNest, "B", 2), "mh(nk(LB),n(k(LA,CC),LD,CE),SE)");
  EXPECT_EQ(hoist(kNest, "D", 2), "m(hn(LD),h(n(k(LA,LB,CC),CE),SE))");
  // Statements beside the loops are not moved.
  EXPECT_EQ(hoist("m(k(LA),h(n(k(LB,CC),LD,CE),SE))", "B", 3),
            "m(k(LA),nk(LB),h(n(k(CC),LD,CE),SE))");
  // Nothing is left of loops in which nothing else stands.
  EXPECT_EQ(hoist("mh(k(LA),n(k(LB,CC),LD,CE),SE)", "A", 2),
            "m(k(LA),h(n(k(LB,CC),LD,CE),SE))");
}

TEST_F(TreeMoves, Intermediates) {
  EXPECT_EQ(keep(kNest, 0, 1), "mh(nk(LA,LB,CC),n(LD,CE),SE)");
  EXPECT_EQ(keep(kNest, 0, 2), "m(nk(LA,LB,CC),h(n(LD,CE),SE))");
  EXPECT_EQ(keep(kNest, 0, 3), "none");
  EXPECT_EQ(keep(kNest, 1, 1), "none");
  EXPECT_EQ(keep("m(h(n(LA,k(LB,CC),LD,CE),SE))", 0, 2),
            "m(n(LA,k(LB,CC)),h(n(LD,CE),SE))");
}

TEST_F(TreeMoves, IntermediatesOfLongerChains) {
  group = makeChainModel({{128, 128, 128, 128, 128}});
  constexpr const char *nest = "m(p(h(n(k(LA,LB,CC),LD,CE),LF,CG),SG))";
  EXPECT_EQ(keep(nest, 1, 2), "m(hn(k(LA,LB,CC),LD,CE),p(h(LF,CG),SG))");
  EXPECT_EQ(keep(nest, 0, 2), "mp(nk(LA,LB,CC),h(n(LD,CE),LF,CG),SG)");
  EXPECT_EQ(keep(nest, 0, 3), "m(nk(LA,LB,CC),p(h(n(LD,CE),LF,CG),SG))");
}

} // namespace
