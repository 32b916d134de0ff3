//===- MmaTest.cpp - mma in all shapes and types --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"
#include "Reference.h"

#include <cmath>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

struct Kind {
  const char *name;
  int bits;
  bool isFloat;
  double (*decode)(uint64_t);
};

double asHalf(uint64_t v) { return doubleFromHalf(uint16_t(v)); }
double asBfloat(uint64_t v) { return doubleFromBfloat(uint16_t(v)); }
double asTf32(uint64_t v) {
  uint32_t w = uint32_t(v) & 0xffffe000;
  float f;
  std::memcpy(&f, &w, 4);
  return f;
}
double asE4m3(uint64_t v) { return e4m3Format().value(uint32_t(v)); }
double asE5m2(uint64_t v) { return e5m2Format().value(uint32_t(v)); }
double asDouble(uint64_t v) {
  double d;
  std::memcpy(&d, &v, 8);
  return d;
}
double asS8(uint64_t v) { return int8_t(v); }
double asU8(uint64_t v) { return uint8_t(v); }
double asS4(uint64_t v) { return (v & 8) ? double(v) - 16 : double(v); }
double asU4(uint64_t v) { return double(v); }
double asB1(uint64_t v) { return double(v); }
double asS32(uint64_t v) { return int32_t(v); }
double asF32(uint64_t v) {
  uint32_t w = uint32_t(v);
  float f;
  std::memcpy(&f, &w, 4);
  return f;
}

const Kind f16{"f16", 16, true, asHalf}, bf16{"bf16", 16, true, asBfloat},
    tf32{"tf32", 32, true, asTf32}, e4m3{"e4m3", 8, true, asE4m3},
    e5m2{"e5m2", 8, true, asE5m2}, f64{"f64", 64, true, asDouble},
    s8{"s8", 8, false, asS8}, u8{"u8", 8, false, asU8},
    s4{"s4", 4, false, asS4}, u4{"u4", 4, false, asU4},
    b1{"b1", 1, false, asB1}, f32{"f32", 32, true, asF32},
    s32{"s32", 32, false, asS32};

/// A number of about [-2, 2] (or any integer) in that type.
uint64_t randomNumber(const Kind &kind, std::mt19937 &generator) {
  uint32_t r = generator();
  double x = double(int(r % 4001) - 2000) / 1000;
  if (kind.name == f16.name)
    return halfFromDouble(x);
  if (kind.name == bf16.name)
    return bfloatFromDouble(x);
  if (kind.name == e4m3.name)
    return e4m3Format().nearest(x, true);
  if (kind.name == e5m2.name)
    return e5m2Format().nearest(x, true);
  if (kind.name == f64.name) {
    uint64_t bits;
    std::memcpy(&bits, &x, 8);
    return bits;
  }
  if (kind.isFloat) {
    float f = float(x);
    uint32_t bits;
    std::memcpy(&bits, &f, 4);
    return bits;
  }
  return kind.bits == 32 ? r % 1000 : r & ((1u << kind.bits) - 1);
}

/// Elements of a lane's fragment in packed registers.
struct Fragment {
  int elementBits, registers;
  std::vector<uint8_t> bytes; ///< lane after lane
  Fragment(int elementBits, int perLane)
      : elementBits(elementBits),
        registers(std::max(1, elementBits * perLane / registerBits())),
        bytes(size_t(registers * registerBits() / 8 * 32)) {}
  int registerBits() const { return elementBits == 64 ? 64 : 32; }
  void set(int lane, int i, uint64_t value) {
    size_t bit = size_t(lane * registers * registerBits() + i * elementBits);
    if (elementBits < 8)
      bytes[bit / 8] |= uint8_t(value << (bit % 8));
    else
      std::memcpy(&bytes[bit / 8], &value, size_t(elementBits / 8));
  }
  uint64_t get(int lane, int i) const {
    size_t bit = size_t(lane * registers * registerBits() + i * elementBits);
    uint64_t value = 0;
    std::memcpy(&value, &bytes[bit / 8], size_t(elementBits / 8));
    return value;
  }
};

