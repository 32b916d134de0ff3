//===- SanitizerShadowTest.cpp - Accesses of whole warps, and of parts ----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record may stand for what all lanes did: who did what must stay exact
// when the next access goes another way.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "Emulator/Sanitize/Shadow.h"
#include "Emulator/Sanitize/ShadowTable.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

using List = std::vector<std::string>;

/// %i is the lane, %w the warp; [%gN] and [%sN] are N bytes of a lane in global
/// and in shared memory, lane after lane, the same for both warps, [%hN] and
/// [%uN] those of the neighbour.
std::string kernel(const std::string &body) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry k(.param .u64 out)\n{\n"
                     ".reg .pred %p<4>;\n.reg .b32 %i, %w, %n, %r<8>;\n"
                     ".reg .b16 %c;\n.reg .b64 %d<20>, %g<20>, %h<20>;\n"
                     ".reg .b32 %s<20>, %u<20>;\n"
                     ".shared .align 16 .b8 s[512];\n"
                     "ld.param.u64 %d0, [out];\nmov.u32 %i, %laneid;\n"
                     "mov.u32 %w, %warpid;\nsetp.eq.u32 %p0, %w, 0;\n"
                     "xor.b32 %n, %i, 1;\n";
  for (std::string n : {"1", "2", "4", "8", "16"})
    text += "mul.wide.u32 %g" + n + ", %i, " + n + ";\nadd.s64 %g" + n +
            ", %g" + n + ", %d0;\nmul.wide.u32 %h" + n + ", %n, " + n +
            ";\nadd.s64 %h" + n + ", %h" + n + ", %d0;\nmov.u32 %s" + n +
            ", s;\nmad.lo.u32 %u" + n + ", %n, " + n + ", %s" + n +
            ";\nmad.lo.u32 %s" + n + ", %i, " + n + ", %s" + n + ";\n";
  // What lanes store differs in every byte.
  return text +
         "mul.lo.u32 %r1, %i, 0x01010101;\nmov.u32 %r2, %r1;\n"
         "mov.u32 %r3, %r1;\nmov.u32 %r4, %r1;\nmov.b64 %d1, {%r1, %r1};\n"
         "cvt.u16.u32 %c, %r1;\n" +
         body + "\nret;\n}\n";
}

/// No byte is what any lane has stored before.
const std::string kOtherValues =
    "or.b32 %r1, %r1, 0x80808080;\nor.b32 %r2, %r2, 0x80808080;\n"
    "or.b32 %r3, %r3, 0x80808080;\nor.b32 %r4, %r4, 0x80808080;\n"
    "or.b64 %d1, %d1, 0x8080808080808080;\nor.b16 %c, %c, 0x8080;\n";

List kinds(const std::string &body, uint32_t threads = 32, uint64_t seed = 0) {
  auto program = parse(kernel(body));
  if (!program)
    return {};
  Memory memory;
  Array<uint8_t> out(memory, std::vector<uint8_t>(512));
  Options options;
  options.sanitize = true;
  options.seed = seed;
  LaunchResult result =
      runOk(*program, makeLaunch("k", {1, 1, 1}, {threads, 1, 1}, out), memory,
            options);
  List list;
  for (const Finding &finding : result.findings)
    list.push_back(finding.kind);
  return list;
}

const List global{"global-race"}, shared{"shared-race"}, none;

struct Access {
  unsigned bytes;
  const char *load, *store;
};
const Access accesses[] = {
    {1, "ld.global.u8 %c, [%g1];", "st.global.u8 [%g1], %c;"},
    {2, "ld.global.u16 %c, [%g2];", "st.global.u16 [%g2], %c;"},
    {4, "ld.global.u32 %r1, [%g4];", "st.global.u32 [%g4], %r1;"},
    {8, "ld.global.u64 %d1, [%g8];", "st.global.u64 [%g8], %d1;"},
    {16, "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%g16];",
     "st.global.v4.u32 [%g16], {%r1,%r2,%r3,%r4};"}};

