//===- MmaSparse.cpp - mma.sp: products with a sparse A -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of A has half of its elements, the others are zero (PTX ISA, "Sparse
// matrix storage"); metadata says which. Its unit are 16 bits (a half of .tf32)
// or 8 bits (a pair of .u4, .s4). Four bits are for four units, two of which
// are there: bits 1 and 0 the index of the first, bits 3 and 2 of the second.
// For .tf32 that leaves 0b0100 (the first element) and 0b1110.
//
// Where the metadata of row r, units u ... lie ("Matrix fragments for
// multiply-accumulate operation with sparse matrix A"; f is the selector, g is
// r % 8, the thread of the group of four starts at 4 g):
//
//   units of 16 bits   thread 4 g + f (16 units), 4 g + 2 f + u / 16 (32),
//                      bits 15..0 of row g, 31..16 of row g + 8
//   units of 8 bits    thread 4 g + 2 f + r / 8 (32 units),
//                      4 g + 2 (u / 32) + r / 8 (64)
//
// What is not there is not multiplied: sums are those of the elements that are,
// in ascending k.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersMisc.h"
#include "Emulator/Execute/Isa/MmaFragments.h"

namespace fusion::emulator::FUSION_ISA {
namespace {

/// Elements that stand for two units, or two elements in one.
template <class E> constexpr unsigned unitsOf(unsigned elements) {
  return E::perRegister == 1   ? 2 * elements
         : E::perRegister == 8 ? elements / 2
                               : elements;
}

/// The four bits for units `unit`, `unit + 1`, ... of a row.
template <unsigned Units, bool IsWide>
inline uint32_t metadataAt(const uint32_t *metadata, unsigned selector,
                           unsigned row, unsigned unit) {
  unsigned thread = 4 * (row % 8), shift;
  if (IsWide) {
    thread += Units == 16 ? selector : 2 * selector + unit / 16;
    shift = 16 * (row / 8) + unit % 16;
  } else {
    thread += (Units == 32 ? 2 * selector : 2 * (unit / 32)) + row / 8;
    shift = unit % 32;
  }
  return metadata[thread] >> shift & 15;
}

/// op: D, A, B, C registers, metadata. Inst::a: .satfinite, b: the selector, c:
/// .sp::ordered_metadata.
template <class EA, class EB, class Accumulator, unsigned K>
void sparseMma(Warp &warp, const Inst &inst, uint32_t) {
  using T = typename EA::Number;
  constexpr unsigned perRegister = EA::perRegister, half = K / 2;
  constexpr bool isWide = perRegister <= 2;
  constexpr unsigned units = unitsOf<EA>(K);
  constexpr unsigned perUnit = perRegister == 8 ? 2 : 1;
  const Ref *d = inst.op;
  const Ref *aRegs = d + 2 * Accumulator::registersPerHalf;
  const Ref *bRegs = aRegs + half / (4 * perRegister) * 2;
  const Ref *cRegs = bRegs + K / (4 * perRegister);
  const uint32_t *metadata =
      warp.reg<uint32_t>(cRegs[2 * Accumulator::registersPerHalf]);
  alignas(64) T packed[16][half];
  alignas(64) T a[16][K] = {};
  alignas(64) T b[K][8];
  alignas(64) T c[16][8];
  loadRows<EA, 2>(warp, aRegs, packed);
  loadColumns<EB>(warp, bRegs, b);
  for (unsigned h = 0; h < 2; ++h)
    Accumulator::load(warp, cRegs + h * Accumulator::registersPerHalf,
                      c + 8 * h);
  bool taken[16][K] = {};
  for (unsigned r = 0; r < 16; ++r)
    for (unsigned u = 0; u < units; u += 4) {
      uint32_t bits = metadataAt<units, isWide>(metadata, inst.b, r, u);
      unsigned first = bits & 3, second = bits >> 2;
      bool good = perRegister == 1
                      ? bits == 4 || bits == 14
                      : first != second && (!inst.c || first < second);
      if (!good)
        return faultMetadata(warp, inst, r, bits);
      if (perRegister == 1) {
        unsigned k = u / 2 + first / 2;
        a[r][k] = packed[r][u / 4];
        taken[r][k] = true;
        continue;
      }
      for (unsigned i = 0; i < 2; ++i)
        for (unsigned j = 0; j < perUnit; ++j) {
          unsigned k = (u + (i ? second : first)) * perUnit + j;
          a[r][k] = packed[r][(u / 2 + i) * perUnit + j];
          taken[r][k] = true;
        }
    }
  for (unsigned r = 0; r < 16; ++r) {
    int64_t wide[8];
    for (unsigned n = 0; n < 8; ++n)
      wide[n] = int64_t(std::is_same_v<T, int32_t> ? c[r][n] : T(0));
    for (unsigned k = 0; k < K; ++k) {
      if (!taken[r][k])
        continue;
      for (unsigned n = 0; n < 8; ++n) {
        if (std::is_same_v<T, int32_t> && inst.a)
          wide[n] += int64_t(a[r][k]) * int64_t(b[k][n]);
        else
          c[r][n] = multiplyAdd<EA::exactProduct>(a[r][k], b[k][n], c[r][n]);
      }
    }
    if (std::is_same_v<T, int32_t> && inst.a)
      for (unsigned n = 0; n < 8; ++n)
        c[r][n] = T(clampSum(wide[n]));
  }
  for (unsigned h = 0; h < 2; ++h)
    Accumulator::store(warp, d + h * Accumulator::registersPerHalf, c + 8 * h);
  warp.counters->mmaFlops += 2ull * 16 * 8 * K;
}

template <class EA, class EB, unsigned Small> Handler integers(unsigned k) {
  return k == Small       ? sparseMma<EA, EB, S32, Small>
         : k == 2 * Small ? sparseMma<EA, EB, S32, 2 * Small>
                          : Handler(nullptr);
}

template <class E, unsigned Small> Handler floats(unsigned k) {
  return k == Small       ? sparseMma<E, E, F32, Small>
         : k == 2 * Small ? sparseMma<E, E, F32, 2 * Small>
                          : Handler(nullptr);
}

template <class S, class U, unsigned Small>
Handler signs(bool signedA, bool signedB, unsigned k) {
  if (signedA)
    return signedB ? integers<S, S, Small>(k) : integers<S, U, Small>(k);
  return signedB ? integers<U, S, Small>(k) : integers<U, U, Small>(k);
}

template <class A> Handler fp8(const MmaSpec &s) {
  using E4 = Fp8Element<Type::E4M3>;
  using E5 = Fp8Element<Type::E5M2>;
  bool isF16 = s.accumulator == Type::F16;
  if (s.b == Type::E4M3)
    return isF16 ? sparseMma<A, E4, HalfAccumulator, 64>
                 : sparseMma<A, E4, F32, 64>;
  if (s.b == Type::E5M2)
    return isF16 ? sparseMma<A, E5, HalfAccumulator, 64>
                 : sparseMma<A, E5, F32, 64>;
  return nullptr;
}

} // namespace

/// PTX ISA, "mma.sp".
Handler sparseMmaHandler(const MmaSpec &s) {
  if (s.m != 16 || s.n != 8 || s.accumulator != s.result)
    return nullptr;
  bool isF32 = s.accumulator == Type::F32, same = s.a == s.b;
  if (same && s.a == Type::F16 && s.accumulator == Type::F16)
    return s.k == 16 ? sparseMma<HalfElement, HalfElement, HalfAccumulator, 16>
           : s.k == 32
               ? sparseMma<HalfElement, HalfElement, HalfAccumulator, 32>
               : Handler(nullptr);
  if (same && s.a == Type::F16 && isF32)
    return floats<HalfElement, 16>(s.k);
  if (same && s.a == Type::BF16 && isF32)
    return floats<BfloatElement, 16>(s.k);
  if (same && s.a == Type::TF32 && isF32)
    return floats<Tf32Element, 8>(s.k);
  if (s.k == 64 && (isF32 || s.accumulator == Type::F16)) {
    if (s.a == Type::E4M3)
      return fp8<Fp8Element<Type::E4M3>>(s);
    if (s.a == Type::E5M2)
      return fp8<Fp8Element<Type::E5M2>>(s);
  }
  if (s.accumulator != Type::S32)
    return nullptr;
  auto isByte = [](Type t) { return t == Type::S8 || t == Type::U8; };
  auto isNibble = [](Type t) { return t == Type::S4 || t == Type::U4; };
  if (isByte(s.a) && isByte(s.b))
    return signs<ByteElement<int8_t>, ByteElement<uint8_t>, 32>(
        s.a == Type::S8, s.b == Type::S8, s.k);
  if (isNibble(s.a) && isNibble(s.b))
    return signs<NibbleElement<true>, NibbleElement<false>, 64>(
        s.a == Type::S4, s.b == Type::S4, s.k);
  return nullptr;
}

} // namespace fusion::emulator::FUSION_ISA
