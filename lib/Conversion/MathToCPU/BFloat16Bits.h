//===- BFloat16Bits.h - bf16 numbers as integers ----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_MATHTOCPU_BFLOAT16BITS_H
#define FUSION_LIB_CONVERSION_MATHTOCPU_BFLOAT16BITS_H

#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// math.absf and math.copysign of bf16 by operations on its bits.
void populateBFloat16Signs(mlir::RewritePatternSet &patterns);

/// Makes the bf16 values in `root` i16 values with the same bits. LLVM keeps a
/// single bf16 as f32, and rounds it again by a function that a host does not
/// have. Fails at operations that compute with bf16.
llvm::LogicalResult moveBFloat16AsBits(mlir::Operation *root);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_MATHTOCPU_BFLOAT16BITS_H
