//===- Wgmma.cpp - wgmma: the product of one warp's rows ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp has 16 of the 64 rows. Accumulators are kept column by column, 16 rows
// side by side, so that an element of B, taken as it lies in memory along K, is
// one factor for a vector of A's rows. As in Mma.cpp every element starts from
// D and takes its products k ascending, each by a fused multiply-add. Sums of
// 8-bit floats in f32 have the bits of a GPU.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Formats.h"
#include "Emulator/Execute/HandlersWgmma.h"
#include "Emulator/Execute/Isa/MultiplyAdd.h"
#include "Emulator/Execute/MatrixDescriptor.h"

#include <algorithm>
#include <cmath>

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace fusion::emulator::FUSION_ISA {
namespace {

constexpr unsigned kRows = 16;
constexpr unsigned kMaxColumns = 256;
constexpr unsigned kMaxK = 32;

/// 16 rows of an accumulator, in as many registers as the machine needs.
template <class T> struct Rows {
  T value[kRows];
  void load(const T *from) { std::memcpy(value, from, sizeof(value)); }
  void store(T *to) const { std::memcpy(to, value, sizeof(value)); }
  void add(const T *a, T factor) {
    for (unsigned m = 0; m < kRows; ++m)
      value[m] = multiplyAdd<false>(a[m], factor, value[m]);
  }
};

// Compilers leave the sums above in memory; it is the speed of wgmma.
#if defined(__AVX512F__)
constexpr unsigned kColumnsAtOnce = 8;
template <> struct Rows<float> {
  __m512 value;
  void load(const float *from) { value = _mm512_loadu_ps(from); }
  void store(float *to) const { _mm512_storeu_ps(to, value); }
  void add(const float *a, float factor) {
    value = _mm512_fmadd_ps(_mm512_loadu_ps(a), _mm512_set1_ps(factor), value);
  }
};
template <> struct Rows<int32_t> {
  __m512i value;
  void load(const int32_t *from) { value = _mm512_loadu_si512(from); }
  void store(int32_t *to) const { _mm512_storeu_si512(to, value); }
  void add(const int32_t *a, int32_t factor) {
    value =
        _mm512_add_epi32(value, _mm512_mullo_epi32(_mm512_loadu_si512(a),
                                                   _mm512_set1_epi32(factor)));
  }
};
#elif defined(__AVX2__) && defined(__FMA__)
constexpr unsigned kColumnsAtOnce = 4;
template <> struct Rows<float> {
  __m256 low, high;
  void load(const float *from) {
    low = _mm256_loadu_ps(from);
    high = _mm256_loadu_ps(from + 8);
  }
  void store(float *to) const {
    _mm256_storeu_ps(to, low);
    _mm256_storeu_ps(to + 8, high);
  }
  void add(const float *a, float factor) {
    __m256 f = _mm256_set1_ps(factor);
    low = _mm256_fmadd_ps(_mm256_loadu_ps(a), f, low);
    high = _mm256_fmadd_ps(_mm256_loadu_ps(a + 8), f, high);
  }
};
#else
constexpr unsigned kColumnsAtOnce = 4;
#endif

template <class T> struct Workspace {
  alignas(64) T a[kMaxK][kRows];
  alignas(64) T b[kMaxColumns * kMaxK];
  alignas(64) T d[kMaxColumns][kRows];
};

struct Fp8Table {
  float value[256];
  explicit Fp8Table(Type type) {
    for (unsigned i = 0; i < 256; ++i)
      value[i] = float(decode(formatOf(type), i));
  }
};

/// Elements of 16 bytes. Of single bits, which are combined by words, words.
inline unsigned perPiece(Type type) {
  return type == Type::B1 ? 4 : 16 / bytesOf(type);
}

/// The elements of 16 bytes as numbers.
inline void unpack(Type type, const uint8_t *from, float *to) {
  switch (type) {
  case Type::F16: {
#if defined(__F16C__)
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(
                             reinterpret_cast<const __m128i *>(from))));
#else
    uint16_t h[8];
    std::memcpy(h, from, 16);
    for (unsigned i = 0; i < 8; ++i)
      to[i] = fromHalf(h[i]);
#endif
    return;
  }
  case Type::BF16: {
    uint16_t h[8];
    std::memcpy(h, from, 16);
    for (unsigned i = 0; i < 8; ++i)
      to[i] = fromBfloat(h[i]);
    return;
  }
  case Type::TF32: {
    uint32_t w[4];
    std::memcpy(w, from, 16);
    for (unsigned i = 0; i < 4; ++i)
      to[i] = bits<float>(w[i] & 0xffffe000u);
    return;
  }
  default: {
    static const Fp8Table e4m3(Type::E4M3), e5m2(Type::E5M2);
    const float *table = (type == Type::E4M3 ? e4m3 : e5m2).value;
    for (unsigned i = 0; i < 16; ++i)
      to[i] = table[from[i]];
    return;
  }
  }
}

