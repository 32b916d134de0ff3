//===- TilingExpressions.cpp - Deep and flat tiling expressions -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/TilingExpressions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

using Axes = SmallVector<unsigned, 8>;

/// Loops of an expression that may have siblings: the loops of contractions
/// `first` to `last` in program order.
struct Part {
  Axes loops;
  unsigned first, last;
};

class Enumerator {
public:
  Enumerator(const GroupModel &group, const ExpressionOptions &options)
      : group(group), options(options) {}

  std::vector<TilingTree> list(const Axes &loops, bool startsWithLoop = false) {
    std::vector<TilingTree> trees;
    if (loops.empty())
      return {TilingTree()};
    for (unsigned outer : loops) {
      Axes inner = loops;
      llvm::erase(inner, outer);
      if (options.completeIntermediates && keepsTiles(outer, inner))
        continue;
      for (TilingTree &tree : list(inner)) {
        TilingTree &nest = trees.emplace_back();
        nest.push_back({TilingNode::Kind::Loop, outer, std::move(tree)});
        if (trees.size() > options.limit)
          isComplete = false;
        if (!isComplete)
          return trees;
      }
    }
    if (options.flat && !startsWithLoop)
      listSequences(split(loops), trees);
    return trees;
  }

  /// Returns whether loop `outer` reduces an intermediate that a loop of
  /// `inner` indexes.
  bool keepsTiles(unsigned outer, ArrayRef<unsigned> inner) const {
    return llvm::any_of(
        group.contractions, [&](const Contraction &contraction) {
          const GroupTensor &value = group.tensors[contraction.result];
          return value.role == TensorRole::Intermediate &&
                 llvm::is_contained(contraction.reduction, outer) &&
                 llvm::any_of(inner, [&](unsigned axis) {
                   return llvm::is_contained(value.axes, axis);
                 });
        });
  }

  bool isComplete = true; ///< the limit was not met

  /// Returns the finest partition of the loops, in program order.
  SmallVector<Part> split(const Axes &loops) const {
    SmallVector<Part> parts;
    for (auto [index, contraction] : llvm::enumerate(group.contractions)) {
      Part part{{}, static_cast<unsigned>(index), static_cast<unsigned>(index)};
      for (unsigned axis : loops)
        if (llvm::is_contained(contraction.axes, axis))
          part.loops.push_back(axis);
      if (part.loops.empty())
        continue;
      // One part with all parts that share a loop with it, and with the parts
      // between them in program order.
      unsigned first = index;
      for (const Part &other : parts)
        if (llvm::any_of(other.loops, [&](unsigned axis) {
              return llvm::is_contained(part.loops, axis);
            }))
          first = std::min(first, other.first);
      while (!parts.empty() && parts.back().last >= first) {
        for (unsigned axis : parts.back().loops)
          if (!llvm::is_contained(part.loops, axis))
            part.loops.push_back(axis);
        part.first = std::min(part.first, parts.back().first);
        parts.pop_back();
      }
      parts.push_back(std::move(part));
    }
    for (Part &part : parts)
      llvm::sort(part.loops);
    return parts;
  }

private:
  /// Lists all ways to unite neighbouring parts, except all in one.
  void listSequences(ArrayRef<Part> parts, std::vector<TilingTree> &trees) {
    if (parts.size() < 2)
      return;
    unsigned cuts = parts.size() - 1;
    for (unsigned mask = 1; mask < (1u << cuts) && isComplete; ++mask) {
      std::vector<TilingTree> sequences = {TilingTree()};
      Axes loops;
      for (unsigned i = 0; i < parts.size(); ++i) {
        llvm::append_range(loops, parts[i].loops);
        if (i != cuts && !(mask >> i & 1))
          continue;
        llvm::sort(loops);
        std::vector<TilingTree> longer;
        std::vector<TilingTree> items = list(loops, /*startsWithLoop=*/true);
        for (const TilingTree &sequence : sequences)
          for (const TilingTree &item : items) {
            TilingTree &next = longer.emplace_back(sequence);
            llvm::append_range(next, item);
            isComplete &= longer.size() <= options.limit;
            if (!isComplete)
              return;
          }
        sequences = std::move(longer);
        loops.clear();
      }
      for (TilingTree &sequence : sequences)
        trees.push_back(std::move(sequence));
      isComplete &= trees.size() <= options.limit;
    }
  }

