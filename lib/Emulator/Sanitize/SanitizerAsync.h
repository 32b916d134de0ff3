//===- SanitizerAsync.h - Asynchronous operations of a CTA ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An asynchronous operation is an agent of its own, with a clock that counts
// copies or groups (HappensBefore.h, slots). Its accesses are recorded under
// its context when it is issued. The thread that waits for it, by an mbarrier
// or a wait_group, learns its clock. So "still in flight" is "not ordered", for
// every thread separately. Barriers pass waiting on as they pass all order (PTX
// ISA, "Memory Consistency Model: Causality order").
//
// Stores of the generic proxy come before accesses of the async proxy only with
// a proxy fence between them on the path of base causality order. Either the
// writer fences before it releases, or the thread that acquired fences before
// it issues. The PTX ISA has that rule for alias proxies ("Causality Order"),
// and says of fence.proxy.async that it composes with other synchronisation.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_SANITIZERASYNC_H
#define FUSION_LIB_EMULATOR_SANITIZE_SANITIZERASYNC_H

#include "Emulator/Sanitize/HappensBefore.h"
#include "Emulator/Sanitize/Shadow.h"

#include <deque>

namespace fusion::emulator {

/// The knowledge of the threads that arrived at an mbarrier: `open` in the
/// current phase, `done` up to the end of the previous one. It is in the form
/// of the mbarrier's CTA; for barrier.cluster, in the form of all CTAs.
struct Phase {
  Knowledge open, done;
  /// Knowledge from threads of the mbarrier's CTA and from copies only, which
  /// some waits ask for (Code::hasNarrowWaits). It differs from `open` and
  /// `done` once a thread of another CTA has arrived.
  Knowledge ownOpen, ownDone;
  bool hasOthers = false;
  /// Accesses before arrivals of other CTAs' threads in scope .cta, which
  /// orders nothing else: after the wait a thread may write where they have
  /// read.
  Knowledge pastOpen, pastDone;
  /// The knowledge that was added last to `open`, `ownOpen` and `pastOpen`, and
  /// the block of the thread that added it.
  struct Last {
    Knowledge known;
    uint64_t block = ~uint64_t(0);
  };
  Last last, ownLast, pastLast;
  uint32_t arrivalLine = 0;
  Record initialized = 0; ///< context; 0: there is no mbarrier
  /// The clocks of the last uses by each thread, for mbarriers that are
  /// invalidated (Code::hasInvalidation).
  struct Uses {
    uint64_t block;
    uint32_t warp;
    uint32_t clock[32], line[32]; ///< 0: the lane did not
  };
  std::vector<Uses> uses;
};

/// Lanes of a warp that met at an instruction with a membermask, and when. A
/// meeting orders no memory. But mbarrier operations of a lane before it come
/// before operations of the others after it (Code::hasInvalidation).
struct Meetings {
  struct Meeting {
    uint32_t lanes, clock;
  };
  /// For each lane since its last use of an mbarrier: `reached` are the lanes
  /// that its meetings have reached, `meetings` the ones that reached further
  /// lanes.
  uint32_t reached[32] = {};
  std::vector<Meeting> meetings[32];
};

struct AsyncAgent {
  /// Kinds of agents:
  /// * the wgmma of a warp;
  /// * a thread's bulk groups, as readers and as writers;
  /// * bulk copies that complete at an mbarrier;
  /// * cp.async that arrive at an mbarrier;
  /// * the grids launched before this one.
  enum Kind : uint8_t {
    Products,
    GroupReads,
    GroupWrites,
    Mbarrier,
    Deliveries,
    EarlierGrids
  };
  uint32_t slot = 0;
  uint32_t clock = 0;   ///< of the last operation or group
  uint32_t context = 0; ///< at that clock
};

/// Registers of a warp that wgmma uses (PTX ISA, "wgmma.fence").
struct ProductRegisters {
  struct Register {
    uint32_t accessEpoch = 0, accessLine = 0; ///< by other instructions
    uint32_t writeEpoch = 0, writeLine = 0;
    uint32_t shapeEpoch = 0, shape = 0; ///< of a wgmma that accumulated there
    /// One more than the last group of a wgmma that uses the register as
    /// accumulator, and as fragment of A.
    uint32_t accumulates = 0, accumulateLine = 0;
    uint32_t feeds = 0, feedLine = 0;
  };
  std::vector<Register> registers;
  uint32_t epoch = 0; ///< wgmma.fence executed
  int64_t waited = 0; ///< groups that were waited for
};

/// The setmaxnreg that a warp has executed.
struct RegisterChanges {
  uint32_t count = 0;
  Record last = 0; ///< its place, and when
};

/// The wgmma instructions of a warpgroup that some of its warps have not
/// executed yet. All warps must execute the same ones, with the same operands
/// in shared memory (PTX ISA, ".aligned").
struct GroupProducts {
  struct Product {
    unsigned line;
    uint64_t a, b; ///< descriptors; 0 for A in registers
    bool scaleD;
    bool operator!=(const Product &other) const {
      return line != other.line || a != other.a || b != other.b ||
             scaleD != other.scaleD;
    }
  };
  std::deque<Product> products;
  uint64_t first = 0;                   ///< number of the first in `products`
  uint64_t count[kWarpgroupWarps] = {}; ///< executed by each warp
  bool isOver = false;                  ///< too many: no longer checked
};

/// A CTA's state of asynchronous operations and of accesses by other CTAs.
struct AsyncTracking {
  std::unordered_map<uint64_t, AsyncAgent> agents; ///< by kind and owner
  uint32_t agentCount = 0, deliveryCount = 0;
  /// Contexts in the shadow of shared memory that the CTA's barriers do not
  /// order: agents and other CTAs.
  std::vector<uint32_t> outstanding;
  std::unordered_map<uint32_t, Phase> phases; ///< of mbarriers, by offset
  Phase &phaseAt(uint32_t offset) {
    if (!lastPhase || lastOffset != offset) {
      lastPhase = &phases[offset];
      lastOffset = offset;
    }
    return *lastPhase;
  }
  /// Accesses by other CTAs: context and line, and the lanes.
  std::vector<std::pair<Record, uint32_t>> remote;
  std::vector<ProductRegisters> products;   ///< by warp
  std::vector<GroupProducts> groupProducts; ///< by warpgroup
  std::vector<RegisterChanges> changes;     ///< by warp
  std::vector<Meetings> meetings;           ///< by warp
  /// The setmaxnreg of each warpgroup, in order: line and number of registers.
  std::vector<std::vector<std::pair<unsigned, int64_t>>> groupChanges;
  Phase *lastPhase = nullptr; ///< of phaseAt
  uint32_t lastOffset = 0;
  uint32_t delivery = 0; ///< context of the cp.async that arrive now
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_SANITIZERASYNC_H
