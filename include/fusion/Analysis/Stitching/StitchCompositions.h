//===- StitchCompositions.h - Values evaluated once -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In tan(g[i]) * x[i, j] the threads along j all need the same elements of
// tan(g[i]). By default each of them evaluates these elements. Otherwise the
// threads share the elements out. Each evaluates some of them and passes them
// on: to the lanes of its warp by shuffles (warp composition), or to the
// threads of its block in shared memory (block composition; FusionStitching,
// section 4.1). The operator then has a layout of its own, in which its axes
// are mapped to other threads than in the rest of the kernel. An operator that
// only such operators read may have their layout, too, and then exchanges
// nothing.
//
// Example: a warp has 8 rows, with all lanes along j. Each lane would evaluate
// 8 elements. With warp composition lane l evaluates element l % 8, and reads
// all 8 elements by 8 shuffles.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHCOMPOSITIONS_H
#define FUSION_ANALYSIS_STITCHING_STITCHCOMPOSITIONS_H

#include "fusion/Analysis/Stitching/StitchSchedule.h"

namespace fusion {

/// Returns the layout over `axes`, ascending and of one component, in which the
/// threads of a warp or a block share the elements of a tile out.
LinearLayout sharedLayoutOf(const StitchGroup &group,
                            const StitchSchedule &schedule, unsigned component,
                            llvm::ArrayRef<unsigned> axes, Composition scheme);

/// Sizes of `sharedLayoutOf`: the registers of a thread, and the lanes and
/// warps that hold different elements.
struct SharedShape {
  int64_t registers = 1, lanes = 1, warps = 1;

  /// Returns the sizes for tiles over the operator's axes.
  static SharedShape of(const StitchGroup &group,
                        const StitchSchedule &schedule, unsigned op,
                        Composition scheme);
};

/// Returns the elements that a thread evaluates of an operator, which has a
/// composition.
inline int64_t countEvaluated(const StitchGroup &group,
                              const StitchSchedule &schedule, unsigned op) {
  return SharedShape::of(group, schedule, op, schedule.schemeOf(op)).registers;
}

/// Returns the operator in whose layout an input is loaded, or nullopt if the
/// input is loaded in the layout of the group: all of its readers have one
/// composition and the input's axes, and no loop copies or retains it.
std::optional<unsigned> sharedReaderOf(const StitchGroup &group,
                                       const StitchSchedule &schedule,
                                       const StitchPasses &passes,
                                       unsigned input);

/// Returns whether the operator, which has a composition, hands its result
/// over: the kernel stores or retains it, or an operator in another layout
/// reads it.
bool isExchanged(const StitchGroup &group, const StitchSchedule &schedule,
                 const StitchPasses &passes, unsigned op);

/// Returns the operand tiles of an operator with a composition that are
/// converted to its layout: the number of bytes of an element of each.
llvm::SmallVector<int64_t> convertedOperands(const StitchGroup &group,
                                             const StitchSchedule &schedule,
                                             const StitchPasses &passes,
                                             unsigned op);

/// What a thread does to exchange elements, as instructions.
struct StitchExchange {
  int64_t shuffles = 0;
  int64_t accesses = 0; ///< to shared memory
  int64_t selects = 0;  ///< among its own registers
  int64_t barriers = 0; ///< pairs: before the stores, and before the loads
};
/// Counts what a thread does for the operands and the result of an operator
/// with a composition, next to its evaluation.
StitchExchange countExchange(const StitchGroup &group,
                             const StitchSchedule &schedule,
                             const StitchPasses &passes, unsigned op);
/// Returns the bytes of shared memory of the largest of these exchanges, or
/// with `isBound` an upper bound, which takes less time for tiles over several
/// axes.
int64_t bytesOfExchange(const StitchGroup &group,
                        const StitchSchedule &schedule,
                        const StitchPasses &passes, unsigned op,
                        bool isBound = false);

/// Returns the reason why the schedule's compositions are infeasible, or
/// nullopt.
std::optional<std::string> checkCompositions(const StitchGroup &group,
                                             const StitchSchedule &schedule);

/// Returns the element-wise operators that are worth a composition: they
/// evaluate polynomials (`evaluatesPolynomials`), and some axis of their
/// component does not index them.
llvm::SmallVector<unsigned> findShareable(const StitchGroup &group);

/// Gives an operator a composition, and with it the element-wise operators that
/// it alone needs, directly or indirectly, over the same axes. Other operators
/// with the composition may need them as well.
void addComposition(const StitchGroup &group, StitchSchedule &schedule,
                    unsigned op, Composition scheme);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHCOMPOSITIONS_H
