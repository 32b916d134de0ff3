//===- EmitReductions.cpp - tile.reduce -----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction has three steps, the composition schemes of FusionStitching
// (section 4.1). It combines the elements of a row in a thread, then over the
// lanes of a warp, then over several warps. The layout says which steps are
// needed.
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fusion/Conversion/TileToThreads/Exchange.h"
#include "fusion/Conversion/TileToThreads/SharedAccess.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "fusion/Target/Chips/Hardware.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Returns how many parts of a row one access loads, if they lie side by side:
/// where all lanes of a warp have the same rows, so that they load one word. In
/// other cases each part has the rows side by side, so that lanes access
/// different banks, and 1 is returned.
static int64_t partsSideBySide(ReduceOp op, const LinearLayout &layout,
                               const ReductionThreadMapping &mapping) {
  constexpr int64_t widest = 16; // bytes
  int64_t bytes = op.getType().getElementTypeBitWidth() / 8;
  for (int64_t lane = 1; lane < kWarpSize; lane *= 2)
    if (layout.coords(0, lane, 0) != layout.coords(0, 0, 0))
      return 1;
  int64_t width = std::min(mapping.parts, widest / std::max<int64_t>(1, bytes));
  bool isAligned = llvm::isPowerOf2_64(mapping.parts) && bytes > 0 &&
                   *op.getOffset() % (width * bytes) == 0;
  return isAligned ? width : 1;
}

/// Combines the values that several warps have for the same rows, through
/// shared memory. `rows` are the values by the first register of each row;
/// `layout` is the layout of the result.
static LogicalResult combineWarps(KernelEmitter &e, ReduceOp op,
                                  const LinearLayout &layout,
                                  ArrayRef<std::pair<int64_t, Value *>> rows,
                                  const ReductionThreadMapping &mapping) {
  ThreadBuilder &b = e.builder();
  RankedTensorType type = op.getType();
  int64_t elements = type.getNumElements();
  Value memory = sharedView(e, *op.getOffset(), mapping.parts * elements,
                            type.getElementType());
  // The number of the part of its rows that a warp holds.
  Value part = b.atEntry([&]() -> Value {
    Value sum;
    int64_t weight = 1;
    for (const LinearLayout::Digit &digit : mapping.warps) {
      Value value = arith::MulIOp::create(
          b, b.threadDigit(LayoutDim::Warp, digit.weight, digit.radix),
          b.i32(weight));
      sum = sum ? arith::AddIOp::create(b, sum, value).getResult() : value;
      weight *= digit.radix;
    }
    return arith::IndexCastUIOp::create(b, b.getIndexType(), sum);
  });
  int64_t width = partsSideBySide(op, layout, mapping);
  // The distance of a row's parts, and that of the rows of a part.
  int64_t ofParts = width > 1 ? 1 : elements,
          ofRows = width > 1 ? mapping.parts : 1;
  auto position = [&](int64_t reg) {
    return b.mul(exchangePosition(b, type, layout, reg), b.index(ofRows));
  };
  {
    OpBuilder::InsertionGuard guard(b);
    LinearLayout whole = getLayout(op.getValue().getType()).getValue();
    b.enterIf(b.isFirstHolder(layout, whole));
    Value base = b.mul(part, b.index(ofParts));
    for (auto [reg, value] : rows)
      memref::StoreOp::create(b, *value, memory, b.add(base, position(reg)));
  }
  if (failed(e.target().barrier(b, BarrierScope::Block)))
    return failure();
  for (auto [reg, value] : rows) {
    Value at = position(reg);
    Values parts;
    for (int64_t i = 0; i < mapping.parts; i += width) {
      Value place = b.addConstant(at, i * ofParts);
      if (width == 1) {
        parts.push_back(memref::LoadOp::create(b, memory, place));
        continue;
      }
      Type element = type.getElementType();
      Value packed = vector::LoadOp::create(
          b, VectorType::get({width}, element), memory, place,
          /*nontemporal=*/false,
          llvm::MaybeAlign(width * element.getIntOrFloatBitWidth() / 8));
      for (int64_t j = 0; j < width; ++j)
        parts.push_back(vector::ExtractOp::create(b, packed, j));
    }
    *value = combineTree(parts, [&](Value x, Value y) {
      return arith::getReductionOp(op.getKind(), b, b.getLoc(), x, y);
    });
  }
  return success();
}

static LogicalResult emitReduce(ReduceOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  const LinearLayout &from = getLayout(op.getValue().getType()).getValue();
  const LinearLayout &to = getLayout(op.getType()).getValue();
  unsigned d = op.getDimension();
  std::optional<ReductionThreadMapping> mapping = getThreadMapping(from, d);
  auto reject = [&] {
    return op.emitOpError("has a result that is not laid out as its operand "
                          "without the reduced dimension");
  };
  // Registers may differ: the result has each element only once.
  if (!areThreadsAlike(to, from.reduceOut(d)) || !mapping)
    return reject();
  if (mapping->parts > 1 && !op.getOffset())
    return op.emitOpError("has no scratch; run tile-allocate-shared");
  auto combine = [&](Value x, Value y) {
    return arith::getReductionOp(op.getKind(), b, b.getLoc(), x, y);
  };
  // Rows of the result, each with the thread's elements by column.
  struct Row {
    int64_t reg; ///< first register of the result
    std::map<int64_t, Value> elements;
    Value result;
  };
  const Values &values = e.registers(op.getValue());
  using Coordinates = std::vector<int64_t>;
  std::map<Coordinates, int64_t> registerOf; ///< register of the result
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
      return reject();
    auto [it, isNew] = rows.insert({place->second, Row{place->second, {}, {}}});
    // Replicas of an element count once.
    it->second.elements.insert({at[d], value});
  }
  SmallVector<std::pair<int64_t, Value *>> list;
  for (auto &[key, row] : rows) {
    Values own;
    for (auto [column, value] : row.elements)
      own.push_back(value);
    row.result = combineTree(std::move(own), combine);
    for (const LinearLayout::Digit &digit : mapping->lanes)
      for (int64_t bit = 1; bit < digit.radix; bit *= 2) {
        FailureOr<Value> other = exchangeWords(b, row.result, [&](Value word) {
          return e.target().shuffleXor(b, word, digit.weight * bit);
        });
        if (failed(other))
          return failure();
        row.result = combine(row.result, *other);
      }
    list.push_back({row.reg, &row.result});
  }
  if (mapping->parts > 1 && failed(combineWarps(e, op, to, list, *mapping)))
    return failure();
  Values results;
  for (int64_t reg = 0; reg < to.inSize(LayoutDim::Register); ++reg) {
    SmallVector<int64_t> at = to.coords(reg, 0, 0);
    auto it = rows.find(registerOf[Coordinates(at.begin(), at.end())]);
    if (it == rows.end())
      return reject();
    results.push_back(it->second.result);
  }
  e.setRegisters(op, std::move(results));
  return success();
}

void fusion::addReductionEmitters(EmitterRegistry &registry) {
  registry.add<ReduceOp>(emitReduce);
}
