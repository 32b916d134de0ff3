//===- Replicas.cpp - Registers that hold the same elements ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replicas.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

llvm::SmallVector<int64_t> fusion::firstReplicas(const LinearLayout &layout,
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
