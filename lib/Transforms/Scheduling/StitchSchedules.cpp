//===- StitchSchedules.cpp - Schedules of stitched groups -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchSchedules.h"
#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Analysis/Stitching/StitchCompositions.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "fusion/Analysis/Stitching/StitchStages.h"
#include "fusion/Analysis/Stitching/StitchTraffic.h"
#include "fusion/Search/Stitching/StitchReport.h"
#include "fusion/Search/Stitching/StitchSearch.h"
#include "fusion/Support/Counted.h"
#include "fusion/Support/Remark.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;

/// Describes which passes online reductions save, and the bytes of these.
static std::string remarkOnline(const StitchGroup &axes,
                                const StitchSchedule &schedule,
                                const StitchWork &work) {
  StitchSchedule apart = schedule;
  apart.serialLoop->isOnline = false;
  unsigned joined = 0;
  for (auto [factor, centre] :
       llvm::zip_equal(work.online->factors, work.online->centres))
    joined += factor || centre;
  return llvm::formatv("; online along {0}: {1} {2} corrected as others go "
                       "on, so that {3} {4} for {5}, which would load {6} "
                       "bytes",
                       axes.axes[schedule.serialLoop->axis].name, joined,
                       joined == 1 ? "reduction is" : "reductions are",
                       work.online->count,
                       work.online->count == 1 ? "pass does" : "passes do",
                       work.serialAxis->count,
                       countTraffic(axes, apart, *work.serialAxis).loaded);
}

/// Emits a remark for each expensive operator whose elements several threads
/// need: which of them evaluate an element, and what the alternatives are
/// predicted to take.
static void remarkCompositions(fuse::FusedGroupOpInterface group,
                               const StitchGroup &axes,
                               const StitchResult &found,
                               const ChipInfo &chip) {
  StitchWork work = StitchWork::of(axes, found.schedule);
  for (unsigned op : findShareable(axes)) {
    linalg::LinalgOp operation = axes.operators()[op];
    Composition chosen = found.schedule.schemeOf(op);
    int64_t needed = elementsOf(found.schedule, axes.loops[op]);
    std::string others;
    for (Composition scheme :
         {Composition::Thread, Composition::Warp, Composition::Block}) {
      if (scheme == chosen)
        continue;
      StitchSchedule other = found.schedule;
      if (scheme == Composition::Thread)
        llvm::erase_if(other.compositions, [&](const StitchComposition &entry) {
          return axes.loops[entry.op] == axes.loops[op];
        });
      else
        addComposition(axes, other, op, scheme);
      std::string text = "; " + fusion::name(scheme).str() + " composition ";
      if (auto illegal = checkCompositions(axes, other)) {
        others += "; " + *illegal;
        continue;
      }
      std::optional<StitchCost> cost =
          predictStitching(axes, work, other, chip);
      others += cost ? text + llvm::formatv("is predicted to take {0:F2} us",
                                            cost->total * 1e6)
                                  .str()
                     : text + "has no room";
    }
    int64_t evaluated = chosen == Composition::Thread
                            ? needed
                            : countEvaluated(axes, found.schedule, op);
    remarkAnalysis(operation, "stitch", "composition",
                   llvm::formatv("operator {0} has {1} composition: a thread "
                                 "needs {2} and evaluates {3}{4}",
                                 op, fusion::name(chosen),
                                 counted(needed, "element"), evaluated,
                                 others));
  }
}

