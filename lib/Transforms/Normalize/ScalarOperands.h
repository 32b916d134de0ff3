//===- ScalarOperands.h - Scalars that operators use -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_SCALAROPERANDS_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_SCALAROPERANDS_H

#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Adds the patterns by which the scalars of an operator are operands,
/// constants of its body, or computed in its body where the host cannot.
void populateScalarOperandPatterns(mlir::RewritePatternSet &patterns);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_SCALAROPERANDS_H
