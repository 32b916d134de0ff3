//===- NestEmitter.cpp - The loops of one nest ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;

static RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

NestEmitter::NestEmitter(KernelState &state,
                         llvm::MutableArrayRef<NestRoot> roots,
                         ArrayRef<int64_t> shape, ArrayRef<OpFoldResult> ends,
                         ArrayRef<TileLimit> covered)
    : state(state), b(state.b), loc(state.loc), evaluator(state),
      block(state, shape), roots(roots), shape(shape), ends(ends) {
  evaluator.setCovered(covered);
  isExpensive = llvm::any_of(roots, [&](const NestRoot &root) {
    return isExpensiveTree(root.value, state);
  });
  // Constants of expensive functions and two vectors are more than 16
  // registers.
  constexpr unsigned kEnough = 32;
  bool isShort = isExpensive && state.chip.cpu->vectorRegisters < kEnough;
  lanes = isShort && !hasPanels() ? state.registerLanes(b.getF32Type())
                                  : state.lanes();
}

/// Returns whether the nest stores a tile in panels, whose vectors have a fixed
/// number of lanes.
bool NestEmitter::hasPanels() const {
  return llvm::any_of(
      roots, [](const NestRoot &root) { return root.target.panel != 0; });
}

LogicalResult NestEmitter::emit() {
  findBlocks();
  Indices indices;
  return emitDimension(0, indices);
}

//===----------------------------------------------------------------------===//
// Points
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

Value NestEmitter::identityOf(const NestRoot &root, const Lanes &lanes) {
  tile::ReduceOp reduce = root.reduce;
  return makeIdentity(b, loc, reduce.getKind(),
                      lanes.typeOf(typeOf(root.value).getElementType()));
}

llvm::SmallVector<Value> NestEmitter::accumulators() const {
  llvm::SmallVector<Value> values;
  for (const NestRoot &root : roots)
    if (root.reducesLanes())
      values.push_back(root.accumulator);
  return values;
}

void NestEmitter::setAccumulators(ValueRange values) {
  unsigned next = 0;
  for (NestRoot &root : roots)
    if (root.reducesLanes())
      root.accumulator = values[next++];
}

