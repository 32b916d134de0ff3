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
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace fusion;
using namespace fusion::timing;

/// Issues that are kept for critical paths, at most.
static constexpr size_t kMostIssues = size_t(1) << 20;

Processor::Processor(Machine &machine, unsigned number)
    : machine(machine), index(number),
      memoryPipe(32.0 / machine.micro.lanes.memory),
      port(1 / machine.micro.l2BytesPerCycle), tma(machine.micro.tmaInterval),
      tmaPort(1 / machine.micro.tmaBytesPerCycle),
      remote(1 / machine.micro.clusterBytesPerCycle),
      arrivals(machine.micro.barrierInterval),
      starts(machine.micro.blockInterval) {
  for (SubPartition &sub : subs)
    sub.memoryQueue.assign(machine.micro.memoryQueue, Moment());
}

Cycles Processor::startSlot(Cycles now) { return starts.take(now, 1); }

void Processor::start(Block &block, Cycles begin) {
  block.processor = this;
  block.begin = begin;
  block.live = block.warps.size();
  block.warpgroups.resize(llvm::divideCeil(block.live, kWarpgroupWarps));
  for (auto [i, warp] : llvm::enumerate(block.warps)) {
    warp.block = &block;
    warp.index = i;
    warp.number = started++;
    warp.work = &block.work->warps[i];
    warp.ready = warp.issuedAt = begin;
    warp.registers.resize(machine.kernel.trackedRegisters);
    passFree(warp);
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
  Readiness found{{warp.ready, warp.readyCause}, warp.readyReason};
  unsigned number = warp.work->path->insts[warp.next];
  const MachineInst &inst = machine.kernel.insts[number];
  auto wait = [&](Cycles until, const Result &result) {
    if (until > found.time)
      found = {{until, result.cause}, result.reason};
  };
  unsigned waits = inst.control.waits;
  for (unsigned board = 0; waits; ++board, waits >>= 1)
    if (waits & 1)
      wait(warp.boards[board].time, warp.boards[board]);
  for (unsigned reg : inst.reads) {
    const Result &result = warp.registers[reg];
    Cycles until = result.time;
    Pipe pipe = machine.timings[number].pipe;
    if (result.pipe && pipe == Pipe::Control)
      until += machine.micro.branchLatency - machine.micro.fixedLatency;
    else if (result.pipe && *result.pipe != pipe)
      until += machine.micro.crossLatency;
    wait(until, result);
  }
  return found;
}

/// Returns the first cycle in which the warp's next instruction may issue, as
/// far as is known, and what it waits for until then.
Readiness Processor::readiness(const SubPartition &sub,
                               const Warp &warp) const {
  Readiness found = readinessOf(machine, warp);
  auto wait = [&](const Moment &until, Wait reason) {
    if (until.time > found.time)
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
  Cycles since = warp->hasIssued ? warp->issuedAt + 1 : warp->block->begin;
  waited(since, ready.time, ready.reason);
  waited(std::max(since, ready.time), now, Wait::Scheduler);
  ++totals.issues;
  ++machine.result.issues;
  bool hasLost = now > ready.time;
  note(sub, *warp,
       {now, inst, warp->number, hasLost ? Wait::Scheduler : ready.reason,
        hasLost ? sub.lastIssue : ready.cause});
  execute(sub, *warp, now);
  reschedule(number);
}

/// Numbers an issue, and keeps it if it is one of the first of the first SM.
void Processor::note(SubPartition &sub, Warp &warp, const Issue &issue) {
  std::vector<Issue> &kept = machine.result.issuesOfFirst;
  uint32_t before = warp.lastIssue;
  sub.lastIssue = warp.lastIssue = Issue::kNone;
  if (index != 0 || kept.size() == kMostIssues)
    return;
  sub.lastIssue = warp.lastIssue = kept.size();
  kept.push_back(issue);
  // What another SM decided on counts as the warp's own wait.
  if (issue.cause == Issue::kNone)
    kept.back().cause = before;
}

/// Passes instructions that take no issue slot.
void Processor::passFree(Warp &warp) const {
  const std::vector<unsigned> &path = warp.work->path->insts;
  for (; !warp.hasEnded(); ++warp.next) {
    const MachineInst &inst = machine.kernel.insts[path[warp.next]];
    if (!inst.isFree)
      return;
    Result last;
    for (unsigned reg : inst.reads)
      if (warp.registers[reg].time > last.time)
        last = warp.registers[reg];
    for (unsigned reg : inst.writes)
      warp.registers[reg] = last;
  }
}

void Processor::execute(SubPartition &sub, Warp &warp, Cycles now) {
  const MachinePath &path = *warp.work->path;
  unsigned inst = path.insts[warp.next];
  const IssueControl &control = machine.kernel.insts[inst].control;
  const InstTiming &timing = machine.timings[inst];
  warp.issuedAt = now;
  warp.hasIssued = true;
  warp.ready = warp.stalledUntil = now + std::max(1u, control.stall);
  warp.readyReason = Wait::Latency;
  warp.readyCause = warp.lastIssue;
  sub.last = control.yields ? nullptr : &warp;
  if (timing.kind != StepKind::WarpgroupMma) {
    sub.pipes[unsigned(timing.pipe)] = {now + timing.interval, warp.lastIssue};
    machine.result.pipes[unsigned(timing.pipe)] += timing.interval;
  }
  uint32_t step = path.steps[warp.next];
  ++warp.next;
  StepExecutor executor(*this, warp, inst, now);
  executor.run(step == MachinePath::kNoStep
                   ? llvm::ArrayRef<Step>()
                   : warp.work->steps.drop_front(step));
  passFree(warp);
  if (warp.hasEnded())
    end(sub, warp, now);
}

void Processor::end(SubPartition &sub, Warp &warp, Cycles now) {
  llvm::erase(sub.warps, &warp);
  if (sub.last == &warp)
    sub.last = nullptr;
  warp.registers = {};
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
