//===- LinearLayoutAlgebraTest.cpp - Product, composition, inverse --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutSpec.h"

#include "gtest/gtest.h"

#include <array>
#include <map>

using namespace fusion;
using namespace fusion::test;
using D = LayoutDim;
using Coords = llvm::SmallVector<int64_t>;

namespace {

/// The distinct layouts of given sizes, by their tables.
std::map<std::vector<int64_t>, LinearLayout> distinct(NamedSizes ins,
                                                      NamedSizes outs) {
  std::map<std::vector<int64_t>, LinearLayout> result;
  forAllSpecs(std::move(ins), std::move(outs), [&](const Spec &spec) {
    result.try_emplace(spec.table(), spec.layout());
  });
  return result;
}

TEST(LayoutAlgebra, ProductByDefinition) {
  RandomSpecs random(1);
  for (int n = 0; n < 2000; ++n) {
    Spec left = random.next({D::Register, D::Lane}, {D::Dim0, D::Dim1}, false);
    Spec right = random.next({D::Lane, D::Warp}, {D::Dim1, D::Dim2}, false);
    LinearLayout a = left.layout(), b = right.layout(), c = a * b;
    int64_t low = a.inSize(D::Lane), high = b.inSize(D::Lane);
    ASSERT_EQ(c.inSize(D::Lane), low * high);
    ASSERT_EQ(c.outSize(D::Dim1), a.outSize(D::Dim1) * b.outSize(D::Dim1));
    for (int trial = 0; trial < 40; ++trial) {
      int64_t r = random.below(a.inSize(D::Register)), l0 = random.below(low),
              l1 = random.below(high), w = random.below(b.inSize(D::Warp));
      auto x = left.evaluate({r, l0}), y = right.evaluate({l1, w});
      ASSERT_EQ(c.coords(r, l0 + low * l1, w),
                (Coords{x[0], x[1] + a.outSize(D::Dim1) * y[0], y[1]}))
          << a.str() << " times " << b.str();
    }
  }
}

TEST(LayoutAlgebra, ProductIsAssociativeWithUnit) {
  RandomSpecs random(2);
  for (int n = 0; n < 1000; ++n) {
    LinearLayout a =
        random.next({D::Register, D::Lane}, {D::Dim0}, false).layout();
    LinearLayout b = random.next({D::Lane}, {D::Dim0, D::Dim1}, false).layout();
    LinearLayout c =
        random.next({D::Register, D::Warp}, {D::Dim1}, false).layout();
    EXPECT_EQ((a * b) * c, a * (b * c));
    EXPECT_EQ(a * LinearLayout::empty(), a);
    EXPECT_EQ(LinearLayout::empty() * a, a);
  }
}

TEST(LayoutAlgebra, CompositionExhaustively) {
  // What is returned is right. Where the inner layout is surjective, so that
  // all of the outer one matters, nothing expressible is rejected.
  size_t composed = 0, refused = 0;
  for (int64_t in : {2, 4, 6})
    for (int64_t mid : {2, 3, 4, 6, 8, 12})
      for (int64_t out : {4, 6, 12}) {
        auto inners = distinct({{D::Lane, in}}, {{D::Dim0, mid}});
        auto outers = distinct({{D::Dim0, mid}}, {{D::Offset, out}});
        auto results = distinct({{D::Lane, in}}, {{D::Offset, out}});
        for (auto &[innerTable, inner] : inners)
          for (auto &[outerTable, outer] : outers) {
            std::vector<int64_t> expected;
            for (int64_t value : innerTable)
              expected.push_back(outerTable[value]);
            auto result = compose(inner, outer);
            if (!result) {
              ++refused;
              if (results.count(expected))
                ASSERT_FALSE(inner.isSurjective())
                    << inner.str() << " then " << outer.str();
              continue;
            }
            ++composed;
            ASSERT_EQ(tableOf(*result, {{D::Lane, in}}, {D::Offset}), expected)
                << inner.str() << " then " << outer.str();
            ASSERT_EQ(result->outSize(D::Offset), out);
          }
      }
  EXPECT_GT(composed, 30000u);
  EXPECT_GT(refused, 10000u);
}

TEST(LayoutAlgebra, CompositionAtRandom) {
  RandomSpecs random(3);
  size_t composed = 0;
  for (int n = 0; n < 20000; ++n) {
    Spec inner =
        random.next({D::Register, D::Lane, D::Warp}, {D::Dim0, D::Dim1}, false);
    Spec outer = random.next({D::Dim0, D::Dim1}, {D::Offset, D::Block}, false);
    for (int side = 0; side < 2; ++side) {
      // Where the sizes do not agree, the outer layout repeats.
      auto &radices = outer.ins[side].radices;
      auto &produced = inner.outs[side].radices;
      if (Spec::product(radices) % Spec::product(produced) != 0) {
        radices.insert(radices.end(), produced.begin(), produced.end());
        outer.ins[side].targets.resize(radices.size());
      }
    }
    auto result = compose(inner.layout(), outer.layout());
    if (!result)
      continue;
    ++composed;
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<int64_t> at;
      llvm::SmallVector<LinearLayout::IndexValue> inputs;
      for (auto [dim, size] : inner.inSizes()) {
        at.push_back(random.below(size));
        inputs.emplace_back(dim, at.back());
      }
      auto expected = outer.evaluate(inner.evaluate(at));
      ASSERT_EQ(result->applyTo(D::Offset, inputs), expected[0]);
      ASSERT_EQ(result->applyTo(D::Block, inputs), expected[1]);
    }
  }
  EXPECT_GT(composed, 3000u);
}

