//===- FusionLspServerMain.cpp - Serves editors --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int fusionLspServerMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  fusion::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
