//===- SequencePlan.h - Partition of a candidate sequence -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_ROWPLAN_H
#define FUSION_LIB_TRANSFORMS_ROWPLAN_H

#include "ChainEvaluator.h"

namespace fusion {

/// The best of all ways to cut a row into kernels. Of parts of several links a
/// rough price says whether the whole search, whose price decides, is worth its
/// time: it is where the part could be in the best plan were it cheaper by its
/// `roughness`.
class SequencePlan {
public:
  SequencePlan(const CandidateSequence &row, ChainEvaluator &evaluator,
               bool forceFusion);

  const Segment &part(unsigned first, unsigned last) const {
    return parts[first][last];
  }
  /// The same by a whole search, for who wants to name its price.
  const Segment &exactSegment(unsigned first, unsigned last);

  /// What a way to cut costs.
  struct Cost {
    double time = 0;
    unsigned kernels = 0;
  };
  Cost cost() const { return best.back(); }
  /// Of the row with links `first` up to `last` at least in one kernel that
  /// begins with `first`, which is where a kernel of the best plan begins.
  Cost costWith(unsigned first, unsigned last) const;

  /// The least that links `first` … `last` are predicted to take as several
  /// kernels; infinite of one link.
  Cost costCut(unsigned first, unsigned last) const;

  /// First and last links of the kernels, in order.
  llvm::SmallVector<std::pair<unsigned, unsigned>> kernels() const;

private:
  struct Plan : Cost {
    unsigned start = 0; ///< of the last part
  };
  double minTime(const Segment &part) const;
  bool isBetter(const Cost &a, const Cost &b) const;
  bool isPossible(unsigned first, unsigned last) const {
    return first == last || parts[first][last].time;
  }
  void choose();

  const CandidateSequence &row;
  ChainEvaluator &evaluator;
  bool forceFusion;
  unsigned count;
  /// parts[i][j]: links i … j as one kernel.
  std::vector<std::vector<Segment>> parts;
  std::vector<Plan> best; ///< of the first links
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_ROWPLAN_H
