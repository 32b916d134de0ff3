//===- StitchTraffic.h - Bytes that a stitched kernel moves ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHING_STITCHTRAFFIC_H
#define FUSION_ANALYSIS_STITCHING_STITCHTRAFFIC_H

#include "fusion/Analysis/Stitching/StitchSchedule.h"

namespace fusion {

/// Bytes between global memory and the chip of all blocks: loads of every
/// active lane, replicas included, and stores.
struct StitchTraffic {
  int64_t loaded = 0, stored = 0;
  /// The part of `loaded` of tensors that some axes of their readers do not
  /// index, such as gains of columns.
  int64_t repeated = 0;
  /// The part of the other loaded bytes that belongs to neighbouring rows.
  int64_t beside = 0;
  /// The part of `loaded` and `stored` of partial results of split reductions.
  int64_t exchanged = 0;
  /// The part of `loaded` that another lane of the warp loads as well.
  int64_t alike = 0;
  /// Not included above: bytes of sectors that accesses to partial results
  /// touch but leave to the next access.
  int64_t between = 0;
};
StitchTraffic countTraffic(const StitchGroup &group,
                           const StitchSchedule &schedule,
                           const StitchPasses &passes);

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHING_STITCHTRAFFIC_H
