//===- Models.cpp - The models that can judge a schedule ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/Models.h"
#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Cost/DataMovement.h"
#include "fusion/Analysis/Cost/McFuserModel.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::SmallVector;

namespace {

struct NamedModel {
  ModelKind kind;
  llvm::StringLiteral name;
};
constexpr NamedModel models[] = {
    {ModelKind::Default, "default"},
    {ModelKind::McFuser, "mcfuser"},
    {ModelKind::ChimeraPrinted, "chimera-printed"},
    {ModelKind::ChimeraObs2, "chimera-obs2"},
    {ModelKind::Alcop, "alcop"},
};

} // namespace

llvm::ArrayRef<ModelKind> fusion::allModels() {
  static constexpr ModelKind kinds[] = {
      ModelKind::Default, ModelKind::McFuser, ModelKind::ChimeraPrinted,
      ModelKind::ChimeraObs2, ModelKind::Alcop};
  return kinds;
}

llvm::StringRef fusion::name(ModelKind kind) {
  return llvm::find_if(models,
                       [&](const NamedModel &m) { return m.kind == kind; })
      ->name;
}

std::optional<ModelKind> fusion::lookupModel(llvm::StringRef name) {
  for (const NamedModel &model : models)
    if (model.name == name)
      return model.kind;
  return std::nullopt;
}

std::string fusion::knownModelNames() {
  std::string names;
  for (const NamedModel &model : models)
    names += (names.empty() ? "" : ", ") + model.name.str();
  return names;
}

bool fusion::seesTilesOnly(ModelKind kind) {
  return kind != ModelKind::Default && kind != ModelKind::Alcop;
}

SmallVector<unsigned, 8> fusion::executionOrder(const GroupModel &group,
                                                const TilingTree &tree) {
  SmallVector<unsigned, 8> live, order;
  auto visit = [&](auto &&self, const TilingTree &items) -> void {
    for (const TilingNode &node : items) {
      if (!node.isLoop())
        continue;
      if (!llvm::is_contained(live, node.index))
        live.push_back(node.index);
      self(self, node.children);
    }
  };
  visit(visit, tree);
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    if (!llvm::is_contained(live, axis))
      order.push_back(axis);
  llvm::append_range(order, live);
  return order;
}

/// DV at DRAM bandwidth, where what MU counts fits into a block.
static std::optional<double> predictChimera(const GroupModel &group,
                                            const Schedule &schedule,
                                            const ChipInfo &chip,
                                            MovementReading reading,
                                            std::string &reason) {
  DataMovement movement =
      analyzeDataMovement(group, executionOrder(group, schedule.tree), reading);
  unsigned elementBytes = 1;
  for (const GroupTensor &tensor : group.tensors)
    if (tensor.role == TensorRole::Operand)
      elementBytes = std::max(elementBytes, tensor.elementBytes);
  int64_t held =
      movement.memoryUsage(group, schedule.tiles) * int64_t(elementBytes);
  if (held > static_cast<int64_t>(chip.sharedMemoryPerBlock)) {
    reason = "an operator's tiles (MU) take " + std::to_string(held) +
             " bytes; a block of " + chip.name.str() + " has " +
             std::to_string(chip.sharedMemoryPerBlock);
    return std::nullopt;
  }
  double seconds = 0;
  for (const TensorMovement &entry : movement.tensors)
    if (entry.volume)
      seconds += static_cast<double>(
                     entry.volume->evaluateClipped(group, schedule.tiles)) *
                 group.tensors[entry.tensor].elementBytes /
                 chip.dramBytesPerSecond;
  return seconds;
}

std::optional<double> fusion::predictSeconds(ModelKind kind,
                                             const GroupModel &group,
                                             const Schedule &schedule,
                                             const ChipInfo &chip,
                                             std::string &reason) {
  switch (kind) {
  case ModelKind::Default:
    return predictCost(group, schedule, computeFootprint(group, schedule), chip)
        .total;
  case ModelKind::McFuser: {
    std::optional<McFuserCost> cost = predictMcFuser(
        group, schedule.tree, schedule.tiles, schedule.blocks, chip, reason);
    if (!cost)
      return std::nullopt;
    return cost->total;
  }
  case ModelKind::ChimeraPrinted:
    return predictChimera(group, schedule, chip, MovementReading::Printed,
                          reason);
  case ModelKind::ChimeraObs2:
    return predictChimera(group, schedule, chip, MovementReading::Observation2,
                          reason);
  case ModelKind::Alcop:
    if (chip.isCpu()) {
      reason = "ALCOP's model is of warps and stages, which " +
               chip.name.str() + " does not have";
      return std::nullopt;
    }
    return predictPipeline(group, schedule, computeFootprint(group, schedule),
                           chip, PipelineForm::Printed)
        .kernel;
  }
  llvm_unreachable("covered switch");
}
