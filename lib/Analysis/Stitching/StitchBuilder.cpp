//===- StitchBuilder.cpp - Axes of a stitched group -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchBuilder.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace fusion;

namespace {

/// Loops that become one axis, with the operators that have them. Operations on
/// two classes visit the smaller one.
class LoopClasses {
public:
  /// Adds the loops of the next operator.
  void add(unsigned loops) {
    for (unsigned i = 0; i < loops; ++i) {
      leaders.push_back(operators.size());
      operators.push_back({unsigned(first.size() - 1)});
    }
    first.push_back(leaders.size());
  }
  unsigned loopOf(unsigned op, unsigned loop) const { return first[op] + loop; }
  unsigned leader(unsigned loop) {
    while (leaders[loop] != loop) {
      leaders[loop] = leaders[leaders[loop]];
      loop = leaders[loop];
    }
    return loop;
  }
  bool areOne(unsigned a, unsigned b) { return leader(a) == leader(b); }
  /// Whether an operator has loops of both classes.
  bool meet(unsigned a, unsigned b) {
    auto [large, small] = bySize(a, b);
    if (large == small)
      return true;
    for (unsigned op : operators[small])
      for (unsigned loop = first[op]; loop < first[op + 1]; ++loop)
        if (leader(loop) == large)
          return true;
    return false;
  }
  void unite(unsigned a, unsigned b) {
    auto [large, small] = bySize(a, b);
    if (large == small)
      return;
    leaders[small] = large;
    llvm::append_range(operators[large], operators[small]);
    operators[small].clear();
  }

private:
  std::pair<unsigned, unsigned> bySize(unsigned a, unsigned b) {
    a = leader(a);
    b = leader(b);
    if (operators[a].size() < operators[b].size())
      std::swap(a, b);
    return {a, b};
  }

  SmallVector<unsigned> leaders; ///< by loop: another one of its class
  SmallVector<SmallVector<unsigned, 4>> operators; ///< by leader
  SmallVector<unsigned> first = {0}; ///< by operator: loop, and beyond the last
};

} // namespace

/// Separates operators that only put other operators' values side by side, for
/// the group's results.
LogicalResult StitchBuilder::separate() {
  for (linalg::LinalgOp op : given) {
    if (isa<linalg::FillOp>(op))
      continue;
    if (op->getNumResults() != 1)
      return decline("an operator has more than one result");
    std::optional<SmallVector<PlacedPart>> parts =
        readPlacement(op, [&](Value value) { return isComputed(value); });
    if (parts)
      placements[op->getResult(0)] = std::move(*parts);
  }
  // Such an operator is computed like any other if others read its values. An
  // operator that is read only by operators that are not computed is not
  // computed either.
  llvm::SmallPtrSet<Operation *, 4> apart;
  llvm::SmallDenseSet<Value> placed;
  for (linalg::LinalgOp op : llvm::reverse(given)) {
    if (isa<linalg::FillOp>(op))
      continue;
    bool isResult = llvm::is_contained(results, op->getResult(0));
    bool isRead = llvm::any_of(op->getUsers(), [&](Operation *user) {
      while (user && !isGiven(user))
        user = user->getParentOp();
      return user && !apart.contains(user);
    });
    auto parts = placements.find(op->getResult(0));
    if (isRead || (isResult && parts == placements.end()) ||
        placed.contains(op->getResult(0))) {
      placements.erase(op->getResult(0));
      continue;
    }
    apart.insert(op);
    if (isResult)
      for (const PlacedPart &part : parts->second)
        placed.insert(part.source);
  }
  for (linalg::LinalgOp op : given)
    if (!isa<linalg::FillOp>(op) && !apart.contains(op))
      group.add(op, known(op));
  return success();
}

LogicalResult StitchBuilder::classify() {
  for (unsigned op = 0; op < group.operators().size(); ++op) {
    const StitchOperator &about = group.about(op);
    if (!about.whyNot.empty())
      return decline(about.whyNot);
    group.reductions.push_back(about.reduction);
  }
  return success();
}

static std::string nameOf(unsigned axis) {
  static constexpr StringLiteral letters = "ijklpqstuvw";
  std::string name(1, letters[axis % letters.size()]);
  if (axis >= letters.size())
    name += std::to_string(axis / letters.size());
  return name;
}

