//===- ScheduleSpace.cpp - Our search space -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/ScheduleSpace.h"
#include "fusion/Analysis/Resources/RegisterBudgets.h"
#include "fusion/Analysis/Schedules/IterationOverlap.h"
#include "fusion/Analysis/Schedules/MaskedTiles.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "fusion/Search/Space/OverlapChoice.h"
#include "fusion/Search/Space/TreeCache.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numeric>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr int64_t kUnit = 16; ///< tiles are multiples of it

/// Returns those members of `tensors` that TMA can load or store.
static TensorSet whichCanBe(const GroupModel &group, const Schedule &schedule,
                            const ChipInfo &chip, TensorSet tensors) {
  TensorSet can = 0;
  for (TensorSet left = tensors; left; left &= left - 1) {
    unsigned tensor = llvm::countr_zero(left);
    bool isCopied = group.tensors[tensor].role == TensorRole::Result ||
                    schedule.places[tensor].space == fuse::Space::Shared;
    if (isCopied && !whyNotTMA(group, schedule, chip, tensor))
      can |= left & -left;
  }
  return can;
}

/// Returns a code of an arrangement whose numbers of warps are powers of two.
static uint64_t codeOf(const WarpArrangement &arrangement) {
  uint64_t code = 1;
  for (auto [rows, columns] : arrangement)
    code = code << 8 | llvm::Log2_32(rows) << 4 | llvm::Log2_32(columns);
  return code;
}

ScheduleSpace::~ScheduleSpace() = default;

ScheduleSpace::ScheduleSpace(const GroupModel &group, const ChipInfo &chip,
                             const SearchOptions &options)
    : group(group), chip(chip), options(options), builder(group, chip),
      arranged(builder.allArrangements()), trees(std::make_unique<TreeCache>()),
      unmaskedTiles(std::make_unique<UnmaskedTilesMemo>()) {
  for (unsigned i = 0, end = builder.uniformArrangements().size(); i < end; ++i)
    usual.push_back(i);
  for (unsigned warps : ScheduleBuilder::warpCounts()) {
    WarpArrangement wanted = builder.forwardingArrangement(warps);
    unsigned number = llvm::find(arranged, wanted) - arranged.begin();
    if (!llvm::is_contained(usual, number))
      usual.push_back(number);
  }
  llvm::append_range(warpCounts, ScheduleBuilder::warpCounts());
  // Models that see tiles alone do not see ping-pong scheduling.
  if (!seesTilesOnly(options.model))
    if (auto ofGroups = builder.arrangementOfGroups()) {
      warpCounts.push_back(ScheduleBuilder::kThreeGroups);
      usual.push_back(arranged.size());
      arranged.push_back(std::move(*ofGroups));
    }
  llvm::append_range(every, llvm::seq<unsigned>(0, arranged.size()));
  for (unsigned number : every)
    if (!llvm::is_contained(usual, number))
      unusual[codeOf(arranged[number])] = number;
  for (unsigned depth : {1u, 2u, 3u, 4u, 5u, 6u, 8u})
    if (depth <= options.maxStages)
      depths.push_back(depth);
  // Models of tiles alone do not see what blocks share.
  bool hasClusters = chip.hasMulticast && !seesTilesOnly(options.model);
  for (int64_t size = 1; size <= (hasClusters ? chip.maxClusterSize : 1);
       size *= 2)
    clustered.push_back({size});
  listPolicies();
  for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
    if (index >= ScheduleCandidate::kMaxTensors)
      break;
    if ((tensor.role == TensorRole::Operand && !tensor.pass) ||
        tensor.role == TensorRole::Rows)
      movable.push_back(index);
    else if (tensor.role == TensorRole::Intermediate)
      retainable.push_back(tensor.contraction);
  }
  listIntrinsics();
  listTiles();
  listSplits();
  listExpressions();
  for (const DimensionInfo &info : allDimensions())
    choices.emplace_back(info, *this);
}

void ScheduleSpace::settle(ScheduleCandidate &candidate) const {
  for (const ScheduleDimension &dimension : choices)
    if (dimension.isOpen && !dimension.isOpen(*this, candidate))
      dimension.reset(candidate);
}

void ScheduleSpace::listPolicies() {
  copied = stored = {0};
  roles = {0};
  if (!chip.hasTMA)
    return;
  TensorSet operands = 0, results = 0;
  for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
    if (index >= kMaxInSet)
      break;
    TensorSet bit = TensorSet(1) << index;
    operands |= tensor.role == TensorRole::Operand ? bit : 0;
    results |= tensor.role == TensorRole::Result ? bit : 0;
  }
  copied.push_back(operands);
  stored.push_back(results);
  // Models of tiles alone see no stages, which producers fill.
  if (seesTilesOnly(options.model))
    return;
  if (chip.hasRegisterReallocation)
    roles.push_back(kWarpgroupWarps);
  roles.push_back(1);
}

