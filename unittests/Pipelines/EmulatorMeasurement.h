//===- EmulatorMeasurement.h - Schedules measured by counters ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The measured step of a search without a GPU: a candidate is compiled and run
// on the emulator, and what was counted is turned into the time that the chip
// needs for it where everything overlaps. It sees what predictions of bytes and
// work do not: bank conflicts, instructions, padding that was emitted.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_PIPELINES_EMULATORMEASUREMENT_H
#define FUSION_UNITTESTS_PIPELINES_EMULATORMEASUREMENT_H

#include "CompiledGroup.h"
#include "fusion/Search/ScheduleSearch.h"

namespace fusion::test {

/// Seconds of a launch of `blocks` blocks by its busiest resource.
inline double secondsOf(const emulator::Counters &counters, int64_t blocks,
                        const ChipInfo &chip) {
  constexpr double bytesPerWavefront = 128, bytesPerSector = 32;
  constexpr double schedulers = 4; // of an SM, one instruction each a clock
  double waves = (blocks + chip.numSMs - 1) / chip.numSMs;
  double share = waves / blocks; // of the busiest SM
  double perSM = chip.clockHz;
  return chip.launchOverhead +
         std::max({counters.dramBytes / chip.dramBytesPerSecond,
                   counters.globalSectors * bytesPerSector /
                       chip.l2BytesPerSecond,
                   counters.sharedWavefronts * share * bytesPerWavefront /
                       (chip.sharedBytesPerClockPerSM * perSM),
                   counters.instructions * share / (schedulers * perSM),
                   counters.mmaFlops * share * chip.numSMs /
                       (chip.productFlops(ProductType::F16) *
                        chip.mmaShare)});
}

/// Measures schedules of the group that `ir` is. Its chain has two products, as
/// that of `kSchedule`.
class EmulatorMeasurement : public Measurement<Schedule> {
public:
  EmulatorMeasurement(std::string ir, const ChipInfo &chip)
      : ir(std::move(ir)), chip(chip) {}

  llvm::StringRef name() const override { return "emulator"; }
  std::optional<double> measure(const Schedule &schedule) override {
    ScheduledGroup group(ir);
    group.schedule = schedule;
    last = emulate(group, chip.l2Bytes);
    if (last.empty())
      return std::nullopt;
    double seconds = 0;
    for (const LaunchReport &launch : last) {
      if (!launch.counters)
        return std::nullopt;
      int64_t blocks =
          int64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
      seconds += secondsOf(*launch.counters, blocks, chip);
    }
    return seconds;
  }

  std::vector<LaunchReport> last; ///< of the schedule measured last

private:
  std::string ir;
  const ChipInfo &chip;
};

} // namespace fusion::test

#endif // FUSION_UNITTESTS_PIPELINES_EMULATORMEASUREMENT_H
