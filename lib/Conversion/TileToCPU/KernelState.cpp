//===- KernelState.cpp - What is known while a kernel is emitted ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelState.h"
#include "fusion/Dialect/Tile/IR/NativeKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace fusion;

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

TileMemory KernelState::allocate(ArrayRef<int64_t> shape, Type element) {
  return allocateArray(1, shape, element).first;
}

ArrayMemory KernelState::allocateArray(int64_t count, ArrayRef<int64_t> shape,
                                       Type element) {
  TileMemory memory;
  memory.elementType = TileAccess::storedType(element);
  memory.isPadded = true;
  memory.strides.resize(shape.size());
  int64_t stride = 1;
  for (unsigned d = shape.size(); d-- > 0;) {
    memory.strides[d] = b.getIndexAttr(stride);
    stride *=
        d + 1 == shape.size() ? llvm::alignTo(shape[d], lanes()) : shape[d];
  }
  int64_t bytes = memory.elementType.getIntOrFloatBitWidth() / 8;
  used = llvm::alignTo(used, chip.cpu->lineBytes);
  memory.base =
      LLVM::GEPOp::create(b, loc, scratch.getType(), b.getI8Type(), scratch,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(used)});
  used += count * stride * bytes;
  return {memory, stride};
}

TileMemory KernelState::allocatePanels(ArrayRef<int64_t> shape, Type element) {
  int64_t columns = llvm::alignTo(shape[1], lanes());
  TileMemory memory =
      allocate({columns / lanes(), shape[0] * lanes()}, element);
  memory.panel = lanes();
  memory.strides = {b.getIndexAttr(lanes()), b.getIndexAttr(shape[0])};
  return memory;
}

TileMemory KernelState::allocateWordPanels(ArrayRef<int64_t> shape,
                                           int64_t rowsInWord) {
  TileMemory memory = allocatePanels(
      {int64_t(llvm::divideCeil(shape[0], rowsInWord)), shape[1]},
      b.getI32Type());
  memory.rowsInWord = rowsInWord;
  return memory;
}

//===----------------------------------------------------------------------===//
// Limits and views
//===----------------------------------------------------------------------===//

OpFoldResult KernelState::clip(ArrayRef<TileLimit> limits, int64_t extent) {
  OpFoldResult least = b.getIndexAttr(extent);
  for (const TileLimit &limit : limits) {
    Value bound;
    if (limit.bound)
      bound = scalar(limit.bound);
    else
      bound = b.createOrFold<arith::SubIOp>(loc, scalar(limit.size),
                                            scalar(limit.coordinate));
    if (limit.origin != 0)
      bound = b.createOrFold<arith::SubIOp>(loc, bound,
                                            access.constant(limit.origin));
    std::optional<int64_t> constant = getConstantIntValue(bound),
                           known = getConstantIntValue(least);
    if (constant && known) {
      least = b.getIndexAttr(std::max<int64_t>(0, std::min(*constant, *known)));
      continue;
    }
    bound = arith::MaxSIOp::create(b, loc, bound, access.constant(0));
    least = arith::MinSIOp::create(b, loc, access.valueOf(least), bound)
                .getResult();
  }
  return least;
}

TileMemory KernelState::viewAt(tile::ViewOp view, ValueRange coordinates) {
  TileMemory memory;
  Type element = cast<tile::ViewType>(view.getType()).getElementType();
  memory.elementType = TileAccess::storedType(element);
  Value elements = scalar(view.getOffset());
  for (auto [d, stride] : llvm::enumerate(view.getStrides())) {
    Value mapped = scalar(stride);
    std::optional<int64_t> constant = getConstantIntValue(mapped);
    memory.strides.push_back(constant ? OpFoldResult(b.getIndexAttr(*constant))
                                      : OpFoldResult(mapped));
    if (!coordinates.empty())
      elements = access.add(elements, access.multiply(scalar(coordinates[d]),
                                                      memory.strides.back()));
  }
  memory.base =
      access.offset(scalar(view.getBase()), memory.elementType, elements);
  return memory;
}

