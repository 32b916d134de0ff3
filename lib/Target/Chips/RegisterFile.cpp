//===- RegisterFile.cpp - How an SM deals its registers -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Chips/RegisterFile.h"
#include "fusion/Target/Chips/Processors.h"

int64_t fusion::warpsByRegisters(int64_t registers, const ChipInfo &chip) {
  return warpsByRegisters(registers, int64_t(chip.registersPerSM));
}

int64_t fusion::registersByWarps(int64_t warps, const ChipInfo &chip) {
  return registersByWarps(warps, int64_t(chip.registersPerSM));
}
