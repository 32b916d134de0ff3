//===- HandlersRegisters.cpp - setmaxnreg ---------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers of a block are a pool (PTX ISA, "setmaxnreg"): warps give some
// back and take some, and wait where there are too few. The emulator's own
// registers have nothing to do with it.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersRegisters.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include "fusion/Target/Chips/Hardware.h"
#include <algorithm>

using namespace fusion::emulator;

static constexpr uint32_t kRegisters = fusion::kRegistersPerSM;
static constexpr uint32_t kMost = fusion::kMaxReallocated,
                          kStep = fusion::kReallocationStep;

uint32_t fusion::emulator::registersAtStart(const Function &kernel) {
  if (kernel.maxRegisters)
    return std::min(kMost, (kernel.maxRegisters + kStep - 1) / kStep * kStep);
  const auto &bound =
      kernel.requiredThreads[0] ? kernel.requiredThreads : kernel.maxThreads;
  uint64_t threads = 1;
  for (uint64_t size : bound)
    threads = std::min<uint64_t>(threads * size, kRegisters);
  uint64_t all = (threads + kWarpSize - 1) / kWarpSize * kWarpSize *
                 std::max(1u, kernel.leastBlocks);
  if (!all)
    return 0;
  return uint32_t(std::min<uint64_t>(kMost, kRegisters / all)) / kStep * kStep;
}

namespace {

/// imm: registers per thread; a: 1 where it takes some.
void setRegisters(Warp &warp, const Inst &inst, uint32_t mask) {
  Cta &cta = *warp.cta;
  uint32_t count = uint32_t(inst.imm);
  bool isKnown = warp.registers;
  if (isKnown && inst.a && count > warp.registers) {
    if (count - warp.registers > cta.freeRegisters) {
      warp.suspended = true;
      return;
    }
    cta.freeRegisters -= count - warp.registers;
    warp.registers = count;
    cta.registerLine = inst.line;
  } else if (isKnown && !inst.a && count < warp.registers) {
    cta.freeRegisters += warp.registers - count;
    warp.registers = count;
    cta.registerLine = inst.line;
    ++cta.async.events;
  }
  if (warp.sanitizer)
    warp.sanitizer->wgmma.setRegisters(warp, inst, mask);
}

} // namespace

std::string fusion::emulator::describeRegisters(const Warp &warp,
                                                const Inst &inst) {
  return " wait for registers, line " + std::to_string(inst.line) + " (" +
         std::to_string(inst.imm - int64_t(warp.registers)) +
         " more for each thread of the warp; " +
         std::to_string(warp.cta->freeRegisters) +
         " are free, and no warp gives any back)";
}

Handler fusion::emulator::setRegistersHandler() { return setRegisters; }
