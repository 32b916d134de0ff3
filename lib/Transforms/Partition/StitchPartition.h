//===- StitchPartition.h - Stitched groups of a function --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_STITCHPARTITION_H
#define FUSION_LIB_TRANSFORMS_PARTITION_STITCHPARTITION_H

#include "ChainPartition.h"
#include "StitchGraph.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/JSON.h"

namespace fusion {

/// Who decides which operators become one kernel.
enum class StitchStrategy : uint8_t {
  None,    ///< each is a kernel
  Greedy,  ///< XLA's rules
  Printed, ///< FusionStitching's explorer as printed
  Explorer ///< ours
};

/// The strategy of that name, or nullopt.
std::optional<StitchStrategy> lookupStitchStrategy(llvm::StringRef name);

/// What a plan may be made with or without; Both: the plan of less latency.
enum class Choice : uint8_t { Never, Always, Both };

struct StitchPartitionOptions {
  StitchStrategy strategy = StitchStrategy::Explorer;
  ExplorerOptions explorer;
  /// Whose latency evaluator predicts the times of kernels.
  EvaluatorForm latency = EvaluatorForm::Default;
  /// Whether the explorer's vertices are single operators or what XLA's rules
  /// fuse without computing anything twice.
  Choice preFusion = Choice::Both;
  /// Whether patterns are scored by the latency evaluator or by the delta
  /// evaluator's simplified one.
  Choice fullEvaluator = Choice::Both;
  bool forceFusion = false; ///< what is legal, whatever it costs
};

/// Kernels, bytes and predicted times of a function's memory-intensive
/// operators apart and by XLA's rules, before any chain takes some of them, by
/// strategy.
llvm::json::Object countBaselines(mlir::func::FuncOp function,
                                  const ChipInfo &chip);

/// Makes groups of a function's operators that no chain has taken, with
/// remarks: what became one kernel, and for every two kernels of which one
/// reads the other's values, or both the same, why they are two. Where `report`
/// is given it gets the graph, the plan with the `chains` that were made
/// before, and what the other strategies would do besides `baselines`.
void partitionStitched(mlir::func::FuncOp function, const ChipInfo &chip,
                       const StitchPartitionOptions &options,
                       mlir::RewriterBase &rewriter,
                       llvm::json::Array *report = nullptr,
                       llvm::json::Object baselines = {},
                       llvm::ArrayRef<ChainKernel> chains = {});

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_STITCHPARTITION_H
