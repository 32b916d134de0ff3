//===- WarpInstructions.h - Instructions of a warp of a block ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the instructions that a warp issues: MMAs and loads of fragments,
// operators on tiles, and the control of loops. The pipeline model takes them
// as seconds of loops and as issue slots of the schedulers.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_COST_WARPINSTRUCTIONS_H
#define FUSION_LIB_ANALYSIS_COST_WARPINSTRUCTIONS_H

#include "TileUse.h"

namespace fusion {

/// Returns whether TMA copies load everything that a node, or each of several,
/// loads.
bool loadsByTMA(const Schedule &schedule, const TilingNode &node);
bool loadByTMA(const Schedule &schedule, llvm::ArrayRef<TilingNode> items);

class WarpInstructions {
public:
  /// `memo` has the nodes of the schedule's tree.
  WarpInstructions(const GroupModel &group, const Schedule &schedule,
                   const Footprint &footprint, PipelineForm form,
                   PipelineMemo &memo, const TileUse &use)
      : group(group), schedule(schedule), footprint(footprint), form(form),
        memo(memo), use(use) {}

  /// Returns the instructions of a warp of a block, without its copies of
  /// results and before and behind its loops. `isSingleWave`: of the longest
  /// block. `issuesTMA`: the warp issues TMA copies.
  double ofBlock(bool isSingleWave, bool issuesTMA);

  /// Returns the instructions for the operators on a tile of a contraction,
  /// plain ones and special functions. Operators on a complete value count for
  /// each of its tiles alike.
  std::pair<double, double> ofOperators(unsigned number) const;

  /// Returns the instructions that control an iteration of a loop: the warp
  /// counts, waits for copies, and issues the next ones. The printed form has
  /// none.
  double ofControl(const TilingNode &loop, bool issuesTMA) const;

  /// Returns the iterations of a loop of a block, the memo's node `at`. A
  /// single wave ends with its longest block. With several waves, each SM has
  /// blocks of all lengths.
  int64_t iterationsOf(const TilingNode &loop, unsigned at,
                       bool isSingleWave) const;

private:
  double ofItems(const TilingTree &items, unsigned at, bool isSingleWave,
                 bool issuesTMA) const;

  const GroupModel &group;
  const Schedule &schedule;
  const Footprint &footprint;
  PipelineForm form;
  PipelineMemo &memo;
  const TileUse &use;
};

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_COST_WARPINSTRUCTIONS_H
