//===- SectorCache.cpp - A cache of lines with sectors --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Emulator/Machine/SectorCache.h"

#include "fusion/Emulator/Machine/Recording.h"

using namespace fusion::emulator;

// Larger than any chip's L2; larger requests allocate no memory.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 30;

SectorCache::SectorCache(uint64_t bytes) {
  bytes = bytes < kMaxBytes ? bytes : kMaxBytes;
  sets = bytes / (128 * kWays);
  sets = sets ? sets : 1;
  lines.resize(sets * kWays);
}

/// Returns the set of a line. Chips mix higher bits into it, so that lines at a
/// distance of a large power of two do not meet in a few sets. Neighbouring
/// lines are in different sets.
uint64_t SectorCache::setOf(uint64_t tag) const {
  // Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4):
  // the product's highest bits spread evenly whatever the numbers' distance.
  constexpr uint64_t golden = 0x9E3779B97F4A7C15;
  uint64_t turn = (tag / sets * golden >> 32) * sets >> 32;
  return (tag + turn) % sets;
}

SectorCache::Outcome SectorCache::access(uint64_t entry) {
  uint64_t tag = entry >> 7;
  uint8_t sector = uint8_t(1u << (entry >> 5 & 3));
  Line *set = &lines[setOf(tag) * kWays];
  Line *line = set;
  for (unsigned way = 0; way < kWays; ++way) {
    if (set[way].tag == tag) {
      line = &set[way];
      break;
    }
    if (set[way].used < line->used)
      line = &set[way];
  }
  Outcome outcome;
  if (entry & kSectorDiscarded) {
    if (line->tag == tag)
      line->present = line->dirty = 0;
    return outcome;
  }
  if (line->tag != tag) {
    outcome.replaced = unsigned(__builtin_popcount(line->dirty));
    *line = Line();
    line->tag = tag;
  }
  line->used = ++time;
  outcome.wasPresent = line->present & sector;
  if (entry & kSectorWritten)
    line->dirty |= sector;
  line->present |= sector;
  return outcome;
}

void SectorCache::fillWithStored() {
  // Tags above those of all addresses.
  uint64_t tag = uint64_t(1) << 62;
  for (Line &line : lines) {
    line = Line();
    line.tag = tag++;
    line.used = ++time;
    line.present = line.dirty = 0xf;
  }
}

uint64_t SectorCache::clean() {
  uint64_t stored = 0;
  for (Line &line : lines) {
    stored += unsigned(__builtin_popcount(line.dirty));
    line.dirty = 0;
  }
  return stored;
}
