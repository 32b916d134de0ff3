//===- WindowInlining.h - Contractions computed at a window's places ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution may read through its window what another contraction computes:
// E[p, h] = Σ over r, f of C[p + r, f] · D[r, f, h] with C[x, f] = Σ over c of
// A[x, c] · B[c, f]. Then C can be computed where it is read: C'[p, r, f] = Σ
// over c of A[p + r, c] · B[c, f]. The window now reads A, and both are a chain
// whose tiles do not overlap. Values that several places share are recomputed
// for each. Whether that is worth saving a kernel is for the cost model to
// decide.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_NORMALIZE_WINDOWINLINING_H
#define FUSION_TRANSFORMS_NORMALIZE_WINDOWINLINING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>
#include <string>

namespace fusion {

/// Name of an attribute (f64, seconds) of a convolution's contraction whose
/// producer is computed at the places of its window. Its value is the predicted
/// time of the two original kernels. Groups do not carry it.
constexpr llvm::StringLiteral kSecondsApartAttrName = "fuse.seconds_apart";

class WindowInlining {
public:
  using Operators = llvm::SmallVector<mlir::linalg::LinalgOp>;

  /// Returns how to compute a contraction at the places of a convolution's
  /// window that reads its values, directly or through element-wise operators
  /// and padding. Returns nullopt if there is no such contraction, or, with a
  /// `reason`, if it cannot be computed there.
  static std::optional<WindowInlining> find(mlir::linalg::LinalgOp convolution,
                                            std::string &reason);

  mlir::linalg::LinalgOp producer() const { return makers.front(); }
  mlir::linalg::LinalgOp reader() const { return convolution; }

  /// Builds the operators up to the convolution: the contraction, its epilogue,
  /// and last the convolution as a contraction.
  Operators build(mlir::RewriterBase &rewriter);
  /// Removes the built operators again, with their initial values.
  void discard(mlir::RewriterBase &rewriter);

private:
  /// An operand: its map over the loops of the window's places, and the padding
  /// that it then needs.
  struct Read {
    mlir::AffineMap map;
    mlir::Value source;
    llvm::SmallVector<int64_t> low, shape;
    bool isPadded = false;
  };

  bool collectMakers(mlir::Value value, std::string &reason);
  void describePlaces(mlir::OpOperand &window, llvm::ArrayRef<int64_t> low,
                      llvm::ArrayRef<int64_t> sizes);
  bool planProduct(std::string &reason);
  bool planEpilogue(std::string &reason);
  /// Returns how many elements of dimension `d` the window reaches, padding
  /// included.
  int64_t evaluateSize(unsigned d) const;
  mlir::Value makeEmpty(mlir::RewriterBase &rewriter, mlir::Location loc,
                        mlir::Type element);
  mlir::Value pad(mlir::RewriterBase &rewriter, mlir::Location loc,
                  const Read &read);
  mlir::Value maskOutside(mlir::RewriterBase &rewriter, mlir::Location loc,
                          mlir::Value value);

  mlir::linalg::LinalgOp convolution;
  unsigned windowOperand = 0;
  Operators makers; ///< the contraction, then its epilogue

  /// Loops of the convolution that index through its window, and their
  /// iterations.
  llvm::SmallVector<unsigned> places;
  llvm::SmallVector<int64_t> extents;
  /// By dimension of the tensor that is read: its index over `places`, an
  /// offset to subtract, and its size.
  llvm::SmallVector<mlir::AffineExpr> indices;
  llvm::SmallVector<int64_t> lows, sizes;

  llvm::SmallVector<Read> reads; ///< of the contraction
  llvm::SmallVector<llvm::SmallVector<mlir::AffineMap>> maps; ///< of the
                                                              ///< epilogue
  llvm::SmallVector<mlir::Operation *> built;
};

} // namespace fusion

#endif // FUSION_TRANSFORMS_NORMALIZE_WINDOWINLINING_H
