//===- MergeLoops.h - Loops that are one ------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_MERGELOOPS_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_MERGELOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Where operators that hand each other values have more loops than a tile has
/// dimensions, loops that follow one another in all operands of all of them
/// become one. Reshapes are left where values come in and go out.
void mergeLoops(mlir::func::FuncOp function, mlir::RewriterBase &rewriter);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_MERGELOOPS_H
