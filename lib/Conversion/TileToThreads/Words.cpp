//===- Words.cpp - Elements in 32-bit registers ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/Words.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;

Value fusion::packWord(ThreadBuilder &b, ValueRange elements) {
  Type type = elements.front().getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type plain = b.getIntegerType(bits);
  // Vectors of 8-bit floats have no type of their own below.
  SmallVector<Value> values(elements);
  if (bits != 16 && !type.isInteger())
    for (Value &value : values)
      value = arith::BitcastOp::create(b, plain, value);
  if (bits == 32)
    return values.front();
  Value all = vector::FromElementsOp::create(
      b,
      VectorType::get({static_cast<int64_t>(values.size())},
                      values.front().getType()),
      values);
  return vector::ExtractOp::create(
      b,
      vector::BitCastOp::create(b, VectorType::get({1}, b.getI32Type()), all),
      int64_t(0));
}

Values fusion::unpackWord(ThreadBuilder &b, Value word, Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  Type plain = bits == 16 ? type : b.getIntegerType(bits);
  Values results;
  if (bits == 32) {
    results.push_back(word);
  } else {
    auto one = VectorType::get({1}, b.getI32Type());
    Value all = vector::BitCastOp::create(
        b, VectorType::get({32 / bits}, plain),
        vector::FromElementsOp::create(b, one, ValueRange{word}));
    for (unsigned i = 0; i < 32 / bits; ++i)
      results.push_back(
          vector::ExtractOp::create(b, all, static_cast<int64_t>(i)));
  }
  if (type != plain)
    for (Value &value : results)
      value = arith::BitcastOp::create(b, type, value);
  return results;
}
