//===- PointEvaluator.h - Element-wise values at one point ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A virtual tile has no memory. The loop that needs it evaluates it at one
// point after the other. A point is a vector of neighbours along the last
// dimension, or a single element.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOCPU_POINTEVALUATOR_H
#define FUSION_LIB_CONVERSION_TILETOCPU_POINTEVALUATOR_H

#include "KernelState.h"

namespace fusion {

/// Evaluates virtual values inside of loops over a tile's dimensions.
class PointEvaluator {
public:
  explicit PointEvaluator(KernelState &state)
      : state(state), b(state.b), loc(state.loc) {}

  /// Returns the value of a tile at `coordinates`, which are those of the first
  /// lane. Fails with an error at an operation that cannot be evaluated.
  mlir::FailureOr<mlir::Value>
  evaluate(mlir::Value tile, mlir::ValueRange coordinates, const Lanes &lanes);

  /// Evaluates what `tile` repeats along the last dimension, once for a row, so
  /// that `evaluate` finds it.
  mlir::LogicalResult
  evaluateRow(mlir::Value tile, mlir::ValueRange rowCoordinates, int64_t lanes);

  /// Returns where a tile is read in place at each point; nullopt if it has to
  /// be computed, or guarded at borders.
  std::optional<TileMemory> placeOf(mlir::Value tile);

  /// Returns which lanes at `coordinates` of a tile, which begins at `origin`
  /// of a view, lie in the view; null for one element without dimensions. `at`
  /// becomes the place of the first lane.
  mlir::Value placeInView(tile::ViewOp view, mlir::ValueRange origin,
                          mlir::ValueRange coordinates, const Lanes &lanes,
                          llvm::SmallVectorImpl<mlir::Value> &at);

  /// Sets the limits at which the loops end. Loads and masks with others have
  /// to be evaluated beyond theirs.
  void setCovered(llvm::ArrayRef<TileLimit> limits) {
    covered.assign(limits.begin(), limits.end());
  }

  /// Sets the value of a tile at `coordinates`, which is the point that is
  /// evaluated next.
  void setAtPoint(mlir::Value tile, mlir::ValueRange coordinates,
                  mlir::Value value) {
    atPoint[tile].push_back(
        {Coordinates(coordinates.begin(), coordinates.end()), value});
  }

  /// Forgets the values of the last point, and of the last row.
  void leavePoint() { atPoint.clear(); }
  void leaveRow() {
    atPoint.clear();
    ofRow.clear();
  }

private:
  using Coordinates = llvm::SmallVector<mlir::Value, 4>;
  /// What is known of a tile.
  struct ValueAt {
    Coordinates coordinates;
    mlir::Value value;
  };

  mlir::FailureOr<mlir::Value>
  compute(mlir::Value tile, mlir::ValueRange coordinates, const Lanes &lanes);
  mlir::FailureOr<mlir::Value> constantAt(mlir::Operation *op,
                                          const Lanes &lanes);
  mlir::FailureOr<mlir::Value> repeat(tile::BroadcastOp op,
                                      mlir::ValueRange coordinates,
                                      const Lanes &lanes);
  bool isCovered(llvm::ArrayRef<TileLimit> limits) const;
  bool isGuarded(tile::LoadOp op);
  mlir::Value loadGuarded(tile::LoadOp op, mlir::ValueRange coordinates,
                          const Lanes &lanes);
  mlir::FailureOr<mlir::Value>
  applyMask(tile::MaskOp op, mlir::ValueRange coordinates, const Lanes &lanes);
  mlir::FailureOr<mlir::Value> loadWindow(tile::LoadOp op,
                                          tile::WindowOp window,
                                          mlir::ValueRange coordinates,
                                          const Lanes &lanes);
  mlir::Value placeInWindow(tile::WindowOp window, mlir::ValueRange dims,
                            const Lanes &lanes, mlir::Value &inside);
  mlir::Value expandAffine(mlir::AffineExpr expr, mlir::ValueRange dims,
                           mlir::ValueRange symbols, const Lanes &lanes);
  mlir::Value splat(mlir::Value scalar, const Lanes &lanes);
  mlir::Value indices(mlir::Value first, bool alongLanes, const Lanes &lanes);
  mlir::FailureOr<mlir::Value> cloneAt(mlir::Operation *op,
                                       mlir::ValueRange coordinates,
                                       const Lanes &lanes);

  KernelState &state;
  mlir::OpBuilder &b;
  const mlir::Location &loc;
  llvm::SmallVector<TileLimit> covered;
  /// One tile may be read at several places: as rows, and as columns.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<ValueAt, 1>> atPoint;
  llvm::DenseMap<mlir::Value, mlir::Value> ofRow;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOCPU_POINTEVALUATOR_H
