//===- BlockEmitter.cpp - The program of a block on one core --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar operations are copied. Tiles that are computed element by element are
// evaluated by the loops that need them (LoopNests.h); contractions, loops and
// branches need theirs in memory.
//
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "MicroKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion;

static RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

static bool isTile(Value value) {
  return isa<RankedTensorType, tile::ArrayType>(value.getType());
}

LogicalResult BlockEmitter::emit(Block &block) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    if (failed(emit(&op)))
      return failure();
  }
  return success();
}

LogicalResult BlockEmitter::emit(Operation *op) {
  if (isVirtual(op)) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getPredicate())
      return op->emitOpError("has a predicate, which a CPU cannot");
    else if (load && load.getPacked())
      return pack(load);
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tile::ViewOp, tile::WindowOp>([](auto) { return success(); })
      .Case<scf::ForOp, scf::IfOp, tile::DotOp, tile::MakeArrayOp,
            tile::ArrayGetOp, tile::ArraySetOp>(
          [&](auto own) { return emit(own); })
      .Case<tile::ReduceOp, tile::StoreOp>(
          [&](auto own) { return nests.add(own); })
      .Case([&](tile::ProgramIdOp own) {
        state.scalars.map(own.getResult(), program);
        return success();
      })
      .Case([&](tile::ThreadIdOp own) {
        state.scalars.map(own.getResult(), thread);
        return success();
      })
      .Case([&](tile::ElementLoadOp own) {
        Value value = state.access.gather(state.scalar(own.getBase()),
                                          state.scalar(own.getIndex()),
                                          own.getResult().getType(), Lanes());
        state.scalars.map(own.getResult(), value);
        return success();
      })
      .Case([&](tile::ElementStoreOp own) {
        TileMemory memory;
        memory.elementType = TileAccess::storedType(own.getValue().getType());
        memory.base =
            state.access.offset(state.scalar(own.getBase()), memory.elementType,
                                state.scalar(own.getIndex()));
        state.access.store(state.scalar(own.getValue()), memory, {}, Lanes());
        return success();
      })
      .Default([&](Operation *) { return emitScalar(op); });
}

