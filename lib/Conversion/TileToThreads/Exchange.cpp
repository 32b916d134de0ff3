//===- Exchange.cpp - What threads pass to one another --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/Exchange.h"
#include "fusion/Conversion/TileToThreads/Coordinates.h"

using namespace mlir;
using namespace fusion;

Value fusion::exchangePosition(ThreadBuilder &b, RankedTensorType type,
                               const LinearLayout &layout, int64_t reg) {
  int64_t last = type.getRank() - 1, elements = type.getNumElements(),
          beside = last < 0 ? 1 : layout.contiguousRegisters(tileDim(last));
  Value at = b.index(0);
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    at = b.add(b.mul(at, b.index(size)), coordinate(b, layout, d, reg));
  if (beside == 1)
    return at;
  int64_t neighbour = layout.coords(reg, 0, 0)[last] % beside;
  return b.addConstant(
      arith::DivUIOp::create(b, at, b.index(beside)).getResult(),
      neighbour * (elements / beside));
}

Value fusion::combineTree(Values values,
                          llvm::function_ref<Value(Value, Value)> combine) {
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(combine(values[i], values[i + 1]));
    if (values.size() % 2)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}
