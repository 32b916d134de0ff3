//===- MmaFragments.h - Fragments of small matrices -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments (PTX ISA, "Matrix fragments for mma"): a 32-bit register of A, seen
// over the 32 lanes, is 8 rows of A by 4 * e columns in row-major order, e the
// elements of a register; B the same with its columns in place of rows. That
// is so for every shape, so one routine serves all types.
//
// Every element of the result starts from C and takes its k products one after
// the other, k ascending, each by a fused multiply-add in f32 (f64 for f64, s32
// for integers); a result of type f16 is rounded once at the end.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_ISA_MMAFRAGMENTS_H
#define FUSION_LIB_EMULATOR_EXECUTE_ISA_MMAFRAGMENTS_H

#include "Emulator/Execute/Formats.h"
#include "Emulator/Execute/Isa/MultiplyAdd.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace fusion::emulator::FUSION_ISA {
namespace {

//===----------------------------------------------------------------------===//
// Elements: `load` turns the 32 registers of a fragment into numbers.
//===----------------------------------------------------------------------===//

struct HalfElement {
  using Number = float;
  static constexpr unsigned perRegister = 2;
  static constexpr bool exactProduct = true;
  static void load(const void *source, float *to) {
    const uint16_t *h = static_cast<const uint16_t *>(source);
#if defined(__F16C__)
    for (unsigned i = 0; i < 64; i += 8)
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(
                                   reinterpret_cast<const __m128i *>(h + i))));
#else
    FUSION_LANES
    for (unsigned i = 0; i < 64; ++i)
      to[i] = fromHalf(h[i]);
#endif
  }
};

struct BfloatElement {
  using Number = float;
  static constexpr unsigned perRegister = 2;
  static constexpr bool exactProduct = false;
  static void load(const void *source, float *to) {
    const uint16_t *h = static_cast<const uint16_t *>(source);
    FUSION_LANES
    for (unsigned i = 0; i < 64; ++i)
      to[i] = fromBfloat(h[i]);
  }
};

/// The low 13 bits of an f32 are ignored.
struct Tf32Element {
  using Number = float;
  static constexpr unsigned perRegister = 1;
  static constexpr bool exactProduct = false;
  static void load(const void *source, float *to) {
    const uint32_t *w = static_cast<const uint32_t *>(source);
    FUSION_LANES
    for (unsigned i = 0; i < kLanes; ++i)
      to[i] = bits<float>(w[i] & 0xffffe000u);
  }
};

template <Type T> struct Fp8Element {
  using Number = float;
  static constexpr unsigned perRegister = 4;
  static constexpr bool exactProduct = true;
  static void load(const void *source, float *to) {
    struct Table {
      float value[256];
      Table() {
        for (unsigned i = 0; i < 256; ++i)
          value[i] = float(decode(formatOf(T), i));
      }
    };
    static const Table table;
    const uint8_t *b = static_cast<const uint8_t *>(source);
    for (unsigned i = 0; i < 128; ++i)
      to[i] = table.value[b[i]];
  }
};

struct DoubleElement {
  using Number = double;
  static constexpr unsigned perRegister = 1;
  static constexpr bool exactProduct = false;
  static void load(const void *source, double *to) {
    std::memcpy(to, source, sizeof(double) * kLanes);
  }
};

template <class Byte> struct ByteElement {
  using Number = int32_t;
  static constexpr unsigned perRegister = 4;
  static constexpr bool exactProduct = true;
  static void load(const void *source, int32_t *to) {
    const Byte *b = static_cast<const Byte *>(source);
    FUSION_LANES
    for (unsigned i = 0; i < 128; ++i)
      to[i] = b[i];
  }
};

template <bool Signed> struct NibbleElement {
  using Number = int32_t;
  static constexpr unsigned perRegister = 8;
  static constexpr bool exactProduct = true;
  static void load(const void *source, int32_t *to) {
    const uint8_t *b = static_cast<const uint8_t *>(source);
    for (unsigned i = 0; i < 128; ++i) {
      int32_t low = b[i] & 15, high = b[i] >> 4;
      to[2 * i] = Signed && low > 7 ? low - 16 : low;
      to[2 * i + 1] = Signed && high > 7 ? high - 16 : high;
    }
  }
};

//===----------------------------------------------------------------------===//
// Accumulators: 8 columns per row; lane 4 r + j holds columns 2 j, 2 j + 1.
//===----------------------------------------------------------------------===//

