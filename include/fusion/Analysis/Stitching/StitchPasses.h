//===- StitchPasses.h - Passes of a block over a long axis ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a reduction needs the result of another one along the same axis, the
// serial loop of a block runs over the axis once more, in another pass. A later
// pass recomputes what it reads from few values that an earlier pass has
// retained. These are the values with the fewest bytes, or those with which the
// pass does not recompute expensive operators (FusionStitching, section 4.2,
// has expensive element-wise operators as sub-roots). In a kernel that is bound
// by bytes, recomputing is faster.
//
// *Online*, a reduction runs in the pass of the reductions that it needs, on
// their running values, and its own running value is rescaled as they change
// (fusion/Analysis/Online/OnlineReduction.h). Every element of the tile has its
// own running values, so that nothing is exchanged before the end of the pass.
// Elements of a tile relate to each other as steps do.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHPASSES_H
#define FUSION_ANALYSIS_STITCHING_STITCHPASSES_H

#include "fusion/Analysis/Online/OnlineReduction.h"
#include "fusion/Analysis/Stitching/StitchGroup.h"

namespace fusion {

struct StitchPasses {
  /// Computes the passes of a serial loop over `axis`; without an axis all
  /// operators are in pass 0. `split` is another axis, along which reductions
  /// are split over blocks (StitchSplit.h): operators that need these
  /// reductions are in no pass. With `retainsExpensive` several passes never
  /// compute the same expensive operator, whatever the bytes.
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
  /// By operator and by input: whether later passes read its retained values.
  llvm::SmallVector<bool> isRetained, isRetainedInput;

  /// What one step of a pass does.
  struct Step {
    llvm::SmallVector<unsigned> operators; ///< to compute, ascending
    llvm::SmallVector<unsigned> inputs;    ///< to load
    llvm::SmallVector<unsigned> retained;  ///< operators with retained values
    llvm::SmallVector<unsigned> retainedInputs;
  };
  /// By pass: of steps whose values are retained, and of the other steps.
  llvm::SmallVector<Step> steps, stepsAgain;

  /// Returns how many passes after the first load inputs in steps whose values
  /// are retained: the first pass does not need these inputs.
  unsigned countLoading() const {
    return llvm::count_if(
        llvm::ArrayRef(steps).drop_front(),
        [](const Step &step) { return !step.inputs.empty(); });
  }

  /// Returns whether an operator reduces the axis.
  bool reducesAxis(unsigned op) const { return reduces[op]; }
  /// By operator: whether it reduces the split axis for points along this axis,
  /// so that blocks have a partial result of it for each step.
  llvm::SmallVector<bool> isPart;
  /// By operator: whether it needs the result of a split reduction, and is in
  /// no pass.
  llvm::SmallVector<bool> isLate;

  /// By operator: the factor that rescales its running value, or null.
  /// Expressions refer to reductions and operators by their numbers in the
  /// group.
  llvm::SmallVector<RowExpressionRef> factors;
  /// By operator: factors that are moved out of the terms of its sum and
  /// applied to its result (operators by their numbers in the group). `skipped`
  /// has their operations in bodies, with the number of the operand that stands
  /// for the result.
  llvm::SmallVector<std::vector<DeferredFactor>> deferred;
  llvm::DenseMap<mlir::Operation *, unsigned> skipped;
  /// A sum of squares about the mean of another sum. It is updated by how far
  /// the mean has moved, times the number of elements (Chan, Golub and LeVeque,
  /// "Updating Formulae and a Pairwise Algorithm for Computing Sample
  /// Variances", 1979).
  struct Centre {
    unsigned sum;                 ///< of the values that the mean is of
    std::optional<unsigned> mean; ///< the operator that divides it, if one does
  };
  /// By operator.
  llvm::SmallVector<std::optional<Centre>> centres;
  /// By operator: whether others run in its pass on its running values, or on
  /// the mean of its running sum.
  llvm::SmallVector<bool> isReference, isCentre;
  /// The reason why some reduction needs its own pass although online forms
  /// were asked for; empty if none does.
  std::string whyNotOnline;
  /// Returns whether some reduction runs in the pass of another one that it
  /// needs.
  bool isOnline() const { return hasJoined; }
  /// Returns whether a pass computes the operator from running values.
  bool isRunning(unsigned op, unsigned pass) const { return level[op] > pass; }
  /// Returns the work per point of an operator's rescaling.
  ScalarWork correctionWork(unsigned op) const;

private:
  class Walker;
  class RetentionChoice;
  llvm::SmallVector<bool> reduces; ///< by operator
  bool hasJoined = false;
  bool join(const StitchGroup &group, unsigned op, unsigned pass);
  bool joinCentred(const StitchGroup &group, unsigned op, unsigned pass);
  llvm::SmallVector<Step> walk(const StitchGroup &group) const;
  /// Chooses what later passes retain: inputs that several passes load, and
  /// operators.
  void choose(const StitchGroup &group, bool retainsExpensive);
};

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHPASSES_H
