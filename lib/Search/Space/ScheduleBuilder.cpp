//===- ScheduleBuilder.cpp - From loops and tiles to a schedule -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/ScheduleBuilder.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Resources/Footprint.h"
#include "fusion/Analysis/Schedules/Forwarding.h"
#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include "fusion/Analysis/Schedules/MemoryTile.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

ScheduleBuilder::ScheduleBuilder(const GroupModel &group, const ChipInfo &chip)
    : group(group), chip(chip) {
  mapContractions();
  orderLoops();
  mapped.tiles.assign(group.axes.size(), 1);
  mapped.places.assign(group.tensors.size(), {});
}

Intrinsics ScheduleBuilder::intrinsicsOf(unsigned contraction) const {
  Intrinsics list;
  for (const Intrinsic &each : allIntrinsics())
    if (each.multiplies(*group.contractions[contraction].type) &&
        each.availableOn(chip))
      list.push_back(&each);
  return list;
}

bool ScheduleBuilder::isMapped(unsigned axis) const {
  return llvm::any_of(mapped.contractions, [&](const ContractionMapping &each) {
    return each.i1 == axis || each.i2 == axis || each.r1 == axis;
  });
}

/// Returns the axis to tile among several: the longest, of equal ones the last.
unsigned ScheduleBuilder::pickAxis(ArrayRef<unsigned> axes) const {
  unsigned best = axes.front();
  for (unsigned axis : axes)
    if (group.axes[axis].extent >= group.axes[best].extent)
      best = axis;
  return best;
}

/// Maps contractions to intrinsics, from the last to the first. An intermediate
/// is the LHS of its consumer's intrinsic, so that its accumulator can be
/// forwarded in registers. The producer's rows are then the consumer's rows,
/// and its columns are the consumer's reduced axis.
void ScheduleBuilder::mapContractions() {
  unsigned count = group.contractions.size();
  mapped.contractions.resize(count);
  SmallVector<bool> isDone(count, false);
  for (unsigned number = count; number-- > 0;) {
    const Contraction &contraction = group.contractions[number];
    ContractionMapping &mapping = mapped.contractions[number];
    if (!isDone[number]) {
      const GroupTensor &result = group.tensors[contraction.result];
      if (contraction.producer[0] || contraction.producer[1])
        mapping.swapped = !contraction.producer[0];
      else
        // Rows of the result are stored along the columns of the accumulator.
        mapping.swapped =
            llvm::is_contained(contraction.lhsAxes, result.axes.back());
      mapping.i1 =
          pickAxis(mapping.swapped ? contraction.rhsAxes : contraction.lhsAxes);
      mapping.i2 =
          pickAxis(mapping.swapped ? contraction.lhsAxes : contraction.rhsAxes);
    }
    // Tensors that are joined by operators are held by the same threads.
    for (unsigned other : contraction.joined) {
      if (isDone[other])
        continue;
      ContractionMapping &from = mapped.contractions[other];
      from.i1 = mapping.i1;
      from.i2 = mapping.i2;
      from.swapped =
          llvm::is_contained(group.contractions[other].rhsAxes, from.i1);
      isDone[other] = true;
    }
    mapping.intrinsic = intrinsicsOf(number).front();
    mapping.r1 = pickAxis(contraction.reduction);
    unsigned first = mapping.swapped ? 1 : 0;
    for (unsigned operand : {first, 1 - first}) {
      std::optional<unsigned> producer = contraction.producer[operand];
      if (!producer || isDone[*producer])
        continue;
      // Only the LHS is forwarded in registers. The RHS's producer may be
      // mapped otherwise, but the same axes must be tiled.
      ContractionMapping &from = mapped.contractions[*producer];
      const Contraction &source = group.contractions[*producer];
      from.i1 = operand == first ? mapping.i1 : mapping.r1;
      from.i2 = operand == first ? mapping.r1 : mapping.i2;
      from.swapped = llvm::is_contained(source.rhsAxes, from.i1);
      isDone[*producer] = true;
    }
  }
}

void ScheduleBuilder::orderLoops() {
  const GroupTensor &result =
      *llvm::find_if(group.tensors, [](const GroupTensor &tensor) {
        return tensor.role == TensorRole::Result;
      });
  // The grid: batches slowest, then rows, then columns of the result.
  const ContractionMapping &last = mapped.contractions[result.contraction];
  for (unsigned axis : result.axes)
    if (axis != last.i1 && axis != last.i2)
      grid.push_back(axis);
  grid.push_back(last.i1);
  grid.push_back(last.i2);
  nested.blocks.assign(grid.begin(), grid.end());
  SmallVector<unsigned, 8> loops;
  auto add = [&](unsigned axis) {
    if (!llvm::is_contained(grid, axis) && !llvm::is_contained(loops, axis))
      loops.push_back(axis);
  };
  for (unsigned number = group.contractions.size(); number-- > 0;) {
    const Contraction &contraction = group.contractions[number];
    unsigned inner = mapped.contractions[number].r1;
    for (unsigned axis : contraction.reduction)
      if (axis != inner)
        add(axis);
    add(inner);
  }
  nested.loops = makeNest(loops);
}

