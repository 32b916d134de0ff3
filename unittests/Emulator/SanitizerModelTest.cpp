//===- SanitizerModelTest.cpp - Races against a model by the byte ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A few warps access some bytes of memory at random, in all widths and
// patterns, weakly and strongly (volatile accesses, atomics, releases and
// acquires), between fences and barriers. Whether there is a race is decided
// by comparing all accesses of every byte, in sets of accesses that come
// before; the sanitizers, with their clocks and their records of words and
// rows, must say the same.
//
// Of global memory they may forget earlier readers and strong writes.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <bitset>
#include <map>
#include <set>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

constexpr unsigned kBytes = 256;
constexpr unsigned kMostWarps = 3, kMostSteps = 12;

enum class Draw { Weak, Strong, Synchronizing };

struct Step {
  enum {
    Load,
    Store,
    StoreSame,
    WarpBarrier,
    Barrier,
    StrongLoad,
    StrongStore,
    Atomic,
    Acquire,
    Release,
    AcquireRelease,
    Fence
  } what;
  bool isAccess() const {
    return what != WarpBarrier && what != Barrier && what != Fence;
  }
  bool isStrong() const { return what > Barrier; }
  bool isAtomic() const { return what == Atomic || what == AcquireRelease; }
  bool reads() const { return isAtomic() || !writes(); }
  bool writes() const {
    return what != Load && what != StrongLoad && what != Acquire;
  }
  unsigned warp, bytes, first, last; ///< lanes [first, last)
  std::array<uint32_t, 32> offset;
};

