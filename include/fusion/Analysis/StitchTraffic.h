//===- StitchTraffic.h - Bytes that a stitched kernel moves ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHTRAFFIC_H
#define FUSION_ANALYSIS_STITCHTRAFFIC_H

#include "fusion/Analysis/StitchSchedule.h"

namespace fusion {

/// Bytes between global memory and the chip of all blocks: loads of every
/// active lane, replicas included, and stores.
struct StitchTraffic {
  int64_t loaded = 0, stored = 0;
  /// Of the loaded ones, those of tensors that not all axes of their readers
  /// index, as the gains of columns.
  int64_t repeated = 0;
  /// Of the loaded ones of others, those of the rows beside.
  int64_t beside = 0;
  /// Of both, those of parts of reductions that blocks share.
  int64_t exchanged = 0;
  /// Of the loaded ones, those that another lane of the warp loads as well.
  int64_t alike = 0;
  /// Beside all of these: what lies in the sectors of accesses to parts and is
  /// left to the next access.
  int64_t between = 0;
};
StitchTraffic countTraffic(const StitchGroup &group,
                           const StitchSchedule &schedule,
                           const StitchPasses &passes);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHTRAFFIC_H
