//===- OwnBoxesTest.cpp - Every place of every thread ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/PrivateBoxes.h"

#include "gtest/gtest.h"
#include <set>

using namespace fusion;
using D = LayoutDim;

namespace {

LinearLayout identity(D in, unsigned coordinate, int64_t size) {
  return LinearLayout::identity(in, tileDim(coordinate), size);
}

/// Threads of a tile of rows: so many elements side by side, lanes and warps
/// along the row, the rest of the warps along the rows, then registers.
LinearLayout rows(int64_t vector, int64_t warps, int64_t rowWarps,
                  int64_t columns, int64_t ofRows) {
  return identity(D::Register, 1, vector) * identity(D::Lane, 1, 32) *
         identity(D::Warp, 1, warps) * identity(D::Warp, 0, rowWarps) *
         identity(D::Register, 1, columns) * identity(D::Register, 0, ofRows);
}

/// Fills memory as a box of the map does at `origin`, takes words out as
/// threads do, and expects of each the element that the layout says, or none
/// outside of the tensor.
void check(const LinearLayout &layout, unsigned unit,
           llvm::ArrayRef<int64_t> sizes, int64_t bytes,
           llvm::ArrayRef<int64_t> tile) {
  llvm::SmallVector<int64_t> strides(sizes.size(), 1);
  for (unsigned d = sizes.size() - 1; d-- > 0;)
    strides[d] = strides[d + 1] * sizes[d + 1];
  int64_t warps = layout.inSize(D::Warp);
  std::string reason;
  std::optional<PrivateBox> box =
      privateBox({layout, unit, sizes, strides, bytes}, warps, &reason);
  ASSERT_TRUE(box) << reason;
  EXPECT_LE(box->dimensions.size(), 5u);
  std::vector<int64_t> memory = {-1};
  int64_t element = 0;
  llvm::SmallVector<int64_t> origins;
  for (auto [coordinate, number] : llvm::enumerate(tile))
    origins.push_back(number * layout.outSize(tileDim(coordinate)));
  // The place of what is in front of the box, dimension by dimension.
  memory[0] = 0;
  std::vector<bool> inside = {true};
  for (const PrivateBoxDimension &dimension : box->dimensions) {
    int64_t extent = dimension.isLast
                         ? sizes[dimension.coordinate] / dimension.step
                         : dimension.size,
            first = dimension.isLast
                        ? origins[dimension.coordinate] / dimension.step
                        : 0,
            stride = dimension.step * strides[dimension.coordinate];
    EXPECT_LE(dimension.size, 256);
    if (dimension.isLast) {
      EXPECT_EQ(sizes[dimension.coordinate] % dimension.step, 0);
      EXPECT_EQ(origins[dimension.coordinate] % dimension.step, 0);
    }
    std::vector<int64_t> next;
    std::vector<bool> nextInside;
    for (int64_t at = 0; at < dimension.size; ++at)
      for (size_t i = 0; i < memory.size(); ++i) {
        next.push_back(memory[i] + (first + at) * stride);
        nextInside.push_back(inside[i] && first + at < extent);
      }
    memory = std::move(next);
    inside = std::move(nextInside);
  }
  int64_t word = privateAccess(layout, unit, bytes), column = 0;
  std::set<llvm::SmallVector<int64_t>> seen;
  for (int64_t reg = 0; reg < layout.inSize(D::Register); reg += word) {
    if (!seen.insert(layout.coords(reg, 0, 0)).second)
      continue;
    for (int64_t warp = 0; warp < warps; ++warp)
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t i = 0; i < word; ++i) {
          size_t place = column * warps * 32 + (warp * 32 + lane) * word + i;
          ASSERT_LT(place, memory.size());
          llvm::SmallVector<int64_t> coords =
              layout.coords(reg + i, lane, warp);
          bool isInside = true;
          element = 0;
          for (unsigned d = 0; d < sizes.size(); ++d) {
            int64_t at = origins[d] + coords[d];
            isInside &= at < sizes[d];
            element += at * strides[d];
          }
          EXPECT_EQ(isInside, inside[place]);
          if (isInside)
            EXPECT_EQ(element, memory[place]);
        }
    column += word;
  }
  EXPECT_EQ(size_t(column * warps * 32), memory.size());
}

std::string refusal(const LinearLayout &layout, unsigned unit,
                    llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> strides, int64_t bytes,
                    int64_t warps) {
  std::string reason;
  EXPECT_FALSE(
      privateBox({layout, unit, sizes, strides, bytes}, warps, &reason));
  return reason;
}

