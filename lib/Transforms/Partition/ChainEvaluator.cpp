//===- ChainEvaluator.cpp - Predicted time of segments --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainEvaluator.h"
#include "ChainRemarks.h"
#include "TrialChain.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Support/ElementBytes.h"
#include "fusion/Support/StepAction.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;

std::string fusion::microseconds(double seconds) {
  return llvm::formatv("{0:F2} us", seconds * 1e6).str();
}

double ChainEvaluator::predictAlone(linalg::LinalgOp op) const {
  int64_t bytes = 0;
  for (Value value : op->getOperands())
    if (auto type = dyn_cast<ShapedType>(value.getType());
        type && type.hasStaticShape())
      bytes += type.getNumElements() * elementBytes(type);
  return predictStreaming(bytes, chip);
}

Segment ChainEvaluator::predict(const CandidateSequence &sequence,
                                unsigned first, unsigned last) {
  if (!sequence.hasHead(first, last))
    return predict(sequence, first, last, /*heads=*/false);
  Segment with = predict(sequence, first, last, /*heads=*/true),
          without = predict(sequence, first, last, /*heads=*/false);
  for (unsigned i = first; i <= last; ++i)
    for (linalg::LinalgOp op : sequence.links[i].head)
      without.head += predictAlone(op);
  if (!with.time) {
    without.heads = "the reductions of the contraction's prologue are kernels "
                    "of their own: " +
                    with.reason;
    return without;
  }
  double separate =
      without.time.value_or(kGenericSeconds) + without.apart + without.head;
  bool pays = *with.time + with.apart <= separate;
  std::string numbers = llvm::formatv(
      "predicted {0} together against {1} apart",
      microseconds(*with.time + with.apart), microseconds(separate));
  with.heads =
      "the reductions of the contraction's prologue are in its kernel: " +
      numbers + (pays ? "" : " (forced)");
  without.heads = "the reductions of the contraction's prologue are kernels of "
                  "their own: " +
                  numbers;
  return pays || forceFusion ? with : without;
}

Segment ChainEvaluator::predict(const CandidateSequence &sequence,
                                unsigned first, unsigned last, bool heads) {
  if (!sequence.hasJoined(first, last))
    return predict(sequence, first, last, /*joined=*/false, heads);
  Segment joined = predict(sequence, first, last, /*joined=*/true, heads),
          apart = predict(sequence, first, last, /*joined=*/false, heads);
  for (unsigned i = first; i <= last; ++i) {
    CandidateSequence::Operators operators = sequence.links[i].joined;
    if (operators.empty())
      continue;
    llvm::sort(operators, [](linalg::LinalgOp a, linalg::LinalgOp b) {
      return a->isBeforeInBlock(b);
    });
    apart.apart +=
        predict(operators, /*isSingle=*/false).time.value_or(kGenericSeconds);
  }
  if (!joined.time) {
    apart.joins = "not joined with the contractions whose values it meets: " +
                  joined.reason;
    return apart;
  }
  double separate = apart.time.value_or(kGenericSeconds) + apart.apart;
  bool pays = *joined.time <= separate;
  std::string numbers =
      llvm::formatv("predicted {0} joined against {1} apart",
                    microseconds(*joined.time), microseconds(separate));
  joined.joins =
      "joined with the contractions whose values it meets: " + numbers +
      (pays ? "" : " (forced)");
  apart.joins =
      "not joined with the contractions whose values it meets: " + numbers;
  return pays || forceFusion ? joined : apart;
}

Segment ChainEvaluator::predict(const CandidateSequence &sequence,
                                unsigned first, unsigned last, bool joined,
                                bool heads) {
  // Contractions are explained once.
  bool isSingle = first == last &&
                  (joined || !sequence.hasJoined(first, last)) &&
                  heads == sequence.hasHead(first, last);
  Segment part = predict(
      sequence.operators(first, last, /*all=*/true, joined, heads), isSingle);
  if (part.time)
    return part;
  Segment less =
      predict(sequence.operators(first, last, /*all=*/false, joined, heads),
              isSingle && !part.isChain);
  if (!less.time)
    less.reason = part.reason;
  return less;
}

/// Returns the operators that can be one group. An operator is left out if it
/// depends, through operators outside of the group, on values of the group; so
/// are operators that only such an operator reads. Sets `reason` if a
/// contraction is left out.
static CandidateSequence::Operators
withoutWaysBack(ArrayRef<linalg::LinalgOp> operators, std::string &reason) {
  llvm::SmallPtrSet<Operation *, 8> inside, behind;
  for (linalg::LinalgOp op : operators)
    inside.insert(op);
  linalg::LinalgOp first = operators.front(), last = operators.back();
  bool isCut = false;
  for (Operation &op : llvm::make_range(Block::iterator(first),
                                        std::next(Block::iterator(last)))) {
    llvm::SetVector<Value> read = valuesReadBy(op);
    auto isOf = [&](const llvm::SmallPtrSetImpl<Operation *> &set) {
      return llvm::any_of(read, [&](Value value) {
        return set.contains(value.getDefiningOp());
      });
    };
    if (!isOf(behind) && (inside.contains(&op) || !isOf(inside)))
      continue;
    behind.insert(&op);
    if (!inside.erase(&op))
      continue;
    isCut = true;
    if (auto contraction = dyn_cast<linalg::LinalgOp>(op);
        isContraction(contraction))
      reason = "it needs what an operator outside of the group makes of the "
               "group's values";
  }
  CandidateSequence::Operators rest;
  for (linalg::LinalgOp op : llvm::reverse(operators)) {
    if (!inside.contains(op))
      continue;
    if (isCut && !isContraction(op) && !op->use_empty() &&
        llvm::all_of(op->getUsers(),
                     [&](Operation *user) { return behind.contains(user); })) {
      // Makes values operands of the group instead, if the operators that
      // compute them are read only by operators outside; or makes them further
      // results.
      bool isOperand = llvm::none_of(op.getDpsInputs(), [&](Value value) {
        return inside.contains(value.getDefiningOp());
      });
      if (isOperand) {
        behind.insert(op);
        continue;
      }
    }
    rest.push_back(op);
  }
  return {rest.rbegin(), rest.rend()};
}

PredictedCost ChainEvaluator::search(TrialChain &chain) {
  SearchOptions options;
  options.skipMasked = skipMasked;
  options.isRough = isRough;
  const SearchMemo::Entry &entry = chain.search(memo, chip, options);
  PredictedCost cost;
  cost.reason = entry.reason;
  if (const std::optional<SearchResult> &found = entry.found) {
    cost.time = found->cost.total;
    cost.bound = found->cost.bound();
    cost.flops = found->footprint.mmaFlops;
    cost.bytes =
        found->footprint.globalLoadBytes + found->footprint.globalStoreBytes;
  }
  return cost;
}

Segment ChainEvaluator::predict(CandidateSequence::Operators operators,
                                bool isSingle) {
  Segment part;
  if (!goesOn(rewriter.getContext())) {
    part.reason = "stopped";
    return part;
  }
  operators = withoutWaysBack(operators, part.reason);
  if (!part.reason.empty())
    return part;
  TrialChain chain(rewriter, operators);
  part.operators = std::move(operators);
  if (!chain.axes()) {
    part.reason = chain.reason();
    return part;
  }
  part.isChain = true;
  part.isRough = isRough;
  part.contractions = chain.axes()->model.contractions.size();
  static_cast<PredictedCost &>(part) = search(chain);
  if (isSingle && explains)
    remarkIntensity(*chain.axes(), chip);
  return part;
}
