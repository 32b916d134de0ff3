//===- EmitReduce.cpp - Reductions over registers, lanes and warps --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The composition schemes of FusionStitching (section 4.1) as three steps of
// one reduction: what a thread holds of a row, what the lanes of a warp hold,
// what several warps hold. The layout says which of them there are.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Neighbours first, so that the order does not depend on how many there are
/// to come and chains of dependent operations stay short.
Value KernelEmitter::combineTree(
    SmallVector<Value> values,
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

Value KernelEmitter::shuffleXor(Value value, int64_t mask) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  auto shuffle = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, loc, word, static_cast<int32_t>(mask), 32,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (bits == 32)
    return shuffle(value);
  auto integer = b.getIntegerType(bits);
  auto toInteger = [&](Value v) -> Value {
    return type == integer ? v : arith::BitcastOp::create(b, loc, integer, v);
  };
  auto fromInteger = [&](Value v) -> Value {
    return type == integer ? v : arith::BitcastOp::create(b, loc, type, v);
  };
  if (bits < 32) {
    Value word =
        arith::ExtUIOp::create(b, loc, b.getI32Type(), toInteger(value));
    return fromInteger(arith::TruncIOp::create(b, loc, integer, shuffle(word)));
  }
  // Words of 32 bits, one after the other.
  auto words = VectorType::get({bits / 32}, b.getI32Type());
  auto whole = VectorType::get({1}, integer);
  Value split = vector::BitCastOp::create(
      b, loc, words,
      vector::FromElementsOp::create(b, loc, whole, toInteger(value)));
  Values moved;
  for (int64_t i = 0; i < words.getNumElements(); ++i)
    moved.push_back(shuffle(vector::ExtractOp::create(b, loc, split, i)));
  Value joined = vector::BitCastOp::create(
      b, loc, whole, vector::FromElementsOp::create(b, loc, words, moved));
  return fromInteger(vector::ExtractOp::create(b, loc, joined, int64_t(0)));
}

/// Neighbours of a thread lie apart, so that those of a warp's lanes lie side
/// by side and meet no bank twice.
Value KernelEmitter::exchangePlace(RankedTensorType type,
                                   const LinearLayout &layout, int64_t reg) {
  int64_t last = type.getRank() - 1, elements = type.getNumElements(),
          beside = last < 0 ? 1 : layout.contiguousRegisters(tileDim(last));
  Value at = index(0);
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    at = add(mul(at, index(size)), coordinate(layout, d, reg));
  if (beside == 1)
    return at;
  int64_t neighbour = layout.coords(reg, 0, 0)[last] % beside;
  return addConstant(
      arith::DivUIOp::create(b, loc, at, index(beside)).getResult(),
      neighbour * (elements / beside));
}

void KernelEmitter::combineWarps(ReduceOp op, const LinearLayout &layout,
                                 ArrayRef<std::pair<int64_t, Value *>> rows,
                                 const ReductionSpread &spread) {
  RankedTensorType type = op.getType();
  int64_t elements = type.getNumElements();
  Value memory = sharedView(*op.getOffset(), spread.parts * elements,
                            type.getElementType());
  // Which part of its rows a warp holds.
  Value part = atEntry([&]() -> Value {
    Value sum;
    int64_t weight = 1;
    for (const LinearLayout::Digit &digit : spread.warps) {
      Value value = arith::MulIOp::create(
          b, loc, threadDigit(LayoutDim::Warp, digit.weight, digit.radix),
          i32(weight));
      sum = sum ? arith::AddIOp::create(b, loc, sum, value).getResult() : value;
      weight *= digit.radix;
    }
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), sum);
  });
  auto position = [&](int64_t reg) { return exchangePlace(type, layout, reg); };
  {
    OpBuilder::InsertionGuard guard(b);
    LinearLayout whole = getLayout(op.getValue().getType()).getValue();
    enterIf(isFirstHolder(layout, whole));
    Value base = mul(part, index(elements));
    for (auto [reg, value] : rows)
      memref::StoreOp::create(b, loc, *value, memory, add(base, position(reg)));
  }
  emitBarrier(/*ofWarp=*/false);
  for (auto [reg, value] : rows) {
    Value at = position(reg);
    SmallVector<Value> parts;
    for (int64_t i = 0; i < spread.parts; ++i)
      parts.push_back(memref::LoadOp::create(b, loc, memory,
                                             addConstant(at, i * elements)));
    *value = combineTree(parts, [&](Value x, Value y) {
      return arith::getReductionOp(op.getKind(), b, loc, x, y);
    });
  }
}

LogicalResult KernelEmitter::emitReduce(ReduceOp op) {
  const LinearLayout &from = getLayout(op.getValue().getType()).getValue();
  const LinearLayout &to = getLayout(op.getType()).getValue();
  unsigned d = op.getDimension();
  std::optional<ReductionSpread> spread = getSpread(from, d);
  auto refuse = [&] {
    return op.emitOpError("has a result that is not laid out as its operand "
                          "without the reduced dimension");
  };
  // Registers may differ: the result needs each element once.
  if (!areThreadsAlike(to, from.reduceOut(d)) || !spread)
    return refuse();
  if (spread->parts > 1 && !op.getOffset())
    return op.emitOpError("has no scratch; run tile-allocate-shared");
  auto combine = [&](Value x, Value y) {
    return arith::getReductionOp(op.getKind(), b, loc, x, y);
  };
  // Rows of the result, each with the elements that a thread holds of it.
  struct Row {
    int64_t reg; ///< the first of the result
    std::map<int64_t, Value> elements;
    Value result;
  };
  const Values &values = registers[op.getValue()];
  using Coordinates = std::vector<int64_t>;
  std::map<Coordinates, int64_t> registerOf; ///< of the result
  for (int64_t reg = to.inSize(LayoutDim::Register); reg-- > 0;) {
    SmallVector<int64_t> at = to.coords(reg, 0, 0);
    registerOf[Coordinates(at.begin(), at.end())] = reg;
  }
  llvm::MapVector<int64_t, Row> rows; ///< by the result's register
  for (auto [reg, value] : llvm::enumerate(values)) {
    SmallVector<int64_t> at = from.coords(reg, 0, 0);
    Coordinates row(at.begin(), at.end());
    row.erase(row.begin() + d);
    auto place = registerOf.find(row);
    if (place == registerOf.end())
      return refuse();
    auto [it, isNew] =
        rows.insert({place->second, Row{place->second, {}, {}}});
    // Replicas count once.
    it->second.elements.insert({at[d], value});
  }
  SmallVector<std::pair<int64_t, Value *>> list;
  for (auto &[key, row] : rows) {
    SmallVector<Value> own;
    for (auto [column, value] : row.elements)
      own.push_back(value);
    row.result = combineTree(std::move(own), combine);
    for (const LinearLayout::Digit &digit : spread->lanes)
      for (int64_t bit = 1; bit < digit.radix; bit *= 2)
        row.result =
            combine(row.result, shuffleXor(row.result, digit.weight * bit));
    list.push_back({row.reg, &row.result});
  }
  if (spread->parts > 1)
    combineWarps(op, to, list, *spread);
  Values results;
  for (int64_t reg = 0; reg < to.inSize(LayoutDim::Register); ++reg) {
    SmallVector<int64_t> at = to.coords(reg, 0, 0);
    auto it = rows.find(registerOf[Coordinates(at.begin(), at.end())]);
    if (it == rows.end())
      return refuse();
    results.push_back(it->second.result);
  }
  registers[op] = std::move(results);
  return success();
}
