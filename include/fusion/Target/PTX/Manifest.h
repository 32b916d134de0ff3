//===- Manifest.h - The host plan as JSON
//-------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_PTX_MANIFEST_H
#define FUSION_TARGET_PTX_MANIFEST_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace fusion {

/// The manifest (docs/manifest.md) of a module whose functions are host plans
/// (`fuse-to-nvvm`), with `ptx` in it. Temporaries whose lives do not overlap
/// share memory. Errors are diagnosed.
mlir::FailureOr<std::string> translateToManifest(mlir::ModuleOp module,
                                                 llvm::StringRef ptx);

} // namespace fusion

#endif // FUSION_TARGET_PTX_MANIFEST_H
