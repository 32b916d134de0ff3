//===- FuseDialect.cpp - The fuse dialect ---------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Dialect/Fuse/IR/Exponentials.h"
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
  StringRef name = attribute.getName();
  std::pair<StringRef, StringRef> known;
  if (name == kF32ProductsAttrName)
    known = {"f32", "tf32"};
  else if (name == kExponentialsAttrName)
    known = {"difference", "fma"};
  else
    return success();
  if (!isa<ModuleOp>(op))
    return op->emitError("'") << name << "' is an attribute of modules";
  auto value = dyn_cast<StringAttr>(attribute.getValue());
  if (!value ||
      (value.getValue() != known.first && value.getValue() != known.second))
    return op->emitError("'")
           << name << "' is \"" << known.first << "\" or \"" << known.second
           << "\", not " << attribute.getValue();
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
