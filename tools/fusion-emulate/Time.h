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

#include <memory>
#include <optional>
#include <string>

namespace fusion::emulator {

struct TimeArguments {
  bool isWanted = false;
  bool isWarm = false;
  bool hasFullL2 = false; ///< L2 is full of stored data at the start
  uint64_t waves = 0;     ///< that are executed; 0: all
  uint64_t clockMHz = 0;  ///< of the SMs; 0: the chip table's
  timing::CodeChoice code = timing::CodeChoice::Best;
  bool hasCode = false; ///< whether `code` was given
  std::string chip;     ///< empty: the target's
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

  /// Returns why PTX was replayed though it was not asked for, or an empty
  /// text.
  std::string fallback() const;
  std::string text() const;
  std::string json() const;
  /// The machine code with its waits.
  std::string listing() const;

private:
  TimedRun(timing::LaunchTimer timer, std::shared_ptr<const ChipInfo> chip,
           const TimeArguments &arguments)
      : timer(std::move(timer)), chip(std::move(chip)),
        hasFullL2(arguments.hasFullL2), code(arguments.code),
        trace(arguments.trace) {}

  timing::LaunchTimer timer;
  std::shared_ptr<const ChipInfo> chip;
  bool hasFullL2;
  timing::CodeChoice code;
  std::string trace;
  timing::LaunchTiming timing;
};

} // namespace fusion::emulator

#endif // FUSION_TOOLS_FUSIONEMULATE_TIME_H
