//===- Wmma.cpp - wmma.mma ------------------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same sums in the same order as mma.sync, on wmma's fragments.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersDirected.h"
#include "Emulator/Execute/Isa/MultiplyAdd.h"

namespace fusion::emulator::FUSION_ISA {
namespace {

/// Element i of a lane's fragment, and of all lanes as a row-major matrix.
template <class T>
inline T element(Warp &warp, const Ref *refs, unsigned lane, unsigned i) {
  constexpr unsigned perRegister = sizeof(T) == 8 ? 1 : 4 / sizeof(T);
  return warp.reg<T>(
      refs[i / perRegister])[lane * perRegister + i % perRegister];
}
template <class T>
inline void setElement(Warp &warp, const Ref *refs, unsigned lane, unsigned i,
                       T value) {
  constexpr unsigned perRegister = sizeof(T) == 8 ? 1 : 4 / sizeof(T);
  warp.reg<T>(refs[i / perRegister])[lane * perRegister + i % perRegister] =
      value;
}

struct HalfIn {
  using Stored = uint16_t;
  using Number = float;
  static constexpr bool exact = true;
  static float get(uint16_t h) { return fromHalf(h); }
};
struct BfloatIn {
  using Stored = uint16_t;
  using Number = float;
  static constexpr bool exact = false;
  static float get(uint16_t h) { return fromBfloat(h); }
};
struct Tf32In {
  using Stored = uint32_t;
  using Number = float;
  static constexpr bool exact = false;
  static float get(uint32_t w) { return bits<float>(w & 0xffffe000u); }
};
struct DoubleIn {
  using Stored = double;
  using Number = double;
  static constexpr bool exact = false;
  static double get(double d) { return d; }
};
template <class B> struct ByteIn {
  using Stored = B;
  using Number = int32_t;
  static constexpr bool exact = true;
  static int32_t get(B b) { return b; }
};

template <class T> struct Plain {
  using Stored = T;
  static T get(T v) { return v; }
  static T put(T v) { return canonical(v); }
};
struct HalfOut {
  using Stored = uint16_t;
  static float get(uint16_t h) { return fromHalf(h); }
  static uint16_t put(float f) { return toHalf(f); }
};

template <class E>
void unpack(Warp &warp, const Ref *refs, unsigned count,
            typename E::Number *to) {
  unsigned perLane = count / kLanes;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < perLane; ++i)
      to[lane * perLane + i] =
          E::get(element<typename E::Stored>(warp, refs, lane, i));
}

/// c += a b, clamped at the end.
inline void addClamped(const int32_t *a, const int32_t *b, int32_t *c,
                       unsigned m, unsigned n, unsigned k) {
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < n; ++column) {
      int64_t sum = c[row * n + column];
      for (unsigned i = 0; i < k; ++i)
        sum += int64_t(a[row * k + i]) * b[i * n + column];
      c[row * n + column] = int32_t(sum > INT32_MAX   ? INT32_MAX
                                    : sum < INT32_MIN ? INT32_MIN
                                                      : sum);
    }
}

/// op: D, A, B, C. a, b, c: m, n, k; d: .satfinite of integers; e: the Rounding
/// of f64; imm, imm2: first registers of A and B, of C.
template <class EA, class EB, class C, class D>
void wmma(Warp &warp, const Inst &inst, uint32_t) {
  using T = typename EA::Number;
  unsigned m = inst.a, n = inst.b, k = inst.c;
  alignas(64) T a[32 * 16], b[32 * 16], c[256];
  unpack<EA>(warp, inst.op + (inst.imm & 0xffff), m * k, a);
  unpack<EB>(warp, inst.op + (inst.imm >> 16), k * n, b);
  const Ref *cRefs = inst.op + inst.imm2;
  unsigned perLane = m * n / kLanes;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < perLane; ++i)
      c[lane * perLane + i] =
          C::get(element<typename C::Stored>(warp, cRefs, lane, i));
  bool isDone = false;
  if constexpr (std::is_same_v<T, double>) {
    isDone = Rounding(inst.e) > Rounding::Nearest;
    if (isDone)
      directedProduct(a, b, c, m, n, k, Rounding(inst.e));
  }
  if constexpr (std::is_same_v<T, int32_t>) {
    isDone = inst.d;
    if (isDone)
      addClamped(a, b, c, m, n, k);
  }
  for (unsigned row = 0; row < m && !isDone; ++row)
    for (unsigned p = 0; p < k; ++p) {
      T scale = a[row * k + p];
      FUSION_LANES
      for (unsigned j = 0; j < n; ++j)
        c[row * n + j] =
            multiplyAdd<EA::exact>(scale, b[p * n + j], c[row * n + j]);
    }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < perLane; ++i)
      setElement<typename D::Stored>(warp, inst.op, lane, i,
                                     D::put(c[lane * perLane + i]));
  warp.counters->mmaFlops += 2ull * m * n * k;
}

} // namespace

Handler wmmaHandler(const MmaSpec &s) {
  using F32 = Plain<float>;
  using S32 = Plain<int32_t>;
  using S = ByteIn<int8_t>;
  using U = ByteIn<uint8_t>;
  bool f32 = s.accumulator == Type::F32 && s.result == Type::F32;
  if (s.a != s.b && s.accumulator != Type::S32)
    return nullptr;
  switch (s.a) {
  case Type::F16:
    if (s.k != 16)
      return nullptr;
    if (f32)
      return wmma<HalfIn, HalfIn, F32, F32>;
    if (s.accumulator == Type::F16 && s.result == Type::F32)
      return wmma<HalfIn, HalfIn, HalfOut, F32>;
    if (s.accumulator == Type::F32 && s.result == Type::F16)
      return wmma<HalfIn, HalfIn, F32, HalfOut>;
    return wmma<HalfIn, HalfIn, HalfOut, HalfOut>;
  case Type::BF16:
    return f32 && s.k == 16 ? wmma<BfloatIn, BfloatIn, F32, F32>
                            : Handler(nullptr);
  case Type::TF32:
    return f32 && s.k == 8 && s.m == 16 ? wmma<Tf32In, Tf32In, F32, F32>
                                        : Handler(nullptr);
  case Type::F64:
    return s.accumulator == Type::F64 && s.m == 8 && s.n == 8 && s.k == 4
               ? wmma<DoubleIn, DoubleIn, Plain<double>, Plain<double>>
               : Handler(nullptr);
  case Type::S8:
    return s.b == Type::S8 && s.accumulator == Type::S32 && s.k == 16
               ? wmma<S, S, S32, S32>
               : Handler(nullptr);
  case Type::U8:
    return s.b == Type::U8 && s.accumulator == Type::S32 && s.k == 16
               ? wmma<U, U, S32, S32>
               : Handler(nullptr);
  default:
    return nullptr;
  }
}

} // namespace fusion::emulator::FUSION_ISA
