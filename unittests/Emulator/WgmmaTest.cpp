//===- WgmmaTest.cpp - wgmma in all types, layouts and sizes --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices are laid out by formulas of tiles (rows of a swizzle atom one after
// the other, 16-byte chunks exchanged by the number of their 128-byte line), as
// a tensor copy leaves them; the emulator goes by descriptors.
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"
#include "Reference.h"

#include <cmath>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

double half(uint32_t v) { return doubleFromHalf(uint16_t(v)); }
double bfloat(uint32_t v) { return doubleFromBfloat(uint16_t(v)); }
double single(uint32_t v) {
  float f;
  std::memcpy(&f, &v, 4);
  return f;
}
double tf32(uint32_t v) { return single(v & 0xffffe000u); }
double e4m3(uint32_t v) { return e4m3Format().value(v); }
double e5m2(uint32_t v) { return e5m2Format().value(v); }
double s8(uint32_t v) { return int8_t(v); }
double u8(uint32_t v) { return uint8_t(v); }
double s32(uint32_t v) { return int32_t(v); }

struct Element {
  const char *name;
  unsigned bytes;
  double (*decode)(uint32_t);
};
const Element F16{"f16", 2, half}, BF16{"bf16", 2, bfloat},
    TF32{"tf32", 4, tf32}, E4M3{"e4m3", 1, e4m3}, E5M2{"e5m2", 1, e5m2},
    S8{"s8", 1, s8}, U8{"u8", 1, u8}, B1{"b1", 1, u8}, // eight of them
    F32{"f32", 4, single}, S32{"s32", 4, s32};

uint32_t number(const Element &e, std::mt19937 &generator) {
  uint32_t r = generator();
  double x = double(int(r % 401) - 200) / 100;
  if (e.name == F16.name)
    return halfFromDouble(x);
  if (e.name == BF16.name)
    return bfloatFromDouble(x);
  if (e.name == E4M3.name)
    return e4m3Format().nearest(x, true);
  if (e.name == E5M2.name)
    return e5m2Format().nearest(x, true);
  if (e.bytes == 1)
    return r & 0xff;
  if (e.name == S32.name)
    return r % 1000;
  float f = float(x);
  std::memcpy(&r, &f, 4);
  return r;
}

/// An operand in shared memory: `rows` by two steps of 32 bytes along K.
struct Operand {
  unsigned rows, bytes, mode; // mode: 0 none, 1 32B, 2 64B, 3 128B
  bool transposed;
  unsigned leading = 0, stride = 0, step = 0, size = 0;

  Operand(unsigned rows, unsigned bytes, unsigned mode, bool transposed)
      : rows(rows), bytes(bytes), mode(mode), transposed(transposed) {
    unsigned width = 16u << mode, k = 64 / bytes;
    if (!transposed && !mode) {
      leading = rows / 8 * 128;
      stride = 128;
      step = 2 * leading;
      size = 4 * leading;
    } else if (!transposed) {
      stride = 8 * width;
      step = width == 32 ? rows * 32 : 32;
      size = width == 32 ? 2 * step : rows * width;
    } else if (!mode) {
      leading = rows / 8 * 128;
      stride = 128;
      step = 2 * leading;
      size = k / 8 * leading;
    } else {
      leading = k * width;
      stride = 8 * width;
      step = 16 * width;
      size = (rows + width / 2 - 1) / (width / 2) * leading;
    }
    size = (size + 2047) / 2048 * 2048; // what the threads copy at a time
  }
  unsigned place(unsigned r, unsigned k) const {
    unsigned width = 16u << mode, kb = k * bytes, at;
    if (!transposed && !mode)
      at = (kb / 16 * (rows / 8) + r / 8) * 128 + r % 8 * 16 + kb % 16;
    else if (!transposed)
      at =
          width == 32 ? kb / 32 * rows * 32 + r * 32 + kb % 32 : r * width + kb;
    else if (!mode)
      at = (k / 8 * (rows / 8) + r / 8) * 128 + k % 8 * 16 + r % 8 * 2;
    else
      at = r / (width / 2) * leading + k * width + r % (width / 2) * 2;
    unsigned line = at / 128, chunk = at / 16 % 8;
    static const unsigned periods[] = {1, 2, 4, 8};
    return line * 128 + (chunk ^ (line % periods[mode])) * 16 + at % 16;
  }
  uint64_t descriptor(unsigned at) const {
    static const uint64_t modes[] = {0, 3, 2, 1};
    return uint64_t(at / 16) | uint64_t(leading / 16) << 16 |
           uint64_t(stride / 16) << 32 | modes[mode] << 62;
  }
};

