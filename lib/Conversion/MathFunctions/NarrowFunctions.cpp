//===- NarrowFunctions.cpp - Functions of 8 and 16 bits in f32 ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/MathFunctions/NarrowFunctions.h"
#include "fusion/Transforms/Normalize/ClearFastMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

LogicalResult fusion::extendNarrowFunctions(Operation *root) {
  MLIRContext *context = root->getContext();
  TypeConverter converter;
  llvm::SetVector<Type> supported;
  // Wider types stay: what has no lowering is reported with them.
  for (Type type :
       {Type(Float32Type::get(context)), Type(Float64Type::get(context)),
        Type(Float80Type::get(context)), Type(Float128Type::get(context))})
    supported.insert(type);
  math::populateExtendToSupportedTypesTypeConverter(converter, supported,
                                                    Float32Type::get(context));
  ConversionTarget target(*context);
  math::populateExtendToSupportedTypesConversionTarget(target, converter);
  // Exact in their own type.
  target.addLegalOp<math::AbsFOp, math::CopySignOp>();
  RewritePatternSet patterns(context);
  math::populateExtendToSupportedTypesPatterns(patterns, converter);
  if (failed(applyPartialConversion(root, target, std::move(patterns))))
    return failure();
  // Upstream sets flags that permit to omit roundings between functions.
  clearFastMath(root);
  return success();
}
