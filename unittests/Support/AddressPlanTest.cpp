//===- AddressPlanTest.cpp - Address arithmetic against evaluation --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/AddressPlan.h"
#include "LayoutSpec.h"

#include "gtest/gtest.h"

using namespace fusion;
using namespace fusion::test;
using D = LayoutDim;

namespace {

TEST(AddressPlan, TheExampleOfTheHeader) {
  LinearLayout layout = layoutOf("register: x[8] x[16] x[32]; "
                                 "lane: x[72] x[144] x[288] -> [offset: 512]");
  auto plan = planAddresses(layout);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->terms.size(), 2u);
  for (const AddressPlan::Term &term : plan->terms) {
    EXPECT_EQ(term.input, D::Lane);
    EXPECT_EQ(term.weight, 1);
    EXPECT_EQ(term.radix, 8);
    EXPECT_EQ(term.step, term.isXor ? 8 : 64);
    EXPECT_TRUE(term.last);
  }
  EXPECT_EQ(plan->dynamicXorMask, 56);
  ASSERT_EQ(plan->registers.size(), 8u);
  for (int64_t r = 0; r < 8; ++r) {
    EXPECT_EQ(plan->registers[r].xorPart, 8 * r);
    EXPECT_EQ(plan->registers[r].addPart, 0);
    EXPECT_EQ(plan->registers[r].foldable, r == 0);
  }
}

TEST(AddressPlan, EqualsTheLayoutAtRandom) {
  RandomSpecs random(7);
  size_t planned = 0, foldable = 0, notFoldable = 0;
  for (int n = 0; n < 10000; ++n) {
    Spec spec = random.next({D::Register, D::Lane, D::Warp, D::Block},
                            {D::Offset}, false);
    LinearLayout layout = spec.layout();
    auto plan = planAddresses(layout);
    if (!plan)
      continue;
    ++planned;
    auto sizes = spec.inSizes();
    ASSERT_EQ(int64_t(plan->registers.size()), sizes[0].second);
    for (int64_t l = 0; l < sizes[1].second; ++l)
      for (int64_t w = 0; w < sizes[2].second; ++w)
        for (int64_t b = 0; b < sizes[3].second; ++b) {
          int64_t dynamic = 0;
          for (const AddressPlan::Term &term : plan->terms) {
            int64_t index = term.input == D::Lane   ? l
                            : term.input == D::Warp ? w
                                                    : b;
            int64_t digit = index / term.weight;
            // `last` spares the remainder.
            if (!term.last)
              digit %= term.radix;
            ASSERT_LT(digit, term.radix);
            if (term.isXor)
              dynamic ^= digit * term.step;
          }
          ASSERT_EQ(dynamic & ~plan->dynamicXorMask, 0);
          for (int64_t r = 0; r < sizes[0].second; ++r) {
            int64_t expected = spec.evaluate({r, l, w, b})[0];
            ASSERT_EQ(plan->evaluate(r, l, w, b), expected) << layout.str();
            const AddressPlan::Constant &constant = plan->registers[r];
            if (!constant.foldable)
              continue;
            ASSERT_EQ(dynamic ^ constant.xorPart, dynamic + constant.xorPart);
          }
        }
    for (const AddressPlan::Constant &constant : plan->registers)
      ++(constant.foldable ? foldable : notFoldable);
  }
  EXPECT_GT(planned, 8000u);
  EXPECT_GT(foldable, 1000u);
  EXPECT_GT(notFoldable, 1000u);
}

TEST(AddressPlan, FoldabilityIsExact) {
  // Not foldable means that for some thread the addition would be wrong.
  RandomSpecs random(8);
  for (int n = 0; n < 3000; ++n) {
    Spec spec = random.next({D::Register, D::Lane}, {D::Offset}, false);
    auto plan = planAddresses(spec.layout());
    if (!plan)
      continue;
    for (const AddressPlan::Constant &constant : plan->registers) {
      if (constant.foldable)
        continue;
      bool differs = false;
      for (int64_t l = 0; l < spec.inSizes()[1].second; ++l) {
        int64_t dynamic = 0;
        for (const AddressPlan::Term &term : plan->terms)
          if (term.isXor)
            dynamic ^= l / term.weight % term.radix * term.step;
        differs |= (dynamic ^ constant.xorPart) != dynamic + constant.xorPart;
      }
      EXPECT_TRUE(differs) << spec.layout().str();
    }
  }
}

TEST(AddressPlan, StridesOfSeveralOutputs) {
  LinearLayout layout =
      layoutOf("register: 3*[0,1] 2*[4,0]; lane: 4*[1,0] -> [8, 3]");
  auto plan = planAddresses(layout, {{D::Dim0, 100}, {D::Dim1, 7}});
  ASSERT_TRUE(plan);
  for (int64_t r = 0; r < 6; ++r)
    for (int64_t l = 0; l < 4; ++l) {
      auto at = layout.coords(r, l, 0);
      EXPECT_EQ(plan->evaluate(r, l, 0), 100 * at[0] + 7 * at[1]);
    }
  // No stride: the output does not count.
  auto column = planAddresses(layout, {{D::Dim1, 7}});
  ASSERT_TRUE(column);
  EXPECT_EQ(column->evaluate(5, 3, 0), 14);
  EXPECT_TRUE(column->terms.empty());
}

TEST(AddressPlan, Refusals) {
  EXPECT_FALSE(planAddresses(layoutOf("dim0: 4*[1] -> [offset: 4]")));
  EXPECT_FALSE(planAddresses(layoutOf("lane: x[3] x[9] -> [offset: 3*2*2]")));
  // XOR survives a stride only if that is a power of two.
  LinearLayout mixed = layoutOf("register: x[1]; lane: x[1] -> [offset: 2]");
  EXPECT_FALSE(planAddresses(mixed, {{D::Offset, 3}}));
  EXPECT_TRUE(planAddresses(mixed, {{D::Offset, 4}}));
  // (r ^ l) + (r ^ w) is 2 for r = 1, l = w = 0: no XOR of bits.
  LinearLayout twice = layoutOf("register: x[1,1]; lane: x[1,0]; "
                                "warp: x[0,1] -> [2, 2]");
  EXPECT_FALSE(planAddresses(twice));
  EXPECT_TRUE(planAddresses(twice, {{D::Dim0, 1}, {D::Dim1, 2}}));
}

} // namespace
