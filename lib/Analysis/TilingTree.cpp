//===- TilingTree.cpp - Tiling expressions with placed statements -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/TilingTree.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

int64_t fusion::tripCount(const Axis &axis, int64_t tile) {
  return llvm::divideCeilSigned(axis.extent, tile);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

class Parser {
public:
  Parser(StringRef text, const GroupModel &group,
         llvm::function_ref<void(const Twine &)> explain)
      : text(text), rest(text), group(group), explain(explain) {}

  std::optional<TilingTree> parse() {
    TilingTree tree;
    if (!parseItems(tree, 0))
      return std::nullopt;
    if (!rest.empty())
      return error("unexpected '" + Twine(rest.front()) + "'"), std::nullopt;
    return tree;
  }

private:
  // Axes are few; a nest deeper than this is no tiling expression.
  static constexpr unsigned kMaxDepth = 64;

  bool error(const Twine &message) {
    explain("tiling expression '" + text + "', column " +
            Twine(text.size() - rest.size() + 1) + ": " + message);
    return false;
  }

  StringRef takeName() {
    size_t length = 1;
    while (length < rest.size() && llvm::isDigit(rest[length]))
      ++length;
    StringRef name = rest.take_front(length);
    rest = rest.drop_front(length);
    return name;
  }

  bool parseItems(TilingTree &items, unsigned depth) {
    do {
      if (!parseItem(items, depth))
        return false;
    } while (rest.consume_front(","));
    return true;
  }

  bool parseItem(TilingTree &items, unsigned depth) {
    if (depth > kMaxDepth)
      return error("nested too deeply");
    if (rest.empty())
      return error("a loop or statement was expected");
    if (llvm::isLower(rest.front())) {
      StringRef saved = rest;
      StringRef name = takeName();
      std::optional<unsigned> axis = group.findAxis(name);
      if (!axis) {
        rest = saved;
        return error("the group has no axis '" + name + "'");
      }
      items.push_back({TilingNode::Kind::Loop, *axis, {}});
      std::vector<TilingNode> children;
      if (rest.consume_front("(")) {
        if (!parseItems(children, depth + 1))
          return false;
        if (!rest.consume_front(")"))
          return error("')' was expected");
      } else if (!parseItem(children, depth + 1)) {
        return false;
      }
      items.back().children = std::move(children);
      return true;
    }
    TilingNode::Kind kind;
    switch (rest.front()) {
    case 'L':
      kind = TilingNode::Kind::Load;
      break;
    case 'C':
      kind = TilingNode::Kind::Compute;
      break;
    case 'S':
      kind = TilingNode::Kind::Store;
      break;
    default:
      return error("a loop or statement was expected");
    }
    StringRef saved = rest;
    rest = rest.drop_front();
    StringRef name = rest.empty() ? StringRef() : takeName();
    std::optional<unsigned> tensor = group.findTensor(name);
    if (!tensor) {
      rest = saved;
      return error("the group has no tensor '" + name + "'");
    }
    items.push_back({kind, *tensor, {}});
    return true;
  }

  StringRef text, rest;
  const GroupModel &group;
  llvm::function_ref<void(const Twine &)> explain;
};

void printItems(const std::vector<TilingNode> &items, const GroupModel &group,
                std::string &out);

void printNode(const TilingNode &node, const GroupModel &group,
               std::string &out) {
  switch (node.kind) {
  case TilingNode::Kind::Load:
    out += 'L';
    break;
  case TilingNode::Kind::Compute:
    out += 'C';
    break;
  case TilingNode::Kind::Store:
    out += 'S';
    break;
  case TilingNode::Kind::Loop:
    out += group.axes[node.index].name;
    if (node.children.size() == 1 && node.children.front().isLoop())
      return printNode(node.children.front(), group, out);
    out += '(';
    printItems(node.children, group, out);
    out += ')';
    return;
  }
  out += group.tensors[node.index].name;
}

void printItems(const std::vector<TilingNode> &items, const GroupModel &group,
                std::string &out) {
  llvm::interleave(
      items, [&](const TilingNode &node) { printNode(node, group, out); },
      [&] { out += ','; });
}

} // namespace

