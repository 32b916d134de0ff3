//===- TileLayoutsTest.cpp - Fragments, tiles, blocked layouts ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments are compared with the PTX ISA's formulas, copied from its text
// unchanged (groupID, threadID_in_group, i).
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/TileLayouts.h"
#include "LayoutSpec.h"

#include "gtest/gtest.h"

#include <set>

using namespace fusion;
using namespace fusion::test;
using D = LayoutDim;
using Coords = llvm::SmallVector<int64_t>;

namespace {

TEST(Fragments, AccumulatorOfM16N8) {
  LinearLayout layout = mmaAccumulator16x8();
  EXPECT_EQ(layout.str(),
            "register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]");
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i) {
      int64_t groupID = lane >> 2, threadID_in_group = lane % 4;
      int64_t row = i < 2 ? groupID : groupID + 8;
      int64_t col = threadID_in_group * 2 + (i & 0x1);
      EXPECT_EQ(layout.coords(i, lane, 0), (Coords{row, col}));
    }
  EXPECT_TRUE(layout.isBijective());
}

TEST(Fragments, OperandsOfM16N8K16) {
  LinearLayout a = mmaOperandA(16), b = mmaOperandB(16);
  EXPECT_EQ(a.inSize(D::Register), 8);
  EXPECT_EQ(b.inSize(D::Register), 4);
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t groupID = lane >> 2, threadID_in_group = lane % 4;
    for (int64_t i = 0; i < 8; ++i) {
      int64_t row =
          (0 <= i && i < 2) || (4 <= i && i < 6) ? groupID : groupID + 8;
      int64_t col = i < 4 ? (threadID_in_group * 2) + (i & 0x1)
                          : (threadID_in_group * 2) + (i & 0x1) + 8;
      EXPECT_EQ(a.coords(i, lane, 0), (Coords{row, col}));
    }
    for (int64_t i = 0; i < 4; ++i) {
      int64_t row = i < 2 ? (threadID_in_group * 2) + (i & 0x1)
                          : (threadID_in_group * 2) + (i & 0x1) + 8;
      EXPECT_EQ(b.coords(i, lane, 0), (Coords{row, groupID}));
    }
  }
  EXPECT_TRUE(a.isBijective());
  EXPECT_TRUE(b.isBijective());
}

TEST(Fragments, OperandsOfM16N8K32) {
  LinearLayout a = mmaOperandA(8), b = mmaOperandB(8);
  EXPECT_EQ(a.inSize(D::Register), 16);
  EXPECT_EQ(b.inSize(D::Register), 8);
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t groupID = lane >> 2, threadID_in_group = lane % 4;
    for (int64_t i = 0; i < 16; ++i) {
      int64_t row =
          (0 <= i && i < 4) || (8 <= i && i < 12) ? groupID : groupID + 8;
      int64_t col = i < 8 ? (threadID_in_group * 4) + (i & 0x3)
                          : (threadID_in_group * 4) + (i & 0x3) + 16;
      EXPECT_EQ(a.coords(i, lane, 0), (Coords{row, col}));
    }
    for (int64_t i = 0; i < 8; ++i) {
      int64_t row = i < 4 ? (threadID_in_group * 4) + (i & 0x3)
                          : (threadID_in_group * 4) + (i & 0x3) + 16;
      EXPECT_EQ(b.coords(i, lane, 0), (Coords{row, groupID}));
    }
  }
  EXPECT_TRUE(a.isBijective());
  EXPECT_TRUE(b.isBijective());
}

TEST(Fragments, OperandsOfM16N8K8Tf32) {
  LinearLayout a = mmaOperandA(32), b = mmaOperandB(32);
  EXPECT_EQ(a.inSize(D::Register), 4);
  EXPECT_EQ(b.inSize(D::Register), 2);
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t groupID = lane >> 2, threadID_in_group = lane % 4;
    for (int64_t i = 0; i < 4; ++i) {
      int64_t row = i == 0 || i == 2 ? groupID : groupID + 8;
      int64_t col = i < 2 ? threadID_in_group : threadID_in_group + 4;
      EXPECT_EQ(a.coords(i, lane, 0), (Coords{row, col}));
    }
    for (int64_t i = 0; i < 2; ++i) {
      int64_t row = i == 0 ? threadID_in_group : threadID_in_group + 4;
      EXPECT_EQ(b.coords(i, lane, 0), (Coords{row, groupID}));
    }
  }
}

