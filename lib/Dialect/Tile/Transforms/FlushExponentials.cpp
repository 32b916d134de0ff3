//===- FlushExponentials.cpp - tile-flush-exponentials --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ex2.approx with results below the normal numbers takes three instructions more
// than without (ptxas scales the argument and the result by whether it is
// small). An exponential of what its row's maximum has been subtracted from is
// at most 1, and its row has had a 1 or has one: what is below 2^-126 is lost in
// a sum of them, and in 16 bits beside it.
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/Exponentials.h"
#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fusion {
#define GEN_PASS_DEF_TILEFLUSHEXPONENTIALS
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Whether all elements of a tile are zero.
static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat());
}

/// The masks of a tile that put -inf in place of what they leave out, which is
/// no maximum then; outermost first.
static SmallVector<MaskOp> masksOf(Value tile) {
  SmallVector<MaskOp> masks;
  while (auto mask = tile.getDefiningOp<MaskOp>()) {
    if (!matchPattern(mask.getFill(), m_NegInfFloat()))
      break;
    masks.push_back(mask);
    tile = mask.getValue();
  }
  return masks;
}

static Value withoutMasks(Value tile) {
  SmallVector<MaskOp> masks = masksOf(tile);
  return masks.empty() ? tile : masks.back().getValue();
}

/// Whether two indices are computed alike from the same values.
static bool isSameIndex(Value index, Value other) {
  if (index == other)
    return true;
  Operation *op = index.getDefiningOp(), *otherOp = other.getDefiningOp();
  return op && otherOp && isPure(op) &&
         OperationEquivalence::isEquivalentTo(
             op, otherOp,
             [](Value a, Value b) { return success(isSameIndex(a, b)); },
             /*markEquivalent=*/nullptr,
             OperationEquivalence::IgnoreLocations);
}

static bool leavesOutAlike(MaskOp mask, MaskOp other) {
  return mask.getDimension() == other.getDimension() &&
         isSameIndex(mask.getBound(), other.getBound());
}

/// Whether `top` is the maximum of each row of `tile` or above it, but for rows
/// of nothing but -inf. What masks leave out in the maximum's operand alone is
/// added to `unseen`.
static bool isMaximum(Value top, Value tile, SmallVectorImpl<MaskOp> &unseen) {
  Operation *op = top.getDefiningOp();
  if (!op)
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (reduce.getKind() != arith::AtomicRMWKind::maximumf &&
        reduce.getKind() != arith::AtomicRMWKind::maxnumf)
      return false;
    SmallVector<MaskOp> own = masksOf(tile);
    for (MaskOp mask : masksOf(reduce.getValue()))
      if (llvm::none_of(own, [&](MaskOp other) {
            return leavesOutAlike(mask, other);
          }))
        unseen.push_back(mask);
    return withoutMasks(reduce.getValue()) == withoutMasks(tile);
  }
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return isMaximum(op->getOperand(0), tile, unseen) ||
           isMaximum(op->getOperand(1), tile, unseen);
  // Zero in place of -inf, so that differences are -inf.
  auto select = dyn_cast<arith::SelectOp>(op);
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  return compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
         matchPattern(compare.getRhs(), m_NegInfFloat()) &&
         isZero(select.getTrueValue()) &&
         compare.getLhs() == select.getFalseValue() &&
         isMaximum(select.getFalseValue(), tile, unseen);
}

/// Whether all uses of a tile are behind a mask that leaves out what `mask`
/// does.
static bool isLeftOut(Value value, MaskOp mask) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto other = dyn_cast<MaskOp>(user))
      return leavesOutAlike(mask, other) || isLeftOut(other.getResult(), mask);
    return isa<arith::TruncFOp>(user) && isLeftOut(user->getResult(0), mask);
  });
}

/// Whether all uses of a tile of 16-bit numbers are uses of a factor.
static bool isFactor(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (auto mask = dyn_cast<MaskOp>(user))
      return isFactor(mask.getResult());
    return isa<DotOp, SharedDotOp, LocalStoreOp, ConvertLayoutOp, SliceOp>(
        user);
  });
}

/// Whether no use of a tile can tell zero from less than 2^-126.
static bool isOnlySummed(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (auto mask = dyn_cast<MaskOp>(user))
      return isOnlySummed(mask.getResult());
    if (auto reduce = dyn_cast<ReduceOp>(user))
      return reduce.getKind() == arith::AtomicRMWKind::addf;
    return isa<arith::TruncFOp>(user) && isFactor(user->getResult(0));
  });
}

namespace {

struct FlushExponentialsPass
    : fusion::impl::TileFlushExponentialsBase<FlushExponentialsPass> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (!isa<math::ExpOp, math::Exp2Op>(op) ||
          !getElementTypeOrSelf(op->getResult(0).getType()).isF32() ||
          !isOnlySummed(op->getResult(0)))
        return;
      auto difference = op->getOperand(0).getDefiningOp<arith::SubFOp>();
      auto rows = difference
                      ? difference.getRhs().getDefiningOp<BroadcastOp>()
                      : nullptr;
      SmallVector<MaskOp> unseen;
      if (!rows ||
          !isMaximum(rows.getValue(), difference.getLhs(), unseen) ||
          !llvm::all_of(unseen, [&](MaskOp mask) {
            return isLeftOut(op->getResult(0), mask);
          }))
        return;
      op->setDiscardableAttr(fuse::kFlushAttrName,
                             UnitAttr::get(op->getContext()));
      ++numFlushed;
    });
  }
};

} // namespace
