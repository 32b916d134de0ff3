//===- MisalignedLoad.cpp - Aligned loads of misaligned rows --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MisalignedLoad.h"
#include "GlobalAccess.h"
#include "MisalignedWords.h"
#include "Replicas.h"
#include "fusion/Conversion/TileToThreads/StoredElements.h"
#include "fusion/Conversion/TileToThreads/Words.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// Loads the vector at element `place`, a multiple of its width, as 32-bit
/// words. Returns zeros if it is outside of the row or of the memory, which has
/// `within` elements, or if `condition` is given and false. `unit` is the
/// coordinate of the vector's first element, null if the vector is known to be
/// needed.
static Value loadWords(KernelEmitter &e, const TensorView &view,
                       VectorType type, Value place, Value unit,
                       Value condition, int64_t within) {
  ThreadBuilder &b = e.builder();
  int64_t width = type.getNumElements();
  Type element = type.getElementType();
  constexpr int64_t wordBits = 32;
  auto words = VectorType::get(
      {width * element.getIntOrFloatBitWidth() / wordBits}, b.getI32Type());
  if (unit)
    condition = b.both(condition, overlaps(b, view, unit, width));
  auto compare = [&](arith::CmpIPredicate predicate, int64_t bound) -> Value {
    return arith::CmpIOp::create(b, predicate, place, b.index(bound));
  };
  condition = b.both(condition, compare(arith::CmpIPredicate::sge, 0));
  condition = b.both(condition, compare(arith::CmpIPredicate::slt, within));
  auto read = [&](int64_t first, int64_t size) -> Value {
    auto part = VectorType::get({size}, element);
    return vector::LoadOp::create(
        b, part, view.memory,
        arith::AddIOp::create(b, place, b.index(first)).getResult(),
        /*nontemporal=*/false,
        llvm::MaybeAlign(size * element.getIntOrFloatBitWidth() / 8));
  };
  auto asWords = [&](Value loaded) -> Value {
    if (!element.isSignlessInteger() && element.getIntOrFloatBitWidth() == 8)
      loaded = arith::BitcastOp::create(b, type.clone(b.getI8Type()), loaded);
    Value all = vector::BitCastOp::create(b, words, loaded);
    return e.target().asWhole(b, all);
  };
  auto zeros = [&]() -> Value {
    return arith::ConstantOp::create(b, b.getZeroAttr(words));
  };
  auto whole = [&] { return asWords(read(0, width)); };
  // The number of elements after the last whole vector of the memory.
  int64_t rest = within % width;
  auto last = [&]() -> Value {
    SmallVector<Value> elements;
    for (int64_t size = width / 2; size > 0; size /= 2) {
      if (!(rest & size))
        continue;
      Value part = read(elements.size(), size);
      for (int64_t i = 0; i < size; ++i)
        elements.push_back(vector::ExtractOp::create(b, part, i));
    }
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
    elements.resize(width, zero);
    return asWords(vector::FromElementsOp::create(b, type, elements));
  };
  return b.ifElse(
      words, condition,
      [&] {
        return rest == 0 ? whole()
                         : b.ifElse(words,
                                    compare(arith::CmpIPredicate::sle,
                                            within - width),
                                    whole, last);
      },
      zeros);
}

namespace {

/// Emits one misaligned tile.load.
class MisalignedLoad {
public:
  MisalignedLoad(LoadOp op, KernelEmitter &e)
      : op(op), e(e), b(e.builder()), view(e.view(op.getView())),
        layout(getLayout(op.getType()).getValue()),
        type(VectorType::get({static_cast<int64_t>(*op.getMisaligned())},
                             memoryType(op.getType().getElementType()))),
        order(layout, view.type.getUnit(), width) {}

  LogicalResult emit();

private:
  using Neighbour = MisalignedOrder::Neighbour;

  /// An aligned vector of a row, as 32-bit words.
  struct Piece {
    Chunk chunk; ///< position of the thread's first element
    Value off;   ///< elements of the piece before the thread's first
    Value place; ///< first element of the piece
    Value at; ///< the coordinate of its first element, null if none is needed
    Values words;
  };

  /// Loads the piece that contains the thread's element in register `reg`.
  void loadPiece(int64_t reg);
  /// Loads the piece after that of `reg`, for the lane at the row's end, which
  /// cannot get it from another lane.
  Value loadBehind(int64_t reg);
  /// Returns the words of the piece after that of `reg`.
  FailureOr<Values> wordsBehind(int64_t reg);

