//===- Bits.cpp - Funnel shifts, permutations and dot products ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Operations.h"
#include "Emulator/Machine/Lanes.h"

namespace fusion::emulator::FUSION_ISA {
namespace {

template <bool Left> void funnel(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<uint32_t> destination(warp, inst.op[0], mask);
  uint32_t *d = destination.data();
  const uint32_t *a = warp.reg<uint32_t>(inst.op[1]);
  const uint32_t *b = warp.reg<uint32_t>(inst.op[2]);
  const uint32_t *c = warp.reg<uint32_t>(inst.op[3]);
  bool clamp = inst.a;
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i) {
    uint32_t n = clamp ? (c[i] > 32 ? 32 : c[i]) : c[i] & 31;
    uint64_t both = uint64_t(b[i]) << 32 | a[i];
    d[i] = Left ? uint32_t((both << n) >> 32) : uint32_t(both >> n);
  }
  destination.finish();
}

/// Byte permutation (PTX ISA, "prmt"): modes default, f4e, b4e, rc8, ecl, ecr,
/// rc16 select from the table below by the low two bits of c.
void prmt(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<uint32_t> destination(warp, inst.op[0], mask);
  uint32_t *d = destination.data();
  const uint32_t *a = warp.reg<uint32_t>(inst.op[1]);
  const uint32_t *b = warp.reg<uint32_t>(inst.op[2]);
  const uint32_t *c = warp.reg<uint32_t>(inst.op[3]);
  static constexpr uint16_t modes[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
      {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  for (unsigned i = 0; i < kLanes; ++i) {
    uint64_t both = uint64_t(b[i]) << 32 | a[i];
    uint32_t selector = inst.a ? modes[inst.a - 1][c[i] & 3] : c[i];
    uint32_t value = 0;
    for (unsigned k = 0; k < 4; ++k) {
      uint32_t s = (selector >> (4 * k)) & 15;
      uint32_t byte = uint32_t(both >> (8 * (s & 7))) & 0xff;
      if (s & 8)
        byte = byte & 0x80 ? 0xff : 0;
      value |= byte << (8 * k);
    }
    d[i] = value;
  }
  destination.finish();
}

void lop3(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<uint32_t> destination(warp, inst.op[0], mask);
  uint32_t *d = destination.data();
  const uint32_t *a = warp.reg<uint32_t>(inst.op[1]);
  const uint32_t *b = warp.reg<uint32_t>(inst.op[2]);
  const uint32_t *c = warp.reg<uint32_t>(inst.op[3]);
  uint32_t on[8];
  for (unsigned k = 0; k < 8; ++k)
    on[k] = (inst.imm >> k) & 1 ? ~0u : 0u;
  FUSION_LANES
  for (unsigned i = 0; i < kLanes; ++i) {
    uint32_t x = a[i], y = b[i], z = c[i];
    d[i] = (on[0] & ~x & ~y & ~z) | (on[1] & ~x & ~y & z) |
           (on[2] & ~x & y & ~z) | (on[3] & ~x & y & z) |
           (on[4] & x & ~y & ~z) | (on[5] & x & ~y & z) | (on[6] & x & y & ~z) |
           (on[7] & x & y & z);
  }
  destination.finish();
}

void dotProduct(Warp &warp, const Inst &inst, uint32_t mask, bool four) {
  Destination<uint32_t> destination(warp, inst.op[0], mask);
  uint32_t *d = destination.data();
  const uint32_t *a = warp.reg<uint32_t>(inst.op[1]);
  const uint32_t *b = warp.reg<uint32_t>(inst.op[2]);
  const uint32_t *c = warp.reg<uint32_t>(inst.op[3]);
  auto byte = [](uint32_t v, unsigned k, bool isSigned) {
    uint32_t x = (v >> (8 * k)) & 0xff;
    return isSigned ? int32_t(int8_t(x)) : int32_t(x);
  };
  for (unsigned i = 0; i < kLanes; ++i) {
    uint32_t sum = c[i];
    if (four) {
      for (unsigned k = 0; k < 4; ++k)
        sum += uint32_t(byte(a[i], k, inst.a) * byte(b[i], k, inst.b));
    } else {
      for (unsigned k = 0; k < 2; ++k) {
        uint32_t h = (a[i] >> (16 * k)) & 0xffff;
        int32_t x = inst.a ? int32_t(int16_t(h)) : int32_t(h);
        sum += uint32_t(x * byte(b[i], k + (inst.c ? 2 : 0), inst.b));
      }
    }
    d[i] = sum;
  }
  destination.finish();
}
void dp4a(Warp &w, const Inst &i, uint32_t m) { dotProduct(w, i, m, true); }
void dp2a(Warp &w, const Inst &i, uint32_t m) { dotProduct(w, i, m, false); }

/// Position of the n-th set bit from a base (PTX ISA, "fns").
void fns(Warp &warp, const Inst &inst, uint32_t mask) {
  Destination<uint32_t> destination(warp, inst.op[0], mask);
  uint32_t *d = destination.data();
  const uint32_t *m = warp.reg<uint32_t>(inst.op[1]);
  const uint32_t *base = warp.reg<uint32_t>(inst.op[2]);
  const int32_t *offset = warp.reg<int32_t>(inst.op[3]);
  for (unsigned i = 0; i < kLanes; ++i) {
    uint32_t result = 0xffffffffu, start = base[i] & 31;
    int64_t wanted = offset[i];
    if (wanted == 0) {
      if ((m[i] >> start) & 1)
        result = start;
    } else {
      int step = wanted > 0 ? 1 : -1;
      int64_t left = wanted > 0 ? wanted : -wanted;
      for (int bit = int(start); bit >= 0 && bit < 32; bit += step)
        if (((m[i] >> bit) & 1) && --left == 0) {
          result = uint32_t(bit);
          break;
        }
    }
    d[i] = result;
  }
  destination.finish();
}

} // namespace

Handler bitsHandler(IntOp op) {
  switch (op) {
  case IntOp::ShfL:
    return funnel<true>;
  case IntOp::ShfR:
    return funnel<false>;
  case IntOp::Prmt:
    return prmt;
  case IntOp::Lop3:
    return lop3;
  case IntOp::Dp4a:
    return dp4a;
  case IntOp::Dp2a:
    return dp2a;
  case IntOp::Fns:
    return fns;
  default:
    return nullptr;
  }
}

} // namespace fusion::emulator::FUSION_ISA
