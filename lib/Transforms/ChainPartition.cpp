//===- ChainPartition.cpp - Chains of a function --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainPartition.h"
#include "ChainRemarks.h"
#include "SharedHeads.h"
#include "fusion/Support/Remark.h"
#include "fusion/Transforms/GroupBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusion;

namespace {

class Partitioner {
public:
  Partitioner(func::FuncOp function, const ChipInfo &chip,
              const ChainPartitionOptions &options, SearchMemo &memo)
      : function(function), chip(chip), options(options),
        forceFusion(options.forceFusion),
        pricer(function.getContext(), chip, forceFusion, options.skipMasked,
               memo) {}

  std::vector<ChainKernel> run() {
    remarkConvolutions(function);
    for (SharedHead &head : SharedHead::find(function))
      distribute(head);
    // What does not join is a row of its own.
    llvm::SmallPtrSet<Operation *, 16> tried;
    while (true) {
      std::vector<ChainRow> rows = collectChainRows(function, tried);
      bool isApart = false;
      if (options.explorer && !rows.empty() && !neighbours)
        neighbours.emplace(function, chip, *options.explorer);
      for (const ChainRow &row : rows)
        claim(row);
      for (ChainRow &row : rows) {
        for (const ChainRow::Link &link : row.links)
          tried.insert(link.product);
        isApart |= partition(row);
      }
      if (!isApart)
        return std::move(kernels);
    }
  }

private:
  double price(const SharedHead &head);
  void distribute(SharedHead &head);
  Part compete(const ChainRow &row, unsigned first, unsigned last,
               const Part &part);
  void claim(const ChainRow &row);
  /// Returns whether products that could have joined did not.
  bool partition(ChainRow &row);

  func::FuncOp function;
  const ChipInfo &chip;
  const ChainPartitionOptions &options;
  bool forceFusion;
  ChainPricer pricer;
  std::optional<StitchNeighbours> neighbours;
  std::vector<ChainKernel> kernels;
};

} // namespace

/// The kernels of the products behind a head, each by itself, and of operators
/// that none of them takes in.
double Partitioner::price(const SharedHead &head) {
  llvm::SaveAndRestore<bool> silent(pricer.explains, false);
  llvm::SmallPtrSet<Operation *, 16> taken;
  double time = 0;
  for (ChainRow &row : collectChainRows(function))
    for (unsigned i = 0; i < row.links.size(); ++i) {
      ChainRow::Operators operators =
          row.operators(i, i, /*all=*/true, /*joined=*/true, /*heads=*/true);
      taken.insert_range(operators);
      if (llvm::none_of(head.products(), [&](linalg::LinalgOp product) {
            return llvm::is_contained(operators, product);
          }))
        continue;
      Part part = pricer.price(row, i, i);
      time += kernelTime(part);
    }
  for (linalg::LinalgOp op : head.all())
    if (!taken.contains(op))
      time += pricer.priceAlone(op);
  return time;
}

/// Lets each product behind a head compute it for itself where that pays.
void Partitioner::distribute(SharedHead &head) {
  double shared = price(head);
  head.copy(pricer.rewriter);
  double own = price(head);
  linalg::LinalgOp last = head.products().back();
  std::string numbers = llvm::formatv(
      "predicted {0} with copies of their own against {1} with kernels for it",
      microseconds(own), microseconds(shared));
  std::string what = llvm::formatv("what {0} products have in front of them",
                                   head.products().size());
  if (own <= shared || forceFusion) {
    remarkPassed(last, "fuse", "head-copied",
                 "each computes for itself " + what + ": " + numbers +
                     (own <= shared ? "" : " (forced)"));
    return;
  }
  remarkMissed(last, "fuse", "head-shared",
               "kernels of its own compute " + what + ": " + numbers);
  head.join(pricer.rewriter);
}

static ChainRow::Operators allOf(const ChainRow &row) {
  return row.operators(0, row.links.size() - 1, /*all=*/true, /*joined=*/true,
                       /*heads=*/true);
}

