//===- CostBound.cpp - Times that no schedule of given loops can beat -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/CostBound.h"
#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Cost/PipelineModel.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Search/Space/ScheduleBuilder.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace fusion;
using llvm::ArrayRef;

static constexpr double kCores = kSubPartitions; ///< tensor cores of an SM

static uint32_t maskOf(ArrayRef<unsigned> axes) {
  uint32_t mask = 0;
  for (unsigned axis : axes)
    mask |= 1u << axis;
  return mask;
}

/// Fills a bound with the terms of the statements of a tiling tree.
class CostBound::Builder {
public:
  Builder(CostBound &bound, const GroupModel &group, const Schedule &outline,
          ArrayRef<Intrinsics> intrinsics, const ChipInfo &chip, bool overlaps)
      : bound(bound), group(group), outline(outline), intrinsics(intrinsics),
        chip(chip), overlaps(overlaps) {}

  /// Adds the seconds of launches and of compulsory bytes.
  void addConstants();
  /// Adds the bytes or the work of a statement.
  void addStatement(const TilingStatement &statement);
  /// Adds the control of the loops that compute.
  void addLoops(ArrayRef<TilingNode> items, uint32_t around = 0);

private:
  /// Returns the share of the points of loops that is visited at least: masked
  /// tiles are not, a single tile is.
  double shareOf(uint32_t loops) const;
  /// Adds the work of a contraction's statement. `share` of its points is not
  /// masked.
  void addWork(const TilingStatement &statement, double share);
  /// Returns the seconds that a contraction takes with an intrinsic.
  Work::Unit unitOf(const Contraction &contraction, const Intrinsic &intrinsic,
                    double share) const;
  /// Returns the work per point of a contraction's value that the statement
  /// certainly has: not that of a second launch, nor work after an online
  /// reduction's loop instead of in it.
  ScalarWork workPerPoint(unsigned tensor) const;
  /// Returns whether a tensor passes through shared memory whatever the
  /// intrinsic is.
  bool isShared(unsigned index) const;
  /// Returns whether a contraction's accumulator is another one's operand A, or
  /// another one's accumulator is its own: its MMAs may overlap with other
  /// work.
  bool isFedOrFeeds(unsigned contraction) const;

  CostBound &bound;
  const GroupModel &group;
  const Schedule &outline;
  ArrayRef<Intrinsics> intrinsics;
  const ChipInfo &chip;
  bool overlaps;
};

void CostBound::Builder::addConstants() {
  bound.fixed = chip.launchOverhead;
  // A second launch reduces partial results.
  if (std::optional<unsigned> axis = outline.splitAxis())
    bound.splits = outline.splitOf(*axis);
  if (storesPartials(outline)) {
    SplitReductionFootprint combine = splitReductionFootprint(group, outline);
    bound.fixed +=
        predictStreaming(combine.loadBytes + combine.storeBytes, chip);
  }
  for (auto [index, tensor] : llvm::enumerate(group.tensors))
    if (tensor.role != TensorRole::Intermediate &&
        tensor.role != TensorRole::Rows && !tensor.pass &&
        !isReducedAcrossBlocks(group, outline, index))
      bound.compulsory += compulsoryBytes(group, outline, index) /
                          chip.memoryOf(group.outsideBytes()).bytesPerSecond;
}

bool CostBound::Builder::isShared(unsigned index) const {
  const GroupTensor &tensor = group.tensors[index];
  if (tensor.role != TensorRole::Result)
    return outline.places[index].space == fuse::Space::Shared;
  return llvm::all_of(
      intrinsics[tensor.contraction], [&](const Intrinsic *intrinsic) {
        return ScheduleBuilder::isStaged(
            tensor, outline.contractions[tensor.contraction], *intrinsic);
      });
}

bool CostBound::Builder::isFedOrFeeds(unsigned contraction) const {
  auto feeds = [&](unsigned other) {
    return producerOfOperandA(group, outline, other) == contraction;
  };
  return producerOfOperandA(group, outline, contraction) ||
         llvm::any_of(llvm::seq<unsigned>(0, group.contractions.size()), feeds);
}

double CostBound::Builder::shareOf(uint32_t loops) const {
  double share = 1;
  for (const MaskedAxis &masked : group.masked)
    if (loops & 1u << masked.axis)
      share = std::min(share, masked.minShare);
  return share;
}

