//===- Approximations.h - Functions of f32 as arithmetic --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_MATHTONVVM_APPROXIMATIONS_H
#define FUSION_LIB_CONVERSION_MATHTONVVM_APPROXIMATIONS_H

#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// asin, atan, cbrt, erf, erfc, expm1, log1p and tanh of f32 as arithmetic and
/// approximate instructions. docs/accuracy.md has their errors. The sign of a
/// zero is that of the function.
void populateApproximations(mlir::RewritePatternSet &patterns);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_MATHTONVVM_APPROXIMATIONS_H
