//===- StatementPlacement.cpp - Statements in a nest of loops -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MCFuser section III-B. Scope edges bind a statement to the loops that it
// needs, order edges put a value's consumers after the loops that complete it.
// Where an order edge leaves a loop that a later statement needs, that loop is
// opened again. For example, in kn, C's tiles of all n are complete after k
// only, so the tree is k(LA,n(LB,CC)),n(LD,CE).
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/TilingTree.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

class StatementPlacement {
public:
  StatementPlacement(const GroupModel &group, const TilingTree &loops,
                     ArrayRef<int64_t> tiles, ArrayRef<unsigned> blocks,
                     bool removeDeadLoops, ArrayRef<StatisticsPlacement> passes)
      : group(group), tiles(tiles), removeDeadLoops(removeDeadLoops),
        passes(passes) {
    TilingTree live = removeDead(loops);
    const TilingTree *items = &live;
    while (items->size() == 1 && items->front().isLoop() &&
           llvm::is_contained(blocks, items->front().index)) {
      grid.push_back(items->front().index);
      items = &items->front().children;
    }
    unsigned count = group.contractions.size();
    paths.resize(count);
    for (unsigned contraction = 0; contraction < count; ++contraction)
      nests.push_back(findNest(*items, contraction));
    // A consumer's loops decide which of them its producers are in.
    for (unsigned contraction = count; contraction-- > 0;)
      paths[contraction] = choosePath(contraction);
  }

  TilingTree place() {
    TilingTree tree;
    TilingTree *body = &tree;
    for (unsigned axis : grid) {
      body->push_back({Kind::Loop, axis, {}});
      body = &body->back().children;
    }
    for (unsigned contraction = 0; contraction < group.contractions.size();
         ++contraction)
      placeProduct(*body, contraction);
    // Rows are complete when the loops that reduce them are over.
    for (auto [number, tensor] : llvm::enumerate(group.tensors))
      if (tensor.role == TensorRole::Statistic)
        enterAll(*body,
                 tensor.ofOperand
                     ? hoist(paths[tensor.contraction], tensor.axes)
                     : outsideOf(paths[tensor.contraction], tensor.axes),
                 tensor.contraction)
            .push_back({Kind::Store, static_cast<unsigned>(number), {}});
    return tree;
  }

private:
  using Kind = TilingNode::Kind;
  using Path =
      SmallVector<unsigned, 8>; ///< axes, outermost first, without grid

  bool isLive(unsigned axis) const {
    return !removeDeadLoops || group.axes[axis].isDynamic ||
           tripCount(group.axes[axis], tiles[axis]) > 1;
  }

  TilingTree removeDead(const TilingTree &items) const {
    TilingTree live;
    for (const TilingNode &node : items) {
      if (!node.isLoop())
        continue;
      TilingTree children = removeDead(node.children);
      if (isLive(node.index))
        live.push_back({Kind::Loop, node.index, std::move(children)});
      else
        llvm::append_range(live, children);
    }
    return live;
  }

  /// Returns the loops down to the innermost one of the contraction.
  Path findNest(const TilingTree &items, unsigned contraction) const {
    Path found;
    for (const TilingNode &node : items) {
      Path inner = findNest(node.children, contraction);
      if (inner.empty() &&
          !llvm::is_contained(group.contractions[contraction].axes, node.index))
        continue;
      inner.insert(inner.begin(), node.index);
      if (inner.size() > found.size())
        found = std::move(inner);
    }
    return found;
  }

  bool reducesProducerOf(unsigned contraction, unsigned axis) const {
    for (std::optional<unsigned> producer :
         group.contractions[contraction].producer)
      if (producer &&
          (llvm::is_contained(group.contractions[*producer].reduction, axis) ||
           reducesProducerOf(*producer, axis)))
        return true;
    return false;
  }

