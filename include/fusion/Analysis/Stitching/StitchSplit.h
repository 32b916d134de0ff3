//===- StitchSplit.h - Split reductions of stitched groups ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Split reductions: the tile of a reduced axis is only a part of it, as for
// long columns and for reductions over everything. Every block stores its
// partial result of each reduction along the axis. The last one of the blocks
// with an equal tile of the other axes reduces their partial results, in their
// order, and computes the operators that need the result. No block waits for
// another, so the number of resident blocks does not matter.
//
// Many partial results take too long for one SM while all others are idle. They
// can be reduced in rounds. Among `fanIn` consecutive blocks the last one
// reduces their partial results to one; the last one of `fanIn` such groups
// reduces these, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHSPLIT_H
#define FUSION_ANALYSIS_STITCHING_STITCHSPLIT_H

#include "fusion/Analysis/Stitching/StitchSchedule.h"

namespace fusion {

struct StitchSplit {
  StitchSplit(const StitchGroup &group, const StitchSchedule &schedule);
  /// Returns the split axis, without the other properties.
  static std::optional<unsigned> axisOf(const StitchGroup &group,
                                        const StitchSchedule &schedule);
  /// Returns the split axis of a schedule with a serial loop over another axis,
  /// or nullopt.
  static std::optional<unsigned>
  besideSerialLoop(const StitchGroup &group, const StitchSchedule &schedule);

  /// The split axis; nullopt if a block holds every reduced axis as a whole.
  std::optional<unsigned> axis;
  int64_t splits = 1;   ///< blocks along it
  int64_t counters = 1; ///< tiles of the other axes
  /// By operator: whether it reduces the axis, so that a block has a partial
  /// result.
  llvm::SmallVector<bool> isPartial;
  /// By operator: whether it needs such a result, and so the last block
  /// computes it.
  llvm::SmallVector<bool> isLate;
  /// By input: whether only late operators read it.
  llvm::SmallVector<bool> isLateInput;
  static llvm::SmallVector<bool> lateInputs(const StitchGroup &group,
                                            unsigned axis);
  /// By operator: whether a late operator needs it, though it is not late
  /// itself. The last block recomputes such operators if they are in the steps
  /// of a serial loop, and loads their inputs again: `isReadAgain`, by input.
  llvm::SmallVector<bool> isLateSource, isReadAgain;
  /// A round in which the last blocks reduce partial results to those of the
  /// next round.
  struct RoundSizes {
    int64_t splits; ///< partial results of all blocks that count together
    int64_t most;   ///< partial results that one block reduces
    int64_t groups; ///< of partial results, each reduced by one block
    /// Partial results that a block reduces at a time: at most as many of them
    /// as it held elements of the axis.
    int64_t step;

    bool isEven() const { return splits % most == 0; }
  };
  /// Returns the rounds of blocks that reduce at most `fanIn` partial results
  /// each, or all of them if that is 0.
  llvm::SmallVector<RoundSizes, 4> sizesOfRounds(const StitchSchedule &schedule,
                                                 int64_t fanIn) const;
  struct Round : RoundSizes {
    /// The partial results have the lanes and warps of the axis.
    StitchSchedule ofParts;
    std::optional<unsigned> axis;
  };
  llvm::SmallVector<Round, 1> rounds;

  /// Returns the bytes of one block's partial results of all reductions.
  int64_t bytesOfPartial(const StitchGroup &group) const {
    return axis ? bytesOfPartial(group, *axis) : 0;
  }
  /// Returns the bytes of one block's partial results if `axis` is split.
  static int64_t bytesOfPartial(const StitchGroup &group, unsigned axis);
  /// Returns the elements of a partial result of one operator.
  static int64_t countElements(const StitchGroup &group, unsigned op);
  static unsigned elementBytes(const StitchGroup &group, unsigned op);
  /// Returns the axis along which the partial results of an operator are
  /// contiguous in memory; nullopt for single elements.
  std::optional<unsigned> nearestAxis(const StitchGroup &group,
                                      unsigned op) const;
  /// Returns the cache lines that only one block's partial result occupies. The
  /// last block discards them after it has reduced them, so that they need not
  /// be written to memory. Returns 0 if blocks share lines.
  int64_t countPrivateLines(const StitchGroup &group,
                            const StitchSchedule &schedule, unsigned op) const;
  /// Returns the bytes of partial results that exceed an L2 of `l2Bytes`, so
  /// that they are written to memory and read back.
  int64_t bytesBeyond(const StitchGroup &group, int64_t l2Bytes) const;
  /// Returns the bytes of one round's partial results, `ofRound`, that exceed
  /// the L2.
  static int64_t bytesBeyond(int64_t ofRound, int64_t l2Bytes);
  /// Returns the bytes of partial results of all rounds that are written back
  /// to memory.
  int64_t bytesWrittenBack(const StitchGroup &group,
                           const StitchSchedule &schedule) const;
};

/// Returns whether reductions along an axis can be split: only element-wise
/// operators and reductions of other axes read their results.
bool canSplit(const StitchGroup &group, unsigned axis);

/// Returns whether reductions along an axis can be split with a serial loop
/// over `walk`: operators that need the results are computed step by step as
/// well.
bool canSplitBeside(const StitchGroup &group, unsigned axis, unsigned walk);

/// Returns the reason why the reductions of a schedule cannot be split over
/// blocks, or nullopt.
std::optional<std::string> checkSplit(const StitchGroup &group,
                                      const StitchSchedule &schedule);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHSPLIT_H
