//===- TileMemory.cpp - Where the elements of a tile are ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;

bool TileMemory::isUnitStride() const {
  return panel != 0 || strides.empty() || isConstantIntValue(strides.back(), 1);
}

Type Lanes::typeOf(Type element) const {
  return isScalar() ? element : VectorType::get({count}, element);
}

static unsigned bytesOf(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Returns the type of `element` in accesses. Narrow floating-point numbers are
/// moved as bits: the LLVM dialect has none of 8 bits, and LLVM converts some
/// of 16 bits when it expands an access.
static Type accessedType(Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element) && bits < 32)
    return IntegerType::get(element.getContext(), bits);
  return element;
}

Type TileAccess::storedType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isIndex())
    return IntegerType::get(element.getContext(), 64);
  return element;
}

//===----------------------------------------------------------------------===//
// Numbers and addresses
//===----------------------------------------------------------------------===//

Value TileAccess::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value TileAccess::add(Value lhs, Value rhs) {
  if (isConstantIntValue(lhs, 0))
    return rhs;
  if (isConstantIntValue(rhs, 0))
    return lhs;
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}

Value TileAccess::valueOf(OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(b, loc, value);
}

Value TileAccess::multiply(Value lhs, OpFoldResult factor) {
  if (isConstantIntValue(factor, 1))
    return lhs;
  return b.createOrFold<arith::MulIOp>(loc, lhs, valueOf(factor));
}

OpFoldResult TileAccess::multipleBelow(OpFoldResult value, int64_t step) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return b.getIndexAttr(*known / step * step);
  Value number = valueOf(value);
  Value rest = arith::RemUIOp::create(b, loc, number, constant(step));
  return arith::SubIOp::create(b, loc, number, rest).getResult();
}

Value TileAccess::offset(Value base, Type element, Value elements) {
  if (isConstantIntValue(elements, 0))
    return base;
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), elements);
  return LLVM::GEPOp::create(b, loc, base.getType(), accessedType(element),
                             base, ArrayRef<LLVM::GEPArg>{wide});
}

Value TileAccess::addressOf(const TileMemory &memory, ValueRange coordinates) {
  Value elements = constant(0);
  for (auto [coordinate, stride] : llvm::zip_equal(coordinates, memory.strides))
    if (!isConstantIntValue(coordinate, 0))
      elements = add(elements, multiply(coordinate, stride));
  return offset(memory.base, memory.elementType, elements);
}

TileMemory TileAccess::partAt(const TileMemory &memory,
                              ValueRange coordinates) {
  TileMemory part = memory;
  part.base = addressOf(memory, coordinates);
  return part;
}

Value TileAccess::laneOffsets(const TileMemory &memory, int64_t lanes) {
  auto type = VectorType::get({lanes}, b.getI64Type());
  SmallVector<int64_t> numbers = llvm::to_vector(llvm::seq<int64_t>(lanes));
  Value offsets = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
  Value stride = arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                            valueOf(memory.strides.back()));
  return arith::MulIOp::create(
      b, loc, offsets, vector::BroadcastOp::create(b, loc, type, stride));
}

Value TileAccess::addressesOf(Value base, Type element, Value indices,
                              int64_t lanes) {
  auto type = VectorType::get({lanes}, base.getType());
  return LLVM::GEPOp::create(b, loc, type, accessedType(element), base,
                             ArrayRef<LLVM::GEPArg>{indices});
}

Value TileAccess::firstLanes(Value count, int64_t lanes) {
  return vector::CreateMaskOp::create(
      b, loc, VectorType::get({lanes}, b.getI1Type()), count);
}

/// Returns a mask of all lanes.
Value TileAccess::allLanes(int64_t lanes) {
  auto type = VectorType::get({lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, true));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Value TileAccess::fromMemory(Value stored, Type element) {
  Type have = getElementTypeOrSelf(stored);
  if (have == element)
    return stored;
  auto typed = [&](Type type) -> Type {
    auto vector = dyn_cast<VectorType>(stored.getType());
    return vector ? vector.clone(type) : type;
  };
  if (element.isInteger(1))
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne, stored,
        arith::ConstantOp::create(b, loc, b.getZeroAttr(stored.getType())));
  if (element.isIndex())
    return arith::IndexCastOp::create(b, loc, typed(element), stored);
  bool widens = element.getIntOrFloatBitWidth() > have.getIntOrFloatBitWidth();
  if (isa<FloatType>(element))
    return widens ? arith::ExtFOp::create(b, loc, typed(element), stored)
                        .getResult()
                  : arith::TruncFOp::create(b, loc, typed(element), stored)
                        .getResult();
  return arith::ExtSIOp::create(b, loc, typed(element), stored);
}

