//===- Convert.cpp - cvt: the conversions that are frequent ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that vectorise for the conversions that kernels are full of; all the
// others are HandlersConvert.cpp's. Register widths that differ from the
// types' are left to it as well.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Isa/Numerics.h"

namespace fusion::emulator::FUSION_ISA {
namespace {

template <class D> struct Static {
  template <class S> static D run(S s) { return D(s); }
};
struct HalfToFloat {
  static float run(uint16_t h) { return fromHalf(h); }
};
struct FloatToHalf {
  static uint16_t run(float f) { return toHalf(f); }
};
struct BfloatToFloat {
  static float run(uint16_t h) { return fromBfloat(h); }
};
struct FloatToBfloat {
  static uint16_t run(float f) { return toBfloat(f); }
};
struct FloatToHalfRelu {
  static uint16_t run(float f) {
    return toHalf(f < 0.0f || (f == 0.0f) ? 0.0f : f);
  }
};
struct FloatToBfloatRelu {
  static uint16_t run(float f) {
    return toBfloat(f < 0.0f || (f == 0.0f) ? 0.0f : f);
  }
};
struct FloatToInt {
  static int32_t run(float f) {
    double d = isNan(f) ? 0.0 : double(f);
    d = d < -2147483648.0 ? -2147483648.0 : d;
    d = d > 2147483647.0 ? 2147483647.0 : d;
    return int32_t(d);
  }
};

/// cvt.rn.{f16x2,bf16x2}.f32 d, a, b: a goes to the upper half.
template <class Op> void pair(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<uint32_t> destination(warp, inst.op[0], mask);
  uint32_t *d = destination.data();
  const float *a = warp.reg<float>(inst.op[1]),
              *b = warp.reg<float>(inst.op[2]);
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i)
    d[i] = uint32_t(Op::run(a[i])) << 16 | Op::run(b[i]);
  destination.finish();
}

template <class D, class S> Handler statically() {
  return map1<Static<D>, D, S>;
}

Handler integers(Type destination, Type source) {
  switch (source) {
  case Type::U16:
  case Type::B16:
    switch (bytesOf(destination)) {
    case 4:
      return statically<uint32_t, uint16_t>();
    case 8:
      return statically<uint64_t, uint16_t>();
    default:
      return nullptr;
    }
  case Type::S16:
    switch (bytesOf(destination)) {
    case 4:
      return statically<uint32_t, int16_t>();
    case 8:
      return statically<uint64_t, int16_t>();
    default:
      return nullptr;
    }
  case Type::U32:
  case Type::B32:
    switch (bytesOf(destination)) {
    case 2:
      return statically<uint16_t, uint32_t>();
    case 8:
      return statically<uint64_t, uint32_t>();
    default:
      return nullptr;
    }
  case Type::S32:
    switch (bytesOf(destination)) {
    case 2:
      return statically<uint16_t, uint32_t>();
    case 8:
      return statically<uint64_t, int32_t>();
    default:
      return nullptr;
    }
  case Type::U64:
  case Type::S64:
  case Type::B64:
    switch (bytesOf(destination)) {
    case 2:
      return statically<uint16_t, uint64_t>();
    case 4:
      return statically<uint32_t, uint64_t>();
    default:
      return nullptr;
    }
  default:
    return nullptr;
  }
}

bool isInteger(Type type) {
  switch (type) {
  case Type::U16:
  case Type::S16:
  case Type::U32:
  case Type::S32:
  case Type::U64:
  case Type::S64:
    return true;
  default:
    return false;
  }
}

} // namespace

Handler convertHandler(Type destination, Type source, Rounding rounding,
                       uint8_t flags) {
  if (flags == FlagRelu && rounding == Rounding::Nearest &&
      source == Type::F32) {
    if (destination == Type::F16x2)
      return pair<FloatToHalfRelu>;
    if (destination == Type::BF16x2)
      return pair<FloatToBfloatRelu>;
  }
  if (flags)
    return nullptr;
  bool nearest = rounding == Rounding::Nearest;
  if (isInteger(source) && isInteger(destination))
    return integers(destination, source);
  if (source == Type::F32) {
    switch (destination) {
    case Type::F16:
      return nearest ? map1<FloatToHalf, uint16_t, float> : Handler(nullptr);
    case Type::BF16:
      return nearest ? map1<FloatToBfloat, uint16_t, float> : Handler(nullptr);
    case Type::F16x2:
      return nearest ? pair<FloatToHalf> : Handler(nullptr);
    case Type::BF16x2:
      return nearest ? pair<FloatToBfloat> : Handler(nullptr);
    case Type::F64:
      return statically<double, float>();
    case Type::S32:
      return rounding == Rounding::Zero ? map1<FloatToInt, int32_t, float>
                                        : Handler(nullptr);
    default:
      return nullptr;
    }
  }
  if (source == Type::F16 && destination == Type::F32)
    return map1<HalfToFloat, float, uint16_t>;
  if (source == Type::BF16 && destination == Type::F32)
    return map1<BfloatToFloat, float, uint16_t>;
  if (!nearest)
    return nullptr;
  if (source == Type::F64 && destination == Type::F32)
    return statically<float, double>();
  if (destination == Type::F32 && source == Type::S32)
    return statically<float, int32_t>();
  if (destination == Type::F32 && source == Type::U32)
    return statically<float, uint32_t>();
  if (destination == Type::F64 && source == Type::S32)
    return statically<double, int32_t>();
  if (destination == Type::F64 && source == Type::U32)
    return statically<double, uint32_t>();
  return nullptr;
}

} // namespace fusion::emulator::FUSION_ISA
