//===- Half.cpp - f16 and bf16 arithmetic, single and packed --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums, products, quotients and roots are computed in f32 and rounded once
// more: 24 bits are enough that the second rounding does no harm for formats
// of at most 11 (Figueroa, 1995). The fused multiply-add has an exact product,
// for f16 in f32 and for bf16 in f64, and its sum rounded to odd.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Formats.h"
#include "Emulator/Execute/Isa/Numerics.h"

namespace fusion::emulator::FUSION_ISA {
namespace {

struct Half {
  static float load(uint16_t h) { return fromHalf(h); }
  static uint16_t store(float f) { return toHalf(f); }
  static constexpr uint16_t exponent = 0x7c00, one = 0x3c00;
};
struct Bfloat {
  static float load(uint16_t h) { return fromBfloat(h); }
  static uint16_t store(float f) { return toBfloat(f); }
  static constexpr uint16_t exponent = 0x7f80, one = 0x3f80;
};

template <class F> inline bool nan16(uint16_t h) {
  return (h & 0x7fff) > F::exponent;
}
/// An order-preserving integer of a number's bits; -0 < +0.
inline int32_t order(uint16_t h) {
  return h & 0x8000 ? int32_t(0x7fff - (h & 0x7fff)) - 0x8000
                    : int32_t(h & 0x7fff);
}

template <class F> struct Add {
  static uint16_t run(uint16_t a, uint16_t b) {
    return F::store(F::load(a) + F::load(b));
  }
};
template <class F> struct Sub {
  static uint16_t run(uint16_t a, uint16_t b) {
    return F::store(F::load(a) - F::load(b));
  }
};
template <class F> struct Mul {
  static uint16_t run(uint16_t a, uint16_t b) {
    return F::store(F::load(a) * F::load(b));
  }
};
template <class F> struct Fma;
template <> struct Fma<Half> {
  static uint16_t run(uint16_t a, uint16_t b, uint16_t c) {
    return toHalf(addToOdd(fromHalf(a) * fromHalf(b), fromHalf(c)));
  }
};
template <> struct Fma<Bfloat> {
  using F = Bfloat; // its products need f64's range
  static uint16_t run(uint16_t a, uint16_t b, uint16_t c) {
    double product = double(F::load(a)) * double(F::load(b));
    return F::store(toFloatOdd(addToOdd(product, double(F::load(c)))));
  }
};
struct Neg {
  static uint16_t run(uint16_t a) { return a ^ 0x8000; }
};
struct Abs {
  static uint16_t run(uint16_t a) { return a & 0x7fff; }
};
template <class F, bool PropagateNan> struct Min {
  static uint16_t run(uint16_t a, uint16_t b) {
    bool na = nan16<F>(a), nb = nan16<F>(b);
    uint16_t r = order(a) < order(b) ? a : b;
    if (PropagateNan)
      return na || nb ? 0x7fff : r;
    r = na ? b : nb ? a : r;
    return na && nb ? 0x7fff : r;
  }
};
template <class F, bool PropagateNan> struct Max {
  static uint16_t run(uint16_t a, uint16_t b) {
    bool na = nan16<F>(a), nb = nan16<F>(b);
    uint16_t r = order(a) > order(b) ? a : b;
    if (PropagateNan)
      return na || nb ? 0x7fff : r;
    r = na ? b : nb ? a : r;
    return na && nb ? 0x7fff : r;
  }
};
template <class Op> struct XorSign {
  static uint16_t run(uint16_t a, uint16_t b) {
    return uint16_t((Op::run(a & 0x7fff, b & 0x7fff) & 0x7fff) |
                    ((a ^ b) & 0x8000));
  }
};
template <class Op> struct Three {
  static uint16_t run(uint16_t a, uint16_t b, uint16_t c) {
    return Op::run(Op::run(a, b), c);
  }
};
template <class F> struct Ex2 {
  static uint16_t run(uint16_t a) {
    return F::store(exp2Approximate(F::load(a)));
  }
};
template <class F> struct Tanh {
  static uint16_t run(uint16_t a) {
    return F::store(tanhApproximate(F::load(a)));
  }
};

/// .oob: +0 where an operand is what fills a tensor's outside (PTX ISA, "fma").
template <class Op> struct OutOfBounds {
  static uint16_t run(uint16_t a, uint16_t b, uint16_t c) {
    bool isOutside =
        a == kOutOfBoundsNan || b == kOutOfBoundsNan || c == kOutOfBoundsNan;
    return isOutside ? uint16_t(0) : Op::run(a, b, c);
  }
};

/// The value after ftz, sat and relu, by Inst::a.
template <class F>
inline void finishFlags(uint16_t *d, unsigned n, uint8_t flags) {
  if (flags & FlagFtz) {
    FUSION_LANES
    for (unsigned i = 0; i < n; ++i)
      d[i] = (d[i] & F::exponent) == 0 ? uint16_t(d[i] & 0x8000) : d[i];
  }
  if (flags & FlagSat) {
    FUSION_LANES
    for (unsigned i = 0; i < n; ++i) {
      uint16_t v = nan16<F>(d[i]) || (d[i] & 0x8000) ? uint16_t(0) : d[i];
      d[i] = v > F::one ? F::one : v;
    }
  }
  if (flags & FlagRelu) {
    FUSION_LANES
    for (unsigned i = 0; i < n; ++i)
      d[i] = nan16<F>(d[i])  ? uint16_t(0x7fff)
             : d[i] & 0x8000 ? uint16_t(0)
                             : d[i];
  }
}

template <class F>
inline const uint16_t *flushed(const uint16_t *s, uint16_t *buffer, unsigned n,
                               uint8_t flags) {
  if (!(flags & FlagFtz))
    return s;
  FUSION_LANES
  for (unsigned i = 0; i < n; ++i)
    buffer[i] = (s[i] & F::exponent) == 0 ? uint16_t(s[i] & 0x8000) : s[i];
  return buffer;
}

/// Operands of one (Packed = 1) or two (2) elements per lane.
template <class F, class Op, unsigned Arity, unsigned Packed>
void half(Warp &warp, const Inst &inst, uint32_t mask) {
  using Word = std::conditional_t<Packed == 2, uint32_t, uint16_t>;
  constexpr unsigned n = kLanes * Packed;
  alignas(64) uint16_t buffers[3][n];
  const uint16_t *s[3] = {};
  for (unsigned k = 0; k < Arity; ++k)
    s[k] =
        flushed<F>(warp.reg<uint16_t>(inst.op[k + 1]), buffers[k], n, inst.a);
  Destination<Word> destination(warp, inst.op[0], mask);
  uint16_t *d = reinterpret_cast<uint16_t *>(destination.data());
  const uint16_t *a = s[0], *b = s[1], *c = s[2];
  FUSION_LANES
  for (unsigned i = 0; i < n; ++i) {
    if constexpr (Arity == 1)
      d[i] = Op::run(a[i]);
    else if constexpr (Arity == 2)
      d[i] = Op::run(a[i], b[i]);
    else
      d[i] = Op::run(a[i], b[i], c[i]);
  }
  if (inst.a & (FlagFtz | FlagSat | FlagRelu))
    finishFlags<F>(d, n, inst.a);
  destination.finish();
}

template <class F, unsigned Packed, template <class, bool> class Op>
Handler minMax(uint8_t flags) {
  if (flags & FlagXorSign)
    return flags & FlagNaN ? half<F, XorSign<Op<F, true>>, 2, Packed>
                           : half<F, XorSign<Op<F, false>>, 2, Packed>;
  return flags & FlagNaN ? half<F, Op<F, true>, 2, Packed>
                         : half<F, Op<F, false>, 2, Packed>;
}

template <class F, unsigned Packed>
Handler handlerOf(FloatOp op, uint8_t flags) {
  switch (op) {
  case FloatOp::Add:
    return half<F, Add<F>, 2, Packed>;
  case FloatOp::Sub:
    return half<F, Sub<F>, 2, Packed>;
  case FloatOp::Mul:
    return half<F, Mul<F>, 2, Packed>;
  case FloatOp::Fma:
    return flags & FlagOob ? half<F, OutOfBounds<Fma<F>>, 3, Packed>
                           : half<F, Fma<F>, 3, Packed>;
  case FloatOp::Neg:
    return half<F, Neg, 1, Packed>;
  case FloatOp::Abs:
    return half<F, Abs, 1, Packed>;
  case FloatOp::Min:
    return minMax<F, Packed, Min>(flags);
  case FloatOp::Max:
    return minMax<F, Packed, Max>(flags);
  case FloatOp::Ex2:
    return half<F, Ex2<F>, 1, Packed>;
  case FloatOp::Tanh:
    return half<F, Tanh<F>, 1, Packed>;
  default:
    return nullptr;
  }
}

} // namespace

Handler halfHandler(FloatOp op, Type type, uint8_t flags) {
  switch (type) {
  case Type::F16:
    return handlerOf<Half, 1>(op, flags);
  case Type::F16x2:
    return handlerOf<Half, 2>(op, flags);
  case Type::BF16:
    return handlerOf<Bfloat, 1>(op, flags);
  case Type::BF16x2:
    return handlerOf<Bfloat, 2>(op, flags);
  default:
    return nullptr;
  }
}

} // namespace fusion::emulator::FUSION_ISA
