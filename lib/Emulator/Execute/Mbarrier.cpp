//===- Mbarrier.cpp - The state of an mbarrier ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies that an mbarrier awaits are carried out when a thread looks at the
// phase that they end, and not before (settleMbarrier). So a reader that does
// not wait sees the old contents. Arrivals for the next phase carry them out as
// well.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Mbarrier.h"

#include "Emulator/Execute/BulkCopies.h"
#include "Emulator/Sanitize/Sanitizer.h"

using namespace fusion::emulator;

Mbarrier Mbarrier::decode(uint64_t word) {
  Mbarrier m;
  m.valid = word >> 62 == kMark;
  m.parity = uint32_t(word & 1);
  m.pending = uint32_t(word >> 1) & kMaxCount;
  m.expected = uint32_t(word >> 21) & kMaxCount;
  m.transactions = int64_t(word << 2) >> 43;
  return m;
}

uint64_t Mbarrier::encode() const {
  uint64_t tx = uint64_t(transactions) & ((1u << 21) - 1);
  return kMark << 62 | tx << 41 | uint64_t(expected) << 21 |
         uint64_t(pending) << 1 | parity;
}

Mbarrier fusion::emulator::loadMbarrier(const Cta &cta, uint32_t offset) {
  uint64_t word;
  std::memcpy(&word, cta.shared.data() + offset, 8);
  return Mbarrier::decode(word);
}

static void completePhase(Cta &cta, uint32_t offset, Mbarrier &m) {
  m.parity ^= 1;
  m.pending = m.expected;
  m.transactions = 0;
  if (cta.sanitizer)
    cta.sanitizer->phases.complete(offset);
}

/// Ends the phase if no arrivals and bytes are pending.
void fusion::emulator::storeMbarrier(Cta &cta, uint32_t offset,
                                     const Mbarrier &barrier) {
  Mbarrier m = barrier;
  if (!m.pending && !m.transactions)
    completePhase(cta, offset, m);
  uint64_t word = m.encode();
  std::memcpy(cta.shared.data() + offset, &word, 8);
  ++cta.async.events;
}

void fusion::emulator::faultNoMbarrier(Warp &warp, const Inst &inst,
                                       unsigned lane, const Cta &cta,
                                       uint32_t offset) {
  std::string message = "there is no initialised mbarrier at shared offset " +
                        std::to_string(offset);
  if (&cta != warp.cta)
    message += " of block " + std::to_string(cta.rank) + " of the cluster";
  raiseFault(warp, inst, lane, message, "mbarrier-misuse",
             cta.sanitizer ? cta.sanitizer->memory.lastWrite(offset) : 0);
}

bool fusion::emulator::drawn(Cta &cta) {
  if (!cta.varies)
    return false;
  cta.random = cta.random * 6364136223846793005u + 1442695040888963407u;
  return !(cta.random >> 33 & 3);
}

void fusion::emulator::enqueue(Cta &cta, uint32_t offset, BulkCopy copy) {
  if (copy.kind != BulkCopy::Kind::Arrive && drawn(cta)) {
    carryOut(copy);
    copy.landed = true;
  }
  cta.async.queues[offset].push_back(std::move(copy));
  ++cta.async.events;
}

bool fusion::emulator::settleMbarrier(Cta &cta, uint32_t offset) {
  auto it = cta.async.queues.find(offset);
  if (it == cta.async.queues.end() || it->second.empty())
    return false;
  std::deque<BulkCopy> &queue = it->second;
  Mbarrier m = loadMbarrier(cta, offset);
  size_t steps = 0;
  for (const BulkCopy &copy : queue) {
    ++steps;
    if (copy.kind != BulkCopy::Kind::Arrive)
      m.transactions -= copy.bytes;
    else if (m.pending)
      --m.pending;
    if (!m.pending && !m.transactions)
      break;
  }
  if (m.pending || m.transactions)
    return false;
  for (; steps; --steps) {
    BulkCopy copy = std::move(queue.front());
    queue.pop_front();
    if (cta.sanitizer && copy.kind == BulkCopy::Kind::Arrive)
      cta.sanitizer->copies.deliver(offset, copy);
    if (!copy.landed)
      carryOut(copy);
    if (cta.sanitizer)
      cta.sanitizer->phases.deliver(offset, copy);
  }
  storeMbarrier(cta, offset, m);
  return true;
}
