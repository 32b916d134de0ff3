//===- Compare.cpp - setp, set and testp ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Isa/Numerics.h"

namespace fusion::emulator::FUSION_ISA {
namespace {

struct Eq {
  template <class T> static bool run(T a, T b) { return a == b; }
};
struct Ne {
  template <class T> static bool run(T a, T b) { return a < b || a > b; }
};
struct Lt {
  template <class T> static bool run(T a, T b) { return a < b; }
};
struct Le {
  template <class T> static bool run(T a, T b) { return a <= b; }
};
struct Gt {
  template <class T> static bool run(T a, T b) { return a > b; }
};
struct Ge {
  template <class T> static bool run(T a, T b) { return a >= b; }
};
struct Equ {
  template <class T> static bool run(T a, T b) { return !(a < b || a > b); }
};
struct Neu {
  template <class T> static bool run(T a, T b) { return a != b; }
};
struct Ltu {
  template <class T> static bool run(T a, T b) { return !(a >= b); }
};
struct Leu {
  template <class T> static bool run(T a, T b) { return !(a > b); }
};
struct Gtu {
  template <class T> static bool run(T a, T b) { return !(a <= b); }
};
struct Geu {
  template <class T> static bool run(T a, T b) { return !(a < b); }
};
struct Num {
  template <class T> static bool run(T a, T b) { return a == a && b == b; }
};
struct Nan {
  template <class T> static bool run(T a, T b) { return a != a || b != b; }
};

/// One bit per lane from bytes that are 0 or 1.
inline uint32_t pack(const uint8_t *flags) {
  uint32_t result = 0;
  for (unsigned block = 0; block < 4; ++block) {
    uint64_t word;
    __builtin_memcpy(&word, flags + 8 * block, 8);
    // Gathers the low bit of byte k into bit k of the top byte.
    result |= uint32_t((word * 0x0102040810204080u) >> 56) << (8 * block);
  }
  return result;
}

template <class Cmp, class T> uint32_t compareLanes(const T *a, const T *b) {
  alignas(64) uint8_t flags[kLanes];
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i)
    flags[i] = Cmp::run(a[i], b[i]);
  return pack(flags);
}

inline uint32_t combine(uint32_t value, uint32_t c, uint8_t how) {
  switch (Combine(how)) {
  case Combine::And:
    return value & c;
  case Combine::Or:
    return value | c;
  case Combine::Xor:
    return value ^ c;
  case Combine::None:
    break;
  }
  return value;
}

/// setp.CmpOp{.BoolOp} p|q, a, b, c: p = (a cmp b) op c, q = !(a cmp b) op c.
/// Inst::a: BoolOp, b: c is negated.
inline void writePredicates(Warp &warp, const Inst &inst, uint32_t mask,
                            uint32_t value, Ref p, Ref q) {
  uint32_t c = 0;
  if (inst.a)
    c = warp.predicate(inst.op[4]) ^ (inst.b ? ~0u : 0u);
  uint32_t first = combine(value, c, inst.a),
           second = combine(~value, c, inst.a);
  uint32_t &pr = warp.predicate(p);
  pr = (pr & ~mask) | (first & mask);
  uint32_t &qr = warp.predicate(q);
  qr = (qr & ~mask) | (second & mask);
}

template <class Cmp, class T>
void setp(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t value =
      compareLanes<Cmp>(warp.reg<T>(inst.op[2]), warp.reg<T>(inst.op[3]));
  writePredicates(warp, inst, mask, value, inst.op[0], inst.op[1]);
}

/// f32 with .ftz, and 16-bit floats, compare as f32. Inst::d: bit 0 ftz, bit 1
/// packed, and then p and q are the two halves' results.
template <unsigned Half>
inline void widen(const Inst &inst, const void *source, float *to,
                  unsigned stride, unsigned offset, bool ftz) {
  const uint16_t *h = static_cast<const uint16_t *>(source);
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i) {
    uint16_t v = h[i * stride + offset];
    if (Half == 1 && ftz)
      v = (v & 0x7c00) == 0 ? uint16_t(v & 0x8000) : v;
    float f = Half == 1 ? fromHalf(v) : fromBfloat(v);
    to[i] = f;
  }
}
template <class Cmp, unsigned Format> // 0: f32 with ftz, 1: f16, 2: bf16
uint32_t compareAsFloat(Warp &warp, const Inst &inst, Ref ra, Ref rb,
                        unsigned stride, unsigned offset) {
  alignas(64) float a[kLanes], b[kLanes];
  if constexpr (Format == 0) {
    const float *x = warp.reg<float>(ra), *y = warp.reg<float>(rb);
    FUSION_LANES
    for (unsigned i = 0; i < kLanes; ++i) {
      a[i] = flush(x[i]);
      b[i] = flush(y[i]);
    }
  } else {
    widen<Format>(inst, warp.reg<uint8_t>(ra), a, stride, offset, inst.d & 1);
    widen<Format>(inst, warp.reg<uint8_t>(rb), b, stride, offset, inst.d & 1);
  }
  return compareLanes<Cmp>(a, b);
}
template <class Cmp, unsigned Format>
void setpFloat(Warp &warp, const Inst &inst, uint32_t mask) {
  if (inst.d & 2) {
    uint32_t low =
        compareAsFloat<Cmp, Format>(warp, inst, inst.op[2], inst.op[3], 2, 0);
    uint32_t high =
        compareAsFloat<Cmp, Format>(warp, inst, inst.op[2], inst.op[3], 2, 1);
    uint32_t c = inst.a ? warp.predicate(inst.op[4]) ^ (inst.b ? ~0u : 0u) : 0;
    uint32_t &p = warp.predicate(inst.op[0]);
    p = (p & ~mask) | (combine(low, c, inst.a) & mask);
    uint32_t &q = warp.predicate(inst.op[1]);
    q = (q & ~mask) | (combine(high, c, inst.a) & mask);
    return;
  }
  uint32_t value =
      compareAsFloat<Cmp, Format>(warp, inst, inst.op[2], inst.op[3], 1, 0);
  writePredicates(warp, inst, mask, value, inst.op[0], inst.op[1]);
}

