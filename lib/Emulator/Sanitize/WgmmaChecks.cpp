//===- WgmmaChecks.cpp - Sanitizers: registers of warps -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wgmma reads fragments of A and reads and writes accumulators until its
// group is waited for. Between any other access and the wgmma lies a
// wgmma.fence; accumulators that go from one wgmma to the next of the same
// shape need neither (PTX ISA, "wgmma.fence", "wgmma.wait_group"). Registers
// are those of the program, by its declarations, not their places in a frame.
// Reads of fragments of A are no conflict.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/WgmmaChecks.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include "fusion/Target/Chips/Hardware.h"
#include <algorithm>
#include <utility>

using namespace fusion::emulator;

static constexpr uint32_t kGroup = fusion::kWarpgroupWarps;

static uint32_t groupOf(uint32_t warp) { return warp / kGroup; }
static uint32_t countWarpgroups(uint32_t warps) {
  return (warps + kGroup - 1) / kGroup;
}

void WgmmaChecks::fence(Warp &warp) {
  if (wgmmaRegisters.size() <= warp.index)
    wgmmaRegisters.resize(warps);
  ++wgmmaRegisters[warp.index].epoch;
}

void WgmmaChecks::access(Warp &warp, unsigned lane,
                         const RegisterWatch &watch) {
  using Register = WgmmaRegisters::Register;
  if (wgmmaRegisters.size() <= warp.index)
    wgmmaRegisters.resize(warps);
  WgmmaRegisters &state = wgmmaRegisters[warp.index];
  if (state.registers.size() < cta.code->watchedRegisters)
    state.registers.resize(cta.code->watchedRegisters);
  auto inFlight = [&](uint32_t group) {
    return group && int64_t(group) > state.waited;
  };
  // ptxas: "(C7517) warpgroup.wait is injected in around line … by compiler to
  // allow use of registers defined by GMMA". PTX ISA, "wgmma.wait_group":
  // without the wait the behavior is undefined.
  auto early = [&](const std::string &what, uint32_t line, bool isRead) {
    reports.reportText(
        "wgmma-register-in-flight", warp, lane, watch.line, line,
        what +
            " before the wgmma was waited for; ptxas inserts the "
            "wait where it sees that (warning C7517), else " +
            (isRead ? "what is read is undefined: here, the value from "
                      "before the wgmma"
                    : "what the register holds then is undefined"));
  };
  // The first register tells it all.
  bool reported = false;
  auto unfenced = [&](const char *what, uint32_t line) {
    if (!std::exchange(reported, true))
      reports.reportText("missing-wgmma-fence", warp, lane, watch.line, line,
                         what);
  };
  if (!watch.isProduct) {
    for (uint32_t number : watch.reads) {
      Register &r = state.registers[number];
      if (inFlight(r.accumulates))
        early("read of an accumulator of a wgmma", r.accumulateLine, true);
      r.accessEpoch = state.epoch;
      r.accessLine = watch.line;
    }
    for (uint32_t number : watch.writes) {
      Register &r = state.registers[number];
      if (inFlight(r.accumulates))
        early("write to an accumulator of a wgmma", r.accumulateLine, false);
      if (inFlight(r.feeds))
        early("write to a fragment of A of a wgmma", r.feedLine, false);
      r.accessEpoch = r.writeEpoch = state.epoch;
      r.accessLine = r.writeLine = watch.line;
    }
    return;
  }
  if (!state.epoch)
    unfenced("the warp's first wgmma without wgmma.fence before it", 0);
  uint32_t group = warp.productGroup + 1;
  for (uint32_t number : watch.reads) {
    Register &r = state.registers[number];
    if (inFlight(r.accumulates))
      early("a wgmma reads an accumulator of another as fragment of A",
            r.accumulateLine, true);
    if (state.epoch && r.writeLine && r.writeEpoch == state.epoch)
      unfenced("no wgmma.fence since a fragment of A was written", r.writeLine);
    r.feeds = group;
    r.feedLine = watch.line;
  }
  for (uint32_t number : watch.writes) {
    Register &r = state.registers[number];
    if (state.epoch && r.accessLine && r.accessEpoch == state.epoch)
      unfenced("no wgmma.fence since an accumulator was accessed",
               r.accessLine);
    if (r.shape && r.shape != watch.shape) {
      if (inFlight(r.accumulates))
        early("a wgmma accumulates where one of another shape does",
              r.accumulateLine, false);
      else if (r.shapeEpoch == state.epoch)
        unfenced("no wgmma.fence since a wgmma of another shape had the "
                 "accumulator",
                 r.accumulateLine);
    }
    r.shape = watch.shape;
    r.shapeEpoch = state.epoch;
    r.accumulates = group;
    r.accumulateLine = watch.line;
  }
}

//===----------------------------------------------------------------------===//
// setmaxnreg
//===----------------------------------------------------------------------===//

// So many are compared; programs that never end are not to exhaust the memory.
static constexpr size_t kMostChanges = 1024;

