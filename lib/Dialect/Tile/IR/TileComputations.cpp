//===- TileComputations.cpp - Operations on tiles in registers ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileVerifiers.h"
#include "fusion/Support/WarpExchange.h"
#include "fusion/Target/Chips/Hardware.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion::tile;

/// Checks the numbers of warps of a contraction along its rows and columns.
static LogicalResult verifyArrangement(Operation *op, ArrayRef<int64_t> warps) {
  if (warps.size() != 2 || llvm::any_of(warps, [](int64_t count) {
        return count < 1 || count > fusion::kMaxWarps;
      }))
    return op->emitOpError("needs 1 to ")
           << fusion::kMaxWarps << " warps along both dimensions";
  return success();
}

/// Checks the number of stages that a contraction asks for.
static LogicalResult verifyStages(Operation *op,
                                  std::optional<uint64_t> stages) {
  if (stages && (*stages < 1 || *stages > 2))
    return op->emitOpError("has 1 or 2 stages, not ")
           << static_cast<int64_t>(*stages);
  return success();
}

LogicalResult DotOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType(),
                   result = getResult().getType();
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || result.getRank() != 2)
    return emitOpError("multiplies two-dimensional tiles");
  for (RankedTensorType type : {lhs, rhs, result})
    if (failed(verifyStaticTile(*this, type)))
      return failure();
  if (lhs.getDimSize(1) != rhs.getDimSize(0) ||
      lhs.getDimSize(0) != result.getDimSize(0) ||
      rhs.getDimSize(1) != result.getDimSize(1))
    return emitOpError("shapes do not fit: ")
           << lhs << " times " << rhs << " gives " << result;
  Type one = lhs.getElementType(), other = rhs.getElementType();
  // 8-bit floats of both formats may be mixed.
  bool areNarrow = isa<FloatType>(one) && isa<FloatType>(other) &&
                   one.getIntOrFloatBitWidth() == 8 &&
                   other.getIntOrFloatBitWidth() == 8;
  if (!one.isIntOrFloat() || (one != other && !areNarrow))
    return emitOpError("multiplies ")
           << lhs.getElementType() << " by " << rhs.getElementType();
  if (failed(verifyStages(*this, getStages())))
    return failure();
  return verifyArrangement(*this, getWarps());
}

LogicalResult SharedDotOp::verify() {
  if (getAsync() &&
      (!getResult().hasOneUse() ||
       !isa<AwaitDotOp, scf::ForOp, scf::YieldOp>(*getResult().user_begin())))
    return emitOpError("is in flight until a tile.await_dot, its only use, or "
                       "the end of an iteration");
  if (failed(verifyStages(*this, getStages())))
    return failure();
  if (static_cast<bool>(getLhs()) == static_cast<bool>(getLhsBuffer()) ||
      static_cast<bool>(getLhsBuffer()) != static_cast<bool>(getLhsStage()))
    return emitOpError("has one LHS, a tile or a stage of a buffer");
  RankedTensorType result = getResult().getType();
  BufferType rhs = getRhsBuffer().getType();
  if (failed(verifyStaticTile(*this, result)))
    return failure();
  if (result.getRank() != 2)
    return emitOpError("multiplies two-dimensional tiles");
  int64_t shape[2];
  Type element;
  if (getLhs()) {
    RankedTensorType lhs = getLhs().getType();
    if (lhs.getRank() != 2 || getLhsTransposed() || getLhsSlot())
      return emitOpError("has a tile as LHS, which must be two-dimensional, "
                         "without 'lhs_transposed' and 'lhs_slot'");
    element = lhs.getElementType();
    llvm::copy(lhs.getShape(), shape);
  } else {
    BufferType lhs = getLhsBuffer().getType();
    element = lhs.getElementType();
    shape[0] = getLhsTransposed() ? lhs.getColumns() : lhs.getRows();
    shape[1] = getLhsTransposed() ? lhs.getRows() : lhs.getColumns();
  }
  int64_t columns = getRhsTransposed() ? rhs.getRows() : rhs.getColumns();
  if (shape[1] != getDepth() || shape[0] != result.getDimSize(0) ||
      columns != result.getDimSize(1))
    return emitOpError("shapes do not fit: ")
           << shape[0] << "x" << shape[1] << " times " << getDepth() << "x"
           << columns << " gives " << result;
  if (!element.isIntOrFloat() || element != rhs.getElementType())
    return emitOpError("multiplies ")
           << element << " by " << rhs.getElementType();
  return verifyArrangement(*this, getWarps());
}

