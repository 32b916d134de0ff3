//===- HostTensor.cpp - Tensors in host memory ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/HostTensor.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace fusion;

HostTensor::HostTensor(ElementType type, llvm::ArrayRef<int64_t> shape)
    : type(type), shape(shape.begin(), shape.end()) {
  data.resize(elements() * elementBytes(type));
}

int64_t HostTensor::elements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

llvm::Expected<int64_t> fusion::checkedBytes(ElementType type,
                                             llvm::ArrayRef<int64_t> shape) {
  int64_t bytes = elementBytes(type);
  for (int64_t size : shape) {
    if (size < 0)
      return llvm::createStringError("a tensor of shape %s has a negative size",
                                     shapeText(shape).c_str());
    if (llvm::MulOverflow(bytes, size, bytes) || bytes > (int64_t(1) << 46))
      return llvm::createStringError("a tensor of shape %s is too large",
                                     shapeText(shape).c_str());
  }
  return bytes;
}

std::string fusion::shapeText(llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      shape, os,
      [&](int64_t size) {
        if (size == INT64_MIN)
          os << '?';
        else
          os << size;
      },
      "x");
  return text;
}

//===----------------------------------------------------------------------===//
// Generation
//===----------------------------------------------------------------------===//

static constexpr uint64_t golden = 0x9e3779b97f4a7c15;

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static uint64_t streamKey(uint64_t seed, uint64_t input) {
  return mix(mix(seed + golden) + (input + 1) * golden);
}

uint64_t fusion::randomBits(uint64_t seed, uint64_t input, uint64_t element) {
  return mix(streamKey(seed, input) + (element + 1) * golden);
}

void fusion::fillRandom(HostTensor &tensor, uint64_t seed, uint64_t input,
                        int64_t indexBound) {
  uint64_t key = streamKey(seed, input);
  for (int64_t i = 0, e = tensor.elements(); i < e; ++i) {
    uint64_t bits = mix(key + (i + 1) * golden);
    char *element = tensor.at(i);
    switch (tensor.type) {
    case ElementType::I1:
      elementFromInteger(tensor.type, bits >> 63, element);
      break;
    case ElementType::I8:
    case ElementType::I16:
      elementFromInteger(tensor.type, int64_t(bits >> 56) - 128, element);
      break;
    case ElementType::I32:
    case ElementType::I64:
    case ElementType::Index:
      elementFromInteger(
          tensor.type, indexBound > 0 ? (bits >> 1) % indexBound : 0, element);
      break;
    case ElementType::F64:
      elementFromDouble(tensor.type, std::ldexp(double(bits >> 11), -52) - 1.0,
                        element);
      break;
    case ElementType::F8E8M0FNU:
      elementFromDouble(tensor.type, std::ldexp(1.0, int(bits >> 61) % 6 - 3),
                        element);
      break;
    default:
      elementFromDouble(tensor.type, std::ldexp(double(bits >> 40), -23) - 1.0,
                        element);
    }
  }
}

void fusion::fillInputs(llvm::MutableArrayRef<HostTensor> inputs, uint64_t seed,
                        llvm::ArrayRef<bool> given) {
  int64_t indexBound = std::numeric_limits<int64_t>::max();
  for (const HostTensor &input : inputs)
    for (int64_t size : input.shape)
      if (size > 1)
        indexBound = std::min(indexBound, size);
  if (indexBound == std::numeric_limits<int64_t>::max())
    indexBound = 1;
  for (size_t number = 0; number < inputs.size(); ++number)
    if (given.empty() || !given[number])
      fillRandom(inputs[number], seed, number, indexBound);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Returns twice the unit roundoff, i.e. the spacing of numbers just above 1.
static double spacing(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return 0x1p-52;
  case ElementType::F32:
    return 0x1p-23;
  case ElementType::F16:
    return 0x1p-10;
  case ElementType::BF16:
    return 0x1p-7;
  case ElementType::F8E3M4:
    return 0x1p-4;
  case ElementType::F8E5M2:
  case ElementType::F8E5M2FNUZ:
    return 0x1p-2;
  case ElementType::F8E8M0FNU:
    return 1;
  default:
    return isFloat(type) ? 0x1p-3 : 0;
  }
}

