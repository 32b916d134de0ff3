//===- EmitRealignedStores.cpp - Aligned stores of rows that begin anywhere ===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread stores the aligned piece that its own elements begin in, with the
// last ones of the lane before (EmitRealigned.cpp: loads go the other way). Of
// the two pieces at the ends of a warp's part of a row it stores what is its
// own: an element by each lane, one access for an end.
//
//===----------------------------------------------------------------------===//

#include "EmitRealignedOrder.h"
#include "KernelEmitter.h"
#include "Replicas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// One element for each lane along the row, of the piece that the lane at the
/// row's end has: those of the first lanes, in order.
Value KernelEmitter::dealElements(const RealignedOrder::Neighbour &neighbour,
                                  int by, ArrayRef<Value> words, Type stored) {
  int64_t mask = neighbour.mask();
  Value owner = arith::AndIOp::create(b, loc, lane, i32(~mask));
  if (by > 0)
    owner = arith::OrIOp::create(b, loc, owner, i32(mask));
  constexpr int64_t warpSize = 32, wordBits = 32;
  Values given;
  for (Value word : words)
    given.push_back(gpu::ShuffleOp::create(b, loc, word, owner, i32(warpSize),
                                           gpu::ShuffleMode::IDX)
                        .getShuffleResult());
  // By the digit's bits: the word, and the element in it.
  Value digit = digitOf(neighbour);
  auto choose = [&](Values among, int64_t perOne) -> Value {
    for (int64_t step = perOne; among.size() > 1; step *= 2) {
      Value bit = arith::AndIOp::create(b, loc, digit, i32(step));
      Value isOdd =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, i32(0));
      for (size_t i = 0; i < among.size() / 2; ++i)
        among[i] = arith::SelectOp::create(b, loc, isOdd, among[2 * i + 1],
                                           among[2 * i]);
      among.truncate(among.size() / 2);
    }
    return among.front();
  };
  Value word = choose(given, wordBits / stored.getIntOrFloatBitWidth());
  return choose(unpackWord(word, stored), 1);
}

/// Of a piece at a place that is a multiple of its elements those that are
/// kept: whole, or in halves, and halves of those.
void KernelEmitter::storePiece(StoreOp op, const View &view, Value place,
                               ArrayRef<Value> words, const Kept &kept) {
  Type stored = memoryType(
      cast<RankedTensorType>(op.getValue().getType()).getElementType());
  int64_t width = *op.getRealigned(), perWord = width / words.size();
  // Words are taken apart where they are stored: whole ones never are.
  auto elementsOf = [&](int64_t begin, int64_t size) {
    Values elements;
    for (Value word : words.slice(begin / perWord,
                                  llvm::divideCeil(size, perWord)))
      llvm::append_range(elements, unpackWord(word, stored));
    return Values(ArrayRef(elements).slice(begin % perWord, size));
  };
  std::function<void(int64_t, int64_t)> store = [&](int64_t begin,
                                                    int64_t size) {
    OpBuilder::InsertionGuard guard(b);
    Value isWhole;
    auto require = [&](arith::CmpIPredicate predicate, int64_t at,
                       Value bound) {
      if (!bound)
        return;
      Value holds = arith::CmpIOp::create(b, loc, predicate, i32(at), bound);
      isWhole = isWhole
                    ? arith::AndIOp::create(b, loc, isWhole, holds).getResult()
                    : holds;
    };
    require(arith::CmpIPredicate::sge, begin, kept.first);
    require(arith::CmpIPredicate::sle, begin + size, kept.beyond);
    scf::IfOp branch;
    if (isWhole) {
      branch = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/size > 1);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    writePart(op, view, arith::AddIOp::create(b, loc, place, index(begin)),
              elementsOf(begin, size));
    if (!isWhole || size == 1)
      return;
    b.setInsertionPointToStart(branch.elseBlock());
    store(begin, size / 2);
    store(begin + size / 2, size / 2);
  };
  store(0, width);
}