std::optional<TilingTree>
fusion::parseTiling(StringRef text, const GroupModel &group,
                    llvm::function_ref<void(const Twine &)> explain) {
  return Parser(text, group, explain).parse();
}

std::string fusion::printTiling(const TilingTree &tree,
                                const GroupModel &group) {
  std::string out;
  printItems(tree, group, out);
  return out;
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

namespace {

/// Places the statements of a group in a nest. Depth d is the body of the d-th
/// live loop, 0 the top.
class DeepPlacement {
public:
  DeepPlacement(const GroupModel &group, ArrayRef<unsigned> loops,
                ArrayRef<int64_t> tiles, ArrayRef<unsigned> blocks)
      : group(group) {
    for (unsigned axis : loops)
      if (group.axes[axis].isDynamic ||
          tripCount(group.axes[axis], tiles[axis]) > 1)
        nest.push_back(axis);
    while (grid < nest.size() && llvm::is_contained(blocks, nest[grid]))
      ++grid;
    before.resize(nest.size() + 1);
    after.resize(nest.size() + 1);
  }

  TilingTree place() {
    // Where each product's value is complete: the body that contains its
    // outermost reduction.
    for (auto [index, product] : llvm::enumerate(group.products)) {
      unsigned compute = depthOf(product.axes);
      unsigned complete = compute;
      for (unsigned d = 0; d < compute; ++d)
        if (llvm::is_contained(product.reduction, nest[d])) {
          complete = d;
          break;
        }
      placeProduct(index, compute, complete);
    }
    return build(0);
  }

private:
  using Kind = TilingNode::Kind;

  /// The depth just inside the innermost live loop of `axes` and of the grid.
  unsigned depthOf(ArrayRef<unsigned> axes) const {
    for (unsigned d = nest.size(); d > grid; --d)
      if (llvm::is_contained(axes, nest[d - 1]))
        return d;
    return grid;
  }

  /// The statements of the innermost body stand in `before`; in outer bodies,
  /// what must follow the inner loop goes to `after`.
  void placeProduct(unsigned index, unsigned compute, unsigned complete) {
    const Product &product = group.products[index];
    // A consumer computes after the loop that completes its producer.
    unsigned producerInside = 0;
    for (std::optional<unsigned> producer : product.producer)
      if (producer)
        producerInside = 1;
    auto &computeList =
        producerInside && compute < nest.size() ? after[compute] : before[compute];
    for (auto [number, tensor] : llvm::enumerate(group.tensors)) {
      if (tensor.role != TensorRole::Operand || tensor.product != index)
        continue;
      unsigned depth = std::min(depthOf(tensor.axes), compute);
      auto &list = depth == compute ? computeList : before[depth];
      list.push_back({Kind::Load, static_cast<unsigned>(number), {}});
    }
    computeList.push_back({Kind::Compute, product.result, {}});
    auto &completeList = complete == compute ? computeList : after[complete];
    for (auto [number, tensor] : llvm::enumerate(group.tensors))
      if (tensor.role == TensorRole::Extra && tensor.product == index)
        completeList.push_back({Kind::Load, static_cast<unsigned>(number), {}});
    if (group.tensors[product.result].role == TensorRole::Result)
      completeList.push_back({Kind::Store, product.result, {}});
  }

  TilingTree build(unsigned depth) {
    TilingTree items = before[depth];
    if (depth < nest.size())
      items.push_back({Kind::Loop, nest[depth], build(depth + 1)});
    llvm::append_range(items, after[depth]);
    return items;
  }

  const GroupModel &group;
  llvm::SmallVector<unsigned, 8> nest;
  unsigned grid = 0; ///< loops of the nest that are bound to the grid
  std::vector<TilingTree> before, after;
};

} // namespace

TilingTree fusion::makeDeepTiling(const GroupModel &group,
                                  ArrayRef<unsigned> loops,
                                  ArrayRef<int64_t> tiles,
                                  ArrayRef<unsigned> blocks) {
  return DeepPlacement(group, loops, tiles, blocks).place();
}
