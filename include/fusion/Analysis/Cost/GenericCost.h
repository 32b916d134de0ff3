//===- GenericCost.h - Time of the generic form -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_COST_GENERICCOST_H
#define FUSION_ANALYSIS_COST_GENERICCOST_H

#include "fusion/Target/Chips/ChipTable.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fusion {

/// Returns the predicted seconds of a kernel that has the generic form of
/// operators of known sizes, in program order, and moves `bytes`. A thread for
/// each element of the last one's result goes through the loops that it
/// reduces, one step after the other. Loads are in flight together as
/// `genericStages` of all operators says.
double predictGeneric(llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
                      int64_t bytes, const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_COST_GENERICCOST_H
