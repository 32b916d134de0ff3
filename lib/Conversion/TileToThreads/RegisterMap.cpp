//===- RegisterMap.cpp - Registers by coordinates -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/RegisterMap.h"

using namespace fusion;

RegisterMap::RegisterMap(const LinearLayout &layout) {
  for (int64_t reg = layout.inSize(LayoutDim::Register); reg-- > 0;) {
    llvm::SmallVector<int64_t> at = layout.coords(reg, 0, 0);
    registers[{at[0], at[1]}] = reg;
  }
}
