//===- SharedLayoutsTest.cpp - Swizzles, bank conflicts, copies -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutSpec.h"
#include "fusion/Support/TileLayouts.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace fusion;
using namespace fusion::test;
using D = LayoutDim;

namespace {

/// Shared memory has 32 banks of 4 bytes, word w in bank w % 32; eight 16-byte
/// accesses are one wavefront if no two of them want different words of a bank.
/// Returns the wavefronts they take.
int64_t wavefronts(const std::vector<int64_t> &byteAddresses) {
  std::map<int64_t, std::set<int64_t>> wordsOfBank;
  for (int64_t address : byteAddresses)
    for (int64_t word = address / 4; word < address / 4 + 4; ++word)
      wordsOfBank[word % 32].insert(word);
  size_t most = 0;
  for (auto &[bank, words] : wordsOfBank)
    most = std::max(most, words.size());
  return most;
}

TEST(SharedPanels, FollowsItsFormula) {
  for (int64_t bytes : {1, 2, 4, 8, 16})
    for (int64_t units : {1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 40})
      for (int64_t rows : {1, 2, 4, 8, 24, 64, 80}) {
        int64_t perUnit = 16 / bytes, cols = units * perUnit;
        auto layout = sharedPanels(rows, cols, bytes);
        ASSERT_TRUE(layout);
        EXPECT_EQ(layout->inSize(D::Offset), rows * cols);
        EXPECT_EQ(layout->outSize(D::Dim0), rows);
        EXPECT_EQ(layout->outSize(D::Dim1), cols);
        auto inverse = layout->invert();
        ASSERT_TRUE(inverse);
        int64_t p = 1, log = 0;
        while (p < 8 && units % (2 * p) == 0)
          p *= 2, ++log;
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t col = 0; col < cols; ++col) {
            int64_t unit = col / perUnit, panel = unit / p;
            int64_t stored = (unit % p) ^ ((row >> (3 - log)) & (p - 1));
            int64_t offset =
                (panel * rows * p + row * p + stored) * perUnit + col % perUnit;
            ASSERT_EQ(
                inverse->applyTo(D::Offset, {{D::Dim0, row}, {D::Dim1, col}}),
                offset);
          }
      }
}

TEST(SharedPanels, IsTheSwizzleOfTheTma) {
  // PTX ISA: the 128-, 64- and 32-byte swizzles XOR the address bits of the
  // 16-byte chunk, from bit 4, with those from bit 7: three, two and one of
  // them. So a panel of rows of that many bytes has at linear address a what
  // an unswizzled one has at a ^ ((a >> 3) & mask).
  for (int64_t span : {32, 64, 128}) {
    int64_t mask = (span / 16 - 1) << 4;
    auto layout = sharedPanels(64, span, 1);
    ASSERT_TRUE(layout);
    for (int64_t address = 0; address < 64 * span; ++address) {
      int64_t logical = address ^ ((address >> 3) & mask);
      auto at = layout->apply({{D::Offset, address}});
      ASSERT_EQ(at[0].second * span + at[1].second, logical);
    }
  }
}

// Boxes one after the other, panel by panel, each row in the swizzle of its
// address: that is the layout.
TEST(BoxShape, BoxesFillTheBuffer) {
  for (int64_t bytes : {1, 2, 4, 8})
    for (int64_t units : {1, 2, 3, 4, 5, 6, 8, 12, 16})
      for (int64_t rows : {8, 16, 24, 64, 80, 256, 264, 272, 320, 512}) {
        int64_t cols = units * 16 / bytes;
        auto shape = boxShape(rows, cols, bytes);
        ASSERT_TRUE(shape);
        EXPECT_LE(shape->rows, 256);
        EXPECT_EQ(shape->rows % 8, 0);
        EXPECT_EQ(shape->rows * shape->rowBoxes, rows);
        EXPECT_EQ(shape->columns * shape->panels, cols);
        int64_t rowBytes = shape->columns * bytes;
        EXPECT_EQ(shape->boxBytes, shape->rows * rowBytes);
        EXPECT_EQ(shape->swizzleBytes, rowBytes > 16 ? rowBytes : 0);
        int64_t mask = (rowBytes / 16 - 1) << 4;
        auto inverse = sharedPanels(rows, cols, bytes)->invert();
        for (int64_t panel = 0; panel < shape->panels; ++panel)
          for (int64_t box = 0; box < shape->rowBoxes; ++box)
            for (int64_t row = 0; row < shape->rows; ++row)
              for (int64_t col = 0; col < shape->columns; ++col) {
                int64_t address =
                    (panel * shape->rowBoxes + box) * shape->boxBytes +
                    row * rowBytes + col * bytes;
                ASSERT_EQ(
                    inverse->applyTo(
                        D::Offset, {{D::Dim0, box * shape->rows + row},
                                    {D::Dim1, panel * shape->columns + col}}) *
                        bytes,
                    address ^ ((address >> 3) & mask));
              }
      }
}

