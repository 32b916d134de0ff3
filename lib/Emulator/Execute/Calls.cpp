//===- Calls.cpp - Runs the warps of a CTA: calls, returns, exits ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Executor.h"
#include "Emulator/Execute/HandlersAsync.h"
#include "Emulator/Execute/HandlersBulk.h"
#include "Emulator/Execute/HandlersCluster.h"
#include "Emulator/Execute/HandlersWgmma.h"
#include "Emulator/Execute/WarpStart.h"
#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

static constexpr uint32_t kMaxCallDepth = 512;
static constexpr size_t kMaxFrames = 4096;

static void copyParameter(const uint8_t *fromRegisters,
                          const uint8_t *fromLanes, uint32_t fromStride,
                          const ParameterPlace &from, uint8_t *toRegisters,
                          uint8_t *toLanes, uint32_t toStride,
                          const ParameterPlace &to, uint32_t mask) {
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
    uint32_t index = kNone;
    if (target - functionAddress(0) < code.functionOf.size())
      index = code.functionOf[target - functionAddress(0)];
    bool good = index != kNone && index != 0;
    if (good) {
      const CodeFunction &callee = code.functions[index];
      good = callee.parameters.size() == site.arguments.size() &&
             callee.results.size() == site.results.size();
    }
    if (!good) {
      raiseFault(warp, inst, lane, "call through a bad function pointer");
      return false;
    }
    // Lanes with another callee stay here and are next.
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
    function = index;
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
  // Each chain of calls has one frame, which later lanes reuse.
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
    frame.parameters.assign(size_t(callee.parameterBytes) * kLanes, 0xff);
    frame.localOffset = warp.localBytes;
    if (callee.localBytes) {
      uint32_t grown = warp.localBytes + callee.localBytes;
      std::vector<uint8_t> local(size_t(grown) * kLanes, 0xff);
      for (unsigned lane = 0; lane < kLanes && warp.localBytes; ++lane)
        std::memcpy(local.data() + size_t(lane) * grown,
                    warp.local.data() + size_t(lane) * warp.localBytes,
                    warp.localBytes);
      warp.local = std::move(local);
      warp.localBytes = grown;
    }
  }
  Frame &from = warp.frames[parent], &to = warp.frames[index];
  to.call = inst.target;
  if (code.hasStack)
    for (uint32_t left = mask; left; left &= left - 1)
      to.stackTop[__builtin_ctz(left)] = warp.stackTop[__builtin_ctz(left)];
  for (size_t i = 0; i < site.arguments.size(); ++i)
    copyParameter(from.registers.data(), from.parameters.data(),
                  code.functions[from.function].parameterBytes,
                  site.arguments[i], to.registers.data(), to.parameters.data(),
                  callee.parameterBytes, callee.parameters[i], mask);
  warp.current.pc = callee.entry;
  enterFrame(warp, index);
  return true;
}

/// Returns from a function, or ends the lanes if it is the kernel.
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
  finishProducts(warp); // their accumulators are in the frame
  const CallSite &site = code.calls[frame.call];
  const CodeFunction &callee = code.functions[frame.function];
  Frame &to = warp.frames[frame.parent];
  for (size_t i = 0; i < site.results.size(); ++i)
    copyParameter(
        frame.registers.data(), frame.parameters.data(), callee.parameterBytes,
        callee.results[i], to.registers.data(), to.parameters.data(),
        code.functions[to.function].parameterBytes, site.results[i], mask);
  if (code.hasStack)
    for (uint32_t left = mask; left; left &= left - 1)
      warp.stackTop[__builtin_ctz(left)] = frame.stackTop[__builtin_ctz(left)];
  warp.current.mask = mask;
  warp.current.pc = frame.returnPc;
  enterFrame(warp, frame.parent);
}

void Executor::exitLanes(Warp &warp, uint32_t mask) {
  if (sanitizer)
    sanitizer->exit(warp, mask,
                    liveThreads() == unsigned(__builtin_popcount(mask)));
  finishCopies(warp, mask);
  finishBulkStores(warp, mask);
  leaveCluster(warp, mask);
  warp.live &= ~mask;
  warp.exitLine = code.insts[warp.current.pc].line;
  // Lanes that wait for the lanes that ended check again.
  for (Group &group : warp.others)
    if (group.state == Group::State::WaitWarp)
      group.state = Group::State::Ready;
}
