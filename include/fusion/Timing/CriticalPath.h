//===- CriticalPath.h - What an iteration's time is made of -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each instruction that a simulation issues waited for one other last: the one
// before it in its warp, the one that set a scoreboard, the last arrival at a
// barrier, or the one that took the pipe or the scheduler. The chain of these
// from the end of an iteration back to its beginning is the critical path. It
// may lead through other warps. A shorter wait beside it does not make the
// iteration shorter.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_CRITICALPATH_H
#define FUSION_TIMING_CRITICALPATH_H

#include "fusion/Timing/HotLoop.h"

namespace fusion::timing {

/// One wait of the path.
struct PathLink {
  unsigned from = 0; ///< the instruction that was waited for
  unsigned inst = 0; ///< the one that waited
  Wait wait = Wait::Latency;
  Cycles cycles = 0; ///< from one issue to the other
};

struct CriticalPath {
  Cycles cycles = 0;           ///< of the iteration: the sum of the links
  std::vector<PathLink> links; ///< in the order of time
};

/// Returns the critical path of the iteration with the median time, out of all
/// that the simulation kept. An iteration is from one issue of the loop's
/// branch by a warp to the next. Returns nullopt if no warp of the first SM has
/// repeated the loop.
std::optional<CriticalPath>
findCriticalPath(const HotLoop &loop, const SimulationResult &simulation);

} // namespace fusion::timing

#endif // FUSION_TIMING_CRITICALPATH_H
