//===- Executor.cpp - Runs the warps of a CTA: the loop -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Executor.h"

#include "Emulator/Execute/HandlersCluster.h"
#include "Emulator/Execute/HandlersWgmma.h"
#include "Emulator/Execute/WarpStart.h"
#include "Emulator/Execute/WarpSync.h"
#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>
#include <cstring>

using namespace fusion::emulator;

// Warp instructions after which another warp gets its turn, so that warps that
// wait for one another in a loop go on.
static constexpr uint64_t kWarpQuantum = 1 << 16;
// Of blocks that are recorded: the warps of an SM run side by side, and L1 gets
// their accesses in turns.
static constexpr uint64_t kRecordedQuantum = 32;

Executor::Executor(const Code &code, const Launch &launch,
                   const Options &options, DeviceMemory &memory,
                   const uint8_t *parameters, GridSanitizer *gridSanitizer)
    : code(code), launch(launch), options(options),
      gridSanitizer(gridSanitizer) {
  cta.code = &code;
  cta.launch = &launch;
  cta.memory = &memory;
  cta.parameters = parameters;
}

Executor::~Executor() = default;

void Executor::start(uint64_t linear, bool tracing, bool sharedHostMemory,
                     Cluster &cluster, uint32_t rank) {
  cta.linear = linear;
  cta.cluster = &cluster;
  cta.rank = rank;
  cta.ended = false;
  cta.freeRegisters = cta.registerLine = 0;
  cta.async = AsyncState();
  seenEvents = 0;
  cta.id = {uint32_t(linear % launch.grid[0]),
            uint32_t(linear / launch.grid[0] % launch.grid[1]),
            uint32_t(linear / launch.grid[0] / launch.grid[1])};
  cta.sharedBytes = launch.dynamicSharedMemory
                        ? code.dynamicSharedOffset + launch.dynamicSharedMemory
                        : code.staticShared;
  cta.shared.reserve(cta.sharedBytes);
  cta.shared.fill(0xff, cta.sharedBytes);
  // Nobody says what the system's part holds at first; libraries reset theirs.
  std::memset(cta.shared.data() + code.reservedShared, options.seed ? 0xff : 0,
              code.reservedSharedBytes);
  cta.counters = Counters();
  cta.fault = Fault();
  cta.trace.clear();
  cta.fed = 0;
  cta.sharedHostMemory = sharedHostMemory;
  cta.clock = 0;
  cta.varies = options.seed != 0;
  cta.random = options.seed * 0x2545f4914f6cdd1du ^ linear;
  cta.barriers.assign(kBarriers, Barrier());
  cta.recorded = options.records ? options.records(linear) : Recorded::Nothing;
  bool isRecorded = cta.recorded != Recorded::Nothing;
  cta.tracing = tracing || isRecorded;
  isDetailed = options.annotate || isRecorded;
  cta.instCounters.clear();
  if (isDetailed)
    cta.instCounters.assign(code.insts.size(), Counters());
  uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  cta.warps.resize((threads + kWarpSize - 1) / kWarpSize);
  if (gridSanitizer)
    sanitizer = std::make_unique<Sanitizer>(cta, *gridSanitizer);
  if (gridSanitizer)
    sanitizer->memory.initialize(code.reservedShared, code.reservedSharedBytes);
  cta.sanitizer = sanitizer.get();
  for (uint32_t i = 0; i < cta.warps.size(); ++i)
    startWarp(cta, i);
  cta.steps.clear();
  cta.executed.clear();
  if (cta.recorded == Recorded::Steps) {
    cta.steps.resize(cta.warps.size());
    cta.executed.resize(cta.warps.size());
  }
  spun.assign(cta.warps.size(), Spun());
  nextWarp = 0;
}

