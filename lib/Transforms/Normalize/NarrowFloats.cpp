//===- NarrowFloats.cpp - Arithmetic on types that a machine lacks --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Transforms/Normalize/NarrowFloats.h"
#include "fusion/Transforms/Normalize/ClearFastMath.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

SmallVector<Type> fusion::eightBitFloats(MLIRContext *context) {
  return {Float8E4M3FNType::get(context),      Float8E5M2Type::get(context),
          Float8E4M3Type::get(context),        Float8E3M4Type::get(context),
          Float8E4M3FNUZType::get(context),    Float8E5M2FNUZType::get(context),
          Float8E4M3B11FNUZType::get(context), Float8E8M0FNUType::get(context)};
}

LogicalResult fusion::computeInF32(Operation *root, ArrayRef<Type> types) {
  MLIRContext *context = root->getContext();
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(converter, types,
                                                     Float32Type::get(context));
  ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  if (failed(applyPartialConversion(root, target, std::move(patterns))))
    return failure();
  clearFastMath(root);
  return success();
}
