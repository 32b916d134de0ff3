//===- FragmentLayouts.cpp - Where an intrinsic wants its tiles -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Layouts/FragmentLayouts.h"
#include "fusion/Target/Layouts/MatrixDescriptors.h"

using namespace fusion;

/// Warps below one another that make one instruction: a fragment of all of
/// them, and the warps along the rows that are left.
static LinearLayout inGroup(const Intrinsic &intrinsic, LinearLayout fragment) {
  if (intrinsic.warps == 1)
    return fragment;
  return fragment * LinearLayout::identity(LayoutDim::Warp, LayoutDim::Dim0,
                                           intrinsic.warps);
}

/// 1 or 2: a thread's words of one row of an operand fragment of mma.sync.
static unsigned halves(const Intrinsic &intrinsic) {
  return intrinsic.r1 * intrinsic.operandBits / 128;
}

LinearLayout fusion::accumulatorFragment(const Intrinsic &intrinsic) {
  return intrinsic.isScalar()
             ? fmaAccumulator()
             : mmaArrangedAccumulator(32 / intrinsic.accumulatorColumns);
}

LinearLayout fusion::operandAFragment(const Intrinsic &intrinsic) {
  if (intrinsic.isScalar())
    return fmaOperandA();
  return halves(intrinsic) == 2 ? mmaOperandA(intrinsic.operandBits)
                                : mmaOperandAHalf(intrinsic.operandBits);
}

LinearLayout fusion::operandBFragment(const Intrinsic &intrinsic,
                                      OperandOrder order) {
  return intrinsic.isScalar() ? fmaOperandB(order)
                              : mmaArrangedOperandB(intrinsic.operandBits,
                                                    halves(intrinsic), order);
}

LinearLayout fusion::accumulatorTile(const Intrinsic &intrinsic, int64_t m,
                                     int64_t n, llvm::ArrayRef<int64_t> warps) {
  return tileFragment(
      inGroup(intrinsic, accumulatorFragment(intrinsic)), {m, n},
      {WarpAxis{warps[0] / intrinsic.warps, 0u}, WarpAxis{warps[1], 1u}});
}

LinearLayout fusion::operandATile(const Intrinsic &intrinsic, int64_t m,
                                  int64_t k, llvm::ArrayRef<int64_t> warps) {
  return tileFragment(inGroup(intrinsic, operandAFragment(intrinsic)), {m, k},
                      {WarpAxis{warps[0] / intrinsic.warps, 0u},
                       WarpAxis{warps[1], std::nullopt}});
}

LinearLayout fusion::operandBTile(const Intrinsic &intrinsic, int64_t k,
                                  int64_t n, llvm::ArrayRef<int64_t> warps,
                                  OperandOrder order) {
  return tileFragment(
      operandBFragment(intrinsic, order), {k, n},
      {WarpAxis{warps[0], std::nullopt}, WarpAxis{warps[1], 1u}});
}

int64_t fusion::instructionColumns(int64_t n, int64_t groups,
                                   int64_t elementBytes) {
  int64_t own = n / groups;
  if (groups % 2 == 0)
    own &= -own;
  return columnsAtOnce(own, elementBytes);
}

PanelOrder fusion::operandPanels(const Intrinsic &intrinsic, bool isOperandA,
                                 bool reducedIsContiguous) {
  // What descriptors of shared memory can say.
  if (intrinsic.readsShared())
    return PanelOrder::Plain;
  if (intrinsic.isScalar()) {
    // Two rows go at a time; the contraction before this one writes four units
    // of each.
    if (isOperandA)
      return PanelOrder::Quads;
    // Four columns, each fourth row of the buffer, go at a time.
    return reducedIsContiguous ? PanelOrder::Alternating : PanelOrder::Plain;
  }
  switch (intrinsic.operandBits) {
  case 8:
    return isOperandA ? PanelOrder::Plain : PanelOrder::Alternating;
  case 32:
    // Four rows of the buffer, eight elements of each, go at a time.
    return reducedIsContiguous ? PanelOrder::Plain : PanelOrder::Pairs;
  default:
    return PanelOrder::Plain;
  }
}
