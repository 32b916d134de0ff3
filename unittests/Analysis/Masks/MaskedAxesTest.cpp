//===- MaskedAxesTest.cpp - Where masks exclude points --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Masks/MaskedAxes.h"
#include "ParsedGroup.h"
#include "fusion/Analysis/Masks/MaskPredicates.h"
#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include <set>

using namespace fusion;
using namespace fusion::test;

namespace {

constexpr int64_t kRows = 50, kColumns = 70;

/// q · k, `body` on each value (%x, with %i and %j its row and column, yields
/// %r), times v.
std::string masked(llvm::StringRef body) {
  return R"(
func.func @f(%q: tensor<50x16xf16>, %k: tensor<16x70xf16>, %v: tensor<70x24xf16>) -> tensor<50x24xf32> {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<50x70xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<50x70xf32>) -> tensor<50x70xf32>
  %s = linalg.matmul ins(%q, %k : tensor<50x16xf16>, tensor<16x70xf16>) outs(%s1 : tensor<50x70xf32>) -> tensor<50x70xf32>
  %h0 = tensor.empty() : tensor<50x70xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<50x70xf32>) outs(%h0 : tensor<50x70xf16>) {
  ^bb0(%x: f32, %o: f16):
    %none = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
)" + body.str() +
         R"(
    %t = arith.truncf %r : f32 to f16
    linalg.yield %t : f16
  } -> tensor<50x70xf16>
  %e0 = tensor.empty() : tensor<50x24xf32>
  %e1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<50x24xf32>) -> tensor<50x24xf32>
  %e = linalg.matmul ins(%h, %v : tensor<50x70xf16>, tensor<70x24xf16>) outs(%e1 : tensor<50x24xf32>) -> tensor<50x24xf32>
  return %e : tensor<50x24xf32>
})";
}

/// The predicate along n, or "" where nothing is excluded.
std::string predicate(llvm::StringRef body) {
  ParsedGroup group(masked(body));
  if (!group.axes) {
    ADD_FAILURE() << group.reason;
    return "";
  }
  for (const MaskedAxis &each : group.model().masked)
    if (each.axis == group.axis("n"))
      return print(group.model(), each.where);
  return "";
}

TEST(MaskedAxes, Comparisons) {
  auto compare = [](llvm::StringRef kind) {
    return predicate(("%c = arith.cmpi " + kind +
                      ", %j, %i : index\n"
                      "%r = arith.select %c, %x, %none : f32")
                         .str());
  };
  // Excluded where the comparison does not hold.
  EXPECT_EQ(compare("sle"), "m - n < 0");
  EXPECT_EQ(compare("slt"), "m - n - 1 < 0");
  EXPECT_EQ(compare("sge"), "n - m < 0");
  EXPECT_EQ(compare("ult"), "m - n - 1 < 0");
  EXPECT_EQ(compare("eq"), "n - m < 0 or m - n < 0");
  // A diagonal lies between points that count.
  EXPECT_EQ(compare("ne"), "");
}

TEST(MaskedAxes, DigitsOfIndices) {
  auto compare = [](llvm::StringRef digit) {
    return predicate(("%p = arith.constant 20 : index\n"
                      "%three = arith.constant 3 : index\n" +
                      digit +
                      "\n%c = arith.cmpi sle, %j, %d : index\n"
                      "%r = arith.select %c, %x, %none : f32")
                         .str());
  };
  EXPECT_EQ(compare("%d = arith.remui %i, %p : index"), "(m mod 20) - n < 0");
  EXPECT_EQ(compare("%d = arith.divui %i, %p : index"), "(m / 20) - n < 0");
  EXPECT_EQ(compare("%first = arith.divui %i, %three : index\n"
                    "%d = arith.remui %first, %p : index"),
            "(m / 3) - n < 0");
  // Periods that do not fit into each other, a sum's remainder, and digits of
  // the axis itself.
  EXPECT_EQ(compare("%first = arith.remui %i, %p : index\n"
                    "%d = arith.remui %first, %three : index"),
            "");
  EXPECT_EQ(compare("%first = arith.addi %i, %j : index\n"
                    "%d = arith.remui %first, %p : index"),
            "");
  EXPECT_EQ(compare("%d = arith.remui %j, %p : index"), "");
}

