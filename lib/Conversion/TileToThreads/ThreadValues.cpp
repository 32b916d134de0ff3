//===- ThreadValues.cpp - What a thread holds of a kernel's values --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/ThreadValues.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fusion;

Values ThreadValues::scalarsOf(ValueRange range) const {
  Values result;
  for (Value value : range)
    result.push_back(scalar(value));
  return result;
}

void ThreadValues::clone(Operation *op, ThreadBuilder &b) {
  Operation *copy = b.clone(*op, scalars);
  scalars.map(op->getResults(), copy->getResults());
}

const Values &ThreadValues::registers(Value tensor) const {
  auto it = tensors.find(tensor);
  assert(it != tensors.end() && "the tensor has not been emitted");
  return it->second;
}

void ThreadValues::setRegisters(Value tensor, Values own) {
  tensors[tensor] = std::move(own);
}

const TensorView &ThreadValues::view(Value view) const {
  auto it = views.find(view);
  assert(it != views.end() && "the view has not been emitted");
  return it->second;
}

void ThreadValues::setView(Value view, TensorView own) {
  views[view] = std::move(own);
}

Value ThreadValues::globalMemory(Value pointer, ThreadBuilder &b) {
  Value &memory = memories[pointer];
  if (memory)
    return memory;
  return memory = b.atEntry([&]() -> Value {
    Value base = scalar(pointer);
    auto element = cast<MemRefType>(base.getType()).getElementType();
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    constexpr int64_t unknownSize = int64_t(1) << 40;
    Value size = b.index(unknownSize);
    return memref::ReinterpretCastOp::create(b, type, base, zero,
                                             ArrayRef<OpFoldResult>{size},
                                             ArrayRef<OpFoldResult>{one});
  });
}

std::optional<Values> fusion::renameRegisters(
    const LinearLayout &to, const LinearLayout &from, const Values &values,
    llvm::function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> map) {
  // Thread 0 decides: lanes and warps step alike in both layouts, which
  // tile-assign-layouts sees to.
  llvm::DenseMap<int64_t, int64_t> registerAt;
  auto key = [&](ArrayRef<int64_t> coordinates) {
    int64_t linear = 0;
    for (auto [d, c] : llvm::enumerate(coordinates))
      linear = linear * from.outSize(tileDim(d)) + c;
    return linear;
  };
  for (int64_t reg = values.size(); reg-- > 0;)
    registerAt[key(from.coords(reg, 0, 0))] = reg;
  Values result;
  for (int64_t reg = 0; reg < to.inSize(LayoutDim::Register); ++reg) {
    auto it = registerAt.find(key(map(to.coords(reg, 0, 0))));
    if (it == registerAt.end())
      return std::nullopt;
    result.push_back(values[it->second]);
  }
  return result;
}