/// Of mma.sp: "Matrix fragments for multiply-accumulate operation with sparse
/// matrix A". Units are of 16 or of 8 bits, and 4 bits tell of four.
struct Sparsity {
  int selector = -1; ///< none: not sparse
  bool ordered = false;
  uint32_t metadata[32] = {};
  std::vector<bool> taken; ///< by row and column

  /// Draws which elements of a row there are: their columns.
  std::vector<int> drawRow(int row, int k, int bits, std::mt19937 &generator) {
    int units = bits == 32 ? 2 * k : bits == 4 ? k / 2 : k;
    bool wide = bits >= 16;
    std::vector<int> columns;
    taken.resize(size_t(16 * k));
    for (int chunk = 0; chunk < units / 4; ++chunk) {
      int first = int(generator() % 4), second = int(generator() % 3);
      second += second >= first;
      if (ordered && second < first)
        std::swap(first, second);
      if (bits == 32) {
        first = first / 2 * 2;
        second = first + 1;
      }
      int thread = 4 * (row % 8), half = row / 8, bit;
      if (wide) {
        bit = 16 * half + chunk % 4 * 4;
        thread += units == 16 ? selector : 2 * selector + chunk / 4;
      } else {
        bit = chunk % 8 * 4;
        thread += half + (units == 32 ? 2 * selector : chunk / 8 * 2);
      }
      metadata[thread] |= uint32_t(first | second << 2) << bit;
      for (int unit : {4 * chunk + first, 4 * chunk + second})
        if (bits == 4) {
          columns.push_back(2 * unit);
          columns.push_back(2 * unit + 1);
        } else if (bits != 32 || unit % 2 == 0) {
          columns.push_back(bits == 32 ? unit / 2 : unit);
        }
    }
    for (int column : columns)
      taken[size_t(row * k + column)] = true;
    return columns;
  }
};