// Quotients of the axis that is reduced are solved for its index.
TEST(MaskedAxes, BlocksOfTheReducedAxis) {
  auto compare = [](llvm::StringRef comparison) {
    return predicate(("%p = arith.constant 20 : index\n"
                      "%two = arith.constant 2 : index\n"
                      "%a = arith.divui %i, %p : index\n"
                      "%b = arith.divui %j, %p : index\n" +
                      comparison + "\n%r = arith.select %c, %x, %none : f32")
                         .str());
  };
  EXPECT_EQ(compare("%c = arith.cmpi sle, %b, %a : index"),
            "20 * (m / 20) - n + 19 < 0");
  EXPECT_EQ(compare("%c = arith.cmpi sge, %b, %a : index"),
            "n - 20 * (m / 20) < 0");
  EXPECT_EQ(compare("%c = arith.cmpi eq, %b, %a : index"),
            "n - 20 * (m / 20) < 0 or 20 * (m / 20) - n + 19 < 0");
  // Not by multiples of a quotient, nor beside the index itself.
  EXPECT_EQ(compare("%d = arith.muli %b, %two : index\n"
                    "%c = arith.cmpi sle, %d, %a : index"),
            "");
  EXPECT_EQ(compare("%d = arith.addi %b, %j : index\n"
                    "%c = arith.cmpi sle, %d, %a : index"),
            "");
}

TEST(MaskedAxes, Extremes) {
  auto compare = [](llvm::StringRef comparison) {
    return predicate(("%w = arith.constant 7 : index\n"
                      "%d = arith.subi %i, %j : index\n" +
                      comparison + "\n%r = arith.select %c, %x, %none : f32")
                         .str());
  };
  // |d| <= 7, also as 7 - |d| >= 0.
  EXPECT_EQ(compare("%a = math.absi %d : index\n"
                    "%c = arith.cmpi sle, %a, %w : index"),
            "n - m + 7 < 0 or m - n + 7 < 0");
  EXPECT_EQ(compare("%nil = arith.constant 0 : index\n"
                    "%a = math.absi %d : index\n"
                    "%e = arith.subi %w, %a : index\n"
                    "%c = arith.cmpi sge, %e, %nil : index"),
            "n - m + 7 < 0 or m - n + 7 < 0");
  // All but what is near: nothing ends there.
  EXPECT_EQ(compare("%a = math.absi %d : index\n"
                    "%c = arith.cmpi sgt, %a, %w : index"),
            "");
  EXPECT_EQ(compare("%a = arith.maxsi %d, %w : index\n"
                    "%c = arith.cmpi sle, %j, %a : index"),
            "m - 2 * n < 0 and -n + 7 < 0");
  EXPECT_EQ(compare("%a = arith.minsi %d, %w : index\n"
                    "%c = arith.cmpi sle, %j, %a : index"),
            "m - 2 * n < 0 or -n + 7 < 0");
  // One comparison for both ends: what is below zero is beyond all numbers.
  EXPECT_EQ(compare("%c = arith.cmpi ult, %d, %w : index"),
            "m - n < 0 or n - m + 6 < 0");
  EXPECT_EQ(compare("%c = arith.cmpi ugt, %w, %d : index"),
            "m - n < 0 or n - m + 6 < 0");
  // Neither side's sign is known.
  EXPECT_EQ(compare("%e = arith.subi %d, %w : index\n"
                    "%c = arith.cmpi ult, %d, %e : index"),
            "");
}

