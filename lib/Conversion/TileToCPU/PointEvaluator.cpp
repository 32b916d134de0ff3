//===- PointEvaluator.cpp - Element-wise values at one point --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointEvaluator.h"
#include "fusion/Dialect/Tile/IR/NativeKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion;

static Type elementOf(Value tile) { return getElementTypeOrSelf(tile); }

/// Returns the tile of which `tile` is a slice that is the whole tile.
static Value withoutWholeSlices(Value tile) {
  auto slice = tile.getDefiningOp<tile::SliceOp>();
  while (slice && slice.getType() == slice.getValue().getType()) {
    tile = slice.getValue();
    slice = tile.getDefiningOp<tile::SliceOp>();
  }
  return tile;
}

FailureOr<Value> PointEvaluator::evaluate(Value tile, ValueRange coordinates,
                                          const Lanes &lanes) {
  if (!state.memory.contains(tile))
    tile = withoutWholeSlices(tile);
  if (!lanes.isScalar())
    if (Value known = ofRow.lookup(tile))
      return known;
  // Values of one element are evaluated for rows alone, at different places.
  if (lanes.isScalar())
    return compute(tile, coordinates, lanes);
  if (auto known = atPoint.find(tile); known != atPoint.end())
    for (const ValueAt &each : known->second)
      if (llvm::equal(each.coordinates, coordinates))
        return each.value;
  FailureOr<Value> value = compute(tile, coordinates, lanes);
  if (succeeded(value))
    setAtPoint(tile, coordinates, *value);
  return value;
}

LogicalResult PointEvaluator::evaluateRow(Value tile, ValueRange rowCoordinates,
                                          int64_t lanes) {
  llvm::SmallVector<Value> left{tile};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!state.memory.contains(value))
      value = withoutWholeSlices(value);
    Operation *op = value.getDefiningOp();
    if (state.memory.contains(value) || !op || !isVirtual(op) ||
        !seen.insert(op).second)
      continue;
    auto repeat = dyn_cast<tile::BroadcastOp>(op);
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    if (!repeat || !llvm::is_contained(repeat.getDimensions(), rank - 1)) {
      // Only what has the same dimensions can be repeated along the same one.
      if (!isa<tile::TransposeOp, tile::SliceOp, tile::LoadOp>(op) && !repeat)
        for (Value operand : op->getOperands())
          if (isa<RankedTensorType>(operand.getType()))
            left.push_back(operand);
      continue;
    }
    Coordinates kept;
    for (auto [d, coordinate] : llvm::enumerate(rowCoordinates))
      if (!llvm::is_contained(repeat.getDimensions(), d))
        kept.push_back(coordinate);
    FailureOr<Value> scalar = evaluate(repeat.getValue(), kept, Lanes());
    if (failed(scalar))
      return failure();
    ofRow[value] = splat(*scalar, Lanes{lanes, Value()});
  }
  return success();
}

Value PointEvaluator::splat(Value scalar, const Lanes &lanes) {
  if (lanes.isScalar())
    return scalar;
  return vector::BroadcastOp::create(b, loc, lanes.typeOf(scalar.getType()),
                                     scalar);
}

/// Returns indices that begin at `first`, and grow along the lanes or do not.
Value PointEvaluator::indices(Value first, bool alongLanes,
                              const Lanes &lanes) {
  Value all = splat(first, lanes);
  if (lanes.isScalar() || !alongLanes)
    return all;
  Value steps = vector::StepOp::create(
      b, loc, cast<VectorType>(lanes.typeOf(b.getIndexType())));
  return arith::AddIOp::create(b, loc, all, steps);
}

FailureOr<Value> PointEvaluator::constantAt(Operation *op, const Lanes &lanes) {
  auto dense =
      dyn_cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  if (!dense || !dense.isSplat())
    return op->emitOpError("is no tile of equal elements");
  auto value = dense.getSplatValue<TypedAttr>();
  return splat(arith::ConstantOp::create(b, loc, value), lanes);
}

