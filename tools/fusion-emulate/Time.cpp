//===- Time.cpp - The option --time of fusion-emulate ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Time.h"

#include "Files.h"
#include "fusion/Timing/TimingReport.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fusion;
using namespace fusion::emulator;

std::optional<TimedRun> TimedRun::create(const TimeArguments &arguments,
                                         const std::string &ptx,
                                         const Program &program,
                                         const Launch &launch,
                                         std::string &message) {
  bool isNamed = !arguments.chip.empty();
  std::string name = isNamed ? arguments.chip : program.target();
  const ChipInfo *chip = lookupChip(name);
  if (!chip || chip->isCpu()) {
    message = (chip      ? "no timing for the CPU '"
               : isNamed ? "unknown chip '"
                         : "no chip for the target '") +
              name + "'; --chip has one of: " + knownGpuNames();
    return std::nullopt;
  }
  auto timed = std::make_shared<const ChipInfo>(
      arguments.clockMHz ? withClock(*chip, 1e6 * double(arguments.clockMHz))
                         : *chip);
  timing::TimerOptions options;
  options.chip = timed.get();
  options.code = arguments.code;
  options.isWarm = arguments.isWarm;
  options.waves = arguments.waves;
  options.traces = !arguments.trace.empty();
  auto code = timing::assembleForTiming(ptx, options);
  if (!code) {
    message = llvm::toString(code.takeError());
    return std::nullopt;
  }
  auto timer = timing::LaunchTimer::create(*code, program, launch, options);
  if (!timer) {
    message = llvm::toString(timer.takeError());
    return std::nullopt;
  }
  return TimedRun(std::move(*timer), std::move(timed), arguments);
}

bool TimedRun::finish(const std::vector<BlockRecording> &recordings,
                      std::string &message) {
  SectorCache l2(chip->l2Bytes);
  if (hasFullL2)
    l2.fillWithStored();
  auto found = timer.time(recordings, l2);
  if (!found) {
    message = llvm::toString(found.takeError());
    return false;
  }
  timing = std::move(*found);
  if (trace.empty())
    return true;
  std::string text = timing::toChromeTrace(timing);
  if (writeFile(trace, text.data(), text.size()))
    return true;
  message = "cannot write '" + trace + "'";
  return false;
}

std::string TimedRun::fallback() const {
  return code == timing::CodeChoice::Best ? timing.reason : "";
}

std::string TimedRun::text() const { return timing::toText(timing, *chip); }

std::string TimedRun::json() const {
  return llvm::formatv("{0}", llvm::json::Value(timing::toJson(timing, *chip)));
}

std::string TimedRun::listing() const { return timing::toListing(timing); }
