//===- Transposes.h - Transposes of blocks in registers ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOCPU_TRANSPOSES_H
#define FUSION_LIB_CONVERSION_TILETOCPU_TRANSPOSES_H

#include "mlir/IR/Builders.h"

namespace fusion {

/// Transposes rows, vectors of equal type: lane j of row i becomes lane i of
/// row j. Both the number of rows and that of lanes are powers of two, and one
/// is a multiple of the other. Shuffles exchange elements within units of 128
/// bits first, then whole units, as x86's instructions do.
llvm::SmallVector<mlir::Value>
transposeRows(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange rows);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOCPU_TRANSPOSES_H
