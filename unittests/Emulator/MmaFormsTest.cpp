//===- MmaFormsTest.cpp - Older and rarer forms of mma and wmma -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"
#include "Reference.h"

#include <cfenv>
#include <cmath>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

/// Registers of 32 lanes, the words of a lane side by side.
struct Registers {
  unsigned count, bytes = 4;
  std::vector<uint8_t> data = std::vector<uint8_t>(size_t(count) * bytes * 32);

  template <class T> T &at(unsigned lane, unsigned i) {
    return reinterpret_cast<T *>(data.data() + lane * count * bytes)[i];
  }
};

/// `opcode d, a, b, c` in a warp.
void multiply(const std::string &opcode, Registers &a, Registers &b,
              Registers &c, Registers &d) {
  Registers *parts[] = {&a, &b, &c, &d};
  std::ostringstream loads, stores, declarations;
  std::string lists[4];
  for (unsigned p = 0; p < 4; ++p) {
    const Registers &part = *parts[p];
    std::string name = std::string("%x") + "abcd"[p];
    std::string type = ".b" + std::to_string(8 * part.bytes);
    declarations << ".reg " << type << " " << name << "<" << part.count
                 << ">;\n";
    std::ostringstream &text = p == 3 ? stores : loads;
    text << "mul.wide.u32 %d0, %t, " << part.count * part.bytes
         << ";\nadd.s64 %d0, %d0, %p" << p << ";\n";
    for (unsigned i = 0; i < part.count; ++i) {
      std::string reg = name + std::to_string(i);
      std::string place = "[%d0+" + std::to_string(i * part.bytes) + "]";
      lists[p] += (i ? ", " : "{") + reg;
      text << (p == 3 ? "st.global" + type + " " + place + ", " + reg
                      : "ld.global" + type + " " + reg + ", " + place)
           << ";\n";
    }
    lists[p] += "}";
  }
  std::string text =
      hopperKernel(4, 16,
                   loads.str() + opcode + " " + lists[3] + ", " + lists[0] +
                       ", " + lists[1] + ", " + lists[2] + ";\n" + stores.str(),
                   declarations.str());
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint8_t> da(memory, a.data), db(memory, b.data), dc(memory, c.data),
      dd(memory, d.data);
  runOk(*program, makeLaunch("k", {1, 1, 1}, {32, 1, 1}, da, db, dc, dd),
        memory);
  d.data = dd.fetch();
}

/// "Matrix Fragments for mma.m8n8k4 with .f16": which of the four MMAs a lane
/// belongs to, and what its elements are.
TEST(MmaForms, QuadPairs) {
  for (bool columnA : {false, true})
    for (bool rowB : {false, true})
      for (auto [halfC, halfD] :
           {std::pair(false, false), std::pair(true, true),
            std::pair(true, false)}) {
        std::string opcode =
            std::string("mma.sync.aligned.m8n8k4.") +
            (columnA ? "col." : "row.") + (rowB ? "row." : "col.") +
            (halfD ? "f16" : "f32") + ".f16.f16." + (halfC ? "f16" : "f32");
        SCOPED_TRACE(opcode);
        std::mt19937 generator(7);
        Registers a{2}, b{2}, c{halfC ? 4u : 8u}, d{halfD ? 4u : 8u};
        float ma[4][8][4], mb[4][4][8], mc[4][8][8];
        auto draw = [&] { return float(int(generator() % 2001) - 1000) / 500; };
        auto row32 = [](unsigned lane, unsigned i) {
          return (lane & 1) + (i & 2) + (lane < 16 ? 0 : 4);
        };
        auto column32 = [](unsigned lane, unsigned i) {
          return (i & 4) + (lane & 2) + (i & 1);
        };
        for (unsigned lane = 0; lane < 32; ++lane) {
          unsigned q = lane % 16 / 4, high = lane < 16 ? 0 : 4;
          for (unsigned i = 0; i < 4; ++i) {
            uint16_t x = halfFromDouble(draw()), y = halfFromDouble(draw());
            a.at<uint16_t>(lane, i) = x;
            b.at<uint16_t>(lane, i) = y;
            unsigned row = columnA ? i + high : lane % 4 + high;
            unsigned k = columnA ? lane % 4 : i;
            ma[q][row][k] = float(doubleFromHalf(x));
            unsigned column = rowB ? i + high : lane % 4 + high;
            k = rowB ? lane % 4 : i;
            mb[q][k][column] = float(doubleFromHalf(y));
          }
          for (unsigned i = 0; i < 8; ++i) {
            float z = draw();
            if (halfC) {
              c.at<uint16_t>(lane, i) = halfFromDouble(z);
              mc[q][lane % 4 + high][i] =
                  float(doubleFromHalf(c.at<uint16_t>(lane, i)));
            } else {
              c.at<float>(lane, i) = z;
              mc[q][row32(lane, i)][column32(lane, i)] = z;
            }
          }
        }
        multiply(opcode, a, b, c, d);
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned i = 0; i < 8; ++i) {
            unsigned q = lane % 16 / 4, high = lane < 16 ? 0 : 4;
            unsigned row = halfD ? lane % 4 + high : row32(lane, i);
            unsigned column = halfD ? i : column32(lane, i);
            float sum = mc[q][row][column];
            for (unsigned k = 0; k < 4; ++k)
              sum = std::fma(ma[q][row][k], mb[q][k][column], sum);
            if (halfD)
              ASSERT_EQ(d.at<uint16_t>(lane, i), halfFromDouble(sum)) << lane;
            else
              ASSERT_EQ(d.at<float>(lane, i), sum) << lane << ", " << i;
          }
      }
}

