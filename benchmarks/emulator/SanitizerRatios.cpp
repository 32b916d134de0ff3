//===- SanitizerRatios.cpp - What --sanitize costs, launch by launch ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// emulator-sanitizer-ratios KERNELS.ptx LAUNCH.json... prints, for each launch,
// instructions of its warps, CPU time without and with the sanitizers on one
// host thread, and their quotient: the least of many launches with and without
// in turn, so that what else the machine does counts in neither. Times are
// those of `run` alone: no parsing, no filling of buffers.
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "LaunchFile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

using namespace fusion::emulator;

static double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

/// Seconds of one launch on fresh memory; negative after an error.
static double timeOf(const Program &program, const LaunchFile &file,
                     bool sanitize, uint64_t &instructions) {
  Memory memory;
  std::vector<uint64_t> addresses;
  Launch launch = bindLaunch(file, memory, addresses);
  Options options;
  options.threads = 1;
  options.sanitize = sanitize;
  double begin = cpuSeconds();
  LaunchResult result = run(program, launch, memory, options);
  double end = cpuSeconds();
  if (result.error) {
    std::fprintf(stderr, "line %u: %s\n", result.error->line,
                 result.error->message.c_str());
    return -1;
  }
  instructions = result.counters.instructions;
  return end - begin;
}

int main(int argc, char **argv) {
  // Enough pairs for a quiet moment, and time enough for the clock.
  constexpr size_t kPairs = 15;
  constexpr double kSeconds = 0.05;
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s KERNELS.ptx LAUNCH.json...\n", argv[0]);
    return 1;
  }
  std::vector<uint8_t> bytes;
  if (std::string problem; !readFile(argv[1], bytes, problem)) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 1;
  }
  Error error;
  auto program = Program::parse(std::string(bytes.begin(), bytes.end()), error);
  if (!program) {
    std::fprintf(stderr, "%s:%u: %s\n", argv[1], error.line,
                 error.message.c_str());
    return 1;
  }
  for (int i = 2; i < argc; ++i) {
    LaunchFile file;
    std::string message;
    if (!readLaunchFile(argv[i], file, message)) {
      std::fprintf(stderr, "%s\n", message.c_str());
      return 1;
    }
    double plain = HUGE_VAL, sanitized = HUGE_VAL, spent = 0;
    uint64_t instructions = 0;
    for (size_t pairs = 0; pairs < kPairs || spent < kSeconds; ++pairs) {
      double without = timeOf(*program, file, false, instructions);
      double with = timeOf(*program, file, true, instructions);
      if (without < 0 || with < 0)
        return 1;
      spent += without + with;
      plain = std::min(plain, without * 1e6);
      sanitized = std::min(sanitized, with * 1e6);
    }
    std::printf("%-24s %10llu instructions %10.1f us %10.1f us %6.2f\n",
                file.launch.kernel.c_str(),
                static_cast<unsigned long long>(instructions), plain, sanitized,
                sanitized / plain);
    std::fflush(stdout);
  }
  return 0;
}
