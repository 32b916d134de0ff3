//===- PTX.h - PTX text of a lowered module ---------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_PTX_PTX_H
#define FUSION_TARGET_PTX_PTX_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace fusion {

/// Returns the PTX of the module's gpu.module, which must be in the nvvm and
/// llvm dialects (`fuse-to-nvvm`), for the chip that the module names. Returns
/// an empty text for a module without kernels. Errors are diagnosed.
mlir::FailureOr<std::string> translateToPTX(mlir::ModuleOp module);

} // namespace fusion

#endif // FUSION_TARGET_PTX_PTX_H