TEST(TileMma, EveryWarpOwnsABlock) {
  for (auto [m, n, warpsM, warpsN] : {std::array<int64_t, 4>{64, 96, 2, 3},
                                      {48, 80, 3, 1},
                                      {96, 64, 3, 4},
                                      {16, 8, 1, 1},
                                      {16, 8, 4, 2},
                                      {80, 24, 4, 2},
                                      {160, 40, 5, 5}}) {
    LinearLayout layout = mmaAccumulatorTile(m, n, warpsM, warpsN);
    EXPECT_EQ(layout.outSize(D::Dim0), m);
    EXPECT_EQ(layout.outSize(D::Dim1), n);
    EXPECT_EQ(layout.inSize(D::Lane), 32);
    EXPECT_EQ(layout.inSize(D::Warp), warpsM * warpsN);
    EXPECT_TRUE(layout.isSurjective());
    int64_t blocksM = std::gcd(warpsM, m / 16),
            blocksN = std::gcd(warpsN, n / 8);
    int64_t blockM = m / blocksM, blockN = n / blocksN;
    ASSERT_EQ(layout.inSize(D::Register), blockM * blockN / 32);
    for (int64_t w = 0; w < warpsM * warpsN; ++w) {
      std::set<std::pair<int64_t, int64_t>> seen;
      int64_t row0 = w % warpsM % blocksM * blockM;
      int64_t col0 = w / warpsM % blocksN * blockN;
      for (int64_t l = 0; l < 32; ++l)
        for (int64_t r = 0; r < layout.inSize(D::Register); ++r) {
          Coords c = layout.coords(r, l, w);
          ASSERT_GE(c[0], row0);
          ASSERT_LT(c[0], row0 + blockM);
          ASSERT_GE(c[1], col0);
          ASSERT_LT(c[1], col0 + blockN);
          seen.insert({c[0], c[1]});
          // Register 4q + i is element i of fragment q, columns fastest.
          int64_t q = r / 4, perRow = blockN / 8;
          Coords f = mmaAccumulator16x8().coords(r % 4, l, 0);
          ASSERT_EQ(c, (Coords{row0 + q / perRow * 16 + f[0],
                               col0 + q % perRow * 8 + f[1]}));
        }
      EXPECT_EQ(int64_t(seen.size()), blockM * blockN);
    }
  }
}

TEST(TileMma, EvenWarpsAlternateInsideOddRepetitions) {
  // Ten n8 fragments on two warps: warp w has the fragments w, w + 2, ...
  LinearLayout layout = mmaAccumulatorTile(16, 80, 1, 2);
  for (int64_t w = 0; w < 2; ++w)
    for (int64_t q = 0; q < 5; ++q)
      EXPECT_EQ(layout.coords(4 * q, 0, w), (Coords{0, 8 * (2 * q + w)}));
  // Twelve on six: two consecutive ones each, pairs of warps inside the three.
  layout = mmaAccumulatorTile(16, 96, 1, 6);
  for (int64_t w = 0; w < 6; ++w)
    for (int64_t q = 0; q < 2; ++q)
      EXPECT_EQ(layout.coords(4 * q, 0, w), (Coords{0, 8 * (2 * w + q)}));
}

TEST(TileMma, OperandsAreReplicatedAlongTheOtherWarps) {
  LinearLayout a = mmaOperandATile(16, 64, 48, 2, 3);
  LinearLayout b = mmaOperandBTile(16, 48, 72, 2, 3);
  for (int64_t w = 0; w < 6; ++w) {
    EXPECT_EQ(a.coords(5, 7, w), a.coords(5, 7, w % 2));
    EXPECT_EQ(b.coords(5, 7, w), b.coords(5, 7, w / 2 * 2));
    EXPECT_EQ(a.coords(0, 0, w)[0], w % 2 * 32);
    EXPECT_EQ(b.coords(0, 0, w)[1], w / 2 * 24);
  }
  EXPECT_EQ(a.freeDigits(D::Warp).size(), 1u);
  EXPECT_EQ(a.freeDigits(D::Warp)[0].radix, 3);
  EXPECT_EQ(b.broadcastMask(D::Warp), 1);
}

