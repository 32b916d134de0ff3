//===- NarrowFunctions.h - Functions of 8 and 16 bits in f32 ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_MATHFUNCTIONS_NARROWFUNCTIONS_H
#define FUSION_CONVERSION_MATHFUNCTIONS_NARROWFUNCTIONS_H

#include "mlir/IR/Operation.h"

namespace fusion {

/// Evaluates math functions in `root` whose type is narrower than f32 in f32,
/// with one rounding to their own type.
llvm::LogicalResult extendNarrowFunctions(mlir::Operation *root);

/// Computes everything in `root` on 8-bit floats, but conversions and moves of
/// values, in f32 with a rounding after it.
llvm::LogicalResult computeByteFloatsInF32(mlir::Operation *root);

} // namespace fusion

#endif // FUSION_CONVERSION_MATHFUNCTIONS_NARROWFUNCTIONS_H