/// Stores the elements that lie in the view.
void NestEmitter::storeInView(NestRoot &root, Value value,
                              ArrayRef<Value> indices, const Lanes &lanes) {
  llvm::SmallVector<Value> at;
  Value inside = evaluator.placeInView(
      root.partial.getView().getDefiningOp<tile::ViewOp>(),
      root.partial.getCoordinates(), indices, lanes, at);
  if (!lanes.isScalar()) {
    state.access.store(value, root.target, at, {lanes.count, inside});
    return;
  }
  OpBuilder::InsertionGuard guard(b);
  if (inside) {
    auto branch = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  state.access.store(value, root.target, at, lanes);
}

/// Evaluates a root at a point, and stores or reduces it.
LogicalResult NestEmitter::emitRoot(NestRoot &root, ArrayRef<Value> indices,
                                    const Lanes &lanes) {
  FailureOr<Value> value = evaluator.evaluate(root.value, indices, lanes);
  if (failed(value))
    return failure();
  if (root.partial) {
    storeInView(root, *value, indices, lanes);
    return success();
  }
  if (root.kind == NestRoot::Kind::Store) {
    Lanes stored = lanes;
    if (!root.isMasked)
      stored.mask = Value();
    state.access.store(*value, root.target, indices, stored);
    return success();
  }
  tile::ReduceOp reduce = root.reduce;
  if (root.reducesLanes()) {
    if (lanes.mask)
      *value = arith::SelectOp::create(b, loc, lanes.mask, *value,
                                       identityOf(root, lanes));
    root.accumulator = arith::getReductionOp(reduce.getKind(), b, loc,
                                             root.accumulator, *value);
    return success();
  }
  llvm::SmallVector<Value> kept(indices);
  kept.erase(kept.begin() + reduce.getDimension());
  Type element = typeOf(root.value).getElementType();
  Value before = state.access.load(root.target, kept, lanes, element);
  state.access.store(
      arith::getReductionOp(reduce.getKind(), b, loc, before, *value),
      root.target, kept, lanes);
  return success();
}

/// Emits the point of a row, or the rows of a block. `left` elements exist from
/// there on, if they are fewer than the lanes.
LogicalResult NestEmitter::emitPoint(ArrayRef<Value> indices,
                                     const Lanes &lanes, OpFoldResult left) {
  if (blockRows > 0)
    return emitBlock(indices, lanes, left);
  evaluator.leavePoint();
  for (NestRoot &root : roots)
    if (failed(emitRoot(root, indices, lanes)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Finds what blocks of rows load and store together.
void NestEmitter::findBlocks() {
  for (const NestRoot &root : roots)
    if (root.reducesLanes())
      return;
  for (const NestRoot &root : roots)
    if (root.target.rowsInWord > 1)
      block.addStore(&root, root.target);
  for (const NestRoot &root : roots) {
    if (root.kind == NestRoot::Kind::Store && !root.partial &&
        root.target.rowsInWord == 1)
      block.addStore(&root, root.target);
    visitTree(root.value, state, [&](Value tile) {
      if (typeOf(tile).getShape() != shape)
        return false;
      std::optional<TileMemory> memory = evaluator.placeOf(tile);
      if (memory)
        block.addRead(tile, *memory);
      return !memory;
    });
  }
}

/// Emits a loop over rows of the blocks' dimension, `step` of them in an
/// iteration.
LogicalResult NestEmitter::emitRowLoop(Indices &indices, OpFoldResult first,
                                       OpFoldResult end, int64_t step) {
  std::optional<int64_t> from = getConstantIntValue(first);
  if (from && getConstantIntValue(end) == from)
    return success();
  auto loop = scf::ForOp::create(b, loc, state.access.valueOf(first),
                                 state.access.valueOf(end),
                                 state.access.constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  indices.push_back(loop.getInductionVar());
  LogicalResult result = emitDimension(*block.dimension() + 1, indices);
  indices.pop_back();
  return result;
}

/// Emits the rows from `first` on, which are fewer than a word has. Others are
/// zero.
LogicalResult NestEmitter::emitLastWords(Indices &indices, OpFoldResult first) {
  OpFoldResult end = ends[*block.dimension()];
  auto emit = [&](int64_t rows) {
    existingRows = rows;
    indices.push_back(state.access.valueOf(first));
    LogicalResult result = emitDimension(*block.dimension() + 1, indices);
    indices.pop_back();
    return result;
  };
  std::optional<int64_t> from = getConstantIntValue(first),
                         to = getConstantIntValue(end);
  if (from && to)
    return *from == *to ? success() : emit(*to - *from);
  Value rest = arith::SubIOp::create(b, loc, state.access.valueOf(end),
                                     state.access.valueOf(first));
  for (int64_t rows = 1; rows < block.rowsInWord(); ++rows) {
    Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                                     state.access.constant(rows));
    auto branch = scf::IfOp::create(b, loc, is, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    if (failed(emit(rows)))
      return failure();
  }
  return success();
}

/// Emits the rows of the blocks' dimension: in blocks that are transposed, in
/// words, and one by one.
LogicalResult NestEmitter::emitRowBlocks(Indices &indices) {
  OpFoldResult end = ends[*block.dimension()], done = b.getIndexAttr(0);
  auto emitBlocks = [&](int64_t rows) {
    blockRows = existingRows = rows;
    OpFoldResult whole = state.access.multipleBelow(end, rows);
    LogicalResult result = emitRowLoop(indices, done, whole, rows);
    done = whole;
    return result;
  };
  isTransposed = true;
  if (std::optional<int64_t> rows = block.rowsOfTransposes())
    if (failed(emitBlocks(*rows)))
      return failure();
  isTransposed = false;
  if (block.rowsInWord() > 1)
    if (failed(emitBlocks(block.rowsInWord())) ||
        failed(emitLastWords(indices, done)))
      return failure();
  blockRows = 0;
  return block.rowsInWord() > 1 ? success()
                                : emitRowLoop(indices, done, end, 1);
}

/// Evaluates the roots in a row of a block. Roots that are stored for all rows
/// together keep their values.
LogicalResult NestEmitter::emitBlockRow(ArrayRef<Value> indices, int64_t number,
                                        const Lanes &lanes) {
  Indices row(indices);
  unsigned d = *block.dimension();
  row[d] = state.access.add(row[d], state.access.constant(number));
  evaluator.leaveRow();
  for (const NestRoot &root : roots)
    if (failed(evaluator.evaluateRow(root.value, ArrayRef(row).drop_back(),
                                     lanes.count)))
      return failure();
  block.setReads(evaluator, row, number);
  for (NestRoot &root : roots) {
    BlockAccess::Values *kept = block.rowsOf(&root);
    if (!kept) {
      if (failed(emitRoot(root, row, lanes)))
        return failure();
      continue;
    }
    FailureOr<Value> value = evaluator.evaluate(root.value, row, lanes);
    if (failed(value))
      return failure();
    kept->push_back(*value);
  }
  return success();
}

/// Emits the points of a block's rows, of which `indices` are the first one.
LogicalResult NestEmitter::emitBlock(ArrayRef<Value> indices,
                                     const Lanes &lanes, OpFoldResult left) {
  block.begin(blockRows, isTransposed, indices, lanes, left);
  for (int64_t row = 0; row < existingRows; ++row)
    if (failed(emitBlockRow(indices, row, lanes)))
      return failure();
  block.end();
  return success();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Emits whole vectors of a row, from `first` up to `end`.
LogicalResult NestEmitter::emitWhole(Indices &indices, Value first, Value end,
                                     Value step) {
  auto loop = scf::ForOp::create(b, loc, first, end, step, accumulators());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  setAccumulators(loop.getRegionIterArgs());
  indices.push_back(loop.getInductionVar());
  if (failed(emitPoint(indices, {lanes, Value()}, nullptr)))
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
LogicalResult NestEmitter::emitUnrolled(Indices &indices, Value end,
                                        int64_t times) {
  int64_t count = lanes;
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
      if (failed(emitPoint(indices, {count, Value()}, nullptr)))
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
    for (NestRoot &root : roots)
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
LogicalResult NestEmitter::emitVectors(Indices &indices, OpFoldResult end) {
  int64_t count = lanes;
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
  // Expensive operators take longer.
  constexpr int64_t kUnrolled = 4;
  if (!start.empty() && !isExpensive && vectors >= 2 * kUnrolled) {
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
    LogicalResult result =
        emitPoint(indices, lanes,
                  known ? OpFoldResult(b.getIndexAttr(*known % count)) : rest);
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

LogicalResult NestEmitter::emitRow(Indices &indices) {
  evaluator.leaveRow();
  if (shape.empty())
    return emitPoint(indices, Lanes(), nullptr);
  if (blockRows == 0)
    for (const NestRoot &root : roots)
      if (failed(evaluator.evaluateRow(root.value, indices, lanes)))
        return failure();
  for (NestRoot &root : roots)
    if (root.reducesLanes())
      root.accumulator = identityOf(root, {lanes, Value()});
  if (failed(emitVectors(indices, ends.back())))
    return failure();
  for (NestRoot &root : roots)
    if (root.reducesLanes())
      state.access.store(combineLanes(b, loc,
                                      tile::ReduceOp(root.reduce).getKind(),
                                      root.accumulator),
                         root.target, indices, Lanes());
  return success();
}

LogicalResult NestEmitter::emitDimension(unsigned d, Indices &indices) {
  if (d + 1 >= shape.size())
    return emitRow(indices);
  if (d == block.dimension())
    return emitRowBlocks(indices);
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
