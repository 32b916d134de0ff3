//===- SequencePlan.h - Partition of a candidate sequence -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_SEQUENCEPLAN_H
#define FUSION_LIB_TRANSFORMS_PARTITION_SEQUENCEPLAN_H

#include "ChainEvaluator.h"

namespace fusion {

/// The fastest division of a candidate sequence into kernels. For segments of
/// several links a rough search predicts a time first. The full search, whose
/// time decides, runs only if the segment could be in the fastest plan with a
/// time that is lower by its `roughness`.
class SequencePlan {
public:
  SequencePlan(const CandidateSequence &sequence, ChainEvaluator &evaluator,
               bool forceFusion);

  const Segment &part(unsigned first, unsigned last) const {
    return parts[first][last];
  }
  /// Returns the segment with a predicted time from a full search.
  const Segment &exactSegment(unsigned first, unsigned last);

  /// The cost of a division into kernels.
  struct Cost {
    double time = 0;
    unsigned kernels = 0;
  };
  Cost cost() const { return best.back(); }
  /// Returns the least cost of the sequence if links `first` to `last`, and
  /// maybe more, are in one kernel that begins with `first`. A kernel of the
  /// best plan begins with `first`.
  Cost costWith(unsigned first, unsigned last) const;

  /// Returns the least predicted cost of links `first` … `last` as several
  /// kernels; infinite for one link.
  Cost costCut(unsigned first, unsigned last) const;

  /// Returns the first and last links of the kernels, in order.
  llvm::SmallVector<std::pair<unsigned, unsigned>> kernels() const;

private:
  struct Plan : Cost {
    unsigned start = 0; ///< of the last segment
  };
  double minTime(const Segment &part) const;
  bool isBetter(const Cost &a, const Cost &b) const;
  bool isPossible(unsigned first, unsigned last) const {
    return first == last || parts[first][last].time;
  }
  void choose();

  const CandidateSequence &sequence;
  ChainEvaluator &evaluator;
  bool forceFusion;
  unsigned count;
  /// parts[i][j]: the segment of links i … j.
  std::vector<std::vector<Segment>> parts;
  std::vector<Plan> best; ///< by number of first links
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_SEQUENCEPLAN_H
