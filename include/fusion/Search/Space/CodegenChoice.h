//===- CodegenChoice.h - What machine code is told -------------*- C++ -*--===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides `#fuse.codegen` for a schedule without it, from the cost model that
// chose the schedule and from the registers that ptxas allocates.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_CODEGENCHOICE_H
#define FUSION_SEARCH_SPACE_CODEGENCHOICE_H

#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Stitching/StitchCost.h"

namespace fusion {

/// Sets the fields of `#fuse.codegen` in a chain's schedule:
///
/// * the resident blocks per SM are those of `cost`;
/// * the register budgets of producers and consumers are set where the
/// footprint needs more registers per thread than an equal share of the block's
/// registers at its launch (`registerBudgets`).
///
/// Contractions by scalar multiply-adds are marked to keep their masks.
void chooseCodegen(Schedule &schedule, const Footprint &footprint,
                   const Cost &cost, const ChipInfo &chip);

/// Sets the fields of `#fuse.codegen` in a stitched group's schedule. The
/// resident blocks per SM are those of `cost`, or fewer where the grid has
/// fewer blocks per SM. A schedule without a cost has one resident block: its
/// threads need more registers than there are.
void chooseCodegen(StitchSchedule &schedule, const StitchGroup &group,
                   const std::optional<StitchCost> &cost, const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_CODEGENCHOICE_H
