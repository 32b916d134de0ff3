//===- ChipOption.h - The chip a module is compiled for
//-----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_SUPPORT_CHIPOPTION_H
#define FUSION_TRANSFORMS_SUPPORT_CHIPOPTION_H

#include "fusion/Target/Chips/ChipTable.h"
#include "mlir/IR/BuiltinOps.h"

namespace fusion {

/// The chip that a pass works for: the option's where it is not empty, else the
/// module's, else sm_80. Records it on the module. Unknown names, and an option
/// that contradicts the module, are errors.
mlir::FailureOr<const ChipInfo *> resolveChip(mlir::ModuleOp module,
                                              llvm::StringRef option);

} // namespace fusion

#endif // FUSION_TRANSFORMS_SUPPORT_CHIPOPTION_H
