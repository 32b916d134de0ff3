//===- Phase.h - Knowledge at an mbarrier -----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_PHASE_H
#define FUSION_LIB_EMULATOR_SANITIZE_PHASE_H

#include "Emulator/Machine/LaneCount.h"
#include "Emulator/Sanitize/HappensBefore.h"
#include "Emulator/Sanitize/Shadow.h"

#include <vector>

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
    uint32_t clock[kLanes], line[kLanes]; ///< 0: the lane did not
  };
  std::vector<Uses> uses;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_PHASE_H
