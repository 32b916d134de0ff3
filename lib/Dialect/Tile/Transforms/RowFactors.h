//===- RowFactors.h - Factors that folding brings into rows -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folding multiplies each exponential e^(x - t) by a factor f(t) that depends
// on its row's subtrahend t alone, and each e^(t - t') by f(t') / f(t). A tile
// has the power n of f(t) if folding multiplies its rows by f(t)^n:
//
//   e^(x - t)                       1
//   sums and contractions of these  1, that of all terms
//   products, quotients             the sum, the difference of the powers
//   e^(t - t')                      1 of f(t'), -1 of f(t)
//
// In the online softmax
//
//   t' = max(t, max x);  l' = l · e^(t - t') + Σ e^(x - t')
//
// l has the power 1 of f(t) and l' of f(t'). A quotient of two such sums has no
// powers: folding does not change it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_DIALECT_TILE_TRANSFORMS_ROWFACTORS_H
#define FUSION_LIB_DIALECT_TILE_TRANSFORMS_ROWFACTORS_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace fusion::tile {

/// The powers of factors in a tile.
struct RowPowers {
  /// Whether all elements are zero, which have any powers.
  bool isZero = false;
  /// The dimension of the tile that counts the rows, if there are powers.
  int64_t dimension = 0;
  /// Whether the tile is a factor e^(t - t'), perhaps clamped.
  bool isStep = false;
  /// The powers other than zero, by subtrahend.
  llvm::SmallMapVector<mlir::Value, int64_t, 2> powers;

  bool isPlain() const { return !isZero && powers.empty(); }
  /// Adds `by` to the power of f(t).
  void add(mlir::Value t, int64_t by);
  /// Whether both have the same powers along the same dimension.
  bool equals(const RowPowers &other) const;
};

/// Finds the exponentials of a kernel that can be folded: the factors that this
/// brings into rows cancel in everything that the kernel stores or decides by.
/// Each subtrahend has one exponential of a tile. Stitched groups may have
/// several, and recompute some. Later passes merge these as long as there are
/// no branches.
class RowFactors {
public:
  explicit RowFactors(KernelOp kernel);

  /// Returns a value that stands for the subtrahends of e^(x - t) and for all
  /// that are connected with them by e^(t - t') or by a loop. Null if `op` is
  /// not to be folded.
  mlir::Value groupOfTerm(mlir::Operation *op) const {
    return terms.lookup(op);
  }
  /// Returns the same for e^(t - t').
  mlir::Value groupOfStep(mlir::Operation *op) const {
    return steps.lookup(op);
  }

private:
  /// Drops the groups of subtrahends that several exponentials subtract.
  void keepSingle();
  mlir::Value leader(mlir::Value value) const;
  void unite(mlir::Value a, mlir::Value b);
  void collect(KernelOp kernel);

  void visit(mlir::Block &block);
  void visitLoop(mlir::scf::ForOp loop);
  void visitRegions(mlir::Operation *op);
  RowPowers transfer(mlir::Operation *op);
  std::optional<RowPowers> transferSelect(mlir::arith::SelectOp op);
  std::optional<RowPowers> transferDot(DotOp op);
  std::optional<RowPowers> transferCharged(mlir::Operation *op);

  RowPowers powersOf(mlir::Value value) const { return known.lookup(value); }
  /// Notes that the factors of `powers` reach something that they change.
  void leak(const RowPowers &powers);

  /// The exponentials, each with the group of its subtrahends.
  llvm::DenseMap<mlir::Operation *, mlir::Value> terms, steps;
  llvm::DenseMap<mlir::Value, mlir::Value> parents;
  llvm::DenseMap<mlir::Value, RowPowers> known;
  /// Groups of which something leaks.
  llvm::SetVector<mlir::Value> leaking;
  /// Loops around what is visited whose powers are not settled.
  unsigned trials = 0;
};

} // namespace fusion::tile

#endif // FUSION_LIB_DIALECT_TILE_TRANSFORMS_ROWFACTORS_H
