//===- NarrowFloats.h - Arithmetic on types that a machine lacks ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_NORMALIZE_NARROWFLOATS_H
#define FUSION_TRANSFORMS_NORMALIZE_NARROWFLOATS_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"

namespace fusion {

/// The 8-bit floats that tensors may hold.
llvm::SmallVector<mlir::Type> eightBitFloats(mlir::MLIRContext *context);

/// Every operation of the arith dialect in `root` on one of `types`, but
/// conversions and moves of values, becomes one in f32 with a rounding after
/// it. Clears the fast-math flags: upstream permits that the roundings are left
/// out.
llvm::LogicalResult computeInF32(mlir::Operation *root,
                                 llvm::ArrayRef<mlir::Type> types);

} // namespace fusion

#endif // FUSION_TRANSFORMS_NORMALIZE_NARROWFLOATS_H