struct Case {
  const Element &d, &a, &b;
  unsigned n;
  unsigned modeA = 3, modeB = 3;
  bool transA = false, transB = false, registersA = false;
  int scaleA = 1, scaleB = 1;
  bool scaleD = true, satfinite = false;
  unsigned shift = 0; ///< of the matrices, in lines of 128 bytes
};

/// c + sum of the products, as Hopper adds those of 8-bit floats
/// (docs/numerics.md), on exact doubles.
double hopperSum(double c, const double *x, const double *y, double sign) {
  auto exponent = [](double v) { return v == 0 ? -999 : std::ilogb(v); };
  auto cut = [](double v, int e) {
    return e < -500 ? v : std::ldexp(std::trunc(std::ldexp(v, 13 - e)), e - 13);
  };
  int largest = exponent(c);
  for (unsigned j = 0; j < 32; ++j)
    largest = std::max(largest, exponent(x[j]) + exponent(y[j]));
  double sum = cut(c, largest);
  for (unsigned j = 0; j < 32; ++j)
    sum += cut(sign * x[j] * y[j], largest);
  return cut(sum, exponent(sum));
}

void check(const Case &c) {
  unsigned bytes = c.a.bytes, k = 32 / bytes, n = c.n;
  bool isFloat = c.d.name != S32.name, isHalf = c.d.name == F16.name;
  bool isBits = c.a.name == B1.name;
  Operand a(64, bytes, c.modeA, c.transA), b(n, bytes, c.modeB, c.transB);
  std::ostringstream opcode;
  opcode << "wgmma.mma_async.sync.aligned.m64n" << n << "k"
         << (isBits ? 8 * k : k) << "." << (c.satfinite ? "satfinite." : "")
         << c.d.name << "." << c.a.name << "." << c.b.name
         << (isBits ? ".and.popc" : "");
  SCOPED_TRACE(opcode.str() + " modes " + std::to_string(c.modeA) + ", " +
               std::to_string(c.modeB) + (c.registersA ? " registers" : ""));
  if (c.satfinite) {
    std::string text = opcode.str(), moved = ".satfinite";
    text.erase(text.find(moved), moved.size());
    opcode.str(text.replace(text.find("." + std::string(c.d.name)), 0, moved));
  }

  std::mt19937 generator(n * 7 + c.modeA * 3 + c.modeB);
  std::vector<uint8_t> image(a.size + b.size);
  std::vector<double> ma(64 * 2 * k), mb(size_t(n) * 2 * k);
  // A in registers: two steps of four registers of 128 threads.
  std::vector<uint32_t> fragments(2 * 4 * 128);
  for (unsigned r = 0; r < 64; ++r)
    for (unsigned j = 0; j < 2 * k; ++j) {
      uint32_t v = number(c.a, generator);
      ma[r * 2 * k + j] = c.a.decode(v);
      std::memcpy(&image[a.place(r, j)], &v, bytes);
      // Figures "WGMMA .m64nNk16 register fragment layout for matrix A": lane
      // 4 g + t has 4 bytes at t of rows g and g + 8, then of the next 16
      // bytes.
      unsigned step = j / k, at = j % k * bytes;
      unsigned thread = r / 16 * 32 + r % 8 * 4 + at % 16 / 4;
      unsigned reg = at / 16 * 2 + r % 16 / 8;
      std::memcpy(reinterpret_cast<uint8_t *>(
                      &fragments[(step * 4 + reg) * 128 + thread]) +
                      at % 4,
                  &v, bytes);
    }
  for (unsigned r = 0; r < n; ++r)
    for (unsigned j = 0; j < 2 * k; ++j) {
      uint32_t v = number(c.b, generator);
      mb[r * 2 * k + j] = c.b.decode(v);
      std::memcpy(&image[a.size + b.place(r, j)], &v, bytes);
    }
  unsigned registers = n / 8 * (isHalf ? 2 : 4);
  std::vector<uint32_t> accumulators(registers * 128);
  std::vector<double> md(64 * n);
  for (unsigned r = 0; r < 64; ++r)
    for (unsigned col = 0; col < n; ++col) {
      uint32_t v = number(c.d, generator);
      md[r * n + col] = c.scaleD ? c.d.decode(v) : 0;
      unsigned thread = r / 16 * 32 + r % 8 * 4 + col % 8 / 2, h = r % 16 / 8;
      unsigned reg = isHalf ? col / 8 * 2 + h : col / 8 * 4 + h * 2 + col % 2;
      uint32_t &place = accumulators[reg * 128 + thread];
      if (isHalf)
        place |= v << (16 * (col % 2));
      else
        place = v;
    }

  // p0 image, p1 A's registers, p2 accumulators, p3 and p4 descriptors.
  std::ostringstream body, list;
  const char *kind = isFloat && !isHalf ? "f32" : "b32";
  for (unsigned i = 0; i < registers; ++i)
    list << (i ? ", " : "") << "%acc" << i;
  body << "mul.wide.u32 %d0, %t, 16;\nadd.s64 %d0, %d0, %p0;\n"
       << "shl.b32 %r0, %t, 4;\nadd.s32 %r0, %r0, %s;\n"
       << "add.s32 %r0, %r0, " << c.shift * 128 << ";\n"
       << "mov.u32 %r1, " << image.size() / 2048 << ";\n"
       << "L:\nld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d0];\n"
       << "st.shared.v4.u32 [%r0], {%r4, %r5, %r6, %r7};\n"
       << "add.s64 %d0, %d0, 2048;\nadd.s32 %r0, %r0, 2048;\n"
       << "sub.s32 %r1, %r1, 1;\nsetp.ne.s32 %q0, %r1, 0;\n@%q0 bra L;\n"
       << "mul.wide.u32 %d1, %t, 4;\nadd.s64 %d2, %d1, %p1;\n"
       << "add.s64 %d3, %d1, %p2;\n";
  for (unsigned i = 0; i < 8; ++i)
    body << "ld.global.b32 %fa" << i << ", [%d2+" << i * 512 << "];\n";
  for (unsigned i = 0; i < registers; ++i)
    body << "ld.global." << kind << " %acc" << i << ", [%d3+" << i * 512
         << "];\n";
  body << "fence.proxy.async;\nbar.sync 0;\n"
       << "cvt.u64.u32 %d4, %s;\nshr.u64 %d4, %d4, 4;\n"
       << "add.s64 %d5, %p3, %d4;\nadd.s64 %d6, %p4, %d4;\n"
       << "setp.ne.s32 %q1, " << c.scaleD << ", 0;\nsetp.eq.s32 %q2, %t, %t;\n"
       << "wgmma.fence.sync.aligned;\n";
  for (unsigned step = 0; step < 2; ++step) {
    body << opcode.str() << " {" << list.str() << "}, ";
    if (c.registersA)
      body << "{%fa" << step * 4 << ", %fa" << step * 4 + 1 << ", %fa"
           << step * 4 + 2 << ", %fa" << step * 4 + 3 << "}";
    else
      body << "%d5";
    body << ", %d6, %q" << (step ? 2 : 1);
    if (isFloat)
      body << ", " << c.scaleA << ", " << c.scaleB;
    if (bytes == 2)
      body << (c.registersA ? ""
               : c.transA   ? ", 1"
                            : ", 0")
           << (c.transB ? ", 1" : ", 0");
    body << ";\n";
    if (!step)
      body << "add.s64 %d5, %d5, " << a.step / 16 << ";\nadd.s64 %d6, %d6, "
           << b.step / 16 << ";\n";
  }
  body << "wgmma.commit_group.sync.aligned;\n"
       << "wgmma.wait_group.sync.aligned 0;\n";
  for (unsigned i = 0; i < registers; ++i)
    body << "st.global." << kind << " [%d3+" << i * 512 << "], %acc" << i
         << ";\n";
  std::string text =
      hopperKernel(5, unsigned(image.size()) + c.shift * 128, body.str(),
                   ".reg ." + std::string(kind) + " %acc<" +
                       std::to_string(registers) + ">;\n.reg .b32 %fa<8>;\n");
  if (n <= 64)
    expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  // "Matrix-descriptor format": (pattern start address >> 7) & 7.
  uint64_t baseOffset = uint64_t(c.shift & 7) << 49;
  Array<uint8_t> dImage(memory, image);
  Array<uint32_t> dFragments(memory, fragments), dD(memory, accumulators);
  LaunchResult result =
      runOk(*program,
            makeLaunch("k", {1, 1, 1}, {128, 1, 1}, dImage, dFragments, dD,
                       a.descriptor(c.shift * 128) | baseOffset,
                       b.descriptor(a.size + c.shift * 128) | baseOffset),
            memory);
  EXPECT_EQ(result.counters.mmaFlops, 2ull * 64 * n * 2 * k * (isBits ? 8 : 1));
  dD.fetch();
  for (unsigned r = 0; r < 64; ++r)
    for (unsigned col = 0; col < n; ++col) {
      double sum = md[r * n + col];
      bool isHopperSum = bytes == 1 && isFloat && !isHalf;
      for (unsigned step = 0; isHopperSum && step < 2; ++step)
        sum = hopperSum(sum, &ma[r * 2 * k + step * 32],
                        &mb[col * 2 * k + step * 32], c.scaleA * c.scaleB);
      for (unsigned j = 0; !isHopperSum && j < 2 * k; ++j) {
        double x = ma[r * 2 * k + j], y = mb[col * 2 * k + j];
        sum += isBits ? __builtin_popcount(unsigned(x) & unsigned(y))
                      : c.scaleA * c.scaleB * x * y;
      }
      unsigned thread = r / 16 * 32 + r % 8 * 4 + col % 8 / 2, h = r % 16 / 8;
      unsigned reg = isHalf ? col / 8 * 2 + h : col / 8 * 4 + h * 2 + col % 2;
      uint32_t v = dD.host[reg * 128 + thread];
      if (isHalf)
        v = v >> (16 * (col % 2)) & 0xffff;
      double tolerance = !isFloat || isHopperSum ? 0 : isHalf ? 0.1 : 1e-3;
      ASSERT_NEAR(c.d.decode(v), sum, tolerance) << r << ", " << col;
    }
}

