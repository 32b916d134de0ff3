//===- LoopNests.cpp - Loops over the elements of tiles -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;

static RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

//===----------------------------------------------------------------------===//
// What can be in one nest
//===----------------------------------------------------------------------===//

/// Calls `visit` with `tile` and the values that it is computed from. Does not
/// go beyond values in memory, nor beyond a value for which `visit` returns
/// false.
static void visitTree(Value tile, const KernelState &state,
                      llvm::function_ref<bool(Value)> visit) {
  llvm::SmallVector<Value> left{tile};
  llvm::DenseSet<Value> seen;
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!seen.insert(value).second || !visit(value))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || !isVirtual(op) ||
        (value != tile && state.memory.contains(value)))
      continue;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        left.push_back(operand);
  }
}

/// Returns whether a tile needs a result of the pending nest that is complete
/// only after its loops, or that is read at other points.
bool LoopNests::dependsOnPending(Value tile) const {
  bool depends = false;
  visitTree(tile, state, [&](Value value) {
    auto known = state.memory.find(value);
    if (known == state.memory.end())
      return true;
    for (const Root &root : roots)
      if (root.target.isSameAs(known->second))
        depends |= root.kind == Root::Kind::Reduce || value != root.value ||
                   typeOf(value).getShape() != ArrayRef(shape);
    return false;
  });
  return depends;
}

/// Puts into memory what a nest over `tile` cannot evaluate at its points:
/// transposed values, and expensive ones of rows.
LogicalResult LoopNests::prepareOperands(Value tile, Operation *at) {
  llvm::SmallVector<Value> needed;
  visitTree(tile, state, [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isVirtual(op) || state.inPlace(value))
      return false;
    if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
      needed.push_back(transpose.getValue());
      return false;
    }
    auto repeat = dyn_cast<tile::BroadcastOp>(op);
    int64_t rank = typeOf(value).getRank();
    if (!repeat || !llvm::is_contained(repeat.getDimensions(), rank - 1) ||
        typeOf(repeat.getValue()).getNumElements() == 1)
      return true;
    bool isCostly = false;
    visitTree(repeat.getValue(), state, [&](Value row) {
      Operation *maker = row.getDefiningOp();
      isCostly |= maker && isVirtual(maker) && isExpensive(maker) &&
                  !state.memory.contains(row);
      return true;
    });
    if (isCostly)
      needed.push_back(repeat.getValue());
    return true;
  });
  for (Value value : needed)
    if (!state.inPlace(value) && failed(materialize(value, at)))
      return failure();
  return success();
}

/// Makes the pending nest one over the elements of `tile` that `own` limits.
LogicalResult LoopNests::prepare(Value tile, Operation *at,
                                 const TileLimits &own) {
  if (failed(prepareOperands(tile, at)))
    return failure();
  bool isSame = !roots.empty() && typeOf(tile).getShape() == ArrayRef(shape) &&
                own == limits && !dependsOnPending(tile);
  if (!isSame) {
    if (failed(flush()))
      return failure();
    shape.assign(typeOf(tile).getShape().begin(),
                 typeOf(tile).getShape().end());
    limits = own;
  }
  last = at;
  return success();
}

LogicalResult LoopNests::add(tile::ReduceOp op) {
  Value tile = op.getValue();
  if (failed(prepare(tile, op, state.limits.limitsOf(tile))))
    return failure();
  Root root{Root::Kind::Reduce, tile};
  root.reduce = op;
  auto type = typeOf(op.getResult());
  root.target = state.allocate(type.getShape(), type.getElementType());
  state.memory[op.getResult()] = root.target;
  roots.push_back(root);
  return success();
}

