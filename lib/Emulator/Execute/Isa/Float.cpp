//===- Float.cpp - f32 and f64 arithmetic to nearest, and approximations --===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Isa/Numerics.h"

#include <type_traits>

namespace fusion::emulator::FUSION_ISA {
namespace {

struct Add {
  template <class T> static T run(T a, T b) { return a + b; }
};
struct Sub {
  template <class T> static T run(T a, T b) { return a - b; }
};
struct Mul {
  template <class T> static T run(T a, T b) { return a * b; }
};
struct Div {
  template <class T> static T run(T a, T b) { return a / b; }
};
struct Fma {
  static float run(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  static double run(double a, double b, double c) {
    return __builtin_fma(a, b, c);
  }
};
struct Sqrt {
  static float run(float a) { return __builtin_sqrtf(a); }
  static double run(double a) { return __builtin_sqrt(a); }
};
struct Rcp {
  template <class T> static T run(T a) { return T(1) / a; }
};
struct Rsqrt {
  static float run(float a) { return float(1.0 / __builtin_sqrt(double(a))); }
  static double run(double a) { return 1.0 / __builtin_sqrt(a); }
};
/// .approx.ftz.f64: "ignoring the least-significant 32 bits" of the operand,
/// and with zeros there in the result.
template <class Op> struct Gross {
  static double high(double x) {
    uint64_t bits;
    std::memcpy(&bits, &x, 8);
    bool isSubnormal = !(bits >> 52 & 0x7ff);
    bits &= isSubnormal ? uint64_t(1) << 63 : ~uint64_t(0xffffffff);
    std::memcpy(&x, &bits, 8);
    return x;
  }
  static double run(double a) { return a != a ? a : high(Op::run(high(a))); }
};
struct Sin {
  static float run(float a) { return float(std::sin(double(a))); }
};
struct Cos {
  static float run(float a) { return float(std::cos(double(a))); }
};
struct Lg2 {
  static float run(float a) { return float(std::log2(double(a))); }
};
struct Ex2 {
  static float run(float a) { return exp2Approximate(a); }
};
struct Tanh {
  static float run(float a) { return tanhApproximate(a); }
};

inline float canonicalNan(float) { return bits<float>(0x7fffffffu); }
inline double canonicalNan(double) {
  return bits<double>(uint64_t(0x7fffffffffffffff));
}
inline uint32_t raw(float x) { return bits<uint32_t>(x); }
inline uint64_t raw(double x) { return bits<uint64_t>(x); }
inline float cooked(uint32_t x) { return bits<float>(x); }
inline double cooked(uint64_t x) { return bits<double>(x); }

struct Neg {
  template <class T> static T run(T a) { return -a; }
};
struct Abs {
  static float run(float a) { return __builtin_fabsf(a); }
  static double run(double a) { return __builtin_fabs(a); }
};

/// -0 < +0; one NaN yields the other operand, or with `PropagateNan` NaN.
template <bool PropagateNan> struct Min {
  template <class T> static T run(T a, T b) {
    T r = a < b ? a : b;
    r = a == b ? cooked(raw(a) | raw(b)) : r;
    if (PropagateNan)
      return isNan(a) || isNan(b) ? canonicalNan(a) : r;
    r = isNan(a) ? b : r;
    r = isNan(b) ? a : r;
    return isNan(a) && isNan(b) ? canonicalNan(a) : r;
  }
};
template <bool PropagateNan> struct Max {
  template <class T> static T run(T a, T b) {
    T r = a > b ? a : b;
    r = a == b ? cooked(raw(a) & raw(b)) : r;
    if (PropagateNan)
      return isNan(a) || isNan(b) ? canonicalNan(a) : r;
    r = isNan(a) ? b : r;
    r = isNan(b) ? a : r;
    return isNan(a) && isNan(b) ? canonicalNan(a) : r;
  }
};
/// min.xorsign.abs: of the magnitudes, with the product of the signs.
template <class Op> struct XorSign {
  static float run(float a, float b) {
    uint32_t sign = (raw(a) ^ raw(b)) & 0x80000000u;
    float r = Op::run(Abs::run(a), Abs::run(b));
    return cooked((raw(r) & 0x7fffffffu) | sign);
  }
};
template <class Op> struct Three {
  template <class T> static T run(T a, T b, T c) {
    return Op::run(Op::run(a, b), c);
  }
};
struct Copysign {
  static float run(float a, float b) { return __builtin_copysignf(b, a); }
  static double run(double a, double b) { return __builtin_copysign(b, a); }
};

template <bool Ftz, class T> inline T in(T x) { return x; }
template <> inline float in<true, float>(float x) { return flush(x); }

template <class Op, bool Ftz, bool Sat> struct Flagged {
  template <class T> static T out(T r) {
    r = in<Ftz>(r);
    return Sat ? saturate(r) : r;
  }
  template <class T> static T run(T a) { return out(Op::run(in<Ftz>(a))); }
  template <class T> static T run(T a, T b) {
    return out(Op::run(in<Ftz>(a), in<Ftz>(b)));
  }
  template <class T> static T run(T a, T b, T c) {
    return out(Op::run(in<Ftz>(a), in<Ftz>(b), in<Ftz>(c)));
  }
};

template <class Op> Handler f32x1(uint8_t flags) {
  switch (flags & (FlagFtz | FlagSat)) {
  case 0:
    return map1<Flagged<Op, false, false>, float, float>;
  case FlagFtz:
    return map1<Flagged<Op, true, false>, float, float>;
  default:
    return nullptr;
  }
}
template <class Op> Handler f32x2(uint8_t flags) {
  switch (flags & (FlagFtz | FlagSat)) {
  case 0:
    return map2<Flagged<Op, false, false>, float, float, float>;
  case FlagFtz:
    return map2<Flagged<Op, true, false>, float, float, float>;
  case FlagSat:
    return map2<Flagged<Op, false, true>, float, float, float>;
  default:
    return map2<Flagged<Op, true, true>, float, float, float>;
  }
}
template <class Op> Handler f32x3(uint8_t flags) {
  switch (flags & (FlagFtz | FlagSat)) {
  case 0:
    return map3<Flagged<Op, false, false>, float, float, float, float>;
  case FlagFtz:
    return map3<Flagged<Op, true, false>, float, float, float, float>;
  case FlagSat:
    return map3<Flagged<Op, false, true>, float, float, float, float>;
  default:
    return map3<Flagged<Op, true, true>, float, float, float, float>;
  }
}

template <template <bool> class Op> Handler minMax(uint8_t flags) {
  bool nan = flags & FlagNaN;
  if (flags & FlagXorSign)
    return nan ? f32x2<XorSign<Op<true>>>(flags)
               : f32x2<XorSign<Op<false>>>(flags);
  return nan ? f32x2<Op<true>>(flags) : f32x2<Op<false>>(flags);
}
template <template <bool> class Op> Handler minMax3(uint8_t flags) {
  return flags & FlagNaN ? f32x3<Three<Op<true>>>(flags)
                         : f32x3<Three<Op<false>>>(flags);
}

Handler single(FloatOp op, uint8_t flags) {
  switch (op) {
  case FloatOp::Add:
    return f32x2<Add>(flags);
  case FloatOp::Sub:
    return f32x2<Sub>(flags);
  case FloatOp::Mul:
    return f32x2<Mul>(flags);
  case FloatOp::Div:
    return f32x2<Div>(flags);
  case FloatOp::Fma:
    return f32x3<Fma>(flags);
  case FloatOp::Sqrt:
    return f32x1<Sqrt>(flags);
  case FloatOp::Rcp:
    return f32x1<Rcp>(flags);
  case FloatOp::Rsqrt:
    return f32x1<Rsqrt>(flags);
  case FloatOp::Sin:
    return f32x1<Sin>(flags);
  case FloatOp::Cos:
    return f32x1<Cos>(flags);
  case FloatOp::Lg2:
    return f32x1<Lg2>(flags);
  case FloatOp::Ex2:
  case FloatOp::Ex2Fast:
    return f32x1<Ex2>(flags);
  case FloatOp::Tanh:
    return f32x1<Tanh>(flags);
  case FloatOp::Neg:
    return f32x1<Neg>(flags);
  case FloatOp::Abs:
    return f32x1<Abs>(flags);
  case FloatOp::Min:
    return minMax<Min>(flags);
  case FloatOp::Max:
    return minMax<Max>(flags);
  case FloatOp::Min3:
    return minMax3<Min>(flags);
  case FloatOp::Max3:
    return minMax3<Max>(flags);
  case FloatOp::Copysign:
    return map2<Copysign, float, float, float>;
  case FloatOp::Testp:
    return nullptr;
  }
  return nullptr;
}

/// Two f32 in 64 bits: twice as many elements.
template <class Op, bool Ftz>
void packed(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<uint64_t> destination(warp, inst.op[0], mask);
  float *d = reinterpret_cast<float *>(destination.data());
  const float *a = warp.reg<float>(inst.op[1]),
              *b = warp.reg<float>(inst.op[2]);
  const float *c = inst.count > 3 ? warp.reg<float>(inst.op[3]) : a;
  FUSION_LANES
  for (unsigned i = 0; i < 2 * kLanes; ++i) {
    if constexpr (std::is_same_v<Op, Fma>)
      d[i] = Flagged<Op, Ftz, false>::run(a[i], b[i], c[i]);
    else
      d[i] = Flagged<Op, Ftz, false>::run(a[i], b[i]);
  }
  destination.finish();
}
template <class Op> Handler pair(uint8_t flags) {
  return flags == 0         ? Handler(packed<Op, false>)
         : flags == FlagFtz ? packed<Op, true>
                            : Handler(nullptr);
}
Handler pairs(FloatOp op, uint8_t flags) {
  switch (op) {
  case FloatOp::Add:
    return pair<Add>(flags);
  case FloatOp::Sub:
    return pair<Sub>(flags);
  case FloatOp::Mul:
    return pair<Mul>(flags);
  case FloatOp::Fma:
    return pair<Fma>(flags);
  default:
    return nullptr;
  }
}

Handler wide(FloatOp op, uint8_t flags) {
  switch (op) {
  case FloatOp::Add:
    return map2<Add, double, double, double>;
  case FloatOp::Sub:
    return map2<Sub, double, double, double>;
  case FloatOp::Mul:
    return map2<Mul, double, double, double>;
  case FloatOp::Div:
    return map2<Div, double, double, double>;
  case FloatOp::Fma:
    return map3<Fma, double, double, double, double>;
  case FloatOp::Sqrt:
    return map1<Sqrt, double, double>;
  case FloatOp::Rcp:
    return flags & FlagFtz ? map1<Gross<Rcp>, double, double>
                           : map1<Rcp, double, double>;
  case FloatOp::Rsqrt:
    return flags & FlagFtz ? map1<Gross<Rsqrt>, double, double>
                           : map1<Rsqrt, double, double>;
  case FloatOp::Neg:
    return map1<Neg, double, double>;
  case FloatOp::Abs:
    return map1<Abs, double, double>;
  case FloatOp::Min:
    return map2<Min<false>, double, double, double>;
  case FloatOp::Max:
    return map2<Max<false>, double, double, double>;
  case FloatOp::Copysign:
    return map2<Copysign, double, double, double>;
  default:
    return nullptr;
  }
}

} // namespace

Handler halfHandler(FloatOp op, Type type, uint8_t flags);

Handler floatHandler(FloatOp op, Type type, uint8_t flags) {
  if (type == Type::F32)
    return single(op, flags);
  if (type == Type::F64)
    return wide(op, flags);
  if (type == Type::F32x2)
    return pairs(op, flags);
  return halfHandler(op, type, flags);
}

} // namespace fusion::emulator::FUSION_ISA
