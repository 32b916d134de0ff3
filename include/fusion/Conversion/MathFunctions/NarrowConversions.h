//===- NarrowConversions.h - Conversions of 8-bit floats --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_MATHFUNCTIONS_NARROWCONVERSIONS_H
#define FUSION_CONVERSION_MATHFUNCTIONS_NARROWCONVERSIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// How an 8-bit float is coded, beside the format it is converted from or to.
/// A code is its magnitude, in all but f8E8M0FNU below a sign bit.
struct NarrowFormat {
  explicit NarrowFormat(mlir::FloatType type);

  static uint64_t code(const llvm::APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  }
  /// 2^exponent as a number of `wide`.
  static llvm::APFloat power(const llvm::fltSemantics &wide, int exponent) {
    return scalbn(llvm::APFloat::getOne(wide), exponent,
                  llvm::APFloat::rmNearestTiesToEven);
  }

  const llvm::fltSemantics &semantics;
  int fractionBits, minExponent;
  bool hasSign, hasInfinity, hasZero, negativeZeroIsNaN;
  uint64_t maxFinite, nan, overflow;
};

/// The conversions of a machine: by default integer arithmetic, derived from
/// the format's parameters.
class NarrowConversions {
public:
  virtual ~NarrowConversions() = default;

  /// Returns the numbers of `codes` (i8, or a vector of i8), exactly, in f32 or
  /// another type that has all of them.
  virtual mlir::Value extend(mlir::ImplicitLocOpBuilder &b, mlir::Value codes,
                             mlir::FloatType from) const;
  /// Returns the codes of `value` (f32 or f64, or a vector of one), rounded
  /// once to the nearest, ties to even. What is too large is infinite, or not a
  /// number where there is no infinity.
  virtual mlir::Value truncate(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                               mlir::FloatType to) const;
};

/// arith.extf from 8-bit floats and arith.truncf to them. `machine` must
/// outlive the patterns.
void populateNarrowConversions(mlir::RewritePatternSet &patterns,
                               const NarrowConversions &machine);

/// Returns `element`, or a vector of it where `shape` is one.
mlir::Type withShapeOf(mlir::Type shape, mlir::Type element);

/// Returns a constant of integers, or of floats: `type` may be a vector.
mlir::Value integer(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                    llvm::APInt value);
mlir::Value real(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                 const llvm::APFloat &value);

} // namespace fusion

#endif // FUSION_CONVERSION_MATHFUNCTIONS_NARROWCONVERSIONS_H
