//===- PlacementSemanticsTest.cpp - Placed trees compute the chain --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trees are executed with tiles of one element: every load must be of the tile
// that its computation uses, every value complete when it is used or stored,
// and what is stored must be the product of the chain.
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/ChainModel.h"
#include "fusion/Search/Space/TilingExpressions.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"
#include <map>

using namespace fusion;

namespace {

using Index = std::vector<int64_t>;

class Interpreter {
public:
  explicit Interpreter(const GroupModel &group)
      : group(group), index(group.axes.size(), 0), memory(group.tensors.size()),
        loaded(group.tensors.size()), stored(group.tensors.size()) {
    for (auto [number, tensor] : llvm::enumerate(group.tensors))
      if (tensor.role == TensorRole::Operand)
        forEach(tensor.axes, [&, number = number] {
          memory[number][at(number)] = next = next * 7 % 101;
        });
    for (const Contraction &contraction : group.contractions) {
      forEach(contraction.axes, [&] {
        expected[contraction.result][at(contraction.result)] +=
            factors(contraction, nullptr);
      });
      memory[contraction.result] = expected[contraction.result];
    }
    for (const Contraction &contraction : group.contractions)
      memory[contraction.result].clear();
  }

  /// What is wrong with the tree, or nothing.
  std::string run(const TilingTree &tree) {
    execute(tree);
    unsigned result = group.contractions.back().result;
    if (error.empty() && stored[result] != expected[result])
      error = "the stored result is wrong";
    return error;
  }

private:
  Index at(unsigned tensor) const {
    Index where;
    for (unsigned axis : group.tensors[tensor].axes)
      where.push_back(index[axis]);
    return where;
  }

  template <typename Visit>
  void forEach(llvm::ArrayRef<unsigned> axes, Visit visit) {
    if (axes.empty())
      return visit();
    for (int64_t &i = index[axes.front()] = 0;
         i < group.axes[axes.front()].extent; ++i)
      forEach(axes.drop_front(), visit);
    index[axes.front()] = 0;
  }

  /// The product of the two operands at the current index.
  int64_t factors(const Contraction &contraction, std::string *why) {
    int64_t result = 1;
    unsigned number = &contraction - group.contractions.data();
    auto take = [&](unsigned tensor) {
      result = result * memory[tensor][at(tensor)] % 1009;
    };
    for (auto [operand, tensor] : llvm::enumerate(group.tensors)) {
      if (tensor.role != TensorRole::Operand || tensor.contraction != number)
        continue;
      take(operand);
      if (why && loaded[operand] != at(operand))
        *why = "operand " + tensor.name + " is not the loaded tile";
    }
    for (std::optional<unsigned> producer : contraction.producer) {
      if (!producer)
        continue;
      unsigned tensor = group.contractions[*producer].result;
      take(tensor);
      if (why && memory[tensor][at(tensor)] != expected[tensor][at(tensor)])
        *why = "value " + group.tensors[tensor].name + " is not complete";
    }
    return result;
  }

  void execute(const TilingTree &items) {
    for (const TilingNode &node : items) {
      if (!error.empty())
        return;
      if (node.isLoop()) {
        for (int64_t &i = index[node.index] = 0;
             i < group.axes[node.index].extent; ++i)
          execute(node.children);
        index[node.index] = 0;
        continue;
      }
      Index where = at(node.index);
      switch (node.kind) {
      case TilingNode::Kind::Load:
        loaded[node.index] = where;
        break;
      case TilingNode::Kind::Compute: {
        const Contraction &contraction =
            group.contractions[group.tensors[node.index].contraction];
        // The first step of the reductions starts from zero.
        bool isOperandA =
            llvm::all_of(contraction.reduction,
                         [&](unsigned axis) { return index[axis] == 0; });
        int64_t sum = isOperandA ? 0 : memory[node.index][where];
        memory[node.index][where] = sum + factors(contraction, &error);
        break;
      }
      case TilingNode::Kind::Store:
        if (!stored[node.index]
                 .try_emplace(where, memory[node.index][where])
                 .second)
          error = "a tile is stored twice";
        break;
      case TilingNode::Kind::Loop:
        break;
      }
    }
  }

