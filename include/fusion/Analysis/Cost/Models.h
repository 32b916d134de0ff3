//===- Models.h - The models that evaluate a schedule ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every model is a pure function of (group, schedule, chip). It returns
// seconds, or the reason why it does not cover the schedule, so that all models
// can evaluate the same candidate. They see different properties of a schedule:
//
//   default          everything below and what CostModel.h adds
//   mcfuser          tiles and tree: bytes and flops (MCFuser, eq. 2 to 5)
//   chimera-printed  tiles and loop order: DV over DRAM bandwidth where MU fits
//   chimera-obs2     as chimera-printed, with the other reading of algorithm 1
//   alcop            tiles, warps and stages (ALCOP, table I as printed)
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_COST_MODELS_H
#define FUSION_ANALYSIS_COST_MODELS_H

#include "fusion/Analysis/Schedules/Schedule.h"

namespace fusion {

enum class ModelKind : uint8_t {
  Default,
  McFuser,
  ChimeraPrinted,
  ChimeraObs2,
  Alcop,
};

/// Returns all models, Fusion's default first.
llvm::ArrayRef<ModelKind> allModels();

/// Return a model's name as in the option `model=`, and the model of a name.
llvm::StringRef name(ModelKind kind);
std::optional<ModelKind> lookupModel(llvm::StringRef name);

/// Returns "default, mcfuser, ...", for messages.
std::string knownModelNames();

/// Returns whether the model sees only a schedule's tiling expression, tile
/// sizes and grid axes.
bool seesTilesOnly(ModelKind kind);

/// Predicts the seconds of a schedule that is legal but for its use of
/// resources (`checkSchedule`). Returns nullopt with `reason` if the model does
/// not cover the schedule.
std::optional<double> predictSeconds(ModelKind kind, const GroupModel &group,
                                     const Schedule &schedule,
                                     const ChipInfo &chip, std::string &reason);

/// Returns the block execution order that Chimera's algorithm 1 takes. First
/// are the group's axes without a loop, which have one iteration, then the
/// loops of the tree in the order in which they open, each once.
llvm::SmallVector<unsigned, 8> executionOrder(const GroupModel &group,
                                              const TilingTree &tree);

} // namespace fusion

#endif // FUSION_ANALYSIS_COST_MODELS_H
