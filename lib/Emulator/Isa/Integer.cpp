//===- Integer.cpp - Integer and bit instructions -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include <type_traits>

namespace fusion::emulator::FUSION_ISA {
namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T> constexpr unsigned bitsOf = sizeof(T) * 8;

// 16-bit arithmetic promotes to int; unsigned keeps products defined.
template <class T>
using Wrap = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned<T>>;

template <class T> struct WiderOf;
template <> struct WiderOf<uint16_t> { using type = uint32_t; };
template <> struct WiderOf<int16_t> { using type = int32_t; };
template <> struct WiderOf<uint32_t> { using type = uint64_t; };
template <> struct WiderOf<int32_t> { using type = int64_t; };
template <> struct WiderOf<uint64_t> { using type = unsigned __int128; };
template <> struct WiderOf<int64_t> { using type = __int128; };
template <class T> using Wider = typename WiderOf<T>::type;

template <class T> inline T high(T a, T b) {
  return T((Wider<T>(a) * Wider<T>(b)) >> bitsOf<T>);
}

struct Add { template <class T> static T run(T a, T b) { return T(Wrap<T>(a) + Wrap<T>(b)); } };
struct Sub { template <class T> static T run(T a, T b) { return T(Wrap<T>(a) - Wrap<T>(b)); } };
struct Mul { template <class T> static T run(T a, T b) { return T(Wrap<T>(a) * Wrap<T>(b)); } };
struct MulHi { template <class T> static T run(T a, T b) { return high(a, b); } };
struct MulWide { template <class T> static Wider<T> run(T a, T b) { return Wider<T>(a) * Wider<T>(b); } };
struct Mad { template <class T> static T run(T a, T b, T c) { return T(Wrap<T>(a) * Wrap<T>(b) + Wrap<T>(c)); } };
struct MadHi { template <class T> static T run(T a, T b, T c) { return T(Wrap<T>(high(a, b)) + Wrap<T>(c)); } };
struct MadWide {
  template <class T> static Wider<T> run(T a, T b, Wider<T> c) {
    using U = Unsigned<Wider<T>>;
    return Wider<T>(U(Wider<T>(a) * Wider<T>(b)) + U(c));
  }
};
template <class T> inline int64_t low24(T a) {
  return std::is_signed_v<T> ? int64_t(int32_t(uint32_t(a) << 8) >> 8) : int64_t(uint32_t(a) & 0xffffff);
}
struct Mul24 { template <class T> static T run(T a, T b) { return T(low24(a) * low24(b)); } };
struct Mul24Hi { template <class T> static T run(T a, T b) { return T((low24(a) * low24(b)) >> 16); } };
struct Mad24 { template <class T> static T run(T a, T b, T c) { return T(uint32_t(low24(a) * low24(b)) + uint32_t(c)); } };
struct Mad24Hi { template <class T> static T run(T a, T b, T c) { return T(uint32_t((low24(a) * low24(b)) >> 16) + uint32_t(c)); } };
struct Sad {
  template <class T> static T run(T a, T b, T c) {
    Wrap<T> difference = a < b ? Wrap<T>(b) - Wrap<T>(a) : Wrap<T>(a) - Wrap<T>(b);
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
struct Abs { template <class T> static T run(T a) { return a < 0 ? T(0 - Wrap<T>(a)) : a; } };
struct Neg { template <class T> static T run(T a) { return T(0 - Wrap<T>(a)); } };
struct Min { template <class T> static T run(T a, T b) { return a < b ? a : b; } };
struct Max { template <class T> static T run(T a, T b) { return a < b ? b : a; } };
struct Min3 { template <class T> static T run(T a, T b, T c) { return Min::run(Min::run(a, b), c); } };
struct Max3 { template <class T> static T run(T a, T b, T c) { return Max::run(Max::run(a, b), c); } };
struct ReluMin { template <class T> static T run(T a, T b) { return Max::run(Min::run(a, b), T(0)); } };
struct ReluMax { template <class T> static T run(T a, T b) { return Max::run(Max::run(a, b), T(0)); } };
struct And { template <class T> static T run(T a, T b) { return a & b; } };
struct Or { template <class T> static T run(T a, T b) { return a | b; } };
struct Xor { template <class T> static T run(T a, T b) { return a ^ b; } };
struct Not { template <class T> static T run(T a) { return T(~a); } };
struct Cnot { template <class T> static T run(T a) { return T(a == 0); } };
struct Mov { template <class T> static T run(T a) { return a; } };
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
struct Popc { template <class T> static uint32_t run(T a) { return uint32_t(__builtin_popcountll(Unsigned<T>(a))); } };
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
  static int32_t run(int32_t a, int32_t b, int32_t c) { return AddSat::run(high(a, b), c); }
};
struct Bmsk {
  static uint32_t run(uint32_t a, uint32_t b) {
    if (a >= 32 || b == 0)
      return 0;
    uint32_t ones = b >= 32 ? ~0u : (1u << b) - 1;
    return ones << a;
  }
};
struct BmskWrap { static uint32_t run(uint32_t a, uint32_t b) { return Bmsk::run(a & 31, b & 31); } };
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
struct Slct { template <class T> static T run(T a, T b, int32_t c) { return c >= 0 ? a : b; } };
struct SlctF { template <class T> static T run(T a, T b, float c) { return c >= 0 ? a : b; } };

template <class T> void select(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<T> destination(warp, inst.op[0], mask);
  T *d = destination.data();
  const T *a = warp.reg<T>(inst.op[1]), *b = warp.reg<T>(inst.op[2]);
  uint32_t p = warp.predicate(inst.op[3]);
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i)
    d[i] = (p >> i) & 1 ? a[i] : b[i];
  destination.finish();
}

template <class T> void bfi(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<T> destination(warp, inst.op[0], mask);
  T *d = destination.data();
  const T *a = warp.reg<T>(inst.op[1]), *b = warp.reg<T>(inst.op[2]);
  const uint32_t *p = warp.reg<uint32_t>(inst.op[3]);
  const uint32_t *n = warp.reg<uint32_t>(inst.op[4]);
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i)
    d[i] = Bfi::run(a[i], b[i], p[i], n[i]);
  destination.finish();
}