TEST(Wgmma, SwizzlesAndMajors) {
  for (unsigned modeA = 0; modeA < 4; ++modeA)
    for (unsigned modeB = 0; modeB < 4; ++modeB)
      for (bool transA : {false, true})
        for (bool transB : {false, true})
          check({F32, F16, F16, 64, modeA, modeB, transA, transB});
}
/// Matrices that do not start where a swizzle's pattern would.
TEST(Wgmma, BaseOffset) {
  for (unsigned mode = 1; mode < 4; ++mode)
    for (unsigned shift = 1; shift < 9; ++shift)
      for (bool transposed : {false, true})
        check({F32, F16, F16, 32, mode, mode, transposed, transposed, false, 1,
               1, true, false, shift});
}
TEST(Wgmma, Sizes) {
  for (unsigned n = 8; n <= 256; n += 8)
    check({F32, BF16, BF16, n});
  check({F32, F16, F16, 256, 3, 3, true, true});
}
TEST(Wgmma, Types) {
  for (unsigned mode = 0; mode < 4; ++mode) {
    check({F16, F16, F16, 24, mode, mode});
    check({F32, TF32, TF32, 16, mode, mode});
    for (const Element *x : {&E4M3, &E5M2})
      for (const Element *y : {&E4M3, &E5M2}) {
        check({F32, *x, *y, 32, mode, mode});
        check({F16, *x, *y, 8, mode, mode});
      }
    for (const Element *x : {&S8, &U8})
      for (const Element *y : {&S8, &U8})
        check({S32, *x, *y, 48, mode, mode});
  }
}
TEST(Wgmma, RegistersOfA) {
  for (const Element *e : {&F16, &BF16, &TF32, &E4M3, &E5M2})
    check({F32, *e, *e, 40, 3, 2, false, false, true});
  check({F32, F16, F16, 64, 3, 3, false, true, true});
  check({S32, S8, U8, 32, 3, 3, false, false, true});
  check({F16, F16, F16, 16, 3, 1, false, false, true});
}
TEST(Wgmma, Bits) {
  for (unsigned mode = 0; mode < 4; ++mode)
    check({S32, B1, B1, 24, mode, mode});
  check({S32, B1, B1, 256});
  check({S32, B1, B1, 48, 3, 3, false, false, true});
}
TEST(Wgmma, Scales) {
  check({F32, F16, F16, 16, 3, 3, false, false, false, -1, 1, true});
  check({F32, F16, F16, 16, 3, 3, false, false, false, 1, -1, false});
  check({F32, TF32, TF32, 16, 3, 3, false, false, false, -1, -1, false});
  check({S32, S8, S8, 16, 3, 3, false, false, false, 1, 1, false});
  check({S32, S8, S8, 16, 3, 3, false, false, false, 1, 1, true, true});
}