std::string replaced(std::string text, const std::string &what,
                     const std::string &by) {
  for (size_t at; (at = text.find(what)) != std::string::npos;)
    text.replace(at, what.size(), by);
  return text;
}

TEST(SanitizerShadow, WidthsOfOneWarp) {
  for (const Access &a : accesses)
    for (const Access &b : accesses) {
      SCOPED_TRACE(std::to_string(a.bytes) + ", " + std::to_string(b.bytes));
      // A lane meets the data of other lanes unless the widths are the same.
      List race = a.bytes == b.bytes ? none : global;
      for (auto [x, y] : {std::pair(a.store, b.load),
                          {a.load, b.store},
                          {a.store, b.store}}) {
        std::string first = std::string(x) + "\n", second = kOtherValues + y;
        EXPECT_EQ(kinds(first + second), race);
        EXPECT_EQ(kinds(first + "bar.warp.sync -1;\n" + second), none);
        EXPECT_EQ(kinds(first + "membar.gl;\n" + second), race);
        EXPECT_EQ(kinds(first + replaced(second, "%g", "%h")), global);
        std::string places = replaced(
            replaced(first + second, ".global", ".shared"), "%g", "%s");
        // In shared memory everything is written first.
        std::string written =
            "st.shared.v4.u32 [%s16], {%r1,%r2,%r3,%r4};\nbar.sync 0;\n";
        EXPECT_EQ(kinds(written + places), race.empty() ? none : shared);
      }
      EXPECT_EQ(kinds(std::string(a.load) + "\n" + b.load), none);
    }
}

TEST(SanitizerShadow, PartsOfAWarp) {
  for (const Access &a : accesses) {
    SCOPED_TRACE(a.bytes);
    std::string some = "setp.lt.u32 %p1, %i, 19;\n@%p1 ";
    std::string rest = "\n@!%p1 ";
    // Each lane its own, in two parts; then a lane of the other part.
    EXPECT_EQ(kinds(some + a.store + rest + a.store), none);
    EXPECT_EQ(kinds(some + a.store + "\n" + a.store), none);
    EXPECT_EQ(kinds(some + a.store + "\n" + replaced(a.load, "%g", "%h")),
              global);
  }
}

TEST(SanitizerShadow, TwoWarps) {
  for (const Access &a : accesses) {
    SCOPED_TRACE(a.bytes);
    std::string store = "@%p0 " + std::string(a.store) + "\n";
    std::string load = "@!%p0 " + std::string(a.load) + "\n";
    EXPECT_EQ(kinds(store + load, 64), global);
    EXPECT_EQ(kinds(store + "bar.sync 0;\n" + load, 64), none);
    // Both read, one writes: one reader is known, the first or the last.
    std::string both = std::string(a.load) + "\n";
    List found;
    for (uint64_t seed : {0, 1, 2, 3})
      for (const std::string &kind : kinds(both + store, 64, seed))
        found.push_back(kind);
    EXPECT_FALSE(found.empty());
    EXPECT_EQ(kinds(both + "bar.sync 0;\n" + store, 64), none);
    EXPECT_EQ(kinds(both + "bar.sync 0;\n" + store + load, 64), global);
  }
}