std::optional<TileMemory> KernelState::inPlace(Value tile) {
  auto it = memory.find(tile);
  if (it != memory.end())
    return it->second;
  Operation *op = tile.getDefiningOp();
  if (auto load = dyn_cast_or_null<tile::LoadOp>(op)) {
    auto view = load.getView().getDefiningOp<tile::ViewOp>();
    if (!view || load->hasAttr(tile::kPartialAttrName))
      return std::nullopt;
    return viewAt(view, load.getCoordinates());
  }
  if (auto slice = dyn_cast_or_null<tile::SliceOp>(op)) {
    std::optional<TileMemory> whole = inPlace(slice.getValue());
    if (!whole)
      return std::nullopt;
    llvm::SmallVector<Value> origin;
    for (int64_t at : slice.getOrigin())
      origin.push_back(access.constant(at));
    return access.partAt(*whole, origin);
  }
  if (auto transpose = dyn_cast_or_null<tile::TransposeOp>(op)) {
    std::optional<TileMemory> from = inPlace(transpose.getValue());
    if (!from)
      return std::nullopt;
    std::swap(from->strides[0], from->strides[1]);
    from->isPadded = false;
    return from;
  }
  if (isa_and_nonnull<tile::OptimizationBarrierOp, tile::ConvertLayoutOp>(op))
    return inPlace(op->getOperand(0));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Virtual values
//===----------------------------------------------------------------------===//

bool fusion::isVirtual(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  return isa<arith::ConstantOp, tile::BroadcastOp, tile::SplatOp, tile::IotaOp,
             tile::MaskOp, tile::SliceOp, tile::TransposeOp, tile::LoadOp,
             tile::GatherOp, tile::ScaleOp, tile::OptimizationBarrierOp,
             tile::ConvertLayoutOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

void fusion::visitTree(Value tile, const KernelState &state,
                       llvm::function_ref<bool(Value)> visit) {
  llvm::SmallVector<Value> left{tile};
  llvm::DenseSet<Value> seen;
  while (!left.empty()) {
    Value value = left.pop_back_val();
    if (!seen.insert(value).second || !visit(value))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || !isVirtual(op) ||
        (value != tile && state.memory.contains(value)))
      continue;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        left.push_back(operand);
  }
}

bool fusion::isExpensive(Operation *op) {
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return !isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::CopySignOp>(op);
  return isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
             arith::RemSIOp, arith::RemUIOp, tile::ExponentOp,
             tile::ExponentStepOp, tile::GatherOp>(op);
}

bool fusion::isExpensiveTree(Value tile, const KernelState &state) {
  bool found = false;
  visitTree(tile, state, [&](Value value) {
    Operation *op = value.getDefiningOp();
    found |=
        op && isVirtual(op) && isExpensive(op) && !state.memory.contains(value);
    return true;
  });
  return found;
}

/// Calls `visit` with each use of a tile by an operation that is not virtual,
/// directly or through virtual values. Ends if `visit` returns false.
static bool visitReaders(Value tile,
                         llvm::function_ref<bool(OpOperand &)> visit) {
  llvm::SmallVector<Value> values{tile};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!values.empty())
    for (OpOperand &use : values.pop_back_val().getUses()) {
      if (!isVirtual(use.getOwner())) {
        if (!visit(use))
          return false;
      } else if (seen.insert(use.getOwner()).second) {
        values.push_back(use.getOwner()->getResult(0));
      }
    }
  return true;
}

bool fusion::canOverwrite(Value tile, OpOperand &target) {
  Operation *op = target.getOwner();
  Block *block = op->getBlock();
  if (tile.getParentBlock() != block)
    return false;
  return visitReaders(tile, [&](OpOperand &use) {
    if (use.getOwner() == op)
      return use.getOperandNumber() == target.getOperandNumber();
    Operation *here = block->findAncestorOpInBlock(*use.getOwner());
    return here && here->isBeforeInBlock(op);
  });
}

bool fusion::isReadAfter(Value tile, Operation *op) {
  Block *block = op->getBlock();
  return !visitReaders(tile, [&](OpOperand &use) {
    Operation *here = block->findAncestorOpInBlock(*use.getOwner());
    return here && !op->isBeforeInBlock(here);
  });
}
