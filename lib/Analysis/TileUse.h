//===- TileUse.h - What a block does with its tiles ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The use of ALCOP's load-use loops: products of tiles that are in shared
// memory, and passes over the rows of tiles.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_TILEUSE_H
#define FUSION_LIB_ANALYSIS_TILEUSE_H

#include "fusion/Analysis/PipelineModel.h"

namespace fusion {

class TileUse {
public:
  TileUse(const GroupModel &group, const Schedule &schedule,
          const ChipInfo &chip, PipelineForm form, PipelineMemo &memo)
      : group(group), schedule(schedule), chip(chip), form(form), memo(memo),
        isSplit(schedule.splitAxis().has_value()),
        commonStages(commonRegisterStages(group, schedule)) {}

  /// Blocks of an SM, which share what it has; 1 or more.
  int64_t blocksPerSM = 1;

  /// Bytes of a tensor's tile, as they are moved.
  int64_t tileBytes(unsigned tensor) const;

  /// Seconds of one product's tile, `repetitions` of which run on into each
  /// other.
  double useSeconds(unsigned number, int64_t repetitions);

  /// Seconds of the pass over rows for which tensor `rows` stands.
  double passSeconds(unsigned rows) const;

private:
  double utilisation(const ContractionMapping &mapping, double rate) const;
  double sharedSeconds(double bytes) const;
  unsigned registerStages(unsigned number) const;
  double computeUse(unsigned number, int64_t repetitions,
                    unsigned ofRegisters) const;
  double exchangeSeconds(unsigned number) const;
  double inPlaceSeconds(double compute, double bytes, double steps,
                        const Intrinsic &intrinsic, bool isOverlapped) const;

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

#endif // FUSION_LIB_ANALYSIS_TILEUSE_H
