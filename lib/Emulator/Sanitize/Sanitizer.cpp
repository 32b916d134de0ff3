//===- Sanitizer.cpp - Finds races and uses of missing data ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Sanitizer.h"

using namespace fusion::emulator;

Sanitizer::Sanitizer(Cta &cta, GridSanitizer &grid)
    : cta(cta), reports(cta, grid), order(cta, grid), readers(grid, order),
      accessOrder(grid, order, readers),
      races(cta, grid, reports, order, readers),
      histories(cta, grid, order, readers, accessOrder, races),
      whole(grid, order, readers, accessOrder, histories),
      accesses(grid, reports, order, readers, accessOrder, races, histories,
               whole),
      agents(cta, grid), grids(reports, order, agents),
      memory(cta, grid, reports, order, readers, accesses, grids),
      phases(cta, grid, reports, order, memory, agents),
      copies(cta, grid, reports, order, readers, races, histories, accesses,
             agents, grids, memory, phases),
      wgmma(cta, reports, order), maps(cta, grid, reports, order, memory),
      barriers(cta, grid, reports, order, readers, memory) {
  grid.clusterPhases.erase(cta.cluster); // of another cluster, before
}

void Sanitizer::exit(Warp &warp, uint32_t mask, bool last) {
  auto unfinished = [&](const BulkCopy &copy, const char *what) {
    const Warp &issuer = copy.issuer->warps[copy.warp];
    reports.reportText("async-unfinished", issuer, copy.lane, copy.line, 0,
                       what);
  };
  for (const BulkCopy &copy : cta.async.stores)
    if (copy.warp == warp.index && (mask >> copy.lane & 1) && !copy.waited)
      unfinished(copy, "the thread ends before the copy has read its shared "
                       "memory: it did not wait for its bulk group");
  if (!last)
    return;
  for (const auto &[offset, queue] : cta.async.queues)
    for (const BulkCopy &copy : queue)
      if (copy.kind != BulkCopy::Kind::Arrive)
        unfinished(copy, "the block ends before the copy into its shared "
                         "memory was waited for");
  memory.checkLifetime(warp);
  wgmma.checkRegisters();
  wgmma.checkWarpgroups();
}
