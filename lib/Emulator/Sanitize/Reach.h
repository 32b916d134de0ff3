//===- Reach.h - An access that is checked ----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_REACH_H
#define FUSION_LIB_EMULATOR_SANITIZE_REACH_H

#include "Emulator/Sanitize/GridSanitizer.h"
#include "Emulator/Sanitize/Shadow.h"

#include <string>

namespace fusion::emulator {

/// The effect of a read on the recorded reads before it.
enum class ReadAction { Replace, Keep, Join };

/// An access that is processed word by word.
struct Reach {
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
  /// Whether the previous store was found redundant (RedundantStores.cpp).
  bool redundant = false;
  /// The warp's place in histories, once it is known.
  size_t own = kNoPlace;
  uint32_t time = 0;      ///< time in histories; 0: unknown
  bool keepsLast = false; ///< keeps the last other strong write
  static constexpr size_t kNoPlace = ~size_t(0);
  /// The action on the reads seen last, which is the same for all lanes.
  ReadAction action = ReadAction::Keep;
  Record lastReads = ~Record(0), nextReads = 0;
  uint32_t actionContext = 0;
  ReadAction contextAction = ReadAction::Keep;
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
void forStrong(const Reach &reach, const History &history, Visit visit) {
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

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_REACH_H
