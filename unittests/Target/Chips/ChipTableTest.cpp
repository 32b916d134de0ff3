//===- ChipTableTest.cpp - What chips have in common ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Chips/ChipTable.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

// Chips since sm_90 have clusters, and what comes with them.
TEST(ChipTable, ClustersComeWithTheirFeatures) {
  for (const ChipInfo &chip : allGpus()) {
    SCOPED_TRACE(chip.name.str());
    bool isLater = chip.computeCapability >= 90;
    for (bool has : {chip.hasTMA, chip.hasClusters, chip.hasProgrammaticLaunch,
                     chip.maxClusterSize == 8})
      EXPECT_EQ(has, isLater);
    EXPECT_EQ(chip.hasF8Conversions, chip.computeCapability >= 89);
  }
}

} // namespace
