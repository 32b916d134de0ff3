//===- WholeAccesses.h - Accesses of whole warps at once --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_WHOLEACCESSES_H
#define FUSION_LIB_EMULATOR_SANITIZE_WHOLEACCESSES_H

#include "Emulator/Sanitize/Histories.h"

namespace fusion::emulator {

/// Checks accesses of all lanes together, and finds nothing: whatever is not
/// right, or needs a closer look, is left to Accesses.
class WholeAccesses {
public:
  WholeAccesses(GridSanitizer &grid, ThreadOrder &order, Readers &readers,
                const AccessOrder &accessOrder, Histories &histories)
      : grid(grid), order(order), readers(readers), accessOrder(accessOrder),
        histories(histories) {}

  // These return whether the access was checked.
  bool accessAtOnce(Reach &reach, uint32_t mask, const uint64_t *offset,
                    unsigned bytes, bool contiguous);
  bool accessUniform(Reach &reach, uint32_t mask, const uint64_t *offset,
                     unsigned bytes, bool contiguous);
  // These return the lanes that are left.
  /// WholeRows.cpp
  uint32_t accessRows(Reach &reach, uint32_t mask, const uint64_t *offset,
                      unsigned bytes, bool contiguous);
  /// NarrowAccesses.cpp
  uint32_t accessNarrow(Reach &reach, uint32_t mask, const uint64_t *offset,
                        unsigned bytes);

private:
  template <unsigned Bytes, bool Splits>
  uint32_t accessSplit(Reach &reach, uint32_t mask, const uint64_t *offset);
  bool accessTogether(Reach &reach, uint64_t word, Record mine);
  bool loadAtOnce(Reach &reach);
  bool loadScattered(Reach &reach);
  bool loadScatteredGlobal(Reach &reach);
  bool storeAtOnce(Reach &reach);
  bool accessRow(Reach &reach, Shadow::Row &row, Record mine);
  bool allOrdered(const Reach &reach, const Record *records);
  void askFront(const Reach &reach, Record front, Record &before) const;

  GridSanitizer &grid;
  ThreadOrder &order;
  Readers &readers;
  const AccessOrder &accessOrder;
  Histories &histories;
  ShadowWords words; ///< of the current access
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_WHOLEACCESSES_H
