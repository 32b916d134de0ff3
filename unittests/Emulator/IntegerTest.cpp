//===- IntegerTest.cpp - Integer instructions -----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include <functional>

using namespace fusion::emulator::test;

namespace {

constexpr size_t kCount = 4096;

template <class T, class F> void check2(const std::string &op, F reference) {
  auto a = randomBits<T>(kCount, 1), b = randomBits<T>(kCount, 2);
  auto d = evaluate<T>(op + " %d, %a0, %a1;", a, b);
  ASSERT_EQ(d.size(), kCount);
  for (size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(d[i], T(reference(a[i], b[i])))
        << op << " " << uint64_t(a[i]) << ", " << uint64_t(b[i]);
}

template <class T, class F> void check1(const std::string &op, F reference) {
  auto a = randomBits<T>(kCount, 3);
  auto d = evaluate<T>(op + " %d, %a0;", a);
  ASSERT_EQ(d.size(), kCount);
  for (size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(d[i], T(reference(a[i]))) << op << " " << uint64_t(a[i]);
}

template <class S, class U> void arithmetic(const std::string &bits) {
  using W = __int128;
  constexpr int width = sizeof(S) * 8;
  check2<U>("add.u" + bits, [](U a, U b) { return W(a) + b; });
  check2<U>("sub.s" + bits, [](U a, U b) { return W(a) - b; });
  check2<U>("mul.lo.u" + bits,
            [](U a, U b) { return (unsigned __int128)(a)*b; });
  check2<U>("mul.hi.u" + bits,
            [](U a, U b) { return ((unsigned __int128)(a)*b) >> width; });
  check2<S>("mul.hi.s" + bits, [](S a, S b) { return (W(a) * b) >> width; });
  check2<U>("div.u" + bits, [](U a, U b) { return b ? U(a / b) : U(~U(0)); });
  check2<S>("div.s" + bits, [](S a, S b) { return b ? S(W(a) / b) : S(-1); });
  check2<S>("rem.s" + bits, [](S a, S b) { return b ? S(W(a) % b) : a; });
  check2<U>("min.u" + bits, [](U a, U b) { return std::min(a, b); });
  check2<S>("min.s" + bits, [](S a, S b) { return std::min(a, b); });
  check2<U>("max.u" + bits, [](U a, U b) { return std::max(a, b); });
  check2<S>("max.s" + bits, [](S a, S b) { return std::max(a, b); });
  check2<U>("and.b" + bits, [](U a, U b) { return a & b; });
  check2<U>("or.b" + bits, [](U a, U b) { return a | b; });
  check2<U>("xor.b" + bits, [](U a, U b) { return a ^ b; });
  check1<U>("not.b" + bits, [](U a) { return ~a; });
  check1<U>("cnot.b" + bits, [](U a) { return a == 0; });
  check1<S>("abs.s" + bits, [](S a) { return a < 0 ? -W(a) : W(a); });
  check1<S>("neg.s" + bits, [](S a) { return -W(a); });
  // Shifts clamp.
  auto a = randomBits<U>(kCount, 4);
  auto n = randomBits<uint32_t>(kCount, 5);
  for (size_t i = 0; i < kCount; i += 2)
    n[i] %= 80;
  auto left = evaluate<U>("shl.b" + bits + " %d, %a0, %a1;", a, n);
  auto logical = evaluate<U>("shr.u" + bits + " %d, %a0, %a1;", a, n);
  auto sign = evaluate<U>("shr.s" + bits + " %d, %a0, %a1;", a, n);
  for (size_t i = 0; i < kCount; ++i) {
    uint32_t k = std::min<uint32_t>(n[i], width);
    ASSERT_EQ(left[i], U((unsigned __int128)(a[i]) << k));
    ASSERT_EQ(logical[i], U((unsigned __int128)(a[i]) >> k));
    ASSERT_EQ(sign[i], U(W(S(a[i])) >> k));
  }
}

TEST(Integer, Arithmetic16) { arithmetic<int16_t, uint16_t>("16"); }
TEST(Integer, Arithmetic32) { arithmetic<int32_t, uint32_t>("32"); }
TEST(Integer, Arithmetic64) { arithmetic<int64_t, uint64_t>("64"); }

TEST(Integer, MultiplyAdd) {
  auto a = randomBits<uint32_t>(kCount, 1), b = randomBits<uint32_t>(kCount, 2),
       c = randomBits<uint32_t>(kCount, 3);
  auto wide = randomBits<uint64_t>(kCount, 4);
  auto lo = evaluate<uint32_t>("mad.lo.s32 %d, %a0, %a1, %a2;", a, b, c);
  auto hi = evaluate<uint32_t>("mad.hi.s32 %d, %a0, %a1, %a2;", a, b, c);
  auto sat = evaluate<uint32_t>("mad.hi.sat.s32 %d, %a0, %a1, %a2;", a, b, c);
  auto w = evaluate<uint64_t>("mad.wide.s32 %d, %a0, %a1, %a2;", a, b, wide);
  auto u = evaluate<uint64_t>("mad.wide.u32 %d, %a0, %a1, %a2;", a, b, wide);
  auto m24 = evaluate<uint32_t>("mad24.lo.s32 %d, %a0, %a1, %a2;", a, b, c);
  auto sat24 =
      evaluate<uint32_t>("mad24.hi.sat.s32 %d, %a0, %a1, %a2;", a, b, c);
  auto sad = evaluate<uint32_t>("sad.u32 %d, %a0, %a1, %a2;", a, b, c);
  for (size_t i = 0; i < kCount; ++i) {
    int64_t product = int64_t(int32_t(a[i])) * int32_t(b[i]);
    ASSERT_EQ(lo[i], a[i] * b[i] + c[i]);
    ASSERT_EQ(hi[i], uint32_t(product >> 32) + c[i]);
    int64_t sum = (product >> 32) + int32_t(c[i]);
    ASSERT_EQ(int32_t(sat[i]), std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
    ASSERT_EQ(w[i], uint64_t(product) + wide[i]);
    ASSERT_EQ(u[i], uint64_t(a[i]) * b[i] + wide[i]);
    auto low24 = [](uint32_t v) { return int64_t(int32_t(v << 8) >> 8); };
    ASSERT_EQ(m24[i], uint32_t(low24(a[i]) * low24(b[i])) + c[i]);
    int64_t high24 = (low24(a[i]) * low24(b[i]) >> 16) + int32_t(c[i]);
    ASSERT_EQ(int32_t(sat24[i]),
              std::clamp<int64_t>(high24, INT32_MIN, INT32_MAX));
    ASSERT_EQ(sad[i], (a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) + c[i]);
  }
}

TEST(Integer, SaturatingAdd) {
  check2<int32_t>("add.sat.s32", [](int64_t a, int64_t b) {
    return std::clamp<int64_t>(a + b, INT32_MIN, INT32_MAX);
  });
  check2<int32_t>("sub.sat.s32", [](int64_t a, int64_t b) {
    return std::clamp<int64_t>(a - b, INT32_MIN, INT32_MAX);
  });
}

TEST(Integer, ExtendedPrecision) {
  // 128-bit sums and products from 64- and 32-bit pieces.
  auto a = randomBits<uint64_t>(kCount, 1), b = randomBits<uint64_t>(kCount, 2);
  auto carry = evaluate<uint64_t>("add.cc.u64 %q0, %a0, %a1;\n"
                                  "addc.u64 %d, 0, 0;",
                                  a, b);
  auto borrow = evaluate<uint64_t>("sub.cc.u64 %q0, %a0, %a1;\n"
                                   "subc.u64 %d, 0, 0;",
                                   a, b);
  // What chips do, and nvcc relies on.
  auto noBorrow = evaluate<uint64_t>("sub.cc.u64 %q0, %a0, %a1;\n"
                                     "addc.u64 %d, 0, 0;",
                                     a, b);
  auto high = evaluate<uint64_t>(
      "mov.b64 {%r0, %r1}, %a0;\nmov.b64 {%r2, %r3}, %a1;\n"
      "mul.lo.u32 %r4, %r0, %r2;\nmul.hi.u32 %r5, %r0, %r2;\n"
      "mad.lo.cc.u32 %r5, %r0, %r3, %r5;\nmadc.hi.u32 %r6, %r0, %r3, 0;\n"
      "mad.lo.cc.u32 %r5, %r1, %r2, %r5;\nmadc.hi.cc.u32 %r6, %r1, %r2, %r6;\n"
      "addc.u32 %r7, 0, 0;\nmad.lo.cc.u32 %r6, %r1, %r3, %r6;\n"
      "madc.hi.u32 %r7, %r1, %r3, %r7;\nmov.b64 %d, {%r6, %r7};",
      a, b);
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(carry[i], uint64_t(a[i] + b[i] < a[i]));
    ASSERT_EQ(borrow[i], uint64_t(0) - uint64_t(a[i] < b[i]));
    ASSERT_EQ(noBorrow[i], uint64_t(a[i] >= b[i]));
    ASSERT_EQ(high[i], uint64_t(((unsigned __int128)(a[i]) * b[i]) >> 64));
  }
}

TEST(Integer, Bits) {
  auto a = randomBits<uint32_t>(kCount, 1);
  auto a64 = randomBits<uint64_t>(kCount, 2);
  auto popc = evaluate<uint32_t>("popc.b32 %d, %a0;", a);
  auto clz = evaluate<uint32_t>("clz.b32 %d, %a0;", a);
  auto clz64 = evaluate<uint32_t>("clz.b64 %d, %a0;", a64);
  auto find = evaluate<uint32_t>("bfind.u32 %d, %a0;", a);
  auto findSigned = evaluate<uint32_t>("bfind.s64 %d, %a0;", a64);
  auto shift = evaluate<uint32_t>("bfind.shiftamt.u32 %d, %a0;", a);
  auto brev = evaluate<uint64_t>("brev.b64 %d, %a0;", a64);
  for (size_t i = 0; i < kCount; ++i) {
    unsigned ones = 0, top = ~0u, top64 = ~0u, topSigned = ~0u;
    uint64_t reversed = 0;
    uint64_t flipped = int64_t(a64[i]) < 0 ? ~a64[i] : a64[i];
    for (unsigned k = 0; k < 64; ++k) {
      if (k < 32 && (a[i] >> k & 1))
        ++ones, top = k;
      if (a64[i] >> k & 1)
        top64 = k;
      if (flipped >> k & 1)
        topSigned = k;
      reversed |= (a64[i] >> k & 1) << (63 - k);
    }
    ASSERT_EQ(popc[i], ones);
    ASSERT_EQ(clz[i], 31 - top);
    ASSERT_EQ(clz64[i], 63 - top64);
    ASSERT_EQ(find[i], top);
    ASSERT_EQ(findSigned[i], topSigned);
    ASSERT_EQ(shift[i], top == ~0u ? top : 31 - top);
    ASSERT_EQ(brev[i], reversed);
  }
}

TEST(Integer, BitFields) {
  auto a = randomBits<uint32_t>(kCount, 1), b = randomBits<uint32_t>(kCount, 2),
       p = randomBits<uint32_t>(kCount, 3), n = randomBits<uint32_t>(kCount, 4);
  for (size_t i = 0; i < kCount; ++i) {
    p[i] %= 40;
    n[i] %= 40;
  }
  auto u = evaluate<uint32_t>("bfe.u32 %d, %a0, %a1, %a2;", a, p, n);
  auto s = evaluate<uint32_t>("bfe.s32 %d, %a0, %a1, %a2;", a, p, n);
  auto f = evaluate<uint32_t>("bfi.b32 %d, %a0, %a1, %a2, %a3;", a, b, p, n);
  for (size_t i = 0; i < kCount; ++i) {
    // The definition in the PTX ISA, bit by bit.
    uint32_t unsignedField = 0, signedField = 0, inserted = b[i];
    uint32_t last = std::min(p[i] + n[i] - 1, 31u);
    uint32_t sign = n[i] ? a[i] >> last & 1 : 0;
    for (uint32_t k = 0; k < 32; ++k) {
      bool inside = k < n[i] && p[i] + k <= 31;
      uint32_t bit = inside ? a[i] >> (p[i] + k) & 1 : 0;
      unsignedField |= bit << k;
      signedField |= (inside ? bit : sign) << k;
      if (inside)
        inserted =
            (inserted & ~(1u << (p[i] + k))) | ((a[i] >> k & 1) << (p[i] + k));
    }
    ASSERT_EQ(u[i], unsignedField);
    ASSERT_EQ(s[i], signedField) << p[i] << " " << n[i];
    ASSERT_EQ(f[i], inserted);
  }
}

TEST(Integer, PermuteLogicFunnel) {
  auto a = randomBits<uint32_t>(kCount, 1), b = randomBits<uint32_t>(kCount, 2),
       c = randomBits<uint32_t>(kCount, 3);
  auto prmt = evaluate<uint32_t>("prmt.b32 %d, %a0, %a1, %a2;", a, b, c);
  auto lop = evaluate<uint32_t>("lop3.b32 %d, %a0, %a1, %a2, 0xe2;", a, b, c);
  auto left = evaluate<uint32_t>("shf.l.clamp.b32 %d, %a0, %a1, %a2;", a, b, c);
  auto right = evaluate<uint32_t>("shf.r.wrap.b32 %d, %a0, %a1, %a2;", a, b, c);
  auto dot = evaluate<uint32_t>("dp4a.s32.u32 %d, %a0, %a1, %a2;", a, b, c);
  auto dot2 = evaluate<uint32_t>("dp2a.hi.s32.s32 %d, %a0, %a1, %a2;", a, b, c);
  for (size_t i = 0; i < kCount; ++i) {
    uint8_t bytes[8];
    std::memcpy(bytes, &a[i], 4);
    std::memcpy(bytes + 4, &b[i], 4);
    uint32_t expected = 0;
    for (unsigned k = 0; k < 4; ++k) {
      unsigned s = c[i] >> (4 * k) & 15;
      uint32_t byte = bytes[s & 7];
      expected |= (s & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << (8 * k);
    }
    ASSERT_EQ(prmt[i], expected);
    expected = 0;
    for (unsigned k = 0; k < 32; ++k) {
      unsigned index =
          (a[i] >> k & 1) << 2 | (b[i] >> k & 1) << 1 | (c[i] >> k & 1);
      expected |= (0xe2u >> index & 1) << k;
    }
    ASSERT_EQ(lop[i], expected);
    unsigned n = std::min(c[i], 32u);
    uint64_t both = uint64_t(b[i]) << 32 | a[i];
    ASSERT_EQ(left[i], uint32_t((both << n) >> 32));
    ASSERT_EQ(right[i], uint32_t(both >> (c[i] & 31)));
    uint32_t sum = c[i], sum2 = c[i];
    for (unsigned k = 0; k < 4; ++k)
      sum += uint32_t(int8_t(a[i] >> (8 * k)) * int(uint8_t(b[i] >> (8 * k))));
    for (unsigned k = 0; k < 2; ++k)
      sum2 +=
          uint32_t(int16_t(a[i] >> (16 * k)) * int8_t(b[i] >> (8 * (k + 2))));
    ASSERT_EQ(dot[i], sum);
    ASSERT_EQ(dot2[i], sum2);
  }
}

TEST(Integer, CompareAndSelect) {
  auto a = randomBits<int32_t>(kCount, 1), b = randomBits<int32_t>(kCount, 2);
  struct Case {
    const char *name;
    std::function<bool(int32_t, int32_t)> reference;
  } cases[] = {{"eq.s32", [](int32_t x, int32_t y) { return x == y; }},
               {"ne.s32", [](int32_t x, int32_t y) { return x != y; }},
               {"lt.s32", [](int32_t x, int32_t y) { return x < y; }},
               {"ge.s32", [](int32_t x, int32_t y) { return x >= y; }},
               {"lo.u32",
                [](int32_t x, int32_t y) { return uint32_t(x) < uint32_t(y); }},
               {"hs.u32", [](int32_t x,
                             int32_t y) { return uint32_t(x) >= uint32_t(y); }},
               {"gt.u32", [](int32_t x, int32_t y) {
                  return uint32_t(x) > uint32_t(y);
                }}};
  for (const Case &c : cases) {
    auto d = evaluate<int32_t>("setp." + std::string(c.name) +
                                   " %p0|%p1, %a0, %a1;\n"
                                   "setp.eq.and.s32 %p2, %a0, %a0, !%p0;\n"
                                   "xor.pred %p3, %p1, %p2;\n"
                                   "selp.b32 %d, 1, 0, %p0;\n"
                                   "@%p3 mov.b32 %d, 7;",
                               a, b);
    for (size_t i = 0; i < kCount; ++i)
      ASSERT_EQ(d[i], c.reference(a[i], b[i])) << c.name;
  }
  auto set = evaluate<uint32_t>("set.lt.u32.s32 %d, %a0, %a1;", a, b);
  auto slct = evaluate<int32_t>("slct.s32.s32 %d, %a0, %a1, %a0;", a, b);
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(set[i], a[i] < b[i] ? ~0u : 0u);
    ASSERT_EQ(slct[i], a[i] >= 0 ? a[i] : b[i]);
  }
}

TEST(Integer, Immediates) {
  std::vector<uint32_t> one(1);
  auto value = [&](const std::string &text) {
    return evaluate<uint32_t>("mov.b32 %d, " + text + ";", one).at(0);
  };
  EXPECT_EQ(value("0x1F"), 31u);
  EXPECT_EQ(value("017"), 15u);
  EXPECT_EQ(value("0b101"), 5u);
  EXPECT_EQ(value("12U"), 12u);
  EXPECT_EQ(value("-1"), ~0u);
  EXPECT_EQ(value("0f3F800000"), 0x3f800000u);
  EXPECT_EQ(value("WARP_SZ"), 32u);
  auto wide = evaluate<uint64_t>("mov.b64 %d, 0d3FF0000000000000;", one);
  EXPECT_EQ(wide.at(0), 0x3ff0000000000000u);
}

} // namespace