  const GroupModel &group;
  const ExpressionOptions &options;
};

/// Counts the expressions that the enumerator lists, once for each set of
/// loops.
class ExpressionCounter {
public:
  ExpressionCounter(const GroupModel &group, const ExpressionOptions &options)
      : options(options), enumerator(group, options) {}

  uint64_t count(const Axes &loops, bool startsWithLoop = false) {
    if (loops.empty())
      return 1;
    uint64_t key = startsWithLoop;
    for (unsigned axis : loops)
      key |= uint64_t(2) << axis;
    if (auto known = counts.find(key); known != counts.end())
      return known->second;
    uint64_t sum = 0;
    for (unsigned outer : loops) {
      Axes inner = loops;
      llvm::erase(inner, outer);
      if (!options.completeIntermediates ||
          !enumerator.keepsTiles(outer, inner))
        sum = llvm::SaturatingAdd(sum, count(inner));
    }
    if (options.flat && !startsWithLoop)
      sum = llvm::SaturatingAdd(sum, countSequences(enumerator.split(loops)));
    return counts[key] = sum;
  }

private:
  uint64_t countSequences(ArrayRef<Part> parts) {
    uint64_t sum = 0;
    for (unsigned mask = 1; parts.size() > 1 && !(mask >> (parts.size() - 1));
         ++mask) {
      uint64_t product = 1;
      Axes loops;
      for (unsigned i = 0; i < parts.size(); ++i) {
        llvm::append_range(loops, parts[i].loops);
        if (i + 1 != parts.size() && !(mask >> i & 1))
          continue;
        llvm::sort(loops);
        product = llvm::SaturatingMultiply(product, count(loops, true));
        loops.clear();
      }
      sum = llvm::SaturatingAdd(sum, product);
    }
    return sum;
  }

  const ExpressionOptions &options;
  Enumerator enumerator;
  llvm::DenseMap<uint64_t, uint64_t> counts;
};

} // namespace

uint64_t fusion::countExpressions(const GroupModel &group,
                                  ArrayRef<unsigned> axes,
                                  const ExpressionOptions &options) {
  return ExpressionCounter(group, options).count(Axes(axes));
}

