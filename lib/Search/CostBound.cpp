//===- CostBound.cpp - Times that no schedule of given loops can beat -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/CostBound.h"
#include "fusion/Analysis/CostModel.h"
#include "fusion/Analysis/SplitReduction.h"
#include "fusion/Search/ScheduleBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace fusion;
using llvm::ArrayRef;

static constexpr double kCores = 4; ///< tensor cores of an SM

static uint32_t maskOf(ArrayRef<unsigned> axes) {
  uint32_t mask = 0;
  for (unsigned axis : axes)
    mask |= 1u << axis;
  return mask;
}

CostBound::CostBound(const GroupModel &group, const Schedule &outline,
                     ArrayRef<unsigned> blocks, const ChipInfo &chip)
    : blocks(maskOf(blocks)), l2BytesPerSecond(chip.l2BytesPerSecond),
      numSMs(chip.numSMs) {
  assert(group.axes.size() <= kMaxAxes);
  for (const Axis &axis : group.axes)
    extents.push_back(axis.extent);
  fixed = chip.launchOverhead;
  // A second launch combines parts.
  if (std::optional<unsigned> axis = outline.splitAxis()) {
    parts = outline.splitOf(*axis);
    CombineFootprint combine = combineFootprint(group, outline);
    fixed += predictStreaming(combine.loadBytes + combine.storeBytes, chip);
  }
  auto bytesOf = [&](unsigned tensor) -> double {
    return static_cast<double>(movedElements(group, outline, tensor)) *
           movedElementBytes(group, outline, tensor);
  };
  for (auto [index, tensor] : llvm::enumerate(group.tensors))
    if (tensor.role != TensorRole::Intermediate &&
        tensor.role != TensorRole::Rows && !tensor.pass &&
        !isCombined(group, outline, index))
      compulsory += compulsoryBytes(group, outline, index) /
                    static_cast<double>(chip.dramBytesPerSecond);
  // The last store leaves the chip, and something is loaded before.
  latency = chip.dramLatency + chip.l2Latency + chip.sharedLatency;
  mostSums = 32.0 * chip.maxRegistersPerThread;
  sharedBytesPerSecond =
      chip.sharedBytesPerClockPerSM * chip.clockHz * chip.numSMs;
  double plainRate = chip.f32FlopsPerSecond / 2;
  double specialRate = chip.specialPerClockPerSM * chip.clockHz * chip.numSMs;
  for (const TilingStatement &statement : listStatements(outline.tree)) {
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
      if (!isCombined(group, outline, statement.tensor))
        moves.push_back(
            {bytesOf(statement.tensor) * share, loops & ~maskOf(tensor.axes),
             outline.places[statement.tensor].space == fuse::Space::Shared});
      continue;
    }
    const Product &product = group.products[tensor.product];
    const ProductMapping &mapping = outline.products[tensor.product];
    const Intrinsic &intrinsic = *mapping.intrinsic;
    double rate = product.type ? productRate(chip, *product.type)
                               : chip.f32FlopsPerSecond;
    uint32_t axes = maskOf(product.axes);
    // What a second launch does, or what is done after an online reduction's
    // loop instead, is not counted.
    ScalarWork perPoint = product.perPoint;
    for (const OnlineAxis &online : group.online)
      for (const auto &[deferring, work] : online.deferred)
        if (deferring == tensor.product)
          perPoint += work * -1;
    if (outline.splitAxis() && tensor.role == TensorRole::Result)
      perPoint = {};
    auto elementSeconds = [&](bool isFirst) {
      constexpr int64_t unit = 1024;
      return share / sharedBytesPerSecond / (unit * unit) *
             intrinsic.operandBytes(isFirst, unit, unit);
    };
    // It stays in registers where no warps lie along its columns.
    double handOver = 0;
    if (tensor.role == TensorRole::Intermediate)
      handOver = 2 * share * tensor.elementBytes / sharedBytesPerSecond;
    double issue = 2.0 * intrinsic.i1 * intrinsic.i2 * intrinsic.r1 * kCores *
                   chip.numSMs / rate;
    works.push_back(
        {axes, axes & ~maskOf(product.reduction), loops & ~axes,
         2 / rate * share,
         std::max<int64_t>(0, perPoint.plain) / plainRate * share,
         std::max<int64_t>(0, perPoint.special) / specialRate * share, handOver,
         mapping.i1, mapping.i2, intrinsic.i1, intrinsic.i2,
         intrinsic.latency(chip) / issue, elementSeconds(true),
         elementSeconds(false)});
  }
}