static bool computes(const TilingNode &node) {
  return node.kind == TilingNode::Kind::Compute ||
         llvm::any_of(node.children, computes);
}

void CostBound::Builder::addLoops(ArrayRef<TilingNode> items, uint32_t around) {
  for (const TilingNode &node : items) {
    if (!node.isLoop() || !computes(node))
      continue;
    uint32_t loops = around | 1u << node.index;
    if (!outline.isBlockAxis(node.index)) {
      bool waits = llvm::any_of(node.children, [&](const TilingNode &child) {
        return child.kind == TilingNode::Kind::Load &&
               !isReducedAcrossBlocks(group, outline, child.index);
      });
      bound.controls.push_back(
          {loops, !(outline.splitAxis() && loops >> *outline.splitAxis() & 1),
           (kLoopInstructions + (waits ? kWaitInstructions : 0)) *
               bound.slotSeconds * shareOf(loops)});
    }
    addLoops(node.children, loops);
  }
}

void CostBound::Builder::addStatement(const TilingStatement &statement) {
  const GroupTensor &tensor = group.tensors[statement.tensor];
  // Row statistics may be computed elsewhere.
  if (tensor.role == TensorRole::Rows || tensor.pass)
    return;
  uint32_t loops = maskOf(statement.loops);
  double share = shareOf(loops);
  if (statement.kind == TilingNode::Kind::Compute) {
    addWork(statement, share);
    return;
  }
  if (isReducedAcrossBlocks(group, outline, statement.tensor))
    return;
  double bytes =
      static_cast<double>(movedElements(group, outline, statement.tensor)) *
      movedElementBytes(group, outline, statement.tensor);
  bound.moves.push_back({bytes * share, loops & ~maskOf(tensor.axes),
                         isShared(statement.tensor)});
}

ScalarWork CostBound::Builder::workPerPoint(unsigned tensor) const {
  const GroupTensor &info = group.tensors[tensor];
  if (outline.splitAxis() && info.role == TensorRole::Result)
    return {};
  ScalarWork perPoint = group.contractions[info.contraction].perPoint;
  for (const OnlineAxis &online : group.online)
    for (const auto &[deferring, work] : online.deferred)
      if (deferring == info.contraction)
        perPoint += work * -1;
  return perPoint;
}

CostBound::Work::Unit CostBound::Builder::unitOf(const Contraction &contraction,
                                                 const Intrinsic &intrinsic,
                                                 double share) const {
  double rate = contraction.type ? mmaRate(chip, *contraction.type, intrinsic)
                                 : chip.f32FlopsPerSecond;
  double issue = 2.0 * intrinsic.i1 * intrinsic.i2 * intrinsic.r1 * kCores *
                 chip.numSMs / rate;
  auto elementSeconds = [&](bool isOperandA) {
    constexpr int64_t extent = 1024;
    return share / bound.sharedBytesPerSecond / (extent * extent) *
           intrinsic.operandBytes(isOperandA, extent, extent);
  };
  // Asynchronous MMAs are assumed to be always in flight. If an intrinsic may
  // read operand A in registers instead of shared memory, it is assumed to do
  // so.
  bool mayBeFound = intrinsic.lhs.shared && intrinsic.lhs.registers;
  double lanes =
      intrinsic.isScalar() ? kWarpSize : double(intrinsic.i1) * intrinsic.r1;
  return {2 / rate * share,
          bound.slotSeconds / lanes * share,
          &intrinsic,
          intrinsic.isAsync ? 0 : intrinsic.latency(chip) / issue,
          mayBeFound ? 0 : elementSeconds(true),
          elementSeconds(false)};
}

