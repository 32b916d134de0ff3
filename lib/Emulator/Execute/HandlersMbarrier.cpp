//===- HandlersMbarrier.cpp - Instructions of mbarriers -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersMbarrier.h"

#include "Emulator/Execute/Access.h"
#include "Emulator/Execute/Mbarrier.h"

using namespace fusion::emulator;

namespace {

/// Raises a fault. `otherLine` is the line of the other party, 0 if unknown.
bool misuse(Warp &warp, const Inst &inst, unsigned lane,
            const std::string &message, unsigned otherLine = 0) {
  raiseFault(warp, inst, lane, message, "mbarrier-misuse", otherLine);
  return false;
}

/// Returns the line of the last arrival at the mbarrier.
unsigned lastArrival(const Cta &cta, uint32_t offset) {
  return cta.sanitizer ? cta.sanitizer->phases.lastArrival(offset) : 0;
}

/// Finds the mbarrier of a lane; returns false after a fault. The sanitizers
/// get all lanes `together`, which use the same mbarrier.
bool find(Warp &warp, const Inst &inst, unsigned lane, Ref address, bool remote,
          uint32_t together, Cta *&cta, uint32_t &offset, Mbarrier &m) {
  if (!resolveShared(warp, inst, lane, warp.reg<uint64_t>(address)[lane], 8, 8,
                     remote, cta, offset))
    return false;
  m = loadMbarrier(*cta, offset);
  if (!m.valid) {
    faultNoMbarrier(warp, inst, lane, *cta, offset);
    return false;
  }
  if (cta->sanitizer && together)
    cta->sanitizer->phases.touch(warp, inst, together, offset);
  return true;
}

/// Returns the lanes of `mask` that name the same mbarrier as its first lane.
uint32_t lanesAt(Warp &warp, Ref address, uint32_t mask) {
  const uint64_t *addresses = warp.reg<uint64_t>(address);
  uint64_t first = addresses[__builtin_ctz(mask)];
  uint32_t same = 0;
  for (unsigned i = 0; i < kLanes; ++i)
    same |= uint32_t(addresses[i] == first) << i;
  return same & mask;
}

/// Calls visit(lane, CTA, offset, mbarrier) for every lane, until a fault, for
/// which `visit` returns false.
template <class Visit>
void forMbarriers(Warp &warp, const Inst &inst, uint32_t mask, Ref address,
                  bool remote, Visit visit) {
  uint32_t told = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    Cta *cta;
    uint32_t offset, together = 0;
    Mbarrier m;
    if (warp.sanitizer && !(told >> lane & 1))
      told |= together = lanesAt(warp, address, left);
    if (!find(warp, inst, lane, address, remote, together, cta, offset, m) ||
        !visit(lane, *cta, offset, m))
      return;
  }
}

bool countInRange(Warp &warp, const Inst &inst, unsigned lane, uint32_t count,
                  const char *what) {
  if (count >= 1 && count <= Mbarrier::kMaxCount)
    return true;
  return misuse(warp, inst, lane,
                std::string(what) + " of " + std::to_string(count) +
                    ", not between 1 and " +
                    std::to_string(Mbarrier::kMaxCount));
}

void initialise(Warp &warp, const Inst &inst, uint32_t mask) {
  const uint32_t *counts = warp.reg<uint32_t>(inst.op[0]);
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    Cta *cta;
    uint32_t offset;
    if (!resolveShared(warp, inst, lane, warp.reg<uint64_t>(inst.op[1])[lane],
                       8, 8, false, cta, offset) ||
        !countInRange(warp, inst, lane, counts[lane], "mbarrier.init"))
      return;
    cta->async.queues.erase(offset);
    Mbarrier m;
    m.pending = m.expected = counts[lane];
    storeMbarrier(*cta, offset, m);
    recordAtMbarrier(warp, StepAction::Initialize, *cta, offset, counts[lane]);
    if (cta->sanitizer)
      cta->sanitizer->phases.initialize(warp, inst, lane, offset, true);
  }
}

void invalidate(Warp &warp, const Inst &inst, uint32_t mask) {
  forMbarriers(warp, inst, mask, inst.op[1], false,
               [&](unsigned lane, Cta &cta, uint32_t offset, Mbarrier &) {
                 cta.async.queues.erase(offset);
                 std::memset(cta.shared.data() + offset, 0xff, 8);
                 if (cta.sanitizer)
                   cta.sanitizer->phases.initialize(warp, inst, lane, offset,
                                                    false);
                 return true;
               });
}