LogicalResult LoopNests::add(tile::StoreOp op) {
  Value tile = op.getValue();
  auto view = op.getView().getDefiningOp<tile::ViewOp>();
  if (!view)
    return op.emitOpError("stores through a window, which a CPU cannot");
  TileLimits own = state.limits.limitsOf(tile);
  narrow(own, LimitAnalysis::limitsOfView(op.getView(), op.getCoordinates(),
                                          op.getInBounds()));
  if (failed(prepare(tile, op, own)))
    return failure();
  Root root{Root::Kind::Store, tile};
  root.isMasked = true;
  root.target = state.viewAt(view, op.getCoordinates());
  roots.push_back(root);
  return success();
}

LogicalResult LoopNests::materializeInto(Value tile, Operation *at,
                                         const TileMemory &target,
                                         bool isFilled) {
  TileLimits own = state.limits.limitsOf(tile);
  bool isLimited =
      llvm::any_of(own, [](const auto &each) { return !each.empty(); });
  if (failed(prepare(tile, at, own)))
    return failure();
  if (isFilled && isLimited)
    fill(target, typeOf(tile).getShape(),
         cast<TypedAttr>(b.getZeroAttr(target.elementType)));
  Root root{Root::Kind::Store, tile};
  root.isMasked = isFilled && isLimited;
  root.target = target;
  if (root.isMasked)
    root.target.isPadded = false;
  roots.push_back(root);
  return success();
}

LogicalResult LoopNests::copyTile(Value tile, Operation *at,
                                  const TileMemory &target) {
  if (failed(flush()) ||
      failed(materializeInto(tile, at, target, /*isFilled=*/false)))
    return failure();
  return flush();
}

LogicalResult LoopNests::materialize(Value tile, Operation *at) {
  TileMemory target =
      state.allocate(typeOf(tile).getShape(), typeOf(tile).getElementType());
  if (failed(materializeInto(tile, at, target, /*isFilled=*/false)))
    return failure();
  state.memory[tile] = target;
  return success();
}

LogicalResult LoopNests::materialize(OpOperand &use, Type stored,
                                     bool isFilled) {
  Value tile = use.get();
  if (!stored)
    stored = typeOf(tile).getElementType();
  // The memory of a value of the same shape that the result replaces.
  std::optional<TileMemory> target;
  visitTree(tile, state, [&](Value value) {
    auto known = state.memory.find(value);
    if (known == state.memory.end())
      return true;
    if (!target && known->second.isPadded && value != tile &&
        known->second.elementType == TileAccess::storedType(stored) &&
        typeOf(value).getShape() == typeOf(tile).getShape() &&
        canOverwrite(value, use))
      target = known->second;
    return false;
  });
  if (!target)
    target = state.allocate(typeOf(tile).getShape(), stored);
  if (failed(materializeInto(tile, use.getOwner(), *target, isFilled)))
    return failure();
  state.memory[tile] = *target;
  return success();
}

/// Stores expensive values that later nests need, too.
void LoopNests::keepForLater() {
  llvm::SmallVector<Value> kept;
  for (const Root &root : roots)
    visitTree(root.value, state, [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (value != root.value && state.memory.contains(value))
        return false;
      if (op && isVirtual(op) && isExpensive(op) &&
          !state.memory.contains(value) &&
          typeOf(value).getShape() == ArrayRef(shape) &&
          op->getBlock() == last->getBlock() && isReadAfter(value, last) &&
          !llvm::is_contained(kept, value))
        kept.push_back(value);
      return true;
    });
  for (Value value : kept) {
    Root root{Root::Kind::Store, value};
    root.target = state.allocate(shape, typeOf(value).getElementType());
    state.memory[value] = root.target;
    roots.push_back(root);
  }
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

static Value makeIdentity(OpBuilder &b, Location loc, arith::AtomicRMWKind kind,
                          Type type) {
  TypedAttr attr =
      arith::getIdentityValueAttr(kind, getElementTypeOrSelf(type), b, loc);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(vector, attr));
  return arith::ConstantOp::create(b, loc, attr);
}