TEST(BoxShape, Refusals) {
  EXPECT_FALSE(boxShape(64, 12, 2)); // 24-byte rows
  EXPECT_FALSE(boxShape(12, 64, 2)); // a swizzle repeats after 8 rows
  EXPECT_FALSE(boxShape(4, 8, 2));
  EXPECT_FALSE(boxShape(0, 64, 2));
}

// What an accumulator's fragment of f32 writes: lane l holds columns 2 (l % 4) and
// the next of row l / 4. Sixteen lanes write 128 bytes at a time, which all lie in
// different banks; eight lanes read a unit each.
TEST(SharedPanels, PairsAreWrittenAndReadWithoutConflicts) {
  for (int64_t cols : {8, 16, 32, 64, 96}) {
    auto layout = sharedPanels(16, cols, 4, PanelOrder::Pairs);
    ASSERT_TRUE(layout);
    auto inverse = layout->invert();
    ASSERT_TRUE(inverse);
    auto bankOf = [&](int64_t row, int64_t column) {
      return inverse->applyTo(D::Offset, {{D::Dim0, row}, {D::Dim1, column}}) %
             32;
    };
    for (int64_t column = 0; column < cols; column += 8)
      for (int64_t first = 0; first < 16; first += 4) {
        std::set<int64_t> banks;
        for (int64_t lane = 0; lane < 16; ++lane)
          for (int64_t half : {0, 1})
            banks.insert(
                bankOf(first + lane / 4, column + 2 * (lane % 4) + half));
        EXPECT_EQ(banks.size(), 32u) << cols << " columns, row " << first;
      }
    for (int64_t row = 0; row < 16 && cols >= 32; ++row)
      for (int64_t column = 0; column < cols; column += 32) {
        std::set<int64_t> banks;
        for (int64_t c = 0; c < 32; ++c)
          banks.insert(bankOf(row, column + c));
        EXPECT_EQ(banks.size(), 32u);
      }
  }
}

TEST(SharedPanels, Refusals) {
  EXPECT_FALSE(sharedPanels(64, 12, 2)); // 24-byte rows
  EXPECT_FALSE(sharedPanels(64, 3, 4));
  EXPECT_FALSE(sharedPanels(64, 64, 3));
  EXPECT_FALSE(sharedPanels(64, 64, 32));
  EXPECT_FALSE(sharedPanels(64, 64, 0));
  EXPECT_FALSE(sharedPanels(64, 0, 2));
  EXPECT_FALSE(sharedPanels(0, 64, 2));
  EXPECT_FALSE(sharedPanels(12, 64, 2)); // bit 2 of a row of 12 is no digit
  EXPECT_TRUE(sharedPanels(12, 8, 2));   // not swizzled
}

TEST(SharedPanels, NoBankConflicts) {
  for (int64_t units = 1; units <= 64; ++units)
    for (int64_t rows : {8, 16, 24, 64, 80, 120}) {
      auto layout = sharedPanels(rows, units * 8, 2);
      ASSERT_TRUE(layout);
      auto inverse = layout->invert();
      ASSERT_TRUE(inverse);
      // ldmatrix: eight rows at one unit.
      for (int64_t row = 0; row < rows; row += 8)
        for (int64_t unit = 0; unit < units; ++unit) {
          std::vector<int64_t> addresses;
          std::set<int64_t> groups;
          for (int64_t i = 0; i < 8; ++i) {
            int64_t offset = inverse->applyTo(
                D::Offset, {{D::Dim0, row + i}, {D::Dim1, unit * 8}});
            ASSERT_EQ(offset % 8, 0);
            addresses.push_back(2 * offset);
            groups.insert(2 * offset / 16 % 8);
          }
          ASSERT_EQ(wavefronts(addresses), 1) << rows << " x " << units;
          ASSERT_EQ(groups.size(), 8u);
        }
      // Writing eight units in the order of the buffer.
      for (int64_t chunk = 0; chunk < rows * units; chunk += 8) {
        std::vector<int64_t> addresses;
        for (int64_t i = 0; i < 8; ++i)
          addresses.push_back((chunk + i) * 16);
        ASSERT_EQ(wavefronts(addresses), 1);
      }
    }
}

