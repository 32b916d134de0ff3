//===- SanitizerAsync.h - Asynchronous operations of a CTA, sanitized -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An asynchronous operation is an agent of its own, with a clock that counts
// copies or groups (HappensBefore.h, slots). What it accesses is recorded under
// its context when it is issued; the thread that waits for it, by an mbarrier
// or a wait_group, learns its clock. So "still in flight" is "not ordered", for
// every thread by itself, and waiting is handed on by barriers like all order
// (PTX ISA, "Memory Consistency Model: Causality order").
//
// The generic proxy's stores come before accesses of the async proxy only where
// a proxy fence lies between them on the path of base causality order: the
// writer fences before it releases, or whoever acquired does so before it
// issues. The PTX ISA has that rule for alias proxies ("Causality Order"), and
// of fence.proxy.async says that it composes with other synchronisation.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZERASYNC_H
#define FUSION_LIB_EMULATOR_SANITIZERASYNC_H

#include "HappensBefore.h"
#include "Shadow.h"

#include <deque>

namespace fusion::emulator {

/// What those that arrived at an mbarrier knew, in its phase and up to the end
/// of the one before, as its CTA knows it; of barrier.cluster, as it means the
/// same in every CTA.
struct Phase {
  Knowledge open, done;
  /// What came from threads of its own CTA and from copies, where waits ask for
  /// that alone (Code::hasNarrowWaits), once a thread of another CTA has
  /// arrived: until then it is the same.
  Knowledge ownOpen, ownDone;
  bool hasOthers = false;
  /// What took place before threads of other CTAs arrived in scope .cta, which
  /// orders nothing else: who waits may write where it was read.
  Knowledge pastOpen, pastDone;
  /// What was told last, in `open`, `ownOpen` and `pastOpen`, and by a thread
  /// of which block.
  struct Last {
    Knowledge known;
    uint64_t block = ~uint64_t(0);
  };
  Last last, ownLast, pastLast;
  uint32_t arrivalLine = 0;
  Record initialized = 0; ///< by whom; 0: there is no mbarrier
  /// Where mbarriers are invalidated (Code::hasInvalidation): the clocks of the
  /// threads that used it last.
  struct Uses {
    uint64_t block;
    uint32_t warp;
    uint32_t clock[32], line[32]; ///< 0: the lane did not
  };
  std::vector<Uses> uses;
};

/// Lanes of a warp that met at an instruction with a membermask, and when.
/// That orders no memory, but the mbarrier operations of each come before what
/// the others do then (Code::hasInvalidation).
struct Meetings {
  struct Meeting {
    uint32_t lanes, clock;
  };
  /// Of each lane, since it used an mbarrier: the lanes that its meetings have
  /// reached, and those that reached further.
  uint32_t reached[32] = {};
  std::vector<Meeting> meetings[32];
};

/// What a fence orders that is none between threads.
enum ProxyFence : unsigned {
  FenceSharedProxy = 1,
  FenceGlobalProxy = 2,
  FenceInit = 4, ///< fence.mbarrier_init
  FenceTensorMap = 8,
};

struct AsyncAgent {
  /// The wgmma of a warp, a thread's bulk groups as they read and as they
  /// write, bulk copies that complete at an mbarrier, and cp.async that do; the
  /// grids launched before this one.
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
    /// One more than the last group of a wgmma that has it as accumulator, and
    /// as fragment of A.
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

/// The instructions of wgmma of a warpgroup that not all of its warps have
/// executed yet: those must be the same, with the same operands in shared
/// memory (PTX ISA, ".aligned").
struct GroupProducts {
  struct Product {
    unsigned line;
    uint64_t a, b; ///< descriptors; of A in registers 0
    bool scaleD;
    bool operator!=(const Product &other) const {
      return line != other.line || a != other.a || b != other.b ||
             scaleD != other.scaleD;
    }
  };
  std::deque<Product> products;
  uint64_t first = 0;     ///< the number of the first of them
  uint64_t count[kWarpgroupWarps] = {}; ///< that each warp has executed
  bool isOver = false;    ///< too many: not looked at any more
};

/// What a CTA's sanitizer knows of asynchronous operations and of accesses by
/// other CTAs.
struct AsyncTracking {
  std::unordered_map<uint64_t, AsyncAgent> agents; ///< by kind and owner
  uint32_t agentCount = 0, deliveryCount = 0;
  /// Contexts in the shadow of shared memory that the CTA's barriers do not
  /// order by themselves: agents, other CTAs.
  std::vector<uint32_t> outstanding;
  std::unordered_map<uint32_t, Phase> phases; ///< of mbarriers, by offset
  Phase &phaseAt(uint32_t offset) {
    if (!lastPhase || lastOffset != offset) {
      lastPhase = &phases[offset];
      lastOffset = offset;
    }
    return *lastPhase;
  }
  /// Accesses by other CTAs: of which warp and line, and their lanes.
  std::vector<std::pair<Record, uint32_t>> remote;
  std::vector<ProductRegisters> products;   ///< by warp
  std::vector<GroupProducts> groupProducts; ///< by warpgroup
  std::vector<RegisterChanges> changes;     ///< by warp
  std::vector<Meetings> meetings;           ///< by warp
  /// Those of each warpgroup, in order: line and number of registers.
  std::vector<std::vector<std::pair<unsigned, int64_t>>> groupChanges;
  Phase *lastPhase = nullptr; ///< of phaseAt
  uint32_t lastOffset = 0;
  uint32_t delivery = 0; ///< context of the cp.async that arrive now
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZERASYNC_H
