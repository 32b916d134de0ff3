//===- MeasuredSearchTest.cpp - Searches that measure on the emulator -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduledGroup.h"
#include "fusion/InitAll.h"
#include "fusion/Transforms/Passes.h"
#include "fusion/Tuning/GroupMeasurement.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include <set>

using namespace fusion;
using namespace fusion::test;

namespace {

llvm::Expected<std::unique_ptr<Device>> makeEmulator() {
  EmulatorOptions options;
  options.l2Bytes = lookupChip("sm_80")->l2Bytes;
  return createEmulatorDevice(options);
}

/// A function of linalg operators taken as one group, without a schedule.
struct FormedGroup : ParsedGroup {
  explicit FormedGroup(llvm::StringRef ir) : ParsedGroup(ir) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    formed = module->clone();
    mlir::PassManager form(&context);
    FuseFormGroupsOptions options;
    options.chip = "sm_80";
    options.forceFusion = true;
    form.addPass(createFuseFormGroups(options));
    EXPECT_TRUE(succeeded(form.run(*formed)));
    formed->walk([&](fuse::FusedGroupOpInterface op) { group = op; });
  }
  mlir::OwningOpRef<mlir::ModuleOp> formed;
  fuse::FusedGroupOpInterface group;
};

// Every space refines its best few by what the emulator counts, and says so.
TEST(MeasuredSearch, EmulatorDecidesAmongTheBest) {
  const ChipInfo &chip = *lookupChip("sm_80");
  std::string ir = chainIR({128, 64, 96, 64}), reason;
  for (SearchMethod method : {SearchMethod::Auto, SearchMethod::Evolutionary})
    for (SpaceKind space : {SpaceKind::Default, SpaceKind::Paper}) {
      FormedGroup group(ir);
      ASSERT_TRUE(group.axes && group.group) << group.reason;
      GroupMeasurement measurement(group.group, group.model(), chip,
                                   makeEmulator);
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
      for (const CostedSchedule &other : found->ranking)
        if (other.measuredSeconds)
          EXPECT_LE(*found->measuredSeconds, *other.measuredSeconds);
      // Measured again it is the same, and as predicted.
      EXPECT_EQ(measurement.measure(found->schedule), found->measuredSeconds);
      ASSERT_EQ(measurement.launches.size(), 1u);
      const emulator::Counters &counters = *measurement.launches[0].counters;
      EXPECT_EQ(counters.globalLoadBytes,
                static_cast<uint64_t>(found->footprint.globalLoadBytes));
      EXPECT_EQ(counters.mmaFlops,
                static_cast<uint64_t>(found->footprint.mmaFlops));
      EXPECT_EQ(measurement.launches[0].dynamicSharedMemory,
                static_cast<uint64_t>(found->footprint.sharedMemory));
    }
}

/// A device that likes small tiles.
struct SmallTiles : Measurement<Schedule> {
  llvm::StringRef name() const override { return "device"; }
  std::optional<double> measure(const Schedule &schedule) override {
    ++runs;
    return llvm::sum_of(schedule.tiles) * 1e-6;
  }
  unsigned runs = 0;
};

// Rounds go on from the fastest: what they end with is faster than all that the
// model put first, and the same every time.
TEST(MeasuredSearch, RoundsGoOnFromTheFastest) {
  const ChipInfo &chip = *lookupChip("sm_80");
  FormedGroup group(chainIR({512, 256, 512, 256}));
  ASSERT_TRUE(group.axes) << group.reason;
  SearchOptions options;
  options.ranked = 6;
  std::string reason;
  auto byModel = searchSchedule(group.model(), chip, reason, options);
  ASSERT_TRUE(byModel) << reason;
  SmallTiles device, again;
  double first = 1;
  for (const CostedSchedule &costed : byModel->ranking)
    first = std::min(first, *device.measure(costed.schedule));
  device.runs = 0;
  options.measurement = &device;
  auto found = searchSchedule(group.model(), chip, reason, options);
  ASSERT_TRUE(found && found->measuredSeconds) << reason;
  EXPECT_EQ(found->measuredBy, "device");
  EXPECT_GT(device.runs, 6u);
  EXPECT_LT(*found->measuredSeconds, first);
  ASSERT_EQ(found->ranking.size(), 6u);
  for (size_t i = 1; i < found->ranking.size(); ++i)
    EXPECT_LE(*found->ranking[i - 1].measuredSeconds,
              *found->ranking[i].measuredSeconds);
  EXPECT_EQ(checkSchedule(group.model(), found->schedule, chip), std::nullopt);
  options.measurement = &again;
  auto repeated = searchSchedule(group.model(), chip, reason, options);
  ASSERT_TRUE(repeated);
  EXPECT_EQ(exportSchedule(repeated->schedule, group.model(), &group.context),
            exportSchedule(found->schedule, group.model(), &group.context));
  EXPECT_EQ(again.runs, device.runs);
}

