//===- HandlersDirected.cpp - Arithmetic under directed rounding ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// rz, rm and rp through the host's rounding mode; this file is compiled so that
// the compiler neither moves nor folds floating-point operations.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersDirected.h"

#include "Emulator/Machine/Warp.h"

#include <cfenv>
#include <cmath>

using namespace fusion::emulator;

namespace {

struct RoundingScope {
  int saved = std::fegetround();
  explicit RoundingScope(Rounding rounding) {
    std::fesetround(rounding == Rounding::Zero   ? FE_TOWARDZERO
                    : rounding == Rounding::Down ? FE_DOWNWARD
                    : rounding == Rounding::Up   ? FE_UPWARD
                                                 : FE_TONEAREST);
  }
  ~RoundingScope() { std::fesetround(saved); }
};

float flush(float x) {
  return std::fabs(x) < 1.17549435e-38f ? std::copysign(0.0f, x) : x;
}
double flush(double x) { return x; }

template <class T> T compute(FloatOp op, T a, T b, T c) {
  switch (op) {
  case FloatOp::Add:
    return a + b;
  case FloatOp::Sub:
    return a - b;
  case FloatOp::Mul:
    return a * b;
  case FloatOp::Div:
    return a / b;
  case FloatOp::Fma:
    return std::fma(a, b, c);
  case FloatOp::Sqrt:
    return std::sqrt(a);
  case FloatOp::Rcp:
    return T(1) / a;
  default:
    return a;
  }
}

template <FloatOp Op, class T>
void directed(Warp &warp, const Inst &inst, uint32_t mask) {
  constexpr bool two = Op == FloatOp::Add || Op == FloatOp::Sub ||
                       Op == FloatOp::Mul || Op == FloatOp::Div ||
                       Op == FloatOp::Fma;
  T *d = warp.reg<T>(inst.op[0]);
  const T *a = warp.reg<T>(inst.op[1]);
  const T *b = two ? warp.reg<T>(inst.op[2]) : a;
  const T *c = Op == FloatOp::Fma ? warp.reg<T>(inst.op[3]) : a;
  RoundingScope scope{Rounding(inst.b)};
  bool ftz = inst.a & FlagFtz;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned i = unsigned(__builtin_ctz(left));
    // Volatile: the operation must happen under this rounding mode.
    volatile T x = ftz ? flush(a[i]) : a[i], y = ftz ? flush(b[i]) : b[i],
               z = ftz ? flush(c[i]) : c[i];
    volatile T r = compute<T>(Op, x, y, z);
    T value = ftz ? flush(T(r)) : T(r);
    if (inst.a & FlagSat)
      value = !(value > 0) ? T(0) : value > 1 ? T(1) : value;
    d[i] = value;
  }
}

template <FloatOp Op> Handler pick(Type type) {
  return type == Type::F32   ? Handler(directed<Op, float>)
         : type == Type::F64 ? Handler(directed<Op, double>)
                             : nullptr;
}

} // namespace

void fusion::emulator::directedProduct(const double *a, const double *b,
                                       double *c, unsigned m, unsigned n,
                                       unsigned k, Rounding rounding) {
  RoundingScope scope{rounding};
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < n; ++column) {
      volatile double sum = c[row * n + column];
      for (unsigned i = 0; i < k; ++i)
        sum = std::fma(a[row * k + i], b[i * n + column], sum);
      c[row * n + column] = sum;
    }
}

Handler fusion::emulator::directedHandler(FloatOp op, Type type) {
  switch (op) {
  case FloatOp::Add:
    return pick<FloatOp::Add>(type);
  case FloatOp::Sub:
    return pick<FloatOp::Sub>(type);
  case FloatOp::Mul:
    return pick<FloatOp::Mul>(type);
  case FloatOp::Div:
    return pick<FloatOp::Div>(type);
  case FloatOp::Fma:
    return pick<FloatOp::Fma>(type);
  case FloatOp::Sqrt:
    return pick<FloatOp::Sqrt>(type);
  case FloatOp::Rcp:
    return pick<FloatOp::Rcp>(type);
  default:
    return nullptr;
  }
}