FailureOr<Value> PointEvaluator::repeat(tile::BroadcastOp op,
                                        ValueRange coordinates,
                                        const Lanes &lanes) {
  Coordinates kept;
  bool isAlongLanes = false;
  for (auto [d, coordinate] : llvm::enumerate(coordinates)) {
    if (!llvm::is_contained(op.getDimensions(), d))
      kept.push_back(coordinate);
    else if (d + 1 == coordinates.size())
      isAlongLanes = true;
  }
  if (!isAlongLanes)
    return evaluate(op.getValue(), kept, lanes);
  FailureOr<Value> scalar = evaluate(op.getValue(), kept, Lanes());
  if (failed(scalar))
    return failure();
  return splat(*scalar, lanes);
}

/// Expands an expression of indices, of which the last dimension is a vector.
Value PointEvaluator::expandAffine(AffineExpr expr, ValueRange dims,
                                   ValueRange symbols, const Lanes &lanes) {
  auto number = [&](int64_t value) {
    return splat(state.access.constant(value), lanes);
  };
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return number(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = expandAffine(binary.getLHS(), dims, symbols, lanes);
  Value rhs = expandAffine(binary.getRHS(), dims, symbols, lanes);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, loc, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, loc, lhs, rhs);
  case AffineExprKind::Mod: // of indices, which are not negative
    return arith::RemUIOp::create(b, loc, lhs, rhs);
  default:
    return arith::DivUIOp::create(b, loc, lhs, rhs);
  }
}

bool PointEvaluator::isCovered(ArrayRef<TileLimit> limits) const {
  return llvm::all_of(limits, [&](const TileLimit &limit) {
    return llvm::is_contained(covered, limit);
  });
}

/// Returns whether a load reads beyond the borders of its operand at points of
/// the nest.
bool PointEvaluator::isGuarded(tile::LoadOp op) {
  return op.getView().getDefiningOp<tile::ViewOp>() &&
         (op->hasAttr(tile::kPartialAttrName) ||
          !llvm::all_of(
              state.limits.limitsOf(op.getResult()),
              [&](ArrayRef<TileLimit> limits) { return isCovered(limits); }));
}

std::optional<TileMemory> PointEvaluator::placeOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!state.memory.contains(tile)) {
    if (isa_and_nonnull<tile::MaskOp>(op))
      return std::nullopt;
    if (auto load = dyn_cast_or_null<tile::LoadOp>(op); load && isGuarded(load))
      return std::nullopt;
  }
  return state.inPlace(tile);
}

Value PointEvaluator::placeInView(tile::ViewOp view, ValueRange origin,
                                  ValueRange coordinates, const Lanes &lanes,
                                  SmallVectorImpl<Value> &at) {
  Value inside = lanes.mask;
  for (unsigned d = 0; d < coordinates.size(); ++d) {
    at.push_back(state.access.add(state.scalar(origin[d]), coordinates[d]));
    // A negative index is large when it is read without sign.
    Value within = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ult,
        indices(at.back(), d + 1 == coordinates.size(), lanes),
        splat(state.scalar(view.getSizes()[d]), lanes));
    inside = inside ? arith::AndIOp::create(b, loc, inside, within).getResult()
                    : within;
  }
  return inside;
}

/// Loads elements of a strided operand, and zero beyond its borders.
Value PointEvaluator::loadGuarded(tile::LoadOp op, ValueRange coordinates,
                                  const Lanes &lanes) {
  auto view = op.getView().getDefiningOp<tile::ViewOp>();
  SmallVector<Value> at;
  Value inside = placeInView(view, op.getCoordinates(), coordinates, lanes, at);
  Type element = getElementTypeOrSelf(op.getResult());
  TileMemory memory = state.viewAt(view, {});
  if (!lanes.isScalar())
    return state.access.load(memory, at, {lanes.count, inside}, element);
  if (!inside)
    return state.access.load(memory, at, lanes, element);
  // One element: read the first one instead of one outside.
  for (Value &each : at)
    each =
        arith::SelectOp::create(b, loc, inside, each, state.access.constant(0));
  Value loaded = state.access.load(memory, at, lanes, element);
  return arith::SelectOp::create(
      b, loc, inside, loaded,
      arith::ConstantOp::create(b, loc, b.getZeroAttr(element)));
}

