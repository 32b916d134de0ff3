//===- ScheduleSearch.cpp - Chooses the schedule of a chain
//-------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/ScheduleSearch.h"
#include "fusion/Search/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

class Search {
public:
  Search(const GroupModel &group, const ChipInfo &chip,
         const SearchOptions &options)
      : group(group), chip(chip), options(options) {}

  std::optional<SearchResult> run(std::string &reason);

private:
  static constexpr int64_t unit = 16; ///< tiles are multiples of it

  void mapProducts();
  unsigned pickAxis(ArrayRef<unsigned> axes) const;
  void orderLoops();
  void listTiles();
  void placeTensors(Schedule &schedule) const;
  Schedule nested() const;
  void draw();
  void evaluate();
  bool isLegal(const Schedule &schedule);
  Cost consider(const Schedule &schedule);
  void pipeline(const Schedule &schedule);
  void enumerate(unsigned axis);
  void improve(ArrayRef<SmallVector<int64_t, 8>> tiles);
  void descend();
  void refine();

  const GroupModel &group;
  const ChipInfo &chip;
  const SearchOptions &options;
  Schedule current;
  SmallVector<unsigned, 8> loops;
  SmallVector<SmallVector<int64_t, 8>, 8> choices; ///< tiles by axis
  std::vector<RatedSchedule> ranking;              ///< best first
  std::string lastReason;
  int64_t candidates = 0, legal = 0, bounded = 0;
};

} // namespace