  /// Returns the contraction's own loops, and loops of its consumers in which
  /// it is recomputed. Its own reductions have no such loop inside, as partial
  /// sums would be added once per iteration. Its producers' reductions are over
  /// when it starts.
  Path choosePath(unsigned contraction) const {
    const Contraction &own = group.contractions[contraction];
    Path path;
    bool reduces = false;
    for (unsigned axis : nests[contraction]) {
      if (llvm::is_contained(own.axes, axis)) {
        reduces |= llvm::is_contained(own.reduction, axis);
        path.push_back(axis);
        continue;
      }
      bool isOfConsumer = false;
      for (auto [index, consumer] : llvm::enumerate(group.contractions))
        isOfConsumer |= (llvm::is_contained(consumer.producer,
                                            std::optional(contraction)) ||
                         llvm::is_contained(consumer.joined, contraction)) &&
                        llvm::is_contained(paths[index], axis);
      if (isOfConsumer && !reduces && !reducesProducerOf(contraction, axis))
        path.push_back(axis);
    }
    return path;
  }

  /// Returns how many of a contraction's loops are outside of its reductions.
  unsigned completeDepth(unsigned contraction) const {
    const Path &path = paths[contraction];
    auto isReduction = [&](unsigned axis) {
      return llvm::is_contained(group.contractions[contraction].reduction,
                                axis);
    };
    return llvm::find_if(path, isReduction) - path.begin();
  }

  /// Returns the loops of a path that are outside of the innermost one of
  /// `axes`.
  static ArrayRef<unsigned> hoist(ArrayRef<unsigned> path,
                                  ArrayRef<unsigned> axes) {
    while (!path.empty() && !llvm::is_contained(axes, path.back()))
      path = path.drop_back();
    return path;
  }

  /// Returns the outermost loops of a path that are all of `axes`.
  static ArrayRef<unsigned> outsideOf(ArrayRef<unsigned> path,
                                      ArrayRef<unsigned> axes) {
    return path.take_while(
        [&](unsigned axis) { return llvm::is_contained(axes, axis); });
  }

  static bool contains(const TilingNode &node, Kind kind, unsigned index) {
    return (node.kind == kind && node.index == index) ||
           llvm::any_of(node.children, [&](const TilingNode &child) {
             return contains(child, kind, index);
           });
  }

  /// Whether a value that is computed in `node` is complete in each iteration
  /// of it, `node` being in the body of depth `depth`.
  bool completesInside(const TilingNode &node, unsigned contraction,
                       unsigned depth) const {
    return node.isLoop() && depth < completeDepth(contraction);
  }

  /// Returns the body to continue in when a statement enters loop `axis` of
  /// `body`: that of the last such loop, unless a value that is needed is
  /// complete only after it.
  TilingTree &enter(TilingTree &body, unsigned axis, unsigned depth,
                    ArrayRef<unsigned> needed) const {
    for (unsigned i = body.size(); i-- > 0;) {
      TilingNode &node = body[i];
      bool mustFollow = llvm::any_of(needed, [&](unsigned contraction) {
        return contains(node, Kind::Compute,
                        group.contractions[contraction].result) &&
               !completesInside(node, contraction, depth);
      });
      if (mustFollow)
        break;
      if (node.isLoop() && node.index == axis)
        return node.children;
      if (llvm::any_of(needed, [&](unsigned contraction) {
            return contains(node, Kind::Compute,
                            group.contractions[contraction].result);
          }))
        break;
    }
    body.push_back({Kind::Loop, axis, {}});
    return body.back().children;
  }

  TilingTree &enterAll(TilingTree &body, ArrayRef<unsigned> path,
                       ArrayRef<unsigned> needed) const {
    TilingTree *inner = &body;
    for (auto [depth, axis] : llvm::enumerate(path))
      inner = &enter(*inner, axis, depth, needed);
    return *inner;
  }

  /// Places a load, `depth` loops deep, directly before the node that encloses
  /// the computation of a contraction.
  static void placeBefore(TilingTree &body, size_t depth, unsigned result,
                          unsigned tensor) {
    placeBefore(body, depth, result, TilingNode{Kind::Load, tensor, {}});
  }
  static void placeBefore(TilingTree &body, size_t depth, unsigned result,
                          TilingNode node) {
    TilingTree *outer = &body;
    auto enclosing = [&] {
      return llvm::find_if(*outer, [&](const TilingNode &node) {
        return contains(node, Kind::Compute, result);
      });
    };
    for (; depth > 0; --depth)
      outer = &enclosing()->children;
    outer->insert(enclosing(), std::move(node));
  }