SharedDotOp AwaitDotOp::getDot() {
  Value value = getValue();
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    value = loop.getTiedLoopYieldedValue(
                    loop.getTiedLoopRegionIterArg(cast<OpResult>(value)))
                ->get();
  return value.getDefiningOp<SharedDotOp>();
}

LogicalResult AwaitDotOp::verify() {
  SharedDotOp dot = getDot();
  if (!dot || !dot.getAsync() ||
      (dot->getBlock() != (*this)->getBlock() &&
       !getValue().getDefiningOp<scf::ForOp>()))
    return emitOpError("waits for a tile.shared_dot with 'async' of its block, "
                       "or of a loop that carries it");
  int64_t behind = 0;
  for (Operation *op = getValue().getDefiningOp()->getNextNode();
       op && op != *this; op = op->getNextNode()) {
    auto other = dyn_cast<SharedDotOp>(op);
    behind += other && other.getAsync();
  }
  int64_t pending = static_cast<int64_t>(getPending());
  if (pending < 0 || pending > behind)
    return emitOpError("leaves ") << pending << " contractions in flight, but "
                                  << behind << " began after its own";
  return success();
}

LogicalResult AwaitDotsOp::verify() {
  if (static_cast<int64_t>(getPending()) < 0)
    return emitOpError("leaves ")
           << static_cast<int64_t>(getPending()) << " contractions in flight";
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  if (failed(verifyStaticTile(*this, to)))
    return failure();
  if (from.getElementType() != to.getElementType())
    return emitOpError("must keep the element type");
  for (auto [position, d] : llvm::enumerate(getDimensions()))
    if (d < 0 || d >= to.getRank() ||
        (position > 0 && getDimensions()[position - 1] >= d))
      return emitOpError("needs ascending dimensions of its result, got [")
             << getDimensions() << "]";
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (!llvm::is_contained(getDimensions(), d))
      kept.push_back(to.getDimSize(d));
  if (ArrayRef<int64_t>(kept) != from.getShape())
    return emitOpError("cannot repeat ")
           << from << " along [" << getDimensions() << "] to get " << to;
  return success();
}

LogicalResult ReduceOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  if (failed(verifyStaticTile(*this, from)))
    return failure();
  int64_t d = getDimension();
  if (d < 0 || d >= from.getRank())
    return emitOpError("has no dimension ") << d << " in " << from;
  SmallVector<int64_t> kept(from.getShape());
  kept.erase(kept.begin() + d);
  if (from.getElementType() != to.getElementType() ||
      ArrayRef<int64_t>(kept) != to.getShape())
    return emitOpError("cannot reduce ")
           << from << " along " << d << " to " << to;
  if (getIntrinsic().has_value() != getWarps().has_value())
    return emitOpError("'intrinsic' and 'warps' go together");
  if (getWarps() && (getWarps()->size() != 2 || from.getRank() != 2))
    return emitOpError(
        "an operand of a contraction has two dimensions, and warps "
        "along two");
  bool isFloat = false, isInteger = false;
  switch (getKind()) {
  case arith::AtomicRMWKind::addf:
  case arith::AtomicRMWKind::mulf:
  case arith::AtomicRMWKind::maximumf:
  case arith::AtomicRMWKind::minimumf:
  case arith::AtomicRMWKind::maxnumf:
  case arith::AtomicRMWKind::minnumf:
    isFloat = true;
    break;
  case arith::AtomicRMWKind::assign:
    return emitOpError("cannot combine by '")
           << arith::stringifyAtomicRMWKind(getKind()) << "'";
  default:
    isInteger = true;
  }
  Type element = from.getElementType();
  if ((isFloat && !isa<FloatType>(element)) ||
      (isInteger && !element.isInteger()))
    return emitOpError("cannot combine ")
           << element << " by '" << arith::stringifyAtomicRMWKind(getKind())
           << "'";
  return success();
}

