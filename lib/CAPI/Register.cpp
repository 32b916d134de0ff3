//===- Register.cpp - Dialects and passes for MLIR's C API ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion-c/MLIR.h"
#include "fusion/InitAll.h"
#include "mlir/CAPI/IR.h"
#include <mutex>

void fusionRegisterDialects(MlirDialectRegistry registry) {
  fusion::registerAllDialects(*unwrap(registry));
}

void fusionRegisterPasses(void) {
  static std::once_flag once;
  std::call_once(once, fusion::registerOwnPasses);
}
