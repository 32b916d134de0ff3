//===- StepExecutor.cpp - What an instruction does in time ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepExecutor.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace fusion;
using namespace fusion::timing;
using emulator::StepAction;

static Moment delayed(const Moment &moment, Cycles cycles) {
  return {moment.time + cycles, moment.cause};
}

static constexpr double kLineSectors = 4, kWavefrontBytes = 128;

StepExecutor::StepExecutor(Processor &processor, Warp &warp, unsigned number,
                           Cycles now)
    : processor(processor), machine(processor.machine), micro(machine.micro),
      warp(warp), inst(machine.kernel.insts[number]),
      timing(machine.timings[number]), now(now), written(now + timing.latency),
      read(now + micro.operandLatency), cause(warp.lastIssue) {}

void StepExecutor::run(llvm::ArrayRef<Step> steps) {
  if (steps.empty()) {
    runWithoutStep();
  } else {
    runStep(steps.front());
    for (const Step &further : steps.drop_front()) {
      if (!further.isFurther)
        break;
      runStep(further);
    }
  }
  auto set = [&](std::optional<unsigned> board, Cycles until) {
    if (board && until > warp.boards[*board].time)
      warp.boards[*board] = {{until, cause}, reason, std::nullopt};
  };
  set(inst.control.writeScoreboard, written);
  set(inst.control.readScoreboard, read);
  // A warp that waits itself finds what it waited for when it goes on.
  Result result{
      {written == kNever ? now : written, cause}, reason, std::nullopt};
  if (timing.fixedLatency)
    result = {{now + timing.fixedLatency, cause}, Wait::Latency, timing.pipe};
  for (unsigned reg : inst.writes)
    warp.registers[reg] = result;
}

void StepExecutor::waitUntil(const Moment &until, Wait why) {
  if (until.time <= warp.ready)
    return;
  warp.ready = until.time;
  warp.readyReason = why;
  warp.readyCause = until.cause;
}

/// Instructions that are no anchors, and anchors whose lanes all fail a guard.
void StepExecutor::runWithoutStep() {
  if (timing.isShuffle) {
    reason = Wait::Shared;
    written = enterMemoryPipe(1) + micro.shuffleLatency;
  } else if (timing.isLocal) {
    reason = Wait::Global;
    written = enterMemoryPipe(1) + micro.l1Latency;
  } else if (timing.commitsBulk) {
    warp.bulk.commit();
  } else if (timing.commitsGroup && timing.pipe == Pipe::Control) {
    commitMultiplications();
  } else if (timing.isFence) {
    // Stores before it must have arrived.
    Cycles latency =
        timing.isWideFence ? micro.wideFenceLatency : micro.fenceLatency;
    Cycles stored = timing.isWideFence ? warp.stored : 0;
    waitUntil(own(std::max(stored, now + latency)), Wait::Fence);
  } else if (timing.pipe == Pipe::Memory) {
    enterMemoryPipe(1);
  }
}

void StepExecutor::runStep(const Step &step) {
  switch (step.kind) {
  case StepKind::None:
  case StepKind::Mma:
    return;
  case StepKind::GlobalLoad:
    return loadGlobal(step);
  case StepKind::GlobalStore:
    return storeGlobal(step);
  case StepKind::SharedLoad:
  case StepKind::SharedStore:
  case StepKind::MatrixLoad:
  case StepKind::MatrixStore:
    return accessShared(step);
  case StepKind::Atomic:
    return atomic(step);
  case StepKind::AsyncCopy:
    return copy(step);
  case StepKind::AsyncCommit:
    return warp.copies.commit();
  case StepKind::AsyncWait:
    return waitUntil(warp.copies.completion(step.value), Wait::Copies);
  case StepKind::TMALoad:
    return loadBulk(step);
  case StepKind::TMAStore:
    return storeBulk(step);
  case StepKind::TMAWait:
    return waitUntil(warp.bulk.completion(step.value), Wait::Copies);
  case StepKind::WarpgroupMma:
    return multiply();
  case StepKind::WarpgroupFence:
    return atWarpgroup();
  case StepKind::WarpgroupWait:
    return awaitMultiplications(step);
  case StepKind::Barrier:
    return atBarrier(step);
  case StepKind::ClusterBarrier:
    return atClusterBarrier(step);
  case StepKind::Mbarrier:
    return atMbarrier(step);
  }
}