/// Those that two know to be kept.
KernelEmitter::Kept KernelEmitter::intersect(const Kept &a, const Kept &c) {
  Kept both = {a.first ? a.first : c.first, a.beyond ? a.beyond : c.beyond};
  if (a.first && c.first)
    both.first = arith::MaxSIOp::create(b, loc, a.first, c.first);
  if (a.beyond && c.beyond)
    both.beyond = arith::MinSIOp::create(b, loc, a.beyond, c.beyond);
  return both;
}

/// The same of a piece `by` elements further.
KernelEmitter::Kept KernelEmitter::further(const Kept &kept, Value by) {
  auto moved = [&](Value bound) -> Value {
    return bound ? arith::SubIOp::create(b, loc, bound, by).getResult() : bound;
  };
  return {moved(kept.first), moved(kept.beyond)};
}

/// Of a piece `away` elements from `place` the element that was dealt to the
/// lane, where it is kept.
void KernelEmitter::storeDealt(StoreOp op, const View &view, Value place,
                               Value away, Value digit, Value element,
                               const Kept &kept) {
  Value holds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, digit,
                                      kept.beyond);
  if (kept.first)
    holds = arith::AndIOp::create(
        b, loc, holds,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, digit,
                              kept.first));
  OpBuilder::InsertionGuard guard(b);
  enterIf(holds);
  Value at = arith::IndexCastOp::create(
      b, loc, b.getIndexType(), arith::AddIOp::create(b, loc, away, digit));
  writePart(op, view, arith::AddIOp::create(b, loc, place, at), element);
}

/// The piece that a thread's elements begin in, with those of the lane before;
/// what is before the first one of a warp's part of a row is another's.
void KernelEmitter::storeHead(StoreOp op, const View &view,
                              const StoredPiece &piece,
                              const RealignedOrder::Neighbour &previous) {
  Value isHead = previous.isOpen() ? isEndOfRow(previous, -1) : Value();
  if (!piece.ofHead) {
    Kept kept = piece.ofRow;
    if (previous.isOpen()) {
      Value begin =
          isHead
              ? arith::SelectOp::create(b, loc, isHead, piece.off, i32(0))
                    .getResult()
              : piece.off;
      kept = intersect(kept, {begin, Value()});
    }
    storePiece(op, view, piece.place, piece.words, kept);
    return;
  }
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        piece.off, i32(0));
  Value digit = digitOf(previous);
  Value away = arith::MulIOp::create(b, loc, digit, i32(-previous.span));
  int64_t width = *op.getRealigned();
  Kept behindOff = {piece.off, arith::SelectOp::create(b, loc, isWhole, i32(0),
                                                       i32(width))};
  storeDealt(op, view, piece.place, away, digit, piece.ofHead,
             intersect(behindOff, further(piece.ofRow, away)));
  Value isOther = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ne,
      arith::ExtUIOp::create(b, loc, b.getI32Type(), isHead), i32(1));
  OpBuilder::InsertionGuard guard(b);
  enterIf(arith::OrIOp::create(b, loc, isOther, isWhole));
  storePiece(op, view, piece.place, piece.words, piece.ofRow);
}

/// What is left of the last one of a warp's part of a row, in the piece behind.
void KernelEmitter::storeTail(StoreOp op, const View &view,
                              const StoredPiece &piece,
                              const RealignedOrder::Neighbour &next) {
  int64_t width = *op.getRealigned();
  Kept beforeOff = {Value(), piece.off};
  if (piece.ofTail) {
    Value digit = digitOf(next);
    Value away = arith::MulIOp::create(
        b, loc, arith::SubIOp::create(b, loc, i32(next.lanes - 1), digit),
        i32(next.span));
    away = arith::AddIOp::create(b, loc, away, i32(width));
    storeDealt(op, view, piece.place, away, digit, piece.ofTail,
               intersect(beforeOff, further(piece.ofRow, away)));
    return;
  }
  OpBuilder::InsertionGuard guard(b);
  enterIf(isEndOfRow(next, 1));
  storePiece(op, view,
             arith::AddIOp::create(b, loc, piece.place, index(width)),
             piece.behind,
             intersect(beforeOff, further(piece.ofRow, i32(width))));
}

