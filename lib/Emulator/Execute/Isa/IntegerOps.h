//===- IntegerOps.h - Integer operations on one lane ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_ISA_INTEGEROPS_H
#define FUSION_LIB_EMULATOR_EXECUTE_ISA_INTEGEROPS_H

#include "Emulator/Execute/Operations.h"
#include "Emulator/Machine/Lanes.h"

#include <type_traits>

namespace fusion::emulator::FUSION_ISA {
namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T> constexpr unsigned bitsOf = sizeof(T) * 8;

// 16-bit arithmetic promotes to int; unsigned keeps products defined.
template <class T>
using Wrap = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned<T>>;

template <class T> struct WiderOf;
template <> struct WiderOf<uint16_t> {
  using type = uint32_t;
};
template <> struct WiderOf<int16_t> {
  using type = int32_t;
};
template <> struct WiderOf<uint32_t> {
  using type = uint64_t;
};
template <> struct WiderOf<int32_t> {
  using type = int64_t;
};
template <> struct WiderOf<uint64_t> {
  using type = unsigned __int128;
};
template <> struct WiderOf<int64_t> {
  using type = __int128;
};
template <class T> using Wider = typename WiderOf<T>::type;

template <class T> inline T high(T a, T b) {
  return T((Wider<T>(a) * Wider<T>(b)) >> bitsOf<T>);
}

struct Add {
  template <class T> static T run(T a, T b) {
    return T(Wrap<T>(a) + Wrap<T>(b));
  }
};
struct Sub {
  template <class T> static T run(T a, T b) {
    return T(Wrap<T>(a) - Wrap<T>(b));
  }
};
struct Mul {
  template <class T> static T run(T a, T b) {
    return T(Wrap<T>(a) * Wrap<T>(b));
  }
};
struct MulHi {
  template <class T> static T run(T a, T b) { return high(a, b); }
};
struct MulWide {
  template <class T> static Wider<T> run(T a, T b) {
    return Wider<T>(a) * Wider<T>(b);
  }
};
struct Mad {
  template <class T> static T run(T a, T b, T c) {
    return T(Wrap<T>(a) * Wrap<T>(b) + Wrap<T>(c));
  }
};
struct MadHi {
  template <class T> static T run(T a, T b, T c) {
    return T(Wrap<T>(high(a, b)) + Wrap<T>(c));
  }
};
struct MadWide {
  template <class T> static Wider<T> run(T a, T b, Wider<T> c) {
    using U = Unsigned<Wider<T>>;
    return Wider<T>(U(Wider<T>(a) * Wider<T>(b)) + U(c));
  }
};
template <class T> inline int64_t low24(T a) {
  return std::is_signed_v<T> ? int64_t(int32_t(uint32_t(a) << 8) >> 8)
                             : int64_t(uint32_t(a) & 0xffffff);
}
struct Mul24 {
  template <class T> static T run(T a, T b) { return T(low24(a) * low24(b)); }
};
struct Mul24Hi {
  template <class T> static T run(T a, T b) {
    return T((low24(a) * low24(b)) >> 16);
  }
};
struct Mad24 {
  template <class T> static T run(T a, T b, T c) {
    return T(uint32_t(low24(a) * low24(b)) + uint32_t(c));
  }
};
struct Mad24Hi {
  template <class T> static T run(T a, T b, T c) {
    return T(uint32_t((low24(a) * low24(b)) >> 16) + uint32_t(c));
  }
};
struct Sad {
  template <class T> static T run(T a, T b, T c) {
    Wrap<T> difference =
        a < b ? Wrap<T>(b) - Wrap<T>(a) : Wrap<T>(a) - Wrap<T>(b);
    return T(Wrap<T>(c) + difference);
  }
};
// Division by zero is undefined in PTX; the chips give all ones.
struct Div {
  template <class T> static T run(T a, T b) {
    if (b == 0)
      return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1))
      return T(0 - Wrap<T>(a));
    return T(a / b);
  }
};
struct Rem {
  template <class T> static T run(T a, T b) {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == T(-1))
      return 0;
    return T(a % b);
  }
};
struct Abs {
  template <class T> static T run(T a) { return a < 0 ? T(0 - Wrap<T>(a)) : a; }
};
struct Neg {
  template <class T> static T run(T a) { return T(0 - Wrap<T>(a)); }
};
struct Min {
  template <class T> static T run(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T run(T a, T b) { return a < b ? b : a; }
};
struct Min3 {
  template <class T> static T run(T a, T b, T c) {
    return Min::run(Min::run(a, b), c);
  }
};
struct Max3 {
  template <class T> static T run(T a, T b, T c) {
    return Max::run(Max::run(a, b), c);
  }
};
struct ReluMin {
  template <class T> static T run(T a, T b) {
    return Max::run(Min::run(a, b), T(0));
  }
};
struct ReluMax {
  template <class T> static T run(T a, T b) {
    return Max::run(Max::run(a, b), T(0));
  }
};
struct And {
  template <class T> static T run(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T run(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T run(T a, T b) { return a ^ b; }
};
struct Not {
  template <class T> static T run(T a) { return T(~a); }
};
struct Cnot {
  template <class T> static T run(T a) { return T(a == 0); }
};
struct Mov {
  template <class T> static T run(T a) { return a; }
};
// Shift amounts are u32 and clamp to the width.
struct Shl {
  template <class T> static T run(T a, uint32_t n) {
    return n >= bitsOf<T> ? T(0) : T(Wrap<T>(a) << (n & (bitsOf<T> - 1)));
  }
};
struct Shr {
  template <class T> static T run(T a, uint32_t n) {
    uint32_t m = n & (bitsOf<T> - 1);
    T all = std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
    return n >= bitsOf<T> ? all : T(a >> m);
  }
};
struct Popc {
  template <class T> static uint32_t run(T a) {
    return uint32_t(__builtin_popcountll(Unsigned<T>(a)));
  }
};
struct Clz {
  template <class T> static uint32_t run(T a) {
    uint64_t v = Unsigned<T>(a);
    return v ? uint32_t(__builtin_clzll(v)) - (64 - bitsOf<T>) : bitsOf<T>;
  }
};
struct Bfind {
  template <class T> static uint32_t run(T a) {
    Unsigned<T> v = Unsigned<T>(a < 0 ? ~a : a);
    return v ? 63 - uint32_t(__builtin_clzll(v)) : 0xffffffffu;
  }
};
struct BfindShift {
  template <class T> static uint32_t run(T a) {
    uint32_t bit = Bfind::run(a);
    return bit == 0xffffffffu ? bit : bitsOf<T> - 1 - bit;
  }
};
struct Brev {
  template <class T> static T run(T a) {
    uint64_t v = Unsigned<T>(a);
    v = ((v >> 1) & 0x5555555555555555u) | ((v & 0x5555555555555555u) << 1);
    v = ((v >> 2) & 0x3333333333333333u) | ((v & 0x3333333333333333u) << 2);
    v = ((v >> 4) & 0x0f0f0f0f0f0f0f0fu) | ((v & 0x0f0f0f0f0f0f0f0fu) << 4);
    return T(__builtin_bswap64(v) >> (64 - bitsOf<T>));
  }
};
struct Bfe {
  template <class T> static T run(T a, uint32_t b, uint32_t c) {
    uint32_t position = b & 0xff, length = c & 0xff, msb = bitsOf<T> - 1;
    using U = Unsigned<T>;
    uint32_t top = position + length - 1 < msb ? position + length - 1 : msb;
    bool sign = std::is_signed_v<T> && length && ((U(a) >> (top & msb)) & 1);
    U v = position > msb ? U(0) : U(U(a) >> position);
    uint32_t available = position > msb ? 0 : bitsOf<T> - position;
    uint32_t kept = length < available ? length : available;
    U keep = kept >= bitsOf<T> ? U(~U(0)) : U((U(1) << kept) - 1);
    return T((v & keep) | (sign ? U(~keep) : U(0)));
  }
};
struct Bfi {
  template <class T> static T run(T a, T b, uint32_t c, uint32_t d) {
    uint32_t position = c & 0xff, length = d & 0xff;
    if (!length || position >= bitsOf<T>)
      return b;
    T keep = length >= bitsOf<T> ? T(~T(0)) : T((T(1) << length) - 1);
    keep = T(keep << position);
    return T((b & ~keep) | ((a << position) & keep));
  }
};
struct AddSat {
  static int32_t run(int32_t a, int32_t b) {
    int64_t s = int64_t(a) + b;
    return int32_t(s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s);
  }
};
struct SubSat {
  static int32_t run(int32_t a, int32_t b) {
    int64_t s = int64_t(a) - b;
    return int32_t(s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s);
  }
};
struct MadHiSat {
  static int32_t run(int32_t a, int32_t b, int32_t c) {
    return AddSat::run(high(a, b), c);
  }
};
struct Mad24HiSat {
  static int32_t run(int32_t a, int32_t b, int32_t c) {
    return AddSat::run(Mul24Hi::run(a, b), c);
  }
};
struct Bmsk {
  static uint32_t run(uint32_t a, uint32_t b) {
    if (a >= 32 || b == 0)
      return 0;
    uint32_t ones = b >= 32 ? ~0u : (1u << b) - 1;
    return ones << a;
  }
};
struct BmskWrap {
  static uint32_t run(uint32_t a, uint32_t b) {
    return Bmsk::run(a & 31, b & 31);
  }
};
template <bool Wraps> struct Szext {
  template <class T> static T run(T a, uint32_t b) {
    uint32_t n = Wraps ? b & 31 : b;
    if (n >= 32)
      return a;
    if (n == 0)
      return 0;
    uint32_t shift = 32 - n;
    return T(T(uint32_t(a) << shift) >> shift);
  }
};
struct Slct {
  template <class T> static T run(T a, T b, int32_t c) {
    return c >= 0 ? a : b;
  }
};
struct SlctF {
  template <class T> static T run(T a, T b, float c) { return c >= 0 ? a : b; }
};

} // namespace
} // namespace fusion::emulator::FUSION_ISA

#endif // FUSION_LIB_EMULATOR_EXECUTE_ISA_INTEGEROPS_H
