//===- Reference.h - Number formats written down a second time --*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Independent of lib/Emulator's arithmetic: the nearest representable number is
// found by search over the format's table, not by bit manipulation.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_EMULATOR_REFERENCE_H
#define FUSION_UNITTESTS_EMULATOR_REFERENCE_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace fusion::emulator::test {

/// A format of at most 16 bits by its definition: sign, `e` exponent bits, `m`
/// mantissa bits.
struct SmallFormat {
  int e, m;
  bool hasInfinity; ///< else only all ones is NaN

  SmallFormat(int e, int m, bool hasInfinity)
      : e(e), m(m), hasInfinity(hasInfinity) {}

  double value(uint32_t bits) const {
    int bias = (1 << (e - 1)) - 1;
    int exponent = int(bits >> m) & ((1 << e) - 1);
    int mantissa = int(bits) & ((1 << m) - 1);
    double sign = bits >> (e + m) & 1 ? -1.0 : 1.0;
    if (exponent == (1 << e) - 1) {
      if (hasInfinity)
        return mantissa ? std::numeric_limits<double>::quiet_NaN()
                        : sign * std::numeric_limits<double>::infinity();
      if (mantissa == (1 << m) - 1)
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (exponent == 0)
      return sign * mantissa * std::pow(2.0, 1 - bias - m);
    return sign * (mantissa + (1 << m)) * std::pow(2.0, exponent - bias - m);
  }
  /// Finite non-negative values in ascending order; the index is the encoding.
  const std::vector<double> &table() const {
    if (cache.empty())
      for (uint32_t bits = 0; bits < 1u << (e + m); ++bits) {
        double v = value(bits);
        if (!std::isfinite(v))
          break;
        cache.push_back(v);
      }
    return cache;
  }
  /// To nearest even; beyond the largest by half a step: infinity or, with
  /// `finite`, the largest.
  uint32_t nearest(double x, bool finite) const {
    uint32_t sign = std::signbit(x) ? 1u << (e + m) : 0;
    double a = std::fabs(x);
    const auto &values = table();
    uint32_t last = uint32_t(values.size()) - 1;
    uint32_t overflow = finite ? last : last + 1;
    if (a > values[last]) {
      double step = values[last] - values[last - 1];
      bool over = a - values[last] > step / 2 ||
                  (a - values[last] == step / 2 && (last & 1));
      return sign | (over ? overflow : last);
    }
    uint32_t above = uint32_t(
        std::lower_bound(values.begin(), values.end(), a) - values.begin());
    if (values[above] == a)
      return sign | above;
    double low = a - values[above - 1], high = values[above] - a;
    bool up = high < low || (high == low && (above & 1) == 0);
    return sign | (up ? above : above - 1);
  }

private:
  mutable std::vector<double> cache;
};

inline const SmallFormat &halfFormat() {
  static const SmallFormat format{5, 10, true};
  return format;
}
inline const SmallFormat &bfloatFormat() {
  static const SmallFormat format{8, 7, true};
  return format;
}
inline const SmallFormat &e4m3Format() {
  static const SmallFormat format{4, 3, false};
  return format;
}
inline const SmallFormat &e5m2Format() {
  static const SmallFormat format{5, 2, true};
  return format;
}

inline uint16_t halfFromDouble(double x) {
  return std::isnan(x) ? uint16_t(0x7fff)
                       : uint16_t(halfFormat().nearest(x, false));
}
inline double doubleFromHalf(uint16_t bits) { return halfFormat().value(bits); }
inline uint16_t bfloatFromDouble(double x) {
  return std::isnan(x) ? uint16_t(0x7fff)
                       : uint16_t(bfloatFormat().nearest(x, false));
}
inline double doubleFromBfloat(uint16_t bits) {
  return bfloatFormat().value(bits);
}

} // namespace fusion::emulator::test

#endif // FUSION_UNITTESTS_EMULATOR_REFERENCE_H