LogicalResult KernelEmitter::emitRealignedStore(StoreOp op) {
  const View &view = views[op.getView()];
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  const LinearLayout &layout = getLayout(tile).getValue();
  Type stored = memoryType(tile.getElementType());
  int64_t width = *op.getRealigned(), unit = view.type.getUnit();
  if (layout.contiguousRegisters(tileDim(unit)) % width != 0)
    return op.emitOpError("realigns ")
           << width << " elements, of which threads have fewer side by side";
  RealignedOrder order(layout, unit, width);
  constexpr int64_t wordBits = 32;
  int64_t perWord = wordBits / stored.getIntOrFloatBitWidth(),
          count = width / perWord;
  const Values &values = registers[op.getValue()];
  Value isFirst = isFirstHolder(layout);
  llvm::DenseMap<int64_t, Values> pieces;
  SmallVector<int64_t> ownPieces;
  for (auto [number, first] : llvm::enumerate(firstReplicas(layout, width))) {
    int64_t reg = number * width;
    if (first != reg)
      continue;
    ownPieces.push_back(reg);
    Values elements;
    for (Value value : ValueRange(values).slice(reg, width))
      elements.push_back(toMemory(value));
    for (int64_t i = 0; i < width; i += perWord)
      pieces[reg].push_back(packWord(ValueRange(elements).slice(i, perWord)));
  }
  auto asWord = [&](Value number) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), number);
  };
  /// The words that begin `moved` elements within `front`.
  auto wordsFrom = [&](const Values &front, const Values &back, Value moved) {
    Values words = front;
    llvm::append_range(words, back);
    moveWords(words, moved, perWord);
    words.truncate(count);
    return words;
  };
  // Lanes at the ends have others store their elements where those are enough.
  auto isDealt = [&](const RealignedOrder::Neighbour &neighbour) {
    return neighbour.isOpen() && neighbour.lanes >= width;
  };
  for (int64_t reg : ownPieces) {
    const Values &own = pieces[reg];
    const RealignedOrder::Neighbour &previous = order.before[reg],
                                    &next = order.behind[reg];
    Chunk chunk = chunkOf(view, layout, reg, op.getCoordinates(),
                          op.getInBounds(), /*ragged=*/true);
    Value off = arith::AndIOp::create(b, loc, chunk.position, index(width - 1));
    StoredPiece piece;
    piece.place = arith::SubIOp::create(b, loc, chunk.position, off);
    piece.off = asWord(off);
    Value moved = arith::SubIOp::create(b, loc, i32(width), piece.off);
    Values before = own;
    if (previous.isOwn())
      before = pieces[previous.reg];
    else if (previous.lanes > 1)
      before = passWords(previous, -1, pieces[previous.reg],
                         previous.wrapped < 0
                             ? ArrayRef<Value>()
                             : ArrayRef<Value>(pieces[previous.wrapped]));
    piece.words = wordsFrom(before, own, moved);
    if (next.isOpen())
      piece.behind = wordsFrom(own, own, moved);
    // Lanes that store nothing give others what they have.
    if (isDealt(previous))
      piece.ofHead = dealElements(previous, -1, piece.words, stored);
    if (isDealt(next))
      piece.ofTail = dealElements(next, 1, piece.behind, stored);
    // Replicas, and rows beyond the tensor's, store nothing.
    OpBuilder::InsertionGuard guard(b);
    enterIf(isFirst);
    enterIf(chunk.isInside);
    if (chunk.unit) {
      Value at = asWord(arith::SubIOp::create(b, loc, chunk.unit, off));
      piece.ofRow = {arith::SubIOp::create(b, loc, i32(0), at),
                     arith::SubIOp::create(b, loc, asWord(view.sizes[unit]),
                                           at)};
    }
    storeHead(op, view, piece, previous);
    if (next.isOpen())
      storeTail(op, view, piece, next);
  }
  return success();
}
