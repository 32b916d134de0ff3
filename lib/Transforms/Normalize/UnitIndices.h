//===- UnitIndices.h - Operands of one element along a dimension ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_UNITINDICES_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_UNITINDICES_H

#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Adds the pattern by which an operand that is read at index 0 of a dimension
/// of size 1, as TOSA broadcasts, loses that dimension: a view of fewer
/// dimensions, read through a projected permutation.
void populateUnitIndexPatterns(mlir::RewritePatternSet &patterns);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_UNITINDICES_H
