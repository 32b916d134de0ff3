//===- ElementReads.h - Elements that operators read by index ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_ELEMENTREADS_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_ELEMENTREADS_H

#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Adds patterns for values that operators read at other places than their own,
/// so that no tensor has to be made for them:
///
/// * elements of what an element-wise operator makes are computed where they
///   are read, if no more of them are read than it makes;
/// * what is read at the operator's own place is an operand;
/// * a reduction along a concatenation is made of the pieces' reductions.
void populateElementReadPatterns(mlir::RewritePatternSet &patterns);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_ELEMENTREADS_H