/// Ends the phase if `count` more arrivals, besides the queued ones, can only
/// belong to the next phase. A thread that arrives for the next phase has seen
/// the end of this one, or it may come too early. A thread that has looked has
/// also carried out the queue.
void makeRoom(Warp &warp, const Inst &inst, unsigned lane, Cta &cta,
              uint32_t offset, uint32_t count, Mbarrier &m) {
  uint64_t arrivals = count;
  auto it = cta.async.queues.find(offset);
  // A queue may be long. It need not be counted if all of it fits.
  if (it != cta.async.queues.end() && m.pending < count + it->second.size())
    for (const BulkCopy &copy : it->second)
      arrivals += copy.kind == BulkCopy::Kind::Arrive;
  if (m.pending >= arrivals)
    return;
  uint32_t line = it == cta.async.queues.end() || it->second.empty()
                      ? 0
                      : it->second.front().line;
  if (!settleMbarrier(cta, offset))
    return;
  m = loadMbarrier(cta, offset);
  if (cta.sanitizer)
    cta.sanitizer->phases.reportTooEarly(warp, inst, lane, offset, line);
}

bool addTransactions(Warp &warp, const Inst &inst, unsigned lane, Mbarrier &m,
                     int64_t count) {
  m.transactions += count;
  if (m.transactions >= -int64_t(Mbarrier::kMaxCount) &&
      m.transactions <= int64_t(Mbarrier::kMaxCount))
    return true;
  return misuse(warp, inst, lane,
                "the transaction count of an mbarrier exceeds 2^20 - 1");
}

template <int Sign>
void transactions(Warp &warp, const Inst &inst, uint32_t mask) {
  const uint32_t *counts = warp.reg<uint32_t>(inst.op[0]);
  forMbarriers(
      warp, inst, mask, inst.op[1], true,
      [&](unsigned lane, Cta &cta, uint32_t offset, Mbarrier &m) {
        makeRoom(warp, inst, lane, cta, offset, Sign > 0, m);
        if (!addTransactions(warp, inst, lane, m, Sign * int64_t(counts[lane])))
          return false;
        // Expecting zero bytes does not end a phase.
        storeMbarrier(cta, offset, m);
        if (Sign > 0)
          recordAtMbarrier(warp, StepAction::Expect, cta, offset, 0,
                           counts[lane]);
        return true;
      });
}

void arrive(Warp &warp, const Inst &inst, uint32_t mask) {
  const uint32_t *counts = warp.reg<uint32_t>(inst.op[1]);
  const uint32_t *bytes = warp.reg<uint32_t>(inst.op[2]);
  uint64_t *state = warp.reg<uint64_t>(inst.op[0]);
  uint32_t told = 0;
  auto visit = [&](unsigned lane, Cta &cta, uint32_t offset, Mbarrier &m) {
    uint32_t count = counts[lane];
    if (!countInRange(warp, inst, lane, count, "an arrival"))
      return false;
    makeRoom(warp, inst, lane, cta, offset, count, m);
    uint64_t before = m.encode();
    if ((inst.a & MbarrierHasTx) &&
        !addTransactions(warp, inst, lane, m, bytes[lane]))
      return false;
    if (count > m.pending)
      return misuse(warp, inst, lane,
                    std::to_string(count) +
                        " arrivals at the mbarrier at "
                        "shared offset " +
                        std::to_string(offset) + ", which expects only " +
                        std::to_string(m.pending) + " more in its phase",
                    lastArrival(cta, offset));
    if ((inst.a & MbarrierNoComplete) && count == m.pending)
      return misuse(warp, inst, lane,
                    "an arrival with .noComplete completes the phase",
                    lastArrival(cta, offset));
    m.pending -= count;
    if (inst.a & MbarrierDrop)
      m.expected -= count;
    // Lanes that arrive together are reported as one arrival.
    if (cta.sanitizer && !(told >> lane & 1)) {
      uint32_t together = lanesAt(warp, inst.op[3], mask >> lane << lane);
      told |= together;
      cta.sanitizer->phases.arrive(warp, inst, together, offset);
    }
    storeMbarrier(cta, offset, m);
    recordAtMbarrier(warp, StepAction::Arrive, cta, offset, count,
                     inst.a & MbarrierHasTx ? bytes[lane] : 0);
    state[lane] = before;
    return true;
  };
  forMbarriers(warp, inst, mask, inst.op[3], true, visit);
}

