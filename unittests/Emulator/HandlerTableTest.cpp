//===- HandlerTableTest.cpp - The same results with every vector extension ===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers of every table that this machine executes, on the same registers.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlerTable.h"
#include "Emulator/Machine/Warp.h"

#include <gtest/gtest.h>

#include <random>

using namespace fusion::emulator;

namespace {

constexpr size_t kFrame = 32 * 512;

/// Random registers, the same for the same seed.
const std::vector<uint8_t> &registers(unsigned seed) {
  static std::vector<std::vector<uint8_t>> made;
  while (made.size() <= seed) {
    std::mt19937 generator(unsigned(made.size()));
    std::vector<uint8_t> bytes(kFrame);
    for (size_t i = 0; i < kFrame; i += 4) {
      uint32_t value = uint32_t(generator());
      if (generator() % 4 == 0) // numbers of moderate size as well
        value = (value & 0x807fffff) | uint32_t(120 + generator() % 16) << 23;
      if (generator() % 16 == 0)
        value = uint32_t(generator() % 3) - 1;
      std::memcpy(bytes.data() + i, &value, 4);
    }
    made.push_back(std::move(bytes));
  }
  return made[seed];
}

/// The registers after an instruction.
std::vector<uint8_t> execute(Handler handler, Inst inst, uint32_t mask,
                             unsigned seed) {
  static const Ref places[16] = {0 * 512,  1 * 512,  2 * 512,  3 * 512,
                                 4 * 512,  5 * 512,  6 * 512,  7 * 512,
                                 8 * 512,  9 * 512,  10 * 512, 11 * 512,
                                 12 * 512, 13 * 512, 14 * 512, 15 * 512};
  AlignedBuffer frame;
  frame.reserve(kFrame);
  std::memcpy(frame.data(), registers(seed).data(), kFrame);
  Counters counters;
  Warp warp;
  warp.base[BaseFrame] = frame.data();
  warp.counters = &counters;
  warp.carry = 0x12345678u * (seed + 1);
  inst.op = places;
  handler(warp, inst, mask);
  std::vector<uint8_t> result(frame.data(), frame.data() + kFrame);
  result.insert(result.end(), reinterpret_cast<uint8_t *>(&warp.carry),
                reinterpret_cast<uint8_t *>(&warp.carry) + 4);
  return result;
}

template <class Pick>
int compareTables(Pick pick, Inst inst, const char *what) {
  auto tables = allHandlerTables();
  Handler first = pick(*tables[0]);
  for (const HandlerTable *table : tables) {
    Handler handler = pick(*table);
    EXPECT_EQ(handler != nullptr, first != nullptr) << what;
    if (!handler || !first)
      return 0;
    for (unsigned seed = 0; seed < 4; ++seed)
      for (uint32_t mask : {0xffffffffu, 0x80f0ff01u})
        if (execute(handler, inst, mask, seed) !=
            execute(first, inst, mask, seed)) {
          ADD_FAILURE() << what << " differs in " << table->name;
          return 1;
        }
  }
  return 1;
}

const Type allTypes[] = {Type::B16,   Type::U16,   Type::S16,   Type::F16,
                         Type::BF16,  Type::B32,   Type::U32,   Type::S32,
                         Type::F32,   Type::TF32,  Type::F16x2, Type::BF16x2,
                         Type::U16x2, Type::S16x2, Type::B64,   Type::U64,
                         Type::S64,   Type::F64,   Type::F32x2};

TEST(HandlerTable, Integers) {
  int compared = 0;
  for (int op = 0; op <= int(IntOp::SlctF); ++op)
    for (Type type : allTypes) {
      Inst inst;
      inst.count = 5;
      inst.imm = 0x96;
      compared += compareTables(
          [&](const HandlerTable &t) { return t.integer(IntOp(op), type); },
          inst, ("integer " + std::to_string(op)).c_str());
    }
  EXPECT_GT(compared, 150);
}

TEST(HandlerTable, Floats) {
  int compared = 0;
  for (int op = 0; op <= int(FloatOp::Ex2Fast); ++op)
    for (Type type : allTypes)
      for (uint8_t flags : {0, 1, 2, 3, 4, 8, 16}) {
        Inst inst;
        inst.count = 4;
        inst.a = flags;
        compared += compareTables(
            [&](const HandlerTable &t) {
              return t.floating(FloatOp(op), type, flags);
            },
            inst,
            ("float " + std::to_string(op) + " of type " +
             std::to_string(int(type)) + " flags " + std::to_string(flags))
                .c_str());
      }
  EXPECT_GT(compared, 200);
}

TEST(HandlerTable, Comparisons) {
  int compared = 0;
  for (int compare = 0; compare <= int(Compare::Nan); ++compare)
    for (Type type : allTypes)
      for (bool isSet : {false, true}) {
        CompareSpec spec{type, Compare(compare), isSet, Type::U32};
        Inst inst;
        inst.a = 1;
        inst.d = type == Type::F16x2 || type == Type::BF16x2 ? 2 : 0;
        compared += compareTables(
            [&](const HandlerTable &t) { return t.compare(spec); }, inst,
            ("compare " + std::to_string(compare)).c_str());
      }
  EXPECT_GT(compared, 200);
}

TEST(HandlerTable, Conversions) {
  int compared = 0;
  for (Type to : allTypes)
    for (Type from : allTypes)
      for (Rounding rounding : {Rounding::Nearest, Rounding::Zero})
        compared += compareTables(
            [&](const HandlerTable &t) {
              return t.convert(to, from, rounding, 0);
            },
            Inst(), "conversion");
  EXPECT_GT(compared, 40);
}

TEST(HandlerTable, MatrixProducts) {
  int compared = 0;
  for (Type a : {Type::F16, Type::BF16, Type::TF32, Type::F64, Type::S8,
                 Type::U4, Type::E4M3})
    for (Type c : {Type::F32, Type::F16, Type::F64, Type::S32})
      for (unsigned k : {4, 8, 16, 32, 64}) {
        MmaSpec spec;
        spec.m = 16;
        spec.n = 8;
        spec.k = k;
        spec.a = spec.b = a;
        spec.accumulator = spec.result = c;
        // At most 16 registers in this frame: m16n8k16 of f64 has more.
        if (a == Type::F64 && k > 8)
          continue;
        compared += compareTables(
            [&](const HandlerTable &t) { return t.mma(spec); }, Inst(),
            ("mma of type " + std::to_string(int(a)) + ", k " +
             std::to_string(k))
                .c_str());
      }
  EXPECT_GT(compared, 10);
}

} // namespace
