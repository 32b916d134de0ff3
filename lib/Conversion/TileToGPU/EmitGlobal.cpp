//===- EmitGlobal.cpp - Accesses to global memory ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "Replicas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// The tensor behind a pointer as a dense one-dimensional memref. Its true size
/// is not known here, and nothing reads it; the bound only has to be large.
Value KernelEmitter::globalMemory(Value pointer) {
  Value &memory = memories[pointer];
  if (memory)
    return memory;
  return memory = atEntry([&]() -> Value {
           Value base = scalar(pointer);
           auto element = cast<MemRefType>(base.getType()).getElementType();
           auto type = MemRefType::get({ShapedType::kDynamic}, element);
           OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
           constexpr int64_t unknownSize = int64_t(1) << 40;
           Value size = index(unknownSize);
           return memref::ReinterpretCastOp::create(
               b, loc, type, base, zero, ArrayRef<OpFoldResult>{size},
               ArrayRef<OpFoldResult>{one});
         });
}

LogicalResult KernelEmitter::emitView(ViewOp op) {
  View view;
  view.memory = globalMemory(op.getBase());
  view.offset = scalar(op.getOffset());
  view.sizes = scalarsOf(op.getSizes());
  view.strides = scalarsOf(op.getStrides());
  view.type = op.getType();
  views[op] = std::move(view);
  return success();
}

/// Where the elements of a register start in memory, and whether they are
/// inside of the view. The position is (tile) + (thread) + (register), so that
/// the last part folds into an immediate and the middle one is computed once.
KernelEmitter::Chunk
KernelEmitter::chunkOf(const View &view, const LinearLayout &layout,
                       int64_t reg, ValueRange coordinates,
                       std::optional<ArrayRef<bool>> inBounds, bool ragged) {
  Chunk chunk;
  if (view.window) {
    SmallVector<Coordinate> at;
    for (int64_t d = 0; d < view.type.getRank(); ++d) {
      AddressPlan plan = *planOf(layout, d);
      const AddressPlan::Constant &constant =
          plan.registers[plan.registers.size() == 1 ? 0 : reg];
      at.push_back({scalar(coordinates[d]),
                    threadOffset(plan, constant.ofThread()), constant.added(),
                    layout.outSize(tileDim(d))});
    }
    chunk = windowPlace(view, at);
    for (auto [d, each] : llvm::enumerate(at)) {
      if (inBounds && (*inBounds)[d])
        continue;
      Value below = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::slt,
          addConstant(add(each.origin, each.thread), each.fixed),
          view.sizes[d]);
      chunk.isInside =
          chunk.isInside
              ? arith::AndIOp::create(b, loc, chunk.isInside, below).getResult()
              : below;
    }
    return chunk;
  }
  Value fixed = index(0);
  chunk.position = view.offset;
  // What came before it of a ragged place may be negative.
  auto move = [&](Value by) {
    chunk.position =
        ragged ? addSigned(chunk.position, by) : add(chunk.position, by);
  };
  for (int64_t d = 0; d < view.type.getRank(); ++d) {
    Value origin = scalar(coordinates[d]);
    AddressPlan plan = *planOf(layout, d);
    const AddressPlan::Constant &constant =
        plan.registers[plan.registers.size() == 1 ? 0 : reg];
    Value thread = threadOffset(plan, constant.ofThread());
    int64_t immediate = constant.added();
    bool isKnown = inBounds && (*inBounds)[d];
    Value below;
    if (ragged && !isKnown) {
      // The origin may be negative: no promise of what does not wrap.
      Value at = arith::AddIOp::create(
          b, loc, arith::AddIOp::create(b, loc, origin, thread),
          index(immediate));
      chunk.position = arith::AddIOp::create(
          b, loc, chunk.position,
          arith::MulIOp::create(b, loc, at, view.strides[d]));
      if (d == view.type.getUnit()) {
        chunk.unit = at;
        continue;
      }
      below = arith::AndIOp::create(
          b, loc,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at,
                                view.sizes[d]),
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, at,
                                index(0)));
    } else {
      move(mul(origin, view.strides[d]));
      move(mul(thread, view.strides[d]));
      if (immediate != 0)
        fixed = add(fixed, mul(index(immediate), view.strides[d]));
      if (isKnown)
        continue;
      Value at = addConstant(add(origin, thread), immediate);
      below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at,
                                    view.sizes[d]);
    }
    chunk.isInside =
        chunk.isInside
            ? arith::AndIOp::create(b, loc, chunk.isInside, below).getResult()
            : below;
  }
  move(fixed);
  return chunk;
}

