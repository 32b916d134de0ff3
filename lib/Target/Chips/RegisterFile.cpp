//===- RegisterFile.cpp - How an SM deals its registers -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Chips/RegisterFile.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/Support/MathExtras.h"

/// Registers that a warp gets more at a time.
static constexpr int64_t unit = 256;

int64_t fusion::warpsByRegisters(int64_t registers, const ChipInfo &chip) {
  int64_t ofWarp =
      llvm::alignTo(std::max<int64_t>(registers, 1) * kWarpSize, unit);
  return kSubPartitions * (chip.registersPerSM / kSubPartitions / ofWarp);
}

int64_t fusion::registersByWarps(int64_t warps, const ChipInfo &chip) {
  int64_t ofPart =
      llvm::divideCeil(std::max<int64_t>(warps, 1), kSubPartitions);
  int64_t ofWarp = chip.registersPerSM / kSubPartitions / ofPart;
  return std::min<int64_t>(chip.maxRegistersPerThread,
                           ofWarp / unit * unit / kWarpSize);
}
