//===- ChainRemarks.h - Why chains are as they are --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_CHAINREMARKS_H
#define FUSION_LIB_TRANSFORMS_PARTITION_CHAINREMARKS_H

#include "SequencePlan.h"
#include "StitchNeighbours.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusion {

/// Emits remarks with the arithmetic intensity of each contraction, and what it
/// means for the chip.
void remarkIntensity(const GroupAxes &axes, const ChipInfo &chip);

/// Emits remarks that say why convolutions have the generic form.
void remarkConvolutions(mlir::func::FuncOp function);

/// The links of a candidate sequence as kernels of their own.
struct SeparateKernels {
  double seconds = 0;     ///< predicted, with kernels of joined operators
  unsigned generic = 0;   ///< contractions without a chain's kernel
  bool hasWindow = false; ///< one is computed at the places of a window
};

/// Links of a candidate sequence as one kernel, and the cost of the
/// alternatives.
struct FusedKernel {
  double seconds = 0; ///< predicted, with kernels of joined operators
  SeparateKernels separate;
  SequencePlan::Cost cut; ///< of the best way to divide them
  bool isForced = false;  ///< an alternative is predicted to be faster
};

FusedKernel evaluateFusion(const CandidateSequence &sequence,
                           const SequencePlan &plan, unsigned first,
                           unsigned last, bool forceFusion);

/// Emits remarks on a kernel of the plan, links first … last: which operators
/// join, which are the prologue, which are left to stitched groups, and which
/// contractions are fused.
void remarkKernel(const CandidateSequence &sequence, const SequencePlan &plan,
                  const Segment &part, unsigned first, unsigned last,
                  bool forceFusion);

/// Emits a remark that says why the candidate sequence is divided behind this
/// kernel of the plan.
void remarkCut(const CandidateSequence &sequence, SequencePlan &plan,
               const Segment &part, unsigned first, unsigned last,
               bool forceFusion);

/// Emits remarks that say why operators that read the chain's values, or whose
/// values it reads, are in other kernels.
void remarkNeighbours(const Segment &part, StitchNeighbours &neighbours,
                      ChainEvaluator &evaluator);

/// Emits a remark that the contractions have no kernel of a chain.
void remarkGeneric(const CandidateSequence &sequence, const Segment &part,
                   unsigned last);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_CHAINREMARKS_H
