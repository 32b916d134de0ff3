//===- FuseDialect.cpp - The fuse dialect -------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion::fuse;

#include "fusion/Dialect/Fuse/IR/FuseDialect.cpp.inc"
#include "fusion/Dialect/Fuse/IR/FuseEnums.cpp.inc"
#include "fusion/Dialect/Fuse/IR/FuseInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fusion/Dialect/Fuse/IR/FuseAttrs.cpp.inc"

LogicalResult FuseDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != kF32ProductsAttrName)
    return success();
  if (!isa<ModuleOp>(op))
    return op->emitError("'")
           << kF32ProductsAttrName << "' is an attribute of modules";
  auto value = dyn_cast<StringAttr>(attribute.getValue());
  if (!value || (value.getValue() != "f32" && value.getValue() != "tf32"))
    return op->emitError("'") << kF32ProductsAttrName
                              << "' is \"f32\" or \"tf32\", not "
                              << attribute.getValue();
  return success();
}

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
