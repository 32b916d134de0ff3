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

void fusion::emulator::completePhase(Cta &cta, uint32_t offset, Mbarrier &m) {
  m.parity ^= 1;
  m.pending = m.expected;
  m.transactions = 0;
  if (cta.sanitizer)
    cta.sanitizer->phases.complete(offset);
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