FailureOr<Value> PointEvaluator::applyMask(tile::MaskOp op,
                                           ValueRange coordinates,
                                           const Lanes &lanes) {
  FailureOr<Value> value = evaluate(op.getValue(), coordinates, lanes);
  if (failed(value) || isCovered(limitBelow(op.getBound())))
    return value;
  unsigned d = op.getDimension();
  Value bound = state.scalar(op.getBound()), inside;
  if (!lanes.isScalar() && d + 1 == coordinates.size())
    inside = state.access.firstLanes(
        b.createOrFold<arith::SubIOp>(loc, bound, coordinates[d]), lanes.count);
  else
    inside = splat(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         coordinates[d], bound),
                   lanes);
  return arith::SelectOp::create(b, loc, inside, *value,
                                 splat(state.scalar(op.getFill()), lanes))
      .getResult();
}

/// How an index changes from one lane to the next.
enum class LaneStep { None, One, Other };

/// Returns how an expression changes along `lanes` neighbours of dimension
/// `dim`, of which the first is a multiple of `lanes`.
static LaneStep stepOf(AffineExpr expr, unsigned dim, int64_t lanes) {
  if (!expr.isFunctionOfDim(dim))
    return LaneStep::None;
  if (isa<AffineDimExpr>(expr))
    return LaneStep::One;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return LaneStep::Other;
  LaneStep lhs = stepOf(binary.getLHS(), dim, lanes),
           rhs = stepOf(binary.getRHS(), dim, lanes);
  if (expr.getKind() == AffineExprKind::Add) {
    if (lhs == LaneStep::None)
      return rhs;
    return rhs == LaneStep::None ? lhs : LaneStep::Other;
  }
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!by || rhs != LaneStep::None)
    return LaneStep::Other;
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    return by.getValue() == 1 ? lhs : LaneStep::Other;
  case AffineExprKind::Mod:
    // A period is a number of whole vectors.
    return by.getValue() % lanes == 0 ? lhs : LaneStep::Other;
  case AffineExprKind::FloorDiv:
    return isa<AffineDimExpr>(binary.getLHS()) && by.getValue() % lanes == 0
               ? LaneStep::None
               : LaneStep::Other;
  default:
    return LaneStep::Other;
  }
}

/// Returns whether the lanes of a window's vectors are neighbours in memory:
/// the last index goes from one lane to the next, and the others stay.
static bool hasNeighbours(tile::LoadOp op, tile::WindowOp window,
                          int64_t lanes) {
  unsigned last = op.getCoordinates().size() - 1;
  if (lanes == 0 || !isMultipleOf(op.getCoordinates()[last], lanes))
    return false;
  ArrayRef<AffineExpr> exprs = window.getMap().getResults();
  // A factor of an index that stays is of no account.
  auto staysAt = [&](AffineExpr expr) {
    LaneStep step = LaneStep::None;
    expr.walk([&](AffineExpr part) {
      if (auto product = dyn_cast<AffineBinaryOpExpr>(part);
          product && product.getKind() == AffineExprKind::Mul)
        if (stepOf(product.getLHS(), last, lanes) != LaneStep::None)
          step = LaneStep::Other;
    });
    return step == LaneStep::None &&
           stepOf(expr, last, lanes) == LaneStep::None;
  };
  return llvm::all_of(exprs.drop_back(), staysAt) &&
         stepOf(exprs.back(), last, lanes) == LaneStep::One &&
         !llvm::is_contained(window.getBounded(),
                             static_cast<int64_t>(exprs.size() - 1));
}

