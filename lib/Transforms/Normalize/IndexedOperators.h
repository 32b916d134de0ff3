//===- IndexedOperators.h - Slices, padding, concatenation ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_INDEXEDOPERATORS_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_INDEXEDOPERATORS_H

#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Adds the patterns by which `tensor.extract_slice`, `tensor.insert_slice`,
/// `tensor.pad`, `tensor.concat` and `tensor.generate` become element-wise
/// operators that read at an index which their bodies compute.
void populateIndexedOperatorPatterns(mlir::RewritePatternSet &patterns);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_INDEXEDOPERATORS_H
