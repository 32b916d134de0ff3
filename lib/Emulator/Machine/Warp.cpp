//===- Warp.cpp - Threads of warps and their faults -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine/Warp.h"

#include "fusion/Target/Chips/Hardware.h"
#include <cstdio>

using namespace fusion::emulator;

std::array<uint32_t, 3> fusion::emulator::threadOfLane(const Warp &warp,
                                                       unsigned lane) {
  const auto &block = warp.cta->launch->block;
  uint32_t linear = uint32_t(warp.index * fusion::kWarpSize) + lane;
  return {linear % block[0], linear / block[0] % block[1],
          linear / block[0] / block[1]};
}

std::string fusion::emulator::describeThread(const Warp &warp, unsigned lane) {
  const auto &id = warp.cta->id;
  auto thread = threadOfLane(warp, lane);
  char buffer[160];
  std::snprintf(buffer, sizeof(buffer), "block (%u,%u,%u), thread (%u,%u,%u)",
                id[0], id[1], id[2], thread[0], thread[1], thread[2]);
  return "kernel '" + std::string(warp.cta->code->source->name) + "', " +
         buffer;
}

void fusion::emulator::recordAtMbarrier(Warp &warp, StepAction action,
                                        const Cta &cta, uint32_t offset,
                                        uint32_t value, uint32_t bytes) {
  if (!warp.step)
    return;
  auto isHere = [&](const Step &step) {
    return step.action == action && step.place == offset &&
           step.rank == cta.rank;
  };
  Step *here = warp.step;
  if (here->action == StepAction::None) {
    here->action = action;
    here->place = offset;
    here->rank = cta.rank;
  } else if (!isHere(*here)) {
    auto found = std::find_if(warp.furtherSteps.begin(),
                              warp.furtherSteps.end(), isHere);
    if (found == warp.furtherSteps.end()) {
      Step further = *warp.step;
      further.isFurther = true;
      further.place = offset;
      further.rank = cta.rank;
      further.value = further.bytes = 0;
      found = warp.furtherSteps.insert(found, further);
    }
    here = &*found;
  }
  here->bytes += bytes;
  // Arrivals add up; a parity or a mask of blocks is the same for all.
  if (action == StepAction::Arrive || action == StepAction::ArriveCopied)
    here->value += value;
  else
    here->value = value;
}

void fusion::emulator::raiseFault(Warp &warp, const Inst &inst, unsigned lane,
                                  const std::string &message, const char *kind,
                                  unsigned otherLine) {
  Fault &fault = warp.cta->fault;
  warp.stop = true;
  if (fault.set)
    return;
  fault.set = true;
  fault.line = inst.line;
  fault.otherLine = otherLine;
  fault.kind = kind;
  fault.thread = threadOfLane(warp, lane);
  fault.message = message + " (" + describeThread(warp, lane) + ", line " +
                  std::to_string(inst.line) + ")";
}