TEST(SanitizerShadow, LanesThatMeet) {
  std::string half = "shr.u32 %r1, %i, 1;\nshl.b32 %r2, %r1, 2;\n"
                     "mov.u32 %r3, s;\nadd.u32 %r3, %r3, %r2;\n";
  EXPECT_EQ(kinds(half + "st.shared.u32 [%r3], %i;"), shared);
  EXPECT_EQ(kinds(half + "st.volatile.shared.u32 [%r3], %i;"), none);
  std::string written = "st.shared.u32 [%s4], %i;\nbar.warp.sync -1;\n" + half;
  EXPECT_EQ(kinds(written + "red.shared.add.u32 [%r3], 1;"), none);
  // Lanes 2 k and 2 k + 1 have read word k; either of them writes it.
  std::string read = written + "ld.shared.u32 %r4, [%r3];\n";
  for (std::string lane : {"0", "1"}) {
    std::string write =
        "setp.eq.u32 %p1, %i, " + lane + ";\n@%p1 st.shared.u32 [%r3], %i;";
    EXPECT_EQ(kinds(read + write), shared);
    EXPECT_EQ(kinds(read + "bar.warp.sync -1;\n" + write), none);
  }
  // Each lane reads its word, and then its neighbour's.
  std::string two = "st.shared.u32 [%s4], %i;\nbar.sync 0;\n"
                    "ld.shared.u32 %r4, [%s4];\nld.shared.u32 %r4, [%u4];\n";
  EXPECT_EQ(kinds(two + "st.shared.u32 [%s4], %i;"), shared);
  EXPECT_EQ(kinds(two + "st.shared.u32 [%u4], %i;"), shared);
  // Everybody reads one word, then another one.
  std::string same = "st.shared.u32 [%s4], %i;\nbar.sync 0;\n"
                     "ld.shared.u32 %r4, [s];\nld.shared.u32 %r4, [s];\n";
  EXPECT_EQ(kinds(same + "setp.eq.u32 %p1, %i, 3;\n@%p1 "
                         "st.shared.u32 [s], %i;"),
            shared);
  EXPECT_EQ(kinds(same + "st.shared.u32 [%s4+128], %i;"), none);
}

TEST(SanitizerShadow, ReadersOfSharedMemory) {
  // Warps 0 to 2 read, in two patterns; warp 3 writes.
  std::string written = "mov.u32 %r5, %tid.x;\n@%p0 st.shared.u32 [%s4], %i;\n"
                        "bar.sync 0;\nsetp.lt.u32 %p1, %w, 3;\n";
  std::string reads = "@%p1 ld.shared.u32 %r1, [%s4];\n"
                      "@%p1 ld.shared.u32 %r2, [%u4];\n";
  std::string write = "@!%p1 st.shared.u32 [%s4], %i;";
  // Both loads race with the store.
  EXPECT_EQ(kinds(written + reads + write, 128), (List{shared[0], shared[0]}));
  // A named barrier of warps 2 and 3 leaves the others.
  std::string last = "setp.ge.u32 %p2, %w, 2;\n@%p2 bar.sync 1, 64;\n";
  EXPECT_FALSE(kinds(written + reads + last + write, 128).empty());
  EXPECT_EQ(kinds(written + reads + "bar.sync 0;\n" + write, 128), none);
}

/// A warp that only ever waits for itself: what it knows of one context says
/// nothing of others.
TEST(SanitizerShadow, BarriersOfAWarp) {
  std::string sync = "bar.warp.sync -1;\n";
  std::string store = "st.shared.u32 [%s4], %i;\n",
              load = "ld.shared.u32 %r1, [%u4];\n",
              far = "xor.b32 %r2, %s4, 64;\nld.shared.u32 %r1, [%r2];\n";
  std::string round = store + sync + load + sync;
  EXPECT_EQ(kinds(round + round + round), none);
  EXPECT_EQ(kinds(round + round + store + load), shared);
  EXPECT_EQ(kinds(round + store + sync + load + store), shared);
  // Two warps at the same places, each with barriers of its own.
  EXPECT_FALSE(kinds(round + round, 64).empty());
  EXPECT_EQ(kinds("@%p0 bra W;\nadd.u32 %s4, %s4, 256;\n"
                  "add.u32 %u4, %u4, 256;\nW:\n" +
                      round + round + round,
                  64),
            none);
  // Half of the warp knows itself only.
  std::string halves = "setp.lt.u32 %p1, %i, 16;\n@%p1 bra LOW;\n"
                       "bar.warp.sync 0xffff0000;\nbra ON;\n"
                       "LOW: bar.warp.sync 0x0000ffff;\nON:\n";
  EXPECT_EQ(kinds(round + store + halves + load), none);
  EXPECT_EQ(kinds(round + store + halves + far), shared);
}