void CostBound::Builder::addWork(const TilingStatement &statement,
                                 double share) {
  const GroupTensor &tensor = group.tensors[statement.tensor];
  const Contraction &contraction = group.contractions[tensor.contraction];
  const ContractionMapping &mapping = outline.contractions[tensor.contraction];
  double plainRate = chip.f32FlopsPerSecond / 2;
  double specialRate = chip.specialPerClockPerSM * chip.clockHz * chip.numSMs;
  uint32_t axes = maskOf(contraction.axes);
  ScalarWork perPoint = workPerPoint(statement.tensor);
  // An intermediate stays in registers where no warps lie along its columns.
  double forwarding = 0;
  if (tensor.role == TensorRole::Intermediate)
    forwarding = 2 * share * tensor.elementBytes / bound.sharedBytesPerSecond;
  Work &work = bound.works.emplace_back(
      Work{axes,
           axes & ~maskOf(contraction.reduction),
           maskOf(statement.loops) & ~axes,
           tensor.contraction,
           std::max<int64_t>(0, perPoint.plain) / plainRate * share,
           std::max<int64_t>(0, perPoint.special) / specialRate * share,
           (std::max<int64_t>(0, perPoint.plain) +
            std::max<int64_t>(0, perPoint.special)) *
               bound.slotSeconds / kWarpSize * share,
           forwarding,
           overlaps && isFedOrFeeds(tensor.contraction),
           mapping.i1,
           mapping.i2,
           {}});
  for (const Intrinsic *intrinsic : intrinsics[tensor.contraction])
    work.units.push_back(unitOf(contraction, *intrinsic, share));
}

CostBound::CostBound(const GroupModel &group, const Schedule &outline,
                     ArrayRef<unsigned> blocks, ArrayRef<Intrinsics> intrinsics,
                     const ChipInfo &chip, bool overlaps)
    : blocks(maskOf(blocks)), l2BytesPerSecond(chip.l2BytesPerSecond),
      sharedBytesPerSecond(chip.sharedBytesPerClockPerSM * chip.clockHz *
                           chip.numSMs),
      slotSeconds(1 / (kCores * chip.clockHz * chip.numSMs)),
      numSMs(chip.numSMs),
      // The last store leaves the chip, and something is loaded before.
      latency(chip.memoryOf(group.outsideBytes()).latency + chip.l2Latency +
              chip.sharedLatency),
      maxSums(double(kWarpSize) * chip.maxRegistersPerThread) {
  assert(group.axes.size() <= kMaxAxes);
  for (const Axis &axis : group.axes)
    extents.push_back(axis.extent);
  Builder builder(*this, group, outline, intrinsics, chip, overlaps);
  builder.addConstants();
  for (const TilingStatement &statement : listStatements(outline.tree))
    builder.addStatement(statement);
  builder.addLoops(outline.tree);
}

CostBound::PerWarpCount CostBound::PerWarpCount::never() {
  PerWarpCount never;
  never.steps.fill(std::numeric_limits<double>::infinity());
  never.shared = never.issue = never.steps;
  return never;
}

void CostBound::PerWarpCount::lower(const PerWarpCount &other) {
  for (unsigned index = 0; index < steps.size(); ++index) {
    steps[index] = std::min(steps[index], other.steps[index]);
    shared[index] = std::min(shared[index], other.shared[index]);
    issue[index] = std::min(issue[index], other.issue[index]);
  }
}

/// Returns the most columns of one instruction of a warp, or warpgroup, that
/// has `columns`.
static double mostColumns(const Intrinsic &intrinsic, double columns) {
  if (intrinsic.isScalar())
    return 1;
  constexpr double most = 256;
  return intrinsic.readsShared()
             ? std::max<double>(intrinsic.i2, std::min(most, columns))
             : intrinsic.i2;
}

/// Returns the seconds of issue slots in which fragments are loaded that keep
/// shared memory busy for a second: each lane loads as many bytes as it can at
/// once.
double CostBound::issueOfFragments(const Intrinsic &intrinsic) const {
  return intrinsic.readsShared()
             ? 0
             : sharedBytesPerSecond * slotSeconds / (kBytesOfCopy * kWarpSize);
}

