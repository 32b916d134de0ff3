//===- SoftmaxWeights.h - Quotients of exponentials and their sum -*- C++
//-*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exponentials of the differences from a row's maximum have values from 0 to 1.
// The row has a 1 among them, or is empty, or has a NaN. Two rules for their
// arithmetic follow (docs/numerics.md):
//
// * A weight, which is such an exponential divided by the sum of its row, is
// the
//   exponential times the reciprocal of the sum. The sum is at least 1, so
//   neither the reciprocal nor the product overflows.
// * Exponentials below the normal numbers may be zero where no result can tell,
//   which is so if they are only added up with others of the row, or rounded to
//   f16, as themselves or as weights.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_SOFTMAXWEIGHTS_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_SOFTMAXWEIGHTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Applies both rules to the exponential that `op` yields, if it is one of the
/// difference from a row's maximum. Returns how many operators divided by the
/// sum before.
unsigned simplifySoftmaxWeights(mlir::RewriterBase &rewriter,
                                mlir::linalg::LinalgOp op);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_SOFTMAXWEIGHTS_H
