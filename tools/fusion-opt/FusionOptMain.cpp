//===- FusionOptMain.cpp - Runs passes over a module ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int fusionOptMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  fusion::registerAllDialects(registry);
  fusion::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Fusion's optimizer and pass driver\n", registry));
}
