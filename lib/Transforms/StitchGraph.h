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
#include "fusion/Search/StitchSearch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/Hashing.h"
#include <unordered_map>

namespace fusion {

/// A fill that only starts accumulators and results is copied into the groups
/// that need it.
bool isAbsorbedFill(mlir::Operation *op);

/// What a function's block computes, in program order. Chains, views and all
/// else that no stitched group takes are foreign vertices.
struct StitchGraph {
  explicit StitchGraph(mlir::func::FuncOp function);

  mlir::MLIRContext *context;
  OperatorGraph graph;
  /// By vertex. What became a group meanwhile is gone.
  llvm::SmallVector<mlir::Operation *> operations;
  llvm::SmallVector<std::string> whyAlone; ///< by vertex
  /// By vertex: operators of one kind do the same with what they read.
  llvm::SmallVector<unsigned> kinds;
  /// By vertex: what is read, in order: vertices, and ~number of tensors from
  /// outside.
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>> reads;

  llvm::SmallVector<mlir::linalg::LinalgOp>
  operators(llvm::ArrayRef<unsigned> pattern) const;
  /// The same for patterns that are one another's copies, as those of the
  /// layers of a network.
  std::vector<int64_t> structure(llvm::ArrayRef<unsigned> pattern) const;

private:
  unsigned kindOf(mlir::Operation &op);

  /// By hash: kinds, each with an operator of it.
  llvm::DenseMap<unsigned,
                 llvm::SmallVector<std::pair<mlir::Operation *, unsigned>, 1>>
      known;
  unsigned kindCount = 0;
  std::vector<llvm::SmallVector<unsigned, 4>> consumers;
};

/// What the analysis of stitched groups and the latency evaluator say about
/// patterns; of those with one structure the first is asked.
class StitchEvaluator {
public:
  StitchEvaluator(const StitchGraph &graph, const ChipInfo &chip)
      : graph(graph), chip(chip) {}

  struct Verdict {
    bool isPossible = false;       ///< there is a tile program
    std::optional<double> seconds; ///< predicted, where there is a schedule
    std::string reason;            ///< where it is not possible
    bool isPriced = false; ///< the seconds are known, where there are any
    /// Whether there is a schedule, once it has been asked for, and the seconds
    /// of the first one.
    std::optional<bool> isSchedulable;
    std::optional<double> ofFirst;
    /// Of the schedule that the whole search finds, once it has been asked for.
    bool isSearched = false;
    std::optional<double> searched;
  };
  /// Whether some block has room for a tile program of it, or whether it is a
  /// single operator, which takes less time than a price.
  bool canSchedule(llvm::ArrayRef<unsigned> pattern);
  /// Seconds with the first schedule that has room, or with the best one where
  /// that is known.
  std::optional<double> maxSeconds(llvm::ArrayRef<unsigned> pattern);
  /// With its best schedule. A single operator without a tile program takes
  /// what its bytes take.
  const Verdict &predict(llvm::ArrayRef<unsigned> pattern);
  /// Seconds with the schedule that the pattern would get in the end, which
  /// takes many times as long as looking at few schedules.
  std::optional<double> predictExactly(llvm::ArrayRef<unsigned> pattern);
  /// Seconds as closely as anybody has asked for.
  std::optional<double> known(llvm::ArrayRef<unsigned> pattern) {
    const Verdict &verdict = predict(pattern);
    return verdict.isSearched ? verdict.searched : verdict.seconds;
  }
  /// Different patterns that somebody has asked about.
  size_t countPatterns() const { return verdicts.size(); }
  /// Why no block has room for a tile program. Takes long.
  std::string whyUnscheduled(llvm::ArrayRef<unsigned> pattern) const;

private:
  const StitchGraph &graph;
  const ChipInfo &chip;
  mutable StitchOperators operators;
  mlir::FailureOr<StitchGroup> analyse(llvm::ArrayRef<unsigned> pattern,
                                       std::string &reason) const;
  /// What is known of a pattern so far.
  Verdict &verdictOf(llvm::ArrayRef<unsigned> pattern);
  Verdict &costedVerdictOf(llvm::ArrayRef<unsigned> pattern);
  /// The best schedule's seconds, or the first one's.
  std::optional<double> search(llvm::ArrayRef<unsigned> pattern,
                               Verdict &verdict, StitchEffort effort);
  /// The last schedule that has been found for a group with the same axes and
  /// about as many operators, where there was one.
  std::optional<StitchSchedule> &likelyOf(const StitchGroup &group);
  struct Hash {
    template <typename Numbers>
    size_t operator()(const Numbers &numbers) const {
      return llvm::hash_combine_range(numbers.begin(), numbers.end());
    }
  };
  /// By structure.
  std::unordered_map<std::vector<int64_t>, Verdict, Hash> verdicts;
  std::unordered_map<StitchPattern, Verdict *, Hash> asked;
  /// By the number of operators and the axes.
  std::unordered_map<std::vector<int64_t>, std::optional<StitchSchedule>, Hash>
      likely;
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_STITCHGRAPH_H
