//===- MisalignedWords.cpp - Words of misaligned rows ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MisalignedWords.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

Value fusion::laneAlongRow(ThreadBuilder &b,
                           const MisalignedOrder::Neighbour &neighbour) {
  return arith::ShRUIOp::create(
      b, arith::AndIOp::create(b, b.lane(), b.i32(neighbour.mask())),
      b.i32(llvm::Log2_64(neighbour.distance)));
}

Value fusion::isEndOfRow(ThreadBuilder &b,
                         const MisalignedOrder::Neighbour &neighbour, int by) {
  if (neighbour.lanes == 1)
    return Value();
  int64_t mask = neighbour.mask();
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                               arith::AndIOp::create(b, b.lane(), b.i32(mask)),
                               b.i32(by > 0 ? mask : 0));
}

FailureOr<Values> fusion::passWords(ThreadBuilder &b, ThreadTarget &target,
                                    const MisalignedOrder::Neighbour &neighbour,
                                    int by, ArrayRef<Value> own,
                                    ArrayRef<Value> atEnd) {
  // The lane's digit along the row, to which `by` comes around.
  int64_t bits = neighbour.mask();
  Value mask = b.i32(bits);
  Value digit = arith::AndIOp::create(b, b.lane(), mask);
  Value source = arith::OrIOp::create(
      b, arith::AndIOp::create(b, b.lane(), b.i32(~bits)),
      arith::AndIOp::create(
          b, arith::AddIOp::create(b, digit, b.i32(by * neighbour.distance)),
          mask));
  // The lanes that the lanes at the end ask.
  Value isAsked;
  if (!atEnd.empty())
    isAsked = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, digit,
                                    by > 0 ? b.i32(0) : b.i32(bits));
  Values words;
  for (auto [number, word] : llvm::enumerate(own)) {
    Value given = isAsked
                      ? arith::SelectOp::create(b, isAsked, atEnd[number], word)
                            .getResult()
                      : word;
    FailureOr<Value> passed = target.shuffleIndex(b, given, source);
    if (failed(passed))
      return failure();
    words.push_back(*passed);
  }
  return words;
}

void fusion::moveWords(ThreadBuilder &b, ThreadTarget &target,
                       MutableArrayRef<Value> words, Value elements,
                       int64_t perWord) {
  int64_t count = words.size() / 2;
  for (int64_t step = count; step > 0; step /= 2) {
    Value bit = arith::AndIOp::create(b, elements, b.i32(step * perWord));
    Value moves =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, b.i32(0));
    for (size_t i = 0; i + step < words.size(); ++i)
      words[i] = arith::SelectOp::create(b, moves, words[i + step], words[i]);
  }
  if (perWord == 1)
    return;
  constexpr int64_t wordBits = 32;
  Value amount = arith::MulIOp::create(
      b, arith::AndIOp::create(b, elements, b.i32(perWord - 1)),
      b.i32(wordBits / perWord));
  for (int64_t i = 0; i < count; ++i)
    words[i] = target.funnelShift(b, words[i + 1], words[i], amount);
}
