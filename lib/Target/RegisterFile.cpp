//===- RegisterFile.cpp - Warps that registers leave room for -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/RegisterFile.h"
#include "llvm/Support/MathExtras.h"

int64_t fusion::warpsByRegisters(int64_t registers, const ChipInfo &chip) {
  constexpr int64_t unit = 256, warpSize = 32;
  int64_t ofWarp =
      llvm::alignTo(std::max<int64_t>(registers, 1) * warpSize, unit);
  return kPartsOfSM * (chip.registersPerSM / kPartsOfSM / ofWarp);
}
