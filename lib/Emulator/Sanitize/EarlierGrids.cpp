//===- EarlierGrids.cpp - Sanitizers: grids launched before ---------------===//
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

#include "Emulator/Sanitize/EarlierGrids.h"

#include "Emulator/Sanitize/Sanitizer.h"

using namespace fusion::emulator;

void EarlierGrids::wait(Warp &warp, uint32_t mask) {
  constexpr uint32_t ended = 2; // past the clock of checkGridWait
  Knowledge known;
  known.warps.join(agents.agentOf(AsyncAgent::EarlierGrids, 0).slot, ended);
  order.learn(warp, mask, known);
}

void EarlierGrids::check(const Warp &warp, const Inst &inst, uint32_t mask,
                         const Allocation &allocation) {
  AsyncAgent &agent = agents.agentOf(AsyncAgent::EarlierGrids, 0);
  if (!agent.context) {
    agent.clock = 1;
    agent.context = agents.newContext(warp, agent.slot, agent.clock);
  }
  Record earlier = Record(agent.context) << 32;
  if (order.orderedForAll(earlier, warp))
    return;
  for (; mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    if (!order.ordered(earlier, warp, int(lane)))
      return reports.reportText(
          "missing-grid-wait", warp, lane, inst.line, 0,
          "access to an allocation of " + std::to_string(allocation.bytes) +
              " bytes that grids launched before may still "
              "access, without griddepcontrol.wait before it");
  }
}
