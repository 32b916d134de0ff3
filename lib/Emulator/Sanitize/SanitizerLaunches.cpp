//===- SanitizerLaunches.cpp - Sanitizers: grids launched before ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grid that was launched before the ones in front of it had ended (PTX ISA,
// "griddepcontrol") is not ordered behind them until it waits. Together they
// are one agent, which every thread that waits comes to know; who meets such a
// thread at a barrier of its block knows it, too.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/SanitizerReach.h"

using namespace fusion::emulator;

void Sanitizer::gridWait(Warp &warp, uint32_t mask) {
  constexpr uint32_t ended = 2; // past the clock of checkGridWait
  Knowledge known;
  known.warps.join(agentOf(AsyncAgent::EarlierGrids, 0).slot, ended);
  learn(warp, mask, known);
}

void Sanitizer::checkGridWait(const Warp &warp, const Inst &inst, uint32_t mask,
                              const Allocation &allocation) {
  AsyncAgent &agent = agentOf(AsyncAgent::EarlierGrids, 0);
  if (!agent.context) {
    agent.clock = 1;
    agent.context = newContext(warp, agent.slot, agent.clock);
  }
  Record earlier = Record(agent.context) << 32;
  if (orderedForAll(earlier, warp))
    return;
  for (; mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    if (!ordered(earlier, warp, int(lane)))
      return reportText("missing-grid-wait", warp, lane, inst.line, 0,
                        "access to an allocation of " +
                            std::to_string(allocation.bytes) +
                            " bytes that grids launched before may still "
                            "access, without griddepcontrol.wait before it");
  }
}
