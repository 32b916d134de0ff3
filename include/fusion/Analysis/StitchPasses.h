//===- StitchPasses.h - Passes of a block over a long axis ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a reduction needs what another one along the same axis makes, a block
// goes through the axis again. What a later pass reads is computed anew from
// few values that are kept from the pass that came across them first: those of
// the fewest bytes, or those that spare it the operators that are costly
// (FusionStitching, section 4.2, has expensive element-wise operators as
// sub-roots): where bytes are what a kernel waits for, they are computed again.
//
// *Online* a reduction runs in the pass of those that it needs, on their values
// so far, and its own result so far is corrected as they change
// (fusion/Analysis/OnlineReduction.h). Every place of the tile has values of
// its own, so that nothing is exchanged before the end of the pass: the places
// of a tile are to each other what steps are.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHPASSES_H
#define FUSION_ANALYSIS_STITCHPASSES_H

#include "fusion/Analysis/OnlineReduction.h"
#include "fusion/Analysis/StitchGroup.h"

namespace fusion {

struct StitchPasses {
  /// Passes over `axis`; without one all operators are of pass 0. `split`:
  /// another axis, of which blocks have a part each (StitchSplit.h): what
  /// needs its reductions is of no pass. `retainsExpensive`: no costly operator
  /// is computed by several passes, whatever bytes that takes.
  StitchPasses(const StitchGroup &group, std::optional<unsigned> axis,
               bool isOnline = false,
               std::optional<unsigned> split = std::nullopt,
               bool retainsExpensive = false);

  std::optional<unsigned> axis;
  unsigned count = 1;
  /// By operator: the first pass that can compute it.
  llvm::SmallVector<unsigned> level;
  /// By operator and by input: whether `axis` indexes its points.
  llvm::SmallVector<bool> isSerial, isSerialInput;
  /// By operator and by input: whether later passes take its values as they
  /// are.
  llvm::SmallVector<bool> isRetained, isRetainedInput;

  /// What one step of a pass does.
  struct Step {
    llvm::SmallVector<unsigned> operators; ///< to compute, ascending
    llvm::SmallVector<unsigned> inputs;    ///< to load
    llvm::SmallVector<unsigned> retained;  ///< operators' values from before
    llvm::SmallVector<unsigned> retainedInputs;
  };
  /// By pass: of steps whose values are kept, and of those where nothing is.
  llvm::SmallVector<Step> steps, stepsAgain;

  /// Whether an operator reduces the axis.
  bool reducesAxis(unsigned op) const { return reduces[op]; }
  /// By operator: blocks share what its points along the axis are combined to
  /// along the split one, a part for each step.
  llvm::SmallVector<bool> isPart;
  /// By operator: it needs what blocks share, and is of no pass.
  llvm::SmallVector<bool> isLate;

  /// By operator: what corrects its result so far, null where nothing does. In
  /// the expressions reductions and operators go by their numbers in the group.
  llvm::SmallVector<RowExpressionRef> factors;
  /// By operator: what has left the terms of its sum and is applied to its
  /// result (operators by their numbers in the group), and where in bodies it
  /// is left out, by the operand that stands for the whole then.
  llvm::SmallVector<std::vector<DeferredFactor>> deferred;
  llvm::DenseMap<mlir::Operation *, unsigned> skipped;
  /// Of a sum of squares about the mean of another sum: what it is corrected
  /// by is how far the mean has moved, as often as there have been elements
  /// (Chan, Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for
  /// Computing Sample Variances", 1979).
  struct Centre {
    unsigned sum;                 ///< of what the mean is of
    std::optional<unsigned> mean; ///< the operator that divides it, if one does
  };
  /// By operator.
  llvm::SmallVector<std::optional<Centre>> centres;
  /// By operator: others run in its pass on its values so far, or on the mean
  /// of what it has summed up so far.
  llvm::SmallVector<bool> isReference, isCentre;
  /// Why some reduction waits for a pass of its own although running forms were
  /// asked for; empty where none does.
  std::string whyNotOnline;
  /// Whether some reduction runs in the pass of another one that it needs.
  bool isOnline() const { return hasJoined; }
  /// Whether a pass computes the operator from values so far.
  bool isRunning(unsigned op, unsigned pass) const { return level[op] > pass; }
  /// Work of the corrections of an operator, for a point.
  ScalarWork correctionWork(unsigned op) const;

private:
  class Walker;
  llvm::SmallVector<bool> reduces; ///< by operator
  bool hasJoined = false;
  bool join(const StitchGroup &group, unsigned op, unsigned pass);
  bool joinCentred(const StitchGroup &group, unsigned op, unsigned pass);
  llvm::SmallVector<Step> walk(const StitchGroup &group) const;
  void choose(const StitchGroup &group, bool retainsExpensive);
};

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHPASSES_H