uint64_t Executor::random() {
  // splitmix64 (Steele, Lea and Flood, 2014).
  uint64_t z = (cta.random += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The lanes of the group that execute an instruction for whole warps; none
/// where lanes are missing.
uint32_t Executor::synchronizeAligned(Warp &warp, const Inst &inst,
                                      uint32_t mask) {
  // These go on without the others.
  if (warp.sanitizer && (warp.current.mask & ~mask))
    warp.sanitizer->barriers.divergence(warp, inst, mask,
                                        lineOfOthers(warp, mask));
  if (warp.live & ~mask)
    return 0;
  // Lanes that ended count as arrived at barriers alone.
  if (warp.sanitizer && (warp.exists & ~mask) &&
      inst.run != clusterArriveHandler() && inst.run != clusterWaitHandler())
    warp.sanitizer->barriers.divergence(warp, inst, mask,
                                        lineOfOthers(warp, mask));
  return mask;
}

/// Ends the step that is recorded, whose counts are what `counters` gained.
static void finishStep(Warp &warp, const Inst &inst, const Counters &before) {
  Step &step = *warp.step;
  std::vector<uint64_t> &sectors = warp.cta->trace;
  step.numSectors = uint32_t(sectors.size()) - step.firstSector;
  if (inst.passesL1)
    for (size_t i = step.firstSector; i < sectors.size(); ++i)
      sectors[i] |= kSectorPastL1;
  warp.step = nullptr;
  if (warp.cta->recorded != Recorded::Steps)
    return;
  const Counters &now = *warp.counters;
  // An mbarrier also expects the bytes of a copy that lie out of bounds.
  if (step.action != StepAction::Complete)
    step.bytes += uint32_t(now.globalLoadBytes - before.globalLoadBytes +
                           now.globalStoreBytes - before.globalStoreBytes);
  step.sectors = uint32_t(now.globalSectors - before.globalSectors);
  step.wavefronts = uint32_t(now.sharedWavefronts - before.sharedWavefronts);
  std::vector<Step> &steps = warp.cta->steps[warp.index];
  steps.push_back(step);
  steps.insert(steps.end(), warp.furtherSteps.begin(), warp.furtherSteps.end());
}

/// Undoes the counts of an instruction that is executed later.
static void takeBack(Warp &warp, uint32_t number) {
  --warp.counters->instructions;
  if (warp.cta->recorded == Recorded::Steps && number != kNone)
    warp.cta->executed[warp.index].removeLast();
}

template <bool Annotate> void Executor::runWarp(Warp &warp, uint64_t quantum) {
  const Inst *insts = code.insts.data();
  uint64_t end = warp.executed + quantum;
  uint64_t counted = 0;
  Step step;
  Counters before;
  auto recordStep = [&](const Inst &inst) {
    if (Annotate && warp.step)
      finishStep(warp, inst, before);
  };
  if (!warp.current.mask && !mergeAndPick(warp)) {
    warp.blocked = true;
    return;
  }
  uint32_t limit = limitOf(warp);
  // After anything but a step forward: is it still this group's turn?
  auto reconsider = [&]() {
    if (warp.current.mask && warp.others.empty() && !warp.current.deferred) {
      limit = kNone;
      return true;
    }
    warp.current.state = Group::State::Ready;
    if (!select(warp)) {
      warp.blocked = true;
      return false;
    }
    limit = limitOf(warp);
    return true;
  };
  // The lanes cannot execute the instruction yet; others of the group can go
  // on.
  auto holdBack = [&](uint32_t mask) {
    warp.suspended = false;
    if (Annotate)
      takeBack(warp, code.numbers[warp.current.pc]);
    if (uint32_t rest = warp.current.mask & ~mask) {
      Group group = warp.current;
      group.mask = rest;
      ++group.pc;
      warp.others.push_back(group);
      warp.current.mask = mask;
    }
    suspend(warp, Group::State::WaitEvent);
  };
  while (!warp.stop) {
    uint32_t pc = warp.current.pc;
    if (pc >= limit) {
      if (!reconsider())
        break;
      continue;
    }
    const Inst &inst = insts[pc];
    uint32_t mask = warp.current.mask;
    if (inst.guard != kNone)
      mask &= warp.predicate(inst.guard) ^ inst.guardFlip;
    if (Annotate && inst.flow != Flow::Hidden && inst.flow != Flow::Jump) {
      warp.counters = &cta.instCounters[pc];
      ++warp.counters->instructions;
      if (cta.recorded == Recorded::Steps && code.numbers[pc] != kNone)
        cta.executed[warp.index].add(code.numbers[pc]);
      warp.step = nullptr;
      if (cta.recorded != Recorded::Nothing && inst.step != StepKind::None &&
          mask) {
        step = Step();
        warp.furtherSteps.clear();
        step.kind = inst.step;
        step.line = inst.lastLine;
        step.lanes = mask;
        if (cta.recorded == Recorded::Steps)
          step.order = cta.executed[warp.index].size() - 1;
        step.firstSector = uint32_t(cta.trace.size());
        before = *warp.counters;
        warp.step = &step;
      }
    }
    switch (inst.flow) {
    case Flow::Next:
      ++counted;
      if (mask)
        inst.run(warp, inst, mask);
      recordStep(inst);
      ++warp.current.pc;
      continue;
    case Flow::Checked:
      // What others may see: another warp may come in between.
      ++counted;
      if (mask)
        inst.run(warp, inst, mask);
      recordStep(inst);
      ++warp.current.pc;
      break;
    case Flow::Hidden:
      if (mask)
        inst.run(warp, inst, mask);
      ++warp.current.pc;
      continue;
    case Flow::Jump: {
      bool back = inst.target <= pc;
      warp.current.pc = inst.target;
      if (back)
        jumpedBack(warp, pc);
      if (!back && limit == kNone)
        continue;
      if (!reconsider())
        goto done;
      continue;
    }
    case Flow::Branch: {
      ++counted;
      if (mask == warp.current.mask && warp.others.empty()) {
        warp.current.pc = inst.target;
        limit = kNone;
      } else if (mask == 0) {
        ++warp.current.pc;
        continue;
      } else {
        branch(warp, inst, mask);
        if (!reconsider())
          goto done;
      }
      break;
    }
    case Flow::BranchTable:
      ++counted;
      if (!branchTable(warp, inst, mask))
        goto done;
      if (!reconsider())
        goto done;
      break;
    case Flow::Call:
      ++counted;
      if (!mask) {
        ++warp.current.pc;
        continue;
      }
      if (!call(warp, inst, mask))
        goto done;
      if (!reconsider())
        goto done;
      break;
    case Flow::Return:
    case Flow::Exit:
      ++counted;
      if (!mask) {
        ++warp.current.pc;
        continue;
      }
      leave(warp, mask, inst.flow == Flow::Exit);
      if (!warp.live) {
        warp.others.clear();
        goto done;
      }
      if (!reconsider())
        goto done;
      break;
    case Flow::WarpSync:
    case Flow::WarpAligned:
      if (!mask) {
        ++counted;
        ++warp.current.pc;
        continue;
      }
      if (uint32_t ready = inst.flow == Flow::WarpSync
                               ? synchronizeLanes(warp, inst, mask)
                               : synchronizeAligned(warp, inst, mask)) {
        if (ready != mask)
          leaveWaiting(warp, mask & ~ready);
        mask = ready;
      } else {
        if (Annotate)
          takeBack(warp, code.numbers[pc]);
        suspend(warp, Group::State::WaitWarp);
        if (!reconsider())
          goto done;
        continue;
      }
      ++counted;
      if (warp.stop)
        goto done;
      inst.run(warp, inst, mask);
      if (warp.suspended) {
        --counted;
        holdBack(mask);
        if (!reconsider())
          goto done;
        continue;
      }
      recordStep(inst);
      ++warp.current.pc;
      if (!warp.others.empty())
        limit = limitOf(warp);
      continue;
    case Flow::Barrier:
      ++counted;
      if (!mask) {
        ++warp.current.pc;
        continue;
      }
      if (inst.c && holds(warp)) {
        --counted;
        if (Annotate)
          takeBack(warp, code.numbers[pc]);
        if (!reconsider())
          goto done;
        continue;
      }
      arrive(warp, inst, mask);
      recordStep(inst);
      if (warp.stop)
        goto done;
      if (!reconsider())
        goto done;
      break;
    case Flow::Wait:
      if (!mask) {
        ++counted;
        ++warp.current.pc;
        continue;
      }
      inst.run(warp, inst, mask);
      if (warp.suspended) {
        holdBack(mask);
        if (!reconsider())
          goto done;
        continue;
      }
      warp.current.timedOut = false;
      recordStep(inst);
      ++counted;
      ++warp.current.pc;
      if (!warp.others.empty())
        limit = limitOf(warp);
      break;
    }
    if (warp.executed + counted >= end)
      break;
  }
done:
  warp.step = nullptr; // it is of this call
  warp.executed += counted;
  if (!Annotate)
    cta.counters.instructions += counted;
  // Code without branches may have run on, even to the end.
  if (options.instructionLimit && warp.executed > options.instructionLimit &&
      !cta.fault.set && !watching)
    exceedLimit(warp);
}

CtaStatus Executor::run(uint64_t quantum) {
  used = 0;
  uint32_t count = uint32_t(cta.warps.size());
  while (true) {
    if (cta.async.events != seenEvents)
      wakeWaiting();
    // Pick a warp that can run: the next in turn, or by lot.
    std::vector<uint32_t> ready;
    uint32_t chosen = kNone;
    if (!options.seed) {
      for (uint32_t i = 0; i < count && chosen == kNone; ++i) {
        uint32_t index = (nextWarp + i) % count;
        if (cta.warps[index].live && !cta.warps[index].blocked)
          chosen = index;
      }
    } else {
      for (uint32_t i = 0; i < count; ++i)
        if (cta.warps[i].live && !cta.warps[i].blocked)
          ready.push_back(i);
      if (!ready.empty())
        chosen = ready[random() % ready.size()];
    }
    if (chosen == kNone) {
      bool alive = false;
      for (const Warp &warp : cta.warps)
        alive |= warp.live != 0;
      return alive ? CtaStatus::Waiting : CtaStatus::Done;
    }
    Warp &warp = cta.warps[chosen];
    uint64_t slice = options.seed                        ? 1 + random() % 512
                     : cta.recorded != Recorded::Nothing ? kRecordedQuantum
                                                         : kWarpQuantum;
    slice = std::min(slice, quantum - used);
    if (options.instructionLimit)
      slice = std::min(
          slice, options.instructionLimit -
                     std::min(options.instructionLimit, warp.executed) + 1);
    uint64_t before = warp.executed;
    bool wasLive = warp.live != 0;
    if (isDetailed)
      runWarp<true>(warp, slice);
    else
      runWarp<false>(warp, slice);
    if (cta.fault.set)
      return CtaStatus::Failed;
    used += warp.executed - before;
    // Lanes that ended may have been the last that a barrier waited for.
    if (wasLive && warp.live != warp.exists) {
      wakeProductWaits(warp);
      checkBarriers();
      completeIfAll(*cta.cluster);
    }
    nextWarp = chosen + 1;
    if (used >= quantum)
      return CtaStatus::Running;
  }
}