Value KernelEmitter::isWithin(const View &view, Value unit, int64_t width) {
  Value last = arith::AddIOp::create(b, loc, unit, index(width - 1));
  return arith::AndIOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, unit, index(0)),
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, last,
                            view.sizes[view.type.getUnit()]));
}

Value KernelEmitter::overlaps(const View &view, Value unit, int64_t width) {
  return arith::AndIOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, unit,
                            index(-width)),
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, unit,
                            view.sizes[view.type.getUnit()]));
}

/// Elements that one access moves: consecutive registers along the unit
/// dimension, no more than the alignment promises.
static int64_t accessWidth(ViewType view, const LinearLayout &layout) {
  if (view.getUnit() < 0)
    return 1;
  int64_t bytes =
      std::max<int64_t>(1, view.getElementType().getIntOrFloatBitWidth() / 8);
  return std::min(layout.contiguousRegisters(tileDim(view.getUnit())),
                  std::max<int64_t>(1, view.getAlignment() / bytes));
}

static int64_t accessAlignment(int64_t width, Type element) {
  return width * std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

Type KernelEmitter::memoryType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

/// Of a truth value by a comparison: LLVM makes single bits of a vector of
/// bytes that are truncated, and loads each byte by itself.
Value KernelEmitter::fromMemory(Value value, Type element) {
  if (value.getType() == element)
    return value;
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

Value KernelEmitter::toMemory(Value value) {
  Type type = memoryType(value.getType());
  return value.getType() == type
             ? value
             : arith::ExtUIOp::create(b, loc, type, value).getResult();
}

/// What is loaded, a vector or one element, as something that is used as a
/// whole: a frozen value.
Value KernelEmitter::asWhole(Value loaded) {
  Type type = loaded.getType(), element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  bool isOne = !vector || vector.getNumElements() == 1;
  constexpr unsigned byteBits = 8;
  // Of one element all bytes are taken but of integers that are truncated.
  if (isOne && (!element.isSignlessInteger() ||
                element.getIntOrFloatBitWidth() <= byteBits))
    return loaded;
  // LLVM has no floats of eight bits.
  Type held = type;
  if (!LLVM::isCompatibleType(element))
    held = vector.clone(b.getIntegerType(element.getIntOrFloatBitWidth()));
  if (held != type)
    loaded = arith::BitcastOp::create(b, loc, held, loaded);
  loaded = LLVM::FreezeOp::create(b, loc, loaded);
  if (held != type)
    loaded = arith::BitcastOp::create(b, loc, type, loaded);
  return loaded;
}

LogicalResult KernelEmitter::emitLoad(LoadOp op) {
  if (op.getRealigned())
    return emitRealignedLoad(op);
  const View &view = views[op.getView()];
  const LinearLayout &layout = getLayout(op.getType()).getValue();
  Type element = op.getType().getElementType();
  int64_t width = accessWidth(view.type, layout);
  auto vectorType = VectorType::get({width}, memoryType(element));
  Values results(layout.inSize(LayoutDim::Register));
  // What only goes on to shared memory need not be loaded by replicas: they
  // store nothing.
  Value first;
  if (op.getResult().hasOneUse() &&
      isa<LocalStoreOp>(*op.getResult().user_begin()))
    first = isFirstHolder(layout);
  if (Value predicate = op.getPredicate()) {
    Value holds = scalar(predicate);
    first =
        first ? arith::AndIOp::create(b, loc, first, holds).getResult() : holds;
  }
  bool isUsedApart = !llvm::all_of(op->getUsers(), llvm::IsaPred<LocalStoreOp>);
  auto readPart = [&](VectorType type, Value position) -> Value {
    if (op.getStreamed() && canStream(type))
      return loadStreamed(view.memory, type, position);
    return vector::LoadOp::create(
        b, loc, type, view.memory, position,
        /*nontemporal=*/false,
        llvm::MaybeAlign(accessAlignment(type.getNumElements(), element)));
  };
  auto read = [&](Value position) { return readPart(vectorType, position); };
  for (auto [number, replica] : llvm::enumerate(firstReplicas(layout, width))) {
    int64_t reg = number * width;
    if (replica != reg) {
      for (int64_t i = 0; i < width; ++i)
        results[reg + i] = results[replica + i];
      continue;
    }
    Chunk chunk = chunkOf(view, layout, reg, op.getCoordinates(),
                          op.getInBounds(), op.getRagged());
    if (first)
      chunk.isInside =
          chunk.isInside
              ? arith::AndIOp::create(b, loc, chunk.isInside, first).getResult()
              : first;
    Value values;
    if (chunk.unit) {
      auto emitGuarded = [&](Value condition, VectorType type,
                             llvm::function_ref<Value()> load,
                             llvm::function_ref<Value()> otherwise) -> Value {
        auto guarded = scf::IfOp::create(b, loc, type, condition,
                                         /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(guarded.thenBlock());
        scf::YieldOp::create(b, loc, load());
        b.setInsertionPointToStart(guarded.elseBlock());
        scf::YieldOp::create(b, loc, otherwise());
        return guarded.getResult(0);
      };
      auto both = [&](Value condition) {
        return chunk.isInside
                   ? arith::AndIOp::create(b, loc, condition, chunk.isInside)
                         .getResult()
                   : condition;
      };
      auto zeros = [&](VectorType type) -> Value {
        return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      };
      // Across a border in halves as long as they cross it.
      std::function<Value(int64_t, int64_t)> loadPart =
          [&](int64_t first, int64_t size) -> Value {
        auto type = VectorType::get({size}, vectorType.getElementType());
        Value unit = arith::AddIOp::create(b, loc, chunk.unit, index(first));
        return emitGuarded(
            both(isWithin(view, unit, size)), type,
            [&]() -> Value {
              return readPart(type, arith::AddIOp::create(
                                        b, loc, chunk.position, index(first)));
            },
            [&]() -> Value {
              if (size == 1)
                return zeros(type);
              Values elements;
              for (int64_t half : {first, first + size / 2}) {
                Value part = loadPart(half, size / 2);
                for (int64_t i = 0; i < size / 2; ++i)
                  elements.push_back(
                      vector::ExtractOp::create(b, loc, part, i));
              }
              return vector::FromElementsOp::create(b, loc, type, elements);
            });
      };
      if (std::optional<int64_t> within = op.getWithin(); within && width > 1) {
        // Whole where it is of the row in part and of the memory wholly.
        values = emitGuarded(
            both(overlaps(view, chunk.unit, width)), vectorType,
            [&]() -> Value {
              Value last = arith::AddIOp::create(b, loc, chunk.position,
                                                 index(width - 1));
              Value isWhole = arith::AndIOp::create(
                  b, loc,
                  arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                        chunk.position, index(0)),
                  arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, last,
                                        index(*within)));
              return emitGuarded(
                  isWhole, vectorType, [&] { return read(chunk.position); },
                  [&] { return loadPart(0, width); });
            },
            [&] { return zeros(vectorType); });
      } else {
        values = loadPart(0, width);
      }
    } else if (chunk.isInside) {
      auto guarded = scf::IfOp::create(
          b, loc, chunk.isInside,
          [&](OpBuilder &inner, Location l) {
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPoint(inner.getInsertionBlock(),
                                inner.getInsertionPoint());
            Value value = read(chunk.position);
            scf::YieldOp::create(b, l, value);
          },
          [&](OpBuilder &inner, Location l) {
            Value zero = arith::ConstantOp::create(
                inner, l, inner.getZeroAttr(vectorType));
            scf::YieldOp::create(inner, l, zero);
          });
      values = guarded.getResult(0);
    } else {
      values = read(chunk.position);
    }
    // LLVM would make loads of single elements of one whose elements are used
    // apart, and of the low bytes where no others are used.
    if (isUsedApart)
      values = asWhole(values);
    for (int64_t i = 0; i < width; ++i)
      results[reg + i] =
          fromMemory(vector::ExtractOp::create(b, loc, values, i), element);
  }
  registers[op] = std::move(results);
  return success();
}

/// Elements side by side, whose place their number divides.
void KernelEmitter::writePart(StoreOp op, const View &view, Value position,
                              ValueRange part) {
  auto type = VectorType::get({static_cast<int64_t>(part.size())},
                              part.front().getType());
  Value packed = vector::FromElementsOp::create(b, loc, type, part);
  if (op.getStreamed() && canStream(type)) {
    storeStreamed(view.memory, packed, position);
    return;
  }
  vector::StoreOp::create(
      b, loc, packed, view.memory, position, /*nontemporal=*/false,
      llvm::MaybeAlign(accessAlignment(part.size(), type.getElementType())));
}

LogicalResult KernelEmitter::emitStore(StoreOp op) {
  if (op.getRealigned())
    return emitRealignedStore(op);
  const View &view = views[op.getView()];
  auto type = op.getValue().getType();
  const LinearLayout &layout = getLayout(type).getValue();
  int64_t width = accessWidth(view.type, layout);
  const Values &values = registers[op.getValue()];
  Value first = isFirstHolder(layout);
  for (auto [number, replica] : llvm::enumerate(firstReplicas(layout, width))) {
    int64_t reg = number * width;
    if (replica != reg)
      continue;
    Chunk chunk = chunkOf(view, layout, reg, op.getCoordinates(),
                          op.getInBounds(), op.getRagged());
    Value predicate = chunk.isInside;
    if (first)
      predicate =
          predicate
              ? arith::AndIOp::create(b, loc, predicate, first).getResult()
              : first;
    OpBuilder::InsertionGuard guard(b);
    enterIf(predicate);
    Values elements;
    for (Value value : ValueRange(values).slice(reg, width))
      elements.push_back(toMemory(value));
    if (!chunk.unit) {
      writePart(op, view, chunk.position, elements);
      continue;
    }
    // Across a border in halves as long as they cross it.
    std::function<void(int64_t, int64_t)> storePart = [&](int64_t begin,
                                                          int64_t size) {
      OpBuilder::InsertionGuard inner(b);
      Value unit = arith::AddIOp::create(b, loc, chunk.unit, index(begin));
      auto whole = scf::IfOp::create(b, loc, isWithin(view, unit, size),
                                     /*withElseRegion=*/size > 1);
      b.setInsertionPointToStart(whole.thenBlock());
      writePart(op, view,
                arith::AddIOp::create(b, loc, chunk.position, index(begin)),
                ArrayRef<Value>(elements).slice(begin, size));
      if (size == 1)
        return;
      b.setInsertionPointToStart(whole.elseBlock());
      storePart(begin, size / 2);
      storePart(begin + size / 2, size / 2);
    };
    storePart(0, width);
  }
  return success();
}

LogicalResult KernelEmitter::emitGather(GatherOp op) {
  Value memory = globalMemory(op.getBase());
  Type element = op.getType().getElementType();
  Values results;
  // Registers of the same place share its load.
  llvm::DenseMap<Value, Value> known;
  for (Value at : registers[op.getIndices()]) {
    Value &loaded = known[at];
    if (!loaded) {
      Value isPlace = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                            at, index(0));
      Type type = memoryType(element);
      auto guarded = scf::IfOp::create(b, loc, type, isPlace,
                                       /*withElseRegion=*/true);
      b.setInsertionPointToStart(guarded.thenBlock());
      scf::YieldOp::create(
          b, loc,
          asWhole(memref::LoadOp::create(b, loc, memory, ValueRange{at})));
      b.setInsertionPointToStart(guarded.elseBlock());
      scf::YieldOp::create(
          b, loc,
          arith::ConstantOp::create(b, loc, b.getZeroAttr(type)).getResult());
      b.setInsertionPointAfter(guarded);
      loaded = fromMemory(guarded.getResult(0), element);
    }
    results.push_back(loaded);
  }
  registers[op] = std::move(results);
  return success();
}

LogicalResult KernelEmitter::emitElementLoad(ElementLoadOp op) {
  Value value = memref::LoadOp::create(b, loc, globalMemory(op.getBase()),
                                       ValueRange{scalar(op.getIndex())});
  scalars.map(op.getResult(), fromMemory(value, op.getType()));
  return success();
}

LogicalResult KernelEmitter::emitElementStore(ElementStoreOp op) {
  memref::StoreOp::create(b, loc, toMemory(scalar(op.getValue())),
                          globalMemory(op.getBase()),
                          ValueRange{scalar(op.getIndex())});
  return success();
}
