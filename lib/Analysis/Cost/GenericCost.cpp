//===- GenericCost.cpp - Kernels of the generic form, predicted -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/GenericCost.h"
#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Support/ElementBytes.h"
#include "fusion/Target/Chips/Hardware.h"

using namespace fusion;
using namespace mlir;
using llvm::SmallVector;

double fusion::predictGeneric(llvm::ArrayRef<linalg::LinalgOp> operators,
                              int64_t bytes, const ChipInfo &chip) {
  linalg::LinalgOp op = operators.back();
  double threads = 1, steps = 1;
  std::optional<unsigned> innermost;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
    bool isParallel = kinds[loop] == utils::IteratorType::parallel;
    (isParallel ? threads : steps) *= extent;
    if (!isParallel)
      innermost = loop;
  }
  // Neighbours of a row are in one sector, if all operands are walked so.
  constexpr double sectorBytes = 32;
  double stepsOfSector = sectorBytes;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!type || !innermost || !map.isFunctionOfDim(*innermost))
      continue;
    unsigned bytes = elementBytes(type);
    bool isRow = map.getResults().back().isFunctionOfDim(*innermost);
    stepsOfSector = std::min(stepsOfSector, isRow ? sectorBytes / bytes : 1);
  }
  return predictGeneric(
      bytes, threads, steps,
      std::max<double>(stepsOfSector, genericStages(operators)), chip);
}
