//===- Subnormals.h - Errors of subnormal factors ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number is rounded by at most u = half the distance of the type's subnormal
// numbers more than its relative error says: weights of 2^-16 have 8 bits in
// f16. Where such values w, computed on the way, are multiplied by an input d
// and summed up,
//
//   Σ_n (w_n + ε_n) d_n,  |ε_n| ≤ u,
//
// independent errors that are spread evenly over ±u have the standard deviation
// u sqrt(n / 3) rms(d). One of a thousand million sums of such errors is
// further than six standard deviations from zero.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONRUN_SUBNORMALS_H
#define FUSION_TOOLS_FUSIONRUN_SUBNORMALS_H

#include "fusion/Runtime/HostTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusion::run {

/// What rounding to subnormal numbers may add to the elements of a result: of
/// the factors of the product that the result is, apart from conversions and
/// reshapes, and of the result itself. A factor whose other one is not an input
/// as it is adds nothing.
double subnormalError(mlir::func::FuncOp function, unsigned result,
                      llvm::ArrayRef<HostTensor> inputs);

} // namespace fusion::run

#endif // FUSION_TOOLS_FUSIONRUN_SUBNORMALS_H