/// What stitched groups next to a part could have of it: what follows the last
/// product, or what stands in front of the first, goes to whom it saves more.
Part Partitioner::compete(const ChainRow &row, unsigned first, unsigned last,
                          const Part &part) {
  if (!neighbours || !part.time)
    return part;
  const ChainRow::Link &front = row.links[first], &end = row.links[last];
  ChainRow::Operators before = front.head;
  llvm::append_range(before, front.before);
  ChainRow::Operators far;
  for (linalg::LinalgOp op : end.after)
    if (!llvm::is_contained(end.directlyAfter, op))
      far.push_back(op);
  ChainRow::Operators both = before;
  llvm::append_range(both, end.after);
  Part best = part;
  double least = std::numeric_limits<double>::infinity();
  for (const ChainRow::Operators &list :
       {far, ChainRow::Operators(end.after), front.head, before, both}) {
    ChainRow::Operators rest, given;
    for (linalg::LinalgOp op : part.operators)
      (llvm::is_contained(list, op) ? given : rest).push_back(op);
    // Where nobody else could have them there is nothing to decide.
    if (given.empty() || neighbours->next(given).empty())
      continue;
    Part smaller = pricer.price(rest, /*isSingle=*/false);
    if (!smaller.time)
      continue;
    given.clear();
    for (linalg::LinalgOp op : part.operators)
      if (!llvm::is_contained(smaller.operators, op))
        given.push_back(op);
    std::optional<StitchNeighbours::Seconds> others = neighbours->price(given);
    if (!others)
      continue;
    double inside = *part.time + others->without,
           outside = *smaller.time + others->with;
    if (outside - inside >= least)
      continue;
    least = outside - inside;
    bool isLeft = outside < inside && !forceFusion;
    if (isLeft) {
      static_cast<Price &>(best) = smaller;
      best.operators = smaller.operators;
    }
    best.isLeft = isLeft;
    best.borders = llvm::formatv(
        "{0} operators next to stitched groups are {1}: predicted {2} for the "
        "chain and the groups around with them in the chain, {3} with them in "
        "the groups",
        given.size(), isLeft ? "left to these" : "the chain's",
        microseconds(inside), microseconds(outside));
    if (outside < inside && !isLeft)
      best.borders += " (forced)";
  }
  if (best.isLeft)
    for (linalg::LinalgOp op : part.operators)
      if (!llvm::is_contained(best.operators, op))
        neighbours->release(op);
  return best;
}

void Partitioner::claim(const ChainRow &row) {
  if (neighbours)
    neighbours->claim(allOf(row));
}

bool Partitioner::partition(ChainRow &row) {
  RowPlan plan(row, pricer, forceFusion);
  // What the kernels of other rows and parts have is nobody's neighbour.
  if (neighbours)
    neighbours->release(allOf(row));
  if (neighbours)
    for (auto [first, last] : plan.kernels())
      neighbours->claim(plan.part(first, last).operators);
  bool isApart = false;
  for (auto [first, last] : plan.kernels()) {
    const Part part = compete(row, first, last, plan.part(first, last));
    isApart |= part.apart > 0;
    remarkKernel(row, plan, part, first, last, forceFusion);
    if (last + 1 < row.links.size())
      remarkCut(row, plan, part, first, last, forceFusion);
    if (!part.time) {
      remarkGeneric(row, part, last);
      continue;
    }
    if (neighbours)
      remarkNeighbours(part, *neighbours, pricer);
    auto group = buildGroup<fuse::ChainOp>(pricer.rewriter, part.operators);
    adoptGroup(pricer.rewriter, group, part.operators);
    FusedKernel fused = rateFusion(row, plan, first, last, forceFusion);
    kernels.push_back({group, last + 1 - first, *part.time,
                       fused.separate.seconds, fused.separate.generic == 0,
                       fused.isForced});
  }
  return isApart;
}

std::vector<ChainKernel>
fusion::partitionChains(func::FuncOp function, const ChipInfo &chip,
                        const ChainPartitionOptions &options,
                        SearchMemo &memo) {
  return Partitioner(function, chip, options, memo).run();
}
