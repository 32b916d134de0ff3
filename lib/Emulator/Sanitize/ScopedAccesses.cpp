//===- ScopedAccesses.cpp - Sanitizers: strong accesses of narrow scopes --===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two strong accesses do not race only if the scope of each includes the thread
// of the other (PTX ISA, "Morally Strong Operations"). In one block every scope
// does. So races are between a .cta access and another block's access, and
// between a .cluster access and another cluster's. For each word the last
// access of every block is recorded, by scope and by whether it writes.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Accesses.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

// The most accesses that are recorded of a word: racing threads race often.
static constexpr size_t kMostKept = 16;

static constexpr uint8_t kScopes = OrderCta | OrderCluster;

/// Whether two scopes, of an access by the warp and of one by a thread of
/// `block`, include both threads.
static bool haveEachOther(const Warp &warp, uint64_t block, uint8_t scopes) {
  if (block == warp.cta->linear || !scopes)
    return true;
  if (scopes & OrderCta)
    return false;
  const std::vector<Cta *> &ctas = warp.cta->cluster->ctas;
  return std::any_of(ctas.begin(), ctas.end(),
                     [&](const Cta *cta) { return cta->linear == block; });
}

/// Checks a strong access of lanes to `bytes` at their offsets.
void Accesses::checkScopes(Reach &reach, const Inst &inst, uint32_t mask,
                           const uint64_t *offset, unsigned bytes) {
  bool writes = reach.kind != SanitizeKind::Load;
  uint8_t scope = inst.order & kScopes;
  uint64_t block = reach.warp.cta->linear;
  auto look = [&](uint64_t at, unsigned lane, uint8_t pattern) {
    std::vector<Shadow::Scoped> &known = reach.shadow.scoped[at / 4];
    Shadow::Scoped mine{reach.mine | Record(lane) << 7, pattern, scope, writes};
    Shadow::Scoped *place = nullptr;
    for (Shadow::Scoped &other : known) {
      const Context &context = grid.contexts[contextOf(other.access)];
      if (context.block == block && other.scope == scope &&
          other.writes == writes && other.bytes == pattern)
        place = &other;
      if (!(writes || other.writes) || !(other.bytes & pattern) ||
          haveEachOther(reach.warp, context.block, scope | other.scope) ||
          order.ordered(other.access, reach.warp, int(lane)))
        continue;
      bool isCta = (scope | other.scope) & OrderCta;
      const char *what = !other.writes ? "write-after-read"
                         : writes      ? "write-after-write"
                                       : "read-after-write";
      reports.reportText(races.kindOfRace(reach, other.access), reach.warp,
                         lane, reach.line, lineOf(other.access),
                         std::string(what) + " race at " + reach.place(at) +
                             " with " + reports.threadName(other.access) +
                             ": strong accesses, but of scope " +
                             (isCta ? ".cta from different blocks"
                                    : ".cluster from different clusters"));
    }
    if (place)
      *place = mine;
    else if (known.size() < kMostKept)
      known.push_back(mine);
    else
      known[size_t(contextOf(mine.access)) % kMostKept] = mine;
  };
  for (; mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    for (uint64_t at = offset[lane], end = at + bytes; at < end;) {
      unsigned first = unsigned(at % 4),
               count = unsigned(std::min<uint64_t>(4 - first, end - at));
      look(at, lane, uint8_t(((1u << count) - 1) << first));
      at += count;
    }
  }
}
