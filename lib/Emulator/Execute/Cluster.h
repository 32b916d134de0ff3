//===- Cluster.h - Runs the CTAs of a cluster together ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_CLUSTER_H
#define FUSION_LIB_EMULATOR_EXECUTE_CLUSTER_H

#include "Emulator/Execute/Executor.h"

#include <algorithm>

namespace fusion::emulator {

/// Runs the CTAs of a cluster alternately, a quantum each: with seed 0 in the
/// order of their ranks, else in random order. A launch without clusters has
/// clusters of one CTA.
class ClusterExecutor {
public:
  ClusterExecutor(const Code &code, const Launch &launch,
                  const Options &options, DeviceMemory &memory,
                  const uint8_t *parameters, GridSanitizer *sanitizer);

  /// Begins the cluster with this index in the grid of clusters.
  void start(uint64_t index, bool tracing, bool sharedHostMemory);
  /// Runs until all CTAs have ended, one fails, or about `quantum` warp
  /// instructions are done. Never returns Waiting: that would be a deadlock.
  CtaStatus run(uint64_t quantum);

  /// Releases lanes that wait at barriers for other lanes of their warps.
  /// Returns false if there are none.
  bool letHeldGo();

  /// Warp instructions executed, as Options::launchLimit counts them.
  uint64_t cost() const {
    return std::max<uint64_t>(executed, executors.size());
  }

  uint64_t index = 0;                               ///< of the cluster
  std::vector<std::unique_ptr<Executor>> executors; ///< by rank

private:
  /// Handles that no warp can continue: lets waits give up, or ends the
  /// cluster.
  bool resolveStall();

  const Launch &launch;
  const Options &options;
  Cluster cluster;
  std::vector<bool> done;
  uint64_t stalls = 0, seenEvents = 0, random = 0, executed = 0;
};

/// Returns what a block of a checked launch takes of an SM.
BlockDemand demandOf(const Code &code, const Launch &launch,
                     const Processors &processors);

/// Returns how many clusters of a checked launch `processors` hold at a time;
/// UINT32_MAX if they have no GPCs.
uint64_t activeClusters(const Code &code, const Launch &launch,
                        const Processors &processors);

/// Returns the position in the grid of a cluster's first CTA.
std::array<uint32_t, 3> firstCta(const Launch &launch, uint64_t cluster);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_CLUSTER_H