/// Returns when the memory pipe begins with the instruction, which takes it for
/// `slots` cycles: instructions, wavefronts or lines of L1.
Cycles StepExecutor::enterMemoryPipe(double slots) {
  Queue &pipe = processor.memoryPipe;
  Cycles begin = pipe.begin(now);
  pipe.take(now, std::max(slots, 1.0));
  Processor::SubPartition &sub = processor.subs[warp.sub];
  sub.memoryQueue[sub.queued++ % sub.memoryQueue.size()] = own(begin + 1);
  read = begin + micro.operandLatency;
  return begin;
}

SectorCounts StepExecutor::sectorsOf(const Step &step) const {
  return warp.block->work->levels->count(step.firstSector, step.numSectors);
}

void StepExecutor::loadGlobal(const Step &step) {
  reason = Wait::Global;
  if (!step.numSectors) { // another block's shared memory
    Cycles begin = enterMemoryPipe(step.wavefronts);
    double bytes = kWavefrontBytes * std::max(step.wavefronts, 1u);
    written = processor.remote.take(begin, bytes) + micro.clusterLatency;
    return;
  }
  double lines = std::ceil(step.numSectors / kLineSectors);
  Cycles begin = enterMemoryPipe(lines);
  SectorCounts sectors = sectorsOf(step);
  written = begin + lines - 1 + micro.l1Latency;
  if (sectors.l2 + sectors.dram)
    written =
        std::max(written, machine.memory.load(begin, sectors, processor.port));
}

void StepExecutor::storeGlobal(const Step &step) {
  if (!step.numSectors) {
    Cycles begin = enterMemoryPipe(step.wavefronts);
    processor.remote.take(begin,
                          kWavefrontBytes * std::max(step.wavefronts, 1u));
    return;
  }
  Cycles begin = enterMemoryPipe(std::ceil(step.numSectors / kLineSectors));
  Cycles stored = machine.memory.store(begin, sectorsOf(step), processor.port);
  warp.stored = std::max(warp.stored, stored);
}

void StepExecutor::accessShared(const Step &step) {
  reason = Wait::Shared;
  double wavefronts = std::max(step.wavefronts, 1u);
  Cycles begin = enterMemoryPipe(wavefronts);
  bool isMatrix = step.kind == StepKind::MatrixLoad;
  written = begin + (isMatrix ? micro.matrixLatency : micro.sharedLatency) +
            (wavefronts - 1) * micro.wavefrontLatency;
}

void StepExecutor::atomic(const Step &step) {
  reason = step.numSectors ? Wait::Global : Wait::Shared;
  Cycles begin = enterMemoryPipe(std::max(step.wavefronts, 1u));
  if (!step.numSectors) {
    written = begin + 2 * micro.sharedLatency;
    return;
  }
  written = machine.memory.store(begin, sectorsOf(step), processor.port);
}

void StepExecutor::copy(const Step &step) {
  SectorCounts sectors = sectorsOf(step);
  double lines = std::ceil(step.numSectors / kLineSectors);
  Cycles begin = enterMemoryPipe(std::max<double>(lines, step.wavefronts));
  Cycles done = begin + micro.l1Latency;
  if (sectors.l2 + sectors.dram)
    done = std::max(done, machine.memory.load(begin, sectors, processor.port));
  warp.copies.add(own(done + micro.copyLatency));
}

void StepExecutor::loadBulk(const Step &step) {
  Cycles begin = processor.tma.take(now, 1);
  Cycles done = machine.memory.load(begin, sectorsOf(step), processor.tmaPort) +
                micro.tmaLatency;
  enterMemoryPipe(1);
  if (step.action != StepAction::Complete) {
    warp.bulk.add(own(done));
    return;
  }
  for (auto [rank, block] : llvm::enumerate(warp.block->cluster->blocks)) {
    bool isReached = step.value ? step.value >> rank & 1 : rank == step.rank;
    if (!isReached)
      continue;
    Mbarrier &mbarrier = mbarrierOf(step, rank);
    mbarrier.complete(own(done), step.bytes);
    advance(mbarrier);
  }
}

void StepExecutor::storeBulk(const Step &step) {
  Cycles begin = processor.tma.take(now, 1);
  enterMemoryPipe(1);
  warp.bulk.add(
      own(machine.memory.store(begin, sectorsOf(step), processor.tmaPort)));
}

Warpgroup &StepExecutor::warpgroup() const {
  return warp.block->warpgroups[warp.index / kWarpgroupWarps];
}

