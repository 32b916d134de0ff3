//===- TilingExpressionsTest.cpp - Deep and flat tiling expressions -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/TilingExpressions.h"
#include "fusion/Analysis/Groups/ChainModel.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace fusion;

namespace {

GroupModel chain(unsigned contractions, int64_t batch = 1) {
  return makeChainModel(
      {llvm::SmallVector<int64_t, 6>(contractions + 2, 128), batch});
}

llvm::SmallVector<unsigned> allAxes(const GroupModel &group) {
  return llvm::to_vector(llvm::seq<unsigned>(group.axes.size()));
}

ExpressionOptions with(bool flat, bool completeIntermediates,
                       size_t limit = 1u << 20) {
  ExpressionOptions options;
  options.flat = flat;
  options.completeIntermediates = completeIntermediates;
  options.limit = limit;
  return options;
}

std::vector<std::string> texts(const GroupModel &group,
                               const ExpressionOptions &options = {}) {
  std::vector<std::string> result;
  auto trees = listExpressions(group, allAxes(group), options);
  EXPECT_TRUE(trees);
  for (const TilingTree &tree : *trees)
    result.push_back(printTiling(tree, group));
  return result;
}

/// `blocks|loops` of all sub-expressions.
std::multiset<std::string> boundTexts(const GroupModel &group,
                                      const ExpressionOptions &options = {}) {
  std::multiset<std::string> result;
  auto bound = listBoundExpressions(group, options);
  EXPECT_TRUE(bound);
  for (const BoundExpression &expression : *bound) {
    std::string text;
    for (unsigned axis : expression.blocks)
      text += group.axes[axis].name;
    result.insert(text + "|" + printTiling(expression.loops, group));
  }
  return result;
}

TEST(TilingExpressions, TwentySixOfTwoProducts) {
  std::vector<std::string> all = texts(chain(2));
  EXPECT_EQ(all.size(), 26u);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 26u);
  std::set<std::string> flat;
  for (const std::string &text : all)
    if (text.find('(') != std::string::npos)
      flat.insert(text);
  EXPECT_EQ(flat, (std::set<std::string>{"mn(k,h)", "nm(k,h)"}));
  EXPECT_EQ(texts(chain(2), with(false, false)).size(), 24u);
}

TEST(TilingExpressions, OneProductHasNoSiblings) {
  EXPECT_EQ(texts(chain(1)).size(), 6u);
}

TEST(TilingExpressions, ThreeProducts) {
  GroupModel group = chain(3);
  std::vector<std::string> all = texts(group);
  std::set<std::string> distinct(all.begin(), all.end());
  EXPECT_EQ(distinct.size(), all.size());
  EXPECT_EQ(texts(group, with(false, false)).size(), 120u);
  for (const char *text :
       {"mhn(k,p)", "mh(nk,p)", "mh(kn,p)", "mn(k,hp)", "mn(k,ph)", "nmh(k,p)"})
    EXPECT_TRUE(distinct.count(text)) << text;
  // Operators that share a loop are not split, and their order stays.
  for (const char *text : {"m(k,hnp)", "mh(p,nk)", "mn(hp,k)"})
    EXPECT_FALSE(distinct.count(text)) << text;
  // Loops of one operator are on one path.
  for (const std::string &text : all) {
    auto tree = parseLoops(text, group, [](const llvm::Twine &) {});
    ASSERT_TRUE(tree) << text;
    EXPECT_EQ(printTiling(*tree, group), text);
  }
}

// MCFuser section III-C: 26 expressions make five classes, h being bound where
// it is outermost or innermost beside m.
TEST(TilingExpressions, FiveClassesOfTwoProducts) {
  GroupModel group = chain(2);
  std::map<std::string, int> classes;
  auto trees = listExpressions(group, allAxes(group), {});
  for (const TilingTree &tree : *trees)
    ++classes[printTiling(bindBlocks(group, tree).loops, group)];
  EXPECT_EQ(classes,
            (std::map<std::string, int>{
                {"nk", 8}, {"kn", 8}, {"nhk", 4}, {"khn", 4}, {"n(k,h)", 2}}));
  EXPECT_EQ(boundTexts(group, with(true, true)),
            (std::multiset<std::string>{"mh|nk", "m|nhk", "m|n(k,h)"}));
}

// The sub-expressions are those of all expressions, for every chain that is
// small enough to list these, deep and flat, with rule 2 and without.
TEST(TilingExpressions, SubExpressionsAreThoseOfAllExpressions) {
  for (const GroupModel &group :
       {chain(1), chain(2), chain(3), chain(2, 8), chain(1, 8)})
    for (bool flat : {false, true})
      for (bool complete : {false, true}) {
        std::set<std::string> expected;
        auto trees = listExpressions(group, allAxes(group), with(flat, false));
        for (const TilingTree &tree : *trees) {
          BoundExpression bound = bindBlocks(group, tree);
          if (complete && retainsIntermediates(group, bound.loops))
            continue;
          std::string text;
          for (unsigned axis : bound.blocks)
            text += group.axes[axis].name;
          expected.insert(text + "|" + printTiling(bound.loops, group));
        }
        std::multiset<std::string> listed =
            boundTexts(group, with(flat, complete));
        EXPECT_EQ(std::multiset<std::string>(expected.begin(), expected.end()),
                  listed);
      }
}

// Counting makes none of them.
TEST(TilingExpressions, AreCountedAsTheyAreListed) {
  for (const GroupModel &group :
       {chain(1), chain(2), chain(3), chain(4), chain(2, 8)})
    for (bool flat : {false, true}) {
      for (bool complete : {false, true})
        EXPECT_EQ(countExpressions(group, allAxes(group), with(flat, complete)),
                  listExpressions(group, allAxes(group), with(flat, complete))
                      ->size());
      EXPECT_EQ(countBoundExpressions(group, flat),
                boundTexts(group, with(flat, false)).size());
    }
  EXPECT_EQ(countExpressions(chain(2), allAxes(chain(2)), {}), 26u);
}

// In a chain rule 2 fixes the order of the reductions, p may stand anywhere.
TEST(TilingExpressions, RuleTwoLeavesFewOfLongChains) {
  GroupModel group = chain(3);
  for (const std::string &text : boundTexts(group, with(true, true)))
    EXPECT_EQ(text.find("kn"), std::string::npos) << text;
  EXPECT_EQ(boundTexts(group, with(false, true)),
            (std::multiset<std::string>{"mp|hnk", "m|hpnk", "m|hnpk"}));
  // Four contractions and six: more axes than are permuted.
  EXPECT_GT(boundTexts(chain(4), with(true, true)).size(), 3u);
  EXPECT_LT(boundTexts(chain(6), with(true, true)).size(), 500u);
}

TEST(TilingExpressions, LimitIsKept) {
  GroupModel group = chain(3);
  EXPECT_FALSE(listExpressions(group, allAxes(group), with(true, false, 50)));
  EXPECT_FALSE(listBoundExpressions(group, with(true, false, 5)));
}

} // namespace
