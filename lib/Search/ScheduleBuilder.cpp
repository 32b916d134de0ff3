//===- ScheduleBuilder.cpp - From loops and tiles to a schedule -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/ScheduleBuilder.h"
#include "fusion/Analysis/Footprint.h"
#include "fusion/Analysis/MaskedTiles.h"
#include "fusion/Analysis/ScheduleLegality.h"
#include "fusion/Analysis/SplitReduction.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

ScheduleBuilder::ScheduleBuilder(const GroupModel &group, const ChipInfo &chip)
    : group(group), chip(chip) {
  mapProducts();
  orderLoops();
  mapped.tiles.assign(group.axes.size(), 1);
  mapped.places.assign(group.tensors.size(), {});
}

Intrinsics ScheduleBuilder::intrinsicsOf(unsigned product) const {
  Intrinsics list;
  for (const Intrinsic &each : allIntrinsics())
    if (each.multiplies(*group.products[product].type) &&
        each.availableOn(chip))
      list.push_back(&each);
  return list;
}

bool ScheduleBuilder::isMapped(unsigned axis) const {
  return llvm::any_of(mapped.products, [&](const ProductMapping &each) {
    return each.i1 == axis || each.i2 == axis || each.r1 == axis;
  });
}

/// The axis to tile among several: the longest, and of equals the last.
unsigned ScheduleBuilder::pickAxis(ArrayRef<unsigned> axes) const {
  unsigned best = axes.front();
  for (unsigned axis : axes)
    if (group.axes[axis].extent >= group.axes[best].extent)
      best = axis;
  return best;
}

