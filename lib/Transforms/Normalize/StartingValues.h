//===- StartingValues.h - Data that results start from ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_STARTINGVALUES_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_STARTINGVALUES_H

#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Adds the patterns by which what an element-wise operator reads of the tensor
/// that its result starts from becomes an operand, or a number where it is
/// filled with one, and by which a reduction that starts from data starts from
/// what changes nothing, and is combined with the data after.
void populateStartingValuePatterns(mlir::RewritePatternSet &patterns);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_STARTINGVALUES_H
