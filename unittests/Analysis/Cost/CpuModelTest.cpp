//===- CpuModelTest.cpp - Predicted times on CPUs -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/CpuModel.h"
#include "ScheduledGroup.h"
#include "fusion/Analysis/Cost/CpuTraffic.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"

using namespace fusion;
using namespace fusion::test;

namespace {

/// A product in one tile after the other along all axes, in place.
const char *const kCpuProduct = R"x(#fuse.schedule<version = 2,
  tiling = <"m(n(k(LA,LB,CC),SC))", {m = 96, n = 64, k = 64}>,
  mapping = <warps = 1, blocks = ["m"], operators = {
    C = #fuse.operator_map<"avx2.m6n16", i1 = "m", i2 = "n", r1 = "k", warps = [1, 1]>}>,
  memory = <{A = #fuse.place<registers>, B = #fuse.place<registers>, C = #fuse.place<registers>}>>)x";

const ChipInfo &chip() { return *lookupChip("x86-64-v3"); }
const CpuInfo &cpu() { return *chip().cpu; }

class CpuProduct : public ScheduledGroup {
public:
  CpuProduct(int64_t m, int64_t k, int64_t n, llvm::StringRef type = "f32")
      : ScheduledGroup(chainIR({m, k, n}, type), kCpuProduct) {}

  Cost cost() {
    Footprint footprint;
    std::optional<std::string> reason =
        checkSchedule(model(), *schedule, chip(), &footprint);
    EXPECT_EQ(reason, std::nullopt);
    return predictCost(model(), *schedule, footprint, chip());
  }
  CpuTraffic traffic() {
    RetainedTiles retained;
    EXPECT_EQ(analyzeRetainedTiles(model(), *schedule, retained), std::nullopt);
    llvm::SmallVector<double, 8> trips(retained.trips.begin(),
                                       retained.trips.end());
    return countCpuTraffic(model(), *schedule, retained, trips, cpu());
  }
};

// Two FMA units, a latency of four cycles: a kernel of 6 rows and 2 vectors
// starts its 12 FMAs in 6 cycles. A single FMA waits for the one before.
TEST(CpuModel, StepsTakeFmasOrLatency) {
  auto step = [](int64_t rows, int64_t vectors) {
    return (cyclesOfKernel(rows, vectors, 200, {}, cpu()) -
            cyclesOfKernel(rows, vectors, 100, {}, cpu())) /
           100;
  };
  ASSERT_EQ(cpu().fmaUnits, 2u);
  ASSERT_EQ(cpu().fmaLatency, 4u);
  EXPECT_DOUBLE_EQ(step(6, 2), 6);
  EXPECT_DOUBLE_EQ(step(1, 1), 4);
  EXPECT_DOUBLE_EQ(step(4, 2), 4);
  EXPECT_DOUBLE_EQ(step(5, 2), 5);
}

// 20 rows are 3 kernels of 6 and one of 2; 40 columns are 2 panels of two
// vectors and one of one.
TEST(CpuModel, TilesAreDividedIntoKernels) {
  const Intrinsic &intrinsic = *lookupIntrinsic("avx2.m6n16");
  auto kernel = [](int64_t rows, int64_t vectors) {
    return cyclesOfKernel(rows, vectors, 50, {}, cpu());
  };
  EXPECT_DOUBLE_EQ(cyclesOfTile(20, 40, 50, intrinsic, {}, cpu()),
                   2 * (3 * kernel(6, 2) + kernel(2, 2)) + 3 * kernel(6, 1) +
                       kernel(2, 1));
}

TEST(CpuModel, WideningTakesCycles) {
  KernelOperands f16;
  f16.widensVector = 0.5;
  f16.widensElement = 3.5;
  EXPECT_GT(cyclesOfKernel(6, 2, 100, f16, cpu()),
            3 * cyclesOfKernel(6, 2, 100, {}, cpu()));
}

// The busiest resource, and a part of the others.
TEST(CpuModel, ResourcesOverlap) {
  double none[] = {0, 0, 0};
  double few[] = {1e5, 0, 0};
  double alone = secondsOfCore(1e6, none, 1, cpu());
  EXPECT_DOUBLE_EQ(alone, 1e6 / cpu().clockHz);
  double both = secondsOfCore(1e6, few, 1, cpu());
  EXPECT_GT(both, alone);
  EXPECT_LT(both, alone + 1e5 / (cpu().l2BytesPerCycle * cpu().clockHz));
  // Cores share DRAM.
  double much[] = {0, 0, 1e6};
  EXPECT_GT(secondsOfCore(0, much, cpu().cores, cpu()),
            secondsOfCore(0, much, 1, cpu()));
}

TEST(CpuModel, LargerProblemsTakeLonger) {
  double last = 0;
  for (int64_t size : {192, 384, 768, 1536}) {
    CpuProduct group(size, size, size);
    ASSERT_TRUE(group.schedule) << group.reason;
    double time = group.cost().total;
    EXPECT_GT(time, last) << size;
    last = time;
  }
}

TEST(CpuModel, NothingBeatsThePeak) {
  CpuProduct group(768, 768, 768);
  ASSERT_TRUE(group.schedule) << group.reason;
  double flops = 2.0 * 768 * 768 * 768;
  Cost cost = group.cost();
  EXPECT_GT(cost.total, flops / chip().f32FlopsPerSecond);
  EXPECT_LT(cost.total, 3 * flops / chip().f32FlopsPerSecond);
  EXPECT_TRUE(cost.isOfCpu);
  EXPECT_EQ(cost.bound(), "instructions");
  EXPECT_EQ(cost.waves, 1);
}

// Chimera, table III: DM_B = KN⌈M/T_M⌉. B has 2 MB, which exceeds L2.
TEST(CpuTraffic, OperandsMoveAgainForEveryBlock) {
  CpuProduct group(384, 64, 8192);
  ASSERT_TRUE(group.schedule) << group.reason;
  group.setTile("k", 32);
  group.setTile("m", 192);
  double two = group.traffic().intoL2;
  group.setTile("m", 96);
  double four = group.traffic().intoL2;
  double bytesOfB = 64 * 8192 * 4;
  EXPECT_NEAR(four - two, 2 * bytesOfB, bytesOfB / 10);
}

// A tile of B is read for all rows. If it fits in L1 beside the rest, it moves
// there once.
TEST(CpuTraffic, WhatFitsInL1MovesOnce) {
  CpuProduct group(192, 128, 128);
  ASSERT_TRUE(group.schedule) << group.reason;
  group.place("B").space = fuse::Space::Packed;
  double small = group.traffic().intoL1;
  CpuProduct deep(192, 8192, 128);
  ASSERT_TRUE(deep.schedule) << deep.reason;
  deep.setTile("k", 4096);
  deep.place("B").space = fuse::Space::Packed;
  double large = deep.traffic().intoL1;
  // 16 columns of 4096 steps exceed L1: each of 16 kernels loads them again.
  EXPECT_GT(large, 1.3 * 64 * small);
}

// Rows of 4096 bytes lie in a single set of L1.
TEST(CpuTraffic, RowsThatShareSetsDoNotFit) {
  CpuProduct even(192, 128, 1024), odd(192, 128, 1024 + 16);
  ASSERT_TRUE(even.schedule && odd.schedule);
  EXPECT_GT(even.traffic().intoL1, 1.5 * odd.traffic().intoL1);
}

TEST(CpuTraffic, SmallTensorsAreInL3) {
  EXPECT_LT(shareInDram(1 << 16, cpu()), 0.01);
  EXPECT_EQ(shareInDram(cpu().l3Bytes, cpu()), 1);
}

} // namespace