std::vector<Step> randomSteps(std::mt19937 &random, unsigned warps, Draw draw) {
  auto below = [&](unsigned n) { return unsigned(random() % n); };
  bool synchronizes = draw == Draw::Synchronizing;
  std::vector<Step> steps(synchronizes ? 4 + below(9) : 3 + below(8));
  for (Step &step : steps) {
    unsigned what = below(10);
    step.what = what < 4   ? Step::Load
                : what < 7 ? Step::Store
                : what < 8 ? Step::StoreSame
                : what < 9 ? Step::WarpBarrier
                           : Step::Barrier;
    step.warp = below(warps);
    step.bytes = 1u << below(4);
    if (synchronizes && what < 8 && below(2)) {
      const decltype(step.what) kinds[] = {
          Step::Acquire, Step::Release,    Step::AcquireRelease, Step::Fence,
          Step::Fence,   Step::StrongLoad, Step::StrongStore,    Step::Atomic};
      step.what = kinds[below(8)];
      step.bytes = 4;
    } else if (draw == Draw::Strong && what < 8 && below(2)) {
      step.what = what < 3   ? Step::StrongLoad
                  : what < 5 ? Step::StrongStore
                             : Step::Atomic;
      if (step.what == Step::Atomic)
        step.bytes = 4u << below(2);
    }
    step.first = below(3) ? 0 : below(31);
    step.last = below(3) ? 32 : step.first + 1 + below(32 - step.first);
    unsigned pattern = below(7), base = below(3) ? 0 : 8 * below(32);
    // Those who synchronise meet somewhere.
    if (synchronizes) {
      base = 0;
      pattern = 3 + below(4);
    }
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

/// Accesses by thread, in the order in which they come with seed 0: between
/// barriers one warp after the other, of an instruction lane by lane.
class Model {
public:
  /// `isLenient`: strong reads observe writes as atomics do; and where a lane
  /// of a warp does, or in atomics of several instructions, others may count,
  /// too.
  Model(const std::vector<Step> &steps, unsigned warps, bool isLenient)
      : steps(steps), warps(warps), isLenient(isLenient) {}

  std::string what; ///< the race

  bool isRace() {
    size_t begin = 0;
    unsigned last = warps - 1;
    for (size_t i = 0; i <= steps.size(); ++i) {
      if (i < steps.size() && steps[i].what != Step::Barrier)
        continue;
      // Who comes last to a barrier goes on.
      for (unsigned k = 0; k < warps; ++k) {
        last = (last + (k > 0)) % warps;
        for (size_t j = begin; j < i; ++j)
          if (steps[j].warp == last)
            execute(steps[j]);
      }
      meet(0, 32 * warps);
      begin = i + 1;
    }
    return isFound;
  }

private:
  static constexpr unsigned kMost = 32 * kMostWarps;
  using Set = std::bitset<kMostSteps * 32>; ///< of accesses
  struct Access {
    unsigned thread;
    bool writes, strong;
  };
  /// What comes before something.
  struct Before {
    Set accesses;
    std::map<unsigned, Set> writes; ///< that were observed at a byte
    void add(const Before &other) {
      accesses |= other.accesses;
      for (const auto &[byte, set] : other.writes)
        writes[byte] |= set;
    }
  };
  struct Thread {
    Before before;   ///< its next access
    Before fenced;   ///< its last fence
    Before released; ///< strong writes that it has read, until a fence
  };

  void meet(unsigned first, unsigned last) {
    Before all;
    for (unsigned i = first; i < last; ++i)
      all.add(threads[i].before);
    for (unsigned i = first; i < last; ++i)
      threads[i].before = all;
  }

  void execute(const Step &step) {
    if (step.what == Step::WarpBarrier)
      return meet(32 * step.warp, 32 * step.warp + 32);
    std::set<uint32_t> stored;
    for (unsigned lane = step.first; lane < step.last; ++lane) {
      Thread &thread = threads[32 * step.warp + lane];
      if (step.what == Step::Fence) {
        thread.before.add(thread.released);
        thread.released = Before();
        thread.fenced = thread.before;
        continue;
      }
      // Of equal stores to one place one takes place.
      if (step.what == Step::StoreSame &&
          !stored.insert(step.offset[lane]).second)
        continue;
      access(step, 32 * step.warp + lane, step.offset[lane]);
    }
  }

  void access(const Step &step, unsigned number, unsigned offset) {
    Thread &thread = threads[number];
    size_t mine = accesses.size();
    accesses.push_back({number, step.writes(), step.isStrong()});
    for (unsigned byte = offset; byte < offset + step.bytes; ++byte) {
      Set before = thread.before.accesses;
      if (auto seen = thread.before.writes.find(byte);
          seen != thread.before.writes.end())
        before |= seen->second;
      for (size_t other : ofByte[byte]) {
        const Access &x = accesses[other], &y = accesses[mine];
        if ((!x.writes && !y.writes) || (x.strong && y.strong) || before[other])
          continue;
        isFound = true;
        what = "byte " + std::to_string(byte) + ", threads " +
               std::to_string(x.thread) + " and " + std::to_string(y.thread);
      }
      ofByte[byte].push_back(mine);
      if (!step.isStrong())
        continue;
      if (step.reads())
        observe(step, number, byte);
      if (step.writes() && !step.isAtomic())
        observed[byte].reset();
      // Coherence keeps the thread's own writes there in their order.
      for (size_t other : ofByte[byte])
        if (step.writes() && accesses[other].thread == number &&
            accesses[other].writes && accesses[other].strong)
          observed[byte].set(other);
    }
    if (step.isStrong()) {
      Before &released = releasedAt[offset];
      bool both = step.what == Step::AcquireRelease;
      if (step.reads())
        (step.what == Step::Acquire || both ? thread.before : thread.released)
            .add(released);
      bool releases = step.what == Step::Release || both;
      thread.before.accesses.set(mine);
      if (step.writes())
        released.add(releases ? thread.before : thread.fenced);
    }
    thread.before.accesses.set(mine);
  }

  void observe(const Step &step, unsigned number, unsigned byte) {
    if (!step.isAtomic() && !isLenient)
      return;
    auto [first, isFirst] = firstRead.try_emplace({step.warp, byte}, &step);
    bool spreads =
        isLenient && (!step.isAtomic() || (!isFirst && first->second != &step));
    if (!spreads) {
      threads[number].before.writes[byte] |= observed[byte];
      return;
    }
    for (unsigned lane = 0; lane < 32; ++lane)
      threads[32 * step.warp + lane].before.writes[byte] |= observed[byte];
  }

  const std::vector<Step> &steps;
  unsigned warps;
  bool isLenient;
  bool isFound = false;
  std::vector<Access> accesses;
  std::vector<size_t> ofByte[kBytes];
  Thread threads[kMost];
  Set observed[kBytes]; ///< the writes that a thread that reads now observes
  std::map<std::pair<unsigned, unsigned>, const Step *>
      firstRead; ///< the first one of a warp at a byte
  std::map<unsigned, Before> releasedAt;
};

std::string kernel(const std::vector<Step> &steps, bool isGlobal,
                   unsigned warps) {
  std::ostringstream text;
  text << ".version 8.0\n.target sm_80\n.address_size 64\n"
          ".visible .entry k(.param .u64 places, .param .u64 out)\n{\n"
          ".reg .pred %w<3>, %p, %q;\n.reg .b32 %i, %t, %o;\n"
          ".reg .b64 %places, %a, %d;\n.reg .b16 %c;\n"
          ".shared .align 16 .b8 s[256];\n"
          "ld.param.u64 %places, [places];\nmov.u32 %i, %laneid;\n"
          "mov.u32 %t, %warpid;\nsetp.eq.u32 %w0, %t, 0;\n"
          "setp.eq.u32 %w1, %t, 1;\nsetp.eq.u32 %w2, %t, 2;\nmul.wide.u32 %a, "
          "%i, 4;\n"
          "add.s64 %places, %places, %a;\nmov.u32 %t, %tid.x;\n"
          "shl.b32 %t, %t, 2;\nmov.u32 %o, s;\nadd.u32 %o, %o, %t;\n"
          "setp.lt.u32 %p, %t, 256;\n@%p st.shared.u32 [%o], %t;\n";
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
    std::string scope = isGlobal ? "gpu.global." : "cta.shared.";
    if (step.what == Step::Fence)
      text << "@%p fence.acq_rel." << (isGlobal ? "gpu" : "cta") << ";\n";
    else if (step.what == Step::AcquireRelease)
      text << "@%p atom.acq_rel." << scope << "add." << type << " " << value
           << ", [%a], " << value << ";\n";
    else if (step.what == Step::Acquire)
      text << "@%p ld.acquire." << scope << type << " " << value << ", [%a];\n";
    else if (step.what == Step::Release)
      text << "@%p st.release." << scope << type << " [%a], " << value << ";\n";
    else if (step.what == Step::Atomic)
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
             Draw draw = Draw::Weak, unsigned programs = 1500) {
  std::mt19937 random(seed);
  unsigned races = 0;
  for (unsigned i = 0; i < programs; ++i) {
    std::vector<Step> steps = randomSteps(random, warps, draw);
    bool isRace = Model(steps, warps, false).isRace();
    Model lenient(steps, warps, true);
    bool isCertain = lenient.isRace();
    races += isRace;
    std::string text = kernel(steps, isGlobal, warps);
    auto program = parse(text);
    ASSERT_TRUE(program);
    std::vector<uint32_t> offsets;
    for (const Step &step : steps)
      offsets.insert(offsets.end(), step.offset.begin(), step.offset.end());
    bool found = false;
    std::string message;
    // One of the readers of a word of global memory is recorded, by the seed.
    // In which order strong accesses come is known of seed 0.
    unsigned schedules = isGlobal && draw == Draw::Weak ? 2 : 1;
    for (unsigned schedule = 0; schedule < schedules; ++schedule) {
      Memory memory;
      Array<uint32_t> places(memory, offsets);
      Array<uint8_t> out(memory, std::vector<uint8_t>(kBytes));
      Options options;
      options.sanitize = true;
      options.seed = schedule;
      LaunchResult result = runOk(
          *program, makeLaunch("k", {1, 1, 1}, {32 * warps, 1, 1}, places, out),
          memory, options);
      for (const Finding &finding : result.findings) {
        // Of strong accesses alone.
        if (finding.message.rfind("lost-update", 0) == 0)
          continue;
        found = true;
        message = finding.message + ", line " + std::to_string(finding.line);
      }
    }
    // An earlier reader of global memory may be forgotten.
    if (isGlobal && !found)
      continue;
    if (found ? isRace : !isCertain)
      continue;
    std::string list;
    for (const Step &step : steps) {
      for (uint32_t offset : step.offset)
        list += std::to_string(offset) + " ";
      list += "\n";
    }
    FAIL() << "program " << i << ": "
           << (found ? message : "no finding of " + lenient.what) << "\n"
           << list << text;
  }
  EXPECT_GT(races, programs / 8);
  EXPECT_LT(races, programs - programs / 16);
}

TEST(SanitizerModel, SharedMemory) { compare(false, 1); }
TEST(SanitizerModel, GlobalMemory) { compare(true, 2); }
TEST(SanitizerModel, StrongAccessesToSharedMemory) {
  compare(false, 3, 2, Draw::Strong);
}
TEST(SanitizerModel, StrongAccessesToGlobalMemory) {
  compare(true, 4, 2, Draw::Strong);
}
TEST(SanitizerModel, SharedMemoryOfOneWarp) {
  compare(false, 5, 1, Draw::Strong);
}
TEST(SanitizerModel, GlobalMemoryOfOneWarp) {
  compare(true, 6, 1, Draw::Strong);
}
TEST(SanitizerModel, ReleasesInSharedMemory) {
  compare(false, 7, 3, Draw::Synchronizing);
}
TEST(SanitizerModel, ReleasesInGlobalMemory) {
  compare(true, 8, 3, Draw::Synchronizing);
}

} // namespace
