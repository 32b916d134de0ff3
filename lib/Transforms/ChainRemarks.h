//===- ChainRemarks.h - Why chains are as they are --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_CHAINREMARKS_H
#define FUSION_LIB_TRANSFORMS_CHAINREMARKS_H

#include "SequencePlan.h"
#include "StitchNeighbours.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusion {

/// Of each product, and what that means for the chip.
void remarkIntensity(const GroupAxes &axes, const ChipInfo &chip);

/// Why convolutions are left to the generic form.
void remarkConvolutions(mlir::func::FuncOp function);

/// Links of a row as kernels of their own.
struct SeparateKernels {
  double seconds = 0;     ///< predicted, kernels of what joins them included
  unsigned generic = 0;   ///< products without a chain's kernel
  bool hasWindow = false; ///< one is computed at the places of a window
};

/// Links of a row as one kernel, and what the cost says of the others.
struct FusedKernel {
  double seconds = 0; ///< predicted, kernels of what joins them included
  SeparateKernels separate;
  SequencePlan::Cost cut; ///< of the best way to cut them
  bool isForced = false;  ///< one of the others is predicted to take less
};

FusedKernel evaluateFusion(const CandidateSequence &row,
                           const SequencePlan &plan, unsigned first,
                           unsigned last, bool forceFusion);

/// What a kernel of the plan, links first … last, is made of: what joins, what
/// is in front, what stitched groups have of it, and which products are fused.
void remarkKernel(const CandidateSequence &row, const SequencePlan &plan,
                  const Segment &part, unsigned first, unsigned last,
                  bool forceFusion);

/// Why the row is cut behind this kernel of the plan.
void remarkCut(const CandidateSequence &row, SequencePlan &plan,
               const Segment &part, unsigned first, unsigned last,
               bool forceFusion);

/// Why operators that read the chain's values, or whose values it reads, are in
/// other kernels.
void remarkNeighbours(const Segment &part, StitchNeighbours &neighbours,
                      ChainEvaluator &evaluator);

/// That the products have no kernel of a chain.
void remarkGeneric(const CandidateSequence &row, const Segment &part,
                   unsigned last);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_CHAINREMARKS_H
