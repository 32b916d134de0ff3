//===- HandlersVideo.cpp - Scalar and SIMD video instructions -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersVideo.h"

#include "Emulator/Machine/Warp.h"

#include <algorithm>

using namespace fusion::emulator;

namespace {

using Wide = __int128;

int64_t extend(uint64_t bits, unsigned width, bool isSigned) {
  bits &= (uint64_t(1) << width) - 1;
  if (isSigned && (bits >> (width - 1)))
    return int64_t(bits) - (int64_t(1) << width);
  return int64_t(bits);
}

unsigned widthOf(VideoPart part) {
  return part == VideoPart::Whole ? 32 : part >= VideoPart::H0 ? 16 : 8;
}
unsigned placeOf(VideoPart part) {
  if (part == VideoPart::Whole)
    return 0;
  return part >= VideoPart::H0 ? 16 * (unsigned(part) - unsigned(VideoPart::H0))
                               : 8 * (unsigned(part) - unsigned(VideoPart::B0));
}

Wide clamp(Wide value, unsigned width, bool isSigned) {
  Wide most = (Wide(1) << (width - isSigned)) - 1;
  Wide least = isSigned ? -most - 1 : 0;
  return std::clamp(value, least, most);
}

bool compare(unsigned how, int64_t a, int64_t b) {
  switch (how) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return a < b;
  case 3:
    return a <= b;
  case 4:
    return a > b;
  default:
    return a >= b;
  }
}

Wide operation(const Inst &inst, int64_t a, int64_t b) {
  switch (VideoOp(inst.a)) {
  case VideoOp::Add:
    return a + b;
  case VideoOp::Sub:
    return a - b;
  case VideoOp::AbsDiff:
    return a < b ? b - a : a - b;
  case VideoOp::Min:
    return std::min(a, b);
  case VideoOp::Max:
    return std::max(a, b);
  case VideoOp::Avrg:
    return (a + b + (a + b >= 0)) >> 1;
  case VideoOp::Set:
    return compare(inst.e, a, b);
  case VideoOp::Shl:
  case VideoOp::Shr: {
    int64_t by = inst.d & VideoWrap ? b & 31 : std::min<int64_t>(b, 32);
    return VideoOp(inst.a) == VideoOp::Shl ? Wide(a) * (Wide(1) << by)
                                           : Wide(a) >> by;
  }
  case VideoOp::Mad:
    break;
  }
  return Wide(a) * b;
}

uint32_t scalar(const Inst &inst, uint32_t wordA, uint32_t wordB, uint32_t c) {
  bool isSigned = inst.d & VideoSignedD;
  auto select = [&](uint32_t word, unsigned shift, uint8_t flag) {
    VideoPart part = VideoPart(inst.imm >> shift & 15);
    return extend(word >> placeOf(part), widthOf(part), inst.d & flag);
  };
  Wide t = operation(inst, select(wordA, 0, VideoSignedA),
                     select(wordB, 16, VideoSignedB));
  if (VideoOp(inst.a) == VideoOp::Mad) {
    // What has a signed factor or a negation is signed altogether.
    isSigned = inst.d & (VideoSignedA | VideoSignedB | VideoNegateProduct |
                         VideoNegateC);
    if (inst.d & VideoNegateProduct)
      t = -t;
    // c is inverted in its 32 bits, and then one is added.
    bool minusC = inst.d & VideoNegateC;
    t += extend(minusC ? ~c : c, 32, isSigned);
    t += minusC || (inst.d & VideoPlusOne) ? 1 : 0;
    t >>= inst.e;
  }
  VideoPart part = VideoPart(inst.imm >> 32 & 15);
  if (inst.d & VideoSaturate)
    t = clamp(t, widthOf(part), isSigned);
  Wide other = extend(c, 32, isSigned);
  switch (VideoSecond(inst.c)) {
  case VideoSecond::None:
    break;
  case VideoSecond::Merge: {
    uint32_t bits = ((1u << widthOf(part)) - 1) << placeOf(part);
    return (uint32_t(t) << placeOf(part) & bits) | (c & ~bits);
  }
  case VideoSecond::Add:
    t += other;
    break;
  case VideoSecond::Min:
    t = std::min(t, other);
    break;
  case VideoSecond::Max:
    t = std::max(t, other);
    break;
  }
  return uint32_t(t);
}

uint32_t elementwise(const Inst &inst, uint32_t wordA, uint32_t wordB,
                     uint32_t c) {
  unsigned width = 32 / inst.b;
  uint64_t both = uint64_t(wordB) << 32 | wordA;
  uint32_t sum = c, merged = c;
  for (unsigned i = 0; i < inst.b; ++i) {
    if (!(inst.imm >> (32 + i) & 1))
      continue;
    auto select = [&](unsigned shift, uint8_t flag) {
      unsigned element = unsigned(inst.imm >> (shift + 4 * i)) & 15;
      return extend(both >> (element * width), width, inst.d & flag);
    };
    Wide t = operation(inst, select(0, VideoSignedA), select(16, VideoSignedB));
    if (inst.d & VideoSaturate)
      t = clamp(t, width, inst.d & VideoSignedD);
    sum += uint32_t(t);
    uint32_t bits = ((1u << width) - 1) << (i * width);
    merged = (merged & ~bits) | (uint32_t(t) << (i * width) & bits);
  }
  return VideoSecond(inst.c) == VideoSecond::Add ? sum : merged;
}

void video(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t *d = warp.reg<uint32_t>(inst.op[0]);
  const uint32_t *a = warp.reg<uint32_t>(inst.op[1]),
                 *b = warp.reg<uint32_t>(inst.op[2]),
                 *c = warp.reg<uint32_t>(inst.op[3]);
  for (; mask; mask &= mask - 1) {
    unsigned i = unsigned(__builtin_ctz(mask));
    d[i] = inst.b == 1 ? scalar(inst, a[i], b[i], c[i])
                       : elementwise(inst, a[i], b[i], c[i]);
  }
}

} // namespace

Handler fusion::emulator::videoHandler() { return video; }
