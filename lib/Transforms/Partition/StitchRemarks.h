//===- StitchRemarks.h - What is said of stitched kernels -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_STITCHREMARKS_H
#define FUSION_LIB_TRANSFORMS_PARTITION_STITCHREMARKS_H

#include "StitchGraph.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"

namespace fusion {

/// Returns the line of an operation, or its name.
std::string placeOf(mlir::Operation *op);

/// Emits remarks on a plan: what its kernels are predicted to gain, and for
/// every boundary between two kernels why they are two, in words and numbers.
class StitchRemarks {
public:
  StitchRemarks(const StitchGraph &graph, StitchEvaluator &judge,
                const DeltaEvaluator &delta, const ChipInfo &chip,
                unsigned maxVertices)
      : graph(graph), judge(judge), delta(delta), chip(chip),
        maxVertices(maxVertices) {}

  void ofKernels(const StitchPlan &plan);
  /// Emits remarks on boundaries. `wantsReport`: determines them even without
  /// remarks.
  void ofBoundaries(const StitchPlan &plan, bool wantsReport);

  /// A pair of kernels of which the second reads values of the first, or both
  /// read the same values, and why they are two.
  struct Boundary {
    unsigned maker, reader;
    bool sharesOnly;
    std::string reason;
  };
  std::vector<Boundary> boundaries;

private:
  std::string howAlone(unsigned vertex) const;
  void remarkBoundary(const StitchPlan &plan, unsigned made, unsigned maker,
                      unsigned reads, unsigned reader, bool sharesOnly,
                      bool wantsReport);
  std::string whyApart(llvm::ArrayRef<unsigned> maker,
                       llvm::ArrayRef<unsigned> reader, bool sharesOnly);
  bool isView(unsigned vertex) const {
    return !llvm::isa<mlir::linalg::LinalgOp, fuse::FusedGroupOpInterface>(
        graph.operations[vertex]);
  }
  /// Returns the vertices whose values a vertex reads, also through views.
  llvm::SmallVector<unsigned> makersOf(unsigned vertex) const;

  const StitchGraph &graph;
  StitchEvaluator &judge;
  const DeltaEvaluator &delta;
  const ChipInfo &chip;
  unsigned maxVertices; ///< of a kernel
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_STITCHREMARKS_H