  /// Places row statistics before their contraction: in the contraction's
  /// innermost loop over their rows or their axis, or in a loop of its own
  /// before the contraction's.
  void placePass(TilingTree &body, unsigned number) {
    const RowStatistics &pass = group.rowStatistics[number];
    ArrayRef<unsigned> path(paths[pass.contraction]);
    ArrayRef<unsigned> rows = group.tensors[pass.rows].axes;
    unsigned result = group.contractions[pass.contraction].result;
    StatisticsPlacement place =
        passes.empty() ? defaultPlacement(group, pass) : passes[number];
    ArrayRef<unsigned> outer = hoist(path, rows);
    if (!llvm::is_contained(path, pass.axis) ||
        llvm::is_contained(outer, pass.axis))
      place = StatisticsPlacement::Together;
    if (place == StatisticsPlacement::Together) {
      SmallVector<unsigned, 4> needed(rows);
      needed.push_back(pass.axis);
      return placeBefore(body, hoist(path, needed).size(), result,
                         {Kind::Compute, pass.rows, {}});
    }
    size_t depth = outer.size();
    TilingNode loop{Kind::Loop, pass.axis, {}};
    for (unsigned i = 0; i < pass.reads.size(); ++i) {
      unsigned read = pass.reads[i], ahead = pass.prepassReads[i];
      bool hasAxis = llvm::is_contained(group.tensors[read].axes, pass.axis);
      // Tiles over the rows are retained, and loaded by the first row
      // statistics that read them. Vectors are cheap to load.
      bool isTile = hasAxis && llvm::all_of(rows, [&](unsigned axis) {
                      return llvm::is_contained(group.tensors[read].axes, axis);
                    });
      if (place == StatisticsPlacement::Resident && isTile) {
        if (!removeLoad(body, read))
          continue;
        TilingNode loads{Kind::Loop, pass.axis, {}};
        loads.children.push_back({Kind::Load, read, {}});
        placeBefore(body, depth, result, std::move(loads));
        continue;
      }
      if (hasAxis)
        loop.children.push_back({Kind::Load, ahead, {}});
      else
        placeBefore(body, hoist(outer, group.tensors[ahead].axes).size(),
                    result, {Kind::Load, ahead, {}});
    }
    loop.children.push_back({Kind::Compute, pass.rows, {}});
    placeBefore(body, depth, result, std::move(loop));
  }

  /// Takes the load of a tensor out of the loops that hold computations.
  /// Returns false if it is in a loop that only loads already.
  static bool removeLoad(TilingTree &items, unsigned tensor) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].kind == Kind::Load && items[i].index == tensor) {
        if (items.size() == 1)
          return false;
        items.erase(items.begin() + i);
        return true;
      }
      if (items[i].isLoop() && contains(items[i], Kind::Load, tensor))
        return removeLoad(items[i].children, tensor);
    }
    return false;
  }

  void placeProduct(TilingTree &body, unsigned index) {
    const Contraction &contraction = group.contractions[index];
    const Path &path = paths[index];
    SmallVector<unsigned, 2> producers;
    for (std::optional<unsigned> producer : contraction.producer)
      if (producer)
        producers.push_back(*producer);
    enterAll(body, path, producers)
        .push_back({Kind::Compute, contraction.result, {}});

    for (auto [number, tensor] : llvm::enumerate(group.tensors))
      if (tensor.role == TensorRole::Operand && tensor.contraction == index &&
          !tensor.pass)
        placeBefore(body, hoist(path, tensor.axes).size(), contraction.result,
                    number);
    for (auto [number, pass] : llvm::enumerate(group.rowStatistics))
      if (pass.contraction == index)
        placePass(body, number);

    // The loops in which complete values are used: outside of the reductions,
    // and inside of them where they index the value.
    const GroupTensor &value = group.tensors[contraction.result];
    Path complete;
    for (auto [depth, axis] : llvm::enumerate(path))
      if (depth < completeDepth(index) || llvm::is_contained(value.axes, axis))
        complete.push_back(axis);
    for (auto [number, tensor] : llvm::enumerate(group.tensors)) {
      if (tensor.role != TensorRole::Extra || tensor.contraction != index)
        continue;
      // Where the value is complete, unless the loops there repeat the load.
      size_t depth = hoist(complete, tensor.axes).size();
      if (depth < complete.size() && depth <= completeDepth(index))
        placeBefore(body, depth, contraction.result, number);
      else
        enterAll(body, complete, index)
            .push_back({Kind::Load, static_cast<unsigned>(number), {}});
    }
    if (value.role == TensorRole::Result)
      enterAll(body, hoist(complete, value.axes), index)
          .push_back({Kind::Store, contraction.result, {}});
  }

  const GroupModel &group;
  ArrayRef<int64_t> tiles;
  bool removeDeadLoops;
  ArrayRef<StatisticsPlacement> passes; ///< by pass, or empty
  Path grid;
  SmallVector<Path, 4> nests, paths; ///< by contraction
};

} // namespace

