//===- McFuserModel.cpp - MCFuser's time and memory models ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/McFuserModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <array>

using namespace fusion;
using llvm::ArrayRef;

static uint32_t maskOf(ArrayRef<unsigned> axes) {
  uint32_t mask = 0;
  for (unsigned axis : axes)
    mask |= 1u << axis;
  return mask;
}

template <typename T, typename Values>
static T multiplySelected(uint32_t mask, const Values &values) {
  T result = 1;
  for (; mask; mask &= mask - 1)
    result *= values[llvm::countr_zero(mask)];
  return result;
}

int64_t fusion::sumOfTiles(const GroupModel &group, ArrayRef<int64_t> tiles,
                           FootprintUnit unit) {
  int64_t sum = 0;
  for (const GroupTensor &tensor : group.tensors) {
    if (tensor.role == TensorRole::Rows || tensor.pass)
      continue;
    int64_t size = unit == FootprintUnit::Bytes ? tensor.elementBytes : 1;
    for (unsigned axis : tensor.axes)
      size *= tiles[axis];
    sum += size;
  }
  return sum;
}

std::optional<McFuserModel> McFuserModel::create(const GroupModel &group,
                                                 const TilingTree &tree,
                                                 ArrayRef<unsigned> blocks,
                                                 const ChipInfo &chip,
                                                 std::string &reason) {
  if (group.axes.size() > kMaxAxes) {
    reason = "more than " + std::to_string(kMaxAxes) + " axes";
    return std::nullopt;
  }
  McFuserModel model;
  for (const Axis &axis : group.axes)
    model.extents.push_back(axis.extent);
  model.blocks = maskOf(blocks);
  model.numSMs = chip.numSMs;
  for (const GroupTensor &tensor : group.tensors)
    model.retained.push_back({maskOf(tensor.axes), 0,
                              tensor.role == TensorRole::Rows || tensor.pass
                                  ? 0
                                  : tensor.elementBytes});
  for (const TilingStatement &statement : listStatements(tree)) {
    const GroupTensor &tensor = group.tensors[statement.tensor];
    if (tensor.role == TensorRole::Rows)
      continue; // MCFuser knows contractions only
    uint32_t loops = maskOf(statement.loops);
    if (statement.kind != TilingNode::Kind::Compute) {
      model.statements.push_back(
          {false, maskOf(tensor.axes), loops,
           tensor.elementBytes / chip.dramBytesPerSecond});
      continue;
    }
    const Contraction &own = group.contractions[tensor.contraction];
    double rate = own.type ? chip.peakFlops(*own.type) : 0;
    if (rate == 0) {
      reason = chip.name.str() + " has no tensor core rate for contraction '" +
               tensor.name + "'";
      return std::nullopt;
    }
    model.statements.push_back({true, maskOf(own.axes), loops, 2 / rate});
    const auto *reduction = llvm::find_if(statement.loops, [&](unsigned axis) {
      return llvm::is_contained(own.reduction, axis);
    });
    for (unsigned axis : llvm::make_range(reduction, statement.loops.end()))
      if (llvm::is_contained(tensor.axes, axis))
        model.retained[statement.tensor].copies |= 1u << axis;
  }
  return model;
}

McFuserCost McFuserModel::predictAtLeast(ArrayRef<int64_t> least,
                                         ArrayRef<int64_t> most) const {
  std::array<double, kMaxAxes> fewest, maxTrips;
  uint32_t open = 0;
  for (unsigned axis = 0; axis < extents.size(); ++axis) {
    fewest[axis] = (extents[axis] + most[axis] - 1) / most[axis];
    maxTrips[axis] = (extents[axis] + least[axis] - 1) / least[axis];
    open |= static_cast<uint32_t>(least[axis] != most[axis]) << axis;
  }
  McFuserCost cost;
  for (const Statement &statement : statements) {
    // A statement's own loop over tiles covers the axis, whatever their size.
    uint32_t covered = statement.tile & statement.loops & open;
    double seconds =
        statement.seconds *
        (multiplySelected<double>(statement.tile & ~covered, least) *
         multiplySelected<double>(covered, extents)) *
        multiplySelected<double>(statement.loops & ~covered, fewest);
    (statement.isCompute ? cost.compute : cost.memory) += seconds;
  }
  double grid = multiplySelected<double>(blocks, maxTrips);
  cost.slowdown = (grid + numSMs) / grid;
  cost.total = (cost.memory + cost.compute) * cost.slowdown;
  return cost;
}

int64_t McFuserModel::sharedMemory(ArrayRef<int64_t> tiles,
                                   FootprintUnit unit) const {
  // Carried tiles are accumulators, of f32 at least.
  constexpr int64_t minCarriedBytes = 4;
  int64_t sum = 0;
  for (const Kept &tensor : retained) {
    int64_t copies = 1;
    for (uint32_t rest = tensor.copies; rest; rest &= rest - 1) {
      unsigned axis = llvm::countr_zero(rest);
      copies *= (extents[axis] + tiles[axis] - 1) / tiles[axis];
    }
    int64_t bytes = tensor.elementBytes;
    if (copies > 1)
      bytes = std::max(bytes, minCarriedBytes);
    sum += multiplySelected<int64_t>(tensor.tile, tiles) * copies *
           (unit == FootprintUnit::Bytes ? bytes : 1);
  }
  return sum;
}

std::optional<McFuserCost>
fusion::predictMcFuser(const GroupModel &group, const TilingTree &tree,
                       ArrayRef<int64_t> tiles, ArrayRef<unsigned> blocks,
                       const ChipInfo &chip, std::string &reason) {
  std::optional<McFuserModel> model =
      McFuserModel::create(group, tree, blocks, chip, reason);
  if (!model)
    return std::nullopt;
  return model->predict(tiles);
}
