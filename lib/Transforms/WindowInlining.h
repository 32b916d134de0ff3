//===- WindowInlining.h - Products computed at the places of a window -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution that reads through its window what a product makes,
// E[p, h] = Σ over r, f of C[p + r, f] · D[r, f, h] with C[x, f] = Σ over c of
// A[x, c] · B[c, f], can have it computed where it reads it: C'[p, r, f] =
// Σ over c of A[p + r, c] · B[c, f]. A is then what is read through the window,
// and both are a chain whose tiles do not overlap. What tiles share is computed
// again, as often as places share it; whether that is worth a kernel less is a
// matter of cost.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_WINDOWINLINING_H
#define FUSION_LIB_TRANSFORMS_WINDOWINLINING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include <optional>
#include <string>

namespace fusion {

/// Name of the attribute (f64, seconds) of a convolution's product, computed
/// with the product in front of its window: predicted time of their kernels
/// apart, before. Groups do not carry it.
constexpr llvm::StringLiteral kSecondsApartAttrName = "fuse.seconds_apart";

class WindowInlining {
public:
  using Operators = llvm::SmallVector<mlir::linalg::LinalgOp>;

  /// The product that makes what a convolution reads through its window,
  /// directly or through element-wise operators and padding, and how to compute
  /// it at the window's places. nullopt where there is none; with a reason
  /// where there is one that cannot be.
  static std::optional<WindowInlining> find(mlir::linalg::LinalgOp convolution,
                                            std::string &reason);

  mlir::linalg::LinalgOp producer() const { return makers.front(); }
  mlir::linalg::LinalgOp reader() const { return convolution; }

  /// Builds the operators in front of the convolution: the product, its
  /// followers, and the convolution as a product, which is the last.
  Operators build(mlir::RewriterBase &rewriter);
  /// Removes them again, with what they start from.
  void discard(mlir::RewriterBase &rewriter);

private:
  /// An operand: where it is read by the loops of the window's places, and the
  /// zeros around it that it then needs.
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
  /// Of what is read the places that the window reaches, padding included.
  int64_t evaluateSize(unsigned d) const;
  mlir::Value makeEmpty(mlir::RewriterBase &rewriter, mlir::Location loc,
                        mlir::Type element);
  mlir::Value pad(mlir::RewriterBase &rewriter, mlir::Location loc,
                  const Read &read);
  mlir::Value maskOutside(mlir::RewriterBase &rewriter, mlir::Location loc,
                          mlir::Value value);

  mlir::linalg::LinalgOp convolution;
  unsigned windowOperand = 0;
  Operators makers; ///< the product, then its followers

  /// Loops of the convolution that its window reads, and their iterations.
  llvm::SmallVector<unsigned> places;
  llvm::SmallVector<int64_t> extents;
  /// By dimension of what is read: its index over `places`, what is to be
  /// subtracted from that, and its size.
  llvm::SmallVector<mlir::AffineExpr> indices;
  llvm::SmallVector<int64_t> lows, sizes;

  llvm::SmallVector<Read> reads; ///< of the product
  llvm::SmallVector<llvm::SmallVector<mlir::AffineMap>> maps; ///< of followers
  llvm::SmallVector<mlir::Operation *> built;
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_WINDOWINLINING_H