bool ScheduleSpace::mayProduce(unsigned producers, unsigned warps) const {
  return producers <= 1 ||
         registerBudgets(warps, producers, /*blocksPerSM=*/1, chip).has_value();
}

bool ScheduleSpace::mayProduce(const ScheduleCandidate &candidate) const {
  const auto &[rows, columns] = arranged[candidate.arrangement].front();
  return mayProduce(candidate.policy.producers, rows * columns);
}

void ScheduleSpace::listIntrinsics() {
  for (unsigned contraction = 0; contraction < group.contractions.size();
       ++contraction)
    multiplied.push_back(builder.intrinsicsOf(contraction));
  auto isAsync = [&](unsigned contraction) {
    return llvm::any_of(multiplied[contraction],
                        [](const Intrinsic *each) { return each->isAsync; });
  };
  // Models of tiles alone see no stages.
  if (!seesTilesOnly(options.model))
    for (auto [number, contraction] : llvm::enumerate(group.contractions))
      for (std::optional<unsigned> producer : contraction.producer)
        hasOverlaps |= producer && isAsync(number) && isAsync(*producer);
  for (IntrinsicUnit unit : {IntrinsicUnit::TensorCore,
                             IntrinsicUnit::WarpGroup, IntrinsicUnit::Fma}) {
    decltype(ScheduleCandidate::intrinsics) own{};
    bool isThere = false;
    for (auto [choice, list] : llvm::zip(own, multiplied)) {
      auto found = llvm::find_if(
          list, [&](const Intrinsic *each) { return each->unit == unit; });
      if (found == list.end())
        continue;
      choice = found - list.begin();
      isThere = true;
    }
    if (isThere && !llvm::is_contained(uniform, own))
      uniform.push_back(own);
  }
}

/// Lists the numbers of partial results that the tiled axis of the last
/// contraction's reduction may be split into, where lowering and the types
/// allow a split.
void ScheduleSpace::listSplits() {
  splitCounts.push_back(1);
  // Models that see tiles alone would choose a split at random.
  if (seesTilesOnly(options.model))
    return;
  const GroupTensor &result =
      *llvm::find_if(group.tensors, [](const GroupTensor &tensor) {
        return tensor.role == TensorRole::Result;
      });
  splitAxis = builder.base().contractions[result.contraction].r1;
  Schedule probe = builder.base();
  probe.splits.assign(group.axes.size(), 1);
  probe.splits[splitAxis] = 2;
  if (whyNotSplit(group, probe) || whyNotLowered(probe))
    return;
  int64_t most = fine[splitAxis].empty() ? 1
                                         : tripCount(group.axes[splitAxis],
                                                     fine[splitAxis].front());
  for (int64_t parts : {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64})
    if (parts <= most) {
      splitCounts.push_back(parts);
      if (chip.hasClusters && parts <= chip.maxClusterSize)
        combined.push_back(parts);
    }
  if (!combined.empty())
    clustered.push_back({/*blocks=*/1, /*reducesPartials=*/true});
}

/// Returns what the tiles of an axis are multiples of. This is more than kUnit
/// where intrinsics that reduce along the axis have a larger extent.
int64_t ScheduleSpace::unitOf(unsigned axis) const {
  int64_t unit = kUnit;
  for (unsigned contraction = 0; contraction < group.contractions.size();
       ++contraction) {
    if (builder.base().contractions[contraction].r1 != axis)
      continue;
    int64_t step = std::numeric_limits<int64_t>::max();
    for (const Intrinsic *intrinsic : multiplied[contraction])
      step = std::min<int64_t>(step, intrinsic->r1);
    unit = std::lcm(unit, step);
  }
  return unit;
}