/// The axis to tile among several: the longest, and of equals the last.
unsigned Search::pickAxis(ArrayRef<unsigned> axes) const {
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
void Search::mapProducts() {
  const Intrinsic &intrinsic = allIntrinsics().front();
  unsigned count = group.products.size();
  current.products.resize(count);
  SmallVector<bool> isMapped(count, false);
  for (unsigned number = count; number-- > 0;) {
    const Product &product = group.products[number];
    ProductMapping &mapping = current.products[number];
    if (!isMapped[number]) {
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
    mapping.intrinsic = &intrinsic;
    mapping.r1 = pickAxis(product.reduction);
    unsigned first = mapping.swapped ? 1 : 0;
    for (unsigned operand : {first, 1 - first}) {
      std::optional<unsigned> producer = product.producer[operand];
      if (!producer || isMapped[*producer])
        continue;
      // Only the first operand is handed over in registers; the second one's
      // producer has no wish to follow, but the same axes must be tiled.
      ProductMapping &from = current.products[*producer];
      const Product &source = group.products[*producer];
      from.i1 = operand == first ? mapping.i1 : mapping.r1;
      from.i2 = operand == first ? mapping.r1 : mapping.i2;
      from.swapped = llvm::is_contained(source.rhsAxes, from.i1);
      isMapped[*producer] = true;
    }
  }
}

void Search::orderLoops() {
  const GroupTensor *result = nullptr;
  for (const GroupTensor &tensor : group.tensors)
    if (tensor.role == TensorRole::Result)
      result = &tensor;
  // The grid: batches slowest, then rows, then columns of the result.
  auto isTiled = [&](unsigned axis) {
    const ProductMapping &last =
        current.products[group.tensors[group.products.back().result].product];
    return axis == last.i1 || axis == last.i2;
  };
  for (unsigned axis : result->axes)
    if (!isTiled(axis))
      loops.push_back(axis);
  loops.push_back(current.products.back().i1);
  loops.push_back(current.products.back().i2);
  current.blocks.assign(loops.begin(), loops.end());
  for (unsigned number = group.products.size(); number-- > 0;) {
    const Product &product = group.products[number];
    unsigned inner = current.products[number].r1;
    for (unsigned axis : product.reduction)
      if (axis != inner && !llvm::is_contained(loops, axis))
        loops.push_back(axis);
    if (!llvm::is_contained(loops, inner))
      loops.push_back(inner);
  }
}

void Search::listTiles() {
  constexpr int64_t most = 256;
  for (auto [index, axis] : llvm::enumerate(group.axes)) {
    SmallVector<int64_t, 8> &list = choices.emplace_back();
    unsigned number = index;
    bool isMapped =
        llvm::any_of(current.products, [&](const ProductMapping &m) {
          return m.i1 == number || m.i2 == number || m.r1 == number;
        });
    if (!isMapped) {
      list.push_back(1);
      continue;
    }
    int64_t whole = llvm::alignTo(axis.extent, unit);
    for (int64_t tile = unit; tile <= std::min(most, whole); tile *= 2)
      list.push_back(tile);
    if (whole <= most && !llvm::is_contained(list, whole))
      list.push_back(whole);
  }
}

static fuse::Transport widestTransport(unsigned alignment) {
  return alignment >= 16  ? fuse::Transport::Async16
         : alignment >= 8 ? fuse::Transport::Async8
         : alignment >= 4 ? fuse::Transport::Async4
                          : fuse::Transport::Sync;
}

void Search::placeTensors(Schedule &schedule) const {
  schedule.places.assign(group.tensors.size(), {});
  for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
    Placement &place = schedule.places[index];
    const ProductMapping &mapping = schedule.products[tensor.product];
    switch (tensor.role) {
    case TensorRole::Extra:
      break;
    case TensorRole::Operand: {
      unsigned parallel = (tensor.operandNumber == 0) != mapping.swapped
                              ? mapping.i1
                              : mapping.i2;
      if (!llvm::is_contained(tensor.axes, parallel) ||
          !llvm::is_contained(tensor.axes, mapping.r1))
        break;
      place.space = fuse::Space::Shared;
      if (chip.hasAsyncCopy &&
          getMemoryTile(tensor, parallel, mapping.r1).isDense)
        place.transport = widestTransport(tensor.alignment);
      break;
    }
    case TensorRole::Intermediate:
      place.space = whyNotInRegisters(group, schedule, tensor.product)
                        ? fuse::Space::Shared
                        : fuse::Space::Registers;
      break;
    case TensorRole::Result: {
      // Staging pays where rows are dense and stores become wider than the
      // two elements that a thread holds side by side.
      bool isDense = tensor.axes.back() == mapping.i2;
      if (isDense && tensor.alignment > 2 * tensor.elementBytes)
        place.space = fuse::Space::Shared;
      break;
    }
    }
  }
}

bool Search::isLegal(const Schedule &schedule) {
  ++candidates;
  if (std::optional<std::string> why = checkSchedule(group, schedule, chip)) {
    lastReason = *why;
    return false;
  }
  ++legal;
  return true;
}

/// Whether two candidates differ in their stages at most.
static bool sameTiles(const Schedule &a, const Schedule &b) {
  return a.tiles == b.tiles && a.warps == b.warps &&
         llvm::equal(a.products, b.products,
                     [](const ProductMapping &x, const ProductMapping &y) {
                       return x.warps[0] == y.warps[0];
                     });
}

static bool isBetter(const RatedSchedule &a, const RatedSchedule &b) {
  auto key = [](const RatedSchedule &rated) {
    // Where a resource is the limit, what waits least for it.
    return std::make_tuple(rated.cost.total, rated.cost.pipeline,
                           rated.footprint.globalLoadBytes +
                               rated.footprint.globalStoreBytes);
  };
  return key(a) < key(b);
}

/// Compares a legal schedule with the best ones.
Cost Search::consider(const Schedule &schedule) {
  Footprint footprint = computeFootprint(group, schedule);
  Cost cost = predictCost(group, schedule, footprint, chip);
  RatedSchedule rated{schedule, footprint, cost};
  // Of the candidates that differ in their stages the best one is ranked.
  auto known = llvm::find_if(ranking, [&](const RatedSchedule &other) {
    return sameTiles(other.schedule, schedule);
  });
  if (known != ranking.end()) {
    if (!isBetter(rated, *known))
      return cost;
    ranking.erase(known);
  }
  ranking.insert(llvm::upper_bound(ranking, rated, isBetter), std::move(rated));
  if (ranking.size() > std::max(1u, options.ranked))
    ranking.pop_back();
  return cost;
}

/// The loads of the innermost sequential loops, whose waits match (ALCOP's rule
/// 3).
static void collectInnermostLoads(const TilingTree &items,
                                  const Schedule &schedule,
                                  llvm::SmallVectorImpl<unsigned> &loads) {
  for (const TilingNode &node : items) {
    if (!node.isLoop())
      continue;
    bool isSequential = !schedule.isBlockAxis(node.index);
    bool holdsLoop = llvm::any_of(
        node.children, [](const TilingNode &child) { return child.isLoop(); });
    if (holdsLoop || !isSequential)
      collectInnermostLoads(node.children, schedule, loads);
    else
      for (const TilingNode &child : node.children)
        if (child.kind == TilingNode::Kind::Load &&
            schedule.places[child.index].space == fuse::Space::Shared)
          loads.push_back(child.index);
  }
}

/// The same schedule with more stages, as far as they can make it faster than
/// the best one: stages change nothing about the bytes and the work.
void Search::pipeline(const Schedule &schedule) {
  Cost one = consider(schedule);
  double leastTime =
      one.launch + std::max({one.dram, one.l2, one.shared, one.compute});
  if (leastTime >= ranking.front().cost.total) {
    ++bounded;
    return;
  }
  SmallVector<unsigned, 4> loads;
  collectInnermostLoads(schedule.tree, schedule, loads);
  for (unsigned registers = 1; registers <= options.mostRegisterStages;
       ++registers)
    for (unsigned stages : {1u, 2u, 3u, 4u, 5u, 6u, 8u}) {
      if (stages > options.mostStages || (stages > 1 && loads.empty()))
        break;
      if (stages == 1 && registers == 1)
        continue;
      Schedule more = schedule;
      more.registerStages = registers;
      for (unsigned tensor : loads) {
        bool isAsync = more.places[tensor].transport != fuse::Transport::Sync;
        more.places[tensor].stages = isAsync ? stages : std::min(stages, 2u);
      }
      if (!isLegal(more))
        break; // more would not fit either
      consider(more);
    }
}

/// The current tiles with their loops and statements.
Schedule Search::nested() const {
  Schedule schedule = current;
  schedule.blocks.clear();
  for (unsigned axis : current.blocks)
    if (tripCount(group.axes[axis], current.tiles[axis]) > 1)
      schedule.blocks.push_back(axis);
  schedule.tree = makeDeepTiling(group, loops, current.tiles, schedule.blocks);
  return schedule;
}

/// Candidates with any tiles, arrangements and stages, until one is legal: what
/// lowering accepts must be right, also where nobody would choose it.
void Search::draw() {
  constexpr unsigned most = 10000;
  Random random(*options.randomSeed);
  for (unsigned tries = 0; tries < most && ranking.empty(); ++tries) {
    for (auto [tile, list] : llvm::zip_equal(current.tiles, choices))
      tile = list.size() == 1 ? list.front()
                              : unit * (1 + random.below(list.back() / unit));
    Schedule schedule = nested();
    schedule.warps = 1u << random.below(4);
    for (ProductMapping &mapping : schedule.products) {
      unsigned rows = 1u << random.below(llvm::Log2_32(schedule.warps) + 1);
      mapping.warps[0] = rows;
      mapping.warps[1] = schedule.warps / rows;
    }
    placeTensors(schedule);
    schedule.registerStages = 1 + random.below(options.mostRegisterStages);
    SmallVector<unsigned, 4> loads;
    collectInnermostLoads(schedule.tree, schedule, loads);
    for (unsigned tensor : loads) {
      bool isAsync = schedule.places[tensor].transport != fuse::Transport::Sync;
      schedule.places[tensor].stages =
          1 + random.below(std::min(options.mostStages, isAsync ? 8u : 2u));
    }
    if (isLegal(schedule))
      consider(schedule);
  }
}

void Search::evaluate() {
  static constexpr unsigned arrangements[][2] = {{1, 1}, {2, 1}, {4, 1}, {8, 1},
                                                 {2, 2}, {4, 2}, {2, 4}};
  for (const auto &warps : arrangements) {
    Schedule schedule = nested();
    schedule.warps = warps[0] * warps[1];
    for (ProductMapping &mapping : schedule.products) {
      mapping.warps[0] = warps[0];
      mapping.warps[1] = warps[1];
    }
    placeTensors(schedule);
    if (isLegal(schedule))
      pipeline(schedule);
  }
}

void Search::enumerate(unsigned axis) {
  if (axis == group.axes.size())
    return evaluate();
  for (int64_t tile : choices[axis]) {
    current.tiles[axis] = tile;
    enumerate(axis + 1);
  }
}

/// One axis after the other, with the others as in the best schedule so far,
/// until nothing gets better.
void Search::improve(ArrayRef<SmallVector<int64_t, 8>> tiles) {
  double before;
  do {
    before = ranking.empty() ? std::numeric_limits<double>::infinity()
                             : ranking.front().cost.total;
    for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
      // On from the best tiles so far; before there are any, the smallest.
      if (!ranking.empty())
        current.tiles = ranking.front().schedule.tiles;
      for (int64_t tile : tiles[axis]) {
        current.tiles[axis] = tile;
        evaluate();
      }
      if (ranking.empty())
        current.tiles[axis] = tiles[axis].front();
    }
  } while (!ranking.empty() && ranking.front().cost.total < before);
}

