//===- StitchAttributes.cpp - Stitched schedules from and to attributes ---===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Analysis/Stitching/StitchCost.h"
#include "fusion/Analysis/Stitching/StitchSchedule.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"

using namespace mlir;
using namespace fusion;

namespace {

/// Reads a stitched group's schedule from its attribute, one part after the
/// other. A part that does not fit the group calls `explain`, and its function
/// returns false.
class StitchReader {
public:
  StitchReader(fuse::ScheduleAttr attr, const StitchGroup &group,
               llvm::function_ref<void(const Twine &)> explain)
      : attr(attr), group(group), explain(explain) {}

  std::optional<StitchSchedule> read() {
    if (!checkParts() || !readCodegen())
      return std::nullopt;
    readFields();
    if (!readThreadMapping() || !readSerialLoop() || !readCluster() ||
        !checkExpensive() || !readSplitLoop() || !readCompositions())
      return std::nullopt;
    return std::move(schedule);
  }

private:
  /// Checks that the attribute has no part that stitched groups lack.
  bool checkParts();
  bool readCodegen();
  /// Reads the fields that no group contradicts.
  void readFields();
  bool readThreadMapping();
  bool readSerialLoop();
  /// Gives the cluster to the axis that its blocks share.
  bool readCluster();
  /// Checks that a serial loop that retains expensive operators has some.
  bool checkExpensive();
  bool readSplitLoop();
  bool readCompositions();

  /// Calls `explain` with the reason, and returns false.
  bool decline(const Twine &reason) {
    explain(reason);
    return false;
  }

  fuse::ScheduleAttr attr;
  const StitchGroup &group;
  llvm::function_ref<void(const Twine &)> explain;
  StitchSchedule schedule;
};

} // namespace

bool StitchReader::checkParts() {
  // The builders switch off all that stitched groups lack.
  MLIRContext *context = attr.getContext();
  fuse::MappingAttr mapping = fuse::MappingAttr::get(
      context, attr.getMapping().getWarps(), attr.getMapping().getCluster());
  fuse::ParallelAttr parallel = attr.getParallel();
  if (parallel)
    parallel = fuse::ParallelAttr::get(context, parallel.getProducers());
  if (attr != fuse::ScheduleAttr::get(context, attr.getVersion(),
                                      fuse::TilingAttr(), mapping,
                                      fuse::MemoryAttr(), fuse::PipelineAttr(),
                                      parallel, fuse::ReductionAttr(),
                                      attr.getStitching(), attr.getCodegen()))
    return decline("'stitching' has nothing beside it but the warps and the "
                   "cluster of the mapping, and producers");
  return true;
}

bool StitchReader::readCodegen() {
  fuse::CodegenAttr codegen = attr.getCodegen();
  if (!codegen)
    return true;
  if (!codegen.getMasked().empty())
    return decline(
        "'masked' names contractions, and a stitched group has none");
  schedule.codegen = importCodegen(codegen);
  return true;
}

void StitchReader::readFields() {
  schedule.warps = attr.getMapping().getWarps();
  if (fuse::ParallelAttr parallel = attr.getParallel())
    schedule.producers = parallel.getProducers();
  schedule.evictFirst = attr.getStitching().getEvictFirst();
  schedule.fanIn = attr.getStitching().getFanIn();
}

bool StitchReader::readThreadMapping() {
  schedule.threadMapping.resize(group.axes.size());
  SmallVector<bool> isGiven(group.axes.size());
  for (NamedAttribute entry : attr.getStitching().getThreadMapping()) {
    StringRef name = entry.getName().getValue();
    std::optional<unsigned> axis = group.findAxis(name);
    if (!axis)
      return decline("there is no axis '" + name + "'");
    auto mapped = cast<fuse::ThreadMappingAttr>(entry.getValue());
    schedule.threadMapping[*axis] = {mapped.getTile(), mapped.getVector(),
                                     mapped.getLanes(), mapped.getWarps(),
                                     mapped.getAlign()};
    isGiven[*axis] = true;
  }
  for (auto [axis, given] : llvm::zip_equal(group.axes, isGiven))
    if (!given)
      return decline("axis '" + axis.name + "' has no #fuse.thread_mapping");
  return true;
}

bool StitchReader::readSerialLoop() {
  fuse::SerialLoopAttr loop = attr.getStitching().getSerialLoop();
  if (!loop)
    return true;
  unsigned axis = *group.findAxis(loop.getAxis().getValue());
  const AxisThreadMapping &mapped = schedule.threadMapping[axis];
  int64_t threads = mapped.vector * mapped.lanes * mapped.warps;
  if (mapped.tile % loop.getStep() != 0 || loop.getStep() % threads != 0)
    return decline("a tile of " + Twine(mapped.tile) + " is no multiple of " +
                   Twine(loop.getStep()) + ", or that of " + Twine(threads));
  if (loop.getRegisterSteps() + loop.getSharedSteps() >
      mapped.tile / loop.getStep())
    return decline("more steps are retained than there are");
  schedule.serialLoop = {axis,
                         loop.getStep(),
                         loop.getRegisterSteps(),
                         loop.getSharedSteps(),
                         loop.getOnline(),
                         loop.getRetainExpensive(),
                         loop.getStages(),
                         loop.getTma()};
  if (!loop.getOnline())
    return true;
  StitchPasses passes(group, axis, /*isOnline=*/true);
  if (passes.isOnline())
    return true;
  if (passes.whyNotOnline.empty())
    return decline("no reduction along axis '" + group.axes[axis].name +
                   "' waits for another one");
  return decline("the reductions along axis '" + group.axes[axis].name +
                 "' have no online form: " + passes.whyNotOnline);
}