void ScheduleSpace::listTiles() {
  constexpr int64_t most = 512;
  for (auto [index, axis] : llvm::enumerate(group.axes)) {
    auto &all = fine.emplace_back();
    auto &someOf = least.emplace_back();
    auto &fewOf = few.emplace_back();
    if (!builder.isMapped(index)) {
      all = someOf = fewOf = {1};
      continue;
    }
    int64_t step = unitOf(index);
    int64_t last = llvm::alignTo(axis.extent, step);
    // Tiles go beyond the axis only to fill the warps, half of them at least.
    int64_t filled = 0;
    for (unsigned warps : warpCounts)
      filled =
          std::max<int64_t>(filled, llvm::alignTo(axis.extent, kUnit * warps));
    int64_t end = std::min({most, filled, 2 * last - step});
    for (int64_t tile = step; tile <= end; tile += step)
      all.push_back(tile);
    for (unsigned warps : warpCounts) {
      int64_t trips = 0;
      for (int64_t tile : all) {
        if (tile % (kUnit * warps))
          continue;
        int64_t own = llvm::divideCeil(axis.extent, tile);
        if (own != trips)
          someOf.push_back(tile);
        trips = own;
      }
    }
    llvm::sort(someOf);
    someOf.erase(std::unique(someOf.begin(), someOf.end()), someOf.end());
    constexpr int64_t maxOfFew = 256;
    for (int64_t tile = step; tile <= std::min(maxOfFew, last); tile *= 2)
      fewOf.push_back(tile);
    if (last <= maxOfFew && !llvm::isPowerOf2_64(last))
      fewOf.push_back(last);
  }
}

/// Lists expressions whose trees differ while all loops live.
void ScheduleSpace::listExpressions() {
  bound.push_back(builder.nestedReductions());
  llvm::StringSet<> known;
  Schedule probe = builder.base();
  auto isNew = [&](const BoundExpression &expression) {
    builder.setLoops(probe, expression);
    std::string key = printTiling(probe.tree, group) + "|";
    for (unsigned axis : probe.blocks)
      key += group.axes[axis].name;
    return known.insert(key).second;
  };
  isNew(bound.front());
  // Long chains have tens of thousands of expressions that differ in loops far
  // apart. Fewer keep one tile of every intermediate.
  ExpressionOptions listed;
  constexpr size_t most = 1024;
  listed.limit = most;
  auto expressions = listBoundExpressions(group, listed);
  if (!expressions) {
    listed.completeIntermediates = true;
    expressions = listBoundExpressions(group, listed);
  }
  if (expressions)
    for (BoundExpression &each : *expressions)
      if (isNew(each))
        bound.push_back(std::move(each));
}

ArrayRef<size_t> ChoiceCounts::of(llvm::StringRef name) const {
  return llvm::find_if(dimensions,
                       [&](const Dimension &each) { return each.name == name; })
      ->values;
}

ChoiceCounts ScheduleSpace::count() const {
  ChoiceCounts counts;
  auto add = [&](bool isOfSchedule) {
    for (const ScheduleDimension &dimension : choices) {
      if (dimension.isMove ||
          isOfSchedule != (dimension.scope == DimensionInfo::Scope::Schedule))
        continue;
      ChoiceCounts::Dimension own{
          dimension.name, dimension.scope, dimension.elements, {}};
      for (const ScheduleDimension::Values &values : dimension.domains) {
        own.values.push_back(values.size());
        counts.points *= values.size();
      }
      counts.dimensions.push_back(std::move(own));
    }
  };
  // In this order, as doubles round products of more than 53 bits.
  add(/*isOfSchedule=*/true);
  add(/*isOfSchedule=*/false);
  return counts;
}

/// Returns a schedule with the candidate's mapping, tiles and splits.
Schedule ScheduleSpace::tile(const ScheduleCandidate &candidate) const {
  Schedule schedule = builder.base();
  ArrayRef<int64_t> tiles = tilesOf(candidate);
  schedule.tiles.assign(tiles.begin(), tiles.end());
  if (candidate.splits > 1) {
    schedule.splits.assign(group.axes.size(), 1);
    schedule.splits[splitAxis] = candidate.splits;
  }
  for (auto [mapping, list, choice] :
       llvm::zip(schedule.contractions, multiplied, candidate.intrinsics))
    mapping.intrinsic = list[choice];
  return schedule;
}

Schedule ScheduleSpace::outline(const ScheduleCandidate &candidate) const {
  Schedule schedule = tile(candidate);
  TreeCache::Tree tree = makeTree(candidate);
  schedule.blocks = tree->blocks;
  schedule.tree = tree->loops;
  for (const ScheduleDimension &dimension : choices)
    if (dimension.apply)
      dimension.apply(*this, candidate, schedule);
  builder.placeTensors(schedule);
  ScheduleBuilder::storeByTMA(
      schedule, whichCanBe(group, schedule, chip, candidate.policy.stored));
  return schedule;
}

