//===- AsyncCopies.h - Accesses of the async proxy --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_ASYNCCOPIES_H
#define FUSION_LIB_EMULATOR_SANITIZE_ASYNCCOPIES_H

#include "Emulator/Sanitize/Phases.h"

namespace fusion::emulator {

struct AsyncReach;

/// Copies and wgmma, when they are issued and when they are waited for.
/// Agents.h says how they are ordered. `warp` may be of another CTA of the
/// cluster.
class AsyncCopies {
public:
  AsyncCopies(Cta &cta, GridSanitizer &grid, Reports &reports,
              ThreadOrder &order, Readers &readers, Races &races,
              Histories &histories, Accesses &accesses, Agents &agents,
              EarlierGrids &grids, MemoryAccesses &memory, Phases &phases)
      : cta(cta), grid(grid), reports(reports), order(order), readers(readers),
        races(races), histories(histories), accesses(accesses), agents(agents),
        grids(grids), memory(memory), phases(phases) {}

  /// A copy is issued that will write and completes at the mbarrier at
  /// `barrier`.
  void bulkIssue(Warp &warp, const Inst &inst, unsigned lane, BulkCopy &copy,
                 uint32_t barrier);
  /// A copy of a bulk group is issued that will read shared memory and write
  /// global memory (each row by itself).
  void storeIssue(Warp &warp, const Inst &inst, unsigned lane,
                  const BulkCopy &copy);
  void storeGlobal(Warp &warp, const Inst &inst, unsigned lane,
                   uint64_t address, uint64_t bytes, bool reduces);
  /// The lanes waited until at most `pending` of their bulk groups are in
  /// flight.
  void storeWait(Warp &warp, uint32_t mask, int64_t pending, bool onlyRead);
  /// A wgmma reads these 16-byte pieces of shared memory.
  void productRead(Warp &warp, const Inst &inst, const uint32_t *pieces,
                   size_t count);
  /// The cp.async that an mbarrier waits for are about to arrive.
  void deliver(uint32_t barrier, const BulkCopy &arrival);
  /// The bytes of a lane have arrived.
  void delivered(const AsyncCopy &copy, unsigned lane);

private:
  AsyncReach asyncReach(const Warp &warp, const Inst &inst, int lane,
                        uint32_t context, bool reduces);
  void asyncRead(AsyncReach &reach, uint32_t offset, uint32_t bytes);
  void asyncWrite(AsyncReach &reach, uint32_t offset, uint32_t bytes);
  void bulkGlobal(Warp &warp, const Inst &inst, unsigned lane, uint32_t context,
                  uint64_t address, uint64_t bytes, SanitizeKind kind);
  void checkWriter(AsyncReach &reach, Record write, uint64_t offset);

  Cta &cta;
  GridSanitizer &grid;
  Reports &reports;
  ThreadOrder &order;
  Readers &readers;
  Races &races;
  Histories &histories;
  Accesses &accesses;
  Agents &agents;
  EarlierGrids &grids;
  MemoryAccesses &memory;
  Phases &phases;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_ASYNCCOPIES_H
