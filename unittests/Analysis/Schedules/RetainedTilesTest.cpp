//===- RetainedTilesTest.cpp - Tiles that live beyond one iteration -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/ChainModel.h"
#include "fusion/Analysis/Schedules/RetainedTiles.h"
#include "fusion/Search/Space/TilingExpressions.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

/// Axes in tiles of 32: n has 2, k 3, h 4, p 5 of them, m is bound to the grid.
class RetainedTilesOfChains : public ::testing::Test {
protected:
  explicit RetainedTilesOfChains(llvm::ArrayRef<int64_t> sizes = {64, 96, 64, 128}) {
    ChainShape shape;
    shape.sizes.assign(sizes.begin(), sizes.end());
    group = makeChainModel(shape);
  }

  void addBias(llvm::StringRef name, unsigned contraction,
               llvm::ArrayRef<const char *> axes) {
    GroupTensor bias = group.tensors.front();
    bias.name = name.str();
    bias.role = TensorRole::Extra;
    bias.contraction = contraction;
    bias.axes.clear();
    for (const char *axis : axes)
      bias.axes.push_back(*group.findAxis(axis));
    group.tensors.push_back(bias);
  }

  Schedule schedule(TilingTree tree) {
    Schedule result;
    result.tree = std::move(tree);
    result.tiles.assign(group.axes.size(), 32);
    result.blocks = {*group.findAxis("m")};
    result.places.resize(group.tensors.size());
    return result;
  }

  /// The retained tiles, as accumulators "C+nh" and values "C:n", or the reason
  /// why not.
  std::string analyze(const Schedule &scheduled) {
    RetainedTiles retained;
    if (auto reason = analyzeRetainedTiles(group, scheduled, retained))
      return *reason;
    std::string text;
    auto add = [&](const std::string &name, char sign, const TileSlots &slots) {
      if (!slots.isRetained())
        return;
      text += (text.empty() ? "" : " ") + name + sign;
      int64_t count = 1;
      for (unsigned axis : slots.axes) {
        text += group.axes[axis].name;
        count *= tripCount(group.axes[axis], scheduled.tiles[axis]);
      }
      EXPECT_EQ(slots.count, count);
    };
    for (auto [number, contraction] : llvm::enumerate(group.contractions))
      add(group.tensors[contraction.result].name, '+',
          retained.accumulators[number]);
    for (auto [index, tensor] : llvm::enumerate(group.tensors))
      add(tensor.name, ':', retained.values[index]);
    return text;
  }

  std::string of(llvm::StringRef expression) {
    auto tree = parseTiling(expression, group, [](const llvm::Twine &why) {
      ADD_FAILURE() << why.str();
    });
    return analyze(schedule(*tree));
  }

  GroupModel group;
};

TEST_F(RetainedTilesOfChains, OneTileOfEach) {
  EXPECT_EQ(of("mh(n(k(LA,LB,CC),LD,CE),SE)"), "");
  EXPECT_EQ(of("mh(n(LD,k(LA,LB,CC),CE),SE)"), "");
  // C is recomputed for each h.
  EXPECT_EQ(of("m(n(h(k(LA,LB,CC)),LD,CE),SE)"),
            "LD stands outside of loop 'h'");
}

TEST_F(RetainedTilesOfChains, Accumulators) {
  // Those of E through n, and what is made of them until it is stored.
  EXPECT_EQ(of("m(n(k(LA,LB,CC),h(LD,CE)),h(SE))"), "E+h E:h");
  EXPECT_EQ(of("m(n(h(k(LA,LB,CC),LD,CE)),h(SE))"), "E+h E:h");
  EXPECT_EQ(of("mh(k(LA,n(LB,CC)),n(LD,CE),SE)"), "C+n C:n");
  EXPECT_EQ(of("m(k(LA,n(LB,CC)),h(n(LD,CE),SE))"), "C+n C:n");
  EXPECT_EQ(of("m(k(LA,n(LB,CC)),n(h(LD,CE)),h(SE))"), "C+n E+h C:n E:h");
}

TEST_F(RetainedTilesOfChains, ResidentOperands) {
  EXPECT_EQ(of("mh(k(LA),n(k(LB,CC),LD,CE),SE)"), "A:k");
  EXPECT_EQ(of("mh(n(k(LB)),n(k(LA,CC),LD,CE),SE)"), "B:nk");
  EXPECT_EQ(of("m(k(LA),n(k(LB)),h(n(LD)),h(n(k(CC),CE),SE))"),
            "A:k B:nk D:hn");
  // Not told apart by n, which both loads and uses are in.
  EXPECT_EQ(of("mh(n(k(LB),k(LA,CC),LD,CE),SE)"), "B:k");
}

TEST_F(RetainedTilesOfChains, IntermediatesInsteadOfComputingThemAgain) {
  EXPECT_EQ(of("m(n(k(LA,LB,CC)),h(n(LD,CE),SE))"), "C:n");
  EXPECT_EQ(of("m(h(n(k(LA,LB,CC),LD,CE),SE))"), "");
}

