//===- EmitRegisters.cpp - Operations on tiles in registers -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "fusion/Support/TileLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// Two 16-bit elements as the 32-bit register that mma.sync takes.
static Value packPair(OpBuilder &b, Location loc, Value low, Value high) {
  Type element = low.getType();
  Value pair = vector::FromElementsOp::create(
      b, loc, VectorType::get({2}, element), ValueRange{low, high});
  // NVVM takes f16 pairs as vectors and bf16 pairs as integers.
  if (element.isF16())
    return pair;
  Value bits = vector::BitCastOp::create(
      b, loc, VectorType::get({1}, b.getI32Type()), pair);
  return vector::ExtractOp::create(b, loc, bits, int64_t(0));
}

LogicalResult KernelEmitter::emitDot(DotOp op) {
  const LinearLayout &accLayout = getLayout(op.getType()).getValue();
  const LinearLayout &lhsLayout = getLayout(op.getLhs().getType()).getValue();
  const LinearLayout &rhsLayout = getLayout(op.getRhs().getType()).getValue();
  const Values &lhs = registers[op.getLhs()], &rhs = registers[op.getRhs()];
  Values acc = registers[op.getAccumulator()];
  Type element = op.getLhs().getType().getElementType();
  auto mmaType = element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  if (!element.isF16() && !element.isBF16())
    return op.emitOpError("multiplies f16 or bf16, not ") << element;

  int64_t m = op.getType().getDimSize(0), n = op.getType().getDimSize(1),
          k = op.getLhs().getType().getDimSize(1);
  int64_t rowWarps = op.getWarps()[0], columnWarps = op.getWarps()[1];
  if (m % (16 * rowWarps) || n % (8 * columnWarps) || k % 16 ||
      lhsLayout != mmaOperandATile(16, m, k, rowWarps, columnWarps) ||
      rhsLayout != mmaOperandBTile(16, k, n, rowWarps, columnWarps) ||
      accLayout != mmaAccumulatorTile(m, n, rowWarps, columnWarps))
    return op.emitOpError("operands are not laid out as its fragments");

  // Fragments by the coordinates of their first element, thread 0.
  auto fragments = [](const LinearLayout &layout, int64_t count) {
    llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> result;
    int64_t total = layout.inSize(LayoutDim::Register);
    for (int64_t reg = 0; reg < total; reg += count) {
      SmallVector<int64_t> at = layout.coords(reg, 0, 0);
      result[{at[0], at[1]}] = reg;
    }
    return result;
  };
  auto lhsFragments = fragments(lhsLayout, 8);
  auto rhsFragments = fragments(rhsLayout, 4);
  int64_t steps = op.getLhs().getType().getDimSize(1) / 16;
  auto resultType = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(4, b.getF32Type()));
  for (int64_t step = 0; step < steps; ++step) {
    for (int64_t reg = 0; reg < static_cast<int64_t>(acc.size()); reg += 4) {
      SmallVector<int64_t> at = accLayout.coords(reg, 0, 0);
      auto a = lhsFragments.find({at[0], 16 * step});
      auto c = rhsFragments.find({16 * step, at[1]});
      if (a == lhsFragments.end() || c == rhsFragments.end())
        return op.emitOpError("operands are not laid out as its fragments");
      Values aRegs, bRegs, cRegs;
      for (int64_t i = 0; i < 8; i += 2)
        aRegs.push_back(
            packPair(b, loc, lhs[a->second + i], lhs[a->second + i + 1]));
      for (int64_t i = 0; i < 4; i += 2)
        bRegs.push_back(
            packPair(b, loc, rhs[c->second + i], rhs[c->second + i + 1]));
      for (int64_t i = 0; i < 4; ++i)
        cRegs.push_back(acc[reg + i]);
      Value result = NVVM::MmaOp::create(
          b, loc, resultType, aRegs, bRegs, cRegs,
          ArrayRef<int64_t>{16, 8, 16},
          /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
          std::array<NVVM::MMATypes, 2>{mmaType, mmaType},
          std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                         NVVM::MMALayout::col});
      for (int64_t i = 0; i < 4; ++i)
        acc[reg + i] = LLVM::ExtractValueOp::create(b, loc, result, i);
    }
  }
  registers[op] = std::move(acc);
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
  if (expected != from)
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