/// Every vector extension gives the same answers.
TEST(SanitizerShadow, Tables) {
  std::mt19937 generator(7);
  auto make = [&](Record limit, Record mine) -> Record {
    switch (generator() % 8) {
    case 0:
      return limit - 1 - generator() % 1000;
    case 1:
      return kUninitialized;
    case 2:
      return mine | Record(generator() % 32) << 7;
    case 3:
      return mine | kSeveral;
    case 4:
      return limit | kSet | Record(generator() % 3) << 12;
    case 5:
      return limit | kAtomic | Record(generator() % 32) << 7;
    default:
      return 0;
    }
  };
  auto tables = allShadowTables();
  unsigned fine = 0, kept = 0, alike = 0, met = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    ShadowWords first{}, other{};
    Record limit = Record(5) << 32;
    first.limit = limit;
    first.mine = Record(5 + generator() % 2) << 32 | 3 << 12 |
                 (generator() % 2 ? kAtomic : 0);
    first.writesBefore = generator() % 2 ? limit : Record(6) << 32;
    first.readsBefore = generator() % 2 ? limit : Record(6) << 32;
    first.perLane = 1u << generator() % 3;
    first.mask = generator() % 2 ? 0xffffffffu : uint32_t(generator()) | 1;
    first.stores = generator() % 2;
    bool contiguous = first.mask == 0xffffffffu && generator() % 3 == 0;
    first.contiguous = contiguous;
    uint64_t offset[32];
    for (uint64_t i = 0; i < 32; ++i)
      offset[i] = 4 * first.perLane * (contiguous ? i : generator() % 64);
    first.offset = offset;
    std::vector<Record> writes(256), reads(256);
    // Mostly one kind, so that whole accesses are alike.
    Record write = make(limit, first.mine), read = make(limit, first.mine);
    for (size_t i = 0; i < 256; ++i) {
      writes[i] = generator() % 500 ? write : make(limit, first.mine);
      reads[i] = generator() % 500 ? read : make(limit, first.mine);
    }
    other = first;
    ASSERT_TRUE(tables[0]->gather(first, writes.data(), reads.data()));
    std::vector<Record> to = writes;
    bool apart = tables[0]->scatter(first, first.owner, to.data());
    fine += first.writesFine;
    kept += first.readsKept;
    alike += first.readsAlike;
    met += !apart;
    for (const ShadowTable *table : tables) {
      ShadowWords x = other;
      ASSERT_TRUE(table->gather(x, writes.data(), reads.data()));
      ASSERT_EQ(x.count, first.count);
      for (unsigned j = 0; j < x.count; ++j) {
        ASSERT_EQ(x.place[j], first.place[j]);
        ASSERT_EQ(x.owner[j], first.owner[j]);
        ASSERT_EQ(x.write[j], writes[x.place[j]]);
        ASSERT_EQ(x.read[j], reads[x.place[j]]);
      }
      EXPECT_EQ(x.writesFine, first.writesFine);
      EXPECT_EQ(x.readsFine, first.readsFine);
      EXPECT_EQ(x.readsFree, first.readsFree);
      EXPECT_EQ(x.readsKept, first.readsKept);
      EXPECT_EQ(x.readsAlike, first.readsAlike);
      std::vector<Record> mine = writes;
      EXPECT_EQ(table->scatter(x, x.owner, mine.data()), apart);
      EXPECT_EQ(mine, to);
      table->fill(x, 9, mine.data());
      for (unsigned j = 0; j < x.count; ++j)
        EXPECT_EQ(mine[x.place[j]], 9u);
    }
    offset[__builtin_ctz(first.mask)] += 2;
    EXPECT_FALSE(tables[0]->gather(first, writes.data(), reads.data()));
  }
  for (unsigned count : {fine, kept, alike, met})
    EXPECT_GT(count, 100u);
}

} // namespace
