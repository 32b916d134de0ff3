//===- Launch.cpp - Counters of a launch ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Emulator/Machine/Launch.h"

using namespace fusion::emulator;

uint64_t fusion::emulator::countClusters(const Launch &launch) {
  uint64_t n = 1;
  for (unsigned d = 0; d < 3; ++d)
    n *= launch.grid[d] / launch.cluster[d];
  return n;
}

std::vector<uint64_t> fusion::emulator::blocksOfCluster(const Launch &launch,
                                                        uint64_t cluster) {
  std::array<uint64_t, 3> first;
  for (unsigned d = 0; d < 3; ++d) {
    uint64_t clusters = launch.grid[d] / launch.cluster[d];
    first[d] = cluster % clusters * launch.cluster[d];
    cluster /= clusters;
  }
  std::vector<uint64_t> blocks;
  for (uint64_t z = 0; z < launch.cluster[2]; ++z)
    for (uint64_t y = 0; y < launch.cluster[1]; ++y)
      for (uint64_t x = 0; x < launch.cluster[0]; ++x)
        blocks.push_back(first[0] + x +
                         launch.grid[0] *
                             (first[1] + y + launch.grid[1] * (first[2] + z)));
  return blocks;
}

Counters &Counters::operator+=(const Counters &other) {
  globalLoadBytes += other.globalLoadBytes;
  globalStoreBytes += other.globalStoreBytes;
  globalSectors += other.globalSectors;
  dramBytes += other.dramBytes;
  sharedWavefronts += other.sharedWavefronts;
  sharedBankConflicts += other.sharedBankConflicts;
  mmaFlops += other.mmaFlops;
  instructions += other.instructions;
  barriers += other.barriers;
  return *this;
}

bool Counters::operator==(const Counters &other) const {
  return globalLoadBytes == other.globalLoadBytes &&
         globalStoreBytes == other.globalStoreBytes &&
         globalSectors == other.globalSectors && dramBytes == other.dramBytes &&
         sharedWavefronts == other.sharedWavefronts &&
         sharedBankConflicts == other.sharedBankConflicts &&
         mmaFlops == other.mmaFlops && instructions == other.instructions &&
         barriers == other.barriers;
}