/// Adds the seconds of a product: a warp with t1 × t2 sums reads for each point
/// 1/t2 elements of the first operand's fragments and 1/t1 of the second's.
void CostBound::addProduct(const Work &work, ArrayRef<int64_t> tiles,
                           double points, double values, double resident,
                           ByWarps &seconds) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  // The largest of tiles that are not chosen.
  auto part = [&](unsigned axis, unsigned warps) {
    return tiles[axis] > 0 ? static_cast<double>(tiles[axis]) / warps
                           : mostSums;
  };
  auto divides = [&](unsigned axis, int64_t unit, unsigned warps) {
    return tiles[axis] == 0 || tiles[axis] % (unit * warps) == 0;
  };
  bool isKnown = tiles[work.i1] > 0 && tiles[work.i2] > 0;
  for (auto [index, warps] : llvm::enumerate(ScheduleBuilder::warpCounts())) {
    // Each tensor core needs a warp, and products under way.
    double perCore = warps * resident / kCores;
    double leastStep = never, leastShared = never;
    for (unsigned rows = 1; rows <= warps; rows *= 2) {
      unsigned columns = warps / rows;
      if (!divides(work.i1, work.unit1, rows) ||
          !divides(work.i2, work.unit2, columns))
        continue;
      double t1 = part(work.i1, rows), t2 = part(work.i2, columns);
      if (t1 * t2 > mostSums) {
        if (isKnown)
          continue; // registers do not hold them
        double best =
            std::sqrt(mostSums * work.secondSeconds / work.firstSeconds);
        t1 = std::clamp(best, std::min(t1, mostSums / t2), t1);
        t2 = mostSums / t1;
      }
      double underWay = std::max(1.0, perCore) *
                        std::max(1.0, t1 * t2 / (work.unit1 * work.unit2));
      double busy =
          std::min(1.0, perCore) * std::min(1.0, underWay / work.underWay);
      double fragments =
          points * (work.firstSeconds / t2 + work.secondSeconds / t1);
      double handOver = columns > 1 ? values * work.handOverSeconds : 0;
      leastShared = std::min(leastShared, fragments + handOver);
      leastStep = std::min(
          leastStep,
          std::max(points * work.secondsPerPoint / busy, fragments) + handOver);
    }
    seconds.shared[index] += leastShared;
    seconds.steps[index] += leastStep;
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
  // Grids that are not chosen yet may fill the chip, with any blocks of an SM.
  uint32_t chosen = 0;
  for (unsigned axis = 0; axis < extents.size(); ++axis)
    chosen |= uint32_t(tiles[axis] > 0) << axis;
  double busiest = 1, resident = std::numeric_limits<double>::infinity();
  if ((blocks & ~chosen) == 0) {
    double grid = product(blocks, trips) * parts;
    resident = std::ceil(grid / numSMs);
    busiest = resident * numSMs / grid;
  }
  double bytes = 0, staged = 0, multiply = 0, plain = 0, special = 0;
  for (const Move &move : moves) {
    double own = move.bytes * product(move.again, trips);
    bytes += own;
    if (move.isShared)
      staged += own;
  }
  ByWarps seconds;
  for (const Work &each : works) {
    double again = product(each.again, trips);
    double points = product(each.axes, padded) * again;
    double values = product(each.values, padded) * again;
    multiply += points * each.secondsPerPoint;
    plain += values * each.plainSeconds;
    special += values * each.specialSeconds;
    addProduct(each, tiles, points, values, resident, seconds);
  }
  double least = std::numeric_limits<double>::infinity();
  for (auto [steps, shared] : llvm::zip_equal(seconds.steps, seconds.shared))
    least = std::min(
        least, std::max(latency + busiest * steps,
                        busiest * (shared + staged / sharedBytesPerSecond)));
  return fixed + std::max({compulsory, bytes / l2BytesPerSecond, least,
                           busiest * (multiply + std::max(plain, special))});
}
