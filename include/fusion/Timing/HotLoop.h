//===- HotLoop.h - The loop that takes the most issue slots -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_HOTLOOP_H
#define FUSION_TIMING_HOTLOOP_H

#include "fusion/Timing/Simulation.h"

namespace fusion::timing {

/// A loop of the machine code: the instructions from a branch's target to the
/// branch.
struct HotLoop {
  unsigned begin = 0, end = 0;          ///< instructions of the kernel
  unsigned instructions = 0;            ///< that take an issue slot
  unsigned firstLine = 0, lastLine = 0; ///< of the PTX
  /// The cycles of a warp's iteration, from its first issue to the next one's.
  double cycles = 0;
};

/// Returns the loop without loops in it whose instructions took the most issue
/// slots, or nullopt if no branch went back.
std::optional<HotLoop> findHotLoop(const MachineKernel &kernel,
                                   const SimulationResult &simulation);

} // namespace fusion::timing

#endif // FUSION_TIMING_HOTLOOP_H
