//===- StitchShared.cpp - Shared memory of stitched groups ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the shared memory that tile-allocate-shared gives to a block program.
// Retained tiles, stages and partial results of clusters live until the kernel
// ends. Exchanges follow one another in the memory behind them.
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchCluster.h"
#include "fusion/Analysis/Stitching/StitchCompositions.h"
#include "fusion/Analysis/Stitching/StitchStages.h"
#include "fusion/Support/PaddedScratch.h"
#include "fusion/Support/TileLayouts.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

static int64_t alignBuffer(int64_t bytes) { return llvm::alignTo(bytes, 128); }

static int64_t bytesOf(Type element) {
  constexpr unsigned byteBits = 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), byteBits);
}

int64_t fusion::tileBytes(const StitchSchedule &schedule,
                          ArrayRef<unsigned> axes, int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (unsigned axis : axes)
    bytes *= schedule.stepOf(axis).tile;
  return bytes;
}

int64_t fusion::countPrivateBytes(const StitchGroup &group,
                                  const StitchSchedule &schedule,
                                  const StitchPasses &passes) {
  if (!schedule.serialLoop)
    return 0;
  int64_t bytes = 0;
  auto add = [&](ArrayRef<unsigned> axes, int64_t elementBytes) {
    bytes +=
        alignBuffer(elementsOf(schedule, axes) * elementBytes * schedule.warps *
                    kWarpSize * schedule.serialLoop->sharedSteps);
  };
  for (auto [op, retained] : llvm::enumerate(passes.isRetained))
    if (retained)
      add(group.resultAxes(op),
          bytesOf(getElementTypeOrSelf(
              group.operators()[op]->getResult(0).getType())));
  for (auto [tensor, retained] :
       llvm::zip_equal(group.inputs, passes.isRetainedInput))
    if (retained)
      add(tensor.axes, tensor.elementBytes);
  // Tiles that are summed over rows.
  if (schedule.splitLoop)
    for (auto [op, isPart] : llvm::enumerate(passes.isPart))
      if (isPart)
        add(group.loops[op], bytesOf(group.reductions[op]->combined.getType()));
  return bytes;
}

/// Returns the bytes of a reduction's largest exchange between warps. Axes are
/// exchanged one after the other, from the last one on.
static int64_t countExchange(const StitchGroup &group,
                             const StitchSchedule &schedule, unsigned op) {
  SmallVector<unsigned, 4> axes(group.loops[op].begin(), group.loops[op].end()),
      retained = group.resultAxes(op);
  llvm::sort(axes);
  int64_t bytes = tileBytes(schedule, axes,
                            bytesOf(group.reductions[op]->combined.getType()));
  int64_t most = 0;
  for (unsigned axis : llvm::reverse(axes)) {
    if (llvm::is_contained(retained, axis))
      continue;
    bytes /= schedule.stepOf(axis).tile;
    if (int64_t warps = schedule.threadMapping[axis].warps; warps > 1)
      most = std::max(most, warps * bytes);
  }
  return most;
}

/// `isBound`: counts an upper bound of the exchanges of compositions.
static int64_t
countKernel(const StitchGroup &group, const StitchSchedule &schedule,
            const StitchPasses &passes, bool isBound,
            llvm::function_ref<int64_t(const StitchTensor &)> transposeBytes) {
  int64_t privateBytes = countPrivateBytes(group, schedule, passes) +
                         countStages(group, schedule, passes) +
                         countClusterPartials(group, schedule),
          most = privateBytes;
  // Components follow one another, and tiles that one of them retains live on.
  auto add = [&](unsigned component, int64_t bytes) {
    bool isBefore = schedule.serialLoop &&
                    component < group.components[schedule.serialLoop->axis];
    most = std::max(most, alignBuffer(bytes) + (isBefore ? 0 : privateBytes));
  };
  for (unsigned op = 0; op < group.operators().size(); ++op)
    if (group.reductions[op])
      add(group.componentOf(op), countExchange(group, schedule, op));
  for (const StitchComposition &entry : schedule.compositions)
    add(group.componentOf(entry.op),
        bytesOfExchange(group, schedule, passes, entry.op, isBound));
  // The blocks of the cross-block reduction exchange no more than that.
  for (const StitchTensor &result : group.results)
    add(result.component, transposeBytes(result));
  return most + 2 * kBarrierBytes * countStageBarriers(group, schedule, passes);
}

int64_t fusion::transposeBytes(const StitchGroup &group,
                               const StitchSchedule &schedule,
                               const StitchTensor &result) {
  std::optional<TransposedResult> turned =
      transposeResult(group, schedule, result);
  return turned ? turned->bytes : 0;
}

int64_t fusion::countShared(const StitchGroup &group,
                            const StitchSchedule &schedule,
                            const StitchPasses &passes) {
  return countKernel(group, schedule, passes, /*isBound=*/false,
                     [&](const StitchTensor &result) {
                       return transposeBytes(group, schedule, result);
                     });
}

int64_t fusion::blocksByShared(int64_t bytes, const ChipInfo &chip) {
  BlockDemand block;
  block.sharedMemory = bytes;
  return blocksPerSM(resourcesOfSM(chip), block);
}

int64_t fusion::sharedToFit(
    const StitchGroup &group, const StitchSchedule &schedule,
    const StitchPasses &passes, const ChipInfo &chip, int64_t maxBlocks,
    llvm::function_ref<int64_t(const StitchTensor &)> knownBytes) {
  int64_t turned = 0;
  int64_t most = countKernel(group, schedule, passes, /*isBound=*/true,
                             [&](const StitchTensor &result) {
                               int64_t bytes =
                                   countTransposed(group, schedule, result);
                               turned += bytes;
                               return bytes;
                             });
  if (turned == 0)
    return most;
  // Threads may already hold all that they store.
  int64_t least = countKernel(group, schedule, passes, /*isBound=*/true,
                              [](const StitchTensor &) { return 0; });
  auto blocks = [&](int64_t bytes) {
    return bytes <= static_cast<int64_t>(chip.sharedMemoryPerBlock)
               ? std::min(maxBlocks, blocksByShared(bytes, chip))
               : 0;
  };
  if (blocks(most) == blocks(least))
    return most;
  return knownBytes ? countKernel(group, schedule, passes, /*isBound=*/true,
                                  knownBytes)
                    : countShared(group, schedule, passes);
}