TEST(MmaForms, RoundingOfDoubles) {
  const std::pair<const char *, int> modes[] = {{".rn", FE_TONEAREST},
                                                {".rz", FE_TOWARDZERO},
                                                {".rm", FE_DOWNWARD},
                                                {".rp", FE_UPWARD}};
  for (auto [name, mode] : modes)
    for (bool isWmma : {false, true}) {
      std::mt19937_64 generator(3);
      auto draw = [&] { return double(int64_t(generator())) / 1e18; };
      Registers a{1, 8}, b{1, 8}, c{2, 8}, d{2, 8};
      for (unsigned lane = 0; lane < 32; ++lane) {
        a.at<double>(lane, 0) = draw();
        b.at<double>(lane, 0) = draw();
        c.at<double>(lane, 0) = draw();
        c.at<double>(lane, 1) = draw();
      }
      multiply(std::string(isWmma ? "wmma.mma" : "mma") + ".sync.aligned." +
                   (isWmma ? "row.col.m8n8k4" : "m8n8k4.row.col") + name +
                   ".f64.f64.f64.f64",
               a, b, c, d);
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 2; ++i) {
          unsigned row = lane / 4, column = lane % 4 * 2 + i;
          volatile double sum = c.at<double>(lane, i);
          for (unsigned k = 0; k < 4; ++k) {
            // Fragments of wmma are the emulator's own: B is row-major there.
            double y =
                b.at<double>(isWmma ? 8 * k + column : 4 * column + k, 0);
            std::fesetround(mode);
            volatile double x = a.at<double>(4 * row + k, 0);
            sum = std::fma(x, y, sum);
            std::fesetround(FE_TONEAREST);
          }
          ASSERT_EQ(d.at<double>(lane, i), double(sum)) << name << lane;
        }
    }
}

TEST(MmaForms, ClampedSumsOfWmma) {
  Registers a{2}, b{2}, c{8}, d{8};
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 8; ++i) {
      a.at<uint8_t>(lane, i) = b.at<uint8_t>(lane, i) = 255;
      c.at<int32_t>(lane, i) = i % 2 ? INT32_MAX - 5 : -7;
    }
  }
  multiply("wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32.satfinite", a,
           b, c, d);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 8; ++i)
      ASSERT_EQ(d.at<int32_t>(lane, i), i % 2 ? INT32_MAX : 16 * 255 * 255 - 7);
}

/// wmma of elements smaller than a byte, through memory: A's rows and B's
/// columns are along k.
TEST(MmaForms, WmmaOfPartsOfBytes) {
  struct Kind {
    const char *type, *op, *shape;
    unsigned bits, k;
    bool isSigned;
  };
  for (Kind kind : {Kind{"s4", "", "m8n8k32", 4, 32, true},
                    Kind{"u4", "", "m8n8k32", 4, 32, false},
                    Kind{"b1", ".xor.popc", "m8n8k128", 1, 128, false},
                    Kind{"b1", ".and.popc", "m8n8k128", 1, 128, false}}) {
    SCOPED_TRACE(std::string(kind.type) + kind.op);
    // Rows of A and columns of B are twice as long as the reduced extent.
    unsigned pitch = 2 * kind.k;
    auto load = [&](const char *matrix, const char *layout, const char *from) {
      return std::string("wmma.load.") + matrix + ".sync.aligned." + layout +
             "." + kind.shape + ".global." + kind.type + " {%" + matrix +
             "}, [%p" + from + "], " + std::to_string(pitch) + ";\n";
    };
    std::string shape = kind.shape, type = kind.type;
    std::string text = hopperKernel(
        4, 16,
        load("a", "row", "0") + load("b", "col", "1") +
            "wmma.load.c.sync.aligned.row." + shape +
            ".global.s32 {%c0, %c1}, [%p2], 8;\nwmma.mma" + kind.op +
            ".sync.aligned.row.col." + shape + ".s32." + type + "." + type +
            ".s32 {%c0, %c1}, {%a}, {%b}, {%c0, %c1};\n"
            "wmma.store.d.sync.aligned.row." +
            shape + ".global.s32 [%p3], {%c0, %c1}, 8;\n",
        ".reg .b32 %a, %b, %c0, %c1;\n");
    expectAssembles(text);
    auto program = parse(text);
    ASSERT_TRUE(program);
    std::mt19937 generator(5);
    std::vector<uint32_t> a(8 * pitch * kind.bits / 32), b(a.size());
    std::vector<int32_t> c(64);
    for (auto *words : {&a, &b})
      for (uint32_t &word : *words)
        word = generator();
    for (int32_t &value : c)
      value = int32_t(generator() % 1000);
    Memory memory;
    Array<uint32_t> da(memory, a), db(memory, b);
    Array<int32_t> dc(memory, c), dd(memory, std::vector<int32_t>(64));
    runOk(*program, makeLaunch("k", {1, 1, 1}, {32, 1, 1}, da, db, dc, dd),
          memory);
    dd.fetch();
    auto element = [&](const std::vector<uint32_t> &from, unsigned i) {
      unsigned bit = i * kind.bits;
      int value = int(from[bit / 32] >> (bit % 32) & ((1u << kind.bits) - 1));
      return kind.isSigned && value > 7 ? value - 16 : value;
    };
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        int sum = c[row * 8 + column];
        for (unsigned k = 0; k < kind.k; ++k) {
          int x = element(a, row * pitch + k),
              y = element(b, column * pitch + k);
          sum += kind.op == std::string(".xor.popc") ? x ^ y : x * y;
        }
        ASSERT_EQ(dd.host[row * 8 + column], sum) << row << ", " << column;
      }
  }
}

} // namespace
