//===- MeasuredSearchTest.cpp - Searches that measure on the emulator -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorMeasurement.h"

using namespace fusion;
using namespace fusion::test;

namespace {

// Every space refines its best few by what the emulator counts, and says so.
TEST(MeasuredSearch, EmulatorDecidesAmongTheBest) {
  const ChipInfo &chip = *lookupChip("sm_80");
  std::string ir = chainIR({128, 64, 96, 64}), reason;
  for (SearchMethod method : {SearchMethod::Auto, SearchMethod::Evolutionary})
    for (SpaceKind space : {SpaceKind::Default, SpaceKind::Paper}) {
      ParsedGroup group(ir);
      ASSERT_TRUE(group.axes) << group.reason;
      EmulatorMeasurement measurement(ir, chip);
      SearchOptions options;
      options.space = space;
      options.method = method;
      options.ranked = 4;
      options.measurement = &measurement;
      auto found = searchSchedule(group.model(), chip, reason, options);
      ASSERT_TRUE(found) << reason;
      EXPECT_EQ(found->measuredBy, "emulator");
      ASSERT_TRUE(found->measuredSeconds);
      EXPECT_EQ(checkSchedule(group.model(), found->schedule, chip),
                std::nullopt);
      for (const RatedSchedule &other : found->ranking)
        if (other.measuredSeconds)
          EXPECT_LE(*found->measuredSeconds, *other.measuredSeconds);
      // Measured again it is the same, and as predicted.
      EXPECT_EQ(measurement.measure(found->schedule), found->measuredSeconds);
      ASSERT_EQ(measurement.last.size(), 1u);
      const emulator::Counters &counters = *measurement.last[0].counters;
      EXPECT_EQ(counters.globalLoadBytes,
                static_cast<uint64_t>(found->footprint.globalLoadBytes));
      EXPECT_EQ(counters.mmaFlops,
                static_cast<uint64_t>(found->footprint.mmaFlops));
      EXPECT_EQ(measurement.last[0].dynamicSharedMemory,
                static_cast<uint64_t>(found->footprint.sharedMemory));
    }
}

} // namespace
