//===- BlockAccess.h - Rows that are accessed together ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest may evaluate a block of rows at a time. Where a memory is dense along
// the rows' dimension, and not along the last one, the block is loaded or
// stored along it and transposed in registers. Panels of words join the
// elements of neighbouring rows.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOCPU_BLOCKACCESS_H
#define FUSION_LIB_CONVERSION_TILETOCPU_BLOCKACCESS_H

#include "PointEvaluator.h"

namespace fusion {

class BlockAccess {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// For a nest over `shape`.
  BlockAccess(KernelState &state, llvm::ArrayRef<int64_t> shape)
      : state(state), b(state.b), loc(state.loc), shape(shape) {}

  /// Adds a tile that is read in place, if its blocks are to be transposed.
  void addRead(mlir::Value tile, const TileMemory &memory);
  /// Adds where a root of the nest is stored, if the rows of a block are stored
  /// together.
  void addStore(const void *root, const TileMemory &target);

  /// Returns the dimension of a block's rows; nullopt if there are no blocks.
  std::optional<unsigned> dimension() const { return blocked; }
  /// Returns the rows that words join, or 1.
  int64_t rowsInWord() const { return inWord; }
  /// Returns the rows of blocks that are transposed, or nullopt.
  std::optional<int64_t> rowsOfTransposes() const;

  /// Begins a block of `rows` rows. What is read across them is loaded if the
  /// block is transposed. `indices` are those of its first point. `left`
  /// columns exist from there on, if they are fewer than the lanes; null: all.
  void begin(int64_t rows, bool isTransposed,
             llvm::ArrayRef<mlir::Value> indices, const Lanes &lanes,
             mlir::OpFoldResult left);
  /// Gives the evaluator what the block has read of a row.
  void setReads(PointEvaluator &evaluator, mlir::ValueRange coordinates,
                int64_t row) const;
  /// Returns where to keep the values of a root by row, or null if each of its
  /// rows is stored alone.
  Values *rowsOf(const void *root);
  /// Stores what was kept.
  void end();

private:
  struct Read {
    mlir::Value tile;
    TileMemory memory;
    Values rows; ///< of the block
  };
  struct Store {
    const void *root;
    TileMemory target;
    Values rows; ///< of the block
  };

  bool isAlongRows(const TileMemory &memory);
  TileMemory columnAt(const TileMemory &memory, mlir::Value column);
  void load(Read &read);
  void storeColumns(const Store &store);
  void storeWords(const Store &store);

  KernelState &state;
  mlir::OpBuilder &b;
  const mlir::Location &loc;
  llvm::ArrayRef<int64_t> shape;
  std::optional<unsigned> blocked;
  int64_t inWord = 1;
  llvm::SmallVector<Read> reads;
  llvm::SmallVector<Store> stores;

  // The block.
  int64_t rows = 0;
  bool isTransposed = false;
  Values indices;
  Lanes lanes;
  mlir::OpFoldResult left;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOCPU_BLOCKACCESS_H
