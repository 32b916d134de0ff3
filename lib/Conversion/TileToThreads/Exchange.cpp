//===- Exchange.cpp - What threads pass to one another --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/Exchange.h"
#include "fusion/Conversion/TileToThreads/Coordinates.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

FailureOr<Value>
fusion::exchangeWords(ThreadBuilder &b, Value value,
                      llvm::function_ref<FailureOr<Value>(Value)> exchange) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32)
    return exchange(value);
  auto integer = b.getIntegerType(bits);
  auto toInteger = [&](Value v) -> Value {
    return type == integer ? v : arith::BitcastOp::create(b, integer, v);
  };
  auto fromInteger = [&](Value v) -> Value {
    return type == integer ? v : arith::BitcastOp::create(b, type, v);
  };
  if (bits < 32) {
    Value word = arith::ExtUIOp::create(b, b.getI32Type(), toInteger(value));
    FailureOr<Value> moved = exchange(word);
    if (failed(moved))
      return failure();
    return fromInteger(arith::TruncIOp::create(b, integer, *moved));
  }
  // Larger values are split into words of 32 bits.
  auto words = VectorType::get({bits / 32}, b.getI32Type());
  auto whole = VectorType::get({1}, integer);
  Value split = vector::BitCastOp::create(
      b, words, vector::FromElementsOp::create(b, whole, toInteger(value)));
  Values moved;
  for (int64_t i = 0; i < words.getNumElements(); ++i) {
    FailureOr<Value> word = exchange(vector::ExtractOp::create(b, split, i));
    if (failed(word))
      return failure();
    moved.push_back(*word);
  }
  Value joined = vector::BitCastOp::create(
      b, whole, vector::FromElementsOp::create(b, words, moved));
  return fromInteger(vector::ExtractOp::create(b, joined, int64_t(0)));
}