/// Extended-precision arithmetic through CC.CF. `In` reads it, `Out` writes.
enum class Extended { Add, Sub, Mad, MadHi };
template <Extended E, bool In, bool Out, class T>
void extended(Warp &warp, const Inst &inst, uint32_t mask) {
  using U = Unsigned<T>;
  Destination<U> destination(warp, inst.op[0], mask);
  U *d = destination.data();
  const T *a = warp.reg<T>(inst.op[1]), *b = warp.reg<T>(inst.op[2]);
  const U *c = E == Extended::Mad || E == Extended::MadHi
                   ? warp.reg<U>(inst.op[3])
                   : nullptr;
  uint32_t carry = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    U in = In ? (warp.carry >> i) & 1 : 0;
    U first, second;
    if (E == Extended::Mad) {
      first = U(U(a[i]) * U(b[i]));
      second = c[i];
    } else if (E == Extended::MadHi) {
      first = U(high(a[i], b[i]));
      second = c[i];
    } else {
      first = U(a[i]);
      second = U(b[i]);
    }
    if (E == Extended::Sub) {
      // The flag is the borrow.
      U difference = U(first - second - in);
      bool borrow = first < second || (first == second && in);
      carry |= uint32_t(borrow) << i;
      d[i] = difference;
    } else {
      U sum = U(first + second);
      bool over = sum < first;
      U total = U(sum + in);
      over |= total < sum;
      carry |= uint32_t(over) << i;
      d[i] = total;
    }
  }
  if (Out)
    warp.carry = (warp.carry & ~mask) | (carry & mask);
  destination.finish();
}

