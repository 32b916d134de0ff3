//===- Executor.cpp - Runs the warps of a CTA: scheduling and divergence --===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

#include "Handlers.h"
#include "Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

// A group of lanes that jumped back that often while others of its warp wait
// may be spinning on them.
static constexpr uint32_t kSpinLimit = 4096;
// Warp instructions after which another warp gets its turn, so that warps that
// wait for one another in a loop go on.
static constexpr uint64_t kWarpQuantum = 1 << 16;
static constexpr uint32_t kMaxCallDepth = 512;
static constexpr size_t kMaxFrames = 4096;

Executor::Executor(const Code &code, const Launch &launch,
                   const Options &options, DeviceMemory &memory,
                   const uint8_t *parameters)
    : code(code), launch(launch), options(options) {
  cta.code = &code;
  cta.launch = &launch;
  cta.memory = &memory;
  cta.parameters = parameters;
}

Executor::~Executor() = default;

uint64_t Executor::random() {
  // splitmix64 (Steele, Lea and Flood, 2014).
  uint64_t z = (cta.random += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

void Executor::start(uint64_t linear, bool tracing, bool sharedHostMemory) {
  cta.linear = linear;
  cta.id = {uint32_t(linear % launch.grid[0]),
            uint32_t(linear / launch.grid[0] % launch.grid[1]),
            uint32_t(linear / launch.grid[0] / launch.grid[1])};
  cta.sharedBytes = launch.dynamicSharedMemory
                        ? code.dynamicSharedOffset + launch.dynamicSharedMemory
                        : code.staticShared;
  cta.shared.reserve(cta.sharedBytes);
  cta.shared.fill(0xff, cta.sharedBytes);
  cta.counters = Counters();
  cta.fault = Fault();
  cta.trace.clear();
  cta.tracing = tracing;
  cta.sharedHostMemory = sharedHostMemory;
  cta.clock = 0;
  cta.random = options.seed * 0x2545f4914f6cdd1du ^ linear;
  cta.barriers.assign(kBarriers, Barrier());
  if (options.annotate)
    cta.instCounters.assign(code.insts.size(), Counters());
  uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  cta.warps.resize((threads + 31) / 32);
  if (options.sanitize)
    sanitizer = std::make_unique<Sanitizer>(cta);
  for (uint32_t i = 0; i < cta.warps.size(); ++i)
    startWarp(cta.warps[i], i);
  spun.assign(cta.warps.size(), 0);
  nextWarp = 0;
}

void Executor::startWarp(Warp &warp, uint32_t index) {
  uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  uint32_t left = threads - index * 32;
  warp.index = index;
  warp.cta = &cta;
  warp.counters = &cta.counters;
  warp.sanitizer = sanitizer.get();
  warp.exists = left >= 32 ? kFullMask : (1u << left) - 1;
  warp.live = warp.exists;
  warp.executed = 0;
  warp.blocked = false;
  warp.stop = false;
  warp.carry = 0;
  warp.others.clear();
  warp.copies.clear();
  warp.copiesBegin = 0;
  std::fill(std::begin(warp.committed), std::end(warp.committed), 0);

  const CodeFunction &kernel = code.functions[0];
  if (warp.frames.size() != 1) {
    warp.frames.clear();
    warp.frames.emplace_back();
  }
  Frame &frame = warp.frames[0];
  frame.function = 0;
  frame.registers.reserve(kernel.registerBytes);
  frame.registers.fill(0xff, kernel.registerBytes);
  frame.parameters.assign(size_t(kernel.parameterBytes) * 32, 0xff);
  warp.localBytes = kernel.localBytes;
  warp.local.assign(size_t(warp.localBytes) * 32, 0xff);
  fillSpecials(warp);
  warp.base[BaseConstant] = code.constants.data();
  warp.base[BaseSpecial] = warp.specials.data();
  warp.current = Group();
  warp.current.pc = kernel.entry;
  warp.current.mask = warp.live;
  enterFrame(warp, 0);
}

void Executor::fillSpecials(Warp &warp) {
  warp.specials.reserve(size_t(Special::Count) * 128);
  uint32_t *values = reinterpret_cast<uint32_t *>(warp.specials.data());
  auto set = [&](Special which, uint32_t value) {
    std::fill_n(values + uint32_t(which) * 32, 32, value);
  };
  auto setLane = [&](Special which, unsigned lane, uint32_t value) {
    values[uint32_t(which) * 32 + lane] = value;
  };
  for (uint32_t i = 0; i < uint32_t(Special::Count); ++i)
    set(Special(i), 0);
  static constexpr Special first[] = {
      Special::NtidX, Special::CtaidX, Special::NctaidX, Special::ClusterIdX,
      Special::NclusterIdX, Special::ClusterCtaidX, Special::ClusterNctaidX};
  for (uint32_t d = 0; d < 3; ++d) {
    uint32_t cluster = launch.cluster[d];
    uint32_t contents[] = {launch.block[d],       cta.id[d],
                           launch.grid[d],        cta.id[d] / cluster,
                           launch.grid[d] / cluster, cta.id[d] % cluster,
                           cluster};
    for (unsigned i = 0; i < 7; ++i)
      set(Special(uint32_t(first[i]) + d), contents[i]);
  }
  set(Special::WarpId, warp.index);
  set(Special::NwarpId, uint32_t(cta.warps.size()));
  set(Special::NsmId, 1);
  set(Special::DynamicSmemSize, launch.dynamicSharedMemory);
  set(Special::TotalSmemSize, cta.sharedBytes);
  set(Special::ClusterCtarank,
      cta.id[0] % launch.cluster[0] +
          launch.cluster[0] *
              (cta.id[1] % launch.cluster[1] +
               launch.cluster[1] * (cta.id[2] % launch.cluster[2])));
  set(Special::ClusterNctarank,
      launch.cluster[0] * launch.cluster[1] * launch.cluster[2]);
  for (unsigned lane = 0; lane < 32; ++lane) {
    auto thread = threadOfLane(warp, lane);
    setLane(Special::TidX, lane, thread[0]);
    setLane(Special::TidY, lane, thread[1]);
    setLane(Special::TidZ, lane, thread[2]);
    setLane(Special::LaneId, lane, lane);
    uint32_t bit = 1u << lane;
    setLane(Special::LanemaskEq, lane, bit);
    setLane(Special::LanemaskLt, lane, bit - 1);
    setLane(Special::LanemaskLe, lane, bit | (bit - 1));
    setLane(Special::LanemaskGt, lane, ~(bit | (bit - 1)));
    setLane(Special::LanemaskGe, lane, ~(bit - 1));
  }
}

//===----------------------------------------------------------------------===//
// Groups of a warp
//===----------------------------------------------------------------------===//

void Executor::enterFrame(Warp &warp, uint32_t index) {
  Frame &frame = warp.frames[index];
  warp.current.frame = index;
  warp.base[BaseFrame] = frame.registers.data();
  warp.laneParameters = frame.parameters.data();
  warp.parameterBytes = code.functions[frame.function].parameterBytes;
  warp.localBase = frame.localOffset;
}

/// The running group stops before the first place where another one waits.
uint32_t Executor::limitOf(const Warp &warp) const {
  uint32_t limit = kNone;
  for (const Group &group : warp.others)
    if (group.state != Group::State::WaitBarrier &&
        group.frame == warp.current.frame && group.pc >= warp.current.pc)
      limit = std::min(limit, group.pc);
  return limit;
}

/// Puts the running group among the others and picks the next; false where
/// none can run.
bool Executor::select(Warp &warp) {
  if (warp.current.mask)
    warp.others.push_back(warp.current);
  warp.current.mask = 0;
  return mergeAndPick(warp);
}

bool Executor::mergeAndPick(Warp &warp) {
  auto &groups = warp.others;
  for (size_t i = 0; i < groups.size(); ++i)
    for (size_t j = groups.size(); --j > i;) {
      Group &a = groups[i], &b = groups[j];
      if (a.pc != b.pc || a.frame != b.frame ||
          a.state == Group::State::WaitBarrier ||
          b.state == Group::State::WaitBarrier)
        continue;
      a.mask |= b.mask;
      a.state = Group::State::Ready; // more lanes: look again
      a.deferred = a.deferred && b.deferred;
      groups.erase(groups.begin() + ptrdiff_t(j));
    }
  size_t best = groups.size();
  for (int pass = 0; pass < 2 && best == groups.size(); ++pass) {
    for (size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].state != Group::State::Ready ||
          (groups[i].deferred && pass == 0))
        continue;
      if (best == groups.size()) {
        best = i;
        continue;
      }
      uint32_t depth = warp.frames[groups[i].frame].depth;
      uint32_t bestDepth = warp.frames[groups[best].frame].depth;
      if (depth != bestDepth ? depth > bestDepth
                             : groups[i].pc < groups[best].pc)
        best = i;
    }
    // Everybody was deferred: another round.
    if (pass == 0 && best == groups.size())
      for (Group &group : groups)
        group.deferred = false;
  }
  if (best == groups.size())
    return false;
  warp.current = groups[best];
  groups.erase(groups.begin() + ptrdiff_t(best));
  spun[warp.index] = 0;
  enterFrame(warp, warp.current.frame);
  return true;
}