/// Accumulators keep their old values until the wait.
TEST(Wgmma, ArrivesAtTheWait) {
  std::string body = R"(
    st.shared.u32 [%s], 0;
    mov.f32 %acc0, 0f3f800000; mov.f32 %acc1, %acc0;
    mov.f32 %acc2, %acc0; mov.f32 %acc3, %acc0;
    mov.u64 %d1, 0x0000000800080000;
    setp.ne.s32 %q0, %t, %t;
    bar.sync 0;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16
      {%acc0, %acc1, %acc2, %acc3}, %d1, %d1, %q0, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    mov.b32 %r0, %acc0;
    wgmma.wait_group.sync.aligned 0;
    mov.b32 %r1, %acc0;
    mul.wide.u32 %d0, %t, 8;
    add.s64 %d0, %d0, %p0;
    st.global.v2.b32 [%d0], {%r0, %r1};
)";
  // Shared memory that nobody wrote is NaN; what the product is of matters
  // little here.
  auto program = parse(hopperKernel(1, 16384, body, ".reg .f32 %acc<4>;\n"));
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(256));
  runOk(*program, makeLaunch("k", {1, 1, 1}, {128, 1, 1}, out), memory);
  out.fetch();
  EXPECT_EQ(out.host[0], 0x3f800000u);
  EXPECT_NE(out.host[1], 0x3f800000u);
}

