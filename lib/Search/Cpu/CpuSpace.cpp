//===- CpuSpace.cpp - Schedules of chains on CPUs -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Cpu/CpuSpace.h"
#include "fusion/Analysis/Cost/CpuTraffic.h"
#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include "fusion/Support/TileSize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

CpuSpace::CpuSpace(const GroupModel &group, const ChipInfo &chip)
    : group(group), chip(chip), builder(group, chip) {
  for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
    if (index >= kMaxInSet)
      break;
    if (tensor.role == TensorRole::Operand && !tensor.pass)
      packable.push_back(index);
    else if (tensor.role == TensorRole::Intermediate)
      retainable.push_back(index);
  }
  listTiles();
  listExpressions();
  findPartners();
  orderly = findOrder();
}

/// Returns `mapping` with LHS and RHS exchanged.
static void exchange(ContractionMapping &mapping) {
  std::swap(mapping.i1, mapping.i2);
  mapping.swapped = !mapping.swapped;
}

void CpuSpace::listTiles() {
  for (auto [index, axis] : llvm::enumerate(group.axes)) {
    SmallVector<int64_t, 24> &list = sizes.emplace_back();
    if (!builder.isMapped(index)) {
      list.push_back(1);
      continue;
    }
    // Either operand may be the LHS, so an axis may be rows or columns.
    SmallVector<int64_t, 2> units;
    auto add = [&](int64_t unit) {
      if (!llvm::is_contained(units, unit))
        units.push_back(unit);
    };
    for (const ContractionMapping &mapping : builder.base().contractions)
      if (mapping.i1 == index || mapping.i2 == index) {
        add(mapping.intrinsic->i1);
        add(mapping.intrinsic->i2);
      }
    constexpr int64_t vector = 16; // elements along the reduced axis
    if (units.empty())
      add(vector);
    constexpr int64_t parts[] = {1,  2,  3,  4,  5,  6,  7,   8,
                                 10, 12, 14, 16, 20, 24, 28,  32,
                                 40, 48, 56, 64, 80, 96, 112, 128};
    for (int64_t count : parts)
      for (int64_t unit : units)
        list.push_back(std::min(
            axis.extent, int64_t(llvm::alignTo(
                             llvm::divideCeil(axis.extent, count), unit))));
    // Small tiles of long axes.
    for (int64_t times : {1, 2, 4, 8, 16})
      for (int64_t unit : units)
        list.push_back(std::min(axis.extent, unit * times));
    llvm::erase_if(list, [](int64_t size) { return size > kMaxTileSize; });
    llvm::sort(list);
    list.erase(llvm::unique(list), list.end());
  }
}

int64_t CpuSpace::nearestTile(unsigned axis, int64_t wanted) const {
  int64_t best = sizes[axis].front();
  for (int64_t size : sizes[axis])
    if (std::abs(size - wanted) < std::abs(best - wanted))
      best = size;
  return best;
}

void CpuSpace::listExpressions() {
  loops.push_back(builder.nestedReductions());
  llvm::StringSet<> known;
  Schedule probe = builder.base();
  auto isNew = [&](const BoundExpression &expression) {
    builder.setLoops(probe, expression);
    std::string key = printTiling(probe.tree, group) + "|";
    for (unsigned axis : probe.blocks)
      key += group.axes[axis].name;
    return known.insert(key).second;
  };
  isNew(loops.front());
  // Long chains have many expressions that differ in loops far apart. Fewer
  // keep one tile of every intermediate.
  ExpressionOptions listed;
  listed.limit = 512;
  auto expressions = listBoundExpressions(group, listed);
  if (!expressions) {
    listed.completeIntermediates = true;
    expressions = listBoundExpressions(group, listed);
  }
  if (expressions)
    for (BoundExpression &each : *expressions)
      if (isNew(each))
        loops.push_back(std::move(each));
}

void CpuSpace::findPartners() {
  unsigned count = std::min<unsigned>(group.contractions.size(), 32);
  for (unsigned number = 0; number < count; ++number)
    partners.push_back(1u << number);
  auto unite = [&](unsigned one, unsigned other) {
    if (one >= count || other >= count)
      return;
    uint32_t all = partners[one] | partners[other];
    for (unsigned number = 0; number < count; ++number)
      if (all >> number & 1)
        partners[number] = all;
  };
  for (unsigned number = 0; number < count; ++number)
    for (unsigned joined : group.contractions[number].joined)
      unite(number, joined);
  for (const GroupTensor &tensor : group.tensors)
    for (unsigned other : tensor.sharedBy)
      unite(tensor.contraction, other);
}

