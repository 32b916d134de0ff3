//===- Winograd.h - Winograd transforms as contractions ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_WINOGRAD_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_WINOGRAD_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Replaces linalg.winograd_{filter,input,output}_transform by contractions
/// with constant matrices, one for the rows and one for the columns of a tile,
/// over all tiles at once. Fails with a diagnostic on what has no such form.
mlir::LogicalResult decomposeWinograd(mlir::RewriterBase &rewriter,
                                      mlir::Operation *op);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_WINOGRAD_H
