//===- SanitizerReach.h - How sanitizers go through records -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the files of the sanitizer: the state of an access, and loops over
// records and over the knowledge of lanes.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_SANITIZERREACH_H
#define FUSION_LIB_EMULATOR_SANITIZE_SANITIZERREACH_H

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>
#include <string>

namespace fusion::emulator {

/// An access that is processed word by word.
struct Sanitizer::Reach {
  Shadow &shadow;
  const Warp &warp;
  unsigned line;
  SanitizeKind kind;
  Record mine;                            ///< without the lane
  Record limit;                           ///< records below are ordered before
  const Allocation *allocation = nullptr; ///< null: shared memory
  /// Records below come before every thread that may access the memory.
  Record settled = limit;
  /// Below this record, strong writes have no histories any more.
  Record forgotten = 0;
  bool inFlight = false; ///< the write takes place later
  bool loose = false;    ///< a strong access that is not atomic, with locks
  bool update = false;   ///< a store of a value made of a loaded one
  const Inst *stored = nullptr; ///< with kStoresOperands
  /// All lanes of the store `stored`.
  uint32_t mask = 0;
  const uint64_t *offset = nullptr;
  unsigned span = 4; ///< bytes of the current record
  /// Whether the previous store was found redundant (SanitizerRedundant.cpp).
  bool redundant = false;
  /// The warp's place in histories, once it is known.
  size_t own = kNoPlace;
  uint32_t time = 0;      ///< time in histories; 0: unknown
  bool keepsLast = false; ///< keeps the last other strong write
  static constexpr size_t kNoPlace = ~size_t(0);
  /// The action on the reads seen last, which is the same for all lanes.
  Action action = Action::Keep;
  Record lastReads = ~Record(0), nextReads = 0;
  uint32_t actionContext = 0;
  Action contextAction = Action::Keep;
  bool atomic() const { return mine & kAtomic; }
  /// Whether the access hides earlier accesses (Shadow.h).
  bool hides() const { return atomic() && kind != SanitizeKind::Load; }
  /// Whether the write has a history that counts.
  bool hasHistory(Record write) const {
    return isKind(write, kHiding) && withoutHiding(write) >= forgotten;
  }
  std::string place(uint64_t offset) const {
    if (!allocation)
      return "shared offset " + std::to_string(offset);
    return "byte " + std::to_string(offset) + " of an allocation of " +
           std::to_string(allocation->bytes) + " bytes";
  }
};

/// Visits the strong writes of a history.
template <class Visit>
void Sanitizer::forStrong(const Reach &reach, const History &history,
                          Visit visit) {
  for (size_t i = 0; i < reach.shadow.placeCount(); ++i)
    if (history.strong[i].context)
      visit(history.strong[i]);
  if (history.more)
    for (const History::Strong &strong : history.more->earlier)
      visit(strong);
}

/// Adds the reader `mine` to the readers `reads` of the same context.
inline Record joinedReader(Record reads, Record mine) {
  Record atomic = reads & mine & kAtomic;
  if (((reads ^ mine) & kOwner) == 0)
    return (reads & ~kAtomic) | atomic;
  return (reads & ~(kAtomic | kUnknownLane | kPattern | Record(31) << 7)) |
         atomic | kSeveral;
}

/// Visits (picture, lanes): the lanes' knowledge besides their own accesses.
template <class Visit>
void Sanitizer::forTold(Warp &warp, uint32_t mask, Visit visit) {
  WarpState &state = states[warp.index];
  auto picture = [&](const Knowledge &known) {
    // Warps that met have the same knowledge.
    if (lastTold && lastTold->known.isShared(known))
      return lastTold;
    Told *told = new Told;
    told->block = cta.linear;
    told->known = known;
    return lastTold = ToldRef(told);
  };
  uint32_t single = mask & state.lanes.lanes();
  if (mask & ~single) {
    if (!state.told || !state.told->known.isShared(state.common))
      state.told = picture(state.common);
    visit(state.told, mask & ~single);
  }
  while (single) {
    const Knowledge &first = *state.lanes.find(unsigned(__builtin_ctz(single)));
    uint32_t alike = 0;
    for (uint32_t left = single; left; left &= left - 1) {
      unsigned lane = unsigned(__builtin_ctz(left));
      alike |= uint32_t(state.lanes.find(lane)->isShared(first)) << lane;
    }
    Knowledge known = state.common;
    known.join(first);
    visit(picture(known), alike);
    single &= ~alike;
  }
}

/// Visits the records of these bytes, whole words as one.
template <class Visit>
void Sanitizer::forRecords(Shadow &shadow, uint64_t offset, uint64_t bytes,
                           Visit visit) {
  shadow.expandBytes(offset, bytes);
  for (uint64_t at = offset, end = at + bytes; at < end;) {
    uint64_t word = shadow.wordOf(at), next = (at / 4 + 1) * 4;
    if (at % 4 == 0 && next <= end && shadow.isWhole(word)) {
      visit(shadow.writes[word], shadow.reads[word], at);
      at = next;
      continue;
    }
    Shadow::Parts &parts = shadow.split(word);
    for (; at < end && at < next; ++at)
      visit(parts.writes[at % 4], parts.reads[at % 4], at);
  }
}

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_SANITIZERREACH_H
