//===- Mma.cpp - mma.sync: products of small matrices ---------------------===//
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

#include "MultiplyAdd.h"

#include "../Formats.h"

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
    for (unsigned i = 0; i < 32; ++i)
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
    std::memcpy(to, source, sizeof(double) * 32);
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

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

inline int32_t clampSum(int64_t sum) {
  return int32_t(sum > INT32_MAX   ? INT32_MAX
                 : sum < INT32_MIN ? INT32_MIN
                                   : sum);
}

/// op: D, A, B, C registers. Inst::a: .satfinite of integers.
template <class EA, class EB, class In, class Out, unsigned Halves, unsigned K>
void mma(Warp &warp, const Inst &inst, uint32_t) {
  using T = typename EA::Number;
  constexpr unsigned width = 4 * EA::perRegister; // columns per register
  constexpr unsigned blocks = K / width;
  constexpr unsigned rows = 8 * Halves;
  const Ref *d = inst.op;
  const Ref *aRegs = d + Out::registersPerHalf * Halves;
  const Ref *bRegs = aRegs + blocks * Halves;
  const Ref *cRegs = bRegs + blocks;

  alignas(64) T block[8 * width];
  alignas(64) T a[rows][K];
  for (unsigned k = 0; k < blocks; ++k)
    for (unsigned h = 0; h < Halves; ++h) {
      EA::load(warp.reg<uint8_t>(aRegs[k * Halves + h]), block);
      for (unsigned r = 0; r < 8; ++r)
        for (unsigned j = 0; j < width; ++j)
          a[8 * h + r][k * width + j] = block[r * width + j];
    }
  alignas(64) T b[K][8];
  for (unsigned k = 0; k < blocks; ++k) {
    EB::load(warp.reg<uint8_t>(bRegs[k]), block);
    for (unsigned j = 0; j < width; ++j)
      for (unsigned n = 0; n < 8; ++n)
        b[k * width + j][n] = block[n * width + j];
  }
  alignas(64) T c[rows][8];
  for (unsigned h = 0; h < Halves; ++h)
    In::load(warp, cRegs + h * In::registersPerHalf, c + 8 * h);

  if (std::is_same_v<T, int32_t> && inst.a) {
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned n = 0; n < 8; ++n) {
        int64_t sum = int64_t(c[r][n]);
        for (unsigned k = 0; k < K; ++k)
          sum += int64_t(a[r][k]) * int64_t(b[k][n]);
        c[r][n] = T(clampSum(sum));
      }
  } else {
    // Four rows at a time keep enough independent sums in flight.
    for (unsigned r = 0; r < rows; r += 4) {
      T sum[4][8];
      for (unsigned i = 0; i < 4; ++i)
        for (unsigned n = 0; n < 8; ++n)
          sum[i][n] = c[r + i][n];
      for (unsigned k = 0; k < K; ++k)
        for (unsigned i = 0; i < 4; ++i) {
          T scale = a[r + i][k];
          for (unsigned n = 0; n < 8; ++n)
            sum[i][n] =
                multiplyAdd<EA::exactProduct>(scale, b[k][n], sum[i][n]);
        }
      for (unsigned i = 0; i < 4; ++i)
        for (unsigned n = 0; n < 8; ++n)
          c[r + i][n] = sum[i][n];
    }
  }
  for (unsigned h = 0; h < Halves; ++h)
    Out::store(warp, d + h * Out::registersPerHalf, c + 8 * h);
  warp.counters->mmaFlops += 2ull * rows * 8 * K;
}

using F32 = PlainAccumulator<float>;
using S32 = PlainAccumulator<int32_t>;

/// Single bits: the set ones of `a and b` or `a xor b` are counted. A register
/// is 8 rows of A (columns of B) by 4 words.
template <unsigned Halves, unsigned K, bool Xor>
void bitMma(Warp &warp, const Inst &inst, uint32_t) {
  constexpr unsigned blocks = K / 128;
  const Ref *d = inst.op, *aRegs = d + 2 * Halves;
  const Ref *bRegs = aRegs + blocks * Halves, *cRegs = bRegs + blocks;
  int32_t c[8 * Halves][8];
  for (unsigned h = 0; h < Halves; ++h) {
    S32::load(warp, cRegs + 2 * h, c + 8 * h);
    for (unsigned k = 0; k < blocks; ++k) {
      const uint32_t *a = warp.reg<uint32_t>(aRegs[k * Halves + h]);
      const uint32_t *b = warp.reg<uint32_t>(bRegs[k]);
      for (unsigned r = 0; r < 8; ++r)
        for (unsigned n = 0; n < 8; ++n)
          for (unsigned w = 0; w < 4; ++w) {
            uint32_t x = a[4 * r + w], y = b[4 * n + w];
            int bits = __builtin_popcount(Xor ? x ^ y : x & y);
            int32_t &sum = c[8 * h + r][n];
            sum = int32_t(uint32_t(sum) + uint32_t(bits));
          }
    }
  }
  for (unsigned h = 0; h < Halves; ++h)
    S32::store(warp, d + 2 * h, c + 8 * h);
  warp.counters->mmaFlops += 2ull * 8 * Halves * 8 * K;
}

template <bool Xor> Handler bitProducts(bool tall, unsigned k) {
  if (!tall)
    return k == 128 ? bitMma<1, 128, Xor> : Handler(nullptr);
  return k == 128   ? bitMma<2, 128, Xor>
         : k == 256 ? bitMma<2, 256, Xor>
                    : Handler(nullptr);
}
using F64 = PlainAccumulator<double>;

