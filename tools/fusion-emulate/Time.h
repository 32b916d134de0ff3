//===- Time.h - The option --time of fusion-emulate -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONEMULATE_TIME_H
#define FUSION_TOOLS_FUSIONEMULATE_TIME_H

#include "fusion/Timing/LaunchTimer.h"

#include <optional>
#include <string>

namespace fusion::emulator {

struct TimeArguments {
  bool isWanted = false;
  bool isWarm = false;
  std::string chip; ///< empty: the target's
  std::string trace;
};

/// A launch that is timed.
class TimedRun {
public:
  /// Returns nullopt, with a message, if the launch cannot be timed.
  static std::optional<TimedRun>
  create(const TimeArguments &arguments, const std::string &ptx,
         const Program &program, const Launch &launch, std::string &message);

  /// Lets a run record what the timing needs.
  void record(Options &options) const { timer.record(options); }
  /// Times what was recorded, and writes the trace. Returns false, with a
  /// message, if that fails.
  bool finish(const std::vector<BlockRecording> &recordings,
              std::string &message);

  std::string text() const;
  std::string json() const;
  /// The machine code with its waits.
  std::string listing() const;

private:
  TimedRun(timing::LaunchTimer timer, const ChipInfo &chip, std::string trace)
      : timer(std::move(timer)), chip(&chip), trace(std::move(trace)) {}

  timing::LaunchTimer timer;
  const ChipInfo *chip;
  std::string trace;
  timing::LaunchTiming timing;
};

} // namespace fusion::emulator

#endif // FUSION_TOOLS_FUSIONEMULATE_TIME_H