TEST(SharedPanels, ComposesWithEveryRegisterLayout) {
  size_t tiles = 0;
  for (int64_t rows = 16; rows <= 256; rows += rows < 96 ? 16 : 48)
    for (int64_t cols = 16; cols <= 256; cols += cols < 96 ? 16 : 48) {
      auto stored = sharedPanels(rows, cols, 2);
      auto storedTransposed = sharedPanels(cols, rows, 2);
      ASSERT_TRUE(stored && storedTransposed);
      auto offset = stored->invert(),
           offsetTransposed = storedTransposed->invert();
      ASSERT_TRUE(offset && offsetTransposed);
      std::vector<LinearLayout> layouts;
      for (auto [wm, wn] : {std::pair<int64_t, int64_t>{1, 1},
                            {4, 1},
                            {2, 2},
                            {3, 1},
                            {1, 4},
                            {8, 1},
                            {3, 2}}) {
        layouts.push_back(mmaAccumulatorTile(rows, cols, wm, wn));
        layouts.push_back(mmaOperandATile(16, rows, cols, wm, wn));
        layouts.push_back(mmaOperandBTile(16, rows, cols, wm, wn));
      }
      for (int64_t warps : {1, 3, 4, 8})
        for (int64_t vector : {1, 2, 8}) {
          layouts.push_back(blocked({rows, cols}, {1, 0}, vector, warps));
          layouts.push_back(blocked({rows, cols}, {0, 1}, vector, warps));
        }
      for (const LinearLayout &layout : layouts) {
        ++tiles;
        auto address = compose(layout, *offset);
        ASSERT_TRUE(address) << layout.str();
        auto transposed =
            compose(layout.transposeOuts({1, 0}), *offsetTransposed);
        ASSERT_TRUE(transposed) << layout.str();
        auto plan = planAddresses(*address);
        auto planTransposed = planAddresses(*transposed);
        ASSERT_TRUE(plan && planTransposed);
        // All registers of some threads.
        int64_t warps = layout.inSize(D::Warp);
        for (auto [lane, warp] : {std::pair<int64_t, int64_t>{0, 0},
                                  {13, warps - 1},
                                  {31, warps / 2}})
          for (int64_t r = 0; r < layout.inSize(D::Register); r += 3) {
            auto at = layout.coords(r, lane, warp);
            int64_t expected = offset->applyTo(
                D::Offset, {{D::Dim0, at[0]}, {D::Dim1, at[1]}});
            ASSERT_EQ(address->coords(r, lane, warp)[0], expected);
            ASSERT_EQ(plan->evaluate(r, lane, warp), expected);
            int64_t expectedTransposed = offsetTransposed->applyTo(
                D::Offset, {{D::Dim0, at[1]}, {D::Dim1, at[0]}});
            ASSERT_EQ(transposed->coords(r, lane, warp)[0], expectedTransposed);
            ASSERT_EQ(planTransposed->evaluate(r, lane, warp),
                      expectedTransposed);
          }
      }
    }
  EXPECT_GT(tiles, 3000u);
}

TEST(SharedPanels, MatrixRowsAreReadWithoutConflicts) {
  // From the register layout to ldmatrix's addresses: one wavefront per matrix.
  for (auto [rows, cols] : {std::pair<int64_t, int64_t>{64, 64},
                            {48, 80},
                            {16, 16},
                            {128, 32},
                            {80, 48},
                            {64, 208}}) {
    auto offset = sharedPanels(rows, cols, 2)->invert();
    ASSERT_TRUE(offset);
    for (const LinearLayout &layout : {mmaOperandATile(16, rows, cols, 2, 1),
                                       mmaOperandBTile(16, rows, cols, 1, 2)}) {
      auto access = matrixAccess(layout);
      ASSERT_TRUE(access);
      auto addresses = compose(access->rows, *offset);
      ASSERT_TRUE(addresses);
      for (int64_t i = 0; i < addresses->inSize(D::Register); ++i)
        for (int64_t w = 0; w < addresses->inSize(D::Warp); ++w)
          for (int64_t m = 0; m < access->matrices; ++m) {
            std::vector<int64_t> bytes;
            for (int64_t row = 0; row < 8; ++row)
              bytes.push_back(2 * addresses->coords(i, 8 * m + row, w)[0]);
            ASSERT_EQ(wavefronts(bytes), 1);
          }
    }
  }
}

