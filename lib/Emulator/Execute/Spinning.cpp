//===- Spinning.cpp - Runs the warps of a CTA: loops without an end -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp at its instruction limit, and with sanitizers every warp at times
// (Grid.cpp), is watched for some more instructions: its lines and its reads.
// If it returns to a place with the same registers and has stored nothing, it
// continues like this until another thread writes what it reads. If all others
// have ended, wait or do the same, no thread will: that is a deadlock.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Executor.h"
#include "Emulator/Execute/HandlersCluster.h"
#include "Emulator/Execute/WarpStart.h"
#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

// The most steps of a loop that is watched; loops that poll are short.
static constexpr unsigned kSteps = 2048;

/// Watches the running group, or the one that would run next.
Executor::Spin Executor::watch(Warp &warp) {
  Spin spin;
  WatchedAccesses seen;
  if (sanitizer)
    sanitizer->memory.watch = &seen;
  watching = true;
  uint32_t place = kNone, lanes = 0, of = 0;
  bool isSeen = false, hasStored = false;
  // The groups of lanes, and whether each can run.
  auto groups = [&] {
    std::vector<std::pair<uint32_t, bool>> list;
    if (warp.current.mask)
      list.push_back({warp.current.mask, true});
    for (const Group &group : warp.others)
      list.push_back({group.mask, group.state == Group::State::Ready});
    std::sort(list.begin(), list.end());
    return list;
  };
  const uint32_t liveBefore = warp.live;
  const auto groupsBefore = groups();
  std::vector<uint8_t> registers;
  for (unsigned step = 0; step < kSteps && !cta.fault.set; ++step) {
    if (!warp.current.mask && !mergeAndPick(warp))
      break;
    uint32_t pc = warp.current.pc;
    const Frame &frame = warp.frames[warp.current.frame];
    uint32_t bytes = code.functions[frame.function].registerBytes;
    // When a place is reached a second time, the whole loop has been watched.
    if (pc == place && warp.current.mask == lanes && warp.current.frame == of) {
      if (!isSeen) {
        registers.assign(frame.registers.data(),
                         frame.registers.data() + bytes);
        isSeen = true;
        hasStored |= seen.stores;
        seen = WatchedAccesses();
        spin = Spin();
      } else {
        spin.loops = true;
        spin.isStuck = sanitizer && !seen.stores &&
                       std::equal(registers.begin(), registers.end(),
                                  frame.registers.data());
        break;
      }
    } else if (place == kNone && step >= kSteps / 4) {
      place = pc;
      lanes = warp.current.mask;
      of = warp.current.frame;
    }
    spin.lane = unsigned(__builtin_ctz(warp.current.mask));
    if (isDetailed)
      runWarp<true>(warp, 1);
    else
      runWarp<false>(warp, 1);
    // Runs up to the next branch.
    auto isStep = [](Flow flow) {
      return flow == Flow::Next || flow == Flow::Checked ||
             flow == Flow::Hidden;
    };
    for (size_t at = pc; at < code.insts.size(); ++at) {
      uint32_t line = code.insts[at].line;
      spin.first = spin.first ? std::min(spin.first, line) : line;
      spin.last = std::max(spin.last, line);
      if (!isStep(code.insts[at].flow))
        break;
    }
    if (!warp.live)
      break;
  }
  watching = false;
  if (sanitizer)
    sanitizer->memory.watch = nullptr;
  // Other lanes of the warp have run in the meantime or have still to run:
  // spinning lanes may now find what they wait for.
  if (hasStored || warp.live != liveBefore || groups() != groupsBefore)
    spin.isStuck = false;
  spin.poll = seen.poll;
  spin.otherLine = seen.otherLine;
  spin.pollLine = seen.line;
  return spin;
}

static std::string describe(const Warp &warp, bool loops, unsigned first,
                            unsigned last, const std::string &poll,
                            unsigned line) {
  std::string text = "warp " + std::to_string(warp.index);
  if (!loops)
    return text + " goes on";
  text += first == last ? " loops at line " + std::to_string(first)
                        : " loops in lines " + std::to_string(first) + " to " +
                              std::to_string(last);
  if (!poll.empty())
    text += ", where it polls " + poll + " (line " + std::to_string(line) + ")";
  return text;
}

