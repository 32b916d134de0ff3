//===- ReadChain.h - The model of a chain, from IR --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_CHAINS_READCHAIN_H
#define FUSION_ANALYSIS_CHAINS_READCHAIN_H

#include "fusion/Analysis/Groups/GroupAxes.h"

namespace fusion {

/// Reads a chain: contractions, element-wise operators and reductions between
/// and after them, and the fills of their accumulators. Operands that none of
/// `operators` computes are inputs; `results` are the values that leave the
/// chain. Calls `explain` and returns failure if the operators are no chain.
mlir::FailureOr<GroupAxes>
readChain(llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
          mlir::ValueRange results,
          llvm::function_ref<void(const llvm::Twine &)> explain);

} // namespace fusion

#endif // FUSION_ANALYSIS_CHAINS_READCHAIN_H