/// `bitOp`, of single bits: .and.popc or .xor.popc.
void check(int m, int k, const Kind &a, const Kind &b, const Kind &c,
           const std::string &bitOp = "", Sparsity sparsity = {}) {
  int n = 8;
  bool sparse = sparsity.selector >= 0;
  std::string shape = "m" + std::to_string(m) + "n8k" + std::to_string(k);
  std::string opcode = std::string("mma") +
                       (sparsity.ordered ? ".sp::ordered_metadata"
                        : sparse         ? ".sp"
                                         : "") +
                       ".sync.aligned." + shape + ".row.col." + c.name + "." +
                       a.name + "." + b.name + "." + c.name + bitOp;
  SCOPED_TRACE(opcode);
  std::mt19937 generator(unsigned(m * 100 + k));
  // "Matrix fragments for mma": e elements of a register lie in a row (of B: a
  // column); registers alternate between rows g and g + 8, then go on in k.
  int e = a.bits == 64 ? 1 : 32 / a.bits;
  int halves = m / 8, perA = m * k / (sparse ? 64 : 32), perB = n * k / 32,
      perC = m * n / 32;
  Fragment fa(a.bits, perA), fb(b.bits, perB), fc(c.bits, perC),
      fd(c.bits, perC);
  std::vector<double> ma(size_t(m * k)), mb(size_t(k * n)), mc(size_t(m * n));
  std::vector<std::vector<int>> columns(16);
  for (int row = 0; sparse && row < 16; ++row)
    columns[size_t(row)] = sparsity.drawRow(row, k, a.bits, generator);
  for (int lane = 0; lane < 32; ++lane) {
    int g = lane / 4, t = lane % 4;
    for (int i = 0; i < perA; ++i) {
      int reg = i / e, row = g + 8 * (reg % halves),
          col = t * e + i % e + reg / halves * 4 * e;
      uint64_t v = randomNumber(a, generator);
      fa.set(lane, i, v);
      if (sparse)
        col = columns[size_t(row)][size_t(col)];
      ma[size_t(row * k + col)] = a.decode(v);
    }
    for (int i = 0; i < perB; ++i) {
      int row = t * e + i % e + i / e * 4 * e;
      uint64_t v = randomNumber(b, generator);
      fb.set(lane, i, v);
      mb[size_t(row * n + g)] = b.decode(v);
    }
    for (int i = 0; i < perC; ++i) {
      uint64_t v = randomNumber(c, generator);
      fc.set(lane, i, v);
      mc[size_t((g + 8 * (i / 2)) * n + t * 2 + i % 2)] = c.decode(v);
    }
  }

  std::ostringstream text;
  text << ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k("
          ".param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n{\n"
          ".reg .b32 %t, %e;\n.reg .b64 %q, %o;\nmov.u32 %t, %tid.x;\n";
  if (sparse) {
    text << ".reg .pred %same;\nmov.b32 %e, 0;\n";
    for (int lane = 0; lane < 32; ++lane)
      text << "setp.eq.u32 %same, %t, " << lane << ";\n@%same mov.b32 %e, "
           << sparsity.metadata[lane] << ";\n";
  }
  std::string lists[4];
  const Fragment *parts[4] = {&fa, &fb, &fc, &fd};
  for (int p = 0; p < 4; ++p) {
    int width = parts[p]->registerBits();
    std::string name = std::string("%") + "abcd"[p];
    text << ".reg .b" << width << " " << name << "<" << parts[p]->registers
         << ">;\n";
    lists[p] = "{";
    for (int r = 0; r < parts[p]->registers; ++r)
      lists[p] += (r ? ", " : "") + name + std::to_string(r);
    lists[p] += "}";
    if (p == 3)
      text << opcode << " " << lists[3] << ", " << lists[0] << ", " << lists[1]
           << ", " << lists[2]
           << (sparse ? ", %e, " + std::to_string(sparsity.selector) : "")
           << ";\n";
    text << "ld.param.u64 %q, [p" << "abcd"[p] << "];\nmul.wide.u32 %o, %t, "
         << parts[p]->registers * width / 8 << ";\nadd.s64 %q, %q, %o;\n";
    for (int r = 0; r < parts[p]->registers; ++r)
      if (p == 3)
        text << "st.global.b" << width << " [%q+" << r * width / 8 << "], "
             << name << r << ";\n";
      else
        text << "ld.global.b" << width << " " << name << r << ", [%q+"
             << r * width / 8 << "];\n";
  }
  text << "ret;\n}\n";
  if (sparse)
    expectAssembles(text.str());
  auto program = parse(text.str());
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint8_t> da(memory, fa.bytes), db(memory, fb.bytes),
      dc(memory, fc.bytes), dd(memory, fd.bytes);
  LaunchResult result = runOk(
      *program, makeLaunch("k", {1, 1, 1}, {32, 1, 1}, da, db, dc, dd), memory);
  EXPECT_EQ(result.counters.mmaFlops, uint64_t(2 * m * n * k));
  fd.bytes = dd.fetch();
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < perC; ++i) {
      int row = lane / 4 + 8 * (i / 2), col = lane % 4 * 2 + i % 2;
      double sum = mc[size_t(row * n + col)], fused = sum;
      for (int p = 0; p < k; ++p) {
        if (sparse && !sparsity.taken[size_t(row * k + p)])
          continue;
        double x = ma[size_t(row * k + p)], y = mb[size_t(p * n + col)];
        if (bitOp == ".xor.popc") {
          x = x != y;
          y = 1;
        }
        sum += x * y;
        // As documented: fused, in the order of k.
        fused = c.bits == 64 || !c.isFloat
                    ? std::fma(x, y, fused)
                    : std::fma(float(x), float(y), float(fused));
      }
      if (c.bits == 16)
        fused = doubleFromHalf(halfFromDouble(fused));
      double got = c.decode(fd.get(lane, i));
      double tolerance = !c.isFloat     ? 0
                         : c.bits == 64 ? 1e-13
                         : c.bits == 32 ? 1e-4
                                        : 0.06;
      ASSERT_NEAR(got, sum, tolerance) << row << ", " << col;
      ASSERT_EQ(got, fused) << row << ", " << col;
    }
}

