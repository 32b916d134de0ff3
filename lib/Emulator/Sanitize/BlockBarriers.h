//===- BlockBarriers.h - Barriers of a block --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_BLOCKBARRIERS_H
#define FUSION_LIB_EMULATOR_SANITIZE_BLOCKBARRIERS_H

#include "Emulator/Sanitize/MemoryAccesses.h"

namespace fusion::emulator {

class BlockBarriers {
public:
  BlockBarriers(Cta &cta, GridSanitizer &grid, Reports &reports,
                ThreadOrder &order, Readers &readers, MemoryAccesses &memory)
      : cta(cta), grid(grid), reports(reports), order(order), readers(readers),
        memory(memory), joins(kBarriers), crossings(kBarriers) {}

  /// `missing`: lanes of the warp that an aligned barrier requires but that are
  /// not there. `otherLine`: where they are.
  void arrive(Warp &warp, const Inst &inst, uint32_t mask, uint32_t barrier,
              uint32_t missing, unsigned otherLine);
  /// Only these lanes execute an instruction that requires whole warps.
  void divergence(const Warp &warp, const Inst &inst, uint32_t mask,
                  unsigned otherLine);
  /// The barrier is complete; `waited` are the waiting lanes of every warp.
  void complete(uint32_t barrier, const std::vector<uint32_t> &waited);

private:
  Cta &cta;
  GridSanitizer &grid;
  Reports &reports;
  ThreadOrder &order;
  Readers &readers;
  MemoryAccesses &memory;
  std::vector<Knowledge> joins;    ///< knowledge of arrived threads, by barrier
  std::vector<Crossing> crossings; ///< of arrived threads, by barrier
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_BLOCKBARRIERS_H
