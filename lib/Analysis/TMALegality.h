//===- TMALegality.h - What TMA copies can fill -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_TMALEGALITY_H
#define FUSION_LIB_ANALYSIS_TMALEGALITY_H

#include "fusion/Analysis/RetainedTiles.h"

namespace fusion {

/// Returns the reason why TMA copies cannot fill the buffer of an operand or
/// store a result (ScheduleLegality.h), or nullopt. `retained` is of the
/// schedule's loops.
std::optional<std::string>
whyNotTMA(const GroupModel &group, const Schedule &schedule,
          const ChipInfo &chip, const RetainedTiles &retained, unsigned tensor);

/// Returns the reason why a block needs too many mbarriers, or nullopt. Each
/// stage and each retained tile that TMA loads fill needs its own.
std::optional<std::string> whyTooManyBarriers(const GroupModel &group,
                                              const Schedule &schedule,
                                              const RetainedTiles &retained);

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_TMALEGALITY_H
