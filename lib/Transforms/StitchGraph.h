//===- StitchGraph.h - The operators of a function as a graph ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_STITCHGRAPH_H
#define FUSION_LIB_TRANSFORMS_STITCHGRAPH_H

#include "fusion/Search/StitchExplorer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <map>

namespace fusion {

/// A fill that only starts accumulators and results is copied into the groups
/// that need it.
bool isAbsorbedFill(mlir::Operation *op);

/// What a function's block computes, in program order. Chains, views and all
/// else that no stitched group takes are foreign vertices.
struct StitchGraph {
  explicit StitchGraph(mlir::func::FuncOp function);

  OperatorGraph graph;
  llvm::SmallVector<mlir::Operation *> operations; ///< by vertex
  llvm::SmallVector<std::string> whyAlone;         ///< by vertex

  llvm::SmallVector<mlir::linalg::LinalgOp>
  operators(llvm::ArrayRef<unsigned> pattern) const;
};

/// What the analysis of stitched groups and the latency evaluator say about
/// patterns; each is asked once.
class StitchJudge {
public:
  StitchJudge(const StitchGraph &graph, const ChipInfo &chip)
      : graph(graph), chip(chip) {}

  struct Verdict {
    bool isPossible = false;
    bool isSearched = false;
    std::optional<double> seconds; ///< predicted, where there is a schedule
    std::string reason;            ///< where it is not possible, or has none
  };
  /// Whether there is a tile program.
  const Verdict &judge(llvm::ArrayRef<unsigned> pattern);
  /// With its best schedule. A single operator without a tile program takes
  /// what its bytes take.
  const Verdict &price(llvm::ArrayRef<unsigned> pattern);

private:
  const StitchGraph &graph;
  const ChipInfo &chip;
  std::map<StitchPattern, Verdict> verdicts;
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_STITCHGRAPH_H