TEST(Wgmma, Errors) {
  auto expect = [](const std::string &instruction, const char *message) {
    auto program = parse(
        hopperKernel(1, 1024, "setp.eq.s32 %q0, %t, %t;\n" + instruction + "\n",
                     ".reg .f32 %acc<8>;\n"));
    ASSERT_TRUE(program);
    Memory memory;
    LaunchResult result = run(
        *program, makeLaunch("k", {1, 1, 1}, {128, 1, 1}, uint64_t(0)), memory);
    ASSERT_TRUE(result.error) << instruction;
    EXPECT_NE(result.error->message.find(message), std::string::npos)
        << result.error->message;
  };
  std::string opcode = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 ";
  expect(opcode + "{%acc0, %acc1}, %d0, %d0, %q0, 1, 1, 0, 0;",
         "requires 4 accumulators");
  expect(opcode + "{%acc0, %acc1, %acc2, %acc3}, %d0, %d0, %q0, 2, 1, 0, 0;",
         "imm-scale");
  expect("mov.u64 %d0, 0x1fff;\n" + opcode +
             "{%acc0, %acc1, %acc2, %acc3}, %d0, %d0, %q0, 1, 1, 0, 0;",
         "the descriptor of A reaches");
  expect("wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%acc0}, %d0, "
         "%d0, %q0, 1, 1, 0, 0;",
         "unknown or unsupported instruction");
}

} // namespace