uint32_t CpuSpace::findOrder() const {
  uint32_t order = 0, decided = 0;
  Schedule schedule = builder.base();
  // Of contractions that change together the last one decides.
  auto set = [&](unsigned number, bool wanted) {
    uint32_t together = exchangedWith(number);
    bool isNew = (decided & together) == 0;
    decided |= together;
    if (number >= 32 || !isNew || wanted == bool(order >> number & 1))
      return;
    order ^= together;
    for (auto [other, mapping] : llvm::enumerate(schedule.contractions))
      if (other < 32 && together >> other & 1)
        exchange(mapping);
  };
  for (unsigned number = group.contractions.size(); number-- > 0;) {
    const Contraction &contraction = group.contractions[number];
    const GroupTensor &value = group.tensors[contraction.result];
    const ContractionMapping &mapping = schedule.contractions[number];
    if (value.role == TensorRole::Result) {
      set(number, value.axes.back() == mapping.i1);
      continue;
    }
    // A consumer's RHS has the columns of the consumer; else the RHS of this
    // contraction should be dense.
    for (auto [index, consumer] : llvm::enumerate(group.contractions)) {
      const ContractionMapping &other = schedule.contractions[index];
      bool joins = llvm::is_contained(consumer.joined, number);
      for (unsigned side : {0, 1})
        if (consumer.producer[side] == number && !other.isOperandA(side))
          set(number, mapping.i1 == other.i2);
      if (joins)
        set(number, mapping.i1 == other.i2);
    }
  }
  return order;
}

CpuCandidate CpuSpace::start(unsigned expression, ArrayRef<int64_t> tiles,
                             uint32_t exchanged) const {
  CpuCandidate candidate;
  candidate.expression = expression;
  candidate.tiles.assign(tiles.begin(), tiles.end());
  candidate.exchanged = exchanged;
  return candidate;
}

CpuCandidate CpuSpace::draw(Random &random) const {
  CpuCandidate candidate;
  candidate.expression = random.below(loops.size());
  for (ArrayRef<int64_t> list : sizes)
    candidate.tiles.push_back(list[random.below(list.size())]);
  for (unsigned number = 0; number < group.contractions.size(); ++number)
    candidate.exchanged ^= random.below(4) == 0 ? exchangedWith(number) : 0;
  candidate.exchanged ^= orderly;
  for (unsigned tensor : packable)
    candidate.packed |= TensorSet(random.below(2)) << tensor;
  candidate.moved.assign(group.tensors.size(), 0);
  for (ArrayRef<unsigned> list :
       {ArrayRef<unsigned>(packable), ArrayRef<unsigned>(retainable)})
    for (unsigned tensor : list)
      if (random.below(4) == 0)
        candidate.moved[tensor] = 1 + random.below(kMostMoved);
  if (!group.rowStatistics.empty())
    candidate.statistics = static_cast<StatisticsPlacement>(random.below(3));
  return candidate;
}

std::optional<Schedule> CpuSpace::build(const CpuCandidate &candidate) const {
  Schedule schedule = builder.base();
  schedule.tiles = candidate.tiles;
  schedule.warps = 1;
  for (auto [number, mapping] : llvm::enumerate(schedule.contractions))
    if (number < 32 && candidate.exchanged >> number & 1)
      exchange(mapping);
  SmallVector<StatisticsPlacement, 2> passes(group.rowStatistics.size(),
                                             candidate.statistics);
  for (auto [pass, place] : llvm::zip_equal(group.rowStatistics, passes))
    if (place == StatisticsPlacement::Together &&
        !group.canRunWithContraction(pass))
      place = StatisticsPlacement::Ahead;
  builder.setLoops(schedule, loops[candidate.expression], /*hoists=*/true,
                   passes);
  for (auto [tensor, levels] : llvm::enumerate(candidate.moved)) {
    if (levels == 0)
      continue;
    const GroupTensor &info = group.tensors[tensor];
    std::optional<TilingTree> next =
        info.role == TensorRole::Intermediate
            ? retainIntermediate(group, schedule.tree, info.contraction, levels,
                                 schedule.blocks)
            : hoistLoad(group, schedule.tree, tensor, levels, schedule.blocks);
    if (!next)
      return std::nullopt;
    schedule.tree = std::move(*next);
  }
  schedule.places.assign(group.tensors.size(), {});
  for (unsigned tensor : packable)
    if (candidate.packed >> tensor & 1)
      schedule.places[tensor].space = fuse::Space::Packed;
  for (unsigned number = 0; number < group.contractions.size(); ++number)
    for (bool isLhs : {true, false}) {
      CpuOperand operand = cpuOperand(group, schedule, number, isLhs);
      if (operand.isCopiedLate && !operand.producer &&
          !group.contractions[number]
               .computed[isLhs == schedule.contractions[number].swapped])
        for (unsigned tensor : operand.tensors)
          schedule.places[tensor].space = fuse::Space::Packed;
    }
  schedule.reduction = reductionForm(group, schedule);
  schedule.maskedAxis = skippableAxis(group, schedule);
  return schedule;
}