TEST(MaskedAxes, WhatMakesZero) {
  constexpr llvm::StringLiteral causal = "m - n < 0";
  auto make = [](llvm::StringRef body) {
    return predicate(("%c = arith.cmpi sle, %j, %i : index\n" + body).str());
  };
  EXPECT_EQ(make("%m = arith.select %c, %x, %low : f32\n"
                 "%d = arith.subf %m, %x : f32\n"
                 "%r = math.exp %d : f32"),
            causal);
  // A mask that is added, and one that is multiplied.
  EXPECT_EQ(make("%m = arith.select %c, %none, %low : f32\n"
                 "%d = arith.addf %x, %m : f32\n"
                 "%r = math.exp2 %d : f32"),
            causal);
  EXPECT_EQ(make("%m = arith.uitofp %c : i1 to f32\n"
                 "%r = arith.mulf %x, %m : f32"),
            causal);
  // The other way round, and as a sigmoid: 1 / (1 + exp(∞)).
  EXPECT_EQ(make("%true = arith.constant true\n"
                 "%n = arith.xori %c, %true : i1\n"
                 "%m = arith.select %n, %low, %x : f32\n"
                 "%p = arith.negf %m : f32\n"
                 "%g = math.exp %p : f32\n"
                 "%one = arith.constant 1.0 : f32\n"
                 "%sum = arith.addf %one, %g : f32\n"
                 "%r = arith.divf %one, %sum : f32"),
            causal);
  // A finite number excludes nothing; nor does +∞ in an exponential.
  EXPECT_EQ(make("%far = arith.constant -1.0e9 : f32\n"
                 "%m = arith.select %c, %x, %far : f32\n"
                 "%r = math.exp %m : f32"),
            "");
  EXPECT_EQ(make("%m = arith.select %c, %x, %low : f32\n"
                 "%p = arith.negf %m : f32\n"
                 "%r = math.exp %p : f32"),
            "");
  // A cosine of 0 is 1.
  EXPECT_EQ(make("%m = arith.select %c, %x, %none : f32\n"
                 "%r = math.cos %m : f32"),
            "");
}

TEST(MaskedAxes, IndicesOfOtherTypes) {
  // Sums that could wrap in their type have no order.
  auto shifted = [](llvm::StringRef type) {
    return predicate(("%first = arith.index_cast %i : index to " + type +
                      "\n%second = arith.index_cast %j : index to " + type +
                      "\n%far = arith.constant 100 : " + type +
                      "\n%at = arith.addi %first, %far : " + type +
                      "\n%c = arith.cmpi sgt, %at, %second : " + type +
                      "\n%r = arith.select %c, %none, %x : f32")
                         .str());
  };
  EXPECT_EQ(shifted("i32"), "n - m - 100 < 0");
  EXPECT_EQ(shifted("i8"), "");
  // Not linear.
  EXPECT_EQ(predicate("%p = arith.muli %i, %j : index\n"
                      "%c = arith.cmpi slt, %p, %j : index\n"
                      "%r = arith.select %c, %x, %none : f32"),
            "");
}

/// The mask as numbers say it, and as the body does.
struct Mask {
  const char *name;
  const char *body; ///< makes %c: the point counts
  bool (*counts)(int64_t i, int64_t j);
};

