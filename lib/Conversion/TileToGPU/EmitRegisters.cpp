//===- EmitRegisters.cpp - Operations on tiles in registers -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

LogicalResult KernelEmitter::emitConstant(Operation *op) {
  auto constant = cast<arith::ConstantOp>(op);
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense || !dense.isSplat())
    return op->emitOpError("must be a splat in a block program");
  Value value = atEntry([&]() -> Value {
    return arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(dense.getSplatValue<Attribute>()));
  });
  int64_t count = getLayout(constant.getType()).getValue().inSize(
      LayoutDim::Register);
  registers[constant] = Values(count, value);
  return success();
}

std::optional<KernelEmitter::Values> KernelEmitter::renamed(
    const LinearLayout &to, const LinearLayout &from, const Values &values,
    llvm::function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> map) {
  // Thread 0 decides: lanes and warps step alike in both layouts, which
  // tile-assign-layouts sees to.
  llvm::DenseMap<int64_t, int64_t> registerAt;
  auto key = [&](ArrayRef<int64_t> coordinates) {
    int64_t linear = 0;
    for (auto [d, c] : llvm::enumerate(coordinates))
      linear = linear * from.outSize(tileDim(d)) + c;
    return linear;
  };
  for (int64_t reg = values.size(); reg-- > 0;)
    registerAt[key(from.coords(reg, 0, 0))] = reg;
  Values result;
  for (int64_t reg = 0; reg < to.inSize(LayoutDim::Register); ++reg) {
    auto it = registerAt.find(key(map(to.coords(reg, 0, 0))));
    if (it == registerAt.end())
      return std::nullopt;
    result.push_back(values[it->second]);
  }
  return result;
}

LogicalResult KernelEmitter::emitBroadcast(BroadcastOp op) {
  const LinearLayout &from = getLayout(op.getValue().getType()).getValue();
  const LinearLayout &to = getLayout(op.getType()).getValue();
  LinearLayout expected = to;
  for (int64_t d : llvm::reverse(op.getDimensions()))
    expected = expected.reduceOut(d);
  // `renamed` finds the registers.
  if (!areThreadsAlike(expected, from))
    return op.emitOpError("has an operand that is not laid out as its result "
                          "without the repeated dimensions");
  auto result =
      renamed(to, from, registers[op.getValue()],
              [&](ArrayRef<int64_t> coordinates) {
                SmallVector<int64_t> kept;
                for (auto [d, c] : llvm::enumerate(coordinates))
                  if (!llvm::is_contained(op.getDimensions(),
                                          static_cast<int64_t>(d)))
                    kept.push_back(c);
                return kept;
              });
  if (!result)
    return op.emitOpError("cannot be done in registers");
  registers[op] = std::move(*result);
  return success();
}

LogicalResult KernelEmitter::emitSlice(SliceOp op) {
  const LinearLayout &from = getLayout(op.getValue().getType()).getValue();
  const LinearLayout &to = getLayout(op.getType()).getValue();
  for (LayoutDim input : {LayoutDim::Lane, LayoutDim::Warp}) {
    SmallVector<LayoutDim> outs = to.outDims();
    for (int64_t i = 0; i < std::max(from.inSize(input), to.inSize(input)); ++i)
      for (LayoutDim out : outs)
        if (from.applyTo(out, {{input, i}}) != to.applyTo(out, {{input, i}}))
          return op.emitOpError("takes a part that is spread over threads");
  }
  auto result = renamed(to, from, registers[op.getValue()],
                        [&](ArrayRef<int64_t> coordinates) {
                          SmallVector<int64_t> shifted(coordinates);
                          for (auto [c, origin] :
                               llvm::zip_equal(shifted, op.getOrigin()))
                            c += origin;
                          return shifted;
                        });
  if (!result)
    return op.emitOpError("takes a part that is not held in registers");
  registers[op] = std::move(*result);
  return success();
}

LogicalResult KernelEmitter::emitTranspose(TransposeOp op) {
  const LinearLayout &from = getLayout(op.getValue().getType()).getValue();
  if (getLayout(op.getType()).getValue() != from.transposeOuts({1, 0}))
    return op.emitOpError("has a result that is not laid out as its operand");
  // A copy first: a new entry moves the ones that are there.
  Values values = registers[op.getValue()];
  registers[op] = std::move(values);
  return success();
}

Value KernelEmitter::opaque(Value word, bool isInOrder) {
  return LLVM::InlineAsmOp::create(
             b, loc, b.getI32Type(), ValueRange{word}, /*asm_string=*/"",
             /*constraints=*/"=r,0", /*has_side_effects=*/isInOrder,
             /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
             /*asm_dialect=*/LLVM::AsmDialectAttr(),
             /*operand_attrs=*/ArrayAttr())
      .getRes();
}

LogicalResult KernelEmitter::emitHold(HoldOp op) {
  Values values = registers.lookup(op.getValue());
  Type element = op.getType().getElementType();
  unsigned perRegister = 32 / element.getIntOrFloatBitWidth();
  if (perRegister == 0 || values.size() % perRegister != 0) {
    registers[op] = std::move(values);
    return success();
  }
  Values results;
  for (size_t reg = 0; reg < values.size(); reg += perRegister) {
    Value word = packWord(ValueRange(values).slice(reg, perRegister));
    llvm::append_range(results,
                       unpackWord(opaque(word, /*isInOrder=*/true), element));
  }
  registers[op] = std::move(results);
  return success();
}

/// A vote of the warp decides, so that its lanes stay together.
LogicalResult KernelEmitter::emitScale(ScaleOp op) {
  Values values = registers.lookup(op.getValue());
  Values factors = registers.lookup(op.getFactors());
  Type element = op.getType().getElementType();
  Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, 1));
  // Registers of a row share their factor.
  Value differs;
  for (Value factor : llvm::SetVector<Value>(factors.begin(), factors.end())) {
    Value isOther = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                          factor, one);
    differs = differs ? arith::OrIOp::create(b, loc, differs, isOther)
                            .getResult()
                      : isOther;
  }
  constexpr int64_t allLanes = -1;
  Value any = NVVM::VoteSyncOp::create(
      b, loc, b.getI1Type(),
      LLVM::ConstantOp::create(b, loc, b.getI32Type(), allLanes), differs,
      NVVM::VoteSyncKind::any);
  auto branch = scf::IfOp::create(b, loc, TypeRange(ValueRange(values)), any,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Values scaled;
    for (auto [value, factor] : llvm::zip_equal(values, factors))
      scaled.push_back(arith::MulFOp::create(b, loc, value, factor));
    scf::YieldOp::create(b, loc, scaled);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, values);
  }
  registers[op] = Values(branch.getResults());
  return success();
}