Tolerance fusion::defaultTolerance(ElementType result, ElementType narrowest,
                                   double rms, FewerBits fewer,
                                   unsigned roundings) {
  if (!isFloat(result))
    return {};
  // Approximate functions and long sums cost more than one rounding in f32
  // and f64; narrower types are dominated by their own rounding.
  auto error = [](ElementType type) {
    if (type == ElementType::F64)
      return 1e-10;
    if (type == ElementType::F32)
      return 1e-4;
    return 2 * spacing(type);
  };
  // The narrowest type's error has room for two roundings in a row.
  double inARow = std::sqrt(std::max(1.0, roundings / 2.0));
  double intermediate = isFloat(narrowest)
                            ? std::max(error(result), error(narrowest) * inARow)
                            : error(result);
  // Both factors of every contraction of a chain are rounded to 10 bits of
  // fraction. The accumulators have at least 13 bits of fraction, to which each
  // instruction rounds.
  constexpr double tf32 = 0x1p-8, coarse = 0x1p-6;
  // Truncation errors do not cancel in sums: each factor is too small by
  // 2^-11.5 of its value on average, and two contractions in a row have four
  // such factors.
  double ofLarge = error(result);
  if (fewer.cutsFactors)
    ofLarge = std::max(ofLarge, 0x1p-9);
  if (fewer.inFactors)
    intermediate = std::max(intermediate, tf32);
  if (fewer.inSums)
    intermediate = std::max(intermediate, coarse);
  return {intermediate * rms, ofLarge, intermediate};
}

/// Returns the root mean square of elements begin … end.
static double rootMeanSquare(const HostTensor &tensor, int64_t begin,
                             int64_t end) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = begin; i < end; ++i) {
    double value = elementToDouble(tensor.type, tensor.at(i));
    if (!std::isfinite(value))
      continue;
    sum += value * value;
    ++count;
  }
  return count ? std::sqrt(sum / count) : 0;
}

double fusion::rootMeanSquare(const HostTensor &tensor) {
  return ::rootMeanSquare(tensor, 0, tensor.elements());
}

static llvm::SmallVector<int64_t> coordinatesOf(int64_t index,
                                                llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> coordinates(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    coordinates[d] = index % shape[d];
    index /= shape[d];
  }
  return coordinates;
}

Comparison fusion::compare(const HostTensor &actual,
                           const HostTensor &reference, Tolerance tolerance,
                           unsigned keep) {
  assert(actual.type == reference.type && actual.shape == reference.shape);
  Comparison result;
  bool exact = !isFloat(actual.type);
  int64_t columns = actual.shape.empty() ? 1 : actual.shape.back();
  double atol = tolerance.atol;
  for (int64_t i = 0, e = actual.elements(); i < e; ++i) {
    if (tolerance.ofRow > 0 && i % columns == 0)
      atol = std::max(tolerance.atol,
                      tolerance.ofRow *
                          ::rootMeanSquare(reference, i, i + columns));
    bool matches;
    double a = elementToDouble(actual.type, actual.at(i));
    double r = elementToDouble(reference.type, reference.at(i));
    double error = std::fabs(a - r);
    if (std::isfinite(a) && std::isfinite(r)) {
      result.maxAbsError = std::max(result.maxAbsError, error);
      if (r != 0)
        result.maxRelError = std::max(result.maxRelError, error / std::fabs(r));
    }
    if (exact && tolerance.atol == 0 && tolerance.rtol == 0)
      matches = elementToInteger(actual.type, actual.at(i)) ==
                elementToInteger(reference.type, reference.at(i));
    else if (std::isnan(a) || std::isnan(r))
      matches = std::isnan(a) && std::isnan(r);
    else if (std::isinf(a) || std::isinf(r))
      matches = a == r;
    else
      matches = error <= atol + tolerance.rtol * std::fabs(r);
    if (matches)
      continue;
    result.pass = false;
    if (result.mismatches++ < keep)
      result.first.push_back({coordinatesOf(i, actual.shape), a, r});
  }
  return result;
}
