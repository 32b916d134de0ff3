//===- DeviceFunctions.cpp - Calls of functions that translation links ----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/MathFunctions/DeviceFunctions.h"
#include "fusion/Target/DeviceMath/DeviceMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace {

/// Where the sign of a result comes from: libclc loses that of a zero.
enum class Sign {
  Function, ///< the function's result has it
  Argument, ///< it is the argument's
  Zero      ///< a zero is its own result
};

/// Lowers functions of f64, and some of f32, to calls of the device functions
/// that translation to PTX links.
template <typename Op> struct ToDeviceFunction : OpRewritePattern<Op> {
  ToDeviceFunction(MLIRContext *context, StringRef name, Sign sign)
      : OpRewritePattern<Op>(context, /*benefit=*/20), name(name), sign(sign) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    // The name ends with the types of the parameters, of which the first is the
    // result's, too.
    Type type = op.getType();
    size_t parameters = op->getNumOperands();
    if (!(name[name.size() - parameters] == 'd' ? type.isF64() : type.isF32()))
      return failure();
    SmallVector<Value> operands(op->getOperands());
    // pown takes an int.
    if (operands.size() == 2 && isa<IntegerType>(operands[1].getType()) &&
        !operands[1].getType().isInteger(32))
      return failure();
    Operation *module = SymbolTable::getNearestSymbolTable(op);
    if (!SymbolTable::lookupSymbolIn(module, name)) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&module->getRegion(0).front());
      SmallVector<Type> types(ValueRange(operands).getTypes());
      LLVM::LLVMFuncOp::create(b, module->getLoc(), name,
                               LLVM::LLVMFunctionType::get(type, types));
    }
    Location loc = op.getLoc();
    Value x = operands[0];
    Value result = LLVM::CallOp::create(b, loc, TypeRange(type), name, operands)
                       .getResult();
    if (sign == Sign::Argument)
      result = math::CopySignOp::create(b, loc, result, x);
    if (sign == Sign::Zero) {
      Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0.0));
      Value isZero =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, zero);
      result = arith::SelectOp::create(b, loc, isZero, x, result);
    }
    b.replaceOp(op, result);
    return success();
  }
  StringRef name;
  Sign sign;
};

/// Limits the exponent of powers. The product y log(x) of libclc's power
/// overflows for large y, and the result then has the wrong sign. Powers are
/// equal for all |y| from 2^65 on: such y are even integers, and even for the
/// neighbours of 1 the result is zero or infinite.
struct ModeratePower : OpRewritePattern<math::PowFOp> {
  ModeratePower(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/30) {}
  static constexpr StringLiteral kIsModerate = "fusion.moderate";
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &b) const override {
    if (!op.getType().isF64() || op->hasAttr(kIsModerate))
      return failure();
    Location loc = op.getLoc();
    Value y = op.getRhs();
    Value limit = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(0x1p65));
    Value isLarge =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                              math::AbsFOp::create(b, loc, y), limit);
    Value most = math::CopySignOp::create(b, loc, limit, y);
    Value moderate = arith::SelectOp::create(b, loc, isLarge, most, y);
    b.modifyOpInPlace(op, [&] {
      op.getRhsMutable().assign(moderate);
      op->setDiscardableAttr(kIsModerate, b.getUnitAttr());
    });
    return success();
  }
};

template <typename Op>
void addDeviceFunction(RewritePatternSet &patterns, StringRef name,
                       Sign sign = Sign::Function) {
  assert(fusion::isDeviceFunction(name) && "no such device function");
  patterns.add<ToDeviceFunction<Op>>(patterns.getContext(), name, sign);
}

} // namespace

void fusion::populateDeviceFunctions(RewritePatternSet &patterns) {
  patterns.add<ModeratePower>(patterns.getContext());
  addDeviceFunction<math::AcosOp>(patterns, "_Z4acosd");
  addDeviceFunction<math::AcoshOp>(patterns, "_Z5acoshd");
  addDeviceFunction<math::AsinOp>(patterns, "_Z4asind", Sign::Argument);
  addDeviceFunction<math::AsinhOp>(patterns, "_Z5asinhd", Sign::Argument);
  addDeviceFunction<math::AtanOp>(patterns, "_Z4atand", Sign::Argument);
  addDeviceFunction<math::Atan2Op>(patterns, "_Z5atan2dd");
  addDeviceFunction<math::AtanhOp>(patterns, "_Z5atanhd", Sign::Argument);
  addDeviceFunction<math::CbrtOp>(patterns, "_Z4cbrtd", Sign::Argument);
  addDeviceFunction<math::CosOp>(patterns, "_Z3cosd");
  addDeviceFunction<math::CoshOp>(patterns, "_Z4coshd");
  addDeviceFunction<math::ErfOp>(patterns, "_Z3erfd", Sign::Argument);
  addDeviceFunction<math::ErfcOp>(patterns, "_Z4erfcd");
  addDeviceFunction<math::ExpOp>(patterns, "_Z3expd");
  addDeviceFunction<math::Exp2Op>(patterns, "_Z4exp2d");
  addDeviceFunction<math::ExpM1Op>(patterns, "_Z5expm1d", Sign::Argument);
  addDeviceFunction<math::FPowIOp>(patterns, "_Z4powndi");
  addDeviceFunction<math::LogOp>(patterns, "_Z3logd");
  addDeviceFunction<math::Log10Op>(patterns, "_Z5log10d");
  addDeviceFunction<math::Log1pOp>(patterns, "_Z5log1pd", Sign::Argument);
  addDeviceFunction<math::Log2Op>(patterns, "_Z4log2d");
  addDeviceFunction<math::PowFOp>(patterns, "_Z3powdd");
  addDeviceFunction<math::SinOp>(patterns, "_Z3sind", Sign::Zero);
  addDeviceFunction<math::SinhOp>(patterns, "_Z4sinhd", Sign::Argument);
  addDeviceFunction<math::TanOp>(patterns, "_Z3tand", Sign::Zero);
  addDeviceFunction<math::TanhOp>(patterns, "_Z4tanhd", Sign::Argument);
  addDeviceFunction<arith::RemFOp>(patterns, "_Z4fmoddd");
  addDeviceFunction<math::AcoshOp>(patterns, "_Z5acoshf");
  addDeviceFunction<math::AsinhOp>(patterns, "_Z5asinhf");
  addDeviceFunction<math::Atan2Op>(patterns, "_Z5atan2ff");
  addDeviceFunction<math::AtanhOp>(patterns, "_Z5atanhf");
  addDeviceFunction<math::CosOp>(patterns, "_Z3cosf");
  addDeviceFunction<math::CoshOp>(patterns, "_Z4coshf");
  addDeviceFunction<math::FPowIOp>(patterns, "_Z4pownfi");
  addDeviceFunction<math::PowFOp>(patterns, "_Z3powff");
  addDeviceFunction<math::SinOp>(patterns, "_Z3sinf");
  addDeviceFunction<math::SinhOp>(patterns, "_Z4sinhf");
  addDeviceFunction<math::TanOp>(patterns, "_Z3tanf");
  addDeviceFunction<arith::RemFOp>(patterns, "_Z4fmodff");
}
