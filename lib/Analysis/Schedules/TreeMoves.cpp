//===- TreeMoves.cpp - Statements moved to loops of their own -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes of a tree that trade memory for traffic or work: statements that are
// moved out of a loop run once, and their tiles are retained
// (Analysis/Schedules/RetainedTiles.h).
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/TilingTree.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

using Kind = TilingNode::Kind;
using Predicate = llvm::function_ref<bool(const TilingNode &)>;

bool isAllOf(const TilingNode &node, Predicate isMoved) {
  if (!node.isLoop())
    return isMoved(node);
  return llvm::all_of(node.children, [&](const TilingNode &child) {
    return isAllOf(child, isMoved);
  });
}

bool contains(const TilingNode &node, Kind kind, unsigned index) {
  return (node.kind == kind && node.index == index) ||
         llvm::any_of(node.children, [&](const TilingNode &child) {
           return contains(child, kind, index);
         });
}

/// Returns the positions of the items on the way down to a statement, outermost
/// first.
SmallVector<size_t, 8> pathTo(const TilingTree &tree, Kind kind,
                              unsigned index) {
  SmallVector<size_t, 8> path;
  const TilingTree *items = &tree;
  while (true) {
    auto it = llvm::find_if(*items, [&](const TilingNode &node) {
      return contains(node, kind, index);
    });
    if (it == items->end())
      return {};
    path.push_back(it - items->begin());
    if (!it->isLoop())
      return path;
    items = &it->children;
  }
}

/// Takes the nodes that `isMoved` accepts as a whole out of `items`, down along
/// `path` through `depth` loops. Loops that become empty are removed. Returns
/// the nodes in copies of the loops that `opens` accepts.
TilingTree extract(TilingTree &items, ArrayRef<size_t> path, unsigned depth,
                   Predicate isMoved,
                   llvm::function_ref<bool(unsigned)> opens) {
  TilingTree moved, rest;
  for (auto [position, node] : llvm::enumerate(items)) {
    if (isAllOf(node, isMoved) && (depth == 0 || position != path.front())) {
      moved.push_back(std::move(node));
      continue;
    }
    if (depth > 0 && position == path.front()) {
      TilingTree inner =
          extract(node.children, path.drop_front(), depth - 1, isMoved, opens);
      if (opens(node.index) && !inner.empty())
        moved.push_back({Kind::Loop, node.index, std::move(inner)});
      else
        llvm::append_range(moved, std::move(inner));
      if (node.children.empty())
        continue;
    }
    rest.push_back(std::move(node));
  }
  items = std::move(rest);
  return moved;
}

/// Moves the nodes that `isMoved` accepts out of the innermost `levels` loops
/// along `path`. Its last item is in the innermost loop.
TilingTree moveOut(TilingTree tree, ArrayRef<size_t> path, unsigned levels,
                   Predicate isMoved,
                   llvm::function_ref<bool(unsigned)> opens) {
  TilingTree *items = &tree;
  while (path.size() > levels + 1) {
    items = &(*items)[path.front()].children;
    path = path.drop_front();
  }
  // Only nodes inside of the loops move. Nodes next to the loops are outside
  // already.
  size_t position = path.front();
  TilingTree outer;
  outer.push_back(std::move((*items)[position]));
  size_t first[] = {0};
  SmallVector<size_t, 8> inside(first, first + 1);
  llvm::append_range(inside, path.drop_front());
  TilingTree moved = extract(outer, inside, levels, isMoved, opens);
  items->erase(items->begin() + position);
  items->insert(items->begin() + position, outer.begin(), outer.end());
  items->insert(items->begin() + position, moved.begin(), moved.end());
  return tree;
}

/// The axes of the loops along a path.
SmallVector<unsigned, 8> loopsAlong(const TilingTree &tree,
                                    ArrayRef<size_t> path) {
  SmallVector<unsigned, 8> axes;
  const TilingTree *items = &tree;
  for (size_t position : path) {
    const TilingNode &node = (*items)[position];
    if (!node.isLoop())
      break;
    axes.push_back(node.index);
    items = &node.children;
  }
  return axes;
}

} // namespace

std::optional<TilingTree> fusion::hoistLoad(const GroupModel &group,
                                            const TilingTree &tree,
                                            unsigned tensor, unsigned levels,
                                            ArrayRef<unsigned> blocks) {
  SmallVector<size_t, 8> path = pathTo(tree, Kind::Load, tensor);
  SmallVector<unsigned, 8> loops = loopsAlong(tree, path);
  if (levels == 0 || loops.size() < levels ||
      llvm::any_of(ArrayRef(loops).take_back(levels), [&](unsigned axis) {
        return llvm::is_contained(blocks, axis);
      }))
    return std::nullopt;
  return moveOut(
      tree, path, levels,
      [&](const TilingNode &node) {
        return node.kind == Kind::Load && node.index == tensor;
      },
      [&](unsigned axis) { return group.indexes(tensor, axis); });
}

std::optional<TilingTree>
fusion::retainIntermediate(const GroupModel &group, const TilingTree &tree,
                           unsigned number, unsigned levels,
                           ArrayRef<unsigned> blocks) {
  SmallVector<bool, 4> isMoved(group.contractions.size(), false);
  isMoved[number] = true;
  for (unsigned contraction = number + 1; contraction-- > 0;)
    if (isMoved[contraction])
      for (std::optional<unsigned> producer :
           group.contractions[contraction].producer)
        if (producer)
          isMoved[*producer] = true;
  unsigned result = group.contractions[number].result;
  if (group.tensors[result].role != TensorRole::Intermediate)
    return std::nullopt;
  SmallVector<size_t, 8> path = pathTo(tree, Kind::Compute, result);
  SmallVector<unsigned, 8> loops = loopsAlong(tree, path);
  auto reduces = [&](unsigned axis) {
    return llvm::any_of(llvm::seq<unsigned>(group.contractions.size()),
                        [&](unsigned contraction) {
                          return isMoved[contraction] &&
                                 llvm::is_contained(
                                     group.contractions[contraction].reduction,
                                     axis);
                        });
  };
  // Down to the loop in which each iteration completes the value.
  size_t scope =
      llvm::find_if(loops,
                    [&](unsigned axis) {
                      return llvm::is_contained(
                          group.contractions[number].reduction, axis);
                    }) -
      loops.begin();
  loops.resize(scope);
  path.resize(scope + 1);
  if (levels == 0 || scope < levels ||
      llvm::any_of(
          ArrayRef(loops).take_back(levels),
          [&](unsigned axis) {
            return llvm::is_contained(blocks, axis) || reduces(axis);
          }))
    return std::nullopt;
  return moveOut(
      tree, path, levels,
      [&](const TilingNode &node) {
        return isMoved[group.tensors[node.index].contraction];
      },
      [&](unsigned axis) {
        return llvm::any_of(llvm::seq<unsigned>(group.contractions.size()),
                            [&](unsigned contraction) {
                              return isMoved[contraction] &&
                                     llvm::is_contained(
                                         group.contractions[contraction].axes,
                                         axis);
                            });
      });
}
