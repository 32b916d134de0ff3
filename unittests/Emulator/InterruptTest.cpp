//===- InterruptTest.cpp - Launches that are told to stop -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/Interrupt.h"
#include "ExecutionFixture.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <unistd.h>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

// Ends after 2^32 rounds, which no test waits for.
const char *const kLong = "mov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, 1;\n"
                          "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n";

class Interrupt : public Execution {
protected:
  LaunchResult blocks(const std::string &body, uint32_t count,
                      const Options &options) {
    auto program = parse(module(body));
    if (!program)
      return {};
    return run(*program, makeLaunch("k", {count, 1, 1}, {64, 1, 1}, out),
               memory, options);
  }

  /// Says stop at the third question; expects the launch to end by that.
  void stops(const std::string &body, uint32_t count, Options options) {
    std::thread::id caller = std::this_thread::get_id();
    unsigned asked = 0;
    bool isCaller = true;
    options.proceed = [&] {
      isCaller &= std::this_thread::get_id() == caller;
      return ++asked < 3;
    };
    LaunchResult result = blocks(body, count, options);
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->message, "stopped (kernel 'k')");
    EXPECT_EQ(asked, 3u);
    EXPECT_TRUE(isCaller);
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(result.counters, Counters());
  }
};

TEST_F(Interrupt, BlocksInParallel) {
  for (unsigned threads : {1u, 2u, 5u})
    for (uint64_t seed : {0, 3}) {
      Options options;
      options.threads = threads;
      options.seed = seed;
      stops(kLong, 8, options);
    }
}

TEST_F(Interrupt, BlocksInTurns) {
  for (uint64_t seed : {0, 3}) {
    Options options = sanitized();
    options.seed = seed;
    stops(kLong, 3, options);
    options.sanitize = false;
    stops(std::string("atom.global.add.u32 %r2, [%d0], 1;\n") + kLong, 3,
          options);
  }
}

// The caller's own block ends at once.
TEST_F(Interrupt, OthersStillRun) {
  Options options;
  options.threads = 2;
  std::atomic<bool> asked{false};
  // The first question comes before the block.
  options.proceed = [&] { return !asked.exchange(true); };
  std::string body = "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p0, %r2, 0;\n"
                     "@%p0 bra END;\n";
  LaunchResult result = blocks(body + kLong + "END:\n", 2, options);
  EXPECT_TRUE(asked);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->message, "stopped (kernel 'k')");
}

TEST_F(Interrupt, WhoeverGoesOnSeesNothing) {
  std::string body = "mov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, 1;\n"
                     "setp.ne.u32 %p1, %r1, 100000;\n@%p1 bra L;\n";
  for (bool sanitize : {false, true}) {
    Options options;
    options.sanitize = sanitize;
    LaunchResult plain = blocks(body, 4, options);
    unsigned asked = 0;
    options.proceed = [&] { return ++asked; };
    LaunchResult result = blocks(body, 4, options);
    EXPECT_FALSE(result.error);
    EXPECT_GT(asked, 3u);
    EXPECT_EQ(result.counters, plain.counters);
  }
}

// A signal in the midst of a launch.
TEST_F(Interrupt, Signals) {
  fusion::InterruptGuard guard;
  Options options = sanitized();
  options.proceed = [] { return !fusion::InterruptGuard::isInterrupted(); };
  auto begin = std::chrono::steady_clock::now();
  std::thread ringer([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    kill(getpid(), SIGINT);
  });
  LaunchResult result = blocks(kLong, 2, options);
  ringer.join();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->message, "stopped (kernel 'k')");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

} // namespace