template <class Op> Handler same1(Type type) {
  switch (type) {
  case Type::B16: case Type::U16: return map1<Op, uint16_t, uint16_t>;
  case Type::S16: return map1<Op, int16_t, int16_t>;
  case Type::B32: case Type::U32: return map1<Op, uint32_t, uint32_t>;
  case Type::S32: return map1<Op, int32_t, int32_t>;
  case Type::B64: case Type::U64: return map1<Op, uint64_t, uint64_t>;
  case Type::S64: return map1<Op, int64_t, int64_t>;
  default: return nullptr;
  }
}
template <class Op> Handler to32(Type type) {
  switch (type) {
  case Type::B32: case Type::U32: return map1<Op, uint32_t, uint32_t>;
  case Type::S32: return map1<Op, uint32_t, int32_t>;
  case Type::B64: case Type::U64: return map1<Op, uint32_t, uint64_t>;
  case Type::S64: return map1<Op, uint32_t, int64_t>;
  default: return nullptr;
  }
}
template <class Op> Handler same2(Type type) {
  switch (type) {
  case Type::B16: case Type::U16: return map2<Op, uint16_t, uint16_t, uint16_t>;
  case Type::S16: return map2<Op, int16_t, int16_t, int16_t>;
  case Type::B32: case Type::U32: return map2<Op, uint32_t, uint32_t, uint32_t>;
  case Type::S32: return map2<Op, int32_t, int32_t, int32_t>;
  case Type::B64: case Type::U64: return map2<Op, uint64_t, uint64_t, uint64_t>;
  case Type::S64: return map2<Op, int64_t, int64_t, int64_t>;
  default: return nullptr;
  }
}
template <class Op> Handler bits2(Type type) {
  switch (bytesOf(type)) {
  case 2: return map2<Op, uint16_t, uint16_t, uint16_t>;
  case 4: return map2<Op, uint32_t, uint32_t, uint32_t>;
  case 8: return map2<Op, uint64_t, uint64_t, uint64_t>;
  default: return nullptr;
  }
}
template <class Op> Handler shift2(Type type) {
  switch (type) {
  case Type::B16: case Type::U16: return map2<Op, uint16_t, uint16_t, uint32_t>;
  case Type::S16: return map2<Op, int16_t, int16_t, uint32_t>;
  case Type::B32: case Type::U32: return map2<Op, uint32_t, uint32_t, uint32_t>;
  case Type::S32: return map2<Op, int32_t, int32_t, uint32_t>;
  case Type::B64: case Type::U64: return map2<Op, uint64_t, uint64_t, uint32_t>;
  case Type::S64: return map2<Op, int64_t, int64_t, uint32_t>;
  default: return nullptr;
  }
}
template <class Op> Handler wide2(Type type) {
  switch (type) {
  case Type::U16: return map2<Op, uint32_t, uint16_t, uint16_t>;
  case Type::S16: return map2<Op, int32_t, int16_t, int16_t>;
  case Type::U32: return map2<Op, uint64_t, uint32_t, uint32_t>;
  case Type::S32: return map2<Op, int64_t, int32_t, int32_t>;
  default: return nullptr;
  }
}
template <class Op> Handler wide3(Type type) {
  switch (type) {
  case Type::U16: return map3<Op, uint32_t, uint16_t, uint16_t, uint32_t>;
  case Type::S16: return map3<Op, int32_t, int16_t, int16_t, int32_t>;
  case Type::U32: return map3<Op, uint64_t, uint32_t, uint32_t, uint64_t>;
  case Type::S32: return map3<Op, int64_t, int32_t, int32_t, int64_t>;
  default: return nullptr;
  }
}
template <class Op> Handler same3(Type type) {
  switch (type) {
  case Type::U16: return map3<Op, uint16_t, uint16_t, uint16_t, uint16_t>;
  case Type::S16: return map3<Op, int16_t, int16_t, int16_t, int16_t>;
  case Type::U32: return map3<Op, uint32_t, uint32_t, uint32_t, uint32_t>;
  case Type::S32: return map3<Op, int32_t, int32_t, int32_t, int32_t>;
  case Type::U64: return map3<Op, uint64_t, uint64_t, uint64_t, uint64_t>;
  case Type::S64: return map3<Op, int64_t, int64_t, int64_t, int64_t>;
  default: return nullptr;
  }
}
template <class Op> Handler only32(Type type) {
  return type == Type::U32   ? Handler(map2<Op, uint32_t, uint32_t, uint32_t>)
         : type == Type::S32 ? Handler(map2<Op, int32_t, int32_t, int32_t>)
                             : nullptr;
}
template <class Op> Handler only32x3(Type type) {
  return type == Type::U32 ? Handler(map3<Op, uint32_t, uint32_t, uint32_t, uint32_t>)
         : type == Type::S32 ? Handler(map3<Op, int32_t, int32_t, int32_t, int32_t>)
                             : nullptr;
}
template <Extended E, bool In, bool Out> Handler extendedFor(Type type) {
  switch (type) {
  case Type::B32: case Type::U32: return extended<E, In, Out, uint32_t>;
  case Type::S32: return extended<E, In, Out, int32_t>;
  case Type::B64: case Type::U64: return extended<E, In, Out, uint64_t>;
  case Type::S64: return extended<E, In, Out, int64_t>;
  default: return nullptr;
  }
}
template <class Op, class C> Handler slctFor(Type type) {
  switch (bytesOf(type)) {
  case 2: return map3<Op, uint16_t, uint16_t, uint16_t, C>;
  case 4: return map3<Op, uint32_t, uint32_t, uint32_t, C>;
  case 8: return map3<Op, uint64_t, uint64_t, uint64_t, C>;
  default: return nullptr;
  }
}

