//===- Mma.h - MMAs on fragments in registers -------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_MMA_H
#define FUSION_LIB_CONVERSION_TILETOGPU_MMA_H

#include "fusion/Conversion/TileToThreads/ThreadBuilder.h"
#include "fusion/Target/Chips/Intrinsics.h"

namespace fusion {

/// Whether an mma.sync multiplies elements of type `lhs` by elements of type
/// `rhs` and adds to elements of type `accumulator` (PTX ISA, "mma").
bool hasMmaSync(mlir::Type lhs, mlir::Type rhs, mlir::Type accumulator);
/// A register of an operand's fragment: a vector of two f16, as NVVM takes
/// them, and otherwise a word, of f32 rounded to tf32.
mlir::Value mmaSyncOperand(ThreadBuilder &b, mlir::ValueRange elements);
/// One mma.sync with the shape of the intrinsic; returns the four accumulators.
Values mmaSync(ThreadBuilder &b, const Intrinsic &intrinsic, mlir::Type lhsType,
               mlir::Type rhsType, mlir::ValueRange lhs, mlir::ValueRange rhs,
               mlir::ValueRange accumulators);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_MMA_H
