//===- ScheduleRemarks.cpp - What a search of schedules says --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRemarks.h"
#include "fusion/Analysis/Cost/PipelineModel.h"
#include "fusion/Analysis/Masks/MaskedAxes.h"
#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Search/Chains/SearchReport.h"
#include "fusion/Search/Papers/PaperOrder.h"
#include "fusion/Support/Counted.h"
#include "fusion/Support/Remark.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;

void fusion::explainChoice(fuse::FusedGroupOpInterface group,
                           const GroupModel &model, const SearchResult &found,
                           const SearchOptions &options) {
  auto resources = [&]() -> std::string {
    std::string blocks = counted(found.footprint.blocks, "block");
    if (found.cost.isOfCpu)
      return llvm::formatv("{0}, at most {1} of one core", blocks,
                           found.cost.waves);
    return llvm::formatv("{0} of {1}, {2} bytes of shared memory and about {3} "
                         "registers per thread",
                         blocks, counted(found.schedule.warps, "warp"),
                         found.footprint.sharedMemory,
                         found.footprint.registers);
  };
  remarkAnalysis(group, "fuse", "schedule", [&] {
    std::string text = llvm::formatv(
        "{0}: predicted {1:F2} us, bound by {2}; {3}; of the {5} candidates of "
        "space {6} that were met {4} were legal; {7}",
        printTiling(found.schedule.tree, model), found.cost.total * 1e6,
        found.cost.bound(), resources(), found.legal, found.candidates,
        name(options.space), describe(found.schedule, model));
    if (options.model != ModelKind::Default)
      text += llvm::formatv("; chosen by model {0}, which predicts {1:F2} us",
                            name(options.model),
                            found.ranking.front().modelSeconds * 1e6);
    return text;
  });
}

void fusion::warnOfEmptyParts(fuse::FusedGroupOpInterface group,
                              const GroupModel &model,
                              const Schedule &schedule) {
  std::optional<unsigned> axis = schedule.splitAxis();
  if (!axis || !hasEmptySplits(model, schedule, *axis))
    return;
  int64_t tiles = tripCount(model.axes[*axis], schedule.tiles[*axis]),
          parts = schedule.splitOf(*axis);
  mlir::emitWarning(group.getLoc())
      << parts - tiles << " of the " << parts << " splits of axis '"
      << model.axes[*axis].name
      << "' are empty: it has " + counted(tiles, "tile");
}

void fusion::explainTransports(fuse::FusedGroupOpInterface group,
                               const GroupModel &model,
                               const Schedule &schedule,
                               const SearchOptions &options,
                               const ChipInfo &chip) {
  for (const ThreadCopiedOperand &copy :
       listCopiesByThreads(model, schedule, options, chip))
    remarkMissed(group, "fuse", "bulk",
                 "threads copy '" + copy.tensor + "': " + copy.reason);
}

void fusion::explainMovement(fuse::FusedGroupOpInterface group,
                             const GroupModel &model, const SearchResult &found,
                             const ChipInfo &chip) {
  if (!chip.hasTMA)
    return;
  for (const OtherPolicy &other :
       evaluateOtherPolicies(model, found.schedule, chip)) {
    std::string text = "no " + other.what + ": " + other.reason;
    if (other.cost) {
      auto inWords = [](const Cost &cost) {
        return llvm::formatv("{0:F2} us", cost.total * 1e6).str();
      };
      std::string with = inWords(*other.cost), own = inWords(found.cost);
      text += with == own ? ", " + own + " as well"
                          : ", " + with + " instead of " + own;
    }
    remarkMissed(group, "fuse", "movement", text);
  }
}

void fusion::explainPadding(fuse::FusedGroupOpInterface group,
                            const SearchResult &found) {
  if (!found.counts || found.counts->paddingLoss.value_or(0) <= kAllowedLoss)
    return;
  bool isUsed = found.counts->padding == PaddingRule::Printed;
  remarkMissed(
      group, "fuse", "padding",
      llvm::formatv("rule 3 as printed leaves out the best tiles: by "
                    "MCFuser's model its best takes {0:F1} % longer; {1}",
                    *found.counts->paddingLoss * 100,
                    isUsed ? "padding=auto keeps them"
                           : "the least tile of each trip count is kept"));
}

