//===- Object.h - Machine code of a lowered module --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a module whose kernels are functions of the llvm dialect
// (docs/native-kernels.md) to an object file for the CPU that the module names.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_NATIVE_OBJECT_H
#define FUSION_TARGET_NATIVE_OBJECT_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace fusion {

struct ObjectOptions {
  /// Adds for every public function of the module one that C can call
  /// (fusion/Target/Native/CHeader.h), and the constants.
  bool hasEntryPoints = false;
};

/// Returns a relocatable ELF object for x86-64 with the module's kernels: the
/// public functions of its nested module with `fuse.native`. The code is
/// position independent, has no state, and calls memcpy, memmove and memset
/// alone: another undefined symbol is an error that names it. Returns an empty
/// text for a module without kernels. Errors are diagnosed.
mlir::FailureOr<std::string>
translateToObject(mlir::ModuleOp module, const ObjectOptions &options = {});

/// Returns the assembly of the same code.
mlir::FailureOr<std::string>
translateToAssembly(mlir::ModuleOp module, const ObjectOptions &options = {});

} // namespace fusion

#endif // FUSION_TARGET_NATIVE_OBJECT_H