void Executor::suspend(Warp &warp, Group::State state) {
  warp.current.state = state;
  warp.others.push_back(warp.current);
  warp.current.mask = 0;
}

void Executor::branch(Warp &warp, const Inst &inst, uint32_t taken) {
  uint32_t mask = warp.current.mask;
  if (inst.target <= warp.current.pc && taken &&
      (!warp.others.empty() || taken != mask) &&
      ++spun[warp.index] > kSpinLimit)
    warp.current.deferred = true;
  if (taken == mask) {
    warp.current.pc = inst.target;
    return;
  }
  if (taken) {
    Group other = warp.current;
    other.mask = taken;
    other.pc = inst.target;
    warp.others.push_back(other);
  }
  warp.current.mask = mask & ~taken;
  ++warp.current.pc;
}

bool Executor::branchTable(Warp &warp, const Inst &inst, uint32_t mask) {
  const uint32_t *index = warp.reg<uint32_t>(inst.op[0]);
  uint32_t rest = warp.current.mask & ~mask;
  uint32_t pc = warp.current.pc;
  for (uint32_t left = mask; left;) {
    unsigned lane = unsigned(__builtin_ctz(left));
    if (index[lane] >= uint64_t(inst.imm)) {
      raiseFault(warp, inst, lane, "brx.idx beyond its list of targets");
      return false;
    }
    uint32_t target = code.targets[inst.target + index[lane]];
    uint32_t same = 0;
    for (uint32_t l = left; l; l &= l - 1) {
      unsigned other = unsigned(__builtin_ctz(l));
      if (index[other] == index[lane])
        same |= 1u << other;
    }
    left &= ~same;
    Group group = warp.current;
    group.mask = same;
    group.pc = target;
    if (target <= pc && ++spun[warp.index] > kSpinLimit)
      group.deferred = true;
    warp.others.push_back(group);
  }
  warp.current.mask = rest;
  ++warp.current.pc;
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static void copyParameter(const uint8_t *fromRegisters,
                          const uint8_t *constants, const uint8_t *fromLanes,
                          uint32_t fromStride, const ParameterPlace &from,
                          uint8_t *toRegisters, uint8_t *toLanes,
                          uint32_t toStride, const ParameterPlace &to,
                          uint32_t mask) {
  (void)constants;
  uint32_t bytes = std::min(from.bytes, to.bytes);
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    const uint8_t *source =
        from.inRegister
            ? fromRegisters + (from.reg & ~3u) + lane * from.registerBytes
            : fromLanes + size_t(lane) * fromStride + from.offset;
    uint8_t *target =
        to.inRegister ? toRegisters + (to.reg & ~3u) + lane * to.registerBytes
                      : toLanes + size_t(lane) * toStride + to.offset;
    std::memcpy(target, source, bytes);
  }
}

