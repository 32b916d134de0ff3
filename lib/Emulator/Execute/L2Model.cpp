//===- L2Model.cpp - DRAM traffic behind an L2 cache ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/L2Model.h"

#include "fusion/Emulator/Machine/Recording.h"

using namespace fusion::emulator;

void L2Model::feed(const uint64_t *sectors, size_t count) {
  for (const uint64_t *at = sectors; at != sectors + count; ++at) {
    SectorCache::Outcome outcome = cache.access(*at);
    bool isRead = !(*at & (kSectorWritten | kSectorDiscarded));
    sectorsMoved += outcome.replaced + (isRead && !outcome.wasPresent);
  }
}

uint64_t L2Model::finish() {
  sectorsMoved += cache.clean();
  return sectorsMoved * 32;
}
