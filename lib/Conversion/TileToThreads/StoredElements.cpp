//===- StoredElements.cpp - Elements as memory holds them -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/TileToThreads/StoredElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fusion;

Type fusion::memoryType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

Value fusion::fromMemory(ThreadBuilder &b, Value value, Type element) {
  if (value.getType() == element)
    return value;
  // A comparison: LLVM makes single bits of a vector of bytes that are
  // truncated, and loads each byte by itself.
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
}

Value fusion::toMemory(ThreadBuilder &b, Value value) {
  Type type = memoryType(value.getType());
  return value.getType() == type
             ? value
             : arith::ExtUIOp::create(b, type, value).getResult();
}
