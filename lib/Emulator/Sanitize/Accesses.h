//===- Accesses.h - Checks of accesses, lane by lane ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_ACCESSES_H
#define FUSION_LIB_EMULATOR_SANITIZE_ACCESSES_H

#include "Emulator/Sanitize/WholeAccesses.h"

namespace fusion::emulator {

/// Checks accesses of a warp. Whole warps are checked at once where that finds
/// nothing.
class Accesses {
public:
  Accesses(GridSanitizer &grid, Reports &reports, const ThreadOrder &order,
           Readers &readers, const AccessOrder &accessOrder, Races &races,
           Histories &histories, WholeAccesses &whole)
      : grid(grid), reports(reports), order(order), readers(readers),
        accessOrder(accessOrder), races(races), histories(histories),
        whole(whole) {}

  void access(Reach &reach, uint32_t mask, const uint64_t *offset,
              unsigned bytes, bool contiguous);
  void write(Reach &reach, Record &write, Record &reads, uint64_t offset,
             unsigned lane);
  /// ScopedAccesses.cpp
  void checkScopes(Reach &reach, const Inst &inst, uint32_t mask,
                   const uint64_t *offset, unsigned bytes);

private:
  void accessByLane(Reach &reach, uint32_t mask, const uint64_t *offset,
                    unsigned bytes);
  bool accessQuickly(Reach &reach, Record &write, Record &reads,
                     uint64_t offset, unsigned lane);
  void read(Reach &reach, Record &write, Record &reads, uint64_t offset,
            unsigned lane);

  GridSanitizer &grid;
  Reports &reports;
  const ThreadOrder &order;
  Readers &readers;
  const AccessOrder &accessOrder;
  Races &races;
  Histories &histories;
  WholeAccesses &whole;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_ACCESSES_H
