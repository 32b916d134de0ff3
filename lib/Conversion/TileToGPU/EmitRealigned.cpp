//===- EmitRealigned.cpp - Aligned accesses of rows that begin anywhere ---===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's neighbours along a row lie in two aligned pieces of memory. It
// loads the one that they begin in and has the other from the next lane, which
// loaded that; the last lane of a warp's part of a row loads both. Then words,
// and the bits in them, move down by what the row is off.
// Stores go the other way (EmitRealignedStores.cpp).
//
//===----------------------------------------------------------------------===//

#include "EmitRealignedOrder.h"
#include "KernelEmitter.h"
#include "Replicas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

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

/// What a neighbour has of the words of a piece: `own` of a thread for the
/// lanes but those at the row's end, `atEnd` for those; null where there is
/// nothing. `by` lanes on, 1 or -1.
KernelEmitter::Values
KernelEmitter::passWords(const RealignedOrder::Neighbour &neighbour, int by,
                         ArrayRef<Value> own, ArrayRef<Value> atEnd) {
  // The lane's digit along the row, to which `by` comes around.
  int64_t bits = neighbour.mask();
  Value mask = i32(bits);
  Value digit = arith::AndIOp::create(b, loc, lane, mask);
  Value source = arith::OrIOp::create(
      b, loc, arith::AndIOp::create(b, loc, lane, i32(~bits)),
      arith::AndIOp::create(b, loc,
                            arith::AddIOp::create(
                                b, loc, digit, i32(by * neighbour.distance)),
                            mask));
  // Those asked by the lanes at the end.
  Value isAsked;
  if (!atEnd.empty())
    isAsked =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, digit,
                              by > 0 ? i32(0) : i32(bits));
  constexpr int64_t warpSize = 32;
  Values words;
  for (auto [number, word] : llvm::enumerate(own)) {
    Value given =
        isAsked ? arith::SelectOp::create(b, loc, isAsked, atEnd[number], word)
                      .getResult()
                : word;
    words.push_back(gpu::ShuffleOp::create(b, loc, given, source, i32(warpSize),
                                           gpu::ShuffleMode::IDX)
                        .getShuffleResult());
  }
  return words;
}

Value KernelEmitter::digitOf(const RealignedOrder::Neighbour &neighbour) {
  return arith::ShRUIOp::create(
      b, loc,
      arith::AndIOp::create(b, loc, lane, i32(neighbour.mask())),
      i32(llvm::Log2_64(neighbour.distance)));
}

Value KernelEmitter::isEndOfRow(const RealignedOrder::Neighbour &neighbour,
                                int by) {
  if (neighbour.lanes == 1)
    return Value();
  int64_t mask = neighbour.mask();
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                               arith::AndIOp::create(b, loc, lane, i32(mask)),
                               i32(by > 0 ? mask : 0));
}

