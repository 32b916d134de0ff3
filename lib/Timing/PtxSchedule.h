//===- PtxSchedule.h - The order of instructions of a block -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas does not keep the order of the PTX: it issues loads early, and fills
// the cycles in which results are not ready. Code that stands for PTX is
// ordered so as well.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TIMING_PTXSCHEDULE_H
#define FUSION_LIB_TIMING_PTXSCHEDULE_H

#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace fusion::timing {

/// What an instruction does to the order of accesses to memory.
struct MemoryEffect {
  /// Bits of what it reads and writes. Accesses of one bit, of which one
  /// writes, stay in their order.
  unsigned reads = 0, writes = 0;
};

struct ScheduledInst {
  llvm::ArrayRef<unsigned> reads, writes; ///< registers
  MemoryEffect effect;
  double latency = 0;  ///< until what it writes is ready
  double interval = 1; ///< of its pipe
  unsigned pipe = 0;
  bool isFree = false; ///< takes no issue slot
  bool isLast = false; ///< a branch: all others come before it
};

/// Returns an order of the instructions of a block: at each cycle the one that
/// is ready and has the longest chain of latencies behind it, of the next few
/// in the order of the text.
std::vector<unsigned> orderOf(llvm::ArrayRef<ScheduledInst> insts);

} // namespace fusion::timing

#endif // FUSION_LIB_TIMING_PTXSCHEDULE_H