/// Checks one assignment and returns its iterations.
int64_t checkCopy(int64_t rows, int64_t units, int64_t bytes, int64_t threads,
                  PanelOrder order = PanelOrder::Plain) {
  int64_t perUnit = 16 / bytes, cols = units * perUnit;
  auto copy = copyAssignment(rows, cols, bytes, threads, order);
  auto stored = sharedPanels(rows, cols, bytes, order);
  EXPECT_TRUE(copy && stored);
  if (!copy || !stored)
    return -1;
  auto inverse = stored->invert();
  AddressPlan plan = copy->destination(bytes);
  std::set<std::pair<int64_t, int64_t>> seen;
  EXPECT_EQ(copy->chunks.inSize(D::Register), copy->iterations);
  for (int64_t i = 0; i < copy->iterations; ++i) {
    bool full = true;
    for (int64_t w = 0; w < threads / 32; ++w)
      for (int64_t l8 = 0; l8 < 32; l8 += 8) {
        std::vector<int64_t> addresses;
        for (int64_t l = l8; l < l8 + 8; ++l) {
          auto at = copy->chunks.coords(i, l, w);
          EXPECT_EQ(copy->active(i, l, w), at[0] < rows && at[1] < units);
          if (!copy->active(i, l, w)) {
            full = false;
            continue;
          }
          EXPECT_TRUE(seen.insert({at[0], at[1]}).second);
          int64_t offset = inverse->applyTo(
              D::Offset, {{D::Dim0, at[0]}, {D::Dim1, at[1] * perUnit}});
          EXPECT_EQ(plan.evaluate(i, l, w), offset);
          addresses.push_back(offset * bytes);
        }
        EXPECT_LE(wavefronts(addresses), 1);
      }
    EXPECT_EQ(copy->full[i], full);
  }
  EXPECT_EQ(int64_t(seen.size()), rows * units)
      << rows << " x " << units << " by " << threads;
  return copy->iterations;
}

TEST(CopyAssignment, EveryChunkOnceWithoutConflicts) {
  for (int64_t units : {1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 16, 20, 24, 32, 64})
    for (int64_t rows : {1, 4, 8, 16, 24, 48, 64, 80})
      for (int64_t threads : {32, 64, 96, 128, 192, 256, 384})
        ASSERT_GT(checkCopy(rows, units, 2, threads), 0);
  for (PanelOrder order :
       {PanelOrder::Pairs, PanelOrder::Quads, PanelOrder::Alternating})
    for (int64_t units : {1, 2, 3, 4, 6, 8, 12, 24})
      for (int64_t rows : {16, 32, 48, 64, 80})
        for (int64_t threads : {32, 64, 96, 128, 256, 384}) {
          ASSERT_GT(checkCopy(rows, units, 1, threads, order), 0);
          EXPECT_EQ(panelOrder(*sharedPanels(rows, 16 * units, 1, order), rows,
                               16 * units, 1)
                        .has_value(),
                    true);
        }
  ASSERT_GT(checkCopy(64, 4, 4, 128), 0);
  ASSERT_GT(checkCopy(64, 4, 1, 128), 0);
}

TEST(CopyAssignment, NoMoreIterationsThanNeeded) {
  // Panels and warps in powers of two: exactly ceil(chunks / threads).
  for (int64_t units : {1, 2, 4, 8, 16, 32})
    for (int64_t rows : {8, 16, 24, 48, 64, 80, 128})
      for (int64_t threads : {32, 64, 128, 256}) {
        auto copy = copyAssignment(rows, units * 8, 2, threads);
        ASSERT_TRUE(copy);
        EXPECT_EQ(copy->iterations, (rows * units + threads - 1) / threads);
        EXPECT_EQ(copy->fullIterations(), rows * units / threads)
            << rows << " x " << units << " by " << threads;
      }
  // 64 x 64 by 128 threads: rows of 128 bytes, 16 at a time.
  auto copy = copyAssignment(64, 64, 2, 128);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->chunks.str(), "register: 4*[16,0]; lane: 8*[0,1] 4*[1,0]; "
                                "warp: 4*[4,0] -> [64, 8]");
  // 48 x 32: one and a half iterations.
  copy = copyAssignment(48, 32, 2, 128);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->iterations, 2);
  EXPECT_EQ(copy->fullIterations(), 1);
  EXPECT_TRUE(copy->full[0]);
  // Long rows: the lanes go along the panels first.
  copy = copyAssignment(32, 256, 2, 128);
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->chunks.coords(0, 31, 0), (llvm::SmallVector<int64_t>{0, 31}));
}

TEST(CopyAssignment, Refusals) {
  EXPECT_FALSE(copyAssignment(64, 64, 2, 48));
  EXPECT_FALSE(copyAssignment(64, 64, 2, 0));
  EXPECT_FALSE(copyAssignment(64, 60, 2, 128));
  EXPECT_FALSE(copyAssignment(12, 64, 2, 128));
  EXPECT_FALSE(copyAssignment(24, 64, 1, 128, PanelOrder::Alternating));
}

} // namespace
