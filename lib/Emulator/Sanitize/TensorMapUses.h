//===- TensorMapUses.h - Tensor maps that a kernel writes -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_TENSORMAPUSES_H
#define FUSION_LIB_EMULATOR_SANITIZE_TENSORMAPUSES_H

#include "Emulator/Sanitize/MemoryAccesses.h"

namespace fusion::emulator {

/// Accesses to tensor maps at generic addresses, and copies that use them.
class TensorMapUses {
public:
  TensorMapUses(Cta &cta, GridSanitizer &grid, Reports &reports,
                ThreadOrder &order, MemoryAccesses &memory)
      : cta(cta), grid(grid), reports(reports), order(order), memory(memory) {}

  void access(Warp &warp, const Inst &inst, uint32_t mask, uint64_t address,
              SanitizeKind kind);
  void publish(Warp &warp, uint32_t mask, uint64_t address);
  void acquire(Warp &warp, uint32_t mask, const uint64_t *address);
  void use(Warp &warp, const Inst &inst, unsigned lane, uint64_t address);

private:
  Cta &cta;
  GridSanitizer &grid;
  Reports &reports;
  ThreadOrder &order;
  MemoryAccesses &memory;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_TENSORMAPUSES_H
