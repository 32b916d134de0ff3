//===- Mbarrier.h - The state of an mbarrier --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier is 64 bits of shared memory (PTX ISA, "mbarrier"). Bits 0: parity
// of the phase, 1 to 20: pending arrivals, 21 to 40: expected arrivals, 41 to
// 61: transaction count, 62 and 63: kMark.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_MBARRIER_H
#define FUSION_LIB_EMULATOR_EXECUTE_MBARRIER_H

#include "Emulator/Machine/Warp.h"

namespace fusion::emulator {

struct Mbarrier {
  static constexpr uint32_t kMaxCount = (1u << 20) - 1;
  static constexpr uint64_t kMark = 2;

  bool valid = false;
  uint32_t parity = 0, pending = 0, expected = 0;
  int64_t transactions = 0;

  static Mbarrier decode(uint64_t word);
  uint64_t encode() const;
};

// Inline, as every operation on an mbarrier reads and writes its word.

inline Mbarrier Mbarrier::decode(uint64_t word) {
  Mbarrier m;
  m.valid = word >> 62 == kMark;
  m.parity = uint32_t(word & 1);
  m.pending = uint32_t(word >> 1) & kMaxCount;
  m.expected = uint32_t(word >> 21) & kMaxCount;
  m.transactions = int64_t(word << 2) >> 43;
  return m;
}

inline uint64_t Mbarrier::encode() const {
  uint64_t tx = uint64_t(transactions) & ((1u << 21) - 1);
  return kMark << 62 | tx << 41 | uint64_t(expected) << 21 |
         uint64_t(pending) << 1 | parity;
}

inline Mbarrier loadMbarrier(const Cta &cta, uint32_t offset) {
  uint64_t word;
  std::memcpy(&word, cta.shared.data() + offset, 8);
  return Mbarrier::decode(word);
}

/// Begins the next phase.
void completePhase(Cta &cta, uint32_t offset, Mbarrier &m);

/// Ends the phase if no arrivals and bytes are pending.
inline void storeMbarrier(Cta &cta, uint32_t offset, Mbarrier m) {
  if (!m.pending && !m.transactions)
    completePhase(cta, offset, m);
  uint64_t word = m.encode();
  std::memcpy(cta.shared.data() + offset, &word, 8);
  ++cta.async.events;
}

/// Carries out what the mbarrier's queue holds, in order, as far as the end of
/// its phase; nothing where the queue does not reach it. Whether it did.
bool settleMbarrier(Cta &cta, uint32_t offset);

/// Puts an operation into the mbarrier's queue.
void enqueue(Cta &cta, uint32_t offset, BulkCopy copy);

/// The warp uses an mbarrier of `cta` that is none.
void faultNoMbarrier(Warp &warp, const Inst &inst, unsigned lane,
                     const Cta &cta, uint32_t offset);

/// By lot, one time in four: never with seed 0.
bool drawn(Cta &cta);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_MBARRIER_H
