//===- AccessOrder.h - Whether an access comes after others -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_ACCESSORDER_H
#define FUSION_LIB_EMULATOR_SANITIZE_ACCESSORDER_H

#include "Emulator/Sanitize/Readers.h"

namespace fusion::emulator {

/// Compares an access with records, and remembers answers.
class AccessOrder {
public:
  AccessOrder(GridSanitizer &grid, const ThreadOrder &order,
              const Readers &readers)
      : grid(grid), order(order), readers(readers) {}

  bool isAfter(const Reach &reach, Record other, Record mine) const;
  bool isAfterForAll(const Reach &reach, Record other) const;
  static const uint32_t *askedBy(WarpState &state);
  bool orderedForOwner(Record other, Record owner, const Warp &warp) const;
  ReadAction actionOn(Reach &reach, Record reads) const;

private:
  ReadAction findAction(const Reach &reach, Record reads) const;

  GridSanitizer &grid;
  const ThreadOrder &order;
  const Readers &readers;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_ACCESSORDER_H
