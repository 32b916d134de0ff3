//===- WarpExchangeTest.cpp - Layout conversions by shuffles --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/WarpExchange.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

using D = LayoutDim;

/// Eight elements in the registers of every lane.
LinearLayout inRegisters() {
  return LinearLayout::identity(D::Register, D::Dim0, 8) *
         LinearLayout::broadcast(D::Lane, 32);
}
/// Lane l holds element l % 8.
LinearLayout inLanes() {
  return LinearLayout::identity(D::Lane, D::Dim0, 8) *
         LinearLayout::broadcast(D::Lane, 4);
}

TEST(WarpExchangeTest, selectsOwnRegisters) {
  auto sources = planWarpExchange(inRegisters(), inLanes());
  ASSERT_TRUE(sources);
  ASSERT_EQ(sources->size(), 1u);
  EXPECT_TRUE((*sources)[0].isOwn(32));
  EXPECT_EQ((*sources)[0].base, 0);
  EXPECT_EQ((*sources)[0].byLaneBit,
            (llvm::SmallVector<int64_t, 5>{1, 2, 4, 0, 0}));
}

TEST(WarpExchangeTest, readsOneLanePerRegister) {
  auto sources = planWarpExchange(inLanes(), inRegisters());
  ASSERT_TRUE(sources);
  ASSERT_EQ(sources->size(), 8u);
  for (auto [number, source] : llvm::enumerate(*sources)) {
    EXPECT_FALSE(source.isOwn(32));
    EXPECT_EQ(source.base, 0);
    EXPECT_EQ(source.kept, 0);
    EXPECT_EQ(source.added, int64_t(number));
  }
}

TEST(WarpExchangeTest, keepsTheLanesOfOtherDigits) {
  // Eight lanes along the axis, four beside it: two registers of four.
  LinearLayout rows = LinearLayout::identity(D::Lane, D::Dim0, 8) *
                      LinearLayout::broadcast(D::Lane, 4) *
                      LinearLayout::identity(D::Register, D::Dim0, 4);
  LinearLayout shared = LinearLayout::identity(D::Lane, D::Dim0, 32);
  auto sources = planWarpExchange(shared, rows);
  ASSERT_TRUE(sources);
  for (auto [number, source] : llvm::enumerate(*sources)) {
    EXPECT_EQ(source.kept, 7);
    EXPECT_EQ(source.added, 8 * int64_t(number));
  }
}

TEST(WarpExchangeTest, rejectsElementsOfOtherWarps) {
  LinearLayout all = LinearLayout::identity(D::Register, D::Dim0, 2) *
                     LinearLayout::broadcast(D::Lane, 32) *
                     LinearLayout::broadcast(D::Warp, 2);
  LinearLayout ofWarps = LinearLayout::broadcast(D::Lane, 32) *
                         LinearLayout::identity(D::Warp, D::Dim0, 2);
  EXPECT_FALSE(planWarpExchange(ofWarps, all));
  // A warp selects what it holds.
  EXPECT_TRUE(planWarpExchange(all, ofWarps));
}

} // namespace
