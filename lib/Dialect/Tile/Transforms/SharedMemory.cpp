//===- SharedMemory.cpp - What block programs do in shared memory ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "fusion/Support/TileLayouts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

bool fusion::tile::needsSharedMemory(ConvertLayoutOp op) {
  return !op.getInWarp() &&
         !registerPermutation(getLayout(op.getValue().getType()).getValue(),
                              getLayout(op.getType()).getValue());
}

LogicalResult fusion::tile::verifyBuffers(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<BufferType>(operand.getType()) && !operand.getDefiningOp<AllocOp>())
      return op->emitOpError("has a buffer that is not made by a tile.alloc");
  return success();
}

int64_t fusion::tile::sharedAlignment(KernelOp kernel) {
  WalkResult inPlace = kernel.walk([](Operation *op) {
    // Boxes of threads' own places have no swizzle.
    bool isSwizzled = isTMA(op) && !cast<CopyAsyncOp>(op).getThreadPrivate();
    return isa<SharedDotOp, StoreAsyncOp>(op) || isSwizzled
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return inPlace.wasInterrupted() ? kSwizzlePeriod : kSharedAlignment;
}

std::optional<CopyAssignment> fusion::tile::getCopies(BufferType buffer,
                                                      int64_t threads) {
  int64_t bytes = buffer.getElementType().getIntOrFloatBitWidth() / 8;
  std::optional<PanelOrder> order =
      panelOrder(buffer.getLayout().getValue(), buffer.getRows(),
                 buffer.getColumns(), bytes);
  if (!order)
    return std::nullopt;
  return copyAssignment(buffer.getRows(), buffer.getColumns(), bytes, threads,
                        *order);
}

LinearLayout fusion::tile::asRow(const LinearLayout &layout) {
  return layout.renameOut(LayoutDim::Dim0, LayoutDim::Dim1) *
         LinearLayout::identity(LayoutDim::Register, LayoutDim::Dim0, 1);
}

std::optional<ReductionThreadMapping>
fusion::tile::getThreadMapping(const LinearLayout &layout, unsigned dimension) {
  SmallVector<LayoutDim, 4> outs = layout.outDims();
  size_t reduced = llvm::find(outs, tileDim(dimension)) - outs.begin();
  ReductionThreadMapping mapping{{}, {}, 1};
  for (LayoutDim input :
       {LayoutDim::Register, LayoutDim::Lane, LayoutDim::Warp})
    for (const LinearLayout::Digit &digit : layout.digits(input)) {
      if (digit.steps[reduced] == 0)
        continue;
      for (auto [out, step] : llvm::enumerate(digit.steps))
        if (out != reduced && step != 0)
          return std::nullopt;
      if (input == LayoutDim::Lane)
        mapping.lanes.push_back(digit);
      if (input == LayoutDim::Warp) {
        mapping.warps.push_back(digit);
        mapping.parts *= digit.radix;
      }
    }
  return mapping;
}

FailureOr<int64_t> fusion::tile::getExchangeBytes(Operation *op) {
  if (!isa<ConvertLayoutOp, ReduceOp>(op))
    return 0;
  LayoutAttr from = getLayout(op->getOperand(0).getType());
  if (!from || !getLayout(op->getResult(0).getType()))
    return op->emitOpError("has no layouts; run tile-assign-layouts");
  if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    if (!needsSharedMemory(convert))
      return 0;
    if (std::optional<ScratchShape> scratch = getScratch(convert))
      return scratch->bytes;
    return op->emitOpError("cannot go through shared memory");
  }
  auto reduce = cast<ReduceOp>(op);
  std::optional<ReductionThreadMapping> mapping =
      getThreadMapping(from.getValue(), reduce.getDimension());
  if (!mapping)
    return op->emitOpError("has an operand whose rows are not spread plainly");
  if (mapping->parts == 1)
    return 0;
  RankedTensorType type = reduce.getType();
  return mapping->parts * type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// The order of a buffer that is written as `layout` lies and read in units of
/// 16 bytes, by how many units four lanes write side by side: a wavefront takes
/// 128 bytes, those of two, four or eight rows.
static PanelOrder storeOrder(const LinearLayout &layout, int64_t elementBytes) {
  int64_t width = std::min<int64_t>(
      16, layout.contiguousRegisters(LayoutDim::Dim1) * elementBytes);
  LinearLayout side =
      LinearLayout::identity(LayoutDim::Register, LayoutDim::Dim1,
                             width / elementBytes) *
      LinearLayout::identity(LayoutDim::Lane, LayoutDim::Dim1, 4);
  if (!layout.divideLeft(side))
    return PanelOrder::Plain;
  return width == 16  ? PanelOrder::Quads
         : width == 8 ? PanelOrder::Pairs
                      : PanelOrder::Plain;
}

std::optional<ScratchShape> fusion::tile::getScratch(ConvertLayoutOp op) {
  RankedTensorType type = op.getType();
  if (op.getPadded() || type.getRank() > 2) {
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    std::optional<PaddedScratch> padded =
        planPadded(getLayout(op.getValue().getType()).getValue(),
                   getLayout(type).getValue(), bytes);
    if (!padded)
      return std::nullopt;
    ScratchShape shape;
    shape.bytes = padded->elements * bytes;
    shape.padded = std::move(padded);
    return shape;
  }
  if (type.getRank() == 1) {
    int64_t size = type.getDimSize(0);
    LinearLayout row =
        asRow(LinearLayout::identity(LayoutDim::Offset, LayoutDim::Dim0, size));
    return ScratchShape{1,
                        size,
                        /*transposed=*/false,
                        row,
                        size * type.getElementTypeBitWidth() / 8,
                        std::nullopt};
  }
  const LinearLayout &from = getLayout(op.getValue().getType()).getValue();
  const LinearLayout &to = getLayout(type).getValue();
  auto liesAlongRows = [](const LinearLayout &layout) {
    return layout.contiguousRegisters(LayoutDim::Dim0) >
           layout.contiguousRegisters(LayoutDim::Dim1);
  };
  bool transposed = liesAlongRows(to);
  // Matrices are loaded one way as well as the other, so stores may choose.
  unsigned bits = type.getElementTypeBitWidth();
  bool areMatrices = bits == 8 || bits == 16 || bits == 32;
  if (areMatrices &&
      matrixAccess(liesAlongRows(from) ? to.transposeOuts({1, 0}) : to, bits))
    transposed = liesAlongRows(from);
  int64_t rows = type.getDimSize(transposed ? 1 : 0);
  int64_t columns = type.getDimSize(transposed ? 0 : 1);
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  std::optional<LinearLayout> shared = sharedPanels(
      rows, columns, elementBytes,
      storeOrder(transposed ? from.transposeOuts({1, 0}) : from, elementBytes));
  if (!shared)
    return std::nullopt;
  return ScratchShape{
      rows,        columns, transposed, *shared, rows * columns * elementBytes,
      std::nullopt};
}
