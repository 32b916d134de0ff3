//===- Undefined.h - Where the reference has no defined value ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_REFERENCE_UNDEFINED_H
#define FUSION_LIB_REFERENCE_UNDEFINED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace fusion {

/// The function that is called where a value is not defined (Jit.cpp), declared
/// in the module.
inline mlir::func::FuncOp undefinedCallee(mlir::ModuleOp module) {
  constexpr llvm::StringLiteral name = "fusion_reference_undefined";
  if (auto known = module.lookupSymbol<mlir::func::FuncOp>(name))
    return known;
  auto b = mlir::OpBuilder::atBlockBegin(module.getBody());
  auto function = mlir::func::FuncOp::create(b, module.getLoc(), name,
                                             b.getFunctionType({}, {}));
  function.setPrivate();
  return function;
}

} // namespace fusion

#endif // FUSION_LIB_REFERENCE_UNDEFINED_H