/// All warps of a warpgroup execute the same ones, and synchronise before the
/// next one (PTX ISA, "setmaxnreg").
void WgmmaChecks::setRegisters(Warp &warp, const Inst &inst, uint32_t mask) {
  registerChanges.resize(warps);
  groupChanges.resize(countWarpgroups(warps));
  RegisterChanges &own = registerChanges[warp.index];
  auto &history = groupChanges[groupOf(warp.index)];
  unsigned lane = unsigned(__builtin_ctz(mask));
  std::pair<unsigned, int64_t> change{inst.line, inst.imm};
  if (own.count == history.size() && own.count < kMostChanges)
    history.push_back(change);
  else if (own.count < history.size() && history[own.count] != change)
    reports.reportText("bad-setmaxnreg", warp, lane, inst.line,
                       history[own.count].first,
                       "the warps of a warpgroup execute different setmaxnreg");
  uint32_t first = groupOf(warp.index) * kGroup;
  for (uint32_t w = first; own.count && w < std::min(first + kGroup, warps);
       ++w) {
    const RegisterChanges &other = registerChanges[w];
    bool isBefore = w == warp.index || other.count > own.count ||
                    (other.count == own.count &&
                     order.ordered(other.last, warp, int(lane)));
    if (!isBefore)
      reports.reportText(
          "bad-setmaxnreg", warp, lane, inst.line,
          lineOf(other.count ? other.last : own.last),
          "the warps of the warpgroup have not synchronised since their "
          "setmaxnreg before this one");
  }
  ++own.count;
  own.last = order.contextRecord(warp) | Record(inst.line & 0xfffff) << 12 |
             kUnknownLane;
}

//===----------------------------------------------------------------------===//
// wgmma of whole warpgroups
//===----------------------------------------------------------------------===//

void WgmmaChecks::start(const Warp &warp, const Inst &inst, uint64_t a,
                        uint64_t b, bool scaleD, bool isAlike) {
  constexpr size_t kMost = 1 << 16;
  if (!isAlike)
    reports.reportText(
        "bad-wgmma", warp, 0, inst.line, 0,
        "the threads of a warp execute wgmma with different descriptors "
        "or scale-d");
  warpgroupInstructions.resize(countWarpgroups(warps));
  WarpgroupInstructions &group = warpgroupInstructions[groupOf(warp.index)];
  if (group.isOver)
    return;
  WarpgroupInstructions::Instruction instruction{inst.line, a, b, scaleD};
  uint64_t number = group.count[warp.index % kGroup]++ - group.first;
  if (number == group.instructions.size()) {
    group.instructions.push_back(instruction);
    group.isOver = group.instructions.size() > kMost;
  } else if (const WarpgroupInstructions::Instruction &other =
                 group.instructions[number];
             other != instruction) {
    reports.reportText(
        "bad-wgmma", warp, 0, inst.line, other.line,
        other.line != inst.line
            ? "the warps of a warpgroup execute different wgmma"
            : "the warps of a warpgroup execute wgmma with different "
              "descriptors or scale-d");
  }
  uint64_t least =
      *std::min_element(std::begin(group.count), std::end(group.count));
  while (group.first < least) {
    group.instructions.pop_front();
    ++group.first;
  }
}

/// The CTA has ended.
void WgmmaChecks::checkWarpgroups() {
  for (uint32_t w = 0; w < warps && groupOf(w) < warpgroupInstructions.size();
       ++w) {
    const WarpgroupInstructions &group = warpgroupInstructions[groupOf(w)];
    uint64_t number = group.count[w % kGroup] - group.first;
    if (group.isOver || number >= group.instructions.size())
      continue;
    const Warp &warp = cta.warps[w];
    reports.reportText(
        "bad-wgmma", warp, 0, group.instructions[number].line, warp.exitLine,
        "warp " + std::to_string(w) +
            " ends without this wgmma, which others of its warpgroup "
            "execute");
  }
}

/// The CTA has ended.
void WgmmaChecks::checkRegisters() {
  for (uint32_t w = 0; w < registerChanges.size(); ++w) {
    const auto &history = groupChanges[groupOf(w)];
    uint32_t count = registerChanges[w].count;
    if (count >= history.size())
      continue;
    const Warp &warp = cta.warps[w];
    reports.reportText("bad-setmaxnreg", warp, 0, history[count].first,
                       warp.exitLine,
                       "warp " + std::to_string(w) +
                           " ends without this setmaxnreg, which others of its "
                           "warpgroup have executed");
  }
}

/// What the whole warpgroup's wgmma read was read before; the registers are the
/// warp's own.
void WgmmaChecks::wait(Warp &warp, int64_t pending) {
  int64_t waited = int64_t(warp.productGroup) - pending, clock = waited + 1;
  if (warp.index < wgmmaRegisters.size()) {
    int64_t &known = wgmmaRegisters[warp.index].waited;
    known = std::max(known, waited);
  }
  uint32_t first = warp.index & ~3u;
  for (uint32_t w = first; clock > 1 && w < std::min(first + 4, warps); ++w)
    order.states[warp.index].common.warps.join(slots::kProducts + w,
                                               uint32_t(clock));
}