llvm::MutableArrayRef<Warp> StepExecutor::warpsOfGroup() const {
  llvm::MutableArrayRef<Warp> all = warp.block->warps;
  return all.drop_front(warp.index / kWarpgroupWarps * kWarpgroupWarps)
      .take_front(kWarpgroupWarps);
}

/// The tensor cores of all warps begin together, when the last warp has issued
/// the instruction: they read the operands in shared memory at once.
void StepExecutor::multiply() {
  Warpgroup &group = warpgroup();
  llvm::MutableArrayRef<Warp> members = warpsOfGroup();
  bool isLast = group.issue(warp.multiplied++, members.size());
  if (timing.commitsGroup)
    commitMultiplications();
  if (!isLast)
    return;
  Cycles begin = now;
  for (const Warp &member : members)
    begin = std::max(begin, processor.tensorFree[member.sub]);
  double reading =
      timing.sharedBytes * kWarpgroupWarps / micro.sharedBytesPerCycle;
  Cycles end = begin + std::max<double>(timing.interval, reading);
  for (const Warp &member : members) {
    processor.tensorFree[member.sub] = end;
    machine.result.pipes[unsigned(Pipe::Tensor)] += timing.interval;
    if (machine.traces && processor.index == 0)
      machine.result.trace.push_back(
          {TraceEvent::Kind::Tensor, warp.block->work->block, member.sub,
           Wait::Tensor, unsigned(&inst - machine.kernel.insts.data()), begin,
           end});
  }
  group.complete(own(end + timing.latency));
  llvm::erase_if(group.waiting, [&](const Warpgroup::Waiter &waiter) {
    std::optional<Moment> done = group.completion(waiter.count);
    if (done)
      resume(*waiter.warp, *done, Wait::Tensor);
    return done.has_value();
  });
}

void StepExecutor::commitMultiplications() {
  warp.committedGroups.push_back(warp.multiplied);
}

void StepExecutor::awaitMultiplications(const Step &step) {
  const std::vector<size_t> &groups = warp.committedGroups;
  if (groups.size() <= step.value)
    return;
  size_t count = groups[groups.size() - 1 - step.value];
  Warpgroup &group = warpgroup();
  std::optional<Moment> done = group.completion(count);
  if (!done)
    group.waiting.push_back({&warp, count});
  waitUntil(done.value_or(own(kNever)), Wait::Tensor);
}

/// At WARPGROUP.ARRIVE, a warp waits for the others of its warpgroup.
void StepExecutor::atWarpgroup() {
  Barrier &barrier = warpgroup().arrivals;
  if (++barrier.arrived >= warpsOfGroup().size())
    return release(barrier, own(now + 1), Wait::Tensor);
  barrier.waiting.push_back(&warp);
  waitUntil(own(kNever), Wait::Tensor);
}

Mbarrier &StepExecutor::mbarrierOf(const Step &step, unsigned rank) {
  std::vector<Block *> &blocks = warp.block->cluster->blocks;
  return blocks[std::min<size_t>(rank, blocks.size() - 1)]
      ->mbarriers[step.place];
}

/// Ends phases of an mbarrier, and the waits for them.
void StepExecutor::advance(Mbarrier &mbarrier) {
  while (mbarrier.advance()) {
    std::vector<Mbarrier::Waiter> waiting;
    std::swap(waiting, mbarrier.waiting);
    for (const Mbarrier::Waiter &waiter : waiting) {
      std::optional<Moment> done = mbarrier.completion(waiter.parity);
      if (!done) {
        mbarrier.waiting.push_back(waiter);
        continue;
      }
      Moment time{std::max(done->time, now) + micro.waitLatency +
                      micro.wakeLatency,
                  done->cause};
      if (waiter.scoreboard) {
        static_cast<Moment &>(waiter.warp->boards[*waiter.scoreboard]) = time;
      } else {
        waiter.warp->ready = time.time;
        waiter.warp->readyCause = time.cause;
      }
      waiter.warp->block->processor->wake(*waiter.warp);
    }
  }
}