bool StitchReader::readCluster() {
  int64_t blocks = attr.getMapping().getCluster();
  if (blocks <= 1)
    return true;
  // The cluster has the serial loop's axis where blocks split another one, too.
  std::optional<unsigned> shared = StitchSplit::axisOf(group, schedule);
  if (schedule.serialLoop && shared)
    if (const StitchAxis &serialAxis = group.axes[schedule.serialLoop->axis];
        serialAxis.isReduced &&
        schedule.threadMapping[schedule.serialLoop->axis].tile <
            serialAxis.extent)
      shared = schedule.serialLoop->axis;
  if (!shared)
    return decline("a cluster of " + Twine(blocks) +
                   " blocks shares no reduced axis: blocks have all of each");
  schedule.threadMapping[*shared].cluster = blocks;
  return true;
}

bool StitchReader::checkExpensive() {
  if (!schedule.serialLoop || !schedule.serialLoop->retainsExpensive ||
      StitchWork::of(group, schedule).expensive)
    return true;
  return decline("no operator along axis '" +
                 group.axes[schedule.serialLoop->axis].name +
                 "' that is expensive would be computed by several passes");
}

bool StitchReader::readSplitLoop() {
  int64_t step = attr.getStitching().getSplitStep();
  if (step == 0)
    return true;
  std::optional<unsigned> axis = StitchSplit::besideSerialLoop(group, schedule);
  if (!axis)
    return decline("blocks with 'split_step' share no reduction along an axis "
                   "but that of the serial loop");
  const AxisThreadMapping &mapped = schedule.threadMapping[*axis];
  int64_t threads = mapped.vector * mapped.lanes * mapped.warps;
  if (mapped.tile % step != 0 || step % threads != 0)
    return decline("a tile of " + Twine(mapped.tile) + " is no multiple of " +
                   Twine(step) + " rows, or that of " + Twine(threads));
  schedule.splitLoop = {*axis, step};
  return true;
}

bool StitchReader::readCompositions() {
  for (fuse::CompositionAttr entry : attr.getStitching().getCompositions()) {
    if (entry.getOp() >= int64_t(group.operators().size()))
      return decline("there is no operator " + Twine(entry.getOp()) +
                     ", the group has " + Twine(group.operators().size()));
    schedule.compositions.push_back(
        {unsigned(entry.getOp()), entry.getScheme() == fuse::Sharing::Warp
                                      ? Composition::Warp
                                      : Composition::Block});
  }
  return true;
}

std::optional<StitchSchedule>
fusion::importStitching(fuse::ScheduleAttr attr, const StitchGroup &group,
                        llvm::function_ref<void(const Twine &)> explain) {
  return StitchReader(attr, group, explain).read();
}

fuse::ScheduleAttr fusion::exportStitching(const StitchSchedule &schedule,
                                           const StitchGroup &group,
                                           MLIRContext *context) {
  Builder builder(context);
  SmallVector<NamedAttribute> entries;
  for (auto [axis, mapped] :
       llvm::zip_equal(group.axes, schedule.threadMapping))
    entries.push_back(builder.getNamedAttr(
        axis.name, fuse::ThreadMappingAttr::get(context, mapped.tile,
                                                mapped.vector, mapped.lanes,
                                                mapped.warps, mapped.align)));
  auto mapping =
      fuse::MappingAttr::get(context, schedule.warps, clusterSize(schedule));
  fuse::SerialLoopAttr loop;
  if (schedule.serialLoop)
    loop = fuse::SerialLoopAttr::get(
        context,
        builder.getStringAttr(group.axes[schedule.serialLoop->axis].name),
        schedule.serialLoop->step, schedule.serialLoop->registerSteps,
        schedule.serialLoop->sharedSteps, schedule.serialLoop->isOnline,
        schedule.serialLoop->retainsExpensive, schedule.serialLoop->stages,
        schedule.serialLoop->usesTMA);
  SmallVector<fuse::CompositionAttr> compositions;
  for (const StitchComposition &entry : schedule.compositions)
    compositions.push_back(fuse::CompositionAttr::get(
        context, entry.op,
        entry.scheme == Composition::Warp ? fuse::Sharing::Warp
                                          : fuse::Sharing::Block));
  auto stitching = fuse::StitchingAttr::get(
      context, builder.getDictionaryAttr(entries), loop, schedule.evictFirst,
      schedule.fanIn, schedule.splitLoop ? schedule.splitLoop->step : 0,
      compositions);
  fuse::ParallelAttr parallel;
  if (schedule.producers > 0)
    parallel = fuse::ParallelAttr::get(context, schedule.producers);
  return fuse::ScheduleAttr::get(
      context, fuse::kScheduleVersion, fuse::TilingAttr(), mapping,
      fuse::MemoryAttr(), fuse::PipelineAttr(), parallel, fuse::ReductionAttr(),
      stitching,
      schedule.codegen
          ? exportCodegen(*schedule.codegen, /*masked=*/{}, context)
          : fuse::CodegenAttr());
}
