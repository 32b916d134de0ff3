//===- WindowsTest.cpp - Operands read through a window -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/Windows.h"
#include "ParsedGroup.h"

using namespace fusion;
using namespace fusion::test;

namespace {

/// A convolution of one channel-last image of 9 x 11 with 16 channels; the map
/// of its input over (p, q, f, r, s, c), or over (m, f, k).
std::string convolutionIR(llvm::StringRef map, llvm::StringRef filter,
                          llvm::StringRef result, llvm::StringRef loops,
                          llvm::StringRef filterType,
                          llvm::StringRef resultType) {
  return ("func.func @f(%x: tensor<9x11x16xf16>, %w: " + filterType +
          ", %e: " + resultType + ") -> " + resultType + R"( {
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : )" +
          resultType + ") -> " + resultType + R"(
  %c = linalg.generic {indexing_maps = [affine_map<)" +
          map + ">, affine_map<" + filter + ">, affine_map<" + result +
          ">], iterator_types = [" + loops + R"(]}
      ins(%x, %w : tensor<9x11x16xf16>, )" +
          filterType + ") outs(%i : " + resultType + R"() {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %p = arith.extf %a : f16 to f32
    %q = arith.extf %b : f16 to f32
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> )" +
          resultType + "\n  return %c : " + resultType + "\n}")
      .str();
}

} // namespace

TEST(Windows, ADigitForEveryLoop) {
  // 3 x 3 places, every other row: 4 x 9 results.
  ParsedGroup group(convolutionIR(
      "(p, q, f, r, s, c) -> (p * 2 + r, q + s, c)",
      "(p, q, f, r, s, c) -> (r, s, c, f)", "(p, q, f, r, s, c) -> (p, q, f)",
      "\"parallel\", \"parallel\", \"parallel\", \"reduction\", "
      "\"reduction\", \"reduction\"",
      "tensor<3x3x16x32xf16>", "tensor<4x9x32xf32>"));
  ASSERT_TRUE(group.axes) << group.reason;
  const Contraction &contraction = group.model().contractions.front();
  EXPECT_EQ(contraction.lhsAxes.size(), 2u);
  EXPECT_EQ(contraction.rhsAxes.size(), 1u);
  EXPECT_EQ(contraction.reduction.size(), 3u);
  const GroupTensor &input = group.model().tensors[group.tensor("A")];
  ASSERT_TRUE(input.window);
  // Channels lie side by side; all else moves by multiples of them.
  EXPECT_EQ(input.axes.back(), contraction.reduction.back());
  EXPECT_EQ(input.alignment, 16u);
  EXPECT_EQ(input.window->moved, 4 * 9 * 3 * 3 * 16);
  EXPECT_EQ(input.window->touched, 9 * 11 * 16);
  EXPECT_FALSE(input.window->indices[0].leaves());
  EXPECT_EQ(input.window->indices[0].last(), 8);
}

TEST(Windows, DigitsOfJoinedLoops) {
  ParsedGroup group(convolutionIR(
      "(m, f, k) -> (m floordiv 9 * 2 + k floordiv 48, m mod 9 + (k floordiv "
      "16) mod 3, k mod 16)",
      "(m, f, k) -> (k, f)", "(m, f, k) -> (m, f)",
      "\"parallel\", \"parallel\", \"reduction\"", "tensor<144x32xf16>",
      "tensor<36x32xf32>"));
  ASSERT_TRUE(group.axes) << group.reason;
  EXPECT_EQ(group.axesOf("A"), "mk");
  EXPECT_EQ(group.axesOf("B"), "kn");
  const GroupTensor &input = group.model().tensors[group.tensor("A")];
  EXPECT_EQ(input.alignment, 16u);
  EXPECT_EQ(input.window->moved, 36 * 144);
  EXPECT_EQ(input.window->touched, 9 * 11 * 16);
}

TEST(Windows, WhatIsSkippedIsNotTouched) {
  // One place of the filter, every third row and every other column.
  ParsedGroup group(
      convolutionIR("(p, q, f, c) -> (p * 3, q * 2, c)",
                    "(p, q, f, c) -> (c, f)", "(p, q, f, c) -> (p, q, f)",
                    "\"parallel\", \"parallel\", \"parallel\", \"reduction\"",
                    "tensor<16x32xf16>", "tensor<3x6x32xf32>"));
  ASSERT_TRUE(group.axes) << group.reason;
  const GroupTensor &input = group.model().tensors[group.tensor("A")];
  EXPECT_EQ(input.window->moved, 3 * 6 * 16);
  EXPECT_EQ(input.window->touched, 3 * 6 * 16);
}

TEST(Windows, AnIndexThatIsReadTwiceIsNoSum) {
  ParsedGroup group(convolutionIR(
      "(p, q, f, r, s, c) -> (p + r, p + s, c)",
      "(p, q, f, r, s, c) -> (r, s, c, f)", "(p, q, f, r, s, c) -> (p, q, f)",
      "\"parallel\", \"parallel\", \"parallel\", \"reduction\", "
      "\"reduction\", \"reduction\"",
      "tensor<3x3x16x32xf16>", "tensor<7x9x32xf32>"));
  EXPECT_FALSE(group.axes);
}

TEST(Windows, PaddingIsInsideOfTheWindow) {
  ParsedGroup group(R"(
func.func @f(%x: tensor<6x8xf16>, %w: tensor<3x8x16xf16>, %e: tensor<6x16xf32>) -> tensor<6x16xf32> {
  %z = arith.constant 0.0 : f32
  %zh = arith.constant 0.0 : f16
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %six = arith.constant 6 : index
  %p0 = tensor.empty() : tensor<8x8xf16>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%p0 : tensor<8x8xf16>) {
  ^bb0(%o: f16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %at = arith.subi %i, %one : index
    %from = arith.cmpi sge, %at, %zero : index
    %to = arith.cmpi slt, %at, %six : index
    %in = arith.andi %from, %to : i1
    %safe = arith.select %in, %at, %zero : index
    %v = tensor.extract %x[%safe, %j] : tensor<6x8xf16>
    %r = arith.select %in, %v, %zh : f16
    linalg.yield %r : f16
  } -> tensor<8x8xf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<6x16xf32>) -> tensor<6x16xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(p, f, r, c) -> (p + r, c)>, affine_map<(p, f, r, c) -> (r, c, f)>, affine_map<(p, f, r, c) -> (p, f)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %w : tensor<8x8xf16>, tensor<3x8x16xf16>) outs(%i : tensor<6x16xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %q = arith.extf %a : f16 to f32
    %s = arith.extf %b : f16 to f32
    %t = arith.mulf %q, %s : f32
    %u = arith.addf %o, %t : f32
    linalg.yield %u : f32
  } -> tensor<6x16xf32>
  return %c : tensor<6x16xf32>
})");
  ASSERT_TRUE(group.axes) << group.reason;
  const GroupTensor &input = group.model().tensors[group.tensor("A")];
  ASSERT_TRUE(input.window);
  EXPECT_EQ(input.window->indices[0].first, -1);
  EXPECT_EQ(input.window->indices[0].size, 6);
  EXPECT_TRUE(input.window->indices[0].leaves());
  EXPECT_FALSE(input.window->indices[1].leaves());
  // The first and the last place each lack one of three.
  EXPECT_EQ(input.window->moved, (6 * 3 - 2) * 8);
  EXPECT_EQ(input.window->touched, 6 * 8);
  auto function = *group.module->getOps<mlir::func::FuncOp>().begin();
  EXPECT_EQ(group.axes->values[group.tensor("A")], function.getArgument(0));
}
