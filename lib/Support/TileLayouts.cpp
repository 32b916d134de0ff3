//===- TileLayouts.cpp - Tensor core fragments and tiles of them ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/TileLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <numeric>
#include <tuple>

using namespace llvm;

namespace fusion {

using D = LayoutDim;

static LinearLayout identity(D in, D out, int64_t size) {
  return LinearLayout::identity(in, out, size);
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

LinearLayout mmaAccumulator16x8() {
  return identity(D::Register, D::Dim1, 2) * identity(D::Lane, D::Dim1, 4) *
         identity(D::Lane, D::Dim0, 8) * identity(D::Register, D::Dim0, 2);
}

/// Returns the number of elements in a 32-bit register.
static int64_t packed(unsigned bitwidth) {
  assert((bitwidth == 8 || bitwidth == 16 || bitwidth == 32) &&
         "no mma.sync fragment of this width here");
  return 32 / bitwidth;
}

LinearLayout mmaOperandAHalf(unsigned bitwidth) {
  return identity(D::Register, D::Dim1, packed(bitwidth)) *
         identity(D::Lane, D::Dim1, 4) * identity(D::Lane, D::Dim0, 8) *
         identity(D::Register, D::Dim0, 2);
}

LinearLayout mmaOperandA(unsigned bitwidth) {
  return mmaOperandAHalf(bitwidth) * identity(D::Register, D::Dim1, 2);
}

LinearLayout mmaOperandB(unsigned bitwidth) {
  return identity(D::Register, D::Dim0, packed(bitwidth)) *
         identity(D::Lane, D::Dim0, 4) * identity(D::Lane, D::Dim1, 8) *
         identity(D::Register, D::Dim0, 2);
}

LinearLayout mmaArrangedAccumulator(unsigned bitwidth) {
  // Eight columns are the whole depth of a 32-bit operand, and half of others.
  return bitwidth == 32 ? mmaOperandA(32) : mmaOperandAHalf(bitwidth);
}

LinearLayout mmaArrangedOperandB(unsigned bitwidth, unsigned halves,
                                 OperandOrder order) {
  LinearLayout deep = identity(D::Register, D::Dim0, halves);
  LinearLayout reduced = identity(D::Register, D::Dim0, packed(bitwidth)) *
                         identity(D::Lane, D::Dim0, 4);
  if (bitwidth == 16)
    return reduced * identity(D::Lane, D::Dim1, 8) * deep;
  LinearLayout::Bases lanes, registers;
  if (bitwidth == 32) {
    lanes = {{4}, {1}, {2}};
  } else if (order == OperandOrder::AlongReduced) {
    lanes = {{1}, {4}, {8}};
    registers = {{2}};
  } else {
    lanes = {{2}, {4}, {8}};
    registers = {{1}};
  }
  return reduced *
         LinearLayout::fromBits({{D::Register, registers}, {D::Lane, lanes}},
                                {{D::Dim1, bitwidth == 32 ? 8 : 16}}) *
         deep;
}

LinearLayout fmaAccumulator() {
  return identity(D::Register, D::Dim1, 4) * identity(D::Lane, D::Dim1, 4) *
         identity(D::Lane, D::Dim0, 8);
}

LinearLayout fmaOperandA() {
  return identity(D::Register, D::Dim1, 4) *
         LinearLayout::broadcast(D::Lane, 4) * identity(D::Lane, D::Dim0, 8);
}

LinearLayout fmaOperandB(OperandOrder order) {
  LinearLayout columns = identity(D::Register, D::Dim1, 4),
               reduced = identity(D::Register, D::Dim0, 4);
  return (order == OperandOrder::AlongReduced ? reduced * columns
                                              : columns * reduced) *
         identity(D::Lane, D::Dim1, 4) * LinearLayout::broadcast(D::Lane, 8);
}

LinearLayout matrixFragment8x8(bool transposed) {
  D along = transposed ? D::Dim0 : D::Dim1;
  D across = transposed ? D::Dim1 : D::Dim0;
  return identity(D::Register, along, 2) * identity(D::Lane, along, 4) *
         identity(D::Lane, across, 8);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// A digit of a hardware index that moves along a coordinate of the tile, or
/// along none.
struct Piece {
  D in;
  std::optional<unsigned> dim;
  int64_t radix;
  /// Pieces of one coordinate are ordered by rank, then as listed.
  unsigned rank;
};
} // namespace

/// Returns the layout whose indices have the pieces as digits, in the order
/// listed, and whose coordinates have exactly these pieces.
static LinearLayout assemble(ArrayRef<Piece> pieces, ArrayRef<int64_t> shape) {
  SmallVector<unsigned> byRank(pieces.size());
  std::iota(byRank.begin(), byRank.end(), 0u);
  sort(byRank, [&](unsigned a, unsigned b) {
    return std::tie(pieces[a].rank, a) < std::tie(pieces[b].rank, b);
  });
  SmallVector<int64_t, 4> inside(shape.size(), 1);
  SmallVector<int64_t> steps(pieces.size(), 0);
  for (unsigned i : byRank) {
    if (!pieces[i].dim)
      continue;
    steps[i] = inside[*pieces[i].dim];
    inside[*pieces[i].dim] *= pieces[i].radix;
  }

  std::vector<LinearLayout::Input> ins;
  for (D in : {D::Register, D::Lane, D::Warp})
    ins.push_back({in, {}});
  for (auto [piece, step] : zip(pieces, steps)) {
    LinearLayout::Digit digit;
    digit.radix = piece.radix;
    digit.steps.assign(shape.size(), 0);
    if (piece.dim)
      digit.steps[*piece.dim] = step;
    find_if(ins, [in = piece.in](const LinearLayout::Input &input) {
      return input.dim == in;
    })->digits.push_back(std::move(digit));
  }
  std::vector<LinearLayout::Output> outs;
  for (auto [d, extent] : enumerate(shape))
    outs.push_back({tileDim(d), extent, {}});
  auto layout = LinearLayout::fromDigits(ins, outs);
  assert(layout && "pieces make up the shape");
  return *layout;
}

/// Returns the largest power of two that divides n.
static int64_t binaryPart(int64_t n) {
  return int64_t(1) << countr_zero(uint64_t(n));
}

LinearLayout tileFragment(const LinearLayout &base, ArrayRef<int64_t> shape,
                          ArrayRef<WarpAxis> warps,
                          ArrayRef<unsigned> registerOrder) {
  SmallVector<int64_t, 4> repetitions;
  for (auto [d, extent] : enumerate(shape)) {
    int64_t size = base.outSize(tileDim(d));
    assert(extent >= 1 && extent % size == 0 &&
           "the tile is no multiple of the fragment");
    repetitions.push_back(extent / size);
  }

  // From the inside: registers, then warps, with all odd factors on the
  // outside.
  SmallVector<Piece> pieces;
  SmallVector<int64_t, 4> left = repetitions;
  for (const WarpAxis &axis : warps) {
    assert(axis.count >= 1 && (!axis.dim || *axis.dim < shape.size()) &&
           "no such warps");
    int64_t sharing = axis.dim ? std::gcd(axis.count, left[*axis.dim]) : 1;
    if (axis.dim) {
      left[*axis.dim] /= sharing;
      int64_t binary = binaryPart(sharing);
      pieces.push_back({D::Warp, axis.dim, binary, 1});
      pieces.push_back({D::Warp, axis.dim, sharing / binary, 3});
    }
    pieces.push_back({D::Warp, std::nullopt, axis.count / sharing, 0});
  }
  SmallVector<unsigned, 4> order(registerOrder);
  if (order.empty())
    for (unsigned d = shape.size(); d-- > 0;)
      order.push_back(d);
  assert(order.size() == shape.size() && "an order of all coordinates");
  for (unsigned d : order) {
    int64_t binary = binaryPart(left[d]);
    pieces.push_back({D::Register, d, binary, 0});
    pieces.push_back({D::Register, d, left[d] / binary, 2});
  }
  return base * assemble(pieces, repetitions);
}

LinearLayout tileMma(const LinearLayout &base, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> warpsPerDim,
                     ArrayRef<unsigned> registerOrder) {
  SmallVector<WarpAxis, 4> warps;
  for (auto [d, count] : enumerate(warpsPerDim))
    warps.push_back({count, unsigned(d)});
  return tileFragment(base, shape, warps, registerOrder);
}

LinearLayout mmaAccumulatorTile(int64_t m, int64_t n, int64_t warpsM,
                                int64_t warpsN) {
  return tileFragment(mmaAccumulator16x8(), {m, n},
                      {WarpAxis{warpsM, 0u}, WarpAxis{warpsN, 1u}});
}

LinearLayout mmaOperandATile(unsigned bitwidth, int64_t m, int64_t k,
                             int64_t warpsM, int64_t warpsN) {
  return tileFragment(mmaOperandA(bitwidth), {m, k},
                      {WarpAxis{warpsM, 0u}, WarpAxis{warpsN, std::nullopt}});
}

LinearLayout mmaOperandBTile(unsigned bitwidth, int64_t k, int64_t n,
                             int64_t warpsM, int64_t warpsN) {
  return tileFragment(mmaOperandB(bitwidth), {k, n},
                      {WarpAxis{warpsM, std::nullopt}, WarpAxis{warpsN, 1u}});
}

int64_t widthForThreads(int64_t vectorWidth, int64_t elements,
                        int64_t elementBytes, int64_t warps) {
  constexpr int64_t wordBytes = 4;
  while (vectorWidth % 2 == 0 && vectorWidth * elementBytes > wordBytes &&
         vectorWidth * kWarpSize * warps > elements)
    vectorWidth /= 2;
  return vectorWidth;
}

LinearLayout blocked(ArrayRef<int64_t> shape, ArrayRef<unsigned> order,
                     int64_t vectorWidth, int64_t warps, int64_t lanes) {
  assert(!shape.empty() && order.size() == shape.size() &&
         "an order of all coordinates");
  SmallVector<int64_t, 4> left(shape.begin(), shape.end());
  SmallVector<Piece> pieces;
  // Moves up to `count` of an index along coordinate d; returns the remaining
  // factor.
  auto take = [&](D in, unsigned d, int64_t count, unsigned rank,
                  unsigned oddRank) {
    int64_t taken = std::gcd(count, left[d]);
    left[d] /= taken;
    int64_t inner = rank == oddRank ? taken : binaryPart(taken);
    pieces.push_back({in, d, inner, rank});
    pieces.push_back({in, d, taken / inner, oddRank});
    return count / taken;
  };
  take(D::Register, order[0], vectorWidth, 0, 0);
  for (unsigned d : order)
    lanes = take(D::Lane, d, lanes, 1, 1);
  pieces.push_back({D::Lane, std::nullopt, lanes, 0});
  for (unsigned d : order)
    warps = take(D::Warp, d, warps, 2, 4);
  pieces.push_back({D::Warp, std::nullopt, warps, 0});
  for (unsigned d : order)
    take(D::Register, d, left[d], 3, 5);
  return assemble(pieces, shape);
}

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

/// Returns the access for a layout of matrices. `rest` is the layout divided by
/// the elements of each `perGroup` matrices: registers of groups, lanes of rows
/// if there are any, and warps. `rows` are the rows of a group.
static std::optional<MatrixAccess> groupMatrices(const LinearLayout &rest,
                                                 const LinearLayout &rows,
                                                 unsigned perGroup,
                                                 bool transposed) {
  int64_t registers = rest.inSize(D::Register);
  for (int64_t count = std::gcd(registers, int64_t(4 / perGroup)); count >= 1;
       count /= 2) {
    // The lowest registers become lanes.
    LinearLayout selector =
        identity(D::Lane, D::Lane, rest.inSize(D::Lane)) *
        identity(D::Lane, D::Register, count) *
        identity(D::Register, D::Register, registers / count);
    for (D in : rest.inDims())
      if (in != D::Register && in != D::Lane)
        selector *= identity(in, in, rest.inSize(in));
    std::optional<LinearLayout> selected = compose(selector, rest);
    if (!selected)
      continue; // the matrices are not in groups of `count`
    LinearLayout all = rows * *selected;
    SmallVector<LayoutDim, 4> ins = all.inDims();
    erase(ins, D::Offset);
    return MatrixAccess{transposed, unsigned(count * perGroup),
                        all.sublayout(ins, all.outDims())};
  }
  return std::nullopt;
}

std::optional<MatrixAccess> matrixAccess(const LinearLayout &layout,
                                         unsigned bitwidth) {
  int64_t unit = 128 / bitwidth;
  LinearLayout alongUnit = identity(D::Offset, D::Dim1, unit);
  // Four lanes hold a row of 16 bytes; any eight rows make a matrix.
  if (auto rest =
          layout.divideLeft(identity(D::Register, D::Dim1, packed(bitwidth)) *
                            identity(D::Lane, D::Dim1, 4)))
    if (rest->inSize(D::Lane) == 8 &&
        rest->sublayout({D::Lane}, {D::Dim0}).isInjective())
      return groupMatrices(*rest, alongUnit, 1, /*transposed=*/false);
  // Transposed, columns are adjacent, one or two to a lane.
  std::optional<LinearLayout> rest;
  LinearLayout rows;
  if (bitwidth == 16) {
    rest = layout.divideLeft(matrixFragment8x8(/*transposed=*/true));
    rows = identity(D::Lane, D::Dim0, 8);
  } else if (bitwidth == 8) {
    rest = layout.divideLeft(
        identity(D::Register, D::Dim0, 4) * identity(D::Register, D::Dim1, 2) *
        identity(D::Lane, D::Dim0, 4) * identity(D::Lane, D::Dim1, 8));
    rows = LinearLayout::fromBits({{D::Lane, {{1}, {4}, {8}, {2}}}},
                                  {{D::Dim0, 16}});
  }
  if (!rest || rest->hasIn(D::Lane))
    return std::nullopt;
  return groupMatrices(*rest, rows * alongUnit, bitwidth == 8 ? 2 : 1,
                       /*transposed=*/true);
}

} // namespace fusion
