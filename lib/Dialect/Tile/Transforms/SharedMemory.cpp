//===- SharedMemory.cpp - What block programs do in shared memory
//-------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "fusion/Support/TileLayouts.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

bool fusion::tile::needsSharedMemory(ConvertLayoutOp op) {
  return !registerPermutation(getLayout(op.getValue().getType()).getValue(),
                              getLayout(op.getType()).getValue());
}

LogicalResult fusion::tile::verifyBuffers(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<BufferType>(operand.getType()) && !operand.getDefiningOp<AllocOp>())
      return op->emitOpError("has a buffer that is not made by a tile.alloc");
  return success();
}

std::optional<ScratchShape> fusion::tile::getScratch(ConvertLayoutOp op) {
  RankedTensorType type = op.getType();
  if (type.getRank() != 2)
    return std::nullopt;
  const LinearLayout &from = getLayout(op.getValue().getType()).getValue();
  const LinearLayout &to = getLayout(type).getValue();
  auto liesAlongRows = [](const LinearLayout &layout) {
    return layout.contiguousRegisters(LayoutDim::Dim0) >
           layout.contiguousRegisters(LayoutDim::Dim1);
  };
  bool transposed = liesAlongRows(to);
  // Matrices are loaded one way as well as the other, so stores may choose.
  if (type.getElementTypeBitWidth() == 16 &&
      matrixAccess(liesAlongRows(from) ? to.transposeOuts({1, 0}) : to))
    transposed = liesAlongRows(from);
  int64_t rows = type.getDimSize(transposed ? 1 : 0);
  int64_t columns = type.getDimSize(transposed ? 0 : 1);
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  // Two f32 of an accumulator are eight bytes, of which a wavefront takes those of
  // four rows; of narrower elements it takes eight.
  std::optional<LinearLayout> shared =
      sharedPanels(rows, columns, elementBytes, /*pairs=*/elementBytes == 4);
  if (!shared)
    return std::nullopt;
  return ScratchShape{rows, columns, transposed, *shared,
                      rows * columns * elementBytes};
}
