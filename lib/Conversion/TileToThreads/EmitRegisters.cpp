//===- EmitRegisters.cpp - Operations on tiles in registers ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "fusion/Conversion/TileToThreads/Words.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

static LogicalResult emitConstant(arith::ConstantOp constant,
                                  KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense || !dense.isSplat())
    return constant.emitOpError("must be a splat in a block program");
  Value value = b.atEntry([&]() -> Value {
    return arith::ConstantOp::create(
        b, cast<TypedAttr>(dense.getSplatValue<Attribute>()));
  });
  int64_t count =
      getLayout(constant.getType()).getValue().inSize(LayoutDim::Register);
  e.setRegisters(constant, Values(count, value));
  return success();
}

static LogicalResult emitBroadcast(BroadcastOp op, KernelEmitter &e) {
  const LinearLayout &from = getLayout(op.getValue().getType()).getValue();
  const LinearLayout &to = getLayout(op.getType()).getValue();
  LinearLayout expected = to;
  for (int64_t d : llvm::reverse(op.getDimensions()))
    expected = expected.reduceOut(d);
  // `renamed` finds the registers.
  if (!areThreadsAlike(expected, from))
    return op.emitOpError("has an operand that is not laid out as its result "
                          "without the repeated dimensions");
  auto result = renameRegisters(
      to, from, e.registers(op.getValue()), [&](ArrayRef<int64_t> coordinates) {
        SmallVector<int64_t> kept;
        for (auto [d, c] : llvm::enumerate(coordinates))
          if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(d)))
            kept.push_back(c);
        return kept;
      });
  if (!result)
    return op.emitOpError("cannot be done in registers");
  e.setRegisters(op, std::move(*result));
  return success();
}

static LogicalResult emitSlice(SliceOp op, KernelEmitter &e) {
  const LinearLayout &from = getLayout(op.getValue().getType()).getValue();
  const LinearLayout &to = getLayout(op.getType()).getValue();
  for (LayoutDim input : {LayoutDim::Lane, LayoutDim::Warp}) {
    SmallVector<LayoutDim> outs = to.outDims();
    for (int64_t i = 0; i < std::max(from.inSize(input), to.inSize(input)); ++i)
      for (LayoutDim out : outs)
        if (from.applyTo(out, {{input, i}}) != to.applyTo(out, {{input, i}}))
          return op.emitOpError("takes a part that is spread over threads");
  }
  auto result = renameRegisters(
      to, from, e.registers(op.getValue()), [&](ArrayRef<int64_t> coordinates) {
        SmallVector<int64_t> shifted(coordinates);
        for (auto [c, origin] : llvm::zip_equal(shifted, op.getOrigin()))
          c += origin;
        return shifted;
      });
  if (!result)
    return op.emitOpError("takes a part that is not held in registers");
  e.setRegisters(op, std::move(*result));
  return success();
}

static LogicalResult emitTranspose(TransposeOp op, KernelEmitter &e) {
  const LinearLayout &from = getLayout(op.getValue().getType()).getValue();
  if (getLayout(op.getType()).getValue() != from.transposeOuts({1, 0}))
    return op.emitOpError("has a result that is not laid out as its operand");
  // A copy first: a new entry moves the ones that are there.
  Values values = e.registers(op.getValue());
  e.setRegisters(op, std::move(values));
  return success();
}

static LogicalResult emitOptimizationBarrier(OptimizationBarrierOp op,
                                             KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  Values values = e.registers(op.getValue());
  Type element = op.getType().getElementType();
  unsigned perRegister = 32 / element.getIntOrFloatBitWidth();
  if (perRegister == 0 || values.size() % perRegister != 0) {
    e.setRegisters(op, std::move(values));
    return success();
  }
  Values results;
  for (size_t reg = 0; reg < values.size(); reg += perRegister) {
    Value word = packWord(b, ValueRange(values).slice(reg, perRegister));
    llvm::append_range(
        results,
        unpackWord(b, e.target().opaque(b, word, /*isInOrder=*/true), element));
  }
  e.setRegisters(op, std::move(results));
  return success();
}

/// A vote of the warp decides, so that its lanes stay together.
static LogicalResult emitScale(ScaleOp op, KernelEmitter &e) {
  ThreadBuilder &b = e.builder();
  Values values = e.registers(op.getValue());
  Values factors = e.registers(op.getFactors());
  Type element = op.getType().getElementType();
  Value one = arith::ConstantOp::create(b, b.getFloatAttr(element, 1));
  // Registers of a row share their factor.
  Value differs;
  for (Value factor : llvm::SetVector<Value>(factors.begin(), factors.end())) {
    Value isOther =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, factor, one);
    differs = differs ? arith::OrIOp::create(b, differs, isOther).getResult()
                      : isOther;
  }
  FailureOr<Value> any = e.target().anyLane(b, differs);
  if (failed(any))
    return failure();
  auto branch = scf::IfOp::create(b, TypeRange(ValueRange(values)), *any,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Values scaled;
    for (auto [value, factor] : llvm::zip_equal(values, factors))
      scaled.push_back(arith::MulFOp::create(b, value, factor));
    scf::YieldOp::create(b, scaled);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, values);
  }
  e.setRegisters(op, Values(branch.getResults()));
  return success();
}

static LogicalResult emitSplat(SplatOp op, KernelEmitter &e) {
  int64_t count =
      getLayout(op.getType()).getValue().inSize(LayoutDim::Register);
  e.setRegisters(op, Values(count, e.scalar(op.getValue())));
  return success();
}

void fusion::addRegisterEmitters(EmitterRegistry &registry) {
  registry.add<arith::ConstantOp>(emitConstant);
  registry.add<SplatOp>(emitSplat);
  registry.add<BroadcastOp>(emitBroadcast);
  registry.add<SliceOp>(emitSlice);
  registry.add<TransposeOp>(emitTranspose);
  registry.add<OptimizationBarrierOp>(emitOptimizationBarrier);
  registry.add<ScaleOp>(emitScale);
}
