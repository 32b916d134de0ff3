//===- StitchNeighbours.h - Stitched groups around a chain ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_STITCHNEIGHBOURS_H
#define FUSION_LIB_TRANSFORMS_PARTITION_STITCHNEIGHBOURS_H

#include "StitchGraph.h"
#include "llvm/ADT/BitVector.h"

namespace fusion {

/// What memory-intensive operators would take in stitched groups with those
/// next to them, while the chains of a function are made.
class StitchNeighbours {
public:
  StitchNeighbours(mlir::func::FuncOp function, const ChipInfo &chip,
                   const ExplorerOptions &options);

  using Operators = llvm::ArrayRef<mlir::linalg::LinalgOp>;
  /// Chains have these operators, or may get them: nobody's neighbours.
  void claim(Operators operators);
  void release(Operators operators);

  /// Seconds of the stitched groups around.
  struct Seconds {
    double without; ///< these operators
    double with;
  };
  /// nullopt where no operator that is free is next to one of these.
  std::optional<Seconds> predict(Operators operators);
  /// Seconds of an operator as a kernel of its own.
  std::optional<double> predict(mlir::linalg::LinalgOp op);

  /// The free operators that read a value of these, or make one that they read.
  llvm::SmallVector<mlir::linalg::LinalgOp> next(Operators operators) const;

private:
  StitchPattern verticesOf(Operators operators) const;
  StitchPattern next(llvm::ArrayRef<unsigned> vertices) const;
  double plan(llvm::ArrayRef<unsigned> vertices);

  const ChipInfo &chip;
  ExplorerOptions options;
  StitchGraph graph;
  StitchEvaluator judge;
  DeltaEvaluator delta;
  llvm::DenseMap<mlir::Operation *, unsigned> numberOf;
  llvm::BitVector claimed; ///< by vertex
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_STITCHNEIGHBOURS_H