inline void unpack(Type type, const uint8_t *from, int32_t *to) {
  if (type == Type::B1)
    std::memcpy(to, from, 16);
  else if (type == Type::S8)
    for (unsigned i = 0; i < 16; ++i)
      to[i] = int8_t(from[i]);
  else
    for (unsigned i = 0; i < 16; ++i)
      to[i] = from[i];
}

/// Rows [first, first + rows) of an operand, K side by side.
template <class T>
void gather(const uint8_t *shared, const MatrixDescriptor &descriptor,
            Type type, unsigned first, unsigned rows, T *to) {
  unsigned elements = perPiece(type), k = 2 * elements;
  if (!descriptor.transposed) {
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned c = 0; c < 2; ++c)
        unpack(type, shared + descriptor.piece(first + r, c),
               to + r * k + c * elements);
    return;
  }
  for (unsigned i = 0; i < rows / 8; ++i)
    for (unsigned c = 0; c < k; ++c) {
      T piece[16];
      unpack(type, shared + descriptor.piece(first / 8 + i, c), piece);
      for (unsigned j = 0; j < 8; ++j)
        to[(8 * i + j) * k + c] = piece[j];
    }
}

/// A's registers: 8 rows by 16 bytes each, as for mma.
template <class T> void gatherRegisters(const WgmmaOp &op, Type type, T *to) {
  unsigned elements = perPiece(type), k = 2 * elements;
  for (unsigned reg = 0; reg < 4; ++reg) {
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(op.registers[reg]);
    for (unsigned r = 0; r < 8; ++r)
      unpack(type, bytes + 16 * r,
             to + (8 * (reg % 2) + r) * k + reg / 2 * elements);
  }
}

template <class T, unsigned K>
void multiply(Workspace<T> &w, unsigned columns) {
  for (unsigned n = 0; n < columns; n += kColumnsAtOnce) {
    Rows<T> sum[kColumnsAtOnce];
    for (unsigned i = 0; i < kColumnsAtOnce; ++i)
      sum[i].load(w.d[n + i]);
    const T *b = w.b + n * K;
    for (unsigned k = 0; k < K; ++k)
      for (unsigned i = 0; i < kColumnsAtOnce; ++i)
        sum[i].add(w.a[k], b[i * K + k]);
    for (unsigned i = 0; i < kColumnsAtOnce; ++i)
      sum[i].store(w.d[n + i]);
  }
}

/// floor(log2(|x|)); of zero, less than that of any other value.
inline int32_t exponentOf(float x) {
  if (x == 0)
    return -999;
  uint32_t field = bits<uint32_t>(x) >> 23 & 0xff;
  return field ? int32_t(field) - 127 : std::ilogb(x);
}

/// Truncates a sum, a multiple of 2^unit, to 13 bits of fraction.
inline double truncated(int64_t sum, int32_t unit) {
  uint64_t size = uint64_t(sum < 0 ? -sum : sum);
  unsigned digits = size ? 64 - unsigned(__builtin_clzll(size)) : 0;
  if (digits > 14)
    size &= ~uint64_t(0) << (digits - 14);
  return std::ldexp(sum < 0 ? -double(size) : double(size), unit);
}

