//===- ClearFastMath.h - Floating-point arithmetic to the letter
//---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_NORMALIZE_CLEARFASTMATH_H
#define FUSION_TRANSFORMS_NORMALIZE_CLEARFASTMATH_H

namespace mlir {
class Operation;
}

namespace fusion {

/// Clears the fast-math flags of all operations of the arith dialect in `root`,
/// as the pass `clear-fast-math` does.
void clearFastMath(mlir::Operation *root);

} // namespace fusion

#endif // FUSION_TRANSFORMS_NORMALIZE_CLEARFASTMATH_H