/// Long chains have too many axes to try all tiles together: from small and
/// from middling tiles to the next best.
void Search::descend() {
  constexpr int64_t starts[] = {16, 64};
  for (int64_t start : starts) {
    for (auto [tile, list] : llvm::zip_equal(current.tiles, choices))
      tile = *std::prev(llvm::upper_bound(list, std::max(start, list.front())));
    evaluate();
    improve(choices);
  }
}

/// Between the powers of two lie other multiples of the intrinsics' extents.
void Search::refine() {
  SmallVector<SmallVector<int64_t, 8>, 8> fine;
  for (auto [axis, list] : llvm::zip_equal(group.axes, choices)) {
    auto &tiles = fine.emplace_back();
    if (list.size() <= 1) {
      tiles = list;
      continue;
    }
    for (int64_t tile = unit; tile <= list.back(); tile += unit)
      tiles.push_back(tile);
  }
  improve(fine);
}

std::optional<SearchResult> Search::run(std::string &reason) {
  if (group.products.size() > kMostProducts) {
    reason = "a kernel of more than " + std::to_string(kMostProducts) +
             " products is not searched for";
    return std::nullopt;
  }
  if (std::optional<std::string> impossible = checkGroup(group, chip)) {
    reason = *impossible;
    return std::nullopt;
  }
  mapProducts();
  orderLoops();
  listTiles();
  current.tiles.assign(group.axes.size(), 1);
  constexpr double affordable = 4096;
  double combinations = 1;
  for (auto &list : choices) {
    llvm::sort(list);
    combinations *= list.size();
  }
  if (options.randomSeed)
    draw();
  else if (combinations <= affordable)
    enumerate(0);
  else
    descend();
  if (!ranking.empty() && !options.randomSeed)
    refine();
  if (ranking.empty()) {
    reason = "none of " + std::to_string(candidates) +
             " candidates is legal; the last one: " + lastReason;
    return std::nullopt;
  }
  SearchResult result;
  static_cast<RatedSchedule &>(result) = ranking.front();
  result.candidates = candidates;
  result.legal = legal;
  result.bounded = bounded;
  result.ranking = std::move(ranking);
  return result;
}

std::optional<SearchResult>
fusion::searchSchedule(const GroupModel &group, const ChipInfo &chip,
                       std::string &reason, const SearchOptions &options) {
  return Search(group, chip, options).run(reason);
}