TEST(LayoutAlgebra, CompositionRefinesDigits) {
  // A repetition of radix 6 whose low bit is wanted for an XOR.
  LinearLayout inner = LinearLayout::identity(D::Register, D::Dim0, 6) *
                       LinearLayout::identity(D::Lane, D::Dim1, 4);
  LinearLayout outer =
      layoutOf("dim0: x[1] 3*[4]; dim1: x[1] x[2] -> [offset: 12]");
  auto result = compose(inner, outer);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->str(),
            "register: x[1] 3*[4]; lane: x[1] 2*[2] -> [offset: 12]");
  // Steps that end in the middle of a digit of the outer layout.
  auto split =
      compose(layoutOf("register: 2*[5]; lane: 5*[1]; warp: 8*[10] -> [80]"),
              layoutOf("dim0: 80*[3] -> [offset: 240]"));
  ASSERT_TRUE(split);
  EXPECT_EQ(split->str(),
            "register: 2*[15]; lane: 5*[3]; warp: 8*[30] -> [offset: 240]");
}

TEST(LayoutAlgebra, CompositionChecksNamesAndSizes) {
  LinearLayout inner = LinearLayout::identity(D::Lane, D::Dim0, 8);
  EXPECT_FALSE(compose(inner, LinearLayout::identity(D::Dim1, D::Offset, 8)));
  EXPECT_FALSE(compose(inner, LinearLayout::identity(D::Dim0, D::Offset, 4)));
  EXPECT_FALSE(compose(inner, LinearLayout::identity(D::Dim0, D::Offset, 12)));
  // A sub-tile at the origin of a larger buffer.
  auto part = compose(inner, LinearLayout::identity(D::Dim0, D::Offset, 24));
  ASSERT_TRUE(part);
  EXPECT_EQ(part->str(), "lane: 8*[1] -> [offset: 24]");
  // Coordinates of extent 1 need not be read.
  auto unit = compose(inner * layoutOf("-> [1, 1]"),
                      LinearLayout::identity(D::Dim0, D::Offset, 8));
  ASSERT_TRUE(unit);
  EXPECT_EQ(unit->str(), "lane: 8*[1] -> [offset: 8]");
}

TEST(LayoutAlgebra, InverseExhaustively) {
  size_t bijective = 0;
  for (int64_t size : {2, 3, 4, 5, 6, 8, 12})
    for (auto &[table, layout] :
         distinct({{D::Lane, size}}, {{D::Dim0, size}})) {
      std::vector<int64_t> where(size, -1);
      for (int64_t i = 0; i < size; ++i)
        where[table[i]] = i;
      bool onto = true;
      for (int64_t i : where)
        onto &= i >= 0;
      ASSERT_EQ(layout.isBijective(), onto) << layout.str();
      auto inverse = layout.invert();
      ASSERT_EQ(inverse.has_value(), onto);
      if (!onto)
        continue;
      ++bijective;
      ASSERT_EQ(tableOf(*inverse, {{D::Dim0, size}}, {D::Lane}), where);
      ASSERT_EQ(*inverse->invert(), layout);
    }
  EXPECT_GT(bijective, 100u);
}

TEST(LayoutAlgebra, InverseAtRandom) {
  RandomSpecs random(4);
  for (int n = 0; n < 3000; ++n) {
    Spec spec =
        random.next({D::Register, D::Lane, D::Warp}, {D::Dim0, D::Dim1}, true);
    LinearLayout layout = spec.layout();
    ASSERT_TRUE(layout.isBijective()) << layout.str();
    auto inverse = layout.invert();
    ASSERT_TRUE(inverse);
    auto there = compose(layout, *inverse);
    ASSERT_TRUE(there) << layout.str();
    for (auto [dim, size] : spec.inSizes())
      for (int64_t i = 0; i < size; ++i)
        ASSERT_EQ(there->applyTo(dim, {{dim, i}}), i) << layout.str();
    for (int trial = 0; trial < 50; ++trial) {
      llvm::SmallVector<LinearLayout::IndexValue> inputs;
      for (auto [dim, size] : spec.inSizes())
        inputs.emplace_back(dim, random.below(size));
      auto outputs = layout.apply(inputs);
      for (auto [dim, value] : inputs)
        ASSERT_EQ(inverse->applyTo(dim, outputs), value) << layout.str();
    }
  }
}

