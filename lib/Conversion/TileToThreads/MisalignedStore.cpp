//===- MisalignedStore.cpp - Aligned stores of misaligned rows ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MisalignedStore.h"
#include "GlobalAccess.h"
#include "MisalignedWords.h"
#include "Replicas.h"
#include "fusion/Conversion/TileToThreads/StoredElements.h"
#include "fusion/Conversion/TileToThreads/Words.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

constexpr int64_t kWordBits = 32;

namespace {

/// The elements `first` to `beyond` - 1 of a piece, as i32. A null bound does
/// not limit the range.
struct ElementRange {
  Value first, beyond;
};

/// An aligned piece of a row that a thread stores.
struct StoredPiece {
  Value place;   ///< first element, a multiple of `width`
  Value off;     ///< elements before the thread's first, i32
  Values words;  ///< of the piece
  Values behind; ///< of the next piece, if no other lane stores it
  /// The element that this lane stores for the row's first or last lane; null
  /// if that lane stores its piece by itself.
  Value ofHead, ofTail;
  ElementRange ofRow; ///< elements of the piece inside of the view
};

/// Emits one misaligned tile.store.
class MisalignedStore {
public:
  MisalignedStore(StoreOp op, KernelEmitter &e)
      : op(op), e(e), b(e.builder()), view(e.view(op.getView())),
        width(*op.getMisaligned()),
        stored(memoryType(
            cast<RankedTensorType>(op.getValue().getType()).getElementType())) {
  }

  LogicalResult emit();

private:
  using Neighbour = MisalignedOrder::Neighbour;

  /// Stores the piece that contains a thread's first element, together with the
  /// elements of the lane before. Elements before a warp's part of a row belong
  /// to another warp and are not stored.
  void storeHead(const StoredPiece &piece, const Neighbour &previous);
  /// Stores the last elements of a warp's part of a row, which are in the piece
  /// after its last one.
  void storeTail(const StoredPiece &piece, const Neighbour &next);
  /// Returns one element for each lane along the row. The first lanes get, in
  /// order, the elements of the piece of the lane at the row's end (`by` 1) or
  /// at its begin (-1).
  FailureOr<Value> exchangeElements(const Neighbour &neighbour, int by,
                                    ArrayRef<Value> words);
  /// Stores the elements `kept` of the piece at element `place`, a multiple of
  /// `width`: as a whole, or in halves, and halves of these.
  void storePiece(Value place, ArrayRef<Value> words, const ElementRange &kept);
  /// Stores the lane's element from exchangeElements if it is in `kept`. It is
  /// element `digit` of the piece that begins `away` elements after `place`.
  void storeExchanged(Value place, Value away, Value digit, Value element,
                      const ElementRange &kept);
  ElementRange intersect(const ElementRange &a, const ElementRange &c);
  /// Returns the range counted from `by` elements further on.
  ElementRange further(const ElementRange &kept, Value by);

  StoreOp op;
  KernelEmitter &e;
  ThreadBuilder &b;
  const TensorView &view;
  int64_t width; ///< of a piece, in elements
  Type stored;   ///< element type in memory
};

} // namespace

FailureOr<Value> MisalignedStore::exchangeElements(const Neighbour &neighbour,
                                                   int by,
                                                   ArrayRef<Value> words) {
  int64_t mask = neighbour.mask();
  Value owner = arith::AndIOp::create(b, b.lane(), b.i32(~mask));
  if (by > 0)
    owner = arith::OrIOp::create(b, owner, b.i32(mask));
  Values given;
  for (Value word : words) {
    FailureOr<Value> passed = e.target().shuffleIndex(b, word, owner);
    if (failed(passed))
      return failure();
    given.push_back(*passed);
  }
  // The bits of the digit select the word, and the element in it.
  Value digit = laneAlongRow(b, neighbour);
  auto choose = [&](Values among, int64_t perOne) -> Value {
    for (int64_t step = perOne; among.size() > 1; step *= 2) {
      Value bit = arith::AndIOp::create(b, digit, b.i32(step));
      Value isOdd =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, b.i32(0));
      for (size_t i = 0; i < among.size() / 2; ++i)
        among[i] =
            arith::SelectOp::create(b, isOdd, among[2 * i + 1], among[2 * i]);
      among.truncate(among.size() / 2);
    }
    return among.front();
  };
  Value word = choose(given, kWordBits / stored.getIntOrFloatBitWidth());
  return choose(unpackWord(b, word, stored), 1);
}

