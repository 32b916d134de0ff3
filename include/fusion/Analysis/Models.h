//===- Models.h - The models that can judge a schedule --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every model is a pure function of (group, schedule, chip) and gives seconds
// or the reason why it cannot, so that all of them can be asked about the same
// candidate. They do not see the same things:
//
//   default          everything below and what CostModel.h adds
//   mcfuser          tiles and tree: bytes and flops (MCFuser, eq. 2 to 5)
//   chimera-printed  tiles and loop order: DV over DRAM bandwidth where MU fits
//   chimera-obs2     the same with the other reading of algorithm 1
//   alcop            tiles, warps and stages (ALCOP, table I as printed)
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_MODELS_H
#define FUSION_ANALYSIS_MODELS_H

#include "fusion/Analysis/Schedule.h"

namespace fusion {

enum class ModelKind : uint8_t {
  Default,
  McFuser,
  ChimeraPrinted,
  ChimeraObs2,
  Alcop,
};

/// All of them, ours first.
llvm::ArrayRef<ModelKind> allModels();

/// As given to model=.
llvm::StringRef name(ModelKind kind);
std::optional<ModelKind> lookupModel(llvm::StringRef name);

/// "default, mcfuser, ...", for messages.
std::string knownModelNames();

/// Whether the model sees no more of a schedule than its tree, its tiles and
/// what is bound to the grid.
bool seesTilesOnly(ModelKind kind);

/// Predicted seconds of a schedule that `checkSchedule` accepts so far as it
/// does not speak of resources; nullopt with `reason` where the model does not
/// cover it.
std::optional<double> predictSeconds(ModelKind kind, const GroupModel &group,
                                     const Schedule &schedule,
                                     const ChipInfo &chip, std::string &reason);

/// The loops of a tree in the order in which they open, each once, and before
/// them the group's other axes, which have one iteration: the block execution
/// order that Chimera's algorithm 1 takes.
llvm::SmallVector<unsigned, 8> executionOrder(const GroupModel &group,
                                              const TilingTree &tree);

} // namespace fusion

#endif // FUSION_ANALYSIS_MODELS_H