Value LoopNests::identityOf(const Root &root, const Lanes &lanes) {
  tile::ReduceOp reduce = root.reduce;
  return makeIdentity(b, loc, reduce.getKind(),
                      lanes.typeOf(typeOf(root.value).getElementType()));
}

/// Combines the lanes of an accumulator, halves first.
Value LoopNests::combineLanes(const Root &root, Value lanes) {
  tile::ReduceOp reduce = root.reduce;
  int64_t count = cast<VectorType>(lanes.getType()).getNumElements();
  while (count > 1) {
    count /= 2;
    auto half = [&](int64_t first) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, loc, lanes, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
          ArrayRef<int64_t>{1});
    };
    Value low = half(0), high = half(count);
    lanes = arith::getReductionOp(reduce.getKind(), b, loc, low, high);
  }
  return vector::ExtractOp::create(b, loc, lanes, ArrayRef<int64_t>{0});
}

llvm::SmallVector<Value> LoopNests::accumulators() const {
  llvm::SmallVector<Value> values;
  for (const Root &root : roots)
    if (root.reducesLanes())
      values.push_back(root.accumulator);
  return values;
}

void LoopNests::setAccumulators(ValueRange values) {
  unsigned next = 0;
  for (Root &root : roots)
    if (root.reducesLanes())
      root.accumulator = values[next++];
}

LogicalResult LoopNests::emitPoint(ArrayRef<Value> indices,
                                   const Lanes &lanes) {
  evaluator.leavePoint();
  for (Root &root : roots) {
    FailureOr<Value> value = evaluator.evaluate(root.value, indices, lanes);
    if (failed(value))
      return failure();
    if (root.kind == Root::Kind::Store) {
      Lanes stored = lanes;
      if (!root.isMasked)
        stored.mask = Value();
      state.access.store(*value, root.target, indices, stored);
      continue;
    }
    tile::ReduceOp reduce = root.reduce;
    if (root.reducesLanes()) {
      if (lanes.mask)
        *value = arith::SelectOp::create(b, loc, lanes.mask, *value,
                                         identityOf(root, lanes));
      root.accumulator = arith::getReductionOp(reduce.getKind(), b, loc,
                                               root.accumulator, *value);
      continue;
    }
    llvm::SmallVector<Value> kept(indices);
    kept.erase(kept.begin() + reduce.getDimension());
    Type element = typeOf(root.value).getElementType();
    Value before = state.access.load(root.target, kept, lanes, element);
    state.access.store(
        arith::getReductionOp(reduce.getKind(), b, loc, before, *value),
        root.target, kept, lanes);
  }
  return success();
}

/// Emits whole vectors of a row, from `first` up to `end`.
LogicalResult LoopNests::emitWhole(llvm::SmallVector<Value> &indices,
                                   Value first, Value end, Value step) {
  auto loop = scf::ForOp::create(b, loc, first, end, step, accumulators());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  setAccumulators(loop.getRegionIterArgs());
  indices.push_back(loop.getInductionVar());
  if (failed(emitPoint(indices, {state.lanes(), Value()})))
    return failure();
  indices.pop_back();
  b.setInsertionPointToEnd(loop.getBody());
  if (llvm::SmallVector<Value> results = accumulators(); !results.empty())
    scf::YieldOp::create(b, loc, results);
  setAccumulators(loop.getResults());
  return success();
}