Value KernelEmitter::coordinate(const LinearLayout &layout, int64_t dimension,
                                int64_t reg) {
  LinearLayout one = layout.sublayout(
      {LayoutDim::Register, LayoutDim::Lane, LayoutDim::Warp},
      {tileDim(dimension)});
  std::optional<AddressPlan> plan = planAddresses(one);
  return plan ? address(*plan, plan->registers.size() == 1 ? 0 : reg) : Value();
}

LogicalResult KernelEmitter::emitIota(IotaOp op) {
  const LinearLayout &layout = getLayout(op.getType()).getValue();
  Values result;
  for (int64_t reg = 0; reg < layout.inSize(LayoutDim::Register); ++reg) {
    Value at = coordinate(layout, op.getDimension(), reg);
    if (!at)
      return op.emitOpError("has a layout without plain coordinates");
    result.push_back(add(scalar(op.getStart()), at));
  }
  registers[op] = std::move(result);
  return success();
}

LogicalResult KernelEmitter::emitMask(MaskOp op) {
  const LinearLayout &layout = getLayout(op.getType()).getValue();
  const Values &values = registers[op.getValue()];
  Value bound = scalar(op.getBound()), fill = scalar(op.getFill());
  Values result;
  // Registers that share a coordinate share the comparison.
  llvm::DenseMap<int64_t, Value> isInside;
  for (auto [reg, value] : llvm::enumerate(values)) {
    Value at = coordinate(layout, op.getDimension(), reg);
    if (!at)
      return op.emitOpError("has a layout without plain coordinates");
    Value &inside = isInside[layout.coords(reg, 0, 0)[op.getDimension()]];
    if (!inside)
      inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at,
                                     bound);
    result.push_back(arith::SelectOp::create(b, loc, inside, value, fill));
  }
  registers[op] = std::move(result);
  return success();
}

/// An empty piece of assembly that LLVM may neither move nor see through takes
/// each register.
LogicalResult KernelEmitter::emitHold(HoldOp op) {
  Values values = registers.lookup(op.getValue());
  Type element = op.getType().getElementType();
  unsigned perRegister = 32 / element.getIntOrFloatBitWidth();
  if (perRegister == 0 || values.size() % perRegister != 0) {
    registers[op] = std::move(values);
    return success();
  }
  Type i32 = b.getI32Type();
  auto packed = VectorType::get({perRegister}, element);
  auto bits = VectorType::get({1}, i32);
  Values results;
  for (size_t reg = 0; reg < values.size(); reg += perRegister) {
    Value all = vector::FromElementsOp::create(
        b, loc, packed, ValueRange(values).slice(reg, perRegister));
    Value word = vector::ExtractOp::create(
        b, loc, vector::BitCastOp::create(b, loc, bits, all), int64_t(0));
    Value held =
        LLVM::InlineAsmOp::create(
            b, loc, i32, ValueRange{word}, /*asm_string=*/"",
            /*constraints=*/"=r,0", /*has_side_effects=*/true,
            /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
            /*asm_dialect=*/LLVM::AsmDialectAttr(),
            /*operand_attrs=*/ArrayAttr())
            .getRes();
    Value again = vector::BitCastOp::create(
        b, loc, packed,
        vector::FromElementsOp::create(b, loc, bits, ValueRange{held}));
    for (unsigned i = 0; i < perRegister; ++i)
      results.push_back(
          vector::ExtractOp::create(b, loc, again, static_cast<int64_t>(i)));
  }
  registers[op] = std::move(results);
  return success();
}
