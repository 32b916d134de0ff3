//===- GuardDivision.cpp - reference-guard-division -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Undefined.h"
#include "fusion/Reference/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace fusion {
#define GEN_PASS_DEF_REFERENCEGUARDDIVISION
#include "fusion/Reference/Passes.h.inc"
} // namespace fusion

using namespace mlir;

namespace {

struct GuardDivision : fusion::impl::ReferenceGuardDivisionBase<GuardDivision> {
  void runOnOperation() override {
    SmallVector<Operation *> divisions;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
              arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(
              op) &&
          !isHarmless(op->getOperand(1)))
        divisions.push_back(op);
    });
    for (Operation *op : divisions)
      guard(op);
  }

private:
  /// Whether no dividend makes a division by `divisor` trap.
  static bool isHarmless(Value divisor) {
    APInt constant;
    return matchPattern(divisor, m_ConstantInt(&constant)) &&
           !constant.isZero() && !constant.isAllOnes();
  }

  /// Zero, and for signed division minus one, whose quotient of the smallest
  /// number overflows, become one.
  void guard(Operation *op) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value dividend = op->getOperand(0), divisor = op->getOperand(1);
    auto type = dyn_cast<IntegerType>(divisor.getType());
    if (!type && !divisor.getType().isIndex())
      return;
    unsigned width = type ? type.getWidth() : 64;
    auto constant = [&](const APInt &value) -> Value {
      return arith::ConstantOp::create(
          b, loc, b.getIntegerAttr(divisor.getType(), value));
    };
    auto equals = [&](Value value, const APInt &number) -> Value {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value,
                                   constant(number));
    };
    Value traps = equals(divisor, APInt(width, 0));
    if (isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp,
            arith::FloorDivSIOp>(op)) {
      Value overflows = arith::AndIOp::create(
          b, loc, equals(divisor, APInt::getAllOnes(width)),
          equals(dividend, APInt::getSignedMinValue(width)));
      traps = arith::OrIOp::create(b, loc, traps, overflows);
    }
    scf::IfOp::create(b, loc, traps, [&](OpBuilder &inner, Location l) {
      func::CallOp::create(inner, l, fusion::undefinedCallee(getOperation()),
                           ValueRange());
      scf::YieldOp::create(inner, l);
    });
    op->setOperand(1, arith::SelectOp::create(
                          b, loc, traps, constant(APInt(width, 1)), divisor));
  }
};

} // namespace