TEST_F(RetainedTilesOfChains, ElementwiseOperatorsFollowTheLastOfTheirOperands) {
  addBias("F", 0, {"n"});
  EXPECT_EQ(of("mh(k(LA,n(LB,CC)),n(LF,LD,CE),SE)"), "C+n");
  EXPECT_EQ(of("m(k(LA,n(LB,CC)),n(LF),h(n(LD,CE),SE))"), "C+n C:n");
  // The operand itself is kept.
  EXPECT_EQ(of("mh(n(LF),k(LA,n(LB,CC)),n(LD,CE),SE)"), "C+n C:n F:n");
  EXPECT_EQ(of("mh(n(LF),n(k(LA,LB,CC),LD,CE),SE)"), "F:n");
  EXPECT_EQ(of("mh(n(k(LA,LB,CC)),n(LF,LD,CE),SE)"),
            "LF comes after the loops in which 'C' is completed");
  EXPECT_EQ(of("mh(n(k(LA,LB,CC),LD,CE,LF),SE)"), "LF does not precede CE");
  EXPECT_EQ(of("mh(k(LA,n(LB,CC,LF)),n(LD,CE),SE)"),
            "LF is inside of the loops that sum 'C'");
}

TEST_F(RetainedTilesOfChains, HandOverOpensTheLoopsOfAccumulators) {
  addBias("F", 1, {"m"});
  auto tree = parseTiling("m(n(k(LA,LB,CC),h(LD,CE)),LF,h(SE))", group,
                          [](const llvm::Twine &) {});
  Schedule scheduled = schedule(*tree);
  RetainedTiles retained;
  ASSERT_EQ(analyzeRetainedTiles(group, scheduled, retained), std::nullopt);
  const IntermediateEpilogue &epilogue = retained.intermediateEpilogues[1];
  EXPECT_EQ(epilogue.after, group.findTensor("F"));
  EXPECT_EQ(epilogue.loops.size(), 1u);
  EXPECT_EQ(epilogue.opened,
            (llvm::SmallVector<unsigned, 4>{*group.findAxis("h")}));
  EXPECT_EQ(retained.makers[*group.findTensor("E")], nullptr);
  EXPECT_EQ(retained.reductions[1], &scheduled.tree[0].children[0]);
  EXPECT_TRUE(retained.intermediateEpilogues[0].opened.empty());
}

TEST_F(RetainedTilesOfChains, RepetitionsThatNobodyUses) {
  EXPECT_EQ(of("mh(n(k(LA,LB,LD,CC),CE),SE)"),
            "loop 'k' repeats LD, which is used outside of it");
  EXPECT_EQ(of("m(h(n(k(LA,LB,CC))),h(n(LD,CE),SE))"),
            "loop 'h' repeats CC, which is used outside of it");
  EXPECT_EQ(of("mh(n(k(LA,LB,CC),LD,CE),k(SE))"), "loop 'k' repeats SE");
}

struct Long : RetainedTilesOfChains {
  Long() : RetainedTilesOfChains({64, 96, 64, 128, 160}) {}
};
TEST_F(Long, SeveralKeptTensors) {
  EXPECT_EQ(of("m(h(n(k(LA,LB,CC),LD,CE),p(LF,CG)),p(SG))"), "G+p G:p");
  EXPECT_EQ(of("m(k(LA,n(LB,CC)),n(h(LD,CE)),h(p(LF,CG)),p(SG))"),
            "C+n E+h G+p C:n E:h G:p");
  EXPECT_EQ(of("m(n(k(LA,LB,CC)),h(n(LD,CE)),p(h(LF,CG),SG))"), "C:n E:h");
  EXPECT_EQ(of("m(n(k(LA,LB,CC)),p(h(n(LD,CE),LF,CG),SG))"), "C:n");
  EXPECT_EQ(of("m(h(n(LD)),n(k(LA,LB,CC)),p(h(n(CE),LF,CG),SG))"), "C:n D:hn");
}

// Every tree that statement placement makes of an expression retains the
// expression's tiles: none is rejected.
TEST(RetainedTilesOfPlacedTrees, AllExpressions) {
  for (unsigned contractions : {1, 2, 3}) {
    ChainShape shape;
    for (unsigned i = 0; i < contractions + 2; ++i)
      shape.sizes.push_back(96);
    GroupModel group = makeChainModel(shape);
    auto axes = llvm::to_vector(llvm::seq<unsigned>(group.axes.size()));
    auto expressions = listExpressions(group, axes, {});
    ASSERT_TRUE(expressions);
    for (const TilingTree &loops : *expressions) {
      Schedule scheduled;
      scheduled.tiles.assign(group.axes.size(), 32);
      scheduled.places.resize(group.tensors.size());
      scheduled.tree = placeStatements(group, loops, scheduled.tiles);
      RetainedTiles retained;
      ASSERT_EQ(analyzeRetainedTiles(group, scheduled, retained), std::nullopt)
          << printTiling(scheduled.tree, group);
    }
  }
}

} // namespace
