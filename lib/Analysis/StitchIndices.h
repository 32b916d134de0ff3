//===- StitchIndices.h - Places that operators read and write ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, pads, concatenations and gathers are operators that read elements at
// places of their own (`tensor.extract` in a body). Where the place is linear in
// the loops, this says so.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_STITCHINDICES_H
#define FUSION_LIB_ANALYSIS_STITCHINDICES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <optional>

namespace fusion {

/// Σ coefficient · loop + constant.
struct LoopLinear {
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> terms;
  int64_t constant = 0;
};

/// Reads an index of a body; nullopt where it is no linear function of the loops.
std::optional<LoopLinear> readLinear(mlir::Value index);

/// A place that an element is read from.
struct ElementRead {
  llvm::SmallVector<LoopLinear, 4> indices; ///< by dimension
  /// Where given, the element only matters where this holds; elsewhere the place
  /// may lie outside of the tensor.
  mlir::Value guard;
};

/// Where `extract` reads; nullopt where that is not linear.
std::optional<ElementRead> readPlace(mlir::tensor::ExtractOp extract);

/// Ranges of the loops of an operator, first and beyond; empty ones have no
/// points.
using LoopBox = llvm::SmallVector<std::pair<int64_t, int64_t>, 4>;

/// Elements of `source` that an operator passes on unchanged to the points of a
/// box; coordinate d of the source is that of loop `loops`[d] plus `offsets`[d].
struct PlacedPart {
  LoopBox box;
  mlir::Value source;
  llvm::SmallVector<unsigned, 4> loops;
  llvm::SmallVector<int64_t, 4> offsets;
};

/// The parts of an operator that only puts values side by side, as a
/// concatenation; nullopt where it is no such operator. Parts of `inner`, which
/// are such operators' results too, are taken apart.
std::optional<llvm::SmallVector<PlacedPart>>
readPlacement(mlir::linalg::LinalgOp op,
              llvm::function_ref<bool(mlir::Value)> isInside);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_STITCHINDICES_H