/// Returns the element's offset in the window's tensor. `inside` becomes
/// whether it lies in there, or stays as it is where it surely does.
Value PointEvaluator::placeInWindow(tile::WindowOp window, ValueRange dims,
                                    const Lanes &lanes, Value &inside) {
  SmallVector<Value> symbols;
  for (Value symbol : window.getSymbols())
    symbols.push_back(splat(state.scalar(symbol), lanes));
  Value place;
  for (auto [d, expr] : llvm::enumerate(window.getMap().getResults())) {
    Value at = expandAffine(expr, dims, symbols, lanes);
    Value size = splat(state.access.constant(window.getShape()[d]), lanes);
    if (llvm::is_contained(window.getBounded(), static_cast<int64_t>(d))) {
      // A negative index is large when it is read without sign.
      Value within =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, size);
      inside = inside
                   ? arith::AndIOp::create(b, loc, inside, within).getResult()
                   : within;
    }
    place = place ? arith::AddIOp::create(
                        b, loc, arith::MulIOp::create(b, loc, place, size), at)
                        .getResult()
                  : at;
  }
  return place;
}

/// Loads elements of a window: neighbours in memory, or one for each lane.
FailureOr<Value> PointEvaluator::loadWindow(tile::LoadOp op,
                                            tile::WindowOp window,
                                            ValueRange coordinates,
                                            const Lanes &lanes) {
  bool areNeighbours = hasNeighbours(op, window, lanes.count);
  Lanes ofPlace = areNeighbours ? Lanes() : lanes;
  SmallVector<Value> dims;
  for (auto [d, pair] :
       llvm::enumerate(llvm::zip_equal(op.getCoordinates(), coordinates))) {
    auto [origin, coordinate] = pair;
    Value at = state.access.add(state.scalar(origin), coordinate);
    dims.push_back(indices(at, d + 1 == coordinates.size(), ofPlace));
  }
  Type element =
      cast<tile::ViewType>(window.getResult().getType()).getElementType();
  Value base = state.scalar(window.getBase());
  if (!lanes.isScalar() && !areNeighbours) {
    Value inside = lanes.mask;
    Value place = placeInWindow(window, dims, lanes, inside);
    return state.access.gather(base, place, element, {lanes.count, inside});
  }
  Value inside;
  Value place = placeInWindow(window, dims, ofPlace, inside);
  if (areNeighbours) {
    TileMemory memory;
    memory.elementType = TileAccess::storedType(element);
    memory.base = state.access.offset(base, memory.elementType, place);
    memory.strides = {b.getIndexAttr(1)};
    Lanes read = lanes;
    if (inside) {
      Value all = splat(inside, lanes);
      read.mask =
          lanes.mask ? arith::AndIOp::create(b, loc, lanes.mask, all) : all;
    }
    return state.access.load(memory, state.access.constant(0), read, element);
  }
  if (!inside)
    return state.access.gather(base, place, element, lanes);
  // One element: read the first one instead of one outside.
  Value zero = state.access.constant(0);
  Value loaded = state.access.gather(
      base, arith::SelectOp::create(b, loc, inside, place, zero), element,
      lanes);
  return arith::SelectOp::create(
             b, loc, inside, loaded,
             arith::ConstantOp::create(b, loc, b.getZeroAttr(element)))
      .getResult();
}

/// Makes an element-wise operation on the lanes of its operands.
FailureOr<Value> PointEvaluator::cloneAt(Operation *op, ValueRange coordinates,
                                         const Lanes &lanes) {
  llvm::SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      operands.push_back(splat(state.scalar(operand), lanes));
      continue;
    }
    FailureOr<Value> value = evaluate(operand, coordinates, lanes);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  OperationState clone(op->getLoc(), op->getName());
  clone.addOperands(operands);
  clone.addTypes(lanes.typeOf(elementOf(op->getResult(0))));
  clone.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  clone.propertiesAttr = op->getPropertiesAsAttribute();
  return b.create(clone)->getResult(0);
}

