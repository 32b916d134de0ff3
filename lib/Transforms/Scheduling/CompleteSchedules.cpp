//===- CompleteSchedules.cpp - fuse-complete-schedules --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Chains/ReadChain.h"
#include "fusion/Analysis/Cost/GenericCost.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Resources/GenericTraffic.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Stitching/StitchStages.h"
#include "fusion/Analysis/Stitching/StitchTraffic.h"
#include "fusion/Search/Space/CodegenChoice.h"
#include "fusion/Transforms/Passes.h"
#include "mlir/IR/Builders.h"

namespace fusion {
#define GEN_PASS_DEF_FUSECOMPLETESCHEDULES
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

/// A reason why a schedule cannot be lowered is for fuse-lower-to-tile to say.
static void ignore(const Twine &) {}

namespace {

/// What reports say of a launch.
struct Prediction {
  double seconds = 0;
  int64_t loadBytes = 0, storeBytes = 0, sharedMemory = 0;
};

} // namespace

static void setPrediction(fuse::FusedGroupOpInterface group,
                          const Prediction &prediction) {
  Builder b(group.getContext());
  group.setGroupPredicted(b.getDictionaryAttr(
      {b.getNamedAttr("us", b.getF64FloatAttr(prediction.seconds * 1e6)),
       b.getNamedAttr("global_load_bytes",
                      b.getI64IntegerAttr(prediction.loadBytes)),
       b.getNamedAttr("global_store_bytes",
                      b.getI64IntegerAttr(prediction.storeBytes)),
       b.getNamedAttr("shared_memory",
                      b.getI64IntegerAttr(prediction.sharedMemory))}));
}

static void completeChain(fuse::FusedGroupOpInterface group,
                          const ChipInfo &chip) {
  FailureOr<GroupAxes> axes =
      readChain(group.getOperators(), group.getYieldedValues(), ignore);
  if (failed(axes))
    return;
  const GroupModel &model = axes->model;
  std::optional<Schedule> schedule =
      importSchedule(group.getGroupSchedule(), model, ignore);
  if (!schedule || checkSchedule(model, *schedule, chip))
    return;
  Footprint footprint = computeFootprint(model, *schedule);
  Cost cost = predictCost(model, *schedule, footprint, chip);
  if (!schedule->codegen && !chip.isCpu()) {
    chooseCodegen(*schedule, footprint, cost, chip);
    group.setGroupSchedule(
        exportSchedule(*schedule, model, group.getContext()));
  }
  // The launch that combines partial results has a group of its own.
  setPrediction(group,
                {cost.total - cost.splitReduction, footprint.globalLoadBytes,
                 footprint.globalStoreBytes, footprint.sharedMemory});
}

static void completeStitching(fuse::FusedGroupOpInterface group,
                              const ChipInfo &chip) {
  FailureOr<StitchGroup> stitch = StitchGroup::compute(
      group.getOperators(), group.getYieldedValues(), ignore);
  if (failed(stitch))
    return;
  std::optional<StitchSchedule> schedule =
      importStitching(group.getGroupSchedule(), *stitch, ignore);
  if (!schedule)
    return;
  std::optional<StitchCost> cost = predictStitching(
      *stitch, StitchWork::of(*stitch, *schedule), *schedule, chip);
  if (!schedule->codegen) {
    chooseCodegen(*schedule, *stitch, cost, chip);
    group.setGroupSchedule(
        exportStitching(*schedule, *stitch, group.getContext()));
  }
  StitchPasses passes = passesOf(*stitch, *schedule);
  StitchTraffic traffic = countTraffic(*stitch, *schedule, passes);
  double seconds =
      cost ? cost->total
           : predictStreaming(traffic.loaded + traffic.stored, chip);
  setPrediction(group, {seconds, traffic.loaded, traffic.stored,
                        countShared(*stitch, *schedule, passes)});
}

static void predictGenericForm(fuse::FusedGroupOpInterface group,
                               const ChipInfo &chip) {
  std::optional<GenericTraffic> traffic = countGenericTraffic(group);
  if (!traffic)
    return;
  double seconds = predictGeneric(group.getOperators(),
                                  traffic->loaded + traffic->stored, chip);
  setPrediction(group, {seconds, traffic->loaded, traffic->stored});
}

namespace {

struct CompleteSchedulesPass
    : fusion::impl::FuseCompleteSchedulesBase<CompleteSchedulesPass> {
  void runOnOperation() override {
    auto name =
        getOperation()->getAttrOfType<fuse::ChipAttr>(fuse::kChipAttrName);
    if (!name)
      return;
    const ChipInfo &chip = *lookupChip(name.getName());
    getOperation().walk([&](fuse::FusedGroupOpInterface group) {
      fuse::ScheduleAttr schedule = group.getGroupSchedule();
      if (!schedule)
        return;
      if (isGenericSchedule(schedule))
        predictGenericForm(group, chip);
      else if (isa<fuse::ChainOp>(group))
        completeChain(group, chip);
      else
        completeStitching(group, chip);
    });
  }
};

} // namespace
