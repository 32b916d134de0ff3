//===- Manifest.h - The host plan as JSON -----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_PLAN_MANIFEST_H
#define FUSION_TARGET_PLAN_MANIFEST_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace fusion {

/// Returns the manifest (docs/manifest.md) of a module whose functions are host
/// plans (`fuse-to-nvvm`, `fuse-to-native`), with the code of its kernels in
/// it: PTX, or an object file where the module's chip is a CPU. Temporaries
/// whose lives do not overlap share memory. Errors are diagnosed.
mlir::FailureOr<std::string> translateToManifest(mlir::ModuleOp module,
                                                 llvm::StringRef code);

} // namespace fusion

#endif // FUSION_TARGET_PLAN_MANIFEST_H
