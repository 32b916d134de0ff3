//===- EmitRealigned.cpp - Aligned loads of rows that begin anywhere ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's neighbours along a row lie in two aligned pieces of memory. It
// loads the one that they begin in and has the other from the next lane, which
// loaded that; the last lane of a row loads both. Then words, and the bits in
// them, move down by what the row is off.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "Replicas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Lanes side by side along a dimension, `width` elements apart, and the
/// distance of their numbers.
static std::pair<int64_t, int64_t>
neighbours(const LinearLayout &layout, int64_t dimension, int64_t width) {
  constexpr int64_t warpSize = 32;
  auto first = layout.coords(0, 0, 0);
  auto isAt = [&](int64_t lane, int64_t count) {
    auto at = layout.coords(0, lane, 0);
    for (auto [d, place] : llvm::enumerate(at))
      if (place != first[d] + (int64_t(d) == dimension ? count * width : 0))
        return false;
    return true;
  };
  for (int64_t step = 1; step < warpSize; step *= 2) {
    if (!isAt(step, 1))
      continue;
    int64_t lanes = 2;
    while (step * lanes < warpSize && isAt(step * lanes, lanes))
      lanes *= 2;
    return {lanes, step};
  }
  return {1, 1};
}

/// The vector at a multiple of its width, as words; zero where it is not of the
/// row or not of the memory. `unit`: the coordinate of its first element, null
/// where it is known to be needed.
Value KernelEmitter::loadWords(const View &view, VectorType type, Value place,
                               Value unit, Value condition, int64_t within) {
  int64_t width = type.getNumElements();
  Type element = type.getElementType();
  constexpr int64_t wordBits = 32;
  auto words = VectorType::get(
      {width * element.getIntOrFloatBitWidth() / wordBits}, b.getI32Type());
  auto both = [&](Value a, Value c) -> Value {
    return a ? arith::AndIOp::create(b, loc, a, c).getResult() : c;
  };
  if (unit)
    condition = both(condition, overlaps(view, unit, width));
  auto compare = [&](arith::CmpIPredicate predicate, int64_t bound) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, place, index(bound));
  };
  condition = both(condition, compare(arith::CmpIPredicate::sge, 0));
  condition = both(condition, compare(arith::CmpIPredicate::slt, within));
  auto read = [&](int64_t first, int64_t size) -> Value {
    auto part = VectorType::get({size}, element);
    return vector::LoadOp::create(
        b, loc, part, view.memory,
        arith::AddIOp::create(b, loc, place, index(first)).getResult(),
        /*nontemporal=*/false,
        llvm::MaybeAlign(size * element.getIntOrFloatBitWidth() / 8));
  };
  auto asWords = [&](Value loaded) -> Value {
    if (!LLVM::isCompatibleType(element))
      loaded = arith::BitcastOp::create(
          b, loc, type.clone(b.getIntegerType(element.getIntOrFloatBitWidth())),
          loaded);
    Value all = vector::BitCastOp::create(b, loc, words, loaded);
    return LLVM::FreezeOp::create(b, loc, all);
  };
  auto emitIf = [&](Value holds, llvm::function_ref<Value()> then,
                    llvm::function_ref<Value()> otherwise) -> Value {
    auto guarded =
        scf::IfOp::create(b, loc, words, holds, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(guarded.thenBlock());
    scf::YieldOp::create(b, loc, then());
    b.setInsertionPointToStart(guarded.elseBlock());
    scf::YieldOp::create(b, loc, otherwise());
    return guarded.getResult(0);
  };
  auto zeros = [&]() -> Value {
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(words));
  };
  auto whole = [&] { return asWords(read(0, width)); };
  // The last elements of the memory.
  int64_t rest = within % width;
  auto last = [&]() -> Value {
    SmallVector<Value> elements;
    for (int64_t size = width / 2; size > 0; size /= 2) {
      if (!(rest & size))
        continue;
      Value part = read(elements.size(), size);
      for (int64_t i = 0; i < size; ++i)
        elements.push_back(vector::ExtractOp::create(b, loc, part, i));
    }
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    elements.resize(width, zero);
    return asWords(vector::FromElementsOp::create(b, loc, type, elements));
  };
  return emitIf(
      condition,
      [&] {
        return rest == 0
                   ? whole()
                   : emitIf(compare(arith::CmpIPredicate::sle, within - width),
                            whole, last);
      },
      zeros);
}