const Mask kMasks[] = {
    {"causal", "%c = arith.cmpi sle, %j, %i : index",
     [](int64_t i, int64_t j) { return j <= i; }},
    {"window",
     "%w = arith.constant 7 : index\n%a = arith.subi %i, %w : index\n"
     "%c0 = arith.cmpi sge, %j, %a : index\n"
     "%c1 = arith.cmpi sle, %j, %i : index\n"
     "%c = arith.andi %c0, %c1 : i1",
     [](int64_t i, int64_t j) { return j >= i - 7 && j <= i; }},
    {"steep",
     "%three = arith.constant 3 : index\n%two = arith.constant 2 : index\n"
     "%a = arith.muli %i, %three : index\n%b = arith.muli %j, %two : index\n"
     "%f = arith.constant 30 : index\n%d = arith.subi %a, %f : index\n"
     "%c = arith.cmpi sgt, %b, %d : index",
     [](int64_t i, int64_t j) { return 2 * j > 3 * i - 30; }},
    {"rows",
     "%f = arith.constant 20 : index\n%c0 = arith.cmpi slt, %i, %f : index\n"
     "%c1 = arith.cmpi sle, %j, %i : index\n%c = arith.ori %c0, %c1 : i1",
     [](int64_t i, int64_t j) { return i < 20 || j <= i; }},
    // Rows of heads that are one axis, and blocks of rows.
    {"heads",
     "%p = arith.constant 20 : index\n%w = arith.constant 3 : index\n"
     "%head = arith.remui %i, %p : index\n%a = arith.subi %head, %w : index\n"
     "%c0 = arith.cmpi sge, %j, %a : index\n"
     "%c1 = arith.cmpi sle, %j, %head : index\n"
     "%c = arith.andi %c0, %c1 : i1",
     [](int64_t i, int64_t j) { return j >= i % 20 - 3 && j <= i % 20; }},
    {"blocks",
     "%p = arith.constant 4 : index\n%head = arith.divui %i, %p : index\n"
     "%w = arith.muli %head, %p : index\n%c = arith.cmpi sle, %j, %w : index",
     [](int64_t i, int64_t j) { return j <= i / 4 * 4; }},
    {"digits",
     "%p = arith.constant 24 : index\n%four = arith.constant 4 : index\n"
     "%g = arith.remui %i, %p : index\n%head = arith.divui %g, %four : index\n"
     "%w = arith.muli %head, %four : index\n%c = arith.cmpi sle, %j, %w : "
     "index",
     [](int64_t i, int64_t j) { return j <= i % 24 / 4 * 4; }},
    {"near",
     "%w = arith.constant 9 : index\n%d = arith.subi %i, %j : index\n"
     "%a = math.absi %d : index\n%c = arith.cmpi sle, %a, %w : index",
     [](int64_t i, int64_t j) { return std::abs(i - j) <= 9; }},
    {"behind",
     "%w = arith.constant 9 : index\n%d = arith.subi %i, %j : index\n"
     "%c = arith.cmpi ult, %d, %w : index",
     [](int64_t i, int64_t j) { return i - j >= 0 && i - j < 9; }},
    {"clipped",
     "%w = arith.constant 12 : index\n%a = arith.maxsi %i, %w : index\n"
     "%c = arith.cmpi slt, %j, %a : index",
     [](int64_t i, int64_t j) { return j < std::max<int64_t>(i, 12); }},
    {"same_block",
     "%p = arith.constant 12 : index\n%a = arith.divui %i, %p : index\n"
     "%b = arith.divui %j, %p : index\n%c = arith.cmpi eq, %a, %b : index",
     [](int64_t i, int64_t j) { return i / 12 == j / 12; }},
    {"blocks_before",
     "%p = arith.constant 12 : index\n%ten = arith.constant 10 : index\n"
     "%a = arith.divui %i, %ten : index\n%b = arith.divui %j, %p : index\n"
     "%c = arith.cmpi slt, %b, %a : index",
     [](int64_t i, int64_t j) { return j / 12 < i / 10; }},
    {"few_rows",
     "%f = arith.constant 33 : index\n%c = arith.cmpi sgt, %i, %f : index",
     [](int64_t i, int64_t) { return i > 33; }},
};

class VisitedTilesTest : public testing::TestWithParam<Mask> {};