void ScheduleBuilder::setLoops(Schedule &schedule,
                               const BoundExpression &expression, bool hoists,
                               ArrayRef<StatisticsPlacement> passes) const {
  schedule.blocks.clear();
  SmallVector<unsigned, 4> blocks; // in the order of the grid
  for (unsigned axis : grid)
    if (llvm::is_contained(expression.blocks, axis)) {
      blocks.push_back(axis);
      if (tripCount(group.axes[axis], schedule.tiles[axis]) > 1)
        schedule.blocks.push_back(axis);
    }
  TilingTree loops = makeNest(blocks);
  TilingTree *body = &loops;
  while (!body->empty())
    body = &body->front().children;
  *body = expression.loops;
  schedule.tree = placeStatements(group, loops, placementTiles(group, schedule),
                                  blocks, hoists, passes);
  if (hoists)
    return;
  auto splice = [&](auto &&self, TilingTree &items) -> void {
    TilingTree live;
    for (TilingNode &node : items) {
      if (!node.isLoop()) {
        live.push_back(std::move(node));
        continue;
      }
      self(self, node.children);
      if (tripCount(group.axes[node.index], schedule.tiles[node.index]) > 1)
        live.push_back(std::move(node));
      else
        for (TilingNode &child : node.children)
          live.push_back(std::move(child));
    }
    items = std::move(live);
  };
  splice(splice, schedule.tree);
}

/// Returns the transport by which threads copy an operand to shared memory.
static fuse::Transport widestTransport(const GroupTensor &tensor,
                                       const ContractionMapping &mapping,
                                       const ChipInfo &chip) {
  unsigned parallel = mapping.parallelAxis(tensor.operandNumber);
  if (!chip.hasAsyncCopy ||
      !getMemoryTile(tensor, parallel, mapping.r1).isDense)
    return fuse::Transport::Sync;
  return tensor.alignment >= 16  ? fuse::Transport::Async16
         : tensor.alignment >= 8 ? fuse::Transport::Async8
         : tensor.alignment >= 4 ? fuse::Transport::Async4
                                 : fuse::Transport::Sync;
}

void ScheduleBuilder::placeTensors(Schedule &schedule) const {
  schedule.reduction = reductionForm(group, schedule);
  schedule.places.assign(group.tensors.size(), {});
  for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
    Placement &place = schedule.places[index];
    const ContractionMapping &mapping =
        schedule.contractions[tensor.contraction];
    switch (tensor.role) {
    case TensorRole::Extra:
    case TensorRole::Statistic:
    case TensorRole::Intermediate:
    case TensorRole::Rows:
      break;
    case TensorRole::Operand: {
      if (tensor.pass && !isLoaded(schedule.tree, index))
        break;
      unsigned parallel = mapping.parallelAxis(tensor.operandNumber);
      if (!llvm::is_contained(tensor.axes, parallel) ||
          !llvm::is_contained(tensor.axes, mapping.r1))
        break;
      place.space = fuse::Space::Shared;
      place.transport = widestTransport(tensor, mapping, chip);
      break;
    }
    case TensorRole::Result:
      // A cross-block reduction in a cluster stores in the order of memory.
      if (!schedule.splitInCluster &&
          isStaged(tensor, mapping, *mapping.intrinsic))
        place.space = fuse::Space::Shared;
      break;
    }
  }
  schedule.maskedAxis = skippableAxis(group, schedule);
}

void ScheduleBuilder::setTransports(Schedule &schedule,
                                    TensorSet usesTMA) const {
  for (unsigned tensor : listCopied(group, schedule)) {
    const GroupTensor &info = group.tensors[tensor];
    bool isTMA = tensor < kMaxInSet && (usesTMA >> tensor & 1);
    schedule.places[tensor].transport =
        isTMA ? fuse::Transport::TMA
              : widestTransport(info, schedule.contractions[info.contraction],
                                chip);
  }
}

void ScheduleBuilder::storeByTMA(Schedule &schedule, TensorSet results) {
  for (TensorSet left = results; left; left &= left - 1) {
    Placement &place = schedule.places[llvm::countr_zero(left)];
    place.space = fuse::Space::Shared;
    place.transport = fuse::Transport::TMA;
  }
}

void ScheduleBuilder::arrange(Schedule &schedule,
                              ArrayRef<std::array<unsigned, 2>> warps) const {
  schedule.warps = warps.front()[0] * warps.front()[1];
  for (auto [mapping, own] : llvm::zip_equal(schedule.contractions, warps)) {
    mapping.warps[0] = own[0];
    mapping.warps[1] = own[1];
  }
  for (Placement &place : schedule.places)
    place.stages = place.registerStages = 1;
  for (auto [index, tensor] : llvm::enumerate(group.tensors))
    if (tensor.role == TensorRole::Intermediate)
      schedule.places[index].space =
          isForwardedInRegisters(group, schedule, tensor.contraction)
              ? fuse::Space::Registers
              : fuse::Space::Shared;
}