void MisalignedStore::storePiece(Value place, ArrayRef<Value> words,
                                 const ElementRange &kept) {
  int64_t perWord = width / words.size();
  // Words are unpacked where they are stored; whole pieces need no unpacking.
  auto elementsOf = [&](int64_t begin, int64_t size) {
    Values elements;
    for (Value word :
         words.slice(begin / perWord, llvm::divideCeil(size, perWord)))
      llvm::append_range(elements, unpackWord(b, word, stored));
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
      Value holds = arith::CmpIOp::create(b, predicate, b.i32(at), bound);
      isWhole = b.both(isWhole, holds);
    };
    require(arith::CmpIPredicate::sge, begin, kept.first);
    require(arith::CmpIPredicate::sle, begin + size, kept.beyond);
    scf::IfOp branch;
    if (isWhole) {
      branch = scf::IfOp::create(b, isWhole, /*withElseRegion=*/size > 1);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    storeElements(e, op, view, arith::AddIOp::create(b, place, b.index(begin)),
                  elementsOf(begin, size));
    if (!isWhole || size == 1)
      return;
    b.setInsertionPointToStart(branch.elseBlock());
    store(begin, size / 2);
    store(begin + size / 2, size / 2);
  };
  store(0, width);
}

ElementRange MisalignedStore::intersect(const ElementRange &a,
                                        const ElementRange &c) {
  ElementRange both = {a.first ? a.first : c.first,
                       a.beyond ? a.beyond : c.beyond};
  if (a.first && c.first)
    both.first = arith::MaxSIOp::create(b, a.first, c.first);
  if (a.beyond && c.beyond)
    both.beyond = arith::MinSIOp::create(b, a.beyond, c.beyond);
  return both;
}

ElementRange MisalignedStore::further(const ElementRange &kept, Value by) {
  auto moved = [&](Value bound) -> Value {
    return bound ? arith::SubIOp::create(b, bound, by).getResult() : bound;
  };
  return {moved(kept.first), moved(kept.beyond)};
}

void MisalignedStore::storeExchanged(Value place, Value away, Value digit,
                                     Value element, const ElementRange &kept) {
  Value holds =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, digit, kept.beyond);
  if (kept.first)
    holds = arith::AndIOp::create(
        b, holds,
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, digit, kept.first));
  OpBuilder::InsertionGuard guard(b);
  b.enterIf(holds);
  Value at = arith::IndexCastOp::create(b, b.getIndexType(),
                                        arith::AddIOp::create(b, away, digit));
  storeElements(e, op, view, arith::AddIOp::create(b, place, at), element);
}

void MisalignedStore::storeHead(const StoredPiece &piece,
                                const Neighbour &previous) {
  Value isHead = previous.isOpen() ? isEndOfRow(b, previous, -1) : Value();
  if (!piece.ofHead) {
    ElementRange kept = piece.ofRow;
    if (previous.isOpen()) {
      Value begin =
          isHead ? arith::SelectOp::create(b, isHead, piece.off, b.i32(0))
                       .getResult()
                 : piece.off;
      kept = intersect(kept, {begin, Value()});
    }
    storePiece(piece.place, piece.words, kept);
    return;
  }
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, piece.off, b.i32(0));
  Value digit = laneAlongRow(b, previous);
  Value away = arith::MulIOp::create(b, digit, b.i32(-previous.span));
  ElementRange behindOff = {
      piece.off, arith::SelectOp::create(b, isWhole, b.i32(0), b.i32(width))};
  storeExchanged(piece.place, away, digit, piece.ofHead,
                 intersect(behindOff, further(piece.ofRow, away)));
  Value isOther = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne,
      arith::ExtUIOp::create(b, b.getI32Type(), isHead), b.i32(1));
  OpBuilder::InsertionGuard guard(b);
  b.enterIf(arith::OrIOp::create(b, isOther, isWhole));
  storePiece(piece.place, piece.words, piece.ofRow);
}

void MisalignedStore::storeTail(const StoredPiece &piece,
                                const Neighbour &next) {
  ElementRange beforeOff = {Value(), piece.off};
  if (piece.ofTail) {
    Value digit = laneAlongRow(b, next);
    Value away = arith::MulIOp::create(
        b, arith::SubIOp::create(b, b.i32(next.lanes - 1), digit),
        b.i32(next.span));
    away = arith::AddIOp::create(b, away, b.i32(width));
    storeExchanged(piece.place, away, digit, piece.ofTail,
                   intersect(beforeOff, further(piece.ofRow, away)));
    return;
  }
  OpBuilder::InsertionGuard guard(b);
  b.enterIf(isEndOfRow(b, next, 1));
  storePiece(arith::AddIOp::create(b, piece.place, b.index(width)),
             piece.behind,
             intersect(beforeOff, further(piece.ofRow, b.i32(width))));
}

