//===- FragmentLayoutsTest.cpp - Tiles of the intrinsics ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Layouts/FragmentLayouts.h"

#include "gtest/gtest.h"

#include <array>
#include <set>
#include <string>

using namespace fusion;

namespace {

using D = LayoutDim;

constexpr OperandOrder kOrders[] = {OperandOrder::AlongReduced,
                                    OperandOrder::AlongColumns};

/// Lanes that hold different elements along a dimension.
int64_t lanesAlong(const LinearLayout &layout, unsigned dimension) {
  std::set<int64_t> seen;
  for (int64_t lane = 0; lane < 32; ++lane)
    seen.insert(layout.coords(0, lane, 0)[dimension]);
  return seen.size();
}

TEST(FragmentLayouts, FragmentsAreWhatTheIntrinsicSays) {
  for (const Intrinsic &intrinsic : allIntrinsics()) {
    if (intrinsic.isMicroKernel()) // has no fragments
      continue;
    SCOPED_TRACE(intrinsic.name.str());
    LinearLayout sum = accumulatorFragment(intrinsic),
                 first = operandAFragment(intrinsic);
    EXPECT_EQ(sum.outSize(D::Dim0), intrinsic.i1);
    EXPECT_EQ(sum.outSize(D::Dim1), intrinsic.i2);
    EXPECT_TRUE(sum.isBijective());
    EXPECT_EQ(lanesAlong(sum, 0), 8);
    EXPECT_EQ(lanesAlong(sum, 1), 4);
    EXPECT_EQ(first.outSize(D::Dim0), intrinsic.i1);
    EXPECT_EQ(first.outSize(D::Dim1), intrinsic.r1);
    EXPECT_TRUE(first.isSurjective());
    EXPECT_EQ(lanesAlong(first, 0), intrinsic.parallelLanes(true));
    EXPECT_EQ(lanesAlong(first, 1), intrinsic.reducedLanes);
    auto words = [&](const LinearLayout &layout) {
      return layout.inSize(D::Register) * intrinsic.operandBits / 32;
    };
    EXPECT_EQ(words(first), intrinsic.operandRegisters(true, intrinsic.i1));
    for (OperandOrder order : kOrders) {
      if (!intrinsic.rhs.registers)
        continue;
      LinearLayout second = operandBFragment(intrinsic, order);
      EXPECT_EQ(second.outSize(D::Dim0), intrinsic.r1);
      EXPECT_EQ(second.outSize(D::Dim1), intrinsic.i2);
      EXPECT_TRUE(second.isSurjective());
      EXPECT_EQ(lanesAlong(second, 1), intrinsic.parallelLanes(false));
      EXPECT_EQ(lanesAlong(second, 0), intrinsic.reducedLanes);
      EXPECT_EQ(words(second), intrinsic.operandRegisters(false, intrinsic.i2));
    }
  }
}

/// A tile that one product makes is the next one's operand by a renaming of
/// registers, exactly where the intrinsics say so.
TEST(FragmentLayouts, IntermediateEpilogue) {
  for (const Intrinsic &from : allIntrinsics())
    for (const Intrinsic &to : allIntrinsics()) {
      if (from.isMicroKernel() || to.isMicroKernel()) // have no fragments
        continue;
      EXPECT_EQ(registerPermutation(accumulatorTile(from, 128, 96, {4, 1}),
                                    operandATile(to, 128, 96, {4, 1}))
                    .has_value(),
                from.forwardsTo(to))
          << from.name.str() << " " << to.name.str();
    }
}

/// Warpgroups hold what single warps do where each warp has 16 rows, or an
/// odd number of times as many.
TEST(FragmentLayouts, HandOverOfOddStepsOfRows) {
  const Intrinsic &single = *lookupIntrinsic("mma.m16n8k16"),
                  &group = *lookupIntrinsic("wgmma.m64k16");
  for (auto [from, to] :
       {std::pair(&single, &group), std::pair(&group, &single)})
    for (int64_t warps : {4, 8, 12})
      for (int64_t rows : {16, 32, 48, 64, 80, 96})
        EXPECT_EQ(registerPermutation(
                      accumulatorTile(*from, rows * warps, 96, {warps, 1}),
                      operandATile(*to, rows * warps, 96, {warps, 1}))
                      .has_value(),
                  rows / 16 % 2 == 1)
            << from->name.str() << ", " << warps << " warps of " << rows;
}

/// Four warps one below the other hold 64 rows, whatever lies below them.
TEST(FragmentLayouts, GroupsOfWarpsHoldRowsTogether) {
  const Intrinsic &intrinsic = *lookupIntrinsic("wgmma.m64k16");
  for (int64_t groups : {1, 2})
    for (int64_t blocks : {1, 2, 3}) {
      LinearLayout sum =
          accumulatorTile(intrinsic, 64 * groups * blocks, 32, {4 * groups, 1});
      for (int64_t warp = 0; warp < 4 * groups; ++warp)
        for (int64_t reg = 0; reg < sum.inSize(D::Register); ++reg) {
          int64_t first = sum.coords(reg, 0, warp / 4 * 4)[0];
          EXPECT_EQ(sum.coords(reg, 0, warp)[0], first + 16 * (warp % 4));
          EXPECT_EQ(first % 64, first % 16);
        }
    }
}

/// Most accesses of one bank, 4-byte words, in a pass.
int64_t wavefronts(const std::vector<int64_t> &bytes) {
  std::array<std::set<int64_t>, 32> banks;
  for (int64_t at : bytes)
    banks[at / 4 % 32].insert(at / 4);
  int64_t most = 0;
  for (const auto &bank : banks)
    most = std::max<int64_t>(most, bank.size());
  return most;
}

/// The worst pass of the loads of one operand tile; nullopt where addresses do
/// not follow from lanes and registers.
std::optional<int64_t> worstPass(const LinearLayout &layout, unsigned bits,
                                 const LinearLayout &stored) {
  std::optional<LinearLayout> offset = stored.invert();
  if (!offset)
    return std::nullopt;
  int64_t worst = 0, bytes = bits / 8;
  std::optional<MatrixAccess> matrices = matrixAccess(layout, bits);
  auto addresses = compose(matrices ? matrices->rows : layout, *offset);
  if (!addresses || !planAddresses(*addresses))
    return std::nullopt;
  int64_t width =
      matrices
          ? 16
          : std::min<int64_t>(16, layout.contiguousRegisters(D::Dim1) * bytes);
  // ldmatrix takes a pass for eight addresses, as accesses of 16 bytes do.
  int64_t lanes = matrices ? 8 : std::min<int64_t>(32, 128 / width);
  int64_t step = matrices ? 1 : width / bytes;
  int64_t active = matrices ? 8 * matrices->matrices : 32;
  for (int64_t reg = 0; reg < addresses->inSize(D::Register); reg += step)
    for (int64_t warp = 0; warp < addresses->inSize(D::Warp); ++warp)
      for (int64_t start = 0; start < active; start += lanes) {
        std::vector<int64_t> touched;
        for (int64_t lane = start; lane < start + lanes; ++lane)
          for (int64_t byte = 0; byte < width; ++byte)
            touched.push_back(addresses->coords(reg, lane, warp)[0] * bytes +
                              byte);
        worst = std::max(worst, wavefronts(touched));
      }
  return worst;
}

TEST(FragmentLayouts, OperandsAreLoadedWithoutConflicts) {
  for (const Intrinsic &intrinsic : allIntrinsics())
    for (int64_t extent : {32, 48, 64, 128})
      if (!intrinsic.isMicroKernel()) // has no fragments
        for (int64_t depth : {32, 64, 96, 128})
          for (bool isOperandA : {true, false})
            for (bool reducedIsContiguous : {true, false}) {
              if (isOperandA && extent % (2 * intrinsic.i1))
                continue;
              // Lanes load nothing of operands in shared memory.
              if (intrinsic.readsShared())
                continue;
              LinearLayout layout =
                  isOperandA ? operandATile(intrinsic, extent, depth, {2, 1})
                             : operandBTile(intrinsic, depth, extent, {2, 1},
                                            reducedIsContiguous
                                                ? OperandOrder::AlongReduced
                                                : OperandOrder::AlongColumns);
              // As it lies in memory: the contiguous axis last.
              bool isTransposed = isOperandA != reducedIsContiguous;
              if (isTransposed)
                layout = layout.transposeOuts({1, 0});
              int64_t rows = layout.outSize(D::Dim0),
                      columns = layout.outSize(D::Dim1);
              auto stored = sharedPanels(
                  rows, columns, intrinsic.operandBits / 8,
                  operandPanels(intrinsic, isOperandA, reducedIsContiguous));
              ASSERT_TRUE(stored);
              std::optional<int64_t> worst =
                  worstPass(layout, intrinsic.operandBits, *stored);
              ASSERT_TRUE(worst);
              bool isClaimed = !(isOperandA && !reducedIsContiguous &&
                                 intrinsic.operandBits == 8);
              if (isClaimed)
                EXPECT_EQ(*worst, 1)
                    << intrinsic.name.str() << " " << rows << " x " << columns
                    << (isOperandA ? " first" : " second")
                    << (reducedIsContiguous ? " along" : " across");
            }
}

TEST(FragmentLayouts, ColumnsOfAnInstructionAreOfOneGroup) {
  const Intrinsic &intrinsic = *lookupIntrinsic("wgmma.m64k16");
  for (int64_t groups : {1, 2, 3, 4, 6})
    for (int64_t parts = 1; parts <= 40; ++parts) {
      int64_t n = groups * 8 * parts;
      SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(groups));
      int64_t columns = instructionColumns(n, groups, 2);
      ASSERT_GT(columns, 0);
      LinearLayout sum =
          accumulatorTile(intrinsic, 64, n, std::array<int64_t, 2>{4, groups});
      std::set<int64_t> own;
      for (int64_t reg = 0; reg < sum.inSize(D::Register); ++reg)
        own.insert(sum.coords(reg, 0, 0)[1] / 8);
      EXPECT_EQ(int64_t(own.size()), parts);
      // Where one begins, all of it is there.
      for (int64_t at = 0; at < n; at += columns)
        for (int64_t next = 0; next < columns; next += 8)
          EXPECT_EQ(own.count((at + next) / 8), own.count(at / 8));
    }
  EXPECT_EQ(instructionColumns(320, 1, 2), 160);
  EXPECT_EQ(instructionColumns(320, 2, 2), 32);
  EXPECT_EQ(instructionColumns(512, 2, 2), 256);
}

} // namespace