/// A device that is faster every time.
struct EverFaster : Measurement<Schedule> {
  llvm::StringRef name() const override { return "device"; }
  std::optional<double> measure(const Schedule &schedule) override {
    return 1.0 / ++runs;
  }
  unsigned runs = 0;
};

// What docs/search-spaces.md says of rounds: sixteen at most, where each has a
// faster one; one of what is drawn, and of an exhaustive search of a paper's
// space; several of the evolutionary one.
TEST(MeasuredSearch, RoundsEnd) {
  const ChipInfo &chip = *lookupChip("sm_80");
  FormedGroup group(chainIR({512, 256, 512, 256}));
  ASSERT_TRUE(group.axes) << group.reason;
  std::string reason;
  auto countRuns = [&](SearchOptions options) {
    EverFaster device;
    options.measurement = &device;
    auto found = searchSchedule(group.model(), chip, reason, options);
    EXPECT_TRUE(found) << reason;
    return device.runs;
  };
  SearchOptions options;
  EXPECT_EQ(countRuns(options), 16u);
  options.ranked = 3;
  EXPECT_EQ(countRuns(options), 16u * 3);
  options.space = SpaceKind::Paper;
  options.method = SearchMethod::Exhaustive;
  options.model = ModelKind::McFuser;
  EXPECT_EQ(countRuns(options), 3u);
  options.method = SearchMethod::Evolutionary;
  EXPECT_GT(countRuns(options), 8u);
  options = {};
  options.ranked = 3;
  options.randomSeed = 1;
  EXPECT_LE(countRuns(options), 3u);
}

// A multiply-add of bytes takes half as long as one of halves.
TEST(MeasuredSearch, CountedProductsTakeTheirTypesRate) {
  const ChipInfo &chip = *lookupChip("sm_80");
  emulator::Counters counters;
  counters.mmaFlops = 1ull << 40;
  const Intrinsic &mma = *lookupIntrinsic("mma.m16n8k16");
  auto seconds = [&](MultiplicandType type) {
    return predictFromCounters(counters, /*blocks=*/chip.numSMs,
                               /*clusterBlocks=*/1, chip,
                               mmaRate(chip, type, mma)) -
           chip.launchOverhead;
  };
  EXPECT_DOUBLE_EQ(seconds(MultiplicandType::F16),
                   seconds(MultiplicandType::S8) *
                       chip.peakFlops(MultiplicandType::S8) /
                       chip.peakFlops(MultiplicandType::F16));
}

// The group by itself has the operands of the group, each once; what is empty
// or constant is made again.
TEST(MeasuredSearch, GroupsAreIsolated) {
  FormedGroup group(chainIR({128, 64, 96, 64}));
  ASSERT_TRUE(group.group);
  mlir::OwningOpRef<mlir::ModuleOp> alone = isolate(group.group);
  EXPECT_TRUE(succeeded(mlir::verify(*alone)));
  auto function = *alone->getOps<mlir::func::FuncOp>().begin();
  EXPECT_EQ(function.getNumArguments(), 3u);
  EXPECT_EQ(function.getResultTypes(), group.group->getResultTypes());
  EXPECT_EQ(alone->getOperation()->getAttrDictionary(),
            (*group.formed)->getAttrDictionary());
}

// A device that fails is no error of the search: the model decides, and why
// nothing was measured can be asked.
TEST(MeasuredSearch, FailuresAreNotMeasured) {
  const ChipInfo &chip = *lookupChip("sm_80");
  FormedGroup group(chainIR({128, 64, 96, 64}));
  ASSERT_TRUE(group.group);
  DeviceMeasurer measurer(chip, 4,
                          []() -> llvm::Expected<std::unique_ptr<Device>> {
                            return llvm::createStringError("no device today");
                          });
  auto measurement = measurer.measure(group.group, group.model());
  SearchOptions options;
  std::string reason;
  auto byModel = searchSchedule(group.model(), chip, reason, options);
  options.measurement = measurement.get();
  auto found = searchSchedule(group.model(), chip, reason, options);
  ASSERT_TRUE(found && byModel) << reason;
  EXPECT_TRUE(found->measuredBy.empty());
  EXPECT_FALSE(found->measuredSeconds);
  auto text = [&](const SearchResult &result) {
    return exportSchedule(result.schedule, group.model(), &group.context);
  };
  EXPECT_EQ(text(*found), text(*byModel));
  ASSERT_EQ(measurer.tuned().size(), 1u);
  EXPECT_EQ(measurer.tuned()[0]->ran, 0u);
  EXPECT_GT(measurer.tuned()[0]->failed, 0u);
  EXPECT_EQ(measurer.tuned()[0]->why, "no device today");
}

} // namespace