LogicalResult MisalignedStore::emit() {
  const LinearLayout &layout = getLayout(op.getValue().getType()).getValue();
  int64_t unit = view.type.getUnit();
  if (layout.contiguousRegisters(tileDim(unit)) % width != 0)
    return op.emitOpError("has misaligned accesses of ")
           << width << " elements, of which threads have fewer side by side";
  MisalignedOrder order(layout, unit, width);
  int64_t perWord = kWordBits / stored.getIntOrFloatBitWidth(),
          count = width / perWord;
  const Values &values = e.registers(op.getValue());
  Value isOperandA = b.isFirstHolder(layout);
  llvm::DenseMap<int64_t, Values> pieces;
  SmallVector<int64_t> ownPieces;
  for (auto [number, first] : llvm::enumerate(firstReplicas(layout, width))) {
    int64_t reg = number * width;
    if (first != reg)
      continue;
    ownPieces.push_back(reg);
    Values elements;
    for (Value value : ValueRange(values).slice(reg, width))
      elements.push_back(toMemory(b, value));
    for (int64_t i = 0; i < width; i += perWord)
      pieces[reg].push_back(
          packWord(b, ValueRange(elements).slice(i, perWord)));
  }
  auto asWord = [&](Value number) -> Value {
    return arith::IndexCastOp::create(b, b.getI32Type(), number);
  };
  // The words that begin `moved` elements after the begin of `front`.
  auto wordsFrom = [&](const Values &front, const Values &back, Value moved) {
    Values words = front;
    llvm::append_range(words, back);
    moveWords(b, e.target(), words, moved, perWord);
    words.truncate(count);
    return words;
  };
  // The lanes at the ends exchange their elements if there are enough lanes.
  auto isExchanged = [&](const Neighbour &neighbour) {
    return neighbour.isOpen() && neighbour.lanes >= width;
  };
  for (int64_t reg : ownPieces) {
    const Values &own = pieces[reg];
    const Neighbour &previous = order.before[reg], &next = order.behind[reg];
    Chunk chunk = locateChunk(e, view, layout, reg, op.getCoordinates(),
                              op.getInBounds(), /*ragged=*/true);
    Value off = arith::AndIOp::create(b, chunk.position, b.index(width - 1));
    StoredPiece piece;
    piece.place = arith::SubIOp::create(b, chunk.position, off);
    piece.off = asWord(off);
    Value moved = arith::SubIOp::create(b, b.i32(width), piece.off);
    Values before = own;
    if (previous.isOwn())
      before = pieces[previous.reg];
    else if (previous.lanes > 1) {
      FailureOr<Values> passed = passWords(
          b, e.target(), previous, -1, pieces[previous.reg],
          previous.wrapped < 0 ? ArrayRef<Value>()
                               : ArrayRef<Value>(pieces[previous.wrapped]));
      if (failed(passed))
        return failure();
      before = std::move(*passed);
    }
    piece.words = wordsFrom(before, own, moved);
    if (next.isOpen())
      piece.behind = wordsFrom(own, own, moved);
    // Lanes that store nothing take part in the exchange.
    if (isExchanged(previous)) {
      FailureOr<Value> dealt = exchangeElements(previous, -1, piece.words);
      if (failed(dealt))
        return failure();
      piece.ofHead = *dealt;
    }
    if (isExchanged(next)) {
      FailureOr<Value> dealt = exchangeElements(next, 1, piece.behind);
      if (failed(dealt))
        return failure();
      piece.ofTail = *dealt;
    }
    // Replicas, and rows outside of the tensor, store nothing.
    OpBuilder::InsertionGuard guard(b);
    b.enterIf(isOperandA);
    b.enterIf(chunk.isInside);
    if (chunk.unit) {
      Value at = asWord(arith::SubIOp::create(b, chunk.unit, off));
      piece.ofRow = {arith::SubIOp::create(b, b.i32(0), at),
                     arith::SubIOp::create(b, asWord(view.sizes[unit]), at)};
    }
    storeHead(piece, previous);
    if (next.isOpen())
      storeTail(piece, next);
  }
  return success();
}

LogicalResult fusion::emitMisalignedStore(StoreOp op, KernelEmitter &e) {
  return MisalignedStore(op, e).emit();
}
