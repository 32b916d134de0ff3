//===- Election.cpp - The thread that acts for its warp -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Election.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace fusion;

Value Election::isElected(ThreadBuilder &b) {
  return b.atEntry([&]() -> Value {
    if (!elected)
      elected = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
    return elected;
  });
}
