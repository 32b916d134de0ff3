//===- SanitizerModelTest.cpp - Races against a model by the byte ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One or two warps access some bytes of memory at random, in all widths and
// patterns, weakly and strongly (volatile accesses, atomics). Whether there is
// a race is decided by comparing all accesses of every byte; the sanitizers,
// with their records of words and rows, must say the same.
//
// Of global memory they may forget earlier readers.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <set>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

constexpr unsigned kBytes = 256;

struct Step {
  enum {
    Load,
    Store,
    StoreSame,
    WarpBarrier,
    Barrier,
    StrongLoad,
    StrongStore,
    Atomic
  } what;
  unsigned warp, bytes, first, last; ///< lanes [first, last)
  std::array<uint32_t, 32> offset;
};

std::vector<Step> randomSteps(std::mt19937 &random, unsigned warps,
                              bool strong) {
  auto below = [&](unsigned n) { return unsigned(random() % n); };
  std::vector<Step> steps(3 + below(8));
  for (Step &step : steps) {
    unsigned what = below(10);
    step.what = what < 4   ? Step::Load
                : what < 7 ? Step::Store
                : what < 8 ? Step::StoreSame
                : what < 9 ? Step::WarpBarrier
                           : Step::Barrier;
    step.warp = below(warps);
    step.bytes = 1u << below(4);
    if (strong && what < 8 && below(2)) {
      step.what = what < 3   ? Step::StrongLoad
                  : what < 5 ? Step::StrongStore
                             : Step::Atomic;
      if (step.what == Step::Atomic)
        step.bytes = 4u << below(2);
    }
    step.first = below(3) ? 0 : below(31);
    step.last = below(3) ? 32 : step.first + 1 + below(32 - step.first);
    unsigned pattern = below(7), base = below(3) ? 0 : 8 * below(32);
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned place = pattern == 0   ? lane ^ 1
                       : pattern == 1 ? lane / 2
                       : pattern == 2 ? 31 - lane
                       : pattern == 3 ? 5
                       : pattern == 4 ? lane * 2
                                      : lane;
      step.offset[lane] = (base + place * step.bytes) % kBytes;
    }
  }
  return steps;
}

bool isRace(const std::vector<Step> &steps) {
  struct Access {
    unsigned warp, lane, barriers, warpBarriers;
    bool writes, strong;
  };
  std::vector<Access> ofByte[kBytes];
  unsigned barriers = 0, warpBarriers[2] = {};
  for (const Step &step : steps) {
    if (step.what == Step::Barrier)
      ++barriers;
    if (step.what == Step::WarpBarrier)
      ++warpBarriers[step.warp];
    if (step.what == Step::Barrier || step.what == Step::WarpBarrier)
      continue;
    std::set<uint32_t> stored;
    for (unsigned lane = step.first; lane < step.last; ++lane) {
      // Of equal stores to one place one takes place.
      if (step.what == Step::StoreSame &&
          !stored.insert(step.offset[lane]).second)
        continue;
      for (unsigned b = 0; b < step.bytes; ++b)
        ofByte[step.offset[lane] + b].push_back(
            {step.warp, lane, barriers, warpBarriers[step.warp],
             step.what != Step::Load && step.what != Step::StrongLoad,
             step.what > Step::Barrier});
    }
  }
  for (const std::vector<Access> &accesses : ofByte)
    for (size_t j = 0; j < accesses.size(); ++j)
      for (size_t i = 0; i < j; ++i) {
        const Access &x = accesses[i], &y = accesses[j];
        auto isBefore = [](const Access &first, const Access &then) {
          return first.barriers != then.barriers ||
                 (first.warp == then.warp &&
                  (first.lane == then.lane ||
                   first.warpBarriers != then.warpBarriers));
        };
        if ((!x.writes && !y.writes) || (x.strong && y.strong) ||
            isBefore(x, y))
          continue;
        return true;
      }
  return false;
}

