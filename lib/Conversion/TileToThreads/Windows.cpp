//===- Windows.cpp - Accesses through a window ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// The terms of a sum, without its constants, which are added up.
static void collectTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &terms,
                         int64_t &constant) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant += number.getValue();
    return;
  }
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add) {
    terms.push_back(expr);
    return;
  }
  collectTerms(sum.getLHS(), terms, constant);
  collectTerms(sum.getRHS(), terms, constant);
}

/// The value of a term, 32 bits. A tile that begins at a multiple of its size
/// and does not reach beyond one value of a digit has that of its first
/// element.
static Value windowTerm(KernelEmitter &e, AffineExpr term,
                        ArrayRef<WindowCoordinate> coordinates,
                        ValueRange symbols) {
  ThreadBuilder &b = e.builder();
  Type type = b.getI32Type();
  auto narrow = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, type, value);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 32);
  };
  auto divided = [&](Value value, int64_t divisor, int64_t period) -> Value {
    if (divisor != 1)
      value = arith::DivUIOp::create(b, value, constant(divisor));
    if (period != 0)
      value = arith::RemUIOp::create(b, value, constant(period));
    return value;
  };
  int64_t coefficient = 1, period = 0, divisor = 1;
  AffineExpr rest = term;
  auto strip = [&](AffineExprKind kind) -> int64_t {
    auto binary = dyn_cast<AffineBinaryOpExpr>(rest);
    if (!binary || binary.getKind() != kind)
      return 0;
    rest = binary.getLHS();
    return cast<AffineConstantExpr>(binary.getRHS()).getValue();
  };
  if (int64_t by = strip(AffineExprKind::Mul))
    coefficient = by;
  period = strip(AffineExprKind::Mod);
  if (int64_t by = strip(AffineExprKind::FloorDiv))
    divisor = by;
  Value value;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(rest)) {
    value = divided(narrow(e.scalar(symbols[symbol.getPosition()])), divisor,
                    period);
  } else if (auto dim = dyn_cast<AffineDimExpr>(rest)) {
    const WindowCoordinate &at = coordinates[dim.getPosition()];
    Value origin = narrow(at.origin);
    auto offset = [&]() -> Value {
      return narrow(b.addConstant(at.thread, at.fixed));
    };
    if (divisor != 1 && divisor % at.size == 0)
      value = divided(origin, divisor, period);
    else if (divisor == 1 && period % at.size == 0)
      value = arith::AddIOp::create(b, divided(origin, 1, period), offset());
    else
      value =
          divided(arith::AddIOp::create(b, origin, offset()), divisor, period);
  } else {
    // Digits of sums: from the whole expression.
    auto evaluate = [&](auto &&self, AffineExpr expr) -> Value {
      if (auto number = dyn_cast<AffineConstantExpr>(expr))
        return constant(number.getValue());
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      if (!binary)
        return windowTerm(e, expr, coordinates, symbols);
      Value lhs = self(self, binary.getLHS()),
            rhs = self(self, binary.getRHS());
      switch (binary.getKind()) {
      case AffineExprKind::Add:
        return arith::AddIOp::create(b, lhs, rhs);
      case AffineExprKind::Mul:
        return arith::MulIOp::create(b, lhs, rhs);
      case AffineExprKind::Mod:
        return arith::RemUIOp::create(b, lhs, rhs);
      default:
        return arith::DivUIOp::create(b, lhs, rhs);
      }
    };
    return evaluate(evaluate, term);
  }
  if (coefficient != 1)
    value = arith::MulIOp::create(b, value, constant(coefficient));
  return value;
}

Chunk fusion::locateInWindow(KernelEmitter &e, const TensorView &view,
                             ArrayRef<WindowCoordinate> coordinates) {
  ThreadBuilder &b = e.builder();
  WindowOp op = view.window;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 32);
  };
  // By coordinate, and of symbols.
  SmallVector<Value> parts(coordinates.size() + 1);
  auto addTo = [&](Value &sum, Value value) {
    sum = sum ? arith::AddIOp::create(b, sum, value).getResult() : value;
  };
  auto partOf = [&](AffineExpr term) {
    for (unsigned d = 0; d < coordinates.size(); ++d)
      if (term.isFunctionOfDim(d))
        return d;
    return static_cast<unsigned>(coordinates.size());
  };
  SmallVector<int64_t> strides(op.getShape().size(), 1);
  for (unsigned d = strides.size(); d-- > 1;)
    strides[d - 1] = strides[d] * op.getShape()[d];
  // Places in the padding are a small part of the memory before and after it.
  int64_t elements = strides.front() * op.getShape().front();
  bool isNarrow = elements < (int64_t(1) << 29);
  Type placeType = isNarrow ? Type(b.getI32Type()) : b.getIndexType();
  auto place = [&](int64_t value) -> Value {
    return isNarrow ? constant(value) : b.index(value);
  };
  Chunk chunk;
  int64_t fixed = 0;
  for (auto [d, expr] : llvm::enumerate(op.getMap().getResults())) {
    SmallVector<AffineExpr> terms;
    int64_t first = 0;
    collectTerms(expr, terms, first);
    fixed += first * strides[d];
    SmallVector<Value> indices(coordinates.size() + 1);
    for (AffineExpr term : terms)
      addTo(indices[partOf(term)],
            windowTerm(e, term, coordinates, op.getSymbols()));
    Value index;
    for (auto [part, own] : llvm::zip_equal(parts, indices)) {
      if (!own)
        continue;
      addTo(index, own);
      Value wide =
          isNarrow ? own
                   : arith::IndexCastOp::create(b, placeType, own).getResult();
      if (strides[d] != 1)
        wide = arith::MulIOp::create(b, wide, place(strides[d]));
      addTo(part, wide);
    }
    if (!llvm::is_contained(op.getBounded(), static_cast<int64_t>(d)))
      continue;
    if (!index)
      index = constant(0);
    if (first != 0)
      index = arith::AddIOp::create(b, index, constant(first));
    // What is negative is large without its sign.
    Value below = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index,
                                        constant(op.getShape()[d]));
    chunk.isInside = b.both(chunk.isInside, below);
  }
  Value position;
  for (Value part : parts)
    if (part)
      addTo(position, part);
  if (!position)
    position = place(0);
  // It may be negative: no promise of what does not wrap.
  if (fixed != 0)
    position = arith::AddIOp::create(b, position, place(fixed));
  chunk.position =
      isNarrow ? arith::IndexCastOp::create(b, b.getIndexType(), position)
                     .getResult()
               : position;
  return chunk;
}