SmallVector<unsigned, 4> fusion::listPipelinedLoads(const Schedule &schedule) {
  SmallVector<unsigned, 4> loads;
  for (const PipelinedLoop &loop : listPipelinedLoops(schedule))
    llvm::append_range(loads, loop.loads);
  return loads;
}

SmallVector<PipelinedLoop, 4>
fusion::listPipelinedLoops(const Schedule &schedule) {
  SmallVector<PipelinedLoop, 4> loops;
  SmallVector<unsigned, 4> axes;
  auto visit = [&](auto &&self, const TilingTree &items) -> void {
    for (const TilingNode &node : items) {
      if (!node.isLoop())
        continue;
      if (schedule.isBlockAxis(node.index)) {
        self(self, node.children);
        continue;
      }
      axes.push_back(node.index);
      if (llvm::any_of(node.children,
                       [](const TilingNode &child) { return child.isLoop(); }))
        self(self, node.children);
      // A loop without a computation only fills retained tiles.
      else if (llvm::any_of(node.children, [](const TilingNode &child) {
                 return child.kind == TilingNode::Kind::Compute;
               })) {
        PipelinedLoop loop{axes, {}};
        for (const TilingNode &child : node.children)
          if (child.kind == TilingNode::Kind::Load &&
              schedule.places[child.index].space == fuse::Space::Shared)
            loop.loads.push_back(child.index);
        if (!loop.loads.empty())
          loops.push_back(std::move(loop));
      }
      axes.pop_back();
    }
  };
  visit(visit, schedule.tree);
  return loops;
}

void ScheduleBuilder::setRegisterStages(Schedule &schedule,
                                        unsigned stages) const {
  for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
    if (hasFragments(group, schedule, tensor))
      schedule.places[tensor].registerStages = stages;
}

void ScheduleBuilder::setStages(Schedule &schedule, unsigned stages,
                                ArrayRef<unsigned> loads) {
  for (unsigned tensor : loads) {
    bool isAsync = schedule.places[tensor].transport != fuse::Transport::Sync;
    schedule.places[tensor].stages = isAsync ? stages : std::min(stages, 2u);
  }
}

//===----------------------------------------------------------------------===//
// Arrangements of warps
//===----------------------------------------------------------------------===//

/// Returns the ways to write a power of two as rows times columns, most rows
/// first.
static SmallVector<std::array<unsigned, 2>, 5> factorize(unsigned warps) {
  SmallVector<std::array<unsigned, 2>, 5> pairs;
  for (unsigned rows = warps; rows > 0; rows /= 2)
    pairs.push_back({rows, warps / rows});
  return pairs;
}

std::vector<WarpArrangement> ScheduleBuilder::uniformArrangements() const {
  std::vector<WarpArrangement> list;
  for (unsigned warps : warpCounts())
    for (const auto &pair : factorize(warps))
      list.push_back(WarpArrangement(group.contractions.size(), pair));
  return list;
}

std::optional<WarpArrangement> ScheduleBuilder::arrangementOfGroups() const {
  bool areOfGroups =
      llvm::all_of(llvm::seq<unsigned>(0, group.contractions.size()),
                   [&](unsigned contraction) {
                     return llvm::any_of(intrinsicsOf(contraction),
                                         [](const Intrinsic *each) {
                                           return each->isOfWarpgroup();
                                         });
                   });
  if (!areOfGroups || !chip.hasRegisterReallocation)
    return std::nullopt;
  return WarpArrangement(group.contractions.size(), {kThreeGroups, 1});
}

WarpArrangement ScheduleBuilder::forwardingArrangement(unsigned warps) const {
  WarpArrangement list(group.contractions.size(), {warps, 1});
  for (auto [number, contraction] : llvm::enumerate(group.contractions)) {
    unsigned second = mapped.contractions[number].swapped ? 0 : 1;
    if (contraction.producer[second] && !contraction.producer[1 - second])
      list[number] = {1, warps};
  }
  return list;
}

std::vector<WarpArrangement> ScheduleBuilder::allArrangements() const {
  constexpr unsigned maxCombined = 3;
  std::vector<WarpArrangement> list = uniformArrangements();
  auto add = [&](const WarpArrangement &next) {
    if (!llvm::is_contained(list, next))
      list.push_back(next);
  };
  unsigned count = group.contractions.size();
  for (unsigned warps : warpCounts()) {
    if (count > maxCombined) {
      add(forwardingArrangement(warps));
      continue;
    }
    auto pairs = factorize(warps);
    WarpArrangement current(count, pairs.front());
    auto choose = [&](auto &&self, unsigned contraction) -> void {
      if (contraction == count)
        return add(current);
      for (const auto &pair : pairs) {
        current[contraction] = pair;
        self(self, contraction + 1);
      }
    };
    choose(choose, 0);
  }
  return list;
}
