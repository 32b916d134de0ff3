//===- SeparateResults.h - One result for each operator ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_SEPARATERESULTS_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_SEPARATERESULTS_H

#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// An operator with several results, each of which needs nothing of what is so
/// far of the others, as a sum and a sum of squares, is one for each of them:
/// groups are made of such. What of the body several need is in each of theirs.
void populateSeparateResultPatterns(mlir::RewritePatternSet &patterns);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_SEPARATERESULTS_H
