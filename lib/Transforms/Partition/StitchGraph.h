//===- StitchGraph.h - The operators of a function as a graph ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_STITCHGRAPH_H
#define FUSION_LIB_TRANSFORMS_PARTITION_STITCHGRAPH_H

#include "fusion/Search/Stitching/StitchExplorer.h"
#include "fusion/Search/Stitching/StitchSearch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/Hashing.h"
#include <unordered_map>

namespace fusion {

/// Returns whether a fill only initializes accumulators and results: it is
/// copied into the groups that need it.
bool isAbsorbedFill(mlir::Operation *op);

/// The operations of a function's block, in program order. Chains, views and
/// all else that no stitched group takes are foreign vertices.
struct StitchGraph {
  explicit StitchGraph(mlir::func::FuncOp function);

  mlir::MLIRContext *context;
  OperatorGraph graph;
  /// By vertex. Operations that have become a group meanwhile are erased, and
  /// must not be accessed.
  llvm::SmallVector<mlir::Operation *> operations;
  llvm::SmallVector<std::string> whyAlone; ///< by vertex
  /// By vertex: operators of one kind compute the same function of their
  /// operands.
  llvm::SmallVector<unsigned> kinds;
  /// By vertex: the operands in order, as vertices, or ~number for tensors from
  /// outside.
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>> reads;

  llvm::SmallVector<mlir::linalg::LinalgOp>
  operators(llvm::ArrayRef<unsigned> pattern) const;
  /// Returns a key that is equal for patterns that are copies of one another,
  /// such as in the layers of a network.
  std::vector<int64_t> structure(llvm::ArrayRef<unsigned> pattern) const;

private:
  unsigned kindOf(mlir::Operation &op);

  /// By hash: kinds, each with one operator.
  llvm::DenseMap<unsigned,
                 llvm::SmallVector<std::pair<mlir::Operation *, unsigned>, 1>>
      known;
  unsigned kindCount = 0;
  std::vector<llvm::SmallVector<unsigned, 4>> consumers;
};

/// Answers of the analysis of stitched groups and of the latency evaluator
/// about patterns. Patterns with equal structure share one answer.
class StitchEvaluator {
public:
  /// `form`: whose latency evaluator predicts the times of tile programs.
  StitchEvaluator(const StitchGraph &graph, const ChipInfo &chip,
                  EvaluatorForm form = EvaluatorForm::Default)
      : graph(graph), chip(chip), form(form) {}

  struct Verdict {
    bool isPossible = false;       ///< there is a tile program
    std::optional<double> seconds; ///< predicted, where there is a schedule
    std::string reason;            ///< where it is not possible
    bool isEvaluated =
        false; ///< the seconds are computed, if there is a schedule
    /// Whether blocks need values of other blocks, where it is possible.
    bool crossesBlocks = false;
    /// Whether there is a schedule, and the predicted seconds of the first one,
    /// if `canSchedule` was called.
    std::optional<bool> isSchedulable;
    std::optional<double> ofFirst;
    /// Whether the full search has run, and the predicted seconds of its
    /// schedule.
    bool isSearched = false;
    std::optional<double> searched;
  };
  /// Returns whether some block has room for a tile program of the pattern, or
  /// whether the pattern is a single operator. Takes less time than `predict`.
  bool canSchedule(llvm::ArrayRef<unsigned> pattern);
  /// Returns whether a pattern that can be scheduled has reductions whose blocks
  /// need values of one another (StitchGroup::crossesBlocks).
  bool crossesBlocks(llvm::ArrayRef<unsigned> pattern) {
    return canSchedule(pattern) && verdictOf(pattern).crossesBlocks;
  }
  /// Returns the predicted seconds with the best schedule of `predict`, if that
  /// has run, or else with the first one that fits. nullopt without a schedule.
  std::optional<double> maxSeconds(llvm::ArrayRef<unsigned> pattern);
  /// Returns the prediction with the best of few schedules. A single operator
  /// without a tile program takes the time of its bytes.
  const Verdict &predict(llvm::ArrayRef<unsigned> pattern);
  /// Returns the predicted seconds with the schedule that the pattern would get
  /// in the end. Takes many times as long as `predict`.
  std::optional<double> predictExactly(llvm::ArrayRef<unsigned> pattern);
  /// Returns the closest predicted seconds that are known.
  std::optional<double> known(llvm::ArrayRef<unsigned> pattern) {
    const Verdict &verdict = predict(pattern);
    return verdict.isSearched ? verdict.searched : verdict.seconds;
  }
  /// Returns the number of distinct patterns that have been asked about.
  size_t countPatterns() const { return verdicts.size(); }
  /// Returns why no block has room for a tile program of the pattern. Takes
  /// long.
  std::string whyUnscheduled(llvm::ArrayRef<unsigned> pattern) const;

private:
  const StitchGraph &graph;
  const ChipInfo &chip;
  EvaluatorForm form;
  mutable StitchOperators operators;
  mlir::FailureOr<StitchGroup> analyse(llvm::ArrayRef<unsigned> pattern,
                                       std::string &reason) const;
  /// Returns what is known about a pattern.
  Verdict &verdictOf(llvm::ArrayRef<unsigned> pattern);
  Verdict &costedVerdictOf(llvm::ArrayRef<unsigned> pattern);
  /// Returns the seconds of the best schedule, or of the first one.
  std::optional<double> search(llvm::ArrayRef<unsigned> pattern,
                               Verdict &verdict, StitchEffort effort);
  /// Returns the last schedule that was found for a group with the same axes
  /// and about as many operators, if any.
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

#endif // FUSION_LIB_TRANSFORMS_PARTITION_STITCHGRAPH_H