template <class T> struct PlainAccumulator {
  static constexpr unsigned registersPerHalf = 2;
  static void load(Warp &warp, const Ref *refs, T (*to)[8]) {
    const T *even = warp.reg<T>(refs[0]), *odd = warp.reg<T>(refs[1]);
    for (unsigned r = 0; r < 8; ++r)
      for (unsigned j = 0; j < 4; ++j) {
        to[r][2 * j] = even[4 * r + j];
        to[r][2 * j + 1] = odd[4 * r + j];
      }
  }
  static void store(Warp &warp, const Ref *refs, const T (*from)[8]) {
    T *even = warp.reg<T>(refs[0]), *odd = warp.reg<T>(refs[1]);
    for (unsigned r = 0; r < 8; ++r)
      for (unsigned j = 0; j < 4; ++j) {
        even[4 * r + j] = canonical(from[r][2 * j]);
        odd[4 * r + j] = canonical(from[r][2 * j + 1]);
      }
  }
};

struct HalfAccumulator {
  static constexpr unsigned registersPerHalf = 1;
  static void load(Warp &warp, const Ref *refs, float (*to)[8]) {
    const uint16_t *h = warp.reg<uint16_t>(refs[0]);
    float *flat = &to[0][0];
    FUSION_LANES
    for (unsigned i = 0; i < 64; ++i)
      flat[i] = fromHalf(h[i]);
  }
  static void store(Warp &warp, const Ref *refs, const float (*from)[8]) {
    uint16_t *h = warp.reg<uint16_t>(refs[0]);
    const float *flat = &from[0][0];
    FUSION_LANES
    for (unsigned i = 0; i < 64; ++i)
      h[i] = toHalf(flat[i]);
  }
};

using F32 = PlainAccumulator<float>;
using S32 = PlainAccumulator<int32_t>;
using F64 = PlainAccumulator<double>;

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

/// A: 8 * Halves rows of K elements.
template <class E, unsigned Halves, unsigned K>
inline void loadRows(Warp &warp, const Ref *refs,
                     typename E::Number (&a)[8 * Halves][K]) {
  constexpr unsigned width = 4 * E::perRegister; // columns per register
  alignas(64) typename E::Number block[8 * width];
  for (unsigned k = 0; k < K / width; ++k)
    for (unsigned h = 0; h < Halves; ++h) {
      E::load(warp.reg<uint8_t>(refs[k * Halves + h]), block);
      for (unsigned r = 0; r < 8; ++r)
        for (unsigned j = 0; j < width; ++j)
          a[8 * h + r][k * width + j] = block[r * width + j];
    }
}

/// B: 8 columns of K elements.
template <class E, unsigned K>
inline void loadColumns(Warp &warp, const Ref *refs,
                        typename E::Number (&b)[K][8]) {
  constexpr unsigned width = 4 * E::perRegister;
  alignas(64) typename E::Number block[8 * width];
  for (unsigned k = 0; k < K / width; ++k) {
    E::load(warp.reg<uint8_t>(refs[k]), block);
    for (unsigned j = 0; j < width; ++j)
      for (unsigned n = 0; n < 8; ++n)
        b[k * width + j][n] = block[n * width + j];
  }
}

inline int32_t clampSum(int64_t sum) {
  return int32_t(sum > INT32_MAX   ? INT32_MAX
                 : sum < INT32_MIN ? INT32_MIN
                                   : sum);
}

/// c += a b; `saturates`: sums of integers.
template <bool ExactProduct, unsigned Rows, unsigned K, class T>
inline void addProduct(const T (&a)[Rows][K], const T (&b)[K][8],
                       T (&c)[Rows][8], bool saturates) {
  if (std::is_same_v<T, int32_t> && saturates) {
    for (unsigned r = 0; r < Rows; ++r)
      for (unsigned n = 0; n < 8; ++n) {
        int64_t sum = int64_t(c[r][n]);
        for (unsigned k = 0; k < K; ++k)
          sum += int64_t(a[r][k]) * int64_t(b[k][n]);
        c[r][n] = T(clampSum(sum));
      }
    return;
  }
  // Four rows at a time keep enough independent sums in flight.
  for (unsigned r = 0; r < Rows; r += 4) {
    T sum[4][8];
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned n = 0; n < 8; ++n)
        sum[i][n] = c[r + i][n];
    for (unsigned k = 0; k < K; ++k)
      for (unsigned i = 0; i < 4; ++i) {
        T scale = a[r + i][k];
        for (unsigned n = 0; n < 8; ++n)
          sum[i][n] = multiplyAdd<ExactProduct>(scale, b[k][n], sum[i][n]);
      }
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned n = 0; n < 8; ++n)
        c[r + i][n] = sum[i][n];
  }
}

} // namespace
} // namespace fusion::emulator::FUSION_ISA

#endif // FUSION_LIB_EMULATOR_EXECUTE_ISA_MMAFRAGMENTS_H
