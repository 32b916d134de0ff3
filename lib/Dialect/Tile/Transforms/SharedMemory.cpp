//===- SharedMemory.cpp - What block programs do in shared memory -------------===//
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
  const LinearLayout &layout = getLayout(type).getValue();
  bool transposed = layout.contiguousRegisters(LayoutDim::Dim0) >
                    layout.contiguousRegisters(LayoutDim::Dim1);
  int64_t rows = type.getDimSize(transposed ? 1 : 0);
  int64_t columns = type.getDimSize(transposed ? 0 : 1);
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  std::optional<LinearLayout> shared =
      sharedPanels(rows, columns, elementBytes);
  if (!shared)
    return std::nullopt;
  return ScratchShape{rows, columns, transposed, *shared,
                      rows * columns * elementBytes};
}