void fusion::explainMeasurement(fuse::FusedGroupOpInterface group,
                                const GroupModel &model,
                                const SearchResult &found) {
  const CostedSchedule *foretold = nullptr;
  unsigned ran = 0;
  for (const CostedSchedule &costed : found.ranking) {
    if (!costed.measuredSeconds)
      continue;
    ++ran;
    if (!foretold || costed.modelSeconds < foretold->modelSeconds)
      foretold = &costed;
  }
  remarkAnalysis(
      group, "fuse", "measured",
      llvm::formatv(
          "{0}: {1:F2} us, the least of {2} schedules that were measured "
          "({3}); the model's choice of them, {4}, takes {5:F2} us",
          printTiling(found.schedule.tree, model), *found.measuredSeconds * 1e6,
          ran, found.measuredBy, printTiling(foretold->schedule.tree, model),
          *foretold->measuredSeconds * 1e6));
}

void fusion::explainLoops(fuse::FusedGroupOpInterface group,
                          const GroupModel &model, const Schedule &schedule,
                          const ChipInfo &chip) {
  if (chip.isCpu())
    return;
  PipelineLatency latency =
      predictPipeline(model, schedule, computeFootprint(model, schedule), chip,
                      PipelineForm::Continuous);
  for (const LoopLatency &loop : latency.loops)
    remarkAnalysis(
        group, "pipeline", "loop",
        llvm::formatv(
            "loop '{0}': {1}, {2:F3} us of loads and {3:F3} us of work "
            "each, {4}, {5} at a time on an SM: {6:F3} us, bound by {7}",
            model.axes[loop.axis].name, counted(loop.iterations, "iteration"),
            loop.load * 1e6, loop.use * 1e6, counted(loop.stages, "stage"),
            counted(latency.residentBlocks, "block"), loop.total * 1e6,
            name(loop.bound)));
}

void fusion::explainMasks(fuse::FusedGroupOpInterface group,
                          const GroupAxes &axes, const Schedule &schedule) {
  // Without remarks the proofs would not be used.
  if (!group.getContext()->getRemarkEngine())
    return;
  const GroupModel &model = axes.model;
  RetainedTiles retained;
  if (analyzeRetainedTiles(model, schedule, retained))
    return;
  auto missed = [&](unsigned axis, const std::string &why) {
    remarkMissed(group, "fuse", "masks",
                 "all tiles along '" + model.axes[axis].name +
                     "' are visited: " + why);
  };
  for (const MaskedAxis &masked : model.masked) {
    std::string left =
        "what lies where " + print(model, masked.where) + " counts for nothing";
    if (schedule.maskedAxis != masked.axis) {
      std::optional<std::string> why =
          whyNotSkipped(model, schedule, retained, masked.axis);
      missed(masked.axis,
             left + ", but " + why.value_or("the schedule does not skip it"));
      continue;
    }
    UnmaskedSums visited =
        sumUnmaskedTiles(model, schedule, *shortenedLoop(model, schedule));
    int64_t all = visited.tiles * tripCount(model.axes[masked.axis],
                                            schedule.tiles[masked.axis]);
    remarkAnalysis(
        group, "fuse", "masks",
        llvm::formatv("{0} of {1} tiles along '{2}' are visited: {3}",
                      visited.iterations, all, model.axes[masked.axis].name,
                      left));
  }
  for (const MaskedAxis &masked : listUnusedMasks(axes))
    missed(masked.axis,
           masked.where
               ? "what lies where " + print(model, masked.where) +
                     " counts for nothing, but rows neither begin nor end there"
               : "operators compare its index, but nothing proves that what "
                 "they make along it is left out");
}