std::string kernel(const std::vector<Step> &steps, bool isGlobal,
                   unsigned warps) {
  std::ostringstream text;
  text << ".version 8.0\n.target sm_80\n.address_size 64\n"
          ".visible .entry k(.param .u64 places, .param .u64 out)\n{\n"
          ".reg .pred %w<2>, %p, %q;\n.reg .b32 %i, %t, %o;\n"
          ".reg .b64 %places, %a, %d;\n.reg .b16 %c;\n"
          ".shared .align 16 .b8 s[256];\n"
          "ld.param.u64 %places, [places];\nmov.u32 %i, %laneid;\n"
          "mov.u32 %t, %warpid;\nsetp.eq.u32 %w0, %t, 0;\n"
          "setp.eq.u32 %w1, %t, 1;\nmul.wide.u32 %a, %i, 4;\n"
          "add.s64 %places, %places, %a;\nmov.u32 %t, %tid.x;\n"
          "shl.b32 %t, %t, 2;\nmov.u32 %o, s;\nadd.u32 %o, %o, %t;\n"
          "st.shared.u32 [%o], %t;\n";
  if (warps == 1)
    text << "st.shared.u32 [%o+128], %t;\n";
  text << "bar.sync 0;\n";
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    std::string warp = "%w" + std::to_string(step.warp);
    if (step.what == Step::Barrier) {
      text << "bar.sync 0;\n";
      continue;
    }
    if (step.what == Step::WarpBarrier) {
      text << "@" << warp << " bar.warp.sync 0xffffffff;\n";
      continue;
    }
    text << "ld.global.u32 %o, [%places+" << 128 * i << "];\n";
    if (isGlobal)
      text << "ld.param.u64 %a, [out];\ncvt.u64.u32 %d, %o;\n"
              "add.s64 %a, %a, %d;\n";
    else
      text << "mov.u32 %t, s;\nadd.u32 %t, %t, %o;\ncvt.u64.u32 %a, %t;\n";
    text << "setp.ge.and.u32 %p, %i, " << step.first << ", " << warp << ";\n"
         << "setp.lt.and.u32 %p, %i, " << step.last << ", %p;\n";
    if (step.what == Step::StoreSame)
      text << "mov.u64 %d, 7;\nmov.u16 %c, 7;\n";
    else
      text << "cvt.u64.u32 %d, %i;\ncvt.u16.u32 %c, %i;\n";
    std::string type = "u" + std::to_string(8 * step.bytes);
    const char *space = isGlobal ? "global." : "shared.";
    const char *value = step.bytes <= 2 ? "%c" : step.bytes == 4 ? "%t" : "%d";
    if (step.bytes == 4)
      text << "cvt.u32.u64 %t, %d;\n";
    if (step.what == Step::Atomic)
      text << "@%p red." << space << "add." << type << " [%a], " << value
           << ";\n";
    else if (step.what == Step::StrongLoad)
      text << "@%p ld.volatile." << space << type << " " << value
           << ", [%a];\n";
    else if (step.what == Step::StrongStore)
      text << "@%p st.volatile." << space << type << " [%a], " << value
           << ";\n";
    else if (step.what == Step::Load)
      text << "@%p ld." << space << type << " " << value << ", [%a];\n";
    else
      text << "@%p st." << space << type << " [%a], " << value << ";\n";
  }
  text << "ret;\n}\n";
  return text.str();
}

void compare(bool isGlobal, unsigned seed, unsigned warps = 2,
             bool strong = false) {
  std::mt19937 random(seed);
  unsigned races = 0;
  for (unsigned i = 0; i < 1500; ++i) {
    std::vector<Step> steps = randomSteps(random, warps, strong);
    bool expected = isRace(steps);
    races += expected;
    std::string text = kernel(steps, isGlobal, warps);
    auto program = parse(text);
    ASSERT_TRUE(program);
    std::vector<uint32_t> offsets;
    for (const Step &step : steps)
      offsets.insert(offsets.end(), step.offset.begin(), step.offset.end());
    bool found = false;
    std::string message;
    // Of the readers of a word of global memory one is known, by the seed.
    for (unsigned schedule = 0; schedule < (isGlobal ? 2 : 1); ++schedule) {
      Memory memory;
      Array<uint32_t> places(memory, offsets);
      Array<uint8_t> out(memory, std::vector<uint8_t>(kBytes));
      Options options;
      options.sanitize = true;
      options.seed = schedule;
      LaunchResult result = runOk(
          *program, makeLaunch("k", {1, 1, 1}, {32 * warps, 1, 1}, places, out),
          memory, options);
      found |= !result.findings.empty();
      if (found && message.empty())
        message = result.findings[0].message + ", line " +
                  std::to_string(result.findings[0].line);
    }
    // An earlier reader of global memory may be forgotten.
    if (isGlobal && !found)
      continue;
    if (found == expected)
      continue;
    std::string list;
    for (const Step &step : steps) {
      for (uint32_t offset : step.offset)
        list += std::to_string(offset) + " ";
      list += "\n";
    }
    FAIL() << "program " << i << ": " << (found ? message : "no finding")
           << "\n"
           << list << text;
  }
  EXPECT_GT(races, 200u);
  EXPECT_LT(races, 1400u);
}

TEST(SanitizerModel, SharedMemory) { compare(false, 1); }
TEST(SanitizerModel, GlobalMemory) { compare(true, 2); }
TEST(SanitizerModel, StrongAccessesToSharedMemory) {
  compare(false, 3, 2, true);
}
TEST(SanitizerModel, StrongAccessesToGlobalMemory) {
  compare(true, 4, 2, true);
}
TEST(SanitizerModel, SharedMemoryOfOneWarp) { compare(false, 5, 1, true); }
TEST(SanitizerModel, GlobalMemoryOfOneWarp) { compare(true, 6, 1, true); }

} // namespace
