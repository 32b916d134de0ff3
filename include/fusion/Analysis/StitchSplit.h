//===- StitchSplit.h - Reductions over the blocks of a kernel ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the tile of a reduced axis is a part of it only, as of long columns and
// of reductions over everything, every block stores what it has of each
// reduction along the axis; of the blocks with the same tile of the other axes
// the last one combines the parts, in their order, and computes what needs the
// result. Blocks wait for nobody: how many of them run at a time does not
// matter.
//
// Many parts are more than one multiprocessor should load while all others are
// done. So they can be combined in rounds: of so many blocks that follow one
// another the last one combines their parts to one, of as many such groups the
// last one theirs, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHSPLIT_H
#define FUSION_ANALYSIS_STITCHSPLIT_H

#include "fusion/Analysis/StitchSchedule.h"

namespace fusion {

struct StitchSplit {
  StitchSplit(const StitchGroup &group, const StitchSchedule &schedule);
  /// The axis alone.
  static std::optional<unsigned> axisOf(const StitchGroup &group,
                                        const StitchSchedule &schedule);
  /// The same where blocks go through another axis; none where they go through
  /// this one, or through none.
  static std::optional<unsigned>
  besideSerialLoop(const StitchGroup &group, const StitchSchedule &schedule);

  /// The axis; none where every reduced axis is in a block whole.
  std::optional<unsigned> axis;
  int64_t splits = 1;   ///< blocks along it
  int64_t counters = 1; ///< tiles of the other axes
  /// By operator: it reduces the axis, so that a block has a part of it.
  llvm::SmallVector<bool> isPartial;
  /// By operator: it needs such results, and so the last block computes it.
  llvm::SmallVector<bool> isLate;
  /// By input: none but late operators read it.
  llvm::SmallVector<bool> isLateInput;
  static llvm::SmallVector<bool> lateInputs(const StitchGroup &group,
                                            unsigned axis);
  /// By operator: late ones need it, though it is none of them. What blocks
  /// have gone through of it step by step the last one computes again, and
  /// loads again what that takes, by input.
  llvm::SmallVector<bool> isLateSource, isReadAgain;
  /// The last blocks combine parts in rounds, the parts of one to those of the
  /// next.
  struct Round {
    int64_t splits; ///< partial results of all blocks that count together
    int64_t most;   ///< partial results that one block combines
    int64_t groups; ///< of partial results, each combined by one block
    /// The parts are spread as the axis was, and gone through in steps of no
    /// more of them than the block had elements of the axis at once.
    StitchSchedule ofParts;
    std::optional<unsigned> axis;

    int64_t step() const { return ofParts.threadMapping[*axis].tile; }
    bool isEven() const { return splits % most == 0; }
  };
  llvm::SmallVector<Round, 1> rounds;

  /// Bytes of one part of all partial results.
  int64_t bytesOfPartial(const StitchGroup &group) const {
    return axis ? bytesOfPartial(group, *axis) : 0;
  }
  /// The same where `axis` is split.
  static int64_t bytesOfPartial(const StitchGroup &group, unsigned axis);
  /// Elements of one part of a partial result.
  static int64_t countElements(const StitchGroup &group, unsigned op);
  static unsigned elementBytes(const StitchGroup &group, unsigned op);
  /// The axis along which the parts of an operator lie in memory; none of
  /// single elements.
  std::optional<unsigned> nearestAxis(const StitchGroup &group,
                                      unsigned op) const;
  /// Lines of one part that a block has to itself, which the last one discards
  /// when it has combined them: memory need not see them. 0 where blocks have
  /// lines between them.
  int64_t countPrivateLines(const StitchGroup &group,
                            const StitchSchedule &schedule, unsigned op) const;
  /// Bytes of parts that an L2 of so many bytes has no room for, which memory
  /// takes and gives back.
  int64_t bytesBeyond(const StitchGroup &group, int64_t l2Bytes) const;
  /// The same of one round's parts of so many bytes.
  static int64_t bytesBeyond(int64_t ofRound, int64_t l2Bytes);
  /// Bytes of parts, of all rounds, that are written back to memory.
  int64_t bytesWrittenBack(const StitchGroup &group,
                           const StitchSchedule &schedule) const;
};

/// Whether an axis could be split: nothing but element-wise operators and
/// reductions of other axes needs what is reduced along it.
bool canSplit(const StitchGroup &group, unsigned axis);

/// Whether blocks that share the reductions along an axis could go through
/// `walk`: what needs the results is computed step by step as well.
bool canSplitBeside(const StitchGroup &group, unsigned axis, unsigned walk);

/// Why the blocks of a schedule cannot share a reduction, or nullopt.
std::optional<std::string> checkSplit(const StitchGroup &group,
                                      const StitchSchedule &schedule);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHSPLIT_H
