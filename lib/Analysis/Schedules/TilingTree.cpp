//===- TilingTree.cpp - Tiling expressions with placed statements ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/TilingTree.h"
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
         llvm::function_ref<void(const Twine &)> explain, bool loopsOnly)
      : text(text), rest(text), group(group), explain(explain),
        loopsOnly(loopsOnly) {}

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
      if (loopsOnly &&
          (rest.empty() || rest.front() == ',' || rest.front() == ')'))
        return true;
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
    if (loopsOnly)
      return error("a loop was expected");
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
  bool loopsOnly; ///< no statements; innermost loops are empty
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
    if (node.children.empty())
      return;
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
  return Parser(text, group, explain, /*loopsOnly=*/false).parse();
}

std::optional<TilingTree>
fusion::parseLoops(StringRef text, const GroupModel &group,
                   llvm::function_ref<void(const Twine &)> explain) {
  if (text.empty())
    return TilingTree();
  return Parser(text, group, explain, /*loopsOnly=*/true).parse();
}

std::string fusion::printTiling(const TilingTree &tree,
                                const GroupModel &group) {
  std::string out;
  printItems(tree, group, out);
  return out;
}
