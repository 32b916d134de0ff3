//===- Processor.cpp - An SM that replays warps ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Processor.h"
#include "StepExecutor.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace fusion;
using namespace fusion::timing;

Processor::Processor(Machine &machine, unsigned number)
    : machine(machine), index(number),
      memoryPipe(32.0 / machine.micro.lanes.memory),
      port(1 / machine.micro.l2BytesPerCycle), tma(machine.micro.tmaInterval),
      tmaPort(1 / machine.micro.tmaBytesPerCycle),
      remote(1 / machine.micro.clusterBytesPerCycle),
      arrivals(machine.micro.barrierInterval),
      starts(machine.micro.blockInterval) {
  for (SubPartition &sub : subs)
    sub.memoryQueue.assign(machine.micro.memoryQueue, 0);
}

Cycles Processor::startSlot(Cycles now) { return starts.take(now, 1); }

void Processor::start(Block &block, Cycles begin) {
  block.processor = this;
  block.begin = begin;
  block.live = block.warps.size();
  for (auto [i, warp] : llvm::enumerate(block.warps)) {
    warp.block = &block;
    warp.index = i;
    warp.work = &block.work->warps[i];
    warp.ready = warp.issuedAt = begin;
    // Warps go to the sub-partition with the fewest; of several to the next.
    unsigned best = i % kSubPartitions;
    for (unsigned k = 0; k < kSubPartitions; ++k) {
      unsigned candidate = (i + k) % kSubPartitions;
      if (subs[candidate].warps.size() < subs[best].warps.size())
        best = candidate;
    }
    // A warpgroup needs one warp on each.
    if (block.warps.size() % kSubPartitions == 0)
      best = i % kSubPartitions;
    warp.sub = best;
    subs[best].warps.push_back(&warp);
  }
  for (unsigned sub = 0; sub < kSubPartitions; ++sub)
    reschedule(sub);
  for (Warp &warp : block.warps)
    if (warp.hasEnded())
      end(subs[warp.sub], warp, begin);
}

void Processor::wake(Warp &warp) { reschedule(warp.sub); }

Readiness fusion::timing::readinessOf(const Machine &machine,
                                      const Warp &warp) {
  Readiness found{warp.ready, warp.readyReason};
  unsigned inst = warp.work->path->insts[warp.next];
  unsigned waits = machine.kernel.insts[inst].control.waits;
  for (unsigned board = 0; waits; ++board, waits >>= 1)
    if (waits & 1 && warp.boards[board] > found.time)
      found = {warp.boards[board], warp.boardReasons[board]};
  return found;
}

/// Returns the first cycle in which the warp's next instruction may issue, as
/// far as is known, and what it waits for until then.
Readiness Processor::readiness(const SubPartition &sub,
                               const Warp &warp) const {
  Readiness found = readinessOf(machine, warp);
  auto wait = [&](Cycles until, Wait reason) {
    if (until > found.time)
      found = {until, reason};
  };
  const InstTiming &timing = machine.timings[warp.work->path->insts[warp.next]];
  // wgmma is queued.
  if (timing.kind != StepKind::WarpgroupMma)
    wait(sub.pipes[unsigned(timing.pipe)], Wait::Pipe);
  if (timing.pipe == Pipe::Memory)
    wait(sub.memoryQueue[sub.queued % sub.memoryQueue.size()],
         Wait::MemoryQueue);
  found.time = std::ceil(found.time);
  return found;
}

/// Returns the warp to issue at a time: the one that was issued last if it can
/// be, else the one that started last (Huerta et al., "Analyzing Modern NVIDIA
/// GPU cores", 2025).
Warp *Processor::choose(SubPartition &sub, Cycles now,
                        Readiness &chosen) const {
  Warp *best = nullptr;
  for (Warp *warp : llvm::reverse(sub.warps)) {
    Readiness one = readiness(sub, *warp);
    if (one.time > now)
      continue;
    if (best && warp != sub.last)
      continue;
    best = warp;
    chosen = one;
    if (warp == sub.last || !sub.last)
      break;
  }
  return best;
}

void Processor::reschedule(unsigned sub) {
  Cycles first = kNever;
  for (Warp *warp : subs[sub].warps)
    if (!warp->hasEnded())
      first = std::min(first, readiness(subs[sub], *warp).time);
  machine.agenda.set(index * kSubPartitions + sub,
                     std::max(first, subs[sub].freeAt));
}

void Processor::issue(unsigned number) {
  SubPartition &sub = subs[number];
  Cycles now = machine.agenda.timeOf(index * kSubPartitions + number);
  Readiness ready{};
  Warp *warp = choose(sub, now, ready);
  sub.freeAt = now + 1;
  if (!warp)
    return reschedule(number);
  // The cycles since the warp's last instruction.
  unsigned inst = warp->work->path->insts[warp->next];
  InstTotals &totals = machine.result.insts[inst];
  auto waited = [&](Cycles begin, Cycles end, Wait reason) {
    if (end <= begin)
      return;
    totals.waits[unsigned(reason)] += end - begin;
    machine.result.waits[unsigned(reason)] += end - begin;
    if (machine.traces && index == 0 && reason != Wait::Scheduler)
      machine.result.trace.push_back({TraceEvent::Kind::Wait,
                                      warp->block->work->block, warp->index,
                                      reason, inst, begin, end});
  };
  Cycles since = warp->next ? warp->issuedAt + 1 : warp->block->begin;
  waited(since, ready.time, ready.reason);
  waited(std::max(since, ready.time), now, Wait::Scheduler);
  ++totals.issues;
  ++machine.result.issues;
  execute(sub, *warp, now);
  reschedule(number);
}

void Processor::execute(SubPartition &sub, Warp &warp, Cycles now) {
  const MachinePath &path = *warp.work->path;
  unsigned inst = path.insts[warp.next];
  const IssueControl &control = machine.kernel.insts[inst].control;
  const InstTiming &timing = machine.timings[inst];
  warp.issuedAt = now;
  warp.ready = now + std::max(1u, control.stall);
  warp.readyReason = Wait::Latency;
  sub.last = control.yields ? nullptr : &warp;
  if (timing.kind != StepKind::WarpgroupMma) {
    sub.pipes[unsigned(timing.pipe)] = now + timing.interval;
    machine.result.pipes[unsigned(timing.pipe)] += timing.interval;
  }
  uint32_t step = path.steps[warp.next];
  ++warp.next;
  StepExecutor executor(*this, warp, inst, now);
  executor.run(step == MachinePath::kNoStep
                   ? llvm::ArrayRef<Step>()
                   : warp.work->steps.drop_front(step));
  if (warp.hasEnded())
    end(sub, warp, now);
}

void Processor::end(SubPartition &sub, Warp &warp, Cycles now) {
  llvm::erase(sub.warps, &warp);
  if (sub.last == &warp)
    sub.last = nullptr;
  Block &block = *warp.block;
  --block.live;
  --block.cluster->live;
  // Who has ended is not waited for.
  StepExecutor executor(*this, warp, 0, now);
  executor.releaseBarriers();
  if (block.live == 0) {
    if (machine.traces && index == 0)
      machine.result.trace.push_back({TraceEvent::Kind::Block,
                                      block.work->block, 0, Wait::Latency, 0,
                                      block.begin, now});
    machine.ended(block, now);
  }
}