/// Emits whole vectors of a row up to `end`, `times` of them in an iteration,
/// with accumulators of their own. These are combined in order.
LogicalResult LoopNests::emitUnrolled(llvm::SmallVector<Value> &indices,
                                      Value end, int64_t times) {
  int64_t count = state.lanes();
  llvm::SmallVector<Value> start = accumulators(), all;
  for (int64_t i = 0; i < times; ++i)
    all.append(start);
  auto loop = scf::ForOp::create(b, loc, state.access.constant(0), end,
                                 state.access.constant(times * count), all);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    llvm::SmallVector<Value> results;
    for (int64_t i = 0; i < times; ++i) {
      setAccumulators(
          loop.getRegionIterArgs().slice(i * start.size(), start.size()));
      indices.push_back(state.access.add(loop.getInductionVar(),
                                         state.access.constant(i * count)));
      if (failed(emitPoint(indices, {count, Value()})))
        return failure();
      indices.pop_back();
      results.append(accumulators());
    }
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, results);
  }
  setAccumulators(loop.getResults().take_front(start.size()));
  for (int64_t i = 1; i < times; ++i) {
    unsigned next = i * start.size();
    for (Root &root : roots)
      if (root.reducesLanes()) {
        tile::ReduceOp reduce = root.reduce;
        root.accumulator = arith::getReductionOp(
            reduce.getKind(), b, loc, root.accumulator, loop.getResult(next++));
      }
  }
  return success();
}

/// Emits the vectors of a row up to `end`: whole ones in a loop, and the last
/// one with a mask if it has fewer lanes.
LogicalResult LoopNests::emitVectors(llvm::SmallVector<Value> &indices,
                                     OpFoldResult end) {
  int64_t count = state.lanes();
  Value step = state.access.constant(count), zero = state.access.constant(0);
  std::optional<int64_t> known = getConstantIntValue(end);
  Value whole, rest;
  if (known) {
    whole = state.access.constant(*known / count * count);
    rest = state.access.constant(*known % count);
  } else {
    Value extent = state.access.valueOf(end);
    rest = arith::RemUIOp::create(b, loc, extent, step);
    whole = arith::SubIOp::create(b, loc, extent, rest);
  }
  int64_t vectors = known ? *known / count : 0;
  llvm::SmallVector<Value> start = accumulators();
  // Dependent additions of one accumulator would take their latency each.
  constexpr int64_t kUnrolled = 4;
  if (!start.empty() && vectors >= 2 * kUnrolled) {
    int64_t end = vectors / kUnrolled * kUnrolled * count;
    Value grouped = state.access.constant(end);
    if (failed(emitUnrolled(indices, grouped, kUnrolled)))
      return failure();
    if (end < vectors * count &&
        failed(emitWhole(indices, grouped, whole, step)))
      return failure();
  } else if (!known || vectors > 0) {
    if (failed(emitWhole(indices, zero, whole, step)))
      return failure();
  }
  if (known && *known % count == 0)
    return success();
  auto emitRest = [&] {
    indices.push_back(whole);
    Lanes lanes{count, state.access.firstLanes(rest, count)};
    LogicalResult result = emitPoint(indices, lanes);
    indices.pop_back();
    return result;
  };
  if (known)
    return emitRest();
  Value isLeft =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest, zero);
  llvm::SmallVector<Value> before = accumulators();
  llvm::SmallVector<Type> types(ValueRange(before).getTypes());
  auto branch = scf::IfOp::create(b, loc, types, isLeft,
                                  /*withElseRegion=*/!before.empty());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    if (failed(emitRest()))
      return failure();
    if (!before.empty()) {
      scf::YieldOp::create(b, loc, accumulators());
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, loc, before);
    }
  }
  setAccumulators(branch.getResults());
  return success();
}

LogicalResult LoopNests::emitRow(llvm::SmallVector<Value> &indices) {
  evaluator.leaveRow();
  if (shape.empty())
    return emitPoint(indices, Lanes());
  for (const Root &root : roots)
    if (failed(evaluator.evaluateRow(root.value, indices, state.lanes())))
      return failure();
  for (Root &root : roots)
    if (root.reducesLanes())
      root.accumulator = identityOf(root, {state.lanes(), Value()});
  if (failed(emitVectors(indices, ends.back())))
    return failure();
  for (Root &root : roots)
    if (root.reducesLanes())
      state.access.store(combineLanes(root, root.accumulator), root.target,
                         indices, Lanes());
  return success();
}

