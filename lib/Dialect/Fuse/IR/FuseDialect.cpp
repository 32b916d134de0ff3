//===- FuseDialect.cpp - The fuse dialect -------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion::fuse;

#include "fusion/Dialect/Fuse/IR/FuseDialect.cpp.inc"
#include "fusion/Dialect/Fuse/IR/FuseEnums.cpp.inc"
#include "fusion/Dialect/Fuse/IR/FuseInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fusion/Dialect/Fuse/IR/FuseAttrs.cpp.inc"

void FuseDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fusion/Dialect/Fuse/IR/FuseAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "fusion/Dialect/Fuse/IR/FuseOps.cpp.inc"
      >();
}