/// The first half of `words` from an element on, which is one of the half or
/// the first behind it: by words, then by what is left of one.
void KernelEmitter::moveWords(MutableArrayRef<Value> words, Value elements,
                              int64_t perWord) {
  int64_t count = words.size() / 2;
  for (int64_t step = count; step > 0; step /= 2) {
    Value bit = arith::AndIOp::create(b, loc, elements, i32(step * perWord));
    Value moves =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, i32(0));
    for (size_t i = 0; i + step < words.size(); ++i)
      words[i] =
          arith::SelectOp::create(b, loc, moves, words[i + step], words[i]);
  }
  if (perWord == 1)
    return;
  constexpr int64_t wordBits = 32;
  Value amount = arith::MulIOp::create(
      b, loc, arith::AndIOp::create(b, loc, elements, i32(perWord - 1)),
      i32(wordBits / perWord));
  for (int64_t i = 0; i < count; ++i)
    words[i] = LLVM::FshrOp::create(b, loc, words[i + 1], words[i], amount);
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
  RealignedOrder order(layout, unit, width);
  constexpr int64_t wordBits = 32;
  int64_t perWord = wordBits / stored.getIntOrFloatBitWidth(),
          count = width / perWord;
  auto both = [&](Value a, Value c) -> Value {
    return a && c ? arith::AndIOp::create(b, loc, a, c).getResult() : a ? a : c;
  };
  struct Piece {
    Chunk chunk;
    Value off, place, at;
    Values words;
  };
  llvm::DenseMap<int64_t, Piece> pieces;
  SmallVector<int64_t> firsts = firstReplicas(layout, width);
  // All loads are under way before one is needed.
  for (auto [number, first] : llvm::enumerate(firsts)) {
    int64_t reg = number * width;
    if (first != reg)
      continue;
    Piece &piece = pieces[reg];
    piece.chunk = chunkOf(view, layout, reg, op.getCoordinates(),
                          op.getInBounds(), /*ragged=*/true);
    piece.off =
        arith::AndIOp::create(b, loc, piece.chunk.position, index(width - 1));
    piece.place =
        arith::SubIOp::create(b, loc, piece.chunk.position, piece.off);
    if (piece.chunk.unit)
      piece.at = arith::SubIOp::create(b, loc, piece.chunk.unit, piece.off);
    Value own = loadWords(view, type, piece.place, piece.at,
                          piece.chunk.isInside, *op.getWithin());
    for (int64_t i = 0; i < count; ++i)
      piece.words.push_back(vector::ExtractOp::create(b, loc, own, i));
  }
  // What no other lane has of what is behind.
  llvm::DenseMap<int64_t, Value> behind;
  for (auto [number, first] : llvm::enumerate(firsts)) {
    int64_t reg = number * width;
    const RealignedOrder::Neighbour &neighbour = order.behind[reg];
    if (first != reg || !neighbour.isOpen())
      continue;
    const Piece &piece = pieces[reg];
    Value isOff = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        piece.off, index(0));
    behind[reg] = loadWords(
        view, type, arith::AddIOp::create(b, loc, piece.place, index(width)),
        piece.at
            ? arith::AddIOp::create(b, loc, piece.at, index(width)).getResult()
            : piece.at,
        both(both(isEndOfRow(neighbour, 1), isOff), piece.chunk.isInside),
        *op.getWithin());
  }
  Values results(layout.inSize(LayoutDim::Register));
  for (auto [number, first] : llvm::enumerate(firsts)) {
    int64_t reg = number * width;
    if (first != reg) {
      for (int64_t i = 0; i < width; ++i)
        results[reg + i] = results[first + i];
      continue;
    }
    const Piece &piece = pieces[reg];
    const RealignedOrder::Neighbour &neighbour = order.behind[reg];
    Values words(piece.words), next;
    if (neighbour.isOwn())
      next = pieces[neighbour.reg].words;
    else if (neighbour.lanes > 1)
      next = passWords(neighbour, 1, pieces[neighbour.reg].words,
                       neighbour.wrapped < 0
                           ? ArrayRef<Value>()
                           : ArrayRef<Value>(pieces[neighbour.wrapped].words));
    if (neighbour.isOpen())
      for (int64_t i = 0; i < count; ++i) {
        Value word = vector::ExtractOp::create(b, loc, behind[reg], i);
        if (next.size() > size_t(i))
          next[i] = arith::SelectOp::create(b, loc, isEndOfRow(neighbour, 1),
                                            word, next[i]);
        else
          next.push_back(word);
      }
    llvm::append_range(words, next);
    moveWords(words,
              arith::IndexCastOp::create(b, loc, b.getI32Type(), piece.off),
              perWord);
    for (int64_t i = 0; i < count; ++i)
      for (auto [k, value] : llvm::enumerate(unpackWord(words[i], stored)))
        results[reg + i * perWord + k] = fromMemory(value, element);
  }
  registers[op] = std::move(results);
  return success();
}
