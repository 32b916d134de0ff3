//===- Launch.h - What is launched, and what came of it ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_EMULATOR_MACHINE_LAUNCH_H
#define FUSION_EMULATOR_MACHINE_LAUNCH_H

#include "fusion/Emulator/Machine/Recording.h"
#include "fusion/Emulator/Parse/Error.h"
#include "fusion/Target/Chips/Processors.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fusion::emulator {

/// One launch. A parameter is the little-endian bytes of its value, exactly as
/// long as the kernel declares it.
struct Launch {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t dynamicSharedMemory = 0; ///< bytes
  std::vector<std::vector<uint8_t>> parameters;
  /// Addresses in allocations that previous grids may still access, as this
  /// launch need not have waited for their end. Sanitizers require a
  /// griddepcontrol.wait before it accesses them.
  std::vector<uint64_t> pending;
};

/// Returns the blocks of a cluster, by rank, as indices in the grid. `cluster`
/// is its index among the launch's clusters.
std::vector<uint64_t> blocksOfCluster(const Launch &launch, uint64_t cluster);
/// Returns the number of clusters of a launch.
uint64_t countClusters(const Launch &launch);

struct Options {
  bool sanitize = false;
  bool annotate = false; ///< fill LaunchResult::lines
  /// What is recorded of a block, by its index in the grid; empty: nothing.
  /// Host threads call it at the same time.
  std::function<Recorded(uint64_t block)> records;
  uint64_t seed = 0;    ///< draws the order in which warps run
  unsigned threads = 0; ///< host threads, 0 = all cores
  /// The most warp instructions that one warp, and that all warps of the launch
  /// together may execute, 0 = no limit. A block counts as at least one
  /// instruction.
  uint64_t instructionLimit = 0;
  uint64_t launchLimit = 0;
  uint64_t l2Bytes = 0; ///< capacity of the L2 model, 0 = no model
  /// How many clusters are executed at most, the first of the grid; 0 = all.
  uint64_t clusters = 0;
  /// The processors that blocks are placed on: no more clusters are resident at
  /// a time. Without GPCs there is always room.
  Processors processors;
  /// Called by the calling thread, and by no other, several times a second;
  /// `false` stops all host threads and ends the launch with an error.
  std::function<bool()> proceed;
};

/// Exact and repeatable; the definitions are in docs/emulator-reference.md.
struct Counters {
  uint64_t globalLoadBytes =
      0; ///< bytes of active lanes; cp.async by source size
  uint64_t globalStoreBytes = 0;
  uint64_t globalSectors = 0; ///< 32-byte sectors, counted per request
  uint64_t dramBytes = 0;     ///< by the L2 model
  uint64_t sharedWavefronts = 0;
  uint64_t sharedBankConflicts = 0; ///< wavefronts beyond the access's minimum
  uint64_t mmaFlops = 0;            ///< 2 x multiply-adds, padding included
  uint64_t instructions = 0;        ///< per warp
  uint64_t barriers = 0;

  Counters &operator+=(const Counters &other);
  bool operator==(const Counters &other) const;
};

/// What a sanitizer found. `kind` is one of the list "Findings" in
/// docs/emulator-reference.md.
struct Finding {
  std::string kind;
  std::string kernel;
  std::array<uint32_t, 3> block{0, 0, 0};
  std::array<uint32_t, 3> thread{0, 0, 0};
  unsigned line = 0;
  unsigned otherLine = 0; ///< the other access's line, 0 without one
  std::string message;
};

struct LaunchResult {
  /// The reason why the launch did not run to its end: bad launch, unknown
  /// instruction, trap, out-of-bounds access, deadlock, instruction limit, or
  /// `false` from Options::proceed.
  std::optional<Error> error;
  Counters counters;
  std::vector<Finding> findings;
  std::map<unsigned, Counters> lines; ///< by PTX line, with Options::annotate
  /// The blocks that Options::records chose, by their index in the grid.
  std::vector<BlockRecording> recordings;
};

} // namespace fusion::emulator

#endif // FUSION_EMULATOR_MACHINE_LAUNCH_H
