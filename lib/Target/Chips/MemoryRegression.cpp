//===- MemoryRegression.cpp - What values save that stay in an SM ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Chips/MemoryRegression.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

static constexpr MemoryRegression table[] = {
#include "MemoryRegressions.inc"
};

MemoryRegression fusion::memoryRegressionOf(const ChipInfo &chip) {
  if (chip.isCpu()) {
    double ofDram = 1 / chip.dramBytesPerSecond;
    double ofL3 = std::min(1 / chip.l2BytesPerSecond, ofDram);
    return {chip.name, {0, ofDram}, {0, ofDram - ofL3}};
  }
  const MemoryRegression *found =
      llvm::find_if(table, [&](const MemoryRegression &entry) {
        return entry.chip == chip.name;
      });
  assert(found != std::end(table) && "a chip without a regression");
  return *found;
}
