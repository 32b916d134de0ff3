//===- Replicas.h - Registers that hold the same elements -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_REPLICAS_H
#define FUSION_LIB_CONVERSION_TILETOGPU_REPLICAS_H

#include "fusion/Support/LinearLayout.h"
#include "llvm/ADT/DenseMap.h"

namespace fusion {

/// For each `width` registers of a thread, in order, the first of those that hold
/// the same elements: one access serves them all. `width` divides the registers.
inline llvm::SmallVector<int64_t> firstReplicas(const LinearLayout &layout,
                                                int64_t width) {
  llvm::SmallVector<int64_t> firsts;
  llvm::DenseMap<int64_t, int64_t> known;
  for (int64_t reg = 0; reg < layout.inSize(LayoutDim::Register);
       reg += width) {
    int64_t key = 0;
    for (auto [d, c] : llvm::enumerate(layout.coords(reg, 0, 0)))
      key = key * layout.outSize(tileDim(d)) + c;
    firsts.push_back(known.insert({key, reg}).first->second);
  }
  return firsts;
}

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_REPLICAS_H