Value TileAccess::toMemory(Value value, Type stored) {
  Type have = getElementTypeOrSelf(value);
  if (have == stored)
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = vector ? vector.clone(stored) : stored;
  if (have.isInteger(1))
    return arith::ExtUIOp::create(b, loc, type, value);
  if (have.isIndex())
    return arith::IndexCastOp::create(b, loc, type, value);
  if (isa<FloatType>(stored))
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::ExtSIOp::create(b, loc, type, value);
}

/// Returns what was accessed as elements of type `stored`, or the reverse.
static Value recast(OpBuilder &b, Location loc, Value value, Type stored) {
  if (getElementTypeOrSelf(value) == stored)
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  return arith::BitcastOp::create(
      b, loc, vector ? Type(vector.clone(stored)) : stored, value);
}

Value TileAccess::load(const TileMemory &memory, ValueRange coordinates,
                       const Lanes &lanes, Type element) {
  Value address = addressOf(memory, coordinates);
  Type stored = memory.elementType, accessed = accessedType(stored);
  unsigned alignment = bytesOf(stored);
  auto loaded = [&](Value value) {
    return fromMemory(recast(b, loc, value, stored), element);
  };
  auto loadOne = [&] {
    return loaded(LLVM::LoadOp::create(b, loc, accessed, address, alignment));
  };
  if (lanes.isScalar())
    return loadOne();
  Type type = lanes.typeOf(accessed);
  if (!memory.isUnitStride()) {
    if (isConstantIntValue(memory.strides.back(), 0))
      return vector::BroadcastOp::create(b, loc, lanes.typeOf(element),
                                         loadOne());
    return fromMemory(
        gather(address, laneOffsets(memory, lanes.count), stored, lanes),
        element);
  }
  if (!lanes.mask || memory.isPadded)
    return loaded(LLVM::LoadOp::create(b, loc, type, address, alignment));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return loaded(LLVM::MaskedLoadOp::create(b, loc, type, address, lanes.mask,
                                           zero, alignment));
}

void TileAccess::store(Value value, const TileMemory &memory,
                       ValueRange coordinates, const Lanes &lanes) {
  Value address = addressOf(memory, coordinates);
  Value stored = recast(b, loc, toMemory(value, memory.elementType),
                        accessedType(memory.elementType));
  unsigned alignment = bytesOf(memory.elementType);
  if (lanes.isScalar()) {
    LLVM::StoreOp::create(b, loc, stored, address, alignment);
    return;
  }
  if (!memory.isUnitStride()) {
    Value mask = lanes.mask ? lanes.mask : allLanes(lanes.count);
    LLVM::masked_scatter::create(b, loc, stored,
                                 addressesOf(address, memory.elementType,
                                             laneOffsets(memory, lanes.count),
                                             lanes.count),
                                 mask, alignment);
    return;
  }
  if (!lanes.mask && memory.isStreamed)
    LLVM::StoreOp::create(b, loc, stored, address, kStreamAlignment,
                          /*isVolatile=*/false, /*isNonTemporal=*/true);
  else if (!lanes.mask || memory.isPadded)
    LLVM::StoreOp::create(b, loc, stored, address, alignment);
  else
    LLVM::MaskedStoreOp::create(b, loc, stored, address, lanes.mask, alignment);
}

Value TileAccess::gather(Value base, Value indices, Type element,
                         const Lanes &lanes) {
  Type stored = storedType(element), accessed = accessedType(stored);
  if (getElementTypeOrSelf(indices).isIndex())
    indices = arith::IndexCastOp::create(b, loc, lanes.typeOf(b.getI64Type()),
                                         indices);
  unsigned alignment = bytesOf(stored);
  if (lanes.isScalar()) {
    Value address = LLVM::GEPOp::create(b, loc, base.getType(), accessed, base,
                                        ArrayRef<LLVM::GEPArg>{indices});
    Value loaded = LLVM::LoadOp::create(b, loc, accessed, address, alignment);
    return fromMemory(recast(b, loc, loaded, stored), element);
  }
  Type type = lanes.typeOf(accessed);
  Value mask = lanes.mask ? lanes.mask : allLanes(lanes.count);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  Value loaded = LLVM::masked_gather::create(
      b, loc, type, addressesOf(base, stored, indices, lanes.count), mask, zero,
      alignment);
  return fromMemory(recast(b, loc, loaded, stored), element);
}

Value fusion::combineLanes(OpBuilder &b, Location loc,
                           arith::AtomicRMWKind kind, Value lanes) {
  int64_t count = cast<VectorType>(lanes.getType()).getNumElements();
  while (count > 1) {
    count /= 2;
    auto half = [&](int64_t first) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, loc, lanes, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
          ArrayRef<int64_t>{1});
    };
    Value low = half(0), high = half(count);
    lanes = arith::getReductionOp(kind, b, loc, low, high);
  }
  return vector::ExtractOp::create(b, loc, lanes, ArrayRef<int64_t>{0});
}