TilingTree fusion::placeStatements(const GroupModel &group,
                                   const TilingTree &loops,
                                   ArrayRef<int64_t> tiles,
                                   ArrayRef<unsigned> blocks,
                                   bool removeDeadLoops,
                                   ArrayRef<StatisticsPlacement> passes) {
  return StatementPlacement(group, loops, tiles, blocks, removeDeadLoops,
                            passes)
      .place();
}

StatisticsPlacement fusion::defaultPlacement(const GroupModel &group,
                                             const RowStatistics &pass) {
  return group.canRunWithContraction(pass) ? StatisticsPlacement::Together
                                           : StatisticsPlacement::Ahead;
}

static bool holds(const TilingNode &node, TilingNode::Kind kind,
                  unsigned index) {
  return (node.kind == kind && node.index == index) ||
         llvm::any_of(node.children, [&](const TilingNode &child) {
           return holds(child, kind, index);
         });
}

bool fusion::runsWithContraction(const GroupModel &group,
                                 const TilingTree &tree,
                                 const RowStatistics &pass) {
  using Kind = TilingNode::Kind;
  for (const TilingNode &node : tree) {
    if (!node.isLoop() || !holds(node, Kind::Compute, pass.rows))
      continue;
    if (node.index == pass.axis)
      return holds(node, Kind::Compute,
                   group.contractions[pass.contraction].result);
    return runsWithContraction(group, node.children, pass);
  }
  return false;
}

bool fusion::isLoaded(const TilingTree &tree, unsigned tensor) {
  return llvm::any_of(tree, [&](const TilingNode &node) {
    return holds(node, TilingNode::Kind::Load, tensor);
  });
}

TilingTree fusion::makeNest(ArrayRef<unsigned> loops) {
  TilingTree nest;
  for (unsigned axis : llvm::reverse(loops)) {
    TilingTree outer;
    outer.push_back({TilingNode::Kind::Loop, axis, std::move(nest)});
    nest = std::move(outer);
  }
  return nest;
}

TilingTree fusion::makeDeepTiling(const GroupModel &group,
                                  ArrayRef<unsigned> loops,
                                  ArrayRef<int64_t> tiles,
                                  ArrayRef<unsigned> blocks) {
  return placeStatements(group, makeNest(loops), tiles, blocks);
}

SmallVector<TilingStatement> fusion::listStatements(const TilingTree &tree) {
  SmallVector<TilingStatement> statements;
  SmallVector<unsigned, 8> loops;
  auto visit = [&](auto &&self, const TilingTree &items) -> void {
    for (const TilingNode &node : items) {
      if (!node.isLoop()) {
        statements.push_back({node.kind, node.index, loops});
        continue;
      }
      loops.push_back(node.index);
      self(self, node.children);
      loops.pop_back();
    }
  };
  visit(visit, tree);
  return statements;
}
