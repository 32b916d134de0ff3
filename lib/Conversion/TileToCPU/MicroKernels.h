//===- MicroKernels.h - Contractions by register tiles ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A micro-kernel multiplies a few rows of the LHS and a few vectors of columns
// of the RHS along the reduced axis, and keeps their products in registers
// (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication",
// ACM TOMS 2008). Loops around it go over the tile. Rows and columns that are
// left at the borders have smaller micro-kernels of their own.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOCPU_MICROKERNELS_H
#define FUSION_LIB_CONVERSION_TILETOCPU_MICROKERNELS_H

#include "KernelState.h"
#include "fusion/Target/Chips/Intrinsics.h"

namespace fusion {

/// One contraction of tiles in memory: accumulator += lhs * rhs.
struct TileProduct {
  TileMemory lhs;         ///< (i1, r1); for dots of unit stride along r1
  TileMemory rhs;         ///< (r1, i2), unit stride along i2; for dots in words
  TileMemory accumulator; ///< (i1, i2), padded
  mlir::Type accumulated; ///< type of its elements
  bool startsFromZero = false;
  /// Both operands have unit stride along r1, and are multiplied row by row.
  bool isOfRows = false;
  /// Elements along i1, i2 and r1.
  mlir::OpFoldResult rows, columns, depth;
  /// What the rest of the rows and columns may be; all, if absent.
  std::optional<llvm::SmallVector<int64_t, 2>> possibleRows, possibleColumns;
};

/// Emits the loops and micro-kernels of a contraction.
class MicroKernels {
public:
  MicroKernels(KernelState &state, const Intrinsic &intrinsic);

  void emit(const TileProduct &product);

private:
  /// Elements of the tile that one kernel computes along a dimension. Those of
  /// the last vector may be fewer than its lanes.
  struct Part {
    mlir::Value first;
    int64_t count;
    bool fillsVectors;
  };
  using Body = llvm::function_ref<void(const Part &)>;

  void forParts(mlir::OpFoldResult extent, int64_t step,
                const std::optional<llvm::SmallVector<int64_t, 2>> &possible,
                int64_t unit, Body body);
  using Vectors = llvm::SmallVector<mlir::Value>;
  /// What a micro-kernel multiplies, from its first row and column on.
  struct Operands {
    TileMemory lhs, rhs;
    int64_t rows, vectors;
    mlir::Value mask; ///< of the last vector of the RHS; null: none
  };

  void emitKernel(const TileProduct &product, const Part &rows,
                  const Part &columns, llvm::ArrayRef<mlir::Value> offsets);
  Vectors multiplySteps(const TileProduct &product, const Operands &operands,
                        Vectors sums);
  Vectors multiplyWords(const TileProduct &product, const Operands &operands,
                        Vectors sums);
  Vectors addDots(const Operands &operands, mlir::Value word,
                  llvm::function_ref<mlir::Value(int64_t)> wordOfRow,
                  mlir::ValueRange sums, mlir::Type accumulated);
  mlir::Value addDot(mlir::Value sum, mlir::Value lhs, mlir::Value rhs);
  void emitProductsOfRows(const TileProduct &product);
  void multiplyRows(const TileProduct &product, const Part &rows,
                    const Part &columns);
  Vectors addVectors(const TileProduct &product, const Part &rows,
                     const Part &columns, mlir::Value k, mlir::Value mask,
                     mlir::ValueRange sums);
  int64_t vectorsOfLine(mlir::VectorType type) const;
  Vectors sumOffsets(const TileProduct &product, const Part &columns);
  mlir::Value widen(mlir::Value value, mlir::Type accumulated);

  KernelState &state;
  mlir::OpBuilder &b;
  const mlir::Location &loc;
  int64_t rowsOfKernel, columnsOfKernel;
  int64_t inWord; ///< neighbours along r1 that an instruction multiplies
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOCPU_MICROKERNELS_H