/// Packed 16-bit integers: twice as many elements of half the width.
template <class Op, class T>
void packed2(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<uint32_t> destination(warp, inst.op[0], mask);
  T *d = reinterpret_cast<T *>(destination.data());
  const T *a = warp.reg<T>(inst.op[1]), *b = warp.reg<T>(inst.op[2]);
  FUSION_LANES
  for (unsigned i = 0; i < 2 * kLanes; ++i)
    d[i] = Op::run(a[i], b[i]);
  destination.finish();
}
template <class Op> Handler min2(Type type) {
  if (type == Type::U16x2)
    return packed2<Op, uint16_t>;
  if (type == Type::S16x2)
    return packed2<Op, int16_t>;
  return same2<Op>(type);
}

} // namespace

/// Bits.cpp: instructions of 32 bits only.
Handler bitsHandler(IntOp op);

Handler integerHandler(IntOp op, Type type) {
  switch (op) {
  case IntOp::Add:
    return type == Type::U16x2 || type == Type::S16x2
               ? Handler(packed2<Add, uint16_t>) : same2<Add>(type);
  case IntOp::Sub: return same2<Sub>(type);
  case IntOp::Mul: return same2<Mul>(type);
  case IntOp::MulHi: return same2<MulHi>(type);
  case IntOp::MulWide: return wide2<MulWide>(type);
  case IntOp::Mad: return same3<Mad>(type);
  case IntOp::MadHi: return same3<MadHi>(type);
  case IntOp::MadWide: return wide3<MadWide>(type);
  case IntOp::Mul24: return only32<Mul24>(type);
  case IntOp::Mul24Hi: return only32<Mul24Hi>(type);
  case IntOp::Mad24: return only32x3<Mad24>(type);
  case IntOp::Mad24Hi: return only32x3<Mad24Hi>(type);
  case IntOp::Sad: return same3<Sad>(type);
  case IntOp::Div: return same2<Div>(type);
  case IntOp::Rem: return same2<Rem>(type);
  case IntOp::Abs: return same1<Abs>(type);
  case IntOp::Neg: return same1<Neg>(type);
  case IntOp::Min: return min2<Min>(type);
  case IntOp::Max: return min2<Max>(type);
  case IntOp::Min3: return only32x3<Min3>(type);
  case IntOp::Max3: return only32x3<Max3>(type);
  case IntOp::ReluMin: return min2<ReluMin>(type);
  case IntOp::ReluMax: return min2<ReluMax>(type);
  case IntOp::And: return bits2<And>(type);
  case IntOp::Or: return bits2<Or>(type);
  case IntOp::Xor: return bits2<Xor>(type);
  case IntOp::Not: return same1<Not>(type);
  case IntOp::Cnot: return same1<Cnot>(type);
  case IntOp::Mov:
    switch (bytesOf(type)) {
    case 1: return map1<Mov, uint8_t, uint8_t>;
    case 2: return map1<Mov, uint16_t, uint16_t>;
    case 4: return map1<Mov, uint32_t, uint32_t>;
    case 8: return map1<Mov, uint64_t, uint64_t>;
    case 16: return map1<Mov, unsigned __int128, unsigned __int128>;
    default: return nullptr;
    }
  case IntOp::Shl: return shift2<Shl>(type);
  case IntOp::Shr: return shift2<Shr>(type);
  case IntOp::Popc: return to32<Popc>(type);
  case IntOp::Clz: return to32<Clz>(type);
  case IntOp::Bfind: return to32<Bfind>(type);
  case IntOp::BfindShift: return to32<BfindShift>(type);
  case IntOp::Brev: return same1<Brev>(type);
  case IntOp::Bfe:
    switch (type) {
    case Type::U32: return map3<Bfe, uint32_t, uint32_t, uint32_t, uint32_t>;
    case Type::S32: return map3<Bfe, int32_t, int32_t, uint32_t, uint32_t>;
    case Type::U64: return map3<Bfe, uint64_t, uint64_t, uint32_t, uint32_t>;
    case Type::S64: return map3<Bfe, int64_t, int64_t, uint32_t, uint32_t>;
    default: return nullptr;
    }
  case IntOp::Bfi:
    return bytesOf(type) == 4 ? bfi<uint32_t>
           : bytesOf(type) == 8 ? bfi<uint64_t> : Handler(nullptr);
  case IntOp::AddSat: return map2<AddSat, int32_t, int32_t, int32_t>;
  case IntOp::SubSat: return map2<SubSat, int32_t, int32_t, int32_t>;
  case IntOp::MadHiSat:
    return map3<MadHiSat, int32_t, int32_t, int32_t, int32_t>;
  case IntOp::AddCC: return extendedFor<Extended::Add, false, true>(type);
  case IntOp::AddC: return extendedFor<Extended::Add, true, false>(type);
  case IntOp::AddCCC: return extendedFor<Extended::Add, true, true>(type);
  case IntOp::SubCC: return extendedFor<Extended::Sub, false, true>(type);
  case IntOp::SubC: return extendedFor<Extended::Sub, true, false>(type);
  case IntOp::SubCCC: return extendedFor<Extended::Sub, true, true>(type);
  case IntOp::MadCC: return extendedFor<Extended::Mad, false, true>(type);
  case IntOp::MadC: return extendedFor<Extended::Mad, true, false>(type);
  case IntOp::MadCCC: return extendedFor<Extended::Mad, true, true>(type);
  case IntOp::MadHiCC: return extendedFor<Extended::MadHi, false, true>(type);
  case IntOp::MadHiC: return extendedFor<Extended::MadHi, true, false>(type);
  case IntOp::MadHiCCC: return extendedFor<Extended::MadHi, true, true>(type);
  case IntOp::ShfL: case IntOp::ShfR: case IntOp::Prmt: case IntOp::Lop3:
  case IntOp::Dp4a: case IntOp::Dp2a: case IntOp::Fns:
    return bitsHandler(op);
  case IntOp::Bmsk:
    // `type` U32: clamp, B32: wrap.
    return type == Type::U32 ? Handler(map2<Bmsk, uint32_t, uint32_t, uint32_t>)
                             : map2<BmskWrap, uint32_t, uint32_t, uint32_t>;
  case IntOp::Szext: // U32, S32: clamp; U64, S64: wrap
    switch (type) {
    case Type::U32: return map2<Szext<false>, uint32_t, uint32_t, uint32_t>;
    case Type::S32: return map2<Szext<false>, int32_t, int32_t, uint32_t>;
    case Type::U64: return map2<Szext<true>, uint32_t, uint32_t, uint32_t>;
    case Type::S64: return map2<Szext<true>, int32_t, int32_t, uint32_t>;
    default: return nullptr;
    }
  case IntOp::Select:
    switch (bytesOf(type)) {
    case 2: return select<uint16_t>;
    case 4: return select<uint32_t>;
    case 8: return select<uint64_t>;
    default: return nullptr;
    }
  case IntOp::Slct: return slctFor<Slct, int32_t>(type);
  case IntOp::SlctF: return slctFor<SlctF, float>(type);
  }
  return nullptr;
}

} // namespace fusion::emulator::FUSION_ISA
