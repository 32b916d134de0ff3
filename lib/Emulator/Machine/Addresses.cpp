//===- Addresses.cpp - Addresses of shared memory -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine/Addresses.h"

#include "Emulator/Machine/Warp.h"

using namespace fusion::emulator;

uint32_t fusion::emulator::sharedLanes(const uint64_t *address, uint32_t mask) {
  uint32_t result = 0;
  for (unsigned i = 0; i < kLanes; ++i)
    result |= uint32_t(address[i] - kSharedWindow < 1u << kRankShift) << i;
  return result & mask;
}

uint32_t fusion::emulator::clusterLanes(const uint64_t *address,
                                        uint32_t mask) {
  uint32_t result = 0;
  for (unsigned i = 0; i < kLanes; ++i)
    result |= uint32_t(inWindow(address[i], kSharedWindow)) << i;
  return result & mask & ~sharedLanes(address, mask);
}

uint32_t fusion::emulator::sharedBase(const Cta &cta) {
  return cta.cluster->ctas.size() > 1 ? (cta.rank + 1) << kRankShift : 0;
}
