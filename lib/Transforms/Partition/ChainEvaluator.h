//===- ChainEvaluator.h - Predicted time of segments ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_CHAINEVALUATOR_H
#define FUSION_LIB_TRANSFORMS_PARTITION_CHAINEVALUATOR_H

#include "CandidateSequences.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Search/Chains/SearchMemo.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// What the best schedule of a kernel is predicted to take, or why it has none.
struct PredictedCost {
  std::optional<double> time; ///< seconds
  std::string reason;         ///< where there is no time
  llvm::StringRef bound;      ///< what bounds the predicted time
  double flops = 0; ///< of the tensor cores, padding and recomputation included
  double bytes = 0; ///< moved between global memory and the chip
};

/// A segment as one kernel, with its predicted time.
struct Segment : PredictedCost {
  CandidateSequence::Operators operators; ///< in program order
  bool isChain = false; ///< they make a chain, whether it has a cost or not
  double apart = 0;  ///< seconds of kernels of contractions that could have joined
  std::string joins; ///< why products join or do not, where some could
  double head = 0;   ///< seconds of kernels of what could have been in front
  std::string heads; ///< why that is in front or not, where some could be
  std::string borders;     ///< why what stitched groups could have is in or not
  bool isLeft = false;     ///< they have it
  bool isRough = false;    ///< by a rough search
  size_t contractions = 0; ///< of the group
};

/// A contraction without a schedule runs in the generic form; a cost that no
/// fused kernel reaches keeps it comparable.
constexpr double kGenericSeconds = 1.0;

/// Seconds of a part as one kernel, and of what it leaves to others.
inline double kernelTime(const Segment &part) {
  return part.time.value_or(kGenericSeconds) + part.apart + part.head;
}

std::string microseconds(double seconds);

class TrialChain;

/// Evaluates segments of candidate sequences by making a group of each and
/// searching its schedule.
class ChainEvaluator {
public:
  ChainEvaluator(mlir::MLIRContext *context, const ChipInfo &chip,
                 bool forceFusion, bool skipMasked, SearchMemo &memo)
      : rewriter(context), chip(chip), forceFusion(forceFusion),
        skipMasked(skipMasked), memo(memo) {}

  /// Links first … last as one kernel: with what joins them and what is in
  /// front of them, or with kernels for these, whichever takes less.
  Segment predict(const CandidateSequence &sequence, unsigned first,
                  unsigned last);
  /// Operators as one kernel. Contractions are explained if `isSingle`.
  Segment predict(CandidateSequence::Operators operators, bool isSingle);
  /// What an operator takes as a kernel of its own: its bytes pass once.
  double predictAlone(mlir::linalg::LinalgOp op) const;

  mlir::IRRewriter rewriter;
  bool explains = true;
  /// Whether searches are rough ones (SearchOptions).
  bool isRough = false;

private:
  Segment predict(const CandidateSequence &sequence, unsigned first,
                  unsigned last, bool heads);
  Segment predict(const CandidateSequence &sequence, unsigned first,
                  unsigned last, bool joined, bool heads);
  PredictedCost search(TrialChain &chain);

  const ChipInfo &chip;
  bool forceFusion, skipMasked;
  SearchMemo &memo;
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_CHAINEVALUATOR_H