void wait(Warp &warp, const Inst &inst, uint32_t mask) {
  bool byParity = inst.a & MbarrierParity;
  uint32_t done = 0;
  const uint64_t *addresses = warp.reg<uint64_t>(inst.op[2]);
  uint64_t last = ~uint64_t(0);
  uint32_t parity = 0;
  bool timedOut = warp.current.timedOut;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint32_t awaited =
        (byParity ? warp.reg<uint32_t>(inst.op[1])[lane]
                  : uint32_t(warp.reg<uint64_t>(inst.op[1])[lane])) &
        1;
    if (addresses[lane] != last) {
      Cta *cta;
      uint32_t offset;
      Mbarrier m;
      if (!find(warp, inst, lane, inst.op[2], false, 1u << lane, cta, offset,
                m))
        return;
      // A wait may time out (PTX ISA, "mbarrier.try_wait").
      if (m.parity == awaited && drawn(*cta))
        timedOut = true;
      else if (m.parity == awaited && settleMbarrier(*cta, offset))
        m = loadMbarrier(*cta, offset);
      last = addresses[lane];
      parity = m.parity;
      if (m.parity != awaited)
        recordAtMbarrier(warp, StepAction::Wait, *cta, offset, awaited);
    }
    done |= uint32_t(parity != awaited) << lane;
  }
  // Tries that fail are not recorded: their number depends on chance.
  if (!done)
    warp.step = nullptr;
  if (warp.sanitizer)
    for (uint32_t left = done; left;) {
      uint32_t together = lanesAt(warp, inst.op[2], left);
      Cta *cta;
      uint32_t offset;
      resolveShared(warp, inst, unsigned(__builtin_ctz(left)),
                    addresses[__builtin_ctz(left)], 8, 8, false, cta, offset);
      cta->sanitizer->phases.touch(warp, inst, together, offset);
      warp.sanitizer->phases.observe(warp, inst, together, offset);
      left &= ~together;
    }
  if (!done && !timedOut) {
    warp.suspended = true;
    return;
  }
  uint32_t &p = warp.predicate(inst.op[0]);
  p = (p & ~mask) | done;
}

void asyncArrive(Warp &warp, const Inst &inst, uint32_t mask) {
  if (warp.sanitizer)
    warp.sanitizer->order.asyncClose(warp);
  auto visit = [&](unsigned lane, Cta &cta, uint32_t offset, Mbarrier &m) {
    // If only arrivals of cp.async are missing, the phase may be over.
    makeRoom(warp, inst, lane, cta, offset, 1, m);
    if (inst.a) {
      if (!m.pending)
        return misuse(warp, inst, lane,
                      "the mbarrier at shared offset " +
                          std::to_string(offset) +
                          " expects no arrival in its phase");
    } else {
      // The arrival counts in addition to the program's, so that the pending
      // count bounds the queue.
      if (m.pending == Mbarrier::kMaxCount)
        return misuse(warp, inst, lane,
                      "too many arrivals pending at an mbarrier");
      ++m.pending;
      storeMbarrier(cta, offset, m);
    }
    recordAtMbarrier(warp, StepAction::ArriveCopied, cta, offset,
                     inst.a ? 1 : 0);
    BulkCopy copy;
    copy.kind = BulkCopy::Kind::Arrive;
    copy.issuer = warp.cta;
    copy.warp = warp.index;
    copy.lane = lane;
    copy.line = inst.line;
    copy.sequence = warp.awaited[lane] = warp.copySequence;
    enqueue(cta, offset, std::move(copy));
    return true;
  };
  forMbarriers(warp, inst, mask, inst.op[1], false, visit);
}

void pendingCount(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t *d = warp.reg<uint32_t>(inst.op[0]);
  const uint64_t *state = warp.reg<uint64_t>(inst.op[1]);
  for (unsigned i = 0; i < kLanes; ++i)
    if ((mask >> i) & 1)
      d[i] = Mbarrier::decode(state[i]).pending;
}

} // namespace

Handler fusion::emulator::mbarrierHandler(MbarrierOp op) {
  switch (op) {
  case MbarrierOp::Init:
    return initialise;
  case MbarrierOp::Invalidate:
    return invalidate;
  case MbarrierOp::ExpectTx:
    return transactions<1>;
  case MbarrierOp::CompleteTx:
    return transactions<-1>;
  case MbarrierOp::Arrive:
    return arrive;
  case MbarrierOp::Wait:
    return wait;
  case MbarrierOp::AsyncArrive:
    return asyncArrive;
  }
  return nullptr;
}
Handler fusion::emulator::pendingCountHandler() { return pendingCount; }