/// Returns the lower bound in seconds of a contraction, by number of warps. For
/// each point of the MMA a warp with t1 × t2 accumulators reads 1/t2 elements
/// of the LHS's fragments and 1/t1 of the RHS's.
CostBound::PerWarpCount CostBound::boundContraction(
    const Work &work, const Work::Unit &unit, ArrayRef<int64_t> tiles,
    uint32_t chosen, double points, double values, double resident) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  constexpr unsigned ofGroups = kWarpCounts - 1;
  constexpr auto warpCounts = ScheduleBuilder::kWarpCounts;
  // By the number of warps along one side of the tile: the part of the tile
  // that a warp has, of a tile that is not chosen yet the largest; and the
  // fragments of the other operand that this part reads. Both are 0 where the
  // intrinsic does not divide the part.
  struct Side {
    std::array<double, kWarpCounts> part, fragments;
  };
  const Intrinsic &intrinsic = *unit.intrinsic;
  auto isChosen = [&](unsigned axis) { return chosen >> axis & 1; };
  auto listParts = [&](bool isRows, double elementSeconds) {
    Side side;
    unsigned axis = isRows ? work.i1 : work.i2;
    int64_t tile = tiles[axis];
    for (unsigned index = 0; index < kWarpCounts; ++index) {
      unsigned warps = warpCounts[index];
      bool divides =
          !isChosen(axis) || (isRows ? intrinsic.dividesRows(tile, warps)
                                     : intrinsic.dividesColumns(tile, warps));
      side.part[index] = !divides         ? 0
                         : isChosen(axis) ? static_cast<double>(tile) / warps
                                          : maxSums;
      side.fragments[index] = divides ? elementSeconds / side.part[index] : 0;
    }
    return side;
  };
  Side first = listParts(/*isRows=*/true, unit.secondSeconds),
       second = listParts(/*isRows=*/false, unit.firstSeconds);
  bool isKnown = isChosen(work.i1) && isChosen(work.i2);
  double multiply = points * unit.secondsPerPoint;
  double epilogue = values * work.forwardingSeconds;
  PerWarpCount seconds;
  for (unsigned index = 0; index < kWarpCounts; ++index) {
    // Each tensor core needs a warp, and MMAs in flight.
    double perCore = warpCounts[index] * resident / kCores;
    double minStep = never, minShared = never, minIssue = never;
    // Three warpgroups lie one below the other.
    unsigned firstRows = index < ofGroups ? 0 : index;
    for (unsigned rows = firstRows; rows <= index; ++rows) {
      if (index == ofGroups && !intrinsic.isOfWarpgroup())
        continue;
      unsigned columns = index - rows;
      double t1 = first.part[rows], t2 = second.part[columns];
      if (t1 == 0 || t2 == 0)
        continue;
      double perPoint = second.fragments[columns] + first.fragments[rows];
      double issue = points * unit.issueSeconds / mostColumns(intrinsic, t2);
      if (t1 * t2 > maxSums) {
        if (isKnown)
          continue; // registers do not hold them
        double best =
            unit.firstSeconds == 0
                ? t1
                : std::sqrt(maxSums * unit.secondSeconds / unit.firstSeconds);
        t1 = std::clamp(best, std::min(t1, maxSums / t2), t1);
        t2 = maxSums / t1;
        perPoint = unit.firstSeconds / t2 + unit.secondSeconds / t1;
      }
      double underWay = std::max(1.0, perCore) *
                        std::max(1.0, t1 * t2 / (intrinsic.i1 * intrinsic.i2));
      double busy =
          std::min(1.0, perCore) * std::min(1.0, underWay / unit.underWay);
      double fragments = points * perPoint;
      double own = columns > 0 ? epilogue : 0;
      minShared = std::min(minShared, fragments + own);
      minIssue =
          std::min(minIssue, issue + fragments * issueOfFragments(intrinsic));
      minStep = std::min(minStep, std::max(multiply / busy, fragments) + own);
    }
    seconds.shared[index] = minShared;
    seconds.steps[index] = minStep;
    seconds.issue[index] = minIssue + values * work.issueSeconds;
  }
  return seconds;
}

static double productOver(uint32_t mask, ArrayRef<double> values) {
  double result = 1;
  for (; mask; mask &= mask - 1)
    result *= values[llvm::countr_zero(mask)];
  return result;
}

CostBound::Along::Along(const CostBound &bound, ArrayRef<int64_t> tiles,
                        unsigned axis, ArrayRef<uint8_t> intrinsics)
    : bound(bound), axis(axis), intrinsics(intrinsics) {
  for (unsigned other = 0; other < bound.extents.size(); ++other)
    choose(other,
           other < tiles.size() ? std::optional(tiles[other]) : std::nullopt);
  if (!changes(bound.blocks))
    countResident();
  for (const Move &move : bound.moves)
    moved.push_back(move.bytes * productOver(move.again, trips));
  for (const Work &work : bound.works)
    costed.push_back(
        changes(work.axes | work.again | bound.blocks) ? Costed() : rate(work));
}