bool Executor::call(Warp &warp, const Inst &inst, uint32_t mask) {
  const CallSite &site = code.calls[inst.target];
  uint32_t function = site.function;
  if (function == kNone) {
    const uint64_t *address = warp.reg<uint64_t>(inst.op[0]);
    unsigned lane = unsigned(__builtin_ctz(mask));
    uint64_t target = address[lane];
    bool good = target > 0 && target < code.functions.size();
    if (good) {
      const CodeFunction &callee = code.functions[target];
      good = callee.parameters.size() == site.arguments.size() &&
             callee.results.size() == site.results.size();
    }
    if (!good) {
      raiseFault(warp, inst, lane, "call through a bad function pointer");
      return false;
    }
    // Lanes with another callee stay here and come next.
    uint32_t same = 0;
    for (uint32_t l = mask; l; l &= l - 1) {
      unsigned other = unsigned(__builtin_ctz(l));
      if (address[other] == target)
        same |= 1u << other;
    }
    if (same != mask) {
      Group rest = warp.current;
      rest.mask = mask & ~same;
      warp.others.push_back(rest);
      warp.current.mask &= ~rest.mask;
      mask = same;
    }
    function = uint32_t(target);
  }

  uint32_t parent = warp.current.frame;
  uint32_t returnPc = warp.current.pc + 1;
  if (mask != warp.current.mask) {
    Group rest = warp.current;
    rest.mask &= ~mask;
    rest.pc = returnPc;
    warp.others.push_back(rest);
    warp.current.mask = mask;
  }
  // One frame for each chain of calls; lanes that come by it again reuse it.
  uint32_t index = kNone;
  for (uint32_t i = 1; i < warp.frames.size() && index == kNone; ++i)
    if (warp.frames[i].parent == parent &&
        warp.frames[i].returnPc == returnPc &&
        warp.frames[i].function == function)
      index = i;
  const CodeFunction &callee = code.functions[function];
  if (index == kNone) {
    uint32_t depth = warp.frames[parent].depth + 1;
    if (depth > kMaxCallDepth || warp.frames.size() >= kMaxFrames) {
      raiseFault(warp, inst, unsigned(__builtin_ctz(mask)),
                 "call stack overflow");
      return false;
    }
    index = uint32_t(warp.frames.size());
    warp.frames.emplace_back();
    Frame &frame = warp.frames.back();
    frame.function = function;
    frame.parent = parent;
    frame.returnPc = returnPc;
    frame.depth = depth;
    frame.registers.reserve(callee.registerBytes);
    frame.registers.fill(0xff, callee.registerBytes);
    frame.parameters.assign(size_t(callee.parameterBytes) * 32, 0xff);
    frame.localOffset = warp.localBytes;
    if (callee.localBytes) {
      uint32_t grown = warp.localBytes + callee.localBytes;
      std::vector<uint8_t> local(size_t(grown) * 32, 0xff);
      for (unsigned lane = 0; lane < 32 && warp.localBytes; ++lane)
        std::memcpy(local.data() + size_t(lane) * grown,
                    warp.local.data() + size_t(lane) * warp.localBytes,
                    warp.localBytes);
      warp.local = std::move(local);
      warp.localBytes = grown;
    }
  }
  Frame &from = warp.frames[parent], &to = warp.frames[index];
  to.call = inst.target;
  for (size_t i = 0; i < site.arguments.size(); ++i)
    copyParameter(from.registers.data(), code.constants.data(),
                  from.parameters.data(),
                  code.functions[from.function].parameterBytes,
                  site.arguments[i], to.registers.data(),
                  to.parameters.data(), callee.parameterBytes,
                  callee.parameters[i], mask);
  warp.current.pc = callee.entry;
  enterFrame(warp, index);
  return true;
}