bool ScheduleSpace::splitIntoTiles(ScheduleCandidate &candidate,
                                   int64_t parts) const {
  for (int64_t tile : least[splitAxis])
    if (tripCount(group.axes[splitAxis], tile) <= parts) {
      candidate.tiles[splitAxis] = tile;
      candidate.splits = parts;
      return fillsSplits(candidate);
    }
  return false;
}

bool ScheduleSpace::divides(const WarpArrangement &arrangement,
                            const ScheduleCandidate &candidate) const {
  const auto &tiles = candidate.tiles;
  for (auto [mapping, warps, list, choice] :
       llvm::zip(builder.base().contractions, arrangement, multiplied,
                 candidate.intrinsics)) {
    const Intrinsic &intrinsic = *list[choice];
    if (warps[0] == ScheduleBuilder::kThreeGroups && !intrinsic.isOfWarpgroup())
      return false;
    if (!intrinsic.divides(tiles[mapping.i1], tiles[mapping.i2],
                           tiles[mapping.r1], {warps[0], warps[1]}))
      return false;
  }
  return true;
}

SmallVector<unsigned, 24>
ScheduleSpace::fittingArrangements(const ScheduleCandidate &candidate) const {
  SmallVector<unsigned, 24> numbers(ArrayRef<unsigned>{usual});
  if (unusual.empty())
    return numbers;
  for (unsigned warps : ScheduleBuilder::warpCounts()) {
    WarpArrangement fitting;
    for (auto [mapping, list, choice] : llvm::zip(
             builder.base().contractions, multiplied, candidate.intrinsics)) {
      const Intrinsic &intrinsic = *list[choice];
      int64_t rows = candidate.tiles[mapping.i1],
              columns = candidate.tiles[mapping.i2],
              least = std::numeric_limits<int64_t>::max();
      std::array<unsigned, 2> best = {0, 0};
      for (unsigned each = warps; each > 0; each /= 2) {
        unsigned others = warps / each;
        if (!intrinsic.dividesRows(rows, each) ||
            !intrinsic.dividesColumns(columns, others))
          continue;
        if (int64_t read = rows / each + columns / others; read < least) {
          least = read;
          best = {each, others};
        }
      }
      if (best[0] == 0)
        break;
      fitting.push_back(best);
    }
    if (fitting.size() == builder.base().contractions.size())
      if (auto it = unusual.find(codeOf(fitting)); it != unusual.end())
        numbers.push_back(it->second);
  }
  return numbers;
}

bool ScheduleSpace::mayFit(ArrayRef<int64_t> tiles) const {
  auto tileOf = [&](unsigned axis) {
    return axis < tiles.size() ? tiles[axis] : fine[axis].front();
  };
  int64_t shared = 0, accumulators = 0;
  for (const GroupTensor &tensor : group.tensors) {
    if (tensor.role != TensorRole::Operand || tensor.pass)
      continue;
    const ContractionMapping &mapping =
        builder.base().contractions[tensor.contraction];
    if (!llvm::is_contained(tensor.axes,
                            mapping.parallelAxis(tensor.operandNumber)) ||
        !llvm::is_contained(tensor.axes, mapping.r1))
      continue;
    int64_t bytes = tensor.elementBytes;
    for (unsigned axis : tensor.axes)
      bytes *= tileOf(axis);
    shared += bytes;
  }
  for (const ContractionMapping &mapping : builder.base().contractions)
    accumulators =
        std::max(accumulators, tileOf(mapping.i1) * tileOf(mapping.i2));
  return shared <= static_cast<int64_t>(chip.sharedMemoryPerBlock) &&
         accumulators <=
             chip.maxRegistersPerThread * kWarpSize * warpCounts.back();
}

Schedule ScheduleSpace::complete(const ScheduleCandidate &candidate) const {
  Schedule schedule = outline(candidate);
  builder.arrange(schedule, arranged[candidate.arrangement]);
  builder.setRegisterStages(schedule, candidate.registerStages);
  const MainloopPolicy &policy = candidate.policy;
  builder.setTransports(schedule,
                        whichCanBe(group, schedule, chip, policy.copied));
  builder.setStages(schedule, candidate.stages, listPipelinedLoads(schedule));
  schedule.producerWarps = policy.producers;
  schedule.persistent = policy.isPersistent;
  if (policy.overlaps && setOverlaps(group, schedule) &&
      whyOverlapStalls(group, schedule))
    for (ContractionMapping &mapping : schedule.contractions)
      mapping.stages = 1;
  schedule.isPingPong = policy.isPingPong && policy.producers > 0 &&
                        !whyNotPingPong(group, schedule);
  setSumsInFlight(group, schedule,
                  sumsInFlight(group, schedule, options.model));
  return schedule;
}