/// Products of 8-bit floats as Hopper adds them: products and accumulator are
/// cut to multiples of 2^-13 of the largest, the sum to 13 bits of fraction
/// (docs/numerics.md, "Sums of 8-bit floats").
void multiplyByteFloats(Workspace<float> &w, unsigned columns) {
  constexpr unsigned K = 32;
  int32_t exponents[K][kRows];
  bool isFinite[kRows];
  std::fill_n(isFinite, kRows, true);
  for (unsigned k = 0; k < K; ++k)
    for (unsigned m = 0; m < kRows; ++m) {
      exponents[k][m] = exponentOf(w.a[k][m]);
      isFinite[m] &= std::isfinite(w.a[k][m]);
    }
  for (unsigned n = 0; n < columns; ++n) {
    const float *b = w.b + n * K;
    int32_t largest[kRows];
    for (unsigned m = 0; m < kRows; ++m)
      largest[m] = exponentOf(w.d[n][m]);
    bool columnIsFinite = true;
    for (unsigned k = 0; k < K; ++k) {
      int32_t exponent = exponentOf(b[k]);
      columnIsFinite &= std::isfinite(b[k]);
      for (unsigned m = 0; m < kRows; ++m)
        largest[m] = std::max(largest[m], exponents[k][m] + exponent);
    }
    for (unsigned m = 0; m < kRows; ++m) {
      float &d = w.d[n][m];
      if (!columnIsFinite || !isFinite[m] || !std::isfinite(d)) {
        for (unsigned k = 0; k < K; ++k)
          d = multiplyAdd<false>(w.a[k][m], b[k], d);
        continue;
      }
      // Everything is zero.
      if (largest[m] < -500)
        continue;
      int32_t unit = largest[m] - 13;
      double scale = std::ldexp(1.0, -unit);
      int64_t sum = int64_t(d * scale);
      for (unsigned k = 0; k < K; ++k)
        sum += int64_t(double(w.a[k][m]) * b[k] * scale);
      d = float(truncated(sum, unit));
    }
  }
}
void multiplyByteFloats(Workspace<int32_t> &, unsigned) {}

/// Integer sums that are clamped at the end of the instruction.
void multiplyClamped(Workspace<int32_t> &w, unsigned columns) {
  for (unsigned n = 0; n < columns; ++n)
    for (unsigned m = 0; m < kRows; ++m) {
      int64_t sum = w.d[n][m];
      for (unsigned k = 0; k < 32; ++k)
        sum += int64_t(w.a[k][m]) * w.b[n * 32 + k];
      w.d[n][m] = int32_t(sum > INT32_MAX   ? INT32_MAX
                          : sum < INT32_MIN ? INT32_MIN
                                            : sum);
    }
}
void multiplyClamped(Workspace<float> &, unsigned) {}

/// Single bits: the set ones of `a and b`.
void countBits(Workspace<int32_t> &w, unsigned columns) {
  for (unsigned n = 0; n < columns; ++n)
    for (unsigned m = 0; m < kRows; ++m) {
      uint32_t sum = uint32_t(w.d[n][m]);
      for (unsigned k = 0; k < 8; ++k)
        sum +=
            uint32_t(__builtin_popcount(uint32_t(w.a[k][m] & w.b[n * 8 + k])));
      w.d[n][m] = int32_t(sum);
    }
}
void countBits(Workspace<float> &, unsigned) {}

// Lane 4 r + t holds columns 8 j + 2 t and + 1 of rows r and r + 8 (PTX ISA,
// "Register Fragments and Shared Memory Matrix Layouts").

template <class T> void loadAccumulators(const WgmmaOp &op, Workspace<T> &w) {
  const Inst &inst = *op.inst;
  bool half = inst.d == uint8_t(Type::F16);
  for (unsigned j = 0; j < inst.a; ++j)
    for (unsigned h = 0; h < 2; ++h) {
      if (half) {
        const uint16_t *from =
            reinterpret_cast<const uint16_t *>(op.frame + inst.op[2 * j + h]);
        for (unsigned r = 0; r < 8; ++r)
          for (unsigned c = 0; c < 8; ++c)
            w.d[8 * j + c][8 * h + r] = T(fromHalf(from[8 * r + c]));
        continue;
      }
      for (unsigned c = 0; c < 2; ++c) {
        const T *from =
            reinterpret_cast<const T *>(op.frame + inst.op[4 * j + 2 * h + c]);
        for (unsigned t = 0; t < 4; ++t)
          for (unsigned r = 0; r < 8; ++r)
            w.d[8 * j + 2 * t + c][8 * h + r] = from[4 * r + t];
      }
    }
}