LogicalResult LoopNests::emitDimension(unsigned d,
                                       llvm::SmallVector<Value> &indices) {
  if (d + 1 >= shape.size())
    return emitRow(indices);
  if (shape[d] == 1) {
    indices.push_back(state.access.constant(0));
    LogicalResult result = emitDimension(d + 1, indices);
    indices.pop_back();
    return result;
  }
  auto loop = scf::ForOp::create(b, loc, state.access.constant(0),
                                 state.access.valueOf(ends[d]),
                                 state.access.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  indices.push_back(loop.getInductionVar());
  LogicalResult result = emitDimension(d + 1, indices);
  indices.pop_back();
  return result;
}

LogicalResult LoopNests::flush() {
  if (roots.empty())
    return success();
  keepForLater();
  ends.clear();
  for (auto [limit, extent] : llvm::zip_equal(limits, shape))
    ends.push_back(state.clip(limit, extent));
  for (Root &root : roots)
    if (root.kind == Root::Kind::Reduce && !root.reducesLanes()) {
      tile::ReduceOp reduce = root.reduce;
      auto type = typeOf(reduce.getResult());
      fill(root.target, type.getShape(),
           arith::getIdentityValueAttr(reduce.getKind(), type.getElementType(),
                                       b, loc));
    }
  // Values that this nest stores are computed in it.
  llvm::SmallVector<std::pair<Value, TileMemory>> stored;
  for (const Root &root : roots)
    if (root.kind == Root::Kind::Store && state.memory.contains(root.value) &&
        state.memory[root.value].base == root.target.base) {
      stored.push_back({root.value, state.memory[root.value]});
      state.memory.erase(root.value);
    }
  llvm::SmallVector<TileLimit> covered;
  for (ArrayRef<TileLimit> each : limits)
    covered.append(each.begin(), each.end());
  evaluator.setCovered(covered);
  llvm::SmallVector<Value> indices;
  LogicalResult result = emitDimension(0, indices);
  evaluator.leaveRow();
  for (auto &[tile, memory] : stored)
    state.memory[tile] = memory;
  roots.clear();
  return result;
}

//===----------------------------------------------------------------------===//
// Whole tiles
//===----------------------------------------------------------------------===//

/// Emits loops over the vectors of a padded tile in scratch.
static void forEachVector(KernelState &state, ArrayRef<int64_t> shape,
                          llvm::function_ref<void(ValueRange)> visit) {
  OpBuilder &b = state.b;
  OpBuilder::InsertionGuard guard(b);
  llvm::SmallVector<Value> indices;
  for (auto [d, extent] : llvm::enumerate(shape)) {
    int64_t step = d + 1 == shape.size() ? state.lanes() : 1;
    if (extent <= step) {
      indices.push_back(state.access.constant(0));
      continue;
    }
    auto loop = scf::ForOp::create(b, state.loc, state.access.constant(0),
                                   state.access.constant(extent),
                                   state.access.constant(step));
    b.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
  }
  visit(indices);
}

void LoopNests::fill(const TileMemory &memory, ArrayRef<int64_t> extents,
                     TypedAttr value) {
  Lanes lanes{extents.empty() ? 0 : state.lanes(), Value()};
  Type type = lanes.typeOf(value.getType());
  Value filled = arith::ConstantOp::create(
      b, loc,
      lanes.isScalar() ? value
                       : cast<TypedAttr>(DenseElementsAttr::get(
                             cast<VectorType>(type), Attribute(value))));
  TileMemory padded = memory;
  padded.isPadded = true;
  forEachVector(state, extents, [&](ValueRange indices) {
    state.access.store(filled, padded, indices, lanes);
  });
}

void LoopNests::copy(const TileMemory &from, const TileMemory &to,
                     ArrayRef<int64_t> extents) {
  Lanes lanes{extents.empty() ? 0 : state.lanes(), Value()};
  forEachVector(state, extents, [&](ValueRange indices) {
    Value value = state.access.load(from, indices, lanes, from.elementType);
    state.access.store(value, to, indices, lanes);
  });
}
