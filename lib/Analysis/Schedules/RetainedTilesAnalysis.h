//===- RetainedTilesAnalysis.h - Retained tiles, step by step ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_SCHEDULES_RETAINEDTILESANALYSIS_H
#define FUSION_LIB_ANALYSIS_SCHEDULES_RETAINEDTILESANALYSIS_H

#include "fusion/Analysis/Schedules/RetainedTiles.h"
#include "llvm/ADT/STLExtras.h"

namespace fusion {

/// Analyses one tree, statement by statement.
class RetainedTilesAnalysis {
public:
  using Loops = llvm::ArrayRef<const TilingNode *>;
  using Reason = std::optional<std::string>;

  RetainedTilesAnalysis(const GroupModel &group, const Schedule &schedule,
                        RetainedTiles &retained)
      : group(group), schedule(schedule), retained(retained) {}

  Reason run();

  /// The loops that two positions share, outermost first.
  static size_t commonPart(Loops a, Loops b);

private:
  int64_t trips(unsigned axis) const { return retained.trips[axis]; }

  Reason locate(const TilingTree &items,
                llvm::SmallVectorImpl<const TilingNode *> &loops);
  Reason checkStatements() const;
  Reason analyzeSum(unsigned number);
  Reason analyzeIntermediateEpilogue(unsigned number);
  Reason analyzeUses(unsigned number);
  Reason analyzeJoin(unsigned number, unsigned home);
  Reason analyzeLoad(unsigned tensor, Loops use);
  Reason locatePass(unsigned number);
  Reason analyzePass(unsigned number);
  Reason checkRowsReach(unsigned number, const TreePosition &user,
                        const std::string &statement);
  Reason keep(unsigned tensor, Loops made, llvm::ArrayRef<unsigned> opened,
              size_t common, const llvm::Twine &what);
  void addSlots(TileSlots &slots, unsigned axis) const;

  /// Whether a position is inside of the contraction's outermost reduction.
  bool isInsideSum(unsigned number, Loops loops) const {
    return retained.reductions[number] &&
           llvm::is_contained(loops, retained.reductions[number]);
  }
  /// The loops in which each iteration completes a product's value.
  Loops scopeOf(unsigned number) const {
    Loops loops = retained.computes[group.contractions[number].result]->loops;
    return loops.take_while([&](const TilingNode *loop) {
      return loop != retained.reductions[number];
    });
  }

  const GroupModel &group;
  const Schedule &schedule;
  RetainedTiles &retained;
  unsigned counter = 0; ///< of statements
  /// The last statement inside of a loop.
  unsigned endOf(const TilingNode *loop) const {
    return llvm::find_if(ends, [&](auto &end) { return end.first == loop; })
        ->second;
  }
  llvm::SmallVector<std::pair<const TilingNode *, unsigned>, 8> ends;
};

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_SCHEDULES_RETAINEDTILESANALYSIS_H
