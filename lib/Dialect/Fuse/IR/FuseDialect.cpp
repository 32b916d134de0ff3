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
  SmallVector<StringRef> known = listNumericChoices(name);
  if (known.empty())
    return success();
  if (!isa<ModuleOp>(op))
    return op->emitError("'") << name << "' is an attribute of modules";
  auto value = dyn_cast<StringAttr>(attribute.getValue());
  if (value && llvm::is_contained(known, value.getValue()))
    return success();
  return op->emitError("'") << name << "' is " << orList(known, "\"")
                            << ", not " << attribute.getValue();
}

SmallVector<StringRef> fusion::fuse::listNumericChoices(StringRef attribute) {
  if (attribute == kF32ProductsAttrName)
    return {"f32", "tf32", "tf32-cut"};
  if (attribute == kF8ProductsAttrName)
    return {"f32", "coarse"};
  if (attribute == kExponentialsAttrName)
    return {"guarded", "difference", "fma"};
  return {};
}

std::string fusion::fuse::orList(ArrayRef<StringRef> choices, StringRef quote) {
  std::string text;
  for (auto [index, choice] : llvm::enumerate(choices)) {
    if (index > 0)
      text += index + 1 == choices.size() ? " or " : ", ";
    (text += quote.str()) += choice.str() + quote.str();
  }
  return text;
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