/// Emits a remark on the bytes that are read and written, and on the compulsory
/// ones.
static void remarkTraffic(fuse::FusedGroupOpInterface group,
                          const StitchGroup &axes, const StitchResult &found) {
  const StitchSchedule &schedule = found.schedule;
  StitchWork work = StitchWork::of(axes, schedule);
  const StitchPasses &passes = work.passesOf(schedule);
  StitchTraffic traffic = countTraffic(axes, schedule, passes);
  std::string retained;
  if (schedule.serialLoop && passes.isOnline())
    retained = remarkOnline(axes, schedule, work);
  if (schedule.serialLoop && passes.count > 1) {
    const StitchSerialLoop &walk = *schedule.serialLoop;
    int64_t again =
        schedule.countSteps() - walk.registerSteps - walk.sharedSteps;
    retained += llvm::formatv(
        "; {0} passes over {1} in {2} steps, of which {3} are retained in "
        "registers and {4} in shared memory",
        passes.count, axes.axes[walk.axis].name, schedule.countSteps(),
        walk.registerSteps, walk.sharedSteps);
    if (walk.retainsExpensive) {
      StitchSchedule one = schedule;
      one.serialLoop->registerSteps = 0, one.serialLoop->sharedSteps = 1;
      retained += llvm::formatv(
          "; with results of expensive operators, {0} bytes of a step and "
          "block instead of {1}",
          countPrivateBytes(axes, one, *work.expensive),
          countPrivateBytes(axes, one, *work.serialAxis));
    }
    if (again > 0)
      retained +=
          llvm::formatv("; the other {0} are read again: a block has no "
                        "room for the whole row",
                        again);
    if (again > 0 && !work.whyNotOnline.empty())
      retained += "; not in fewer passes: " + work.whyNotOnline;
  }
  if (isPersistent(axes, schedule))
    retained += llvm::formatv("; a block runs over {0} steps of {1}",
                              schedule.countSteps(),
                              axes.axes[schedule.serialLoop->axis].name);
  for (auto [axis, mapping] :
       llvm::zip_equal(axes.axes, schedule.threadMapping))
    if (mapping.align > 1)
      retained +=
          llvm::formatv("; rows along {0} are misaligned, their tiles begin at "
                        "multiples of {1} elements",
                        axis.name, mapping.align);
  StitchSplit split(axes, schedule);
  if (split.axis)
    retained += llvm::formatv(
        "; the reductions along {0} are split over {1} blocks by way of {2} "
        "bytes",
        axes.axes[*split.axis].name, split.splits, traffic.exchanged);
  if (schedule.splitLoop)
    retained +=
        llvm::formatv(", in {0} passes over {1} elements each",
                      schedule.countSerialPasses(), schedule.splitLoop->step);
  if (split.rounds.size() > 1)
    retained +=
        llvm::formatv(", a block reduces the partial results of {0} blocks at "
                      "a time, in {1} rounds",
                      schedule.fanIn, split.rounds.size());
  remarkAnalysis(
      group, "stitch", "traffic",
      llvm::formatv(
          "{0} bytes are loaded, of them {1} of operands that are repeated, "
          "and {2} stored; {3} bytes are compulsory; memory moves {4}, "
          "{5:F3} x as many; about {6} sectors of memory are touched{7}",
          traffic.loaded, traffic.repeated, traffic.stored,
          work.compulsoryBytes, int64_t(found.cost.moved),
          found.cost.moved / found.cost.compulsory, int64_t(found.cost.sectors),
          retained));
}

/// Describes the producer warps, or says why there are none.
static std::string producersRemark(StitchSchedule schedule) {
  if (schedule.producers > 0)
    return counted(schedule.producers, "producer warp");
  schedule.producers = 1;
  return "no producer warp: " + checkStitchProducers(schedule).value_or(
                                    "it is predicted to save no time");
}

/// Describes which of the inputs that are copied ahead use TMA copies, and why
/// threads copy the others.
static std::string bulkRemark(const StitchGroup &axes,
                              const StitchSchedule &schedule,
                              const ChipInfo &chip) {
  if (!chip.hasTMA)
    return "threads copy it, as " + chip.name.str() + " has no TMA copies";
  StitchSchedule bulk = schedule;
  bulk.serialLoop->usesTMA = true;
  StitchPasses passes = passesOf(axes, bulk);
  if (!schedule.serialLoop->usesTMA)
    return "threads copy it: " +
           checkStages(axes, bulk, passes)
               .value_or("TMA copies are predicted to take longer or more "
                         "instructions");
  int64_t usesTMA = 0;
  std::string others;
  for (unsigned input : passes.steps.front().inputs) {
    std::optional<std::string> why = whyNotTMA(axes, bulk, axes.inputs[input]);
    usesTMA += !why;
    if (why)
      others += "; input " + std::to_string(input) + " is not: " + *why;
  }
  return counted(usesTMA, "input") + " by TMA" + others + "; " +
         producersRemark(schedule);
}

/// Emits remarks on the copies ahead of the steps of a loop, or on the reason
/// why there are none.
static void remarkStages(fuse::FusedGroupOpInterface group,
                         const StitchGroup &axes, const StitchResult &found,
                         const ChipInfo &chip) {
  StitchSchedule schedule = found.schedule;
  if (!schedule.serialLoop) {
    if (found.cost.waves > 1)
      remarkMissed(
          group, "pipeline", "not-persistent",
          llvm::formatv("blocks have one tile each, in {0} waves: no "
                        "persistent kernel is predicted to take less time",
                        found.cost.waves));
    return;
  }
  StitchSerialLoop &walk = *schedule.serialLoop;
  std::string name = axes.axes[walk.axis].name;
  if (walk.stages > 1) {
    std::string usesTMA = bulkRemark(axes, schedule, chip);
    remarkPassed(
        group, "pipeline", "stages",
        llvm::formatv("the inputs of a step of {0} are prefetched {1} ahead, "
                      "by way of {2} bytes of shared memory besides the "
                      "retained tiles; {3}",
                      name, counted(walk.stages - 1, "step"),
                      countStages(axes, schedule, passesOf(axes, schedule)),
                      usesTMA));
    return;
  }
  if (walk.registerSteps >= schedule.countSteps())
    return; // There is no loop.
  walk.stages = 2;
  remarkMissed(group, "pipeline", "no-stages",
               "nothing is prefetched for the steps of " + name + ": " +
                   checkStages(axes, schedule)
                       .value_or("it is predicted to take no less time"));
}