/// A's and B's element types may differ where both are 8-bit.
template <class EA, class EB, unsigned Halves, unsigned K>
Handler floatAccumulators(const MmaSpec &s) {
  if (s.accumulator == Type::F32 && s.result == Type::F32)
    return mma<EA, EB, F32, F32, Halves, K>;
  if (s.accumulator == Type::F16 && s.result == Type::F16)
    return mma<EA, EB, HalfAccumulator, HalfAccumulator, Halves, K>;
  return nullptr;
}

template <unsigned K> Handler fp8(const MmaSpec &s) {
  using E4 = Fp8Element<Type::E4M3>;
  using E5 = Fp8Element<Type::E5M2>;
  if (s.a == Type::E4M3)
    return s.b == Type::E4M3   ? floatAccumulators<E4, E4, 2, K>(s)
           : s.b == Type::E5M2 ? floatAccumulators<E4, E5, 2, K>(s)
                               : nullptr;
  return s.b == Type::E4M3   ? floatAccumulators<E5, E4, 2, K>(s)
         : s.b == Type::E5M2 ? floatAccumulators<E5, E5, 2, K>(s)
                             : nullptr;
}

template <unsigned Halves, unsigned K> Handler bytes(const MmaSpec &s) {
  using S = ByteElement<int8_t>;
  using U = ByteElement<uint8_t>;
  if (s.a == Type::S8)
    return s.b == Type::S8 ? mma<S, S, S32, S32, Halves, K>
                           : mma<S, U, S32, S32, Halves, K>;
  return s.b == Type::S8 ? mma<U, S, S32, S32, Halves, K>
                         : mma<U, U, S32, S32, Halves, K>;
}
template <unsigned Halves, unsigned K> Handler nibbles(const MmaSpec &s) {
  using S = NibbleElement<true>;
  using U = NibbleElement<false>;
  if (s.a == Type::S4)
    return s.b == Type::S4 ? mma<S, S, S32, S32, Halves, K>
                           : mma<S, U, S32, S32, Halves, K>;
  return s.b == Type::S4 ? mma<U, S, S32, S32, Halves, K>
                         : mma<U, U, S32, S32, Halves, K>;
}

} // namespace

Handler mmaHandler(const MmaSpec &s) {
  if (s.n != 8 || (s.m != 16 && s.m != 8))
    return nullptr;
  bool tall = s.m == 16;
  if (s.a == s.b && s.a == Type::F16 && tall)
    return s.k == 16  ? floatAccumulators<HalfElement, HalfElement, 2, 16>(s)
           : s.k == 8 ? floatAccumulators<HalfElement, HalfElement, 2, 8>(s)
                      : nullptr;
  bool f32 = s.accumulator == Type::F32 && s.result == Type::F32;
  if (s.a == s.b && s.a == Type::BF16 && tall && f32)
    return s.k == 16  ? mma<BfloatElement, BfloatElement, F32, F32, 2, 16>
           : s.k == 8 ? mma<BfloatElement, BfloatElement, F32, F32, 2, 8>
                      : Handler(nullptr);
  if (s.a == s.b && s.a == Type::TF32 && tall && f32)
    return s.k == 8   ? mma<Tf32Element, Tf32Element, F32, F32, 2, 8>
           : s.k == 4 ? mma<Tf32Element, Tf32Element, F32, F32, 2, 4>
                      : Handler(nullptr);
  if (s.a == Type::E4M3 || s.a == Type::E5M2)
    return !tall       ? nullptr
           : s.k == 32 ? fp8<32>(s)
           : s.k == 16 ? fp8<16>(s)
                       : nullptr;
  if (s.a == Type::F64 && s.b == Type::F64 && s.accumulator == Type::F64 &&
      s.result == Type::F64) {
    if (!tall)
      return s.k == 4 ? mma<DoubleElement, DoubleElement, F64, F64, 1, 4>
                      : Handler(nullptr);
    switch (s.k) {
    case 4:
      return mma<DoubleElement, DoubleElement, F64, F64, 2, 4>;
    case 8:
      return mma<DoubleElement, DoubleElement, F64, F64, 2, 8>;
    case 16:
      return mma<DoubleElement, DoubleElement, F64, F64, 2, 16>;
    default:
      return nullptr;
    }
  }
  if (s.accumulator != Type::S32 || s.result != Type::S32)
    return nullptr;
  if (s.a == Type::B1 && s.b == Type::B1 && !s.satfinite)
    return s.bitOp == MmaSpec::BitOp::And   ? bitProducts<false>(tall, s.k)
           : s.bitOp == MmaSpec::BitOp::Xor ? bitProducts<true>(tall, s.k)
                                            : nullptr;
  auto isByte = [](Type t) { return t == Type::S8 || t == Type::U8; };
  auto isNibble = [](Type t) { return t == Type::S4 || t == Type::U4; };
  if (isByte(s.a) && isByte(s.b)) {
    if (!tall)
      return s.k == 16 ? bytes<1, 16>(s) : nullptr;
    return s.k == 16 ? bytes<2, 16>(s) : s.k == 32 ? bytes<2, 32>(s) : nullptr;
  }
  if (isNibble(s.a) && isNibble(s.b)) {
    if (!tall)
      return s.k == 32 ? nibbles<1, 32>(s) : nullptr;
    return s.k == 32   ? nibbles<2, 32>(s)
           : s.k == 64 ? nibbles<2, 64>(s)
                       : nullptr;
  }
  return nullptr;
}

} // namespace fusion::emulator::FUSION_ISA
