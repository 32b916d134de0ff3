//===- ChipPass.td - Passes with the option chip -----------*- tablegen -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_SUPPORT_CHIPPASS
#define FUSION_TRANSFORMS_SUPPORT_CHIPPASS

include "mlir/Pass/PassBase.td"

/// A pass that compiles for a chip; its own options follow `chipOptions`.
class ChipPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  list<Option> chipOptions = [
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "Chip to compile for; default: the module's fuse.chip, else sm_80">
  ];
}

#endif // FUSION_TRANSFORMS_SUPPORT_CHIPPASS
