//===- HostTensor.h - Tensors in host memory --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dense row-major tensor in host memory, its generator, and the comparison
// of a result with its reference.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_RUNTIME_HOSTTENSOR_H
#define FUSION_RUNTIME_HOSTTENSOR_H

#include "fusion/Runtime/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fusion {

/// A dense row-major tensor; a scalar has an empty shape.
struct HostTensor {
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t> shape;
  std::vector<char> data;

  HostTensor() = default;
  /// Sets all elements to zero. The shape must have passed `checkedBytes`.
  HostTensor(ElementType type, llvm::ArrayRef<int64_t> shape);

  int64_t elements() const;
  char *at(int64_t index) { return data.data() + index * elementBytes(type); }
  const char *at(int64_t index) const {
    return data.data() + index * elementBytes(type);
  }
};

/// Returns the bytes of a tensor, or an error if a size is negative or the
/// product overflows.
llvm::Expected<int64_t> checkedBytes(ElementType type,
                                     llvm::ArrayRef<int64_t> shape);

/// Returns a shape as text such as `8x?x16`; `scalar` if it is empty.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// Returns the bits of an element from the generator of inputs, counter-based
/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014). With
///   mix(z): z ^= z >> 30; z *= 0xbf58476d1ce4e5b9; z ^= z >> 27;
///           z *= 0x94d049bb133111eb; z ^= z >> 31
/// and g = 0x9e3779b97f4a7c15, element e of input i under a seed is drawn from
///   mix(mix(mix(seed + g) + (i + 1) g) + (e + 1) g)   (all modulo 2^64).
uint64_t randomBits(uint64_t seed, uint64_t input, uint64_t element);

/// Fills input number `input` from `seed`:
/// floats uniform in [-1, 1), a multiple of 2^-23 (f64: 2^-52), rounded to
/// the type (f8E8M0FNU: a power of two in [1/8, 8)); i1 zero or one; i8 and
/// i16 uniform in [-128, 128); i32, i64 and index uniform in [0, indexBound),
/// so that they can be used as indices.
void fillRandom(HostTensor &tensor, uint64_t seed, uint64_t input,
                int64_t indexBound);

/// Fills the inputs of a function by `fillRandom` with their numbers, except
/// inputs that are `given`. Indices are below the least of all sizes that are
/// more than 1, so that they are inside of every tensor.
void fillInputs(llvm::MutableArrayRef<HostTensor> inputs, uint64_t seed,
                llvm::ArrayRef<bool> given = {});

/// An element passes if |actual - reference| <= max(atol, ofRow rms(row)) +
/// rtol |reference|, where a row is along the last dimension.
struct Tolerance {
  double atol = 0;
  double rtol = 0;
  double ofRow = 0;
};

/// Where contractions may be less exact. The multiplied f32 elements may be
/// rounded to tf32 (`inFactors`), or truncated to tf32 (`cutsFactors`), which
/// makes all products smaller. 8-bit floats may be accumulated in fewer bits
/// than f32 has (`inSums`).
struct FewerBits {
  bool inFactors = false, cutsFactors = false, inSums = false;
};

/// Returns the default tolerance for a result of type `result`. `narrowest` is
/// the narrowest floating-point type of the function's inputs, results and
/// intermediates. The relative tolerance is from the rounding of the result.
/// The absolute tolerance is relative to the root mean square `rms` of the
/// reference, or of the element's row if that is larger, as rows of a causal
/// contraction differ in size. It is from the rounding of the values that were
/// materialised on the way. Integers must be equal. The table is in
/// docs/fusion-run.md. `roundings` is how often values are rounded to
/// `narrowest` one after the other: more than two add up as independent errors
/// do.
Tolerance defaultTolerance(ElementType result, ElementType narrowest,
                           double rms, FewerBits fewer = {},
                           unsigned roundings = 1);

/// Returns the root mean square over the finite elements, 0 without finite
/// elements.
double rootMeanSquare(const HostTensor &tensor);

struct Comparison {
  bool pass = true;
  double maxAbsError = 0; ///< over elements where both are finite
  double maxRelError = 0; ///< |a - r| / |r| over finite elements with r != 0
  int64_t mismatches = 0;
  struct Mismatch {
    llvm::SmallVector<int64_t> coordinates;
    double actual;
    double reference;
  };
  std::vector<Mismatch> first; ///< the first few mismatches in memory order
};

/// Compares element by element. NaN equals NaN, an infinity only itself. The
/// tensors must have equal types and shapes.
Comparison compare(const HostTensor &actual, const HostTensor &reference,
                   Tolerance tolerance, unsigned keep = 5);

} // namespace fusion

#endif // FUSION_RUNTIME_HOSTTENSOR_H