  const GroupModel &group;
  Index index;
  std::vector<std::map<Index, int64_t>> memory;
  std::map<unsigned, std::map<Index, int64_t>> expected;
  std::vector<Index> loaded;
  std::vector<std::map<Index, int64_t>> stored;
  int64_t next = 1;
  std::string error;
};

/// Chains whose axes have three tiles or, where `dead` has their bit, one.
GroupModel chain(unsigned contractions, unsigned dead, int64_t batch) {
  ChainShape shape;
  for (unsigned i = 0; i < contractions + 2; ++i)
    shape.sizes.push_back(dead >> i & 1 ? 1 : 3);
  shape.batch = batch;
  return makeChainModel(shape);
}

// All expressions unchanged, with no axis bound to the grid.
TEST(PlacementSemantics, AllExpressionsOfShortChains) {
  for (unsigned contractions : {1, 2, 3})
    for (unsigned dead = 0; dead < 1u << (contractions + 2); ++dead) {
      GroupModel group = chain(contractions, dead, 1);
      llvm::SmallVector<int64_t> tiles(group.axes.size(), 1);
      auto axes = llvm::to_vector(llvm::seq<unsigned>(group.axes.size()));
      auto expressions = listExpressions(group, axes, {});
      ASSERT_TRUE(expressions);
      for (const TilingTree &loops : *expressions)
        for (bool removesDeadLoops : {false, true}) {
          TilingTree tree =
              placeStatements(group, loops, tiles, {}, removesDeadLoops);
          ASSERT_EQ(Interpreter(group).run(tree), "")
              << printTiling(loops, group) << " placed as "
              << printTiling(tree, group);
        }
    }
}

// What is in a block, with the result's loops bound to the grid.
TEST(PlacementSemantics, BoundExpressions) {
  for (auto [contractions, batch] :
       {std::pair(2u, 2), {3u, 1}, {3u, 2}, {4u, 1}})
    for (unsigned dead = 0; dead < 1u << (contractions + 2);
         dead += contractions > 3 ? 5 : 1) {
      GroupModel group = chain(contractions, dead, batch);
      llvm::SmallVector<int64_t> tiles(group.axes.size(), 1);
      auto expressions = listBoundExpressions(group, {});
      ASSERT_TRUE(expressions);
      for (const BoundExpression &expression : *expressions) {
        TilingTree loops = makeNest(expression.blocks);
        TilingTree *body = &loops;
        while (!body->empty())
          body = &body->front().children;
        *body = expression.loops;
        TilingTree tree =
            placeStatements(group, loops, tiles, expression.blocks);
        ASSERT_EQ(Interpreter(group).run(tree), "")
            << printTiling(loops, group) << " placed as "
            << printTiling(tree, group);
      }
    }
}

// That the interpreter notices what it is for.
TEST(PlacementSemantics, WrongTreesAreFound) {
  GroupModel group = chain(2, 0, 1);
  auto run = [&](llvm::StringRef text) {
    auto tree = parseTiling(text, group, [](const llvm::Twine &why) {
      ADD_FAILURE() << why.str();
    });
    return Interpreter(group).run(*tree);
  };
  EXPECT_EQ(run("mh(n(k(LA,LB,CC),LD,CE),SE)"), "");
  EXPECT_EQ(run("mh(n(k(LA,LB,CC,LD,CE)),SE)"), "value C is not complete");
  EXPECT_EQ(run("mh(LA,n(k(LB,CC),LD,CE),SE)"),
            "operand A is not the loaded tile");
  EXPECT_EQ(run("mh(n(k(LA,LB,CC),LD,CE,SE))"), "a tile is stored twice");
  EXPECT_EQ(run("mh(k(LA,h(n(LB,CC))),n(LD,CE),SE)"),
            "value C is not complete");
  EXPECT_EQ(run("m(n(k(LA,LB,CC),h(LD,CE)),SE)"), "the stored result is wrong");
}

} // namespace
