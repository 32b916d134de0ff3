//===- TileMemory.h - Where the elements of a tile are ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a CPU a tile is a strided block of memory: a part of an operand that is
// read in place, or scratch that stays in a cache. A lane is one element of a
// vector.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOCPU_TILEMEMORY_H
#define FUSION_LIB_CONVERSION_TILETOCPU_TILEMEMORY_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace fusion {

/// Bytes that divide the address of a non-temporal store (Intel's manual,
/// MOVNTPS).
constexpr int64_t kStreamAlignment = 16;

/// A strided block of memory. Strides are in elements, by dimension.
struct TileMemory {
  mlir::Value base; ///< !llvm.ptr, of the element at the origin
  llvm::SmallVector<mlir::OpFoldResult, 4> strides;
  mlir::Type elementType; ///< in memory: i8 for an i1
  /// Whether vectors may be accessed that begin inside of a row and end behind
  /// it. Their other lanes have any value.
  bool isPadded = false;
  /// Panels of this many columns lie one after another, each with its rows side
  /// by side; 0: none. Vectors have a panel's columns. The last stride is then
  /// that of a panel's begin.
  int64_t panel = 0;
  /// Rows whose elements lie side by side in the panels, as a word of 32 bits
  /// for each column; 1: none. `elementType` is then that of words, and a row
  /// of words has as many rows.
  int64_t rowsInWord = 1;
  /// Whether whole vectors are stored by non-temporal stores. Their addresses
  /// are multiples of `kStreamAlignment`.
  bool isStreamed = false;

  bool isSameAs(const TileMemory &other) const {
    return base == other.base && strides == other.strides;
  }
  /// Returns whether neighbours along the last dimension are neighbours in
  /// memory.
  bool isUnitStride() const;
};

/// The lanes of an access.
struct Lanes {
  int64_t count = 0; ///< 0: one element, which is no vector
  mlir::Value mask;  ///< vector<count x i1>; null: all lanes

  bool isScalar() const { return count == 0; }
  /// Returns the type of as many elements of type `element`.
  mlir::Type typeOf(mlir::Type element) const;
};

/// Emits accesses to tiles.
class TileAccess {
public:
  TileAccess(mlir::OpBuilder &b, const mlir::Location &loc) : b(b), loc(loc) {}

  /// Returns the type that an element of a tile has in memory.
  static mlir::Type storedType(mlir::Type element);

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, mlir::OpFoldResult factor);
  mlir::Value valueOf(mlir::OpFoldResult value);
  /// Returns the largest multiple of `step` that is not above `value`.
  mlir::OpFoldResult multipleBelow(mlir::OpFoldResult value, int64_t step);

  /// Returns the address `elements` (of type `element`) after `base`.
  mlir::Value offset(mlir::Value base, mlir::Type element,
                     mlir::Value elements);
  /// Returns the address of an element.
  mlir::Value addressOf(const TileMemory &memory, mlir::ValueRange coordinates);
  /// Returns the tile that begins at `coordinates` of another.
  TileMemory partAt(const TileMemory &memory, mlir::ValueRange coordinates);

  /// Loads the lanes from `coordinates` on along the last dimension, as
  /// elements of type `element`. Lanes that are masked off are not read, unless
  /// the memory is padded.
  mlir::Value load(const TileMemory &memory, mlir::ValueRange coordinates,
                   const Lanes &lanes, mlir::Type element);
  void store(mlir::Value value, const TileMemory &memory,
             mlir::ValueRange coordinates, const Lanes &lanes);
  /// Loads elements that are `indices` elements after `base` each.
  mlir::Value gather(mlir::Value base, mlir::Value indices, mlir::Type element,
                     const Lanes &lanes);

  /// Returns the mask of the first `count` lanes of `lanes`.
  mlir::Value firstLanes(mlir::Value count, int64_t lanes);

  /// Converts what was loaded to elements of a tile.
  mlir::Value fromMemory(mlir::Value stored, mlir::Type element);
  /// Converts elements of a tile to what is stored.
  mlir::Value toMemory(mlir::Value value, mlir::Type stored);

private:
  mlir::Value allLanes(int64_t lanes);
  mlir::Value addressesOf(mlir::Value base, mlir::Type element,
                          mlir::Value indices, int64_t lanes);
  mlir::Value laneOffsets(const TileMemory &memory, int64_t lanes);

  mlir::OpBuilder &b;
  const mlir::Location &loc;
};

/// Combines the lanes of a vector, of which there is a power of two: halves
/// first.
mlir::Value combineLanes(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::arith::AtomicRMWKind kind, mlir::Value lanes);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOCPU_TILEMEMORY_H
