//===- SanitizerAsync.cpp - Sanitizers: bulk copies, mbarriers, clusters
//---===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sanitizer.h"

using namespace fusion::emulator;

/// The records of these bytes, by the word where that is whole.
template <class Visit>
void Sanitizer::forRecords(uint32_t offset, uint32_t bytes, Visit visit) {
  shared.expandBytes(offset, bytes);
  for (uint64_t at = offset, end = at + bytes; at < end;) {
    uint64_t word = at / 4;
    if (at % 4 == 0 && end - at >= 4 && !isKind(shared.writes[word], kSplit)) {
      visit(shared.writes[word], shared.reads[word], at);
      at += 4;
      continue;
    }
    Shadow::Parts &parts = shared.split(word);
    for (; at < end && at / 4 == word; ++at)
      visit(parts.writes[at % 4], parts.reads[at % 4], at);
  }
}

void Sanitizer::bulkIssue(Warp &warp, const Inst &inst, unsigned lane,
                          uint32_t offset, uint32_t bytes, bool reduces) {
  Record mine =
      warp.sanitizer->contextRecord(warp) | Record(inst.line & 0xfffff) << 12;
  bool own = warp.cta == &cta;
  Reach reach{shared,    warp,
              inst.line, SanitizeKind::Store,
              mine,      own ? states[warp.index].limit : Record(1) << 32};
  forRecords(offset, bytes, [&](Record &write, Record &reads, uint64_t at) {
    // Reductions are atomic among themselves.
    if (own && !reduces)
      this->write(reach, write, reads, at, lane);
    write = mine | Record(lane) << 7 | kInFlight;
    reads = 0;
  });
}

void Sanitizer::bulkComplete(uint32_t offset, uint32_t bytes) {
  // Whoever reads it has waited for the mbarrier, or finds it in flight.
  forRecords(offset, bytes,
             [](Record &write, Record &, uint64_t) { write = 0; });
}

void Sanitizer::bulkRead(Warp &warp, const Inst &inst, unsigned lane,
                         uint32_t offset, uint32_t bytes) {
  if (warp.cta != &cta)
    return;
  Record mine = contextRecord(warp) | Record(inst.line & 0xfffff) << 12;
  Reach reach{shared,    warp,
              inst.line, SanitizeKind::Load,
              mine,      states[warp.index].limit};
  forRecords(offset, bytes, [&](Record &write, Record &reads, uint64_t at) {
    read(reach, write, reads, at, lane);
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
  forRecords(offset, bytes,
             [](Record &write, Record &, uint64_t) { write = 0; });
}

/// What the lanes of a warp know, and their accesses up to now.
Knowledge Sanitizer::exportedWarp(Warp &warp) {
  WarpState &state = states[warp.index];
  Knowledge all = state.common;
  for (const auto &entry : state.lanes)
    all.join(entry.second);
  all.joinWarp(warp.index, state.clock + 1);
  Knowledge result;
  result.lanes = std::move(all.lanes);
  result.foreign = std::move(all.foreign);
  for (uint32_t w = 0; w < all.warps.size(); ++w)
    if (all.warps[w])
      joinEntry(result.foreign, Knowledge::warpKey(cta.linear, w),
                all.warps[w]);
  advance(state);
  return result;
}

Phase &Sanitizer::phaseAt(uint32_t offset) {
  return offset == kClusterPhase ? grid.clusterPhases[cta.cluster]
                                 : phases[offset];
}

void Sanitizer::phaseArrive(Warp &warp, uint32_t offset) {
  phaseAt(offset).open.join(warp.sanitizer->exportedWarp(warp));
}

void Sanitizer::phaseComplete(uint32_t offset) {
  Phase &phase = phaseAt(offset);
  phase.done.join(phase.open);
}

void Sanitizer::phaseObserve(Warp &warp, uint32_t offset) {
  WarpState &state = states[warp.index];
  import(state.common, phaseAt(offset).done);
}