LogicalResult StitchBuilder::unifyLoops() {
  LoopClasses classes;
  unsigned size = group.operators().size();
  for (unsigned op = 0; op < size; ++op)
    classes.add(group.about(op).extents.size());
  // The axes of a value between two operators have to agree. A value that both
  // read is loaded once if possible.
  llvm::MapVector<Value, SmallVector<unsigned, 4>> readers;
  for (unsigned op = 0; op < size; ++op)
    for (const StitchOperator::Input &input : group.about(op).inputs) {
      if (!input.isTensor)
        continue;
      Value value = input.operand->get();
      SmallVector<unsigned, 4> read = input.loops;
      for (unsigned &loop : read)
        loop = classes.loopOf(op, loop);
      if (std::optional<unsigned> producer = group.definer(value)) {
        for (auto [made, loop] :
             llvm::zip_equal(group.about(*producer).resultLoops, read)) {
          unsigned source = classes.loopOf(*producer, made);
          // Two loops of one operator stay separate.
          if (!classes.areOne(source, loop) && classes.meet(source, loop))
            return decline("two loops of one operator would be one axis");
          classes.unite(source, loop);
        }
        continue;
      }
      auto [it, isNew] = readers.insert({value, read});
      if (isNew)
        continue;
      for (auto [known, loop] : llvm::zip_equal(it->second, read))
        if (!classes.meet(known, loop))
          classes.unite(known, loop);
    }
  llvm::SmallMapVector<unsigned, unsigned, 8> axisOfLeader;
  for (unsigned op = 0; op < size; ++op) {
    const StitchOperator &about = group.about(op);
    SmallVector<unsigned> &loops = group.loops.emplace_back();
    for (auto [loop, extent, isReduced] :
         llvm::enumerate(about.extents, about.isReduced)) {
      unsigned number = group.axes.size();
      auto [it, isNew] = axisOfLeader.insert(
          {classes.leader(classes.loopOf(op, loop)), number});
      if (isNew)
        group.axes.push_back({nameOf(number), extent});
      group.axes[it->second].isReduced |= isReduced;
      loops.push_back(it->second);
    }
    group.resultLoops.push_back(about.resultLoops);
  }
  return success();
}

/// Finds a home for operators without loops, such as the epilogue of a
/// reduction over all axes. They are computed where their operands are, or else
/// along an axis of a single point.
void StitchBuilder::findHomes() {
  std::optional<unsigned> point;
  for (auto [number, loops] : llvm::enumerate(group.loops)) {
    std::optional<unsigned> home;
    if (!loops.empty())
      home = loops.front();
    for (const StitchOperator::Input &input : group.about(number).inputs)
      if (std::optional<unsigned> maker = group.definer(input.operand->get());
          maker && !home)
        home = group.homes[*maker];
    if (!home && !point) {
      point = group.axes.size();
      group.axes.push_back({nameOf(*point), /*extent=*/1});
    }
    group.homes.push_back(home ? *home : *point);
  }
}

/// Returns the component of each axis. Axes that operators have in common, also
/// indirectly, are of one component. So are the axes of operators between which
/// a single number passes.
SmallVector<unsigned> StitchBuilder::findComponents() const {
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    classes.insert(axis);
  auto join = [&](ArrayRef<unsigned> axes) {
    for (unsigned axis : axes)
      classes.unionSets(axes.front(), axis);
  };
  for (ArrayRef<unsigned> loops : group.loops)
    join(loops);
  for (unsigned op = 0; op < group.operators().size(); ++op)
    for (const StitchOperator::Input &input : group.about(op).inputs)
      if (std::optional<unsigned> maker = group.definer(input.operand->get()))
        join({group.homes[op], group.homes[*maker]});
  llvm::MapVector<unsigned, unsigned> numbers;
  SmallVector<unsigned> components;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    components.push_back(
        numbers.insert({classes.getLeaderValue(axis), numbers.size()})
            .first->second);
  return components;
}

/// Components of the same shape, reduced alike, have the same loops
/// (FusionStitching, section 4.1: kernel packing): one block computes the
/// same part of each.
void StitchBuilder::fuseLoops() {
  llvm::MapVector<unsigned, SmallVector<unsigned, 4>> axesOf;
  for (auto [axis, component] : llvm::enumerate(findComponents()))
    axesOf[component].push_back(axis);
  using Shape = SmallVector<std::pair<int64_t, bool>>;
  SmallVector<std::pair<Shape, SmallVector<unsigned, 4>>> known;
  SmallVector<unsigned> fused =
      llvm::to_vector(llvm::seq<unsigned>(0, group.axes.size()));
  for (auto &[component, axes] : axesOf) {
    auto key = [&](unsigned axis) {
      return std::make_pair(group.axes[axis].extent,
                            group.axes[axis].isReduced);
    };
    llvm::sort(axes, [&](unsigned a, unsigned b) {
      return std::make_pair(key(a), a) < std::make_pair(key(b), b);
    });
    Shape shape = llvm::map_to_vector(axes, key);
    auto *like = llvm::find_if(
        known, [&](const auto &entry) { return entry.first == shape; });
    if (like == known.end()) {
      known.push_back({std::move(shape), axes});
      continue;
    }
    for (auto [own, other] : llvm::zip_equal(axes, like->second))
      fused[own] = other;
  }
  // Axes are numbered, and named, as they come.
  SmallVector<unsigned> numbers(group.axes.size());
  SmallVector<StitchAxis> retained;
  for (auto [axis, other] : llvm::enumerate(fused)) {
    if (other != axis)
      continue;
    numbers[axis] = retained.size();
    retained.push_back({nameOf(retained.size()), group.axes[axis].extent,
                        group.axes[axis].isReduced});
  }
  group.axes = std::move(retained);
  for (SmallVector<unsigned> &loops : group.loops)
    for (unsigned &axis : loops)
      axis = numbers[fused[axis]];
  for (unsigned &axis : group.homes)
    axis = numbers[fused[axis]];
}
