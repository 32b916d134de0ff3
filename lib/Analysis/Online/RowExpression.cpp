//===- RowExpression.cpp - Expressions over values of rows ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Online/OnlineReduction.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fusion;

using Kind = RowExpression::Kind;

Value fusion::emitRowOperation(OpBuilder &b, Location loc, Kind kind,
                               llvm::function_ref<Value(unsigned)> operand) {
  Value first = operand(0);
  switch (kind) {
  case Kind::Neg:
    return arith::NegFOp::create(b, loc, first);
  case Kind::Abs:
    return math::AbsFOp::create(b, loc, first);
  case Kind::Sqrt:
    return math::SqrtOp::create(b, loc, first);
  case Kind::Rsqrt:
    return math::RsqrtOp::create(b, loc, first);
  case Kind::Exp:
    return math::ExpOp::create(b, loc, first);
  case Kind::Exp2:
    return math::Exp2Op::create(b, loc, first);
  case Kind::Log:
    return math::LogOp::create(b, loc, first);
  case Kind::Add:
    return arith::AddFOp::create(b, loc, first, operand(1));
  case Kind::Sub:
    return arith::SubFOp::create(b, loc, first, operand(1));
  case Kind::Mul:
    return arith::MulFOp::create(b, loc, first, operand(1));
  case Kind::Div:
    return arith::DivFOp::create(b, loc, first, operand(1));
  case Kind::Before:
  case Kind::After:
  case Kind::Scalar:
    break;
  }
  llvm_unreachable("not an operation");
}

bool fusion::isSame(const RowExpressionRef &a, const RowExpressionRef &b) {
  if (a == b)
    return true;
  if (!a || !b || a->kind != b->kind || a->reduction != b->reduction ||
      a->scalar != b->scalar || a->op != b->op)
    return false;
  return isSame(a->operands[0], b->operands[0]) &&
         isSame(a->operands[1], b->operands[1]);
}

std::string fusion::print(const RowExpressionRef &expression) {
  auto operand = [&](unsigned i) { return print(expression->operands[i]); };
  auto call = [&](const char *name) {
    return std::string(name) + "(" + operand(0) + ")";
  };
  auto infix = [&](const char *sign) {
    return "(" + operand(0) + " " + sign + " " + operand(1) + ")";
  };
  if (!expression)
    return "1";
  switch (expression->kind) {
  case Kind::Before:
    return "before " + std::to_string(expression->reduction);
  case Kind::After:
    return "after " + std::to_string(expression->reduction);
  case Kind::Scalar:
    return "scalar of operator " + std::to_string(expression->op);
  case Kind::Neg:
    return "-" + operand(0);
  case Kind::Abs:
    return call("abs");
  case Kind::Sqrt:
    return call("sqrt");
  case Kind::Rsqrt:
    return call("rsqrt");
  case Kind::Exp:
    return call("exp");
  case Kind::Exp2:
    return call("exp2");
  case Kind::Log:
    return call("log");
  case Kind::Add:
    return infix("+");
  case Kind::Sub:
    return infix("-");
  case Kind::Mul:
    return infix("*");
  case Kind::Div:
    return infix("/");
  }
  llvm_unreachable("covered switch");
}
