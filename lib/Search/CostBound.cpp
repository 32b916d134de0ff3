//===- CostBound.cpp - Times that no schedule of given loops can beat -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/CostBound.h"
#include "fusion/Target/Intrinsics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <array>
#include <cmath>

using namespace fusion;
using llvm::ArrayRef;

static uint32_t maskOf(ArrayRef<unsigned> axes) {
  uint32_t mask = 0;
  for (unsigned axis : axes)
    mask |= 1u << axis;
  return mask;
}

CostBound::CostBound(const GroupModel &group, const TilingTree &tree,
                     ArrayRef<unsigned> blocks, const ChipInfo &chip,
                     int64_t parts)
    : blocks(maskOf(blocks)), l2BytesPerSecond(chip.l2BytesPerSecond),
      numSMs(chip.numSMs), parts(parts) {
  assert(group.axes.size() <= kMaxAxes);
  for (const Axis &axis : group.axes)
    extents.push_back(axis.extent);
  auto bytesOf = [&](const GroupTensor &tensor) {
    double bytes = tensor.elementBytes;
    for (unsigned axis : tensor.axes)
      bytes *= group.axes[axis].extent;
    return bytes;
  };
  for (const GroupTensor &tensor : group.tensors)
    if (tensor.role != TensorRole::Intermediate &&
        tensor.role != TensorRole::Rows && !tensor.pass)
      compulsory += bytesOf(tensor) / chip.dramBytesPerSecond;
  // The last store leaves the chip, and something is loaded before.
  // A second launch combines parts.
  fixed = chip.launchOverhead;
  if (parts > 1)
    fixed += chip.launchOverhead + chip.dramLatency;
  compulsory = std::max(compulsory, chip.dramLatency);
  for (const TilingStatement &statement : listStatements(tree)) {
    const GroupTensor &tensor = group.tensors[statement.tensor];
    // Passes over rows may stand elsewhere.
    if (tensor.role == TensorRole::Rows || tensor.pass)
      continue;
    uint32_t loops = maskOf(statement.loops);
    // Tiles that masks leave out are not visited; a single tile is.
    double share = 1;
    for (const MaskedAxis &masked : group.masked)
      if (loops & 1u << masked.axis)
        share = std::min(share, masked.leastShare);
    if (statement.kind != TilingNode::Kind::Compute) {
      moves.push_back({bytesOf(tensor) * share, loops & ~maskOf(tensor.axes)});
      continue;
    }
    const Product &product = group.products[tensor.product];
    double rate = product.type
                      ? productRate(chip, *product.type)
                      : chip.f32FlopsPerSecond;
    uint32_t axes = maskOf(product.axes);
    works.push_back({axes, loops & ~axes, 2 / rate * share});
  }
}

double CostBound::seconds(ArrayRef<int64_t> tiles) const {
  std::array<double, kMaxAxes> trips, padded;
  for (unsigned axis = 0; axis < extents.size(); ++axis) {
    int64_t tile = tiles[axis];
    int64_t count = tile > 0 ? (extents[axis] + tile - 1) / tile : 1;
    trips[axis] = count;
    padded[axis] = tile > 0 ? count * tile : extents[axis];
  }
  auto product = [](uint32_t mask, const auto &values) {
    double result = 1;
    for (; mask; mask &= mask - 1)
      result *= values[llvm::countr_zero(mask)];
    return result;
  };
  double bytes = 0, work = 0;
  for (const Move &move : moves)
    bytes += move.bytes * product(move.again, trips);
  for (const Work &each : works)
    work += product(each.axes, padded) * product(each.again, trips) *
            each.secondsPerPoint;
  // Grids that are not chosen yet may fill the chip.
  uint32_t chosen = 0;
  for (unsigned axis = 0; axis < extents.size(); ++axis)
    chosen |= uint32_t(tiles[axis] > 0) << axis;
  if ((blocks & ~chosen) == 0) {
    double grid = product(blocks, trips) * parts;
    work *= std::ceil(grid / numSMs) * numSMs / grid;
  }
  return fixed + std::max({compulsory, bytes / l2BytesPerSecond, work});
}
