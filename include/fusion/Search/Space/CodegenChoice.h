//===- CodegenChoice.h - What machine code is told -------------*- C++ -*--===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides `#fuse.codegen` for a schedule that does not say it: from the cost
// model that chose the schedule, and from what ptxas is known to do.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_CODEGENCHOICE_H
#define FUSION_SEARCH_SPACE_CODEGENCHOICE_H

#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Stitching/StitchCost.h"

namespace fusion {

/// Sets `codegen` of a chain's schedule, and which of its products keep masks:
///
/// * resident blocks: as many as `cost` counts on;
/// * role registers: `registerBudgets`, where the footprint asks for more than
/// the
///   equal shares that a block is launched with;
/// * masked: products by scalar multiply-adds.
void chooseCodegen(Schedule &schedule, const Footprint &footprint,
                   const Cost &cost, const ChipInfo &chip);

/// Sets `codegen` of a stitched group's schedule. `cost` promises the
/// resident blocks, of which a grid with fewer blocks for each SM needs fewer.
/// There is 1 if the schedule has no cost because its threads have too few
/// registers.
void chooseCodegen(StitchSchedule &schedule, const StitchGroup &group,
                   const std::optional<StitchCost> &cost, const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_CODEGENCHOICE_H
