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

/// Predicts a kernel that has the generic form of an operator of known sizes,
/// which moves `bytes`: a thread for each element of the result goes through
/// the loops that are reduced, one step after the other.
double predictGeneric(mlir::linalg::LinalgOp op, int64_t bytes,
                      const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_COST_GENERICCOST_H