/// Makes the group of these lanes the running one. Returns false if there is no
/// such group any more.
bool Executor::enterGroup(Warp &warp, uint32_t mask) {
  if (mask != warp.current.mask) {
    auto at = std::find_if(
        warp.others.begin(), warp.others.end(), [&](const Group &group) {
          return group.mask == mask && group.state == Group::State::Ready;
        });
    if (at == warp.others.end())
      return false;
    if (warp.current.mask) {
      std::swap(warp.current, *at);
    } else {
      warp.current = *at;
      warp.others.erase(at);
    }
    warp.current.held = false;
    enterFrame(warp, warp.current.frame);
  }
  return true;
}

/// Whether no warp of the CTA can continue without others. Adds a finding for
/// each spinning warp.
bool Executor::isStuck(std::vector<Finding> &parties) {
  constexpr size_t kMost = 100;
  bool all = true;
  pollLines.assign(cta.warps.size(), 0);
  for (Warp &warp : cta.warps) {
    if (!warp.live || warp.blocked)
      continue;
    warp.stop = false;
    // Diverged groups are watched one after another.
    std::vector<uint32_t> groups;
    if (warp.current.mask)
      groups.push_back(warp.current.mask);
    for (const Group &group : warp.others)
      if (group.state == Group::State::Ready && !group.held)
        groups.push_back(group.mask);
    for (uint32_t mask : groups) {
      if (!enterGroup(warp, mask))
        continue;
      Spin spin = watch(warp);
      if (!warp.live || warp.blocked) {
        all = false; // it continued
        break;
      }
      all &= spin.isStuck;
      pollLines[warp.index] = spin.pollLine;
      if (!spin.isStuck || parties.size() >= kMost)
        continue;
      Finding party;
      party.kind = "deadlock";
      party.kernel = std::string(code.source->name);
      party.block = cta.id;
      party.thread = threadOfLane(warp, spin.lane);
      party.line = spin.pollLine ? spin.pollLine : spin.first;
      party.otherLine = spin.otherLine;
      party.message =
          describe(warp, true, spin.first, spin.last, spin.poll, party.line) +
          ", which no other thread can write any more";
      parties.push_back(std::move(party));
    }
  }
  // Other threads may have waited for lanes that continued.
  checkBarriers();
  completeIfAll(*cta.cluster);
  if (all && parties.size() < kMost)
    listParties(parties);
  return all;
}

bool Executor::failStuck(std::vector<Finding> &parties) {
  for (Warp &warp : cta.warps) {
    if (!warp.live || warp.blocked)
      continue;
    auto own =
        std::find_if(parties.begin(), parties.end(), [&](const Finding &party) {
          return party.block == cta.id;
        });
    if (own == parties.end())
      own = parties.begin();
    bool waits = !warp.current.mask && !warp.others.empty();
    uint32_t pc = waits ? warp.others[0].pc : warp.current.pc;
    unsigned line = own->line;
    raiseFault(warp, code.insts[pc], unsigned(__builtin_ctz(warp.live)),
               "deadlock: " + own->message +
                   "; all other threads have ended, wait or spin",
               "deadlock");
    cta.fault.line = line;
    cta.fault.parties = std::move(parties);
    return true;
  }
  return false;
}

bool Executor::awaitsCopies() const {
  return std::any_of(cta.async.queues.begin(), cta.async.queues.end(),
                     [](const auto &queue) { return !queue.second.empty(); });
}

/// Handles a warp that has executed more instructions than it may.
void Executor::exceedLimit(Warp &warp) {
  bool waits = !warp.current.mask && !warp.others.empty();
  uint32_t pc = waits ? warp.others[0].pc : warp.current.pc;
  uint32_t lanes = warp.live ? warp.live : warp.exists;
  std::string message = "instruction limit exceeded";
  unsigned line = 0, lane = unsigned(__builtin_ctz(lanes));
  if (warp.live) {
    Spin spin = watch(warp);
    if (cta.fault.set)
      return;
    if (spin.loops) {
      message += ": " + describe(warp, true, spin.first, spin.last, spin.poll,
                                 spin.pollLine);
      line = spin.pollLine ? spin.pollLine : spin.first;
      lane = spin.lane;
    }
  }
  raiseFault(warp, code.insts[pc], lane, message);
  if (line)
    cta.fault.line = line;
  cta.fault.isLimit = true;
}