TEST(TileMma, RegisterOrder) {
  LinearLayout columnsFirst = tileMma(mmaAccumulator16x8(), {32, 16}, {1, 1});
  LinearLayout rowsFirst =
      tileMma(mmaAccumulator16x8(), {32, 16}, {1, 1}, {0, 1});
  EXPECT_EQ(columnsFirst.coords(4, 0, 0), (Coords{0, 8}));
  EXPECT_EQ(rowsFirst.coords(4, 0, 0), (Coords{16, 0}));
  auto p = registerPermutation(columnsFirst, rowsFirst);
  ASSERT_TRUE(p);
  EXPECT_EQ(*p, (Coords{0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15}));
}

TEST(TileMma, AccumulatorIsTheNextProductsOperand) {
  // An accumulator [m, n] is, register by register, the operand A [m, k = n] of
  // the next contraction, as long as the warps lie along m.
  for (int64_t m : {16, 64, 96})
    for (int64_t n : {16, 32, 80, 128})
      for (int64_t warps : {1, 2, 3, 4}) {
        LinearLayout c = mmaAccumulatorTile(m, n, warps, 1);
        LinearLayout a = mmaOperandATile(16, m, n, warps, 1);
        auto p = registerPermutation(c, a);
        ASSERT_TRUE(p);
        // Within a row of fragments the order is the same too.
        if (m / 16 == std::gcd(warps, m / 16))
          EXPECT_EQ(c, a);
      }
  // Along n they do not.
  EXPECT_FALSE(registerPermutation(mmaAccumulatorTile(64, 64, 2, 2),
                                   mmaOperandATile(16, 64, 64, 2, 2)));
  // f32 accumulators are no tf32 operands without shuffles, but with them.
  EXPECT_FALSE(registerPermutation(mmaAccumulatorTile(64, 64, 4, 1),
                                   mmaOperandATile(32, 64, 64, 4, 1)));
  EXPECT_TRUE(shuffleOnly(mmaAccumulatorTile(64, 64, 4, 1),
                          mmaOperandATile(32, 64, 64, 4, 1)));
  EXPECT_FALSE(shuffleOnly(mmaAccumulatorTile(64, 64, 2, 2),
                           mmaOperandATile(16, 64, 64, 2, 2)));
}

TEST(TileMma, ReductionsOverColumnsStayInQuads) {
  // Row sums of an accumulator: registers and two bits of the lane.
  LinearLayout rows = mmaAccumulatorTile(64, 80, 4, 1).reduceOut(1);
  EXPECT_EQ(rows.broadcastMask(D::Lane), 0b11);
  EXPECT_EQ(rows.broadcastMask(D::Warp), 0);
  EXPECT_EQ(rows.outSize(D::Dim0), 64);
  EXPECT_FALSE(rows.hasOut(D::Dim1));
}

TEST(Blocked, CoversAnyShape) {
  for (auto [rows, cols] : {std::pair<int64_t, int64_t>{64, 64},
                            {80, 24},
                            {7, 80},
                            {1, 8},
                            {1, 1},
                            {16, 72},
                            {3, 5},
                            {128, 256}})
    for (int64_t vector : {1, 2, 4, 8})
      for (int64_t warps : {1, 3, 4, 8})
        for (bool rowMajor : {true, false}) {
          llvm::SmallVector<unsigned> order =
              rowMajor ? llvm::SmallVector<unsigned>{1, 0}
                       : llvm::SmallVector<unsigned>{0, 1};
          LinearLayout layout = blocked({rows, cols}, order, vector, warps);
          EXPECT_EQ(layout.outSize(D::Dim0), rows);
          EXPECT_EQ(layout.outSize(D::Dim1), cols);
          EXPECT_EQ(layout.inSize(D::Lane), 32);
          EXPECT_EQ(layout.inSize(D::Warp), warps);
          EXPECT_TRUE(layout.isSurjective());
          // Every element exactly once but for replicas of whole threads.
          int64_t replicas = 1;
          for (D in : {D::Lane, D::Warp})
            for (auto &digit : layout.freeDigits(in))
              replicas *= digit.radix;
          EXPECT_TRUE(layout.freeDigits(D::Register).empty());
          EXPECT_EQ(layout.totalInSize(), rows * cols * replicas);
          int64_t fast = rowMajor ? cols : rows;
          EXPECT_EQ(layout.contiguousRegisters(tileDim(order[0])) %
                        std::gcd(vector, fast),
                    0);
        }
}

