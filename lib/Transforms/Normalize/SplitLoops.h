//===- SplitLoops.h - Loops that reshapes cut -------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_NORMALIZE_SPLITLOOPS_H
#define FUSION_LIB_TRANSFORMS_NORMALIZE_SPLITLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// Where a reshape stands between two operators, one of which has to tell apart
/// what is one loop of the other, as the heads of a row: that one and all that
/// it is next to get the loops apart, as long as these are parallel ones of
/// operators that `isFlexible` allows, up to reshapes that are thereby undone
/// and the function's boundary. Reshapes that are undone are left to
/// canonicalization.
void splitLoops(mlir::func::FuncOp function, mlir::RewriterBase &rewriter,
                llvm::function_ref<bool(mlir::Operation *)> isFlexible);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_NORMALIZE_SPLITLOOPS_H