/// Copies an operation on scalars.
LogicalResult BlockEmitter::emitScalar(Operation *op) {
  bool hasTiles = llvm::any_of(op->getOperands(), isTile) ||
                  llvm::any_of(op->getResults(), isTile);
  if (hasTiles || isa<tile::TileDialect>(op->getDialect()))
    return op->emitOpError("cannot be lowered for a CPU");
  b.clone(*op, state.scalars);
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Evaluates tiles that the operations in a loop or a branch read, where that
/// would otherwise be done there.
LogicalResult BlockEmitter::prepareCaptured(Operation *op) {
  llvm::SmallVector<Value> needed;
  op->walk([&](Operation *inner) {
    if (auto slice = dyn_cast<tile::SliceOp>(inner);
        slice && state.packed.contains(slice))
      return;
    for (Value operand : inner->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (!maker || op->isAncestor(maker) || !isVirtual(maker) ||
          isa<arith::ConstantOp, tile::SplatOp, tile::IotaOp>(maker) ||
          state.inPlace(operand) || llvm::is_contained(needed, operand) ||
          (isa<tile::DotOp>(inner) && state.packed.contains(operand)))
        continue;
      needed.push_back(operand);
    }
  });
  for (Value tile : needed)
    if (!state.memory.contains(tile) && failed(nests.materialize(tile, op)))
      return failure();
  return nests.flush();
}

LogicalResult BlockEmitter::putInto(OpOperand &use, const TileMemory &target) {
  Value tile = use.get();
  std::optional<TileMemory> from = state.inPlace(tile);
  if (!from) {
    if (failed(nests.materialize(use)) || failed(nests.flush()))
      return failure();
    from = state.memory[tile];
  }
  if (!from->isSameAs(target))
    nests.copy(*from, target, typeOf(tile).getShape());
  return success();
}

/// Returns the memory in which a loop carries a tile: that of the tile that it
/// starts from, if nothing else reads that one, or new memory with a copy.
FailureOr<TileMemory> BlockEmitter::carry(OpOperand &init) {
  auto own = state.memory.find(init.get());
  if (own != state.memory.end() && own->second.isPadded &&
      canOverwrite(init.get(), init))
    return own->second;
  RankedTensorType type = typeOf(init.get());
  TileMemory memory = state.allocate(type.getShape(), type.getElementType());
  DenseElementsAttr constant;
  if (!matchPattern(init.get(), m_Constant(&constant)) || !constant.isSplat()) {
    if (failed(putInto(init, memory)))
      return failure();
    return memory;
  }
  bool isBoolean = type.getElementType().isInteger(1);
  nests.fill(memory, type.getShape(),
             isBoolean ? b.getI8IntegerAttr(constant.getSplatValue<bool>())
                       : constant.getSplatValue<TypedAttr>());
  return memory;
}

/// Puts the tiles that a loop yields where it carries them. All of them are
/// computed before one replaces the tile that it follows. Scalars are added to
/// `scalars`.
LogicalResult BlockEmitter::yield(scf::ForOp op,
                                  llvm::SmallVectorImpl<Value> &scalars) {
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  llvm::SmallVector<std::pair<OpOperand *, TileMemory>> moved;
  for (OpOperand &use : yield->getOpOperands()) {
    if (!isTile(use.get())) {
      scalars.push_back(state.scalar(use.get()));
      continue;
    }
    if (isa<tile::ArrayType>(use.get().getType()))
      continue;
    Value argument = op.getRegionIterArg(use.getOperandNumber());
    TileMemory target = state.memory[argument];
    if (!state.inPlace(use.get()) && failed(nests.materialize(use)))
      return failure();
    moved.push_back({&use, target});
  }
  if (failed(nests.flush()))
    return failure();
  for (auto &[use, target] : moved) {
    TileMemory from = *state.inPlace(use->get());
    // Another carried tile may be replaced before it is read.
    if (from.isSameAs(target) || !isa<BlockArgument>(use->get()))
      continue;
    RankedTensorType type = typeOf(use->get());
    TileMemory aside = state.allocate(type.getShape(), type.getElementType());
    nests.copy(from, aside, type.getShape());
    state.memory[use->get()] = aside;
  }
  for (auto &[use, target] : moved)
    if (failed(putInto(*use, target)))
      return failure();
  return success();
}

LogicalResult BlockEmitter::emit(scf::ForOp op) {
  if (failed(prepareCaptured(op)))
    return failure();
  llvm::SmallVector<Value> carried;
  for (auto [number, init] : llvm::enumerate(op.getInitArgs())) {
    Value argument = op.getRegionIterArg(number), result = op.getResult(number);
    if (isa<tile::ArrayType>(init.getType())) {
      FailureOr<ArrayMemory> array = arrayOf(init);
      if (failed(array))
        return failure();
      state.arrays[argument] = state.arrays[result] = *array;
    } else if (isTile(init)) {
      FailureOr<TileMemory> memory = carry(op.getInitArgsMutable()[number]);
      if (failed(memory))
        return failure();
      state.memory[argument] = state.memory[result] = *memory;
    } else {
      carried.push_back(state.scalar(init));
    }
  }
  auto loop = scf::ForOp::create(b, loc, state.scalar(op.getLowerBound()),
                                 state.scalar(op.getUpperBound()),
                                 state.scalar(op.getStep()), carried);
  state.scalars.map(op.getInductionVar(), loop.getInductionVar());
  unsigned next = 0;
  for (auto [number, init] : llvm::enumerate(op.getInitArgs()))
    if (!isTile(init)) {
      state.scalars.map(op.getRegionIterArg(number),
                        loop.getRegionIterArg(next));
      state.scalars.map(op.getResult(number), loop.getResult(next++));
    }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  llvm::SmallVector<Value> scalars;
  if (failed(emit(*op.getBody())) || failed(yield(op, scalars)))
    return failure();
  b.setInsertionPointToEnd(loop.getBody());
  if (!scalars.empty())
    scf::YieldOp::create(b, loc, scalars);
  return success();
}

LogicalResult BlockEmitter::emit(scf::IfOp op) {
  if (failed(prepareCaptured(op)))
    return failure();
  llvm::SmallVector<Type> types;
  for (Value result : op.getResults()) {
    if (isa<tile::ArrayType>(result.getType()))
      return op.emitOpError("has an array as a result, which a CPU cannot");
    if (isTile(result))
      state.memory[result] = state.allocate(typeOf(result).getShape(),
                                            typeOf(result).getElementType());
    else
      types.push_back(result.getType());
  }
  auto branch =
      scf::IfOp::create(b, loc, types, state.scalar(op.getCondition()),
                        !op.getElseRegion().empty());
  unsigned next = 0;
  for (Value result : op.getResults())
    if (!isTile(result))
      state.scalars.map(result, branch.getResult(next++));
  OpBuilder::InsertionGuard guard(b);
  for (auto [from, to] :
       llvm::zip_equal(op.getRegions(), branch.getRegions())) {
    if (from->empty())
      continue;
    Block &body = to->front();
    if (!body.empty() && body.back().hasTrait<OpTrait::IsTerminator>())
      body.back().erase();
    b.setInsertionPointToStart(&body);
    if (failed(emit(from->front())) || failed(nests.flush()))
      return failure();
    llvm::SmallVector<Value> scalars;
    for (OpOperand &use : from->front().getTerminator()->getOpOperands()) {
      if (!isTile(use.get()))
        scalars.push_back(state.scalar(use.get()));
      else if (failed(putInto(
                   use, state.memory[op.getResult(use.getOperandNumber())])))
        return failure();
    }
    scf::YieldOp::create(b, loc, scalars);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Arrays of tiles
//===----------------------------------------------------------------------===//

TileMemory BlockEmitter::slotOf(const ArrayMemory &array, Value number) {
  TileMemory slot = array.first;
  slot.base = state.access.offset(
      slot.base, slot.elementType,
      state.access.multiply(state.scalar(number),
                            b.getIndexAttr(array.distance)));
  return slot;
}

FailureOr<ArrayMemory> BlockEmitter::start(tile::MakeArrayOp op) {
  RankedTensorType type = typeOf(op.getInit());
  int64_t count = op.getType().getCount();
  ArrayMemory array =
      state.allocateArray(count, type.getShape(), type.getElementType());
  DenseElementsAttr constant;
  if (!matchPattern(op.getInit(), m_Constant(&constant)) || !constant.isSplat())
    return op.emitOpError("starts from tiles that are not constant");
  auto loop = scf::ForOp::create(b, loc, state.access.constant(0),
                                 state.access.constant(count),
                                 state.access.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  TileMemory slot = array.first;
  slot.base = state.access.offset(
      slot.base, slot.elementType,
      state.access.multiply(loop.getInductionVar(),
                            b.getIndexAttr(array.distance)));
  nests.fill(slot, type.getShape(), constant.getSplatValue<TypedAttr>());
  return array;
}

LogicalResult BlockEmitter::emit(tile::MakeArrayOp op) {
  // Each of several users, and each iteration, changes an array of its own.
  if (!op->hasOneUse() || op->user_begin()->getBlock() != op->getBlock())
    return success();
  FailureOr<ArrayMemory> array = start(op);
  if (failed(array))
    return failure();
  state.arrays[op.getResult()] = *array;
  return success();
}

FailureOr<ArrayMemory> BlockEmitter::arrayOf(Value array) {
  auto known = state.arrays.find(array);
  if (known != state.arrays.end())
    return known->second;
  return start(array.getDefiningOp<tile::MakeArrayOp>());
}

LogicalResult BlockEmitter::emit(tile::ArrayGetOp op) {
  FailureOr<ArrayMemory> array = arrayOf(op.getArray());
  if (failed(array))
    return failure();
  TileMemory slot = slotOf(*array, op.getIndex());
  // A value that is read after its place in the array gets another one.
  bool isReplaced = false;
  for (Operation *user : op.getArray().getUsers())
    if (auto set = dyn_cast<tile::ArraySetOp>(user)) {
      Operation *here = op->getBlock()->findAncestorOpInBlock(*set);
      isReplaced |= here && isReadAfter(op.getResult(), here);
    }
  if (isReplaced) {
    RankedTensorType type = typeOf(op.getResult());
    TileMemory aside = state.allocate(type.getShape(), type.getElementType());
    if (failed(nests.flush()))
      return failure();
    nests.copy(slot, aside, type.getShape());
    slot = aside;
  }
  state.memory[op.getResult()] = slot;
  return success();
}

LogicalResult BlockEmitter::emit(tile::ArraySetOp op) {
  FailureOr<ArrayMemory> array = arrayOf(op.getArray());
  if (failed(array))
    return failure();
  state.arrays[op.getResult()] = *array;
  OpOperand &use = op.getValueMutable();
  TileMemory slot = slotOf(*array, op.getIndex());
  // Later readers know no limits of the tile.
  if (!state.memory.contains(use.get()) &&
      failed(nests.materialize(use, Type(), /*isFilled=*/true)))
    return failure();
  if (failed(nests.flush()))
    return failure();
  return putInto(use, slot);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Returns the use of an operand by a contraction, directly or as a whole
/// slice; null if there is none.
static OpOperand *findContraction(Value tile) {
  for (OpOperand &use : tile.getUses()) {
    if (isa<tile::DotOp>(use.getOwner()))
      return &use;
    auto slice = dyn_cast<tile::SliceOp>(use.getOwner());
    if (slice && slice.getType() == tile.getType())
      if (OpOperand *found = findContraction(slice.getResult()))
        return found;
  }
  return nullptr;
}

/// Copies an operand to scratch for its contraction. For an intrinsic that
/// multiplies dots an RHS is in words; for others operands are widened, and the
/// columns of an RHS are in panels.
FailureOr<TileMemory> BlockEmitter::copyOperand(Value tile, Operation *at,
                                                tile::DotOp dot, bool isRhs) {
  RankedTensorType type = typeOf(tile);
  const Intrinsic *intrinsic = lookupIntrinsic(dot.getIntrinsic());
  bool isOfDots = intrinsic->multipliesDots();
  Type stored = typeOf(isOfDots ? tile : dot.getResult()).getElementType();
  TileMemory target;
  if (isRhs && isOfDots)
    target = state.allocateWordPanels(type.getShape(), intrinsic->r1);
  else if (isRhs && intrinsic->i2 == state.lanes())
    target = state.allocatePanels(type.getShape(), stored);
  else
    target = state.allocate(type.getShape(), stored);
  if (failed(nests.copyTile(tile, at, target)))
    return failure();
  return target;
}

LogicalResult BlockEmitter::pack(tile::LoadOp op) {
  OpOperand *use = findContraction(op.getResult());
  if (!use) // element-wise operators read it where it is
    return success();
  auto dot = cast<tile::DotOp>(use->getOwner());
  bool isRhs =
      use->getOperandNumber() == dot.getRhsMutable().getOperandNumber();
  FailureOr<TileMemory> target = copyOperand(op.getResult(), op, dot, isRhs);
  if (failed(target))
    return failure();
  state.packed[use->get()] = *target;
  return success();
}

/// Returns where an operand of a contraction is. It is put into scratch if it
/// has to be computed, or does not lie as the intrinsic needs it.
FailureOr<TileMemory> BlockEmitter::operandMemory(tile::DotOp dot, bool isRhs) {
  OpOperand &use = isRhs ? dot.getRhsMutable() : dot.getLhsMutable();
  bool isOfDots = lookupIntrinsic(dot.getIntrinsic())->multipliesDots();
  Value tile = use.get();
  auto packed = state.packed.find(tile);
  if (packed != state.packed.end())
    return packed->second;
  if (isRhs && isOfDots)
    return copyOperand(tile, dot, dot, isRhs);
  std::optional<TileMemory> memory = state.inPlace(tile);
  bool needsUnitStride = isRhs || isOfDots;
  if (memory && (!needsUnitStride || memory->isUnitStride()) &&
      (!isOfDots || memory->elementType == typeOf(tile).getElementType()))
    return *memory;
  if (state.memory.contains(tile)) // other strides, or another type
    return copyOperand(tile, dot, dot, isRhs);
  // The elements are widened once, and not by each micro-kernel.
  Type stored = typeOf(isOfDots ? tile : dot.getResult()).getElementType();
  if (failed(nests.materialize(use, stored)))
    return failure();
  return state.memory[tile];
}

/// Returns where an RHS is, if it can be multiplied there row by row: it lies
/// dense along the reduced axis, and not along its columns.
std::optional<TileMemory> BlockEmitter::rowsOfRhs(tile::DotOp dot,
                                                  const TileMemory &lhs) {
  Value tile = dot.getRhs();
  if (state.packed.contains(tile) || !lhs.isUnitStride())
    return std::nullopt;
  std::optional<TileMemory> memory = state.inPlace(tile);
  if (!memory || memory->panel != 0 ||
      !isConstantIntValue(memory->strides[0], 1) ||
      (memory->isUnitStride() && typeOf(tile).getDimSize(1) != 1))
    return std::nullopt;
  return memory;
}

/// Returns where a contraction adds its products.
FailureOr<TileMemory> BlockEmitter::accumulatorMemory(tile::DotOp op,
                                                      bool &startsFromZero) {
  OpOperand &use = op.getAccumulatorMutable();
  Value start = use.get();
  RankedTensorType type = typeOf(start);
  startsFromZero =
      matchPattern(start, m_AnyZeroFloat()) || matchPattern(start, m_Zero());
  if (startsFromZero)
    return state.allocate(type.getShape(), type.getElementType());
  auto known = state.memory.find(start);
  if (known != state.memory.end() && known->second.isPadded) {
    if (canOverwrite(start, use))
      return known->second;
    TileMemory target = state.allocate(type.getShape(), type.getElementType());
    if (failed(nests.flush()))
      return failure();
    nests.copy(known->second, target, type.getShape());
    return target;
  }
  if (failed(nests.materialize(use)))
    return failure();
  return state.memory[start];
}

LogicalResult BlockEmitter::emit(tile::DotOp op) {
  const Intrinsic *intrinsic = lookupIntrinsic(op.getIntrinsic());
  RankedTensorType type = typeOf(op.getResult());
  TileProduct product;
  product.accumulated = type.getElementType();
  FailureOr<TileMemory> lhs = operandMemory(op, /*isRhs=*/false);
  if (failed(lhs))
    return failure();
  FailureOr<TileMemory> rhs = TileMemory();
  if (std::optional<TileMemory> rows = rowsOfRhs(op, *lhs)) {
    product.isOfRows = true;
    rhs = *rows;
  } else if (failed(rhs = operandMemory(op, /*isRhs=*/true))) {
    return failure();
  }
  FailureOr<TileMemory> sums = accumulatorMemory(op, product.startsFromZero);
  if (failed(sums) || failed(nests.flush()))
    return failure();
  product.lhs = *lhs;
  product.rhs = *rhs;
  product.accumulator = *sums;
  TileLimits ofLhs = state.limits.limitsOf(op.getLhs()),
             ofRhs = state.limits.limitsOf(op.getRhs());
  auto possible =
      [&](ArrayRef<TileLimit> limits,
          int64_t extent) -> std::optional<llvm::SmallVector<int64_t, 2>> {
    if (limits.size() == 1)
      return possibleValues(limits.front(), extent);
    return std::nullopt;
  };
  int64_t depth = typeOf(op.getLhs()).getDimSize(1);
  product.rows = state.clip(ofLhs[0], type.getDimSize(0));
  product.columns = state.clip(ofRhs[1], type.getDimSize(1));
  product.possibleRows = possible(ofLhs[0], type.getDimSize(0));
  product.possibleColumns = possible(ofRhs[1], type.getDimSize(1));
  llvm::SmallVector<TileLimit, 2> ofDepth(ofLhs[1].begin(), ofLhs[1].end());
  ofDepth.append(ofRhs[0].begin(), ofRhs[0].end());
  product.depth = state.clip(ofDepth, depth);
  MicroKernels(state, *intrinsic).emit(product);
  state.memory[op.getResult()] = *sums;
  return success();
}