fuse::ScheduleAttr fusion::chooseStitching(fuse::FusedGroupOpInterface group,
                                           const ChipInfo &chip,
                                           const StitchRequest &request) {
  StitchReport *report = request.report;
  std::string reason;
  FailureOr<StitchGroup> axes =
      StitchGroup::compute(group.getOperators(), group.getYieldedValues(),
                           [&](const Twine &why) { reason = why.str(); });
  std::optional<StitchResult> found;
  // Some schedules are met twice.
  StitchRanking ranking(report ? 4 * request.most : 0, request.randomSeed);
  if (succeeded(axes))
    found = searchStitching(*axes, chip, reason, StitchEffort::Full,
                            /*likely=*/nullptr,
                            report || request.randomSeed ? &ranking : nullptr,
                            request.evaluator);
  if (ranking.drawn()) {
    found->schedule = ranking.drawn()->schedule;
    found->cost = ranking.drawn()->cost;
  }
  if (!found) {
    if (report)
      report->whyGeneric = reason;
    remarkMissed(group, "stitch", "generic",
                 "runs in the generic form: " + reason);
    return makeGenericSchedule(group.getContext(), group.getOperators(),
                               chip.isCpu());
  }
  std::string compositions;
  for (auto [axis, mapping] :
       llvm::zip_equal(axes->axes, found->schedule.threadMapping))
    if (axis.isReduced)
      compositions +=
          llvm::formatv("; {0} is reduced by {1} composition", axis.name,
                        fusion::name(compositionOf(mapping)));
  if (chip.isCpu()) {
    remarkAnalysis(
        group, "stitch", "schedule",
        llvm::formatv("predicted {0:F2} us: {1}, at most {2} of one core; {3} "
                      "of {4} candidates fit",
                      found->cost.total * 1e6,
                      counted(countBlocks(*axes, found->schedule), "block"),
                      found->cost.waves, found->legal, found->candidates));
  } else {
    remarkAnalysis(
        group, "stitch", "schedule",
        llvm::formatv("predicted {0:F2} us: {1} of {2}, about {3} registers "
                      "per thread, room for {4} on an SM{5}; {6} of {7} "
                      "candidates fit",
                      found->cost.total * 1e6,
                      counted(countBlocks(*axes, found->schedule), "block"),
                      counted(found->schedule.warps, "warp"),
                      found->cost.registers,
                      counted(found->cost.blocksPerSM, "block"), compositions,
                      found->legal, found->candidates));
  }
  if (!chip.isCpu()) {
    if (request.evaluator != EvaluatorForm::Printed)
      remarkCompositions(group, *axes, *found, chip);
    remarkTraffic(group, *axes, *found);
    remarkStages(group, *axes, *found, chip);
  }
  auto attributeOf = [&](const StitchSchedule &schedule) {
    return exportStitching(schedule, *axes, group.getContext());
  };
  if (report)
    report->search = reportStitching(
        request.name, *axes, *found, ranking, request.most,
        [&](const StitchSchedule &schedule) {
          return llvm::formatv("{0}", Attribute(attributeOf(schedule))).str();
        });
  return attributeOf(found->schedule);
}

LogicalResult fusion::verifyStitching(fuse::FusedGroupOpInterface group,
                                      fuse::ScheduleAttr given,
                                      const ChipInfo &chip) {
  std::string reason;
  auto explain = [&](const Twine &why) { reason = why.str(); };
  FailureOr<StitchGroup> axes = StitchGroup::compute(
      group.getOperators(), group.getYieldedValues(), explain);
  if (failed(axes))
    return mlir::emitError(group.getLoc(), "cannot be stitched: ") << reason;
  std::optional<StitchSchedule> schedule =
      importStitching(given, *axes, explain);
  if (!schedule)
    return mlir::emitError(group.getLoc(), "schedule does not fit the group: ")
           << reason;
  if (auto illegal = checkStitching(*axes, *schedule, chip))
    return mlir::emitError(group.getLoc(), "schedule cannot be lowered: ")
           << *illegal;
  StitchWork work = StitchWork::of(*axes, *schedule);
  const StitchPasses &passes = work.passesOf(*schedule);
  if (auto illegal = checkRetained(*axes, *schedule, passes))
    return mlir::emitError(group.getLoc(), "schedule cannot be lowered: ")
           << *illegal;
  if (chip.isCpu())
    return success();
  int64_t shared = countShared(*axes, *schedule, passes);
  if (shared > chip.sharedMemoryPerBlock)
    return mlir::emitError(group.getLoc(), "schedule cannot be lowered: ")
           << "a block would need " << shared
           << " bytes of shared memory, it has at most "
           << chip.sharedMemoryPerBlock;
  return success();
}
