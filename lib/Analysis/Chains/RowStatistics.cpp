//===- RowStatistics.cpp - Reductions before contractions of a group ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of a prologue compute statistics of the rows of a contraction's
// operand, along the axis that the contraction sums over. Examples are the
// statistics of a normalization, and the maximum and the sum of a softmax whose
// scores are an input.
//
//===----------------------------------------------------------------------===//

#include "ChainReader.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"

using namespace mlir;
using namespace fusion;

/// Returns how many reductions of a prologue follow each other up to an
/// operator, itself included.
unsigned ChainReader::levelOf(unsigned op) {
  if (levels[op])
    return *levels[op];
  unsigned level = 0;
  for (Value input : group.operators[op].getDpsInputs())
    if (std::optional<unsigned> from = definer(input); from && precedes[*from])
      level = std::max(level, levelOf(*from));
  level += group.reductionOf[op].has_value();
  levels[op] = level;
  return level;
}

/// Checks that an operator computes row statistics: it reduces the axis that
/// the contraction sums over, and leaves a value for each row.
LogicalResult ChainReader::checkRows(unsigned op) {
  auto [number, operand] = *precedes[op];
  const Contraction &contraction = group.model.contractions[number];
  const Reduction &reduction = group.model.reductions[*group.reductionOf[op]];
  if (contraction.reduction.size() != 1 ||
      ArrayRef<unsigned>(reduction.reduced) !=
          ArrayRef<unsigned>(contraction.reduction))
    return decline("a reduction of a contraction's prologue is along other "
                   "axes than the contraction sums over");
  for (unsigned axis : operand == 0 ? contraction.lhsAxes : contraction.rhsAxes)
    if (!llvm::is_contained(reduction.axes, axis))
      return decline("a reduction of a contraction's prologue has no value for "
                     "each row of the contraction's operand");
  return success();
}

LogicalResult ChainReader::collectPasses() {
  auto &passes = group.model.rowStatistics;
  group.statisticsOf.resize(group.operators.size());
  levels.resize(group.operators.size());
  // By contraction, operand and level.
  auto passAt = [&](unsigned contraction, unsigned number,
                    unsigned level) -> std::optional<unsigned> {
    for (auto [index, pass] : llvm::enumerate(passes))
      if (pass.contraction == contraction && pass.operandNumber == number &&
          --level == 0)
        return index;
    return std::nullopt;
  };
  SmallVector<std::pair<std::pair<unsigned, unsigned>, unsigned>> ordered;
  for (unsigned op = 0; op < group.operators.size(); ++op)
    if (precedes[op] && group.reductionOf[op]) {
      if (failed(checkRows(op)))
        return failure();
      ordered.push_back({*precedes[op], levelOf(op)});
    }
  llvm::sort(ordered);
  ordered.erase(llvm::unique(ordered), ordered.end());
  for (auto [place, level] : ordered) {
    RowStatistics &pass = passes.emplace_back();
    std::tie(pass.contraction, pass.operandNumber) = place;
    pass.axis = group.model.contractions[pass.contraction].reduction.front();
  }
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (!precedes[index] || levelOf(index) == 0)
      continue;
    auto [contraction, number] = *precedes[index];
    unsigned level = levelOf(index);
    std::optional<unsigned> at = passAt(contraction, number, level);
    bool hasAxis =
        at && llvm::is_contained(group.loops[index], passes[*at].axis);
    if (!at || (hasAxis && !group.reductionOf[index]))
      continue;
    RowStatistics &pass = passes[*at];
    group.statisticsOf[index] = *at;
    if (std::optional<unsigned> reduction = group.reductionOf[index]) {
      pass.reductions.push_back(*reduction);
      group.model.reductions[*reduction].pass = *at;
      pass.perPoint += countScalarWork(op, /*isInChain=*/true);
    } else {
      pass.perRow += countScalarWork(op, /*isInChain=*/true);
    }
  }
  // The operands of the reductions, with the operators that compute them.
  for (unsigned index = 0; index < passes.size(); ++index) {
    RowStatistics &pass = passes[index];
    SmallVector<unsigned> pending;
    llvm::SmallDenseSet<unsigned> seen;
    for (auto [op, own] : llvm::enumerate(group.statisticsOf))
      if (own == index)
        pending.push_back(op);
    auto read = [&](unsigned tensor) {
      if (!llvm::is_contained(pass.reads, tensor))
        pass.reads.push_back(tensor);
    };
    while (!pending.empty()) {
      unsigned op = pending.pop_back_val();
      linalg::LinalgOp linalgOp = group.operators[op];
      if (!seen.insert(op).second)
        continue;
      if (!group.statisticsOf[op])
        pass.perPoint += countScalarWork(linalgOp, /*isInChain=*/true);
      for (Value input : linalgOp.getDpsInputs()) {
        std::optional<unsigned> from = definer(input);
        // Other row statistics are computed already.
        if (from && !group.statisticsOf[*from])
          pending.push_back(*from);
        else if (auto it = group.tensorOf.find(input);
                 !from && it != group.tensorOf.end())
          read(it->second);
      }
    }
    llvm::sort(pass.reads);
    const Reduction &first = group.model.reductions[pass.reductions.front()];
    GroupTensor rows;
    rows.role = TensorRole::Rows;
    rows.contraction = pass.contraction;
    rows.operandNumber = pass.operandNumber;
    rows.axes.assign(first.axes.begin(), first.axes.end());
    rows.elementBytes = first.elementBytes;
    rows.alignment = 0;
    pass.rows = group.model.tensors.size();
    group.model.tensors.push_back(std::move(rows));
    group.values.push_back(Value());
    group.finalValues.push_back(Value());
  }
  return success();
}

/// Row statistics may load their operands in a prepass of their own: adds a
/// tensor for each of these loads.
void ChainReader::prefetchLoad() {
  for (auto [index, pass] : llvm::enumerate(group.model.rowStatistics))
    for (unsigned tensor : pass.reads) {
      GroupTensor own = group.model.tensors[tensor];
      own.pass = index;
      own.sharedBy.clear();
      own.name += std::to_string(index + 1);
      pass.prepassReads.push_back(group.model.tensors.size());
      group.model.tensors.push_back(std::move(own));
      group.values.push_back(group.values[tensor]);
      group.finalValues.push_back(group.finalValues[tensor]);
    }
}