void StepExecutor::atMbarrier(const Step &step) {
  reason = Wait::Mbarrier;
  Mbarrier &mbarrier = mbarrierOf(step, step.rank);
  bool isRemote = warp.block->cluster->blocks.size() > 1 &&
                  warp.block->cluster->blocks[step.rank] != warp.block;
  Cycles begin = enterMemoryPipe(1);
  Cycles effect = begin + micro.mbarrierLatency +
                  (isRemote ? micro.remoteArrivalLatency : 0);
  written = std::max(written, effect);
  switch (step.action) {
  case StepAction::Initialize:
    mbarrier.initialize(step.value);
    return;
  case StepAction::Expect:
    mbarrier.expect(step.bytes);
    return;
  case StepAction::Arrive:
    mbarrier.expect(step.bytes);
    mbarrier.arrive(own(effect), step.value);
    return advance(mbarrier);
  case StepAction::ArriveCopied: {
    mbarrier.arrive(later(own(effect), warp.copies.completionOfAll()),
                    step.value);
    return advance(mbarrier);
  }
  case StepAction::Wait: {
    std::optional<Moment> done = mbarrier.completion(step.value);
    if (done) {
      Moment at = later(own(begin), *done);
      at.time += micro.waitLatency;
      if (at.time > written) {
        written = at.time;
        cause = at.cause;
      }
      return;
    }
    mbarrier.waiting.push_back(
        {&warp, inst.control.writeScoreboard, step.value});
    written = kNever;
    if (!inst.control.writeScoreboard)
      waitUntil(own(kNever), Wait::Mbarrier);
    return;
  }
  case StepAction::None:
  case StepAction::ArriveWait:
  case StepAction::Complete:
    return;
  }
}

/// Lets a warp go on that waits for others.
void StepExecutor::resume(Warp &other, const Moment &at, Wait why) {
  other.ready = std::max(at.time, other.stalledUntil);
  other.readyReason = why;
  other.readyCause = at.cause;
  other.block->processor->wake(other);
}

/// Lets the warps go on that wait at a barrier, which all have reached.
void StepExecutor::release(Barrier &barrier, const Moment &at, Wait why) {
  barrier.arrived = 0;
  barrier.last = Moment();
  barrier.completed.push_back(at);
  std::vector<Warp *> waiting;
  std::swap(waiting, barrier.waiting);
  for (Warp *other : waiting)
    resume(*other, at, why);
}

void StepExecutor::atBarrier(const Step &step) {
  Barrier &barrier =
      warp.block->barriers[step.place % warp.block->barriers.size()];
  barrier.last = later(barrier.last, own(processor.arrivals.take(now, 1)));
  ++barrier.arrived;
  if (step.action == StepAction::ArriveWait) {
    barrier.waiting.push_back(&warp);
    waitUntil(own(kNever), Wait::Barrier);
  }
  uint32_t expected = step.value ? step.value / kWarpSize : warp.block->live;
  if (barrier.arrived >= expected)
    release(barrier, delayed(barrier.last, micro.barrierLatency),
            Wait::Barrier);
}

void StepExecutor::atClusterBarrier(const Step &step) {
  Cluster &cluster = *warp.block->cluster;
  Barrier &barrier = cluster.barrier;
  // A block by itself needs no way through the GPC.
  unsigned latency = cluster.blocks.size() > 1 ? micro.clusterBarrierLatency
                                               : micro.barrierLatency;
  if (step.action == StepAction::Arrive) {
    ++warp.clusterPhase;
    barrier.last = later(barrier.last, own(processor.arrivals.take(now, 1)));
    if (++barrier.arrived >= cluster.live)
      release(barrier, delayed(barrier.last, latency), Wait::Cluster);
    return;
  }
  if (warp.clusterPhase <= barrier.completed.size() && warp.clusterPhase) {
    waitUntil(barrier.completed[warp.clusterPhase - 1], Wait::Cluster);
    return;
  }
  barrier.waiting.push_back(&warp);
  waitUntil(own(kNever), Wait::Cluster);
}

void StepExecutor::releaseBarriers() {
  Block &block = *warp.block;
  // A barrier with a number of threads does not get fewer.
  for (Barrier &barrier : block.barriers)
    if (!barrier.waiting.empty() && block.live && barrier.arrived >= block.live)
      release(barrier,
              delayed(later(barrier.last, own(now)), micro.barrierLatency),
              Wait::Barrier);
  Cluster &cluster = *block.cluster;
  if (cluster.live && cluster.barrier.arrived >= cluster.live)
    release(cluster.barrier,
            delayed(later(cluster.barrier.last, own(now)),
                    micro.clusterBarrierLatency),
            Wait::Cluster);
}
