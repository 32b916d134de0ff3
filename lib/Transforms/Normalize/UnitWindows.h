//===- UnitWindows.h - Convolutions with one place of the filter ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_UNITWINDOWS_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_UNITWINDOWS_H

#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Takes from convolutions the loops over dimensions in which their filter has
/// one place: one of 1 x 1 becomes a contraction where it skips no places.
void populateUnitWindowPatterns(mlir::RewritePatternSet &patterns);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_UNITWINDOWS_H
