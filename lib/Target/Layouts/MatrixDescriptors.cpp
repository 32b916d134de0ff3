//===- MatrixDescriptors.cpp - Operands of wgmma in shared memory -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Layouts/MatrixDescriptors.h"
#include "fusion/Support/TileLayouts.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;

std::optional<MatrixDescriptors>
fusion::matrixDescriptors(int64_t rows, int64_t columns, int64_t elementBytes,
                          bool reducedIsContiguous) {
  std::optional<PanelShape> shape = panelShape(columns, elementBytes);
  constexpr int64_t rowsPerGroup = 8;
  if (!shape || shape->panelUnits == 1 || rows % rowsPerGroup ||
      (!reducedIsContiguous && elementBytes != 2))
    return std::nullopt;
  MatrixDescriptors result;
  result.reducedIsContiguous = reducedIsContiguous;
  result.rowBytes = shape->panelBytes();
  result.panelElements = result.rowBytes / elementBytes;
  result.panelBytes = rows * result.rowBytes;
  // In units of 16 bytes. Groups of eight rows follow each other at the stride
  // offset, panels along the other axis at the leading one; along the reduced
  // axis no instruction leaves its panel, and the offset is not read.
  uint64_t stride = rowsPerGroup * result.rowBytes / 16;
  uint64_t leading = reducedIsContiguous ? 1 : result.panelBytes / 16;
  // Two bits for the swizzle: 1, 2 and 3 for 128, 64 and 32 bytes.
  uint64_t swizzle = 4 - llvm::Log2_64(shape->panelUnits);
  constexpr uint64_t most = (1 << 14) - 1;
  if (leading > most || stride > most)
    return std::nullopt;
  result.fields = leading << 16 | stride << 32 | swizzle << 62;
  return result;
}

int64_t fusion::columnsAtOnce(int64_t columns, int64_t elementBytes) {
  constexpr int64_t most = 256;
  int64_t unit = elementBytes == 1 ? 16 : 8;
  for (int64_t parts = llvm::divideCeil(columns, most); parts <= columns / unit;
       ++parts)
    if (columns % (unit * parts) == 0)
      return columns / parts;
  return 0;
}
