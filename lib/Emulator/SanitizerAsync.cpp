//===- SanitizerAsync.cpp - Sanitizers: bulk copies, mbarriers, clusters ---===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

void Sanitizer::bulkIssue(Warp &warp, const Inst &inst, unsigned lane,
                          uint32_t offset, uint32_t bytes, bool reduces) {
  // Reductions are atomic among themselves.
  bool checked = warp.cta == &cta && !reduces;
  forCells(offset, bytes, [&](Cell &cell, uint64_t at) {
    if (checked)
      write(cell, at, warp, lane, inst.line, false);
    cell.initialized = true;
    cell.inFlight = warp.index * 32 + lane + 1;
    cell.inFlightLine = inst.line;
  });
}

void Sanitizer::bulkComplete(uint32_t offset, uint32_t bytes) {
  forCells(offset, bytes, [&](Cell &cell, uint64_t) {
    // Whoever reads it has waited for the mbarrier, or finds it in flight.
    cell.inFlight = 0;
    cell.writer = 0;
    cell.initialized = true;
  });
}

void Sanitizer::bulkRead(Warp &warp, const Inst &inst, unsigned lane,
                         uint32_t offset, uint32_t bytes) {
  if (warp.cta != &cta)
    return;
  forCells(offset, bytes, [&](Cell &cell, uint64_t at) {
    read(cell, at, warp, lane, inst.line, false);
  });
}

void Sanitizer::clusterAccess(Warp &warp, const Inst &inst, unsigned lane,
                              uint32_t offset, uint32_t bytes, bool isLoad) {
  if (warp.cta == &cta) {
    uint64_t addresses[32] = {};
    addresses[lane] = offset;
    return sharedAccess(warp, inst, 1u << lane, addresses, bytes,
                        isLoad ? SanitizeKind::Load : SanitizeKind::Store);
  }
  if (isLoad)
    return;
  forCells(offset, bytes, [&](Cell &cell, uint64_t) {
    cell.initialized = true;
    cell.writer = 0;
  });
}

void Sanitizer::phaseArrive(Warp &warp, uint32_t offset) {
  if (warp.cta != &cta)
    return;
  Phase &phase = phases[offset];
  phase.open.resize(warps, 0);
  for (uint32_t other = 0; other < warps; ++other)
    phase.open[other] =
        std::max(phase.open[other], clocks[warp.index * warps + other]);
  ++clocks[warp.index * warps + warp.index];
}

void Sanitizer::phaseComplete(uint32_t offset) {
  Phase &phase = phases[offset];
  if (phase.open.empty())
    return;
  phase.done.resize(warps, 0);
  for (uint32_t other = 0; other < warps; ++other)
    phase.done[other] = std::max(phase.done[other], phase.open[other]);
}

void Sanitizer::phaseObserve(Warp &warp, uint32_t offset) {
  auto it = phases.find(offset);
  if (it == phases.end() || it->second.done.empty())
    return;
  for (uint32_t other = 0; other < warps; ++other) {
    uint32_t &clock = clocks[warp.index * warps + other];
    if (other != warp.index)
      clock = std::max(clock, it->second.done[other]);
  }
}