/// Return from a function, or the end of lanes.
void Executor::leave(Warp &warp, uint32_t mask, bool exits) {
  uint32_t rest = warp.current.mask & ~mask;
  if (rest) {
    Group group = warp.current;
    group.mask = rest;
    ++group.pc;
    warp.others.push_back(group);
  }
  Frame &frame = warp.frames[warp.current.frame];
  if (exits || frame.parent == kNone) {
    warp.current.mask = 0;
    exitLanes(warp, mask);
    return;
  }
  const CallSite &site = code.calls[frame.call];
  const CodeFunction &callee = code.functions[frame.function];
  Frame &to = warp.frames[frame.parent];
  for (size_t i = 0; i < site.results.size(); ++i)
    copyParameter(frame.registers.data(), code.constants.data(),
                  frame.parameters.data(), callee.parameterBytes,
                  callee.results[i], to.registers.data(),
                  to.parameters.data(),
                  code.functions[to.function].parameterBytes,
                  site.results[i], mask);
  warp.current.mask = mask;
  warp.current.pc = frame.returnPc;
  enterFrame(warp, frame.parent);
}

void Executor::exitLanes(Warp &warp, uint32_t mask) {
  finishCopies(warp, mask);
  warp.live &= ~mask;
  // Those that wait for the lanes that ended look again.
  for (Group &group : warp.others)
    if (group.state == Group::State::WaitWarp)
      group.state = Group::State::Ready;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Whether the lanes that an instruction synchronises are all here.
bool Executor::synchronize(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t needed = warp.live;
  if (inst.flow == Flow::WarpSync) {
    const uint32_t *members = warp.reg<uint32_t>(inst.op[inst.count - 1]);
    needed = 0;
    for (uint32_t left = mask; left; left &= left - 1)
      needed |= members[__builtin_ctz(left)];
    needed &= warp.live;
  }
  // Of these instructions only bar.warp.sync orders memory.
  bool isBarrier = inst.flow == Flow::WarpSync && inst.run == nothingHandler();
  if (!(needed & ~mask)) {
    if (warp.sanitizer && isBarrier)
      warp.sanitizer->warpBarrier(warp);
    return true;
  }
  // It also joins lanes that arrive at different places.
  if (isBarrier) {
    uint32_t together = mask;
    for (const Group &group : warp.others) {
      const Inst &at = code.insts[group.pc];
      if (group.state == Group::State::WaitWarp &&
          at.flow == Flow::WarpSync && at.run == inst.run)
        together |= group.mask;
    }
    if (!(needed & ~together)) {
      for (Group &group : warp.others)
        if (group.state == Group::State::WaitWarp &&
            (group.mask & together)) {
          group.state = Group::State::Ready;
          ++group.pc;
        }
      if (warp.sanitizer)
        warp.sanitizer->warpBarrier(warp);
      return true;
    }
  }
  return false;
}

template <bool Annotate>
void Executor::runWarp(Warp &warp, uint64_t quantum) {
  const Inst *insts = code.insts.data();
  uint64_t end = warp.executed + quantum;
  uint64_t counted = 0;
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
    }
    switch (inst.flow) {
    case Flow::Next:
    case Flow::Checked:
      ++counted;
      if (mask)
        inst.run(warp, inst, mask);
      ++warp.current.pc;
      continue;
    case Flow::Hidden:
      if (mask)
        inst.run(warp, inst, mask);
      ++warp.current.pc;
      continue;
    case Flow::Jump: {
      bool back = inst.target <= pc;
      warp.current.pc = inst.target;
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
      if (!synchronize(warp, inst, mask)) {
        if (Annotate)
          --warp.counters->instructions; // it will be back
        suspend(warp, Group::State::WaitWarp);
        if (!reconsider())
          goto done;
        continue;
      }
      ++counted;
      inst.run(warp, inst, mask);
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
      arrive(warp, inst, mask);
      if (warp.stop)
        goto done;
      if (!reconsider())
        goto done;
      break;
    }
    if (warp.executed + counted >= end)
      break;
  }
done:
  warp.executed += counted;
  if (!Annotate)
    cta.counters.instructions += counted;
  if (options.instructionLimit && warp.executed > options.instructionLimit &&
      !cta.fault.set && warp.live) {
    const Inst &inst =
        insts[warp.current.mask ? warp.current.pc : warp.others[0].pc];
    raiseFault(warp, inst, unsigned(__builtin_ctz(warp.live)),
               "instruction limit exceeded");
  }
}

CtaStatus Executor::run(uint64_t quantum) {
  uint64_t used = 0;
  uint32_t count = uint32_t(cta.warps.size());
  while (true) {
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
      if (!alive)
        return CtaStatus::Done;
      deadlock();
      return CtaStatus::Failed;
    }
    Warp &warp = cta.warps[chosen];
    uint64_t slice = options.seed ? 1 + random() % 512 : kWarpQuantum;
    if (options.instructionLimit)
      slice = std::min(slice, options.instructionLimit - std::min(
                                  options.instructionLimit, warp.executed) + 1);
    uint64_t before = warp.executed;
    bool wasLive = warp.live != 0;
    if (options.annotate)
      runWarp<true>(warp, slice);
    else
      runWarp<false>(warp, slice);
    if (cta.fault.set)
      return CtaStatus::Failed;
    used += warp.executed - before;
    // Lanes that ended may have been the last that a barrier waited for.
    if (wasLive && warp.live != warp.exists)
      checkBarriers();
    nextWarp = chosen + 1;
    if (used >= quantum)
      return CtaStatus::Running;
  }
}
