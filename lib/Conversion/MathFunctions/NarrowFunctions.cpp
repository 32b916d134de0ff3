//===- NarrowFunctions.cpp - Functions of 8 and 16 bits in f32 ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/MathFunctions/NarrowFunctions.h"
#include "fusion/Transforms/Normalize/ClearFastMath.h"
#include "fusion/Transforms/Normalize/NarrowFloats.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusion;

/// Evaluates functions in `root` in f32 unless they are of one of `types`.
static LogicalResult
extendFunctions(Operation *root, ArrayRef<Type> types,
                function_ref<void(ConversionTarget &)> keepExact) {
  MLIRContext *context = root->getContext();
  TypeConverter converter;
  llvm::SetVector<Type> supported(types.begin(), types.end());
  math::populateExtendToSupportedTypesTypeConverter(converter, supported,
                                                    Float32Type::get(context));
  ConversionTarget target(*context);
  math::populateExtendToSupportedTypesConversionTarget(target, converter);
  keepExact(target);
  RewritePatternSet patterns(context);
  math::populateExtendToSupportedTypesPatterns(patterns, converter);
  if (failed(applyPartialConversion(root, target, std::move(patterns))))
    return failure();
  // Upstream sets flags that permit to omit roundings between functions.
  clearFastMath(root);
  return success();
}

LogicalResult fusion::extendNarrowFunctions(Operation *root) {
  MLIRContext *context = root->getContext();
  // Wider types stay: what has no lowering is reported with them.
  return extendFunctions(root,
                         {Float32Type::get(context), Float64Type::get(context),
                          Float80Type::get(context),
                          Float128Type::get(context)},
                         [](ConversionTarget &target) {
                           // Exact in their own type.
                           target.addLegalOp<math::AbsFOp, math::CopySignOp>();
                         });
}

LogicalResult fusion::computeByteFloatsInF32(Operation *root) {
  MLIRContext *context = root->getContext();
  if (failed(extendFunctions(
          root,
          {Float16Type::get(context), BFloat16Type::get(context),
           Float32Type::get(context), Float64Type::get(context)},
          [](ConversionTarget &) {})))
    return failure();
  return computeInF32(root, eightBitFloats(context));
}
