//===- TileUse.h - What a block does with its tiles ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The use part of ALCOP's load-use loops: contractions of tiles in shared
// memory, and row statistics of tiles.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_COST_TILEUSE_H
#define FUSION_LIB_ANALYSIS_COST_TILEUSE_H

#include "fusion/Analysis/Cost/PipelineModel.h"

namespace fusion {

class TileUse {
public:
  TileUse(const GroupModel &group, const Schedule &schedule,
          const ChipInfo &chip, PipelineForm form, PipelineMemo &memo)
      : group(group), schedule(schedule), chip(chip), form(form), memo(memo),
        isSplit(schedule.splitAxis().has_value()),
        commonStages(commonRegisterStages(group, schedule)) {}

  /// Resident blocks of an SM, which share its rates; 1 or more.
  int64_t blocksPerSM = 1;

  /// Returns the bytes of a tensor's tile that are moved.
  int64_t tileBytes(unsigned tensor) const;

  /// Returns the seconds of one tile of a contraction, `repetitions` of which
  /// follow each other without a break.
  double useSeconds(unsigned number, int64_t repetitions);

  /// Returns the instructions of one warp for one tile of a contraction: MMAs,
  /// and loads of fragments.
  double instructions(unsigned number) const;

  /// Returns the seconds of the row statistics of one tile. Tensor `rows`
  /// identifies them.
  double passSeconds(unsigned rows) const;

private:
  double utilisation(const ContractionMapping &mapping, double rate) const;
  double sharedSeconds(double bytes) const;
  unsigned registerStages(unsigned number) const;
  double computeUse(unsigned number, int64_t repetitions,
                    unsigned ofRegisters) const;
  double reductionSeconds(unsigned number) const;
  double inPlaceSeconds(double compute, double bytes, double steps,
                        const Intrinsic &intrinsic, double waits) const;
  double waitsForMMAs(unsigned number, int64_t repetitions) const;

  const GroupModel &group;
  const Schedule &schedule;
  const ChipInfo &chip;
  PipelineForm form;
  PipelineMemo &memo;
  bool isSplit; ///< a reduction, over blocks
  std::optional<unsigned>
      commonStages; ///< of all fragments, where they are one
};

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_COST_TILEUSE_H