void CostBound::Along::choose(unsigned index, std::optional<int64_t> tile) {
  int64_t extent = bound.extents[index];
  chosen &= ~(1u << index);
  trips[index] = 1;
  padded[index] = extent;
  if (!tile)
    return;
  int64_t count = (extent + *tile - 1) / *tile;
  chosen |= 1u << index;
  tiles[index] = *tile;
  trips[index] = count;
  padded[index] = count * *tile;
}

/// Counts resident blocks. A grid whose axes are not all chosen may fill the
/// chip, with any number of blocks for each SM.
void CostBound::Along::countResident() {
  busiest = 1;
  resident = std::numeric_limits<double>::infinity();
  if ((bound.blocks & ~chosen) == 0) {
    double grid = productOver(bound.blocks, trips) * bound.splits;
    resident = std::ceil(grid / bound.numSMs);
    busiest = resident * bound.numSMs / grid;
  }
}

CostBound::Along::Costed CostBound::Along::rate(const Work &work) const {
  double again = productOver(work.again, trips);
  double points = productOver(work.axes, padded) * again;
  double values = productOver(work.values, padded) * again;
  Costed costed{std::numeric_limits<double>::infinity(),
                values * work.plainSeconds, values * work.specialSeconds, 0,
                PerWarpCount::never()};
  auto add = [&](const Work::Unit &unit) {
    costed.multiply = std::min(costed.multiply, points * unit.secondsPerPoint);
    if (work.mayOverlap && unit.intrinsic->isAsync)
      costed.hidden = std::numeric_limits<double>::infinity();
    costed.byWarps.lower(bound.boundContraction(work, unit, tiles, chosen,
                                                points, values, resident));
  };
  if (work.contraction < intrinsics.size())
    add(work.units[intrinsics[work.contraction]]);
  else
    llvm::for_each(work.units, add);
  costed.hidden = std::min(costed.hidden, costed.multiply);
  return costed;
}

/// Returns the seconds of issue slots in which one warp of every block starts,
/// ends and controls its loops.
double CostBound::Along::controlOfWarp() const {
  double grid = productOver(bound.blocks, trips);
  double seconds = kBlockInstructions * bound.slotSeconds * grid * bound.splits;
  for (const Control &control : bound.controls)
    seconds += control.seconds *
               productOver(control.loops | bound.blocks, trips) *
               (control.isOfPart ? bound.splits : 1);
  return seconds;
}

double CostBound::Along::seconds(int64_t tile) {
  choose(axis, tile);
  if (changes(bound.blocks))
    countResident();
  double bytes = 0, staged = 0, multiply = 0, hidden = 0, plain = 0,
         special = 0;
  for (auto [move, own] : llvm::zip_equal(bound.moves, moved)) {
    if (changes(move.again))
      own = move.bytes * productOver(move.again, trips);
    bytes += own;
    if (move.isShared)
      staged += own;
  }
  PerWarpCount sums;
  for (auto [work, own] : llvm::zip_equal(bound.works, costed)) {
    if (changes(work.axes | work.again | bound.blocks))
      own = rate(work);
    multiply += own.multiply;
    hidden += own.hidden;
    plain += own.plain;
    special += own.special;
    for (unsigned index = 0; index < sums.steps.size(); ++index) {
      sums.steps[index] += own.byWarps.steps[index];
      sums.shared[index] += own.byWarps.shared[index];
      sums.issue[index] += own.byWarps.issue[index];
    }
  }
  double control = controlOfWarp();
  double ofAll =
      std::max({bound.compulsory, bytes / bound.l2BytesPerSecond,
                busiest * std::max(multiply, multiply - hidden +
                                                 std::max(plain, special))});
  double least = std::numeric_limits<double>::infinity();
  for (auto [warps, steps, shared, issued] : llvm::zip_equal(
           ScheduleBuilder::kWarpCounts, sums.steps, sums.shared, sums.issue)) {
    double issue = busiest * (issued + warps * control);
    double busy =
        std::max({ofAll, issue, bound.latency + busiest * steps,
                  busiest * (shared + staged / bound.sharedBytesPerSecond)});
    least = std::min(least, busy + kExposedIssue * issue);
  }
  return bound.fixed + least;
}
