//===- Mma.cpp - mma.sync: products of small matrices ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments and the order of sums: MmaFragments.h.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersDirected.h"
#include "Emulator/Execute/Isa/MmaFragments.h"

namespace fusion::emulator::FUSION_ISA {
Handler sparseMmaHandler(const MmaSpec &spec);
namespace {

/// op: D, A, B, C registers. Inst::a: .satfinite of integers, b: the Rounding
/// of f64.
template <class EA, class EB, class In, class Out, unsigned Halves, unsigned K>
void mma(Warp &warp, const Inst &inst, uint32_t) {
  using T = typename EA::Number;
  constexpr unsigned blocks = K / (4 * EA::perRegister);
  constexpr unsigned rows = 8 * Halves;
  const Ref *d = inst.op;
  const Ref *aRegs = d + Out::registersPerHalf * Halves;
  const Ref *bRegs = aRegs + blocks * Halves;
  const Ref *cRegs = bRegs + blocks;
  alignas(64) T a[rows][K];
  alignas(64) T b[K][8];
  alignas(64) T c[rows][8];
  loadRows<EA, Halves>(warp, aRegs, a);
  loadColumns<EB>(warp, bRegs, b);
  for (unsigned h = 0; h < Halves; ++h)
    In::load(warp, cRegs + h * In::registersPerHalf, c + 8 * h);
  if constexpr (std::is_same_v<T, double>) {
    if (Rounding(inst.b) > Rounding::Nearest)
      directedProduct(&a[0][0], &b[0][0], &c[0][0], rows, 8, K,
                      Rounding(inst.b));
    else
      addProduct<EA::exactProduct, rows, K>(a, b, c, false);
  } else {
    addProduct<EA::exactProduct, rows, K>(a, b, c, inst.a);
  }
  for (unsigned h = 0; h < Halves; ++h)
    Out::store(warp, d + h * Out::registersPerHalf, c + 8 * h);
  warp.counters->mmaFlops += 2ull * rows * 8 * K;
}

/// m8n8k4 of f16: lanes 4 q to 4 q + 3 and 16 + 4 q to 16 + 4 q + 3 have a
/// product of their own (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16").
/// Thread t of the eight has row t of A (column t of B), or of a column-major A
/// (row-major B) four rows of column t % 4 (columns of row t % 4); of C and D
/// row t in f16, what placeOfQuad says in f32.
struct QuadPlace {
  unsigned row, column;
};
inline QuadPlace placeOfQuad(bool isHalf, unsigned t, unsigned i) {
  if (isHalf)
    return {t, i};
  return {(t & 1) + (i & 2) + (t & 4), (t & 2) + (i & 1) + (i & 4)};
}

template <bool ColumnA, bool RowB, bool HalfC, bool HalfD>
void quadMma(Warp &warp, const Inst &inst, uint32_t) {
  const Ref *d = inst.op, *aRegs = d + (HalfD ? 4 : 8);
  const Ref *bRegs = aRegs + 2, *cRegs = bRegs + 2;
  auto half = [&](const Ref *refs, unsigned lane, unsigned i) {
    return fromHalf(warp.reg<uint16_t>(refs[i / 2])[2 * lane + i % 2]);
  };
  alignas(64) float a[4][8][4], b[4][4][8], c[4][8][8];
  for (unsigned q = 0; q < 4; ++q)
    for (unsigned t = 0; t < 8; ++t) {
      unsigned lane = 4 * q + t % 4 + 4 * (t & 4);
      for (unsigned i = 0; i < 4; ++i) {
        float x = half(aRegs, lane, i), y = half(bRegs, lane, i);
        (ColumnA ? a[q][i + (t & 4)][t % 4] : a[q][t][i]) = x;
        (RowB ? b[q][t % 4][i + (t & 4)] : b[q][i][t]) = y;
      }
      for (unsigned i = 0; i < 8; ++i) {
        QuadPlace at = placeOfQuad(HalfC, t, i);
        c[q][at.row][at.column] =
            HalfC ? half(cRegs, lane, i) : warp.reg<float>(cRegs[i])[lane];
      }
    }
  for (unsigned q = 0; q < 4; ++q) {
    addProduct<true, 8, 4>(a[q], b[q], c[q], false);
    for (unsigned t = 0; t < 8; ++t)
      for (unsigned i = 0; i < 8; ++i) {
        unsigned lane = 4 * q + t % 4 + 4 * (t & 4);
        QuadPlace at = placeOfQuad(HalfD, t, i);
        float sum = c[q][at.row][at.column];
        if (HalfD)
          warp.reg<uint16_t>(d[i / 2])[2 * lane + i % 2] = toHalf(sum);
        else
          warp.reg<float>(d[i])[lane] = canonical(sum);
      }
  }
  warp.counters->mmaFlops += 4 * 2 * 8 * 8 * 4;
}

template <bool ColumnA, bool RowB> Handler quadsOf(const MmaSpec &s) {
  bool halfC = s.accumulator == Type::F16, halfD = s.result == Type::F16;
  if ((!halfC && s.accumulator != Type::F32) ||
      (!halfD && s.result != Type::F32) || (halfD && !halfC))
    return nullptr;
  return !halfC  ? quadMma<ColumnA, RowB, false, false>
         : halfD ? quadMma<ColumnA, RowB, true, true>
                 : quadMma<ColumnA, RowB, true, false>;
}

Handler quads(const MmaSpec &s) {
  if (s.columnA)
    return s.rowB ? quadsOf<true, true>(s) : quadsOf<true, false>(s);
  return s.rowB ? quadsOf<false, true>(s) : quadsOf<false, false>(s);
}

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
  if (s.isSparse)
    return sparseMmaHandler(s);
  if (s.n != 8 || (s.m != 16 && s.m != 8))
    return nullptr;
  bool tall = s.m == 16;
  if (s.a == Type::F16 && s.b == Type::F16 && !tall && s.k == 4)
    return quads(s);
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
