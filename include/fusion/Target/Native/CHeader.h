//===- CHeader.h - Declarations for an object file --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_NATIVE_CHEADER_H
#define FUSION_TARGET_NATIVE_CHEADER_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace fusion {

/// Returns a header of C that declares the functions and kernels of the object
/// that `translateToObject` makes of the module with entry points
/// (docs/native-kernels.md). Errors are diagnosed.
mlir::FailureOr<std::string> translateToCHeader(mlir::ModuleOp module);

} // namespace fusion

#endif // FUSION_TARGET_NATIVE_CHEADER_H