LogicalResult SplatOp::verify() {
  if (getValue().getType() != getResult().getType().getElementType())
    return emitOpError("repeats ") << getValue().getType() << " as "
                                   << getResult().getType().getElementType();
  return verifyStaticTile(*this, getResult().getType());
}

LogicalResult IotaOp::verify() {
  RankedTensorType type = getResult().getType();
  if (failed(verifyStaticTile(*this, type)))
    return failure();
  if (!type.getElementType().isIndex())
    return emitOpError("yields a tile of index, got ") << type;
  if (getDimension() >= static_cast<uint64_t>(type.getRank()))
    return emitOpError("has no dimension ")
           << static_cast<int64_t>(getDimension());
  return success();
}

LogicalResult SliceOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  if (from.getElementType() != to.getElementType() ||
      from.getRank() != to.getRank() ||
      static_cast<int64_t>(getOrigin().size()) != from.getRank())
    return emitOpError("must keep rank and element type");
  if (failed(verifyStaticTile(*this, from)) ||
      failed(verifyStaticTile(*this, to)))
    return failure();
  for (auto [origin, size, whole] :
       llvm::zip_equal(getOrigin(), to.getShape(), from.getShape()))
    if (origin < 0 || origin > whole - size)
      return emitOpError("part at [")
             << getOrigin() << "] of " << to << " is outside of " << from;
  return success();
}

LogicalResult TransposeOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  if (from.getRank() != 2 || to.getRank() != 2 ||
      from.getElementType() != to.getElementType() ||
      from.getDimSize(0) != to.getDimSize(1) ||
      from.getDimSize(1) != to.getDimSize(0))
    return emitOpError("cannot transpose ") << from << " to " << to;
  return verifyStaticTile(*this, from);
}

LogicalResult MaskOp::verify() {
  RankedTensorType type = getResult().getType();
  if (failed(verifyStaticTile(*this, type)))
    return failure();
  if (type != getValue().getType())
    return emitOpError("must keep the type of its operand");
  if (getFill().getType() != type.getElementType())
    return emitOpError("fills ") << type << " with " << getFill().getType();
  if (getDimension() >= static_cast<uint64_t>(type.getRank()))
    return emitOpError("has no dimension ")
           << static_cast<int64_t>(getDimension());
  return success();
}

LogicalResult ScaleOp::verify() {
  RankedTensorType type = getResult().getType();
  if (!isa<FloatType>(type.getElementType()))
    return emitOpError("multiplies floats, not ") << type.getElementType();
  return verifyStaticTile(*this, type);
}

/// Verifies an operation on exponents of a scaled tile.
template <typename Op> static LogicalResult verifyExponent(Op op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.getElementType().isF32())
    return op.emitOpError("computes f32, not ") << type.getElementType();
  if (!op.getScale().isNormal() || op.getScale().isNegative())
    return op.emitOpError("has a scale that is not positive and normal");
  return verifyStaticTile(op, type);
}

LogicalResult ExponentOp::verify() { return verifyExponent(*this); }
LogicalResult ExponentStepOp::verify() { return verifyExponent(*this); }

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType from = getValue().getType(), to = getResult().getType();
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("may only change the layout, not ")
           << from << " to " << to;
  LayoutAttr own = getLayout(from), other = getLayout(to);
  if (getInWarp() && own && other &&
      !planWarpExchange(own.getValue(), other.getValue()))
    return emitOpError("cannot be 'in_warp' because a thread needs elements of "
                       "another warp, or of several lanes for one register");
  return verifyStaticTile(*this, from);
}