// Every tile with a point that counts is visited, and of the tiles before the
// first and after the last of them none.
TEST_P(VisitedTilesTest, AgainstEveryPoint) {
  ParsedGroup group(masked(
      (GetParam().body + llvm::Twine("\n%r = arith.select %c, %x, %none : f32"))
          .str()));
  ASSERT_TRUE(group.axes) << group.reason;
  unsigned m = group.axis("m"), n = group.axis("n");
  ASSERT_EQ(group.model().masked.size(), 1u);
  const MaskedAxis &along = group.model().masked.front();
  ASSERT_EQ(along.axis, n);
  for (int64_t rows : {1, 8, 16, 50, 64})
    for (int64_t columns : {1, 16, 24, 70}) {
      Schedule schedule;
      schedule.tiles.assign(group.model().axes.size(), 1);
      schedule.tiles[m] = rows;
      schedule.tiles[n] = columns;
      ShortenedLoop loop{&along, {}};
      if (rows < kRows)
        loop.others = {m};
      std::vector<UnmaskedTiles> visited =
          listUnmaskedTiles(group.model(), schedule, loop);
      ASSERT_EQ(visited.size(), size_t((kRows + rows - 1) / rows));
      double points = 0;
      for (auto [tile, each] : llvm::enumerate(visited)) {
        int64_t begin = tile * rows, end = std::min(begin + rows, kRows);
        int64_t first = kColumns, last = -1;
        for (int64_t i = begin; i < end; ++i)
          for (int64_t j = 0; j < kColumns; ++j)
            if (GetParam().counts(i, j)) {
              first = std::min(first, j / columns * columns);
              last = std::max(last, j / columns * columns);
            }
        int64_t iterations = last < 0 ? 0 : (last - first) / columns + 1;
        EXPECT_EQ(each.iterations, iterations)
            << rows << " x " << columns << ", tile " << tile;
        EXPECT_EQ(each.covered,
                  last < 0 ? 0 : std::min(last + columns, kColumns) - first);
        points += each.covered;
      }
      if (rows == 1 && columns == 1) {
        EXPECT_DOUBLE_EQ(along.minShare, points / (kRows * kColumns));
      }
    }
}

// The sums are those over the list, for whatever counts elements; the memo has
// them once for each choice of tiles that they depend on.
TEST_P(VisitedTilesTest, SumsAndMemo) {
  ParsedGroup group(masked(
      (GetParam().body + llvm::Twine("\n%r = arith.select %c, %x, %none : f32"))
          .str()));
  ASSERT_TRUE(group.axes) << group.reason;
  unsigned m = group.axis("m"), n = group.axis("n");
  const MaskedAxis &along = group.model().masked.front();
  bool isCompared = llvm::is_contained(otherAxes(along), m);
  UnmaskedTilesMemo memo;
  std::set<std::pair<int64_t, int64_t>> choices;
  for (int64_t rows : {16, 50, 64})
    for (int64_t columns : {16, 24}) {
      Schedule schedule;
      schedule.tiles.assign(group.model().axes.size(), 1);
      schedule.tiles[m] = rows;
      schedule.tiles[n] = columns;
      ShortenedLoop loop{&along, {}};
      if (rows < kRows && isCompared)
        loop.others = {m};
      UnmaskedSums sums = sumUnmaskedTiles(group.model(), schedule, loop);
      int64_t iterations = 0, most = 0, covered = 0, rowsOfTiles = 0, all = 0;
      auto visited = listUnmaskedTiles(group.model(), schedule, loop);
      for (const UnmaskedTiles &each : visited) {
        int64_t own = loop.others.empty() ? 1 : each.extents.front();
        iterations += each.iterations;
        most = std::max(most, each.iterations);
        covered += each.covered;
        rowsOfTiles += each.iterations * own;
        all += each.covered * own;
      }
      EXPECT_EQ(sums.tiles, int64_t(visited.size()));
      EXPECT_EQ(sums.iterations, iterations);
      EXPECT_EQ(sums.most, most);
      llvm::SmallVector<int64_t, 8> points = {iterations, covered};
      if (!loop.others.empty())
        points.append({rowsOfTiles, all});
      EXPECT_EQ(sums.points, points);
      choices.insert({isCompared ? rows : 0, columns});
      for (int64_t depth : {16, 32}) { // of another axis: nothing new
        schedule.tiles[group.axis("k")] = depth;
        EXPECT_EQ(memo.get(group.model(), schedule, loop).points, points);
        EXPECT_EQ(memo.size(), choices.size());
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Masks, VisitedTilesTest, testing::ValuesIn(kMasks),
                         [](const auto &info) { return info.param.name; });

} // namespace