  LoadOp op;
  KernelEmitter &e;
  ThreadBuilder &b;
  const TensorView &view;
  LinearLayout layout;
  VectorType type; ///< of a piece, in memory
  int64_t width = type.getNumElements();
  int64_t perWord = 32 / type.getElementTypeBitWidth(); ///< elements
  MisalignedOrder order;
  llvm::DenseMap<int64_t, Piece> pieces; ///< by first register
  llvm::DenseMap<int64_t, Value> behind; ///< by first register
};

} // namespace

void MisalignedLoad::loadPiece(int64_t reg) {
  Piece &piece = pieces[reg];
  piece.chunk = locateChunk(e, view, layout, reg, op.getCoordinates(),
                            op.getInBounds(), /*ragged=*/true);
  piece.off =
      arith::AndIOp::create(b, piece.chunk.position, b.index(width - 1));
  piece.place = arith::SubIOp::create(b, piece.chunk.position, piece.off);
  if (piece.chunk.unit)
    piece.at = arith::SubIOp::create(b, piece.chunk.unit, piece.off);
  Value own = loadWords(e, view, type, piece.place, piece.at,
                        piece.chunk.isInside, *op.getWithin());
  for (int64_t i = 0; i < width / perWord; ++i)
    piece.words.push_back(vector::ExtractOp::create(b, own, i));
}

Value MisalignedLoad::loadBehind(int64_t reg) {
  const Piece &piece = pieces[reg];
  Value isOff =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, piece.off, b.index(0));
  return loadWords(
      e, view, type, arith::AddIOp::create(b, piece.place, b.index(width)),
      piece.at ? arith::AddIOp::create(b, piece.at, b.index(width)).getResult()
               : piece.at,
      b.both(b.both(isEndOfRow(b, order.behind[reg], 1), isOff),
             piece.chunk.isInside),
      *op.getWithin());
}

FailureOr<Values> MisalignedLoad::wordsBehind(int64_t reg) {
  const Neighbour &neighbour = order.behind[reg];
  Values next;
  if (neighbour.isOwn()) {
    next = pieces[neighbour.reg].words;
  } else if (neighbour.lanes > 1) {
    FailureOr<Values> passed =
        passWords(b, e.target(), neighbour, 1, pieces[neighbour.reg].words,
                  neighbour.wrapped < 0
                      ? ArrayRef<Value>()
                      : ArrayRef<Value>(pieces[neighbour.wrapped].words));
    if (failed(passed))
      return failure();
    next = std::move(*passed);
  }
  if (!neighbour.isOpen())
    return next;
  for (int64_t i = 0; i < width / perWord; ++i) {
    Value word = vector::ExtractOp::create(b, behind[reg], i);
    if (next.size() > size_t(i))
      next[i] = arith::SelectOp::create(b, isEndOfRow(b, neighbour, 1), word,
                                        next[i]);
    else
      next.push_back(word);
  }
  return next;
}

LogicalResult MisalignedLoad::emit() {
  SmallVector<int64_t> firsts = firstReplicas(layout, width);
  auto forEachPiece = [&](llvm::function_ref<void(int64_t)> visit) {
    for (auto [number, first] : llvm::enumerate(firsts))
      if (int64_t reg = number * width; first == reg)
        visit(reg);
  };
  // All loads are in flight before the first one is needed.
  forEachPiece([&](int64_t reg) { loadPiece(reg); });
  forEachPiece([&](int64_t reg) {
    if (order.behind[reg].isOpen())
      behind[reg] = loadBehind(reg);
  });
  Type element = op.getType().getElementType();
  Values results(layout.inSize(LayoutDim::Register));
  for (auto [number, first] : llvm::enumerate(firsts)) {
    int64_t reg = number * width;
    if (first != reg) {
      for (int64_t i = 0; i < width; ++i)
        results[reg + i] = results[first + i];
      continue;
    }
    FailureOr<Values> next = wordsBehind(reg);
    if (failed(next))
      return failure();
    Values words(pieces[reg].words);
    llvm::append_range(words, *next);
    moveWords(b, e.target(), words,
              arith::IndexCastOp::create(b, b.getI32Type(), pieces[reg].off),
              perWord);
    for (int64_t i = 0; i < width; i += perWord)
      for (auto [k, value] : llvm::enumerate(
               unpackWord(b, words[i / perWord], type.getElementType())))
        results[reg + i + k] = fromMemory(b, value, element);
  }
  e.setRegisters(op, std::move(results));
  return success();
}

LogicalResult fusion::emitMisalignedLoad(LoadOp op, KernelEmitter &e) {
  const LinearLayout &layout = getLayout(op.getType()).getValue();
  int64_t width = *op.getMisaligned(), unit = op.getView().getType().getUnit();
  if (layout.contiguousRegisters(tileDim(unit)) % width != 0)
    return op.emitOpError("has misaligned accesses of ")
           << width << " elements, of which threads have fewer side by side";
  return MisalignedLoad(op, e).emit();
}