TEST(Mma, Half) {
  check(16, 8, f16, f16, f32);
  check(16, 16, f16, f16, f32);
  check(16, 8, f16, f16, f16);
  check(16, 16, f16, f16, f16);
}
TEST(Mma, Bfloat) {
  check(16, 8, bf16, bf16, f32);
  check(16, 16, bf16, bf16, f32);
}
TEST(Mma, Tf32) {
  check(16, 4, tf32, tf32, f32);
  check(16, 8, tf32, tf32, f32);
}
TEST(Mma, Double) {
  check(8, 4, f64, f64, f64);
  check(16, 4, f64, f64, f64);
  check(16, 8, f64, f64, f64);
  check(16, 16, f64, f64, f64);
}
TEST(Mma, Bytes) {
  for (const Kind *x : {&s8, &u8})
    for (const Kind *y : {&s8, &u8}) {
      check(8, 16, *x, *y, s32);
      check(16, 16, *x, *y, s32);
      check(16, 32, *x, *y, s32);
    }
}
TEST(Mma, Nibbles) {
  for (const Kind *x : {&s4, &u4})
    for (const Kind *y : {&s4, &u4}) {
      check(8, 32, *x, *y, s32);
      check(16, 32, *x, *y, s32);
      check(16, 64, *x, *y, s32);
    }
}
TEST(Mma, Bits) {
  for (const char *bitOp : {".and.popc", ".xor.popc"}) {
    check(8, 128, b1, b1, s32, bitOp);
    check(16, 128, b1, b1, s32, bitOp);
    check(16, 256, b1, b1, s32, bitOp);
  }
}
TEST(Mma, Fp8) {
  for (const Kind *x : {&e4m3, &e5m2})
    for (const Kind *y : {&e4m3, &e5m2}) {
      check(16, 32, *x, *y, f32);
      check(16, 16, *x, *y, f32);
      check(16, 32, *x, *y, f16);
    }
}

TEST(Mma, Sparse) {
  auto all = [](int k, const Kind &a, const Kind &b, const Kind &c,
                int selectors) {
    for (int selector = 0; selector < selectors; ++selector)
      check(16, k, a, b, c, "", {selector, selector % 2 == 0, {}, {}});
    check(16, k, a, b, c, "", {0, false, {}, {}});
  };
  for (const Kind *c : {&f32, &f16}) {
    all(16, f16, f16, *c, 4);
    all(32, f16, f16, *c, 2);
  }
  all(16, bf16, bf16, f32, 4);
  all(32, bf16, bf16, f32, 2);
  all(8, tf32, tf32, f32, 4);
  all(16, tf32, tf32, f32, 2);
  for (const Kind *x : {&e4m3, &e5m2})
    for (const Kind *y : {&e4m3, &e5m2})
      all(64, *x, *y, f32, 1);
  for (const Kind *x : {&s8, &u8})
    for (const Kind *y : {&s8, &u8}) {
      all(32, *x, *y, s32, 2);
      all(64, *x, *y, s32, 1);
    }
  for (const Kind *x : {&s4, &u4})
    for (const Kind *y : {&s4, &u4}) {
      all(64, *x, *y, s32, 2);
      all(128, *x, *y, s32, 1);
    }
}

TEST(Mma, SparseErrors) {
  auto error = [](const std::string &variant, const std::string &selector,
                  const std::string &metadata) {
    std::string text = hopperKernel(
        1, 16,
        "mov.b32 %r0, 0;\nmov.b32 %e, " + metadata + ";\nmma" + variant +
            ".sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 "
            "{%r1, %r2}, {%r0, %r0, %r0, %r0}, "
            "{%r0, %r0, %r0, %r0}, {%r0, %r0}, %e, " +
            selector + ";\n",
        ".reg .b32 %e;\n");
    auto program = parse(text);
    Memory memory;
    Array<uint32_t> out(memory, std::vector<uint32_t>(4));
    LaunchResult result =
        run(*program, makeLaunch("k", {1, 1, 1}, {32, 1, 1}, out), memory);
    return result.error ? result.error->message : "";
  };
  EXPECT_EQ(error(".sp", "0", "0x44444444"), "");
  EXPECT_EQ(error(".sp", "1", "0x11111111"), "");
  EXPECT_NE(error(".sp::ordered_metadata", "0", "0x11111111")
                .find("leaves the result undefined"),
            std::string::npos);
  EXPECT_NE(error(".sp", "0", "0x44440444").find("leaves the result undefined"),
            std::string::npos);
  EXPECT_NE(error(".sp", "2", "0x44444444").find("a constant from 0 to 1"),
            std::string::npos);
}

} // namespace
