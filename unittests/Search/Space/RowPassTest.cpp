//===- RowPassTest.cpp - Where candidates have row passes -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedGroup.h"
#include "fusion/Search/Space/ScheduleSpace.h"

using namespace fusion;
using namespace fusion::test;

namespace {

/// The rows of x over the sums of their squares, times w.
const char *const kNormalized = R"mlir(
  #full = affine_map<(i, j) -> (i, j)>
  #rows = affine_map<(i, j) -> (i)>
  func.func @f(%x: tensor<64x128xf32>, %w: tensor<128x32xf32>) -> tensor<64x32xf32> {
    %zero = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<64x128xf32>
    %e1 = tensor.empty() : tensor<64xf32>
    %e2 = tensor.empty() : tensor<64x32xf32>
    %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x32xf32>) -> tensor<64x32xf32>
    %s = linalg.generic {indexing_maps = [#full, #rows], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x128xf32>) outs(%f1 : tensor<64xf32>) {
    ^bb0(%a: f32, %out: f32):
      %q = arith.mulf %a, %a : f32
      %r = arith.addf %q, %out : f32
      linalg.yield %r : f32
    } -> tensor<64xf32>
    %y = linalg.generic {indexing_maps = [#full, #rows, #full], iterator_types = ["parallel", "parallel"]}
        ins(%x, %s : tensor<64x128xf32>, tensor<64xf32>) outs(%e0 : tensor<64x128xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %r = arith.divf %a, %b : f32
      linalg.yield %r : f32
    } -> tensor<64x128xf32>
    %p = linalg.matmul ins(%y, %w : tensor<64x128xf32>, tensor<128x32xf32>)
        outs(%f2 : tensor<64x32xf32>) -> tensor<64x32xf32>
    return %p : tensor<64x32xf32>
  })mlir";

// Each placement has a tree of its own; numbers beyond them are the default.
TEST(RowPass, IsPlacedByTheCandidate) {
  ParsedGroup parsed(kNormalized);
  ASSERT_TRUE(parsed.axes) << parsed.reason;
  const GroupModel &group = parsed.model();
  ASSERT_EQ(group.rowStatistics.size(), 1u);
  unsigned rows = group.rowStatistics.front().rows;
  SearchOptions options;
  ScheduleSpace space(group, *lookupChip("sm_80"), options);
  ASSERT_TRUE(llvm::is_contained(space.operands(), rows));
  ScheduleCandidate candidate;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    candidate.tiles[axis] = 16;
  auto treeWith = [&](uint8_t number) {
    candidate.hoisted[rows] = number;
    return printTiling(space.complete(candidate).tree, group);
  };
  auto treeOf = [&](RowPassPlacement placement) {
    std::string tree = treeWith(static_cast<uint8_t>(placement));
    EXPECT_EQ(candidate.placementOf(rows), placement);
    return tree;
  };
  std::string usual = treeOf(RowPassPlacement::Default),
              resident = treeOf(RowPassPlacement::Resident),
              other = treeOf(RowPassPlacement::Other);
  EXPECT_NE(usual, resident);
  EXPECT_NE(usual, other);
  EXPECT_NE(resident, other);
  EXPECT_EQ(treeWith(ScheduleSpace::kMaxLevels), usual);
  EXPECT_EQ(candidate.placementOf(rows), RowPassPlacement::Default);
  EXPECT_EQ(candidate.placementOf(ScheduleCandidate::kMaxTensors),
            RowPassPlacement::Default);
}

} // namespace