/// From the last product to the first: an intermediate is the first operand of
/// its consumer's intrinsic, so that its accumulator can stay where it is; its
/// producer then has the consumer's rows as rows and the reduced axis as
/// columns.
void ScheduleBuilder::mapProducts() {
  unsigned count = group.products.size();
  mapped.products.resize(count);
  SmallVector<bool> isDone(count, false);
  for (unsigned number = count; number-- > 0;) {
    const Product &product = group.products[number];
    ProductMapping &mapping = mapped.products[number];
    if (!isDone[number]) {
      const GroupTensor &result = group.tensors[product.result];
      if (product.producer[0] || product.producer[1])
        mapping.swapped = !product.producer[0];
      else
        // Rows of the result are stored along the columns of the accumulator.
        mapping.swapped =
            llvm::is_contained(product.lhsAxes, result.axes.back());
      mapping.i1 =
          pickAxis(mapping.swapped ? product.rhsAxes : product.lhsAxes);
      mapping.i2 =
          pickAxis(mapping.swapped ? product.lhsAxes : product.rhsAxes);
    }
    // What operators join is held by the same threads.
    for (unsigned other : product.joined) {
      if (isDone[other])
        continue;
      ProductMapping &from = mapped.products[other];
      from.i1 = mapping.i1;
      from.i2 = mapping.i2;
      from.swapped = llvm::is_contained(group.products[other].rhsAxes, from.i1);
      isDone[other] = true;
    }
    mapping.intrinsic = intrinsicsOf(number).front();
    mapping.r1 = pickAxis(product.reduction);
    unsigned first = mapping.swapped ? 1 : 0;
    for (unsigned operand : {first, 1 - first}) {
      std::optional<unsigned> producer = product.producer[operand];
      if (!producer || isDone[*producer])
        continue;
      // Only the first operand is handed over in registers; the second one's
      // producer has no wish to follow, but the same axes must be tiled.
      ProductMapping &from = mapped.products[*producer];
      const Product &source = group.products[*producer];
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
  const ProductMapping &last = mapped.products[result.product];
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
  for (unsigned number = group.products.size(); number-- > 0;) {
    const Product &product = group.products[number];
    unsigned inner = mapped.products[number].r1;
    for (unsigned axis : product.reduction)
      if (axis != inner)
        add(axis);
    add(inner);
  }
  nested.loops = makeNest(loops);
}

void ScheduleBuilder::setLoops(Schedule &schedule,
                               const BoundExpression &expression, bool hoists,
                               ArrayRef<PassPlace> passes) const {
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

/// How threads copy an operand to shared memory.
static fuse::Transport widestTransport(const GroupTensor &tensor,
                                       const ProductMapping &mapping,
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
    const ProductMapping &mapping = schedule.products[tensor.product];
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
      // What a cluster combines comes in the order of memory.
      if (!schedule.splitInCluster &&
          isStaged(tensor, mapping, *mapping.intrinsic))
        place.space = fuse::Space::Shared;
      break;
    }
  }
  schedule.skipped = skippableAxis(group, schedule);
}

void ScheduleBuilder::setTransports(Schedule &schedule,
                                    TensorSet inBulk) const {
  for (unsigned tensor : listCopied(group, schedule)) {
    const GroupTensor &info = group.tensors[tensor];
    bool isInBulk = tensor < kMostInSet && (inBulk >> tensor & 1);
    schedule.places[tensor].transport =
        isInBulk ? fuse::Transport::Bulk
                 : widestTransport(info, schedule.products[info.product], chip);
  }
}

void ScheduleBuilder::storeInBulk(Schedule &schedule, TensorSet results) {
  for (TensorSet left = results; left; left &= left - 1) {
    Placement &place = schedule.places[llvm::countr_zero(left)];
    place.space = fuse::Space::Shared;
    place.transport = fuse::Transport::Bulk;
  }
}

void ScheduleBuilder::arrange(Schedule &schedule,
                              ArrayRef<std::array<unsigned, 2>> warps) const {
  schedule.warps = warps.front()[0] * warps.front()[1];
  for (auto [mapping, own] : llvm::zip_equal(schedule.products, warps)) {
    mapping.warps[0] = own[0];
    mapping.warps[1] = own[1];
  }
  for (Placement &place : schedule.places)
    place.stages = place.registerStages = 1;
  for (auto [index, tensor] : llvm::enumerate(group.tensors))
    if (tensor.role == TensorRole::Intermediate)
      schedule.places[index].space =
          staysInRegisters(group, schedule, tensor.product)
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
      // A loop without a computation only fills what is kept.
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

/// Ways to write a power of two as rows times columns, most rows first.
static SmallVector<std::array<unsigned, 2>, 5> factorize(unsigned warps) {
  SmallVector<std::array<unsigned, 2>, 5> pairs;
  for (unsigned rows = warps; rows > 0; rows /= 2)
    pairs.push_back({rows, warps / rows});
  return pairs;
}

std::vector<Arrangement> ScheduleBuilder::uniformArrangements() const {
  std::vector<Arrangement> list;
  for (unsigned warps : warpCounts())
    for (const auto &pair : factorize(warps))
      list.push_back(Arrangement(group.products.size(), pair));
  return list;
}

std::optional<Arrangement> ScheduleBuilder::arrangementOfGroups() const {
  bool areOfGroups = llvm::all_of(
      llvm::seq<unsigned>(0, group.products.size()), [&](unsigned product) {
        return llvm::any_of(intrinsicsOf(product), [](const Intrinsic *each) {
          return each->isOfWarpgroup();
        });
      });
  if (!areOfGroups || !chip.hasRegisterReallocation)
    return std::nullopt;
  return Arrangement(group.products.size(), {kThreeGroups, 1});
}

Arrangement ScheduleBuilder::handOverArrangement(unsigned warps) const {
  Arrangement list(group.products.size(), {warps, 1});
  for (auto [number, product] : llvm::enumerate(group.products)) {
    unsigned second = mapped.products[number].swapped ? 0 : 1;
    if (product.producer[second] && !product.producer[1 - second])
      list[number] = {1, warps};
  }
  return list;
}

std::vector<Arrangement> ScheduleBuilder::allArrangements() const {
  constexpr unsigned mostCombined = 3;
  std::vector<Arrangement> list = uniformArrangements();
  auto add = [&](const Arrangement &next) {
    if (!llvm::is_contained(list, next))
      list.push_back(next);
  };
  unsigned count = group.products.size();
  for (unsigned warps : warpCounts()) {
    if (count > mostCombined) {
      add(handOverArrangement(warps));
      continue;
    }
    auto pairs = factorize(warps);
    Arrangement current(count, pairs.front());
    auto choose = [&](auto &&self, unsigned product) -> void {
      if (product == count)
        return add(current);
      for (const auto &pair : pairs) {
        current[product] = pair;
        self(self, product + 1);
      }
    };
    choose(choose, 0);
  }
  return list;
}