FailureOr<Value> PointEvaluator::compute(Value tile, ValueRange coordinates,
                                         const Lanes &lanes) {
  Operation *op = tile.getDefiningOp();
  if (std::optional<TileMemory> memory = placeOf(tile))
    return state.access.load(*memory, coordinates, lanes, elementOf(tile));
  if (auto load = dyn_cast_or_null<tile::LoadOp>(op); load && isGuarded(load))
    return loadGuarded(load, coordinates, lanes);
  auto moved = [&](ValueRange origin) {
    Coordinates result;
    for (auto [coordinate, by] : llvm::zip_equal(coordinates, origin))
      result.push_back(state.access.add(coordinate, state.scalar(by)));
    return result;
  };
  using Result = FailureOr<Value>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::ConstantOp) { return constantAt(op, lanes); })
      .Case([&](tile::BroadcastOp own) {
        return repeat(own, coordinates, lanes);
      })
      .Case([&](tile::SplatOp own) -> Result {
        return splat(state.scalar(own.getValue()), lanes);
      })
      .Case([&](tile::IotaOp own) -> Result {
        unsigned d = own.getDimension();
        Value first =
            state.access.add(coordinates[d], state.scalar(own.getStart()));
        return indices(first, d + 1 == coordinates.size(), lanes);
      })
      .Case(
          [&](tile::MaskOp own) { return applyMask(own, coordinates, lanes); })
      .Case<tile::OptimizationBarrierOp, tile::ConvertLayoutOp>([&](auto own) {
        return evaluate(own.getValue(), coordinates, lanes);
      })
      .Case([&](tile::SliceOp own) -> Result {
        llvm::SmallVector<Value> origin;
        for (int64_t at : own.getOrigin())
          origin.push_back(state.access.constant(at));
        // The operand has other coordinates than the values known here.
        return PointEvaluator(state).evaluate(own.getValue(), moved(origin),
                                              lanes);
      })
      .Case([&](tile::LoadOp own) -> Result {
        return loadWindow(own, own.getView().getDefiningOp<tile::WindowOp>(),
                          coordinates, lanes);
      })
      .Case([&](tile::GatherOp own) -> Result {
        Result places = evaluate(own.getIndices(), coordinates, lanes);
        if (failed(places))
          return failure();
        Value zero = splat(state.access.constant(0), lanes);
        Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                             *places, zero);
        Value safe = arith::SelectOp::create(b, loc, inside, *places, zero);
        if (lanes.mask)
          inside = arith::AndIOp::create(b, loc, inside, lanes.mask);
        Type element = elementOf(tile);
        Value loaded = state.access.gather(
            state.scalar(own.getBase()), safe, element,
            lanes.isScalar() ? lanes : Lanes{lanes.count, inside});
        if (!lanes.isScalar() && !element.isInteger(1))
          return loaded;
        Value none =
            arith::ConstantOp::create(b, loc, b.getZeroAttr(loaded.getType()));
        return arith::SelectOp::create(b, loc, inside, loaded, none)
            .getResult();
      })
      .Case([&](tile::ScaleOp own) -> Result {
        Result value = evaluate(own.getValue(), coordinates, lanes);
        Result factors = evaluate(own.getFactors(), coordinates, lanes);
        if (failed(value) || failed(factors))
          return failure();
        return arith::MulFOp::create(b, loc, *value, *factors).getResult();
      })
      .Default([&](Operation *) -> Result {
        if (OpTrait::hasElementwiseMappableTraits(op))
          return cloneAt(op, coordinates, lanes);
        return op->emitOpError("cannot be evaluated element by element on a "
                               "CPU");
      });
}
