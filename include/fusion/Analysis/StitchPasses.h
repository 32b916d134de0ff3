//===- StitchPasses.h - Passes of a block over a long axis ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a reduction needs what another one along the same axis makes, a block
// goes through the axis again. What a later pass reads is computed anew from few
// values that are kept from the pass that came across them first: those of the
// fewest bytes.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHPASSES_H
#define FUSION_ANALYSIS_STITCHPASSES_H

#include "fusion/Analysis/StitchGroup.h"

namespace fusion {

struct StitchPasses {
  /// Passes over `axis`; without one all operators are of pass 0.
  StitchPasses(const StitchGroup &group, std::optional<unsigned> axis);

  std::optional<unsigned> axis;
  unsigned count = 1;
  /// By operator: the first pass that can compute it.
  llvm::SmallVector<unsigned> level;
  /// By operator and by input: whether `axis` indexes its points.
  llvm::SmallVector<bool> isWalked, isWalkedInput;
  /// By operator and by input: whether later passes take its values as they are.
  llvm::SmallVector<bool> isKept, isKeptInput;

  /// What one step of a pass does.
  struct Step {
    llvm::SmallVector<unsigned> operators; ///< to compute, ascending
    llvm::SmallVector<unsigned> inputs;    ///< to load
    llvm::SmallVector<unsigned> kept;      ///< operators' values from before
    llvm::SmallVector<unsigned> keptInputs;
  };
  /// By pass: of steps whose values are kept, and of those where nothing is.
  llvm::SmallVector<Step> steps, stepsAgain;

  bool reducesAxis(const StitchGroup &group, unsigned op) const;

private:
  llvm::SmallVector<Step> walk(const StitchGroup &group) const;
  void choose(const StitchGroup &group);
};

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHPASSES_H
