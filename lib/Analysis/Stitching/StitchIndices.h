//===- StitchIndices.h - Places that operators read and write ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, pads, concatenations and gathers are operators that read elements at
// indices that they compute (`tensor.extract` in a body). These functions
// recognize indices that are linear in the loops.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_STITCHING_STITCHINDICES_H
#define FUSION_LIB_ANALYSIS_STITCHING_STITCHINDICES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <optional>

namespace fusion {

/// Σ coefficient · loop + constant.
struct LoopLinear {
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> terms;
  int64_t constant = 0;
};

/// Returns an index of a body as a linear function of the loops, or nullopt.
std::optional<LoopLinear> readLinear(mlir::Value index);

/// The coordinates of an element that is read.
struct ElementRead {
  llvm::SmallVector<LoopLinear, 4> indices; ///< by dimension
  /// A boolean, or null. Where it is false, the element is not used, and its
  /// coordinates may be outside of the tensor.
  mlir::Value guard;
};

/// Returns the coordinates that `extract` reads, or nullopt if they are not
/// linear in the loops.
std::optional<ElementRead> readPlace(mlir::tensor::ExtractOp extract);

/// Ranges of the loops of an operator: the first index, and the first one
/// beyond. A box with an empty range has no points.
using LoopBox = llvm::SmallVector<std::pair<int64_t, int64_t>, 4>;

/// Elements of `source` that an operator copies unchanged to the points of a
/// box. Coordinate d of the source is the index of loop `loops`[d] plus
/// `offsets`[d].
struct PlacedPart {
  LoopBox box;
  mlir::Value source;
  llvm::SmallVector<unsigned, 4> loops;
  llvm::SmallVector<int64_t, 4> offsets;
};

/// Returns the parts that an operator puts together, as a concatenation does,
/// or nullopt if it computes anything else. A part that is such an operator's
/// result itself is replaced by its parts where `isInside` holds.
std::optional<llvm::SmallVector<PlacedPart>>
readPlacement(mlir::linalg::LinalgOp op,
              llvm::function_ref<bool(mlir::Value)> isInside);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_STITCHING_STITCHINDICES_H
