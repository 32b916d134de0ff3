//===- FoldedScales.h - Instructions that folding saves ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tile-fold-exponentials computes e^(s·x - t) as 2^fma(x, s·log2(e),
// -t·log2(e)) (docs/numerics.md). In an operator's body that leaves out the
// multiplication by s and that of the exponential by log2(e).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_GROUPS_FOLDEDSCALES_H
#define FUSION_LIB_ANALYSIS_GROUPS_FOLDEDSCALES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace fusion {

/// Returns whether the exponential is of a difference from its row's maximum
/// whose results are only added up or rounded to 16 bits (`fuse.flush`), and
/// the module has such exponentials folded.
bool isFolded(mlir::math::ExpOp exponential);

/// Returns whether a positive constant is multiplied, and only exponentials
/// that are folded and maxima read the result, perhaps through selections.
bool isFoldedScale(mlir::arith::MulFOp product);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_GROUPS_FOLDEDSCALES_H