LogicalResult KernelEmitter::emitRealignedLoad(LoadOp op) {
  const View &view = views[op.getView()];
  const LinearLayout &layout = getLayout(op.getType()).getValue();
  Type element = op.getType().getElementType(), stored = memoryType(element);
  int64_t width = *op.getRealigned(), unit = view.type.getUnit();
  if (layout.contiguousRegisters(tileDim(unit)) % width != 0)
    return op.emitOpError("realigns ")
           << width << " elements, of which threads have fewer side by side";
  auto type = VectorType::get({width}, stored);
  auto [lanes, distance] = neighbours(layout, unit, width);
  constexpr int64_t wordBits = 32;
  int64_t bits = stored.getIntOrFloatBitWidth(), perWord = wordBits / bits,
          count = width / perWord;
  // Whether the next lane is another row's.
  Value isEnd;
  if (lanes > 1) {
    Value number =
        arith::AndIOp::create(b, loc, lane, i32((lanes - 1) * distance));
    isEnd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number,
                                  i32((lanes - 1) * distance));
  }
  Values results(layout.inSize(LayoutDim::Register));
  for (auto [number, first] : llvm::enumerate(firstReplicas(layout, width))) {
    int64_t reg = number * width;
    if (first != reg) {
      for (int64_t i = 0; i < width; ++i)
        results[reg + i] = results[first + i];
      continue;
    }
    Chunk chunk = chunkOf(view, layout, reg, op.getCoordinates(),
                          op.getInBounds(), /*ragged=*/true);
    Value off = arith::AndIOp::create(b, loc, chunk.position, index(width - 1));
    Value place = arith::SubIOp::create(b, loc, chunk.position, off), at;
    if (chunk.unit)
      at = arith::SubIOp::create(b, loc, chunk.unit, off);
    Value own =
        loadWords(view, type, place, at, chunk.isInside, *op.getWithin());
    Value isOff =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, off, index(0));
    Value needed =
        isEnd ? arith::AndIOp::create(b, loc, isEnd, isOff).getResult() : isOff;
    Value behind = loadWords(
        view, type, arith::AddIOp::create(b, loc, place, index(width)),
        at ? arith::AddIOp::create(b, loc, at, index(width)).getResult() : at,
        chunk.isInside
            ? arith::AndIOp::create(b, loc, needed, chunk.isInside).getResult()
            : needed,
        *op.getWithin());
    SmallVector<Value> words;
    for (int64_t i = 0; i < count; ++i)
      words.push_back(vector::ExtractOp::create(b, loc, own, i));
    for (int64_t i = 0; i < count; ++i) {
      Value word = vector::ExtractOp::create(b, loc, behind, i);
      if (isEnd)
        word = arith::SelectOp::create(
            b, loc, isEnd, word,
            gpu::ShuffleOp::create(b, loc, words[i],
                                   static_cast<int32_t>(distance), 32,
                                   gpu::ShuffleMode::DOWN)
                .getShuffleResult());
      words.push_back(word);
    }
    // By words, then by what is left of one.
    Value elements = arith::IndexCastOp::create(b, loc, b.getI32Type(), off);
    for (int64_t step = count / 2; step > 0; step /= 2) {
      Value bit = arith::AndIOp::create(b, loc, elements, i32(step * perWord));
      Value moves =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, i32(0));
      for (size_t i = 0; i + step < words.size(); ++i)
        words[i] =
            arith::SelectOp::create(b, loc, moves, words[i + step], words[i]);
    }
    for (int64_t i = 0; i < count; ++i) {
      Value word = words[i];
      if (perWord > 1) {
        Value amount = arith::MulIOp::create(
            b, loc, arith::AndIOp::create(b, loc, elements, i32(perWord - 1)),
            i32(bits));
        word = LLVM::FshrOp::create(b, loc, words[i + 1], word, amount);
      }
      for (auto [k, value] : llvm::enumerate(unpackWord(word, stored)))
        results[reg + i * perWord + k] = fromMemory(value, element);
    }
  }
  registers[op] = std::move(results);
  return success();
}