/// set: Inst::c is the kind of the result: 0 all ones (32 bits), 1 f32 1.0,
/// 2 f16 1.0, 3 bf16 1.0, 4 all ones (16 bits), 5 f16x2, 6 bf16x2, 7 packed
/// all ones.
inline void writeSet(Warp &warp, const Inst &inst, uint32_t mask, uint32_t low,
                     uint32_t high) {
  static constexpr uint32_t values[8] = {
      0xffffffffu, 0x3f800000u, 0x3c00, 0x3f80, 0xffff, 0x3c00, 0x3f80, 0xffff};
  uint32_t one = values[inst.c & 7];
  bool narrow = inst.c >= 2 && inst.c <= 4, packed = inst.c >= 5;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!((mask >> i) & 1))
      continue;
    uint32_t v = (low >> i) & 1 ? one : 0;
    if (packed)
      v |= (high >> i) & 1 ? one << 16 : 0;
    if (narrow)
      warp.reg<uint16_t>(inst.op[0])[i] = uint16_t(v);
    else
      warp.reg<uint32_t>(inst.op[0])[i] = v;
  }
}
template <class Cmp, class T>
void set(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t value =
      compareLanes<Cmp>(warp.reg<T>(inst.op[2]), warp.reg<T>(inst.op[3]));
  if (inst.a)
    value = combine(value, warp.predicate(inst.op[4]) ^ (inst.b ? ~0u : 0u),
                    inst.a);
  writeSet(warp, inst, mask, value, 0);
}
template <class Cmp, unsigned Format>
void setFloat(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t c = inst.a ? warp.predicate(inst.op[4]) ^ (inst.b ? ~0u : 0u) : 0;
  unsigned stride = inst.d & 2 ? 2 : 1;
  uint32_t low = combine(compareAsFloat<Cmp, Format>(warp, inst, inst.op[2],
                                                     inst.op[3], stride, 0),
                         c, inst.a);
  uint32_t high =
      inst.d & 2 ? combine(compareAsFloat<Cmp, Format>(warp, inst, inst.op[2],
                                                       inst.op[3], 2, 1),
                           c, inst.a)
                 : 0;
  writeSet(warp, inst, mask, low, high);
}

template <class Cmp, class T> Handler pick(const CompareSpec &spec) {
  return spec.isSet ? set<Cmp, T> : setp<Cmp, T>;
}
template <class Cmp, unsigned Format>
Handler pickFloat(const CompareSpec &spec) {
  return spec.isSet ? setFloat<Cmp, Format> : setpFloat<Cmp, Format>;
}

template <class Cmp> Handler forInteger(const CompareSpec &spec) {
  switch (spec.type) {
  case Type::B16:
  case Type::U16:
    return pick<Cmp, uint16_t>(spec);
  case Type::S16:
    return pick<Cmp, int16_t>(spec);
  case Type::B32:
  case Type::U32:
    return pick<Cmp, uint32_t>(spec);
  case Type::S32:
    return pick<Cmp, int32_t>(spec);
  case Type::B64:
  case Type::U64:
    return pick<Cmp, uint64_t>(spec);
  case Type::S64:
    return pick<Cmp, int64_t>(spec);
  default:
    return nullptr;
  }
}
template <class Cmp> Handler forFloat(const CompareSpec &spec) {
  switch (spec.type) {
  case Type::F32:
    return pick<Cmp, float>(spec);
  case Type::TF32:
    return pickFloat<Cmp, 0>(spec); // f32 with .ftz
  case Type::F64:
    return pick<Cmp, double>(spec);
  case Type::F16:
  case Type::F16x2:
    return pickFloat<Cmp, 1>(spec);
  case Type::BF16:
  case Type::BF16x2:
    return pickFloat<Cmp, 2>(spec);
  default:
    return nullptr;
  }
}
template <class Cmp> Handler forBoth(const CompareSpec &spec) {
  Handler handler = forInteger<Cmp>(spec);
  return handler ? handler : forFloat<Cmp>(spec);
}

} // namespace

Handler compareHandler(const CompareSpec &spec) {
  switch (spec.compare) {
  case Compare::Eq:
    return forBoth<Eq>(spec);
  case Compare::Ne:
    return forBoth<Ne>(spec);
  case Compare::Lt:
    return forBoth<Lt>(spec);
  case Compare::Le:
    return forBoth<Le>(spec);
  case Compare::Gt:
    return forBoth<Gt>(spec);
  case Compare::Ge:
    return forBoth<Ge>(spec);
  case Compare::Equ:
    return forFloat<Equ>(spec);
  case Compare::Neu:
    return forFloat<Neu>(spec);
  case Compare::Ltu:
    return forFloat<Ltu>(spec);
  case Compare::Leu:
    return forFloat<Leu>(spec);
  case Compare::Gtu:
    return forFloat<Gtu>(spec);
  case Compare::Geu:
    return forFloat<Geu>(spec);
  case Compare::Num:
    return forFloat<Num>(spec);
  case Compare::Nan:
    return forFloat<Nan>(spec);
  }
  return nullptr;
}

} // namespace fusion::emulator::FUSION_ISA