TEST(OwnBoxes, AreTheExampleOfTheHeader) {
  LinearLayout layout = rows(8, 1, 4, 8, 1);
  std::optional<PrivateBox> box =
      privateBox({layout, 1, {64, 4096}, {4096, 1}, 2}, 4);
  ASSERT_TRUE(box);
  ASSERT_EQ(box->dimensions.size(), 3u);
  auto expect = [&](unsigned d, unsigned coordinate, int64_t step, int64_t size,
                    bool isLast) {
    const PrivateBoxDimension &dimension = box->dimensions[d];
    EXPECT_EQ(dimension.coordinate, coordinate);
    EXPECT_EQ(dimension.step, step);
    EXPECT_EQ(dimension.size, size);
    EXPECT_EQ(dimension.isLast, isLast);
  };
  expect(0, 1, 1, 256, false);
  expect(1, 0, 1, 4, true);
  expect(2, 1, 256, 8, true);
}

TEST(OwnBoxes, FillThePlacesOfAllThreads) {
  check(rows(8, 1, 4, 8, 1), 1, {64, 4096}, 2, {3, 1});
  // Threads along the row alone, one row; a long row of one part.
  check(rows(8, 8, 1, 4, 1), 1, {5, 16384}, 2, {4, 1});
  check(rows(4, 8, 1, 16, 1), 1, {5, 65536}, 4, {2, 3});
  // Rows whose parts have other sizes than 256: 768 = 3 · 256, 960 = 15 · 64.
  check(rows(8, 1, 2, 3, 4), 1, {32, 768}, 2, {1, 0});
  check(rows(4, 2, 1, 4, 1), 1, {7, 960}, 4, {6, 0});
  // Warps that are no power of two, several rows in a thread.
  check(rows(4, 3, 1, 2, 3), 1, {9, 768}, 4, {2, 0});
  // Narrow words, bytes.
  check(rows(2, 1, 1, 2, 1), 1, {16, 128}, 2, {5, 0});
  check(rows(16, 1, 2, 1, 2), 1, {16, 512}, 1, {1, 0});
  // Tiles that the tensor ends in, along either axis.
  check(rows(8, 1, 4, 4, 2), 1, {12, 1280}, 2, {1, 1});
  // Elements side by side, 8 of which are two words.
  check(rows(8, 1, 1, 2, 1), 1, {4, 1024}, 4, {2, 1});
}

TEST(OwnBoxes, AreOfAnyRank) {
  LinearLayout layout = identity(D::Register, 2, 4) * identity(D::Lane, 2, 8) *
                        identity(D::Lane, 1, 4) * identity(D::Warp, 0, 2) *
                        identity(D::Register, 2, 2) *
                        identity(D::Register, 1, 2);
  check(layout, 2, {6, 24, 64}, 4, {2, 2, 0});
  // An axis of which a tile has one element.
  LinearLayout one = identity(D::Register, 1, 8) * identity(D::Lane, 1, 32) *
                     identity(D::Register, 1, 2) * identity(D::Register, 0, 1);
  check(one, 1, {10, 512}, 2, {7, 0});
}

TEST(OwnBoxes, SayWhyNot) {
  // Lanes that hold the same.
  LinearLayout replicas =
      identity(D::Register, 1, 4) * identity(D::Lane, 1, 16) *
      LinearLayout::broadcast(D::Lane, 2) * identity(D::Register, 0, 1);
  EXPECT_NE(
      refusal(replicas, 1, {8, 64}, {64, 1}, 4, 1).find("several threads"),
      std::string::npos);
  // Lanes go along the rows, whose elements do not follow one another.
  LinearLayout turned = identity(D::Lane, 0, 32) * identity(D::Register, 1, 1);
  EXPECT_NE(refusal(turned, 1, {32, 8}, {8, 1}, 4, 1).find("no neighbours"),
            std::string::npos);
  // Rows that end within what threads have side by side, and strides that are
  // no multiples of 16 bytes.
  EXPECT_NE(refusal(rows(8, 1, 4, 8, 1), 1, {64, 4000}, {4000, 1}, 2, 4)
                .find("ends along an axis"),
            std::string::npos);
  EXPECT_NE(refusal(rows(8, 1, 1, 1, 4), 1, {64, 256}, {257, 1}, 2, 1)
                .find("16 bytes"),
            std::string::npos);
  // Places of 32 bits, of the only dimension as well.
  LinearLayout one = identity(D::Register, 0, 8) * identity(D::Lane, 0, 32);
  EXPECT_NE(refusal(one, 0, {int64_t(1) << 32}, {1}, 2, 1).find("31 bits"),
            std::string::npos);
  EXPECT_TRUE(privateBox({one, 0, {int64_t(1) << 30}, {1}, 2}, 1));
  // More dimensions than a map has.
  LinearLayout many = identity(D::Register, 1, 4) * identity(D::Lane, 1, 8) *
                      identity(D::Lane, 0, 4) * identity(D::Warp, 1, 2) *
                      identity(D::Warp, 0, 2) * identity(D::Register, 1, 2) *
                      identity(D::Register, 0, 2);
  EXPECT_NE(refusal(many, 1, {64, 128}, {128, 1}, 4, 4).find("five"),
            std::string::npos);
}

} // namespace