template <class T>
void storeAccumulators(const WgmmaOp &op, const Workspace<T> &w) {
  const Inst &inst = *op.inst;
  bool half = inst.d == uint8_t(Type::F16);
  uint8_t *frame = const_cast<uint8_t *>(op.frame);
  for (unsigned j = 0; j < inst.a; ++j)
    for (unsigned h = 0; h < 2; ++h) {
      if (half) {
        uint16_t *to = reinterpret_cast<uint16_t *>(frame + inst.op[2 * j + h]);
        for (unsigned r = 0; r < 8; ++r)
          for (unsigned c = 0; c < 8; ++c)
            to[8 * r + c] = toHalf(float(w.d[8 * j + c][8 * h + r]));
        continue;
      }
      for (unsigned c = 0; c < 2; ++c) {
        T *to = reinterpret_cast<T *>(frame + inst.op[4 * j + 2 * h + c]);
        for (unsigned r = 0; r < 8; ++r)
          for (unsigned t = 0; t < 4; ++t)
            to[4 * r + t] = canonical(w.d[8 * j + 2 * t + c][8 * h + r]);
      }
    }
}

template <class T> void run(Warp &warp, const WgmmaOp *ops, size_t count) {
  const uint8_t *shared = warp.cta->shared.data();
  Workspace<T> w;
  unsigned columns = 8u * ops->inst->a;
  bool roundsEach = ops->inst->d == uint8_t(Type::F16);
  if (ops->scaleD)
    loadAccumulators(*ops, w);
  for (size_t i = 0; i < count; ++i) {
    const WgmmaOp &op = ops[i];
    const Inst &inst = *op.inst;
    Type typeA = Type(inst.b), typeB = Type(inst.c);
    unsigned k = 2 * perPiece(typeA);
    if (!op.scaleD)
      for (unsigned n = 0; n < columns; ++n)
        for (unsigned m = 0; m < kRows; ++m)
          w.d[n][m] = T(0);
    T a[kRows * kMaxK];
    if (inst.e & WgmmaRegistersA)
      gatherRegisters(op, typeA, a);
    else
      gather(shared, MatrixDescriptor(op.a, inst.e & WgmmaTransposeA), typeA,
             16 * (warp.index % 4), kRows, a);
    bool negative = bool(inst.e & WgmmaNegateA) != bool(inst.e & WgmmaNegateB);
    for (unsigned c = 0; c < k; ++c)
      for (unsigned m = 0; m < kRows; ++m)
        w.a[c][m] = negative ? -a[m * k + c] : a[m * k + c];
    gather(shared, MatrixDescriptor(op.b, inst.e & WgmmaTransposeB), typeB, 0,
           columns, w.b);
    if (typeA == Type::B1)
      countBits(w, columns);
    else if (inst.e & WgmmaSatfinite)
      multiplyClamped(w, columns);
    else if (inst.d == uint8_t(Type::F32) && bytesOf(typeA) == 1)
      multiplyByteFloats(w, columns);
    else if (k == 8)
      multiply<T, 8>(w, columns);
    else if (k == 16)
      multiply<T, 16>(w, columns);
    else
      multiply<T, 32>(w, columns);
    // A result of type f16 is rounded by every instruction.
    if (roundsEach && i + 1 < count)
      for (unsigned n = 0; n < columns; ++n)
        for (unsigned m = 0; m < kRows; ++m)
          w.d[n][m] = T(fromHalf(toHalf(float(w.d[n][m]))));
  }
  storeAccumulators(ops[count - 1], w);
}

} // namespace

void wgmmaProducts(Warp &warp, const WgmmaOp *ops, size_t count) {
  if (ops->inst->d == uint8_t(Type::S32))
    run<int32_t>(warp, ops, count);
  else
    run<float>(warp, ops, count);
}

} // namespace fusion::emulator::FUSION_ISA
