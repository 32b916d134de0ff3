//===- HostTensorTest.cpp - Tensors in host memory ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/HostTensor.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace fusion;

namespace {

HostTensor makeTensor(ElementType type, std::vector<double> values) {
  HostTensor tensor(type, {int64_t(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    elementFromDouble(type, values[i], tensor.at(i));
  return tensor;
}

TEST(ElementType, NamesRoundTrip) {
  for (int t = 0; t <= int(ElementType::F8E8M0FNU); ++t)
    EXPECT_EQ(parseElementType(elementTypeName(ElementType(t))),
              ElementType(t));
  EXPECT_EQ(parseElementType("f17"), std::nullopt);
}

TEST(ElementType, NarrowFloatsRoundTripAndRoundToEven) {
  for (int t = 0; t <= int(ElementType::F8E8M0FNU); ++t) {
    ElementType type = ElementType(t);
    if (!isFloat(type) || elementBytes(type) > 2)
      continue;
    for (unsigned code = 0; code < (1u << (8 * elementBytes(type))); ++code) {
      double value = elementToDouble(type, &code);
      if (std::isnan(value))
        continue;
      unsigned back = 0;
      elementFromDouble(type, value, &back);
      ASSERT_EQ(back, code) << elementTypeName(type).str();
    }
  }
  uint16_t bits;
  elementFromDouble(ElementType::F16, 1 + 0x1p-11, &bits); // half way
  EXPECT_EQ(bits, 0x3c00);
  elementFromDouble(ElementType::F16, 1 + 3 * 0x1p-11, &bits);
  EXPECT_EQ(bits, 0x3c02);
  elementFromDouble(ElementType::BF16, 1 + 0x1p-8 + 0x1p-40, &bits);
  EXPECT_EQ(bits, 0x3f81); // one rounding, not by way of f32
}

TEST(HostTensor, GeneratorIsWhatTheHeaderSays) {
  // The first outputs of SplitMix64 with state 0 are its published test
  // vector; a stream is such a sequence from a derived state.
  auto mix = [](uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  EXPECT_EQ(mix(0x9e3779b97f4a7c15), 0xe220a8397b1dcdafu);
  uint64_t key = mix(mix(3 + 0x9e3779b97f4a7c15) + 2 * 0x9e3779b97f4a7c15);
  EXPECT_EQ(randomBits(3, 1, 4), mix(key + 5 * 0x9e3779b97f4a7c15));
}

TEST(HostTensor, RangesOfRandomValues) {
  for (int t = 0; t <= int(ElementType::F8E8M0FNU); ++t) {
    HostTensor tensor(ElementType(t), {4000});
    fillRandom(tensor, 1, 0, 17);
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < 4000; ++i) {
      double value = elementToDouble(tensor.type, tensor.at(i));
      low = std::min(low, value);
      high = std::max(high, value);
    }
    switch (tensor.type) {
    case ElementType::I1:
      EXPECT_EQ(low, 0);
      EXPECT_EQ(high, 1);
      break;
    case ElementType::I8:
    case ElementType::I16:
      EXPECT_EQ(low, -128);
      EXPECT_EQ(high, 127);
      break;
    case ElementType::I32:
    case ElementType::I64:
    case ElementType::Index:
      EXPECT_EQ(low, 0);
      EXPECT_EQ(high, 16);
      break;
    case ElementType::F8E8M0FNU:
      EXPECT_EQ(low, 0.125);
      EXPECT_EQ(high, 4);
      break;
    default:
      EXPECT_GE(low, -1);
      EXPECT_LT(low, -0.9);
      EXPECT_GT(high, 0.9);
      EXPECT_LE(high, 1);
    }
  }
}

TEST(Compare, Tolerance) {
  HostTensor r = makeTensor(ElementType::F32, {100, -0.5, 0});
  HostTensor a = makeTensor(ElementType::F32, {101, -0.5, 0.25});
  Comparison within = compare(a, r, {0.25, 0.01});
  EXPECT_TRUE(within.pass);
  EXPECT_DOUBLE_EQ(within.maxAbsError, 1);
  EXPECT_DOUBLE_EQ(within.maxRelError, 0.01); // 0.25 / 0 does not count
  Comparison outside = compare(a, r, {0.125, 0.001});
  EXPECT_FALSE(outside.pass);
  EXPECT_EQ(outside.mismatches, 2);
  ASSERT_EQ(outside.first.size(), 2u);
  EXPECT_EQ(outside.first[1].coordinates, llvm::SmallVector<int64_t>{2});
  EXPECT_EQ(outside.first[1].actual, 0.25);
}

TEST(Compare, SpecialValues) {
  double inf = INFINITY, nan = NAN;
  auto passes = [](double a, double r) {
    return compare(makeTensor(ElementType::F16, {a}),
                   makeTensor(ElementType::F16, {r}), {1e30, 1e30})
        .pass;
  };
  EXPECT_TRUE(passes(nan, nan));
  EXPECT_FALSE(passes(nan, 1));
  EXPECT_FALSE(passes(1, nan));
  EXPECT_TRUE(passes(inf, inf));
  EXPECT_TRUE(passes(-inf, -inf));
  EXPECT_FALSE(passes(inf, -inf));
  EXPECT_FALSE(passes(65504, inf));
  EXPECT_FALSE(passes(inf, 65504));
  EXPECT_TRUE(passes(0.0, -0.0));
}

TEST(Compare, IntegersAreExactAndCoordinatesRowMajor) {
  HostTensor a(ElementType::I64, {2, 3}), r(ElementType::I64, {2, 3});
  int64_t big = (int64_t(1) << 60) + 1;
  elementFromInteger(ElementType::I64, big, a.at(4));
  elementFromInteger(ElementType::I64, big - 1, r.at(4));
  Comparison result = compare(a, r, {});
  EXPECT_FALSE(result.pass);
  ASSERT_EQ(result.first.size(), 1u);
  EXPECT_EQ(result.first[0].coordinates, (llvm::SmallVector<int64_t>{1, 1}));
}

TEST(Compare, KeepsTheFirstFew) {
  HostTensor a(ElementType::F32, {100}),
      r = makeTensor(ElementType::F32, std::vector<double>(100, 1.0));
  Comparison result = compare(a, r, {}, 3);
  EXPECT_EQ(result.mismatches, 100);
  EXPECT_EQ(result.first.size(), 3u);
}

// A row that is larger than the whole is compared by its own size, and its
// neighbours are not.
TEST(Compare, RowsOfDifferentSize) {
  HostTensor reference =
      makeTensor(ElementType::F32, {8, 8, 1, 1, 1, 1, 1, 1});
  HostTensor actual =
      makeTensor(ElementType::F32, {8.5, 8, 1, 1, 1, 1, 1, 1});
  reference.shape = actual.shape = {4, 2};
  Tolerance ofRow{/*atol=*/0.25, /*rtol=*/0, /*ofRow=*/0.0625};
  EXPECT_TRUE(compare(actual, reference, ofRow).pass);
  EXPECT_FALSE(compare(actual, reference, {0.25, 0}).pass);
  std::swap(actual, reference);
  HostTensor other = makeTensor(ElementType::F32, {8, 8, 1.5, 1, 1, 1, 1, 1});
  other.shape = {4, 2};
  EXPECT_EQ(compare(other, reference, ofRow).mismatches, 1);
}

TEST(Compare, DefaultTolerances) {
  auto same = [](ElementType type) {
    return defaultTolerance(type, type, 2).atol;
  };
  EXPECT_EQ(same(ElementType::F16), 2 * 2 * 0x1p-10);
  EXPECT_EQ(same(ElementType::BF16), 2 * 2 * 0x1p-7);
  EXPECT_EQ(same(ElementType::F32), 2e-4);
  // An f32 result of f16 values: relative to its own rounding, absolute to
  // that of the values on the way.
  Tolerance mixed = defaultTolerance(ElementType::F32, ElementType::F16, 10);
  EXPECT_EQ(mixed.rtol, 1e-4);
  EXPECT_EQ(mixed.atol, 10 * 2 * 0x1p-10);
  EXPECT_EQ(mixed.ofRow, 2 * 0x1p-10);
  EXPECT_EQ(defaultTolerance(ElementType::I32, ElementType::F16, 10).atol, 0);
  // Factors that are rounded cancel in sums; truncated factors do not.
  auto allowed = [](FewerBits fewer) {
    return defaultTolerance(ElementType::F32, ElementType::F32, 10, fewer);
  };
  FewerBits rounded{/*inFactors=*/true}, cut{/*inFactors=*/true, /*cutsFactors=*/true};
  EXPECT_EQ(allowed(rounded).atol, 10 * 0x1p-8);
  EXPECT_EQ(allowed(rounded).rtol, 1e-4);
  EXPECT_EQ(allowed(cut).atol, 10 * 0x1p-8);
  EXPECT_EQ(allowed(cut).rtol, 0x1p-9);
  EXPECT_EQ(rootMeanSquare(
                makeTensor(ElementType::F32, {3, -4, NAN, INFINITY, 0, 0})),
            2.5);
}

TEST(HostTensor, Sizes) {
  EXPECT_EQ(*checkedBytes(ElementType::F16, {3, 0, 5}), 0);
  EXPECT_EQ(*checkedBytes(ElementType::F64, {}), 8);
  auto tooLarge = checkedBytes(ElementType::F16, {INT64_MAX, 2});
  ASSERT_FALSE(bool(tooLarge));
  llvm::consumeError(tooLarge.takeError());
  auto negative = checkedBytes(ElementType::F16, {-1});
  ASSERT_FALSE(bool(negative));
  EXPECT_EQ(llvm::toString(negative.takeError()),
            "a tensor of shape -1 has a negative size");
}

// Two roundings in a row have room in the type's error; eight are twice that.
TEST(DefaultTolerance, RoundingsInARowAddUp) {
  auto atol = [](unsigned roundings) {
    return defaultTolerance(ElementType::F32, ElementType::F16, 1.0, {},
                            roundings)
        .atol;
  };
  EXPECT_EQ(atol(0), 0x1p-9);
  EXPECT_EQ(atol(2), 0x1p-9);
  EXPECT_EQ(atol(8), 0x1p-8);
}

} // namespace