std::optional<std::vector<TilingTree>>
fusion::listExpressions(const GroupModel &group, ArrayRef<unsigned> axes,
                        const ExpressionOptions &options) {
  Enumerator enumerator(group, options);
  std::vector<TilingTree> trees = enumerator.list(Axes(axes));
  if (!enumerator.isComplete)
    return std::nullopt;
  return trees;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

static const GroupTensor &resultOf(const GroupModel &group) {
  return *llvm::find_if(group.tensors, [](const GroupTensor &tensor) {
    return tensor.role == TensorRole::Result;
  });
}

static bool isInAllContractions(const GroupModel &group, unsigned axis) {
  return llvm::all_of(group.contractions, [&](const Contraction &contraction) {
    return llvm::is_contained(contraction.axes, axis);
  });
}

static TilingTree removeLoops(const TilingTree &items,
                              llvm::function_ref<bool(unsigned)> isRemoved) {
  TilingTree rest;
  for (const TilingNode &node : items) {
    TilingTree children = removeLoops(node.children, isRemoved);
    if (isRemoved(node.index))
      llvm::append_range(rest, children);
    else
      rest.push_back({node.kind, node.index, std::move(children)});
  }
  return rest;
}

/// Returns the innermost loop of a nest, or nullopt for a flat expression.
static std::optional<unsigned> innermost(const TilingTree &items) {
  const TilingTree *body = &items;
  while (body->size() == 1 && !body->front().children.empty())
    body = &body->front().children;
  if (body->size() != 1)
    return std::nullopt;
  return body->front().index;
}

BoundExpression fusion::bindBlocks(const GroupModel &group,
                                   const TilingTree &loops) {
  const GroupTensor &result = resultOf(group);
  BoundExpression bound;
  bound.loops = removeLoops(loops, [&](unsigned axis) {
    bool isBound = llvm::is_contained(result.axes, axis) &&
                   isInAllContractions(group, axis);
    if (isBound)
      bound.blocks.push_back(axis);
    return isBound;
  });
  auto bind = [&](std::optional<unsigned> axis) {
    if (!axis || !llvm::is_contained(result.axes, *axis))
      return false;
    bound.blocks.push_back(*axis);
    bound.loops = removeLoops(bound.loops,
                              [&](unsigned other) { return other == *axis; });
    return true;
  };
  auto outermost = [&]() -> std::optional<unsigned> {
    if (bound.loops.size() != 1)
      return std::nullopt;
    return bound.loops.front().index;
  };
  while (bind(outermost()) || bind(innermost(bound.loops)))
    ;
  llvm::sort(bound.blocks, [&](unsigned a, unsigned b) {
    return llvm::find(result.axes, a) < llvm::find(result.axes, b);
  });
  return bound;
}

/// Returns how many expressions of the given loops have no bound loop: the
/// outermost loop is not one of the result, and neither is the innermost loop
/// of a nest.
static uint64_t countUnbound(ExpressionCounter &counter, const Axes &loops,
                             ArrayRef<unsigned> resultAxes) {
  uint64_t bound = 0, nests = 1, ofResult = 0;
  for (unsigned axis : loops)
    if (llvm::is_contained(resultAxes, axis)) {
      Axes inner = loops;
      llvm::erase(inner, axis);
      bound = llvm::SaturatingAdd(bound, counter.count(inner));
      ++ofResult;
    }
  // Counts nests with such a loop innermost and none outermost.
  for (uint64_t i = 2; i + 1 < loops.size(); ++i)
    nests = llvm::SaturatingMultiply(nests, i);
  if (loops.size() > 1)
    bound = llvm::SaturatingAdd(
        bound,
        llvm::SaturatingMultiply(nests * ofResult, loops.size() - ofResult));
  return counter.count(loops) - bound;
}

uint64_t fusion::countBoundExpressions(const GroupModel &group, bool isFlat) {
  ExpressionOptions options;
  options.flat = isFlat;
  ExpressionCounter counter(group, options);
  const GroupTensor &result = resultOf(group);
  Axes optional, others;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis) {
    bool isOfResult = llvm::is_contained(result.axes, axis);
    if (!isOfResult)
      others.push_back(axis);
    else if (!isInAllContractions(group, axis))
      optional.push_back(axis);
  }
  uint64_t sum = 0;
  for (unsigned mask = 0; mask < (1u << optional.size()); ++mask) {
    Axes inner = others;
    for (auto [index, axis] : llvm::enumerate(optional))
      if (mask >> index & 1)
        inner.push_back(axis);
    llvm::sort(inner);
    sum = llvm::SaturatingAdd(sum, countUnbound(counter, inner, optional));
  }
  return sum;
}

std::optional<std::vector<BoundExpression>>
fusion::listBoundExpressions(const GroupModel &group,
                             const ExpressionOptions &options) {
  const GroupTensor &result = resultOf(group);
  SmallVector<unsigned, 4> always, optional;
  for (unsigned axis : result.axes)
    (isInAllContractions(group, axis) ? always : optional).push_back(axis);
  std::vector<BoundExpression> expressions;
  // Every sub-expression comes from itself inside of the bound loops.
  for (unsigned mask = (1u << optional.size()); mask-- > 0;) {
    BoundExpression next;
    for (unsigned axis : result.axes) {
      const unsigned *found = llvm::find(optional, axis);
      if (found == optional.end() || (mask >> (found - optional.begin()) & 1))
        next.blocks.push_back(axis);
    }
    Axes inner;
    for (unsigned axis = 0; axis < group.axes.size(); ++axis)
      if (!llvm::is_contained(next.blocks, axis))
        inner.push_back(axis);
    auto trees = listExpressions(group, inner, options);
    if (!trees)
      return std::nullopt;
    for (TilingTree &tree : *trees) {
      if (!bindBlocks(group, tree).blocks.empty())
        continue; // more of it would be bound
      next.loops = std::move(tree);
      expressions.push_back(next);
      if (expressions.size() > options.limit)
        return std::nullopt;
    }
  }
  return expressions;
}

static void collectLoops(const TilingTree &items, Axes &loops) {
  for (const TilingNode &node : items) {
    loops.push_back(node.index);
    collectLoops(node.children, loops);
  }
}

bool fusion::retainsIntermediates(const GroupModel &group,
                                  const TilingTree &loops) {
  ExpressionOptions options;
  Enumerator enumerator(group, options);
  return llvm::any_of(loops, [&](const TilingNode &node) {
    Axes inner;
    collectLoops(node.children, inner);
    return enumerator.keepsTiles(node.index, inner) ||
           retainsIntermediates(group, node.children);
  });
}
