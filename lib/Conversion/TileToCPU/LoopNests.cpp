//===- LoopNests.cpp - Loops over the elements of tiles -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "fusion/Dialect/Tile/IR/NativeKernels.h"
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

/// Returns whether a tile needs a result of the pending nest that is complete
/// only after its loops, or that is read at other points.
bool LoopNests::dependsOnPending(Value tile) const {
  bool depends = false;
  visitTree(tile, state, [&](Value value) {
    auto known = state.memory.find(value);
    if (known == state.memory.end())
      return true;
    for (const NestRoot &root : roots)
      if (root.target.isSameAs(known->second))
        depends |= root.kind == NestRoot::Kind::Reduce || value != root.value ||
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
    if (isExpensiveTree(repeat.getValue(), state))
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
  NestRoot root{NestRoot::Kind::Reduce, tile};
  root.reduce = op;
  auto type = typeOf(op.getResult());
  root.target = state.allocate(type.getShape(), type.getElementType());
  state.memory[op.getResult()] = root.target;
  roots.push_back(root);
  return success();
}

/// Returns whether a store is non-temporal, as an evict-first access is. Its
/// vectors have to be aligned.
static bool isStreamed(tile::StoreOp op, tile::ViewOp view) {
  auto type = cast<tile::ViewType>(view.getType());
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  unsigned last = op.getCoordinates().size() - 1;
  return op.getEvictFirst() && bits % 8 == 0 && type.getUnit() == last &&
         type.getAlignment() % kStreamAlignment == 0 &&
         isMultipleOf(op.getCoordinates()[last], kStreamAlignment * 8 / bits);
}

LogicalResult LoopNests::add(tile::StoreOp op) {
  Value tile = op.getValue();
  auto view = op.getView().getDefiningOp<tile::ViewOp>();
  if (!view)
    return op.emitOpError("stores through a window, which a CPU cannot");
  TileLimits own = state.limits.limitsOf(tile);
  bool isPartial = op->hasAttr(tile::kPartialAttrName);
  if (!isPartial)
    narrow(own, LimitAnalysis::limitsOfView(op.getView(), op.getCoordinates(),
                                            op.getInBounds()));
  if (failed(prepare(tile, op, own)))
    return failure();
  NestRoot root{NestRoot::Kind::Store, tile};
  root.isMasked = true;
  root.target =
      state.viewAt(view, isPartial ? ValueRange() : op.getCoordinates());
  if (isPartial) {
    root.partial = op;
  } else {
    root.target.isStreamed = isStreamed(op, view);
    state.hasStreams |= root.target.isStreamed;
  }
  roots.push_back(root);
  return success();
}

static bool isLimited(const TileLimits &limits) {
  return llvm::any_of(limits, [](const auto &each) { return !each.empty(); });
}

LogicalResult LoopNests::materializeInto(Value tile, Operation *at,
                                         const TileMemory &target,
                                         bool isFilled) {
  TileLimits own = state.limits.limitsOf(tile);
  if (failed(prepare(tile, at, own)))
    return failure();
  isFilled &= isLimited(own);
  if (isFilled)
    fill(target, typeOf(tile).getShape(),
         cast<TypedAttr>(b.getZeroAttr(target.elementType)));
  NestRoot root{NestRoot::Kind::Store, tile};
  root.isMasked = isFilled;
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
  // The memory of a value of the same shape that the result replaces. A tile
  // that is filled before it is computed has memory of its own.
  bool isApart = isFilled && isLimited(state.limits.limitsOf(tile));
  std::optional<TileMemory> target;
  visitTree(tile, state, [&](Value value) {
    auto known = state.memory.find(value);
    if (known == state.memory.end()) // other elements are read elsewhere
      return !isa_and_nonnull<tile::TransposeOp, tile::SliceOp>(
          value.getDefiningOp());
    if (!isApart && !target && known->second.isPadded && value != tile &&
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
  for (const NestRoot &root : roots)
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
    NestRoot root{NestRoot::Kind::Store, value};
    root.target = state.allocate(shape, typeOf(value).getElementType());
    state.memory[value] = root.target;
    roots.push_back(root);
  }
}

LogicalResult LoopNests::flush() {
  if (roots.empty())
    return success();
  keepForLater();
  llvm::SmallVector<OpFoldResult> ends;
  for (auto [limit, extent] : llvm::zip_equal(limits, shape))
    ends.push_back(state.clip(limit, extent));
  for (NestRoot &root : roots)
    if (root.kind == NestRoot::Kind::Reduce && !root.reducesLanes()) {
      tile::ReduceOp reduce = root.reduce;
      auto type = typeOf(reduce.getResult());
      fill(root.target, type.getShape(),
           arith::getIdentityValueAttr(reduce.getKind(), type.getElementType(),
                                       b, loc));
    }
  // Values that this nest stores are computed in it.
  llvm::SmallVector<std::pair<Value, TileMemory>> stored;
  for (const NestRoot &root : roots)
    if (root.kind == NestRoot::Kind::Store &&
        state.memory.contains(root.value) &&
        state.memory[root.value].base == root.target.base) {
      stored.push_back({root.value, state.memory[root.value]});
      state.memory.erase(root.value);
    }
  llvm::SmallVector<TileLimit> covered;
  for (ArrayRef<TileLimit> each : limits)
    covered.append(each.begin(), each.end());
  LogicalResult result = NestEmitter(state, roots, shape, ends, covered).emit();
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