TEST(LayoutAlgebra, PropertiesAndPseudoInverseExhaustively) {
  size_t surjective = 0;
  using Sizes = std::array<int64_t, 3>;
  for (auto [regs, lanes, out] :
       {Sizes{4, 4, 4}, Sizes{2, 6, 6}, Sizes{6, 2, 4}, Sizes{4, 3, 6},
        Sizes{3, 4, 12}, Sizes{4, 4, 8}, Sizes{2, 4, 12}})
    for (auto &[table, layout] :
         distinct({{D::Register, regs}, {D::Lane, lanes}}, {{D::Dim0, out}})) {
      // Input (r, l) is entry r + regs * l: the order of significance.
      std::vector<int64_t> smallest(out, -1);
      bool injective = true;
      for (int64_t i = regs * lanes; i-- > 0;) {
        injective &= smallest[table[i]] < 0;
        smallest[table[i]] = i;
      }
      bool onto = true;
      for (int64_t i : smallest)
        onto &= i >= 0;
      ASSERT_EQ(layout.isInjective(), injective) << layout.str();
      ASSERT_EQ(layout.isSurjective(), onto) << layout.str();
      auto inverse = layout.pseudoInvert();
      ASSERT_EQ(inverse.has_value(), onto);
      if (!onto)
        continue;
      ++surjective;
      for (int64_t i = 0; i < out; ++i) {
        ASSERT_EQ(inverse->applyTo(D::Register, {{D::Dim0, i}}),
                  smallest[i] % regs)
            << layout.str();
        ASSERT_EQ(inverse->applyTo(D::Lane, {{D::Dim0, i}}), smallest[i] / regs)
            << layout.str();
      }
    }
  EXPECT_GT(surjective, 500u);
}

TEST(LayoutAlgebra, DivisionUndoesTheProduct) {
  RandomSpecs random(5);
  size_t cuts = 0;
  for (int n = 0; n < 5000; ++n) {
    bool bijective = n % 2;
    LinearLayout a =
        random.next({D::Register, D::Lane}, {D::Dim0, D::Dim1}, bijective)
            .layout();
    LinearLayout b =
        random.next({D::Lane, D::Register}, {D::Dim0, D::Dim1}, bijective)
            .layout();
    LinearLayout c = a * b;
    auto right = c.divideLeft(a);
    auto left = c.divideRight(b);
    if (c.isSurjective()) {
      ASSERT_TRUE(right) << c.str() << " by " << a.str();
      ASSERT_TRUE(left) << c.str() << " by " << b.str();
    }
    if (right) {
      ++cuts;
      EXPECT_EQ(*right, b);
    }
    if (left)
      EXPECT_EQ(*left, a);
  }
  EXPECT_GT(cuts, 4500u);
}

TEST(LayoutAlgebra, DivisionExhaustively) {
  // layout == tile * q for some q, found by trying all q.
  auto wholes = distinct({{D::Lane, 12}}, {{D::Dim0, 12}});
  for (auto [low, high] :
       {std::pair<int64_t, int64_t>{2, 6}, {6, 2}, {4, 3}, {3, 4}}) {
    auto tiles = distinct({{D::Lane, low}}, {{D::Dim0, low}});
    auto quotients = distinct({{D::Lane, high}}, {{D::Dim0, high}});
    std::map<std::string, LinearLayout> products;
    for (auto &[t, tile] : tiles)
      for (auto &[q, quotient] : quotients)
        products.try_emplace((tile * quotient).str() + " / " + tile.str(),
                             quotient);
    size_t divisible = 0;
    for (auto &[w, whole] : wholes)
      for (auto &[t, tile] : tiles) {
        auto found = products.find(whole.str() + " / " + tile.str());
        auto result = whole.divideLeft(tile);
        if (whole.isSurjective())
          ASSERT_EQ(result.has_value(), found != products.end())
              << whole.str() << " by " << tile.str();
        if (result) {
          ++divisible;
          ASSERT_NE(found, products.end())
              << whole.str() << " by " << tile.str();
          ASSERT_EQ(*result, found->second);
        }
      }
    EXPECT_GT(divisible, 0u);
  }
}

TEST(LayoutAlgebra, DivisionByOtherNames) {
  LinearLayout layout = layoutOf("register: 2*[0,1]; lane: 8*[1,0] -> [8, 2]");
  EXPECT_FALSE(layout.divideLeft(LinearLayout::identity(D::Warp, D::Dim0, 2)));
  EXPECT_FALSE(layout.divideLeft(LinearLayout::identity(D::Lane, D::Dim2, 2)));
  auto q = layout.divideLeft(LinearLayout::identity(D::Register, D::Dim1, 2));
  ASSERT_TRUE(q);
  EXPECT_EQ(q->str(), "lane: 8*[1,0] -> [8, 1]");
  auto r = layout.divideRight(LinearLayout::identity(D::Lane, D::Dim0, 4));
  ASSERT_TRUE(r);
  EXPECT_EQ(r->str(), "register: 2*[0,1]; lane: 2*[1,0] -> [2, 2]");
}

} // namespace
