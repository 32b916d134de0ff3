//===- BlockAccess.cpp - Rows that are accessed together ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockAccess.h"
#include "Transposes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;

/// Returns the dimension along which a memory is dense, if that is not the last
/// one.
static std::optional<unsigned> denseDimension(const TileMemory &memory) {
  unsigned rank = memory.strides.size();
  if (rank < 2 || memory.isUnitStride() ||
      isConstantIntValue(memory.strides.back(), 0))
    return std::nullopt;
  for (unsigned d = 0; d + 1 < rank; ++d)
    if (isConstantIntValue(memory.strides[d], 1))
      return d;
  return std::nullopt;
}

/// Returns whether a memory is dense along the rows of blocks, which may become
/// those of its dimension.
bool BlockAccess::isAlongRows(const TileMemory &memory) {
  std::optional<unsigned> dimension = denseDimension(memory);
  if (!dimension || shape[*dimension] < state.registerLanes(b.getF32Type()) ||
      (blocked && *blocked != *dimension))
    return false;
  blocked = dimension;
  return true;
}

void BlockAccess::addRead(Value tile, const TileMemory &memory) {
  bool isKnown = llvm::any_of(
      reads, [&](const Read &other) { return other.tile == tile; });
  if (!isKnown && isAlongRows(memory))
    reads.push_back({tile, memory, {}});
}

void BlockAccess::addStore(const void *root, const TileMemory &target) {
  if (target.rowsInWord > 1) {
    inWord = target.rowsInWord;
    blocked = 0;
  } else if (!isAlongRows(target)) {
    return;
  }
  stores.push_back({root, target, {}});
}

std::optional<int64_t> BlockAccess::rowsOfTransposes() const {
  auto hasColumns = [](const Store &store) {
    return store.target.rowsInWord == 1;
  };
  if (reads.empty() && !llvm::any_of(stores, hasColumns))
    return std::nullopt;
  return state.registerLanes(b.getF32Type());
}

void BlockAccess::begin(int64_t rows, bool isTransposed,
                        ArrayRef<Value> indices, const Lanes &lanes,
                        OpFoldResult left) {
  this->rows = rows;
  this->isTransposed = isTransposed;
  this->indices.assign(indices.begin(), indices.end());
  this->lanes = lanes;
  this->left = left;
  for (Store &store : stores)
    store.rows.clear();
  if (isTransposed)
    for (Read &read : reads)
      load(read);
}

void BlockAccess::setReads(PointEvaluator &evaluator, ValueRange coordinates,
                           int64_t row) const {
  if (!isTransposed)
    return;
  for (const Read &read : reads)
    evaluator.setAtPoint(
        read.tile, coordinates,
        state.access.fromMemory(read.rows[row],
                                getElementTypeOrSelf(read.tile.getType())));
}

BlockAccess::Values *BlockAccess::rowsOf(const void *root) {
  for (Store &store : stores)
    if (store.root == root)
      return &store.rows;
  return nullptr;
}

void BlockAccess::end() {
  for (const Store &store : stores)
    if (store.target.rowsInWord > 1)
      storeWords(store);
    else
      storeColumns(store);
}

/// Returns the rows of a block at one column, in a memory that is dense along
/// them.
TileMemory BlockAccess::columnAt(const TileMemory &memory, Value column) {
  Values at(indices);
  at.back() = state.access.add(at.back(), column);
  TileMemory part = memory;
  part.base = state.access.addressOf(memory, at);
  part.strides = {b.getIndexAttr(1)};
  part.isPadded = false;
  return part;
}

/// Loads a tile across the rows. Columns that do not exist are not accessed.
void BlockAccess::load(Read &read) {
  std::optional<int64_t> known;
  if (left)
    known = getConstantIntValue(left);
  llvm::SmallVector<Value> columns;
  for (int64_t j = 0; j < known.value_or(lanes.count); ++j) {
    Value column = state.access.constant(j);
    if (left && !known) // the last column that exists instead of others
      column = arith::MinUIOp::create(
          b, loc, column,
          arith::SubIOp::create(b, loc, state.access.valueOf(left),
                                state.access.constant(1)));
    columns.push_back(state.access.load(
        columnAt(read.memory, column), state.access.constant(0),
        {rows, Value()}, read.memory.elementType));
  }
  columns.resize(lanes.count, columns.back());
  read.rows = transposeRows(b, loc, columns);
}

/// Stores the rows in columns, of which some may not exist.
void BlockAccess::storeColumns(const Store &store) {
  std::optional<int64_t> known;
  if (left)
    known = getConstantIntValue(left);
  llvm::SmallVector<Value> stored;
  for (Value row : store.rows)
    stored.push_back(state.access.toMemory(row, store.target.elementType));
  llvm::SmallVector<Value> columns = transposeRows(b, loc, stored);
  for (int64_t j = 0; j < known.value_or(lanes.count); ++j) {
    OpBuilder::InsertionGuard guard(b);
    Value column = state.access.constant(j);
    if (left && !known) {
      Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           column, state.access.valueOf(left));
      auto branch = scf::IfOp::create(b, loc, exists, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    state.access.store(columns[j], columnAt(store.target, column),
                       state.access.constant(0), {rows, Value()});
  }
}

/// Stores the rows in words. Rows that do not exist are zero.
void BlockAccess::storeWords(const Store &store) {
  unsigned bits = 32 / inWord;
  Type element = b.getIntegerType(bits);
  llvm::SmallVector<Value> parts;
  for (Value row : store.rows)
    parts.push_back(
        arith::BitcastOp::create(b, loc, lanes.typeOf(element), row));
  while (parts.size() < size_t(rows))
    parts.push_back(arith::ConstantOp::create(
        b, loc, b.getZeroAttr(lanes.typeOf(element))));
  Value count = state.access.constant(inWord);
  for (int64_t first = 0; first < rows; first += inWord) {
    // Each round joins neighbours at half the distance.
    llvm::SmallVector<Value> joined(ArrayRef(parts).slice(first, inWord));
    while (joined.size() > 1) {
      size_t half = joined.size() / 2;
      for (size_t i = 0; i < half; ++i)
        joined[i] =
            vector::InterleaveOp::create(b, loc, joined[i], joined[half + i]);
      joined.resize(half);
    }
    Value words = vector::BitCastOp::create(
        b, loc, cast<VectorType>(lanes.typeOf(b.getI32Type())), joined.front());
    Values at(indices);
    at.front() = arith::DivUIOp::create(
        b, loc, state.access.add(at.front(), state.access.constant(first)),
        count);
    state.access.store(words, store.target, at, {lanes.count, Value()});
  }
}
