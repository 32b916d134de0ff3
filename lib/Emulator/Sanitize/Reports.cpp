//===- Reports.cpp - Findings of a block ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Reports.h"

using namespace fusion::emulator;

// Enough to understand what is wrong; the first findings matter.
static constexpr size_t kMaxFindings = 100;

bool Reports::isNew(const char *kind, unsigned line, unsigned otherLine) {
  return findings.size() < kMaxFindings &&
         known.emplace(kind, line, otherLine).second;
}

void Reports::add(const char *kind, const Warp &warp, unsigned lane,
                  unsigned line, unsigned otherLine, std::string message) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = std::string(cta.code->source->name);
  finding.block = warp.cta->id;
  finding.thread = threadOfLane(warp, lane);
  finding.line = line;
  finding.otherLine = otherLine;
  finding.message = std::move(message);
  findings.push_back(std::move(finding));
}

void Reports::reportText(const char *kind, const Warp &warp, unsigned lane,
                         unsigned line, unsigned otherLine,
                         std::string message) {
  if (isNew(kind, line, otherLine))
    add(kind, warp, lane, line, otherLine, std::move(message));
}

static std::string tuple(uint64_t linear, const std::array<uint32_t, 3> &size) {
  return "(" + std::to_string(linear % size[0]) + "," +
         std::to_string(linear / size[0] % size[1]) + "," +
         std::to_string(linear / size[0] / size[1]) + ")";
}

std::string Reports::threadName(Record record) const {
  const Context &context = grid.contexts[contextOf(record)];
  std::string name;
  uint32_t warp = context.warp;
  if (slots::isCopy(warp)) {
    name = "the cp.async of ";
    warp -= slots::kCopies;
  } else if (slots::isAgent(warp)) {
    name = warp < slots::kStarted ? "the wgmma of " : "the copy of ";
    warp = grid.issuers[contextOf(record)];
  }
  if (record & (kSeveral | kUnknownLane))
    name += "threads of warp " + std::to_string(warp);
  else
    name += "thread " + tuple(uint32_t(warp * kWarpSize) + laneOf(record),
                              cta.launch->block);
  if (context.block != cta.linear)
    name += " of block " + tuple(context.block, cta.launch->grid);
  return name;
}
