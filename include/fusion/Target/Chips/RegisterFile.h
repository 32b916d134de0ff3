//===- RegisterFile.h - Allocation of registers of an SM --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How an SM of a chip allocates its registers to warps (Processors.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CHIPS_REGISTERFILE_H
#define FUSION_TARGET_CHIPS_REGISTERFILE_H

#include "fusion/Target/Chips/ChipTable.h"

namespace fusion {

/// Returns the warps of an SM whose threads have `registers` registers each.
int64_t warpsByRegisters(int64_t registers, const ChipInfo &chip);

/// Returns the registers that each thread can have with `warps` warps on an SM.
int64_t registersByWarps(int64_t warps, const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_TARGET_CHIPS_REGISTERFILE_H