TEST(Blocked, LanesGoAlongTheFastestCoordinate) {
  EXPECT_EQ(blocked({64, 64}, {1, 0}, 8, 4).str(),
            "register: 8*[0,1] 4*[16,0]; lane: 8*[0,8] 4*[1,0]; "
            "warp: 4*[4,0] -> [64, 64]");
  EXPECT_EQ(blocked({80, 24}, {1, 0}, 8, 4).str(),
            "register: 24*[0,1] 5*[16,0]; lane: 16*[1,0] 2*[0,0]; "
            "warp: 4*[0,0] -> [80, 24]");
  EXPECT_EQ(blocked({4, 5, 64}, {2, 1, 0}, 2, 2).str(),
            "register: 2*[0,0,1] 5*[0,1,0] 2*[2,0,0]; lane: 32*[0,0,2]; "
            "warp: 2*[1,0,0] -> [4, 5, 64]");
}

/// What ldmatrix does: lane l's address gives row l % 8 of matrix l / 8; thread
/// l receives elements 2 * (l % 4) + {0, 1} of row l / 4 of each matrix,
/// or, with .trans, row 2 * (l % 4) + {0, 1} at column l / 4.
void checkMatrixAccess(const LinearLayout &layout, bool transposed,
                       unsigned matrices) {
  auto access = matrixAccess(layout);
  ASSERT_TRUE(access) << layout.str();
  EXPECT_EQ(access->transposed, transposed);
  EXPECT_EQ(access->matrices, matrices);
  int64_t warps = layout.inSize(D::Warp), regs = layout.inSize(D::Register);
  for (int64_t w = 0; w < warps; ++w)
    for (int64_t i = 0; i * 2 * matrices < regs; ++i)
      for (int64_t m = 0; m < matrices; ++m)
        for (int64_t l = 0; l < 32; ++l)
          for (int64_t e = 0; e < 2; ++e) {
            int64_t row = transposed ? 2 * (l % 4) + e : l / 4;
            int64_t col = transposed ? l / 4 : 2 * (l % 4) + e;
            Coords at = access->rows.coords(i, 8 * m + row, w);
            EXPECT_EQ(layout.coords(2 * (matrices * i + m) + e, l, w),
                      (Coords{at[0], at[1] + col}));
          }
}

TEST(MatrixAccess, OperandsAndAccumulators) {
  checkMatrixAccess(mmaOperandATile(16, 64, 80, 2, 1), false, 4);
  checkMatrixAccess(mmaOperandATile(16, 48, 16, 3, 2), false, 4);
  checkMatrixAccess(mmaOperandA(16), false, 4);
  // B from a [k x n] buffer.
  checkMatrixAccess(mmaOperandBTile(16, 64, 80, 2, 1), true, 4);
  checkMatrixAccess(mmaOperandBTile(16, 48, 8, 2, 1), true, 2);
  checkMatrixAccess(mmaOperandB(16), true, 2);
  // B from an [n x k] buffer.
  checkMatrixAccess(mmaOperandBTile(16, 64, 80, 1, 1).transposeOuts({1, 0}),
                    false, 4);
  // A stored transposed.
  checkMatrixAccess(mmaOperandATile(16, 64, 32, 2, 1).transposeOuts({1, 0}),
                    true, 4);
  // stmatrix of accumulators rounded to 16 bits.
  checkMatrixAccess(mmaAccumulatorTile(64, 80, 4, 1), false, 4);
  checkMatrixAccess(matrixFragment8x8(false), false, 1);
  checkMatrixAccess(matrixFragment8x8(true), true, 1);
  // Thirteen fragments along n: their two halves along k, no warpgroups.
  checkMatrixAccess(mmaOperandBTile(16, 64, 208, 1, 2), true, 2);
  EXPECT_FALSE(matrixAccess(blocked({64, 64}, {1, 0}, 8, 4)));
  EXPECT_FALSE(matrixAccess(mmaOperandATile(8, 64, 64, 2, 1)));
  EXPECT_FALSE(matrixAccess(mmaOperandATile(32, 64, 64, 2, 1)));
}

} // namespace
