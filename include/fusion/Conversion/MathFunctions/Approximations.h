//===- Approximations.h - Functions of f32 as arithmetic --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_MATHFUNCTIONS_APPROXIMATIONS_H
#define FUSION_CONVERSION_MATHFUNCTIONS_APPROXIMATIONS_H

#include "mlir/IR/PatternMatch.h"

namespace fusion {

class MachineFunctions;

/// asin, atan, cbrt, erf, erfc, expm1, log1p and tanh of f32, or of vectors of
/// f32, as arithmetic and functions of the machine. docs/accuracy.md has their
/// errors. The sign of a zero is that of the function. `machine` must outlive
/// the patterns.
void populateApproximations(mlir::RewritePatternSet &patterns,
                            const MachineFunctions &machine);

/// acos, exp, exp2, log, log2 and log10 in the same way, for machines without
/// instructions for them.
void populateRemainingFunctions(mlir::RewritePatternSet &patterns,
                                const MachineFunctions &machine);

} // namespace fusion

#endif // FUSION_CONVERSION_MATHFUNCTIONS_APPROXIMATIONS_H
