//===- Cluster.cpp - Runs the CTAs of a cluster together ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Cluster.h"

#include "fusion/Target/Chips/Hardware.h"
#include <algorithm>

using namespace fusion::emulator;

// Warp instructions of a CTA until another one of its cluster has its turn.
static constexpr uint64_t kTurn = 1 << 14;
// Waits that gave up one after the other, without any arrival or copy in
// between, until that is a deadlock.
static constexpr uint64_t kMaxStalls = 64;

fusion::BlockDemand fusion::emulator::demandOf(const Code &code,
                                               const Launch &launch,
                                               const Processors &processors) {
  uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  BlockDemand block;
  block.warps = (threads + kWarpSize - 1) / kWarpSize;
  block.sharedMemory = uint64_t(code.dynamicSharedOffset) -
                       code.reservedSharedBytes + launch.dynamicSharedMemory;
  block.registers = code.source->maxRegisters;
  if (uint32_t blocks = code.source->leastBlocks; blocks && !block.registers)
    block.registers = uint32_t(
        std::max<int64_t>(registersByWarps(int64_t(blocks) * block.warps,
                                           processors.sm.registers),
                          1));
  return block;
}

uint64_t fusion::emulator::activeClusters(const Code &code,
                                          const Launch &launch,
                                          const Processors &processors) {
  if (processors.gpcs.empty())
    return UINT32_MAX;
  BlockDemand block = demandOf(code, launch, processors);
  return fusion::activeClusters(
      processors.gpcs, blocksPerSM(processors.sm, block),
      uint64_t(launch.cluster[0]) * launch.cluster[1] * launch.cluster[2]);
}

std::array<uint32_t, 3> fusion::emulator::firstCta(const Launch &launch,
                                                   uint64_t cluster) {
  uint64_t first = blocksOfCluster(launch, cluster).front();
  return {uint32_t(first % launch.grid[0]),
          uint32_t(first / launch.grid[0] % launch.grid[1]),
          uint32_t(first / launch.grid[0] / launch.grid[1])};
}

ClusterExecutor::ClusterExecutor(const Code &code, const Launch &launch,
                                 const Options &options, DeviceMemory &memory,
                                 const uint8_t *parameters,
                                 GridSanitizer *sanitizer)
    : launch(launch), options(options) {
  uint32_t ranks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    executors.push_back(std::make_unique<Executor>(
        code, launch, options, memory, parameters, sanitizer));
    cluster.ctas.push_back(&executors.back()->cta);
  }
}

void ClusterExecutor::start(uint64_t linear, bool tracing,
                            bool sharedHostMemory) {
  index = linear;
  cluster.arrived = cluster.parity = 0;
  done.assign(executors.size(), false);
  stalls = seenEvents = executed = 0;
  random = options.seed * 0x9e3779b97f4a7c15u ^ linear;
  std::vector<uint64_t> blocks = blocksOfCluster(launch, linear);
  for (uint32_t rank = 0; rank < executors.size(); ++rank)
    executors[rank]->start(blocks[rank], tracing, sharedHostMemory, cluster,
                           rank);
}

bool ClusterExecutor::letHeldGo() {
  bool any = false;
  for (const auto &executor : executors)
    any |= !executor->cta.ended && executor->letHeldGo();
  return any;
}

bool ClusterExecutor::resolveStall() {
  uint64_t events = 0;
  for (const Cta *cta : cluster.ctas)
    events += cta->async.events;
  if (events != seenEvents) {
    seenEvents = events;
    stalls = 0;
  }
  bool any = false;
  if (++stalls <= kMaxStalls)
    for (size_t i = 0; i < executors.size(); ++i)
      any |= !done[i] && executors[i]->timeOut();
  // Who waits at a barrier for lanes that never come goes on alone, which is a
  // mistake of its own.
  if (any || letHeldGo())
    return true;
  std::vector<const Executor *> left;
  for (const auto &executor : executors)
    if (!executor->cta.ended)
      left.push_back(executor.get());
  for (size_t i = 0; i < executors.size(); ++i)
    if (!done[i]) {
      left.erase(left.begin());
      executors[i]->deadlock(left);
      break;
    }
  return false;
}

CtaStatus ClusterExecutor::run(uint64_t quantum) {
  uint64_t used = 0;
  size_t count = executors.size();
  while (true) {
    bool progress = false, alive = false;
    size_t first = 0;
    if (options.seed && count > 1) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      first = (random >> 33) % count;
    }
    for (size_t k = 0; k < count; ++k) {
      size_t i = (first + k) % count;
      if (done[i])
        continue;
      alive = true;
      uint64_t turn = count == 1 ? quantum : kTurn;
      if (options.seed && count > 1) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        // As often short as long: a few instructions between two CTAs matter.
        turn = uint64_t(1) << (random >> 33) % 12;
      }
      CtaStatus status = executors[i]->run(turn);
      used += executors[i]->lastUsed();
      executed += executors[i]->lastUsed();
      progress |= executors[i]->lastUsed() != 0;
      if (status == CtaStatus::Failed)
        return status;
      if (status == CtaStatus::Done) {
        done[i] = true;
        executors[i]->cta.ended = true;
        progress = true;
      }
    }
    if (!alive)
      return CtaStatus::Done;
    if (!progress && !resolveStall())
      return CtaStatus::Failed;
    if (used >= quantum)
      return CtaStatus::Running;
  }
}
