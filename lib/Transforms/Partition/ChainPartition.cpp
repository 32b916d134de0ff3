//===- ChainPartition.cpp - Chains of a function --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainPartition.h"
#include "ChainRemarks.h"
#include "SharedPrologues.h"
#include "fusion/Support/Remark.h"
#include "fusion/Transforms/Partition/GroupBuilder.h"
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
        evaluator(function.getContext(), chip, forceFusion, options.skipMasked,
                  memo) {}

  std::vector<ChainKernel> run() {
    remarkConvolutions(function);
    for (SharedPrologue &head : SharedPrologue::find(function))
      distribute(head);
    // Operators that do not join are a candidate sequence of their own.
    llvm::SmallPtrSet<Operation *, 16> tried;
    while (true) {
      std::vector<CandidateSequence> rows =
          collectCandidateSequences(function, tried);
      bool isApart = false;
      if (options.explorer && !rows.empty() && !neighbours)
        neighbours.emplace(function, chip, *options.explorer);
      for (const CandidateSequence &sequence : rows)
        claim(sequence);
      for (CandidateSequence &sequence : rows) {
        for (const CandidateSequence::Link &link : sequence.links)
          tried.insert(link.contraction);
        isApart |= partition(sequence);
      }
      if (!isApart)
        return std::move(kernels);
    }
  }

private:
  double predict(const SharedPrologue &head);
  void distribute(SharedPrologue &head);
  Segment compete(const CandidateSequence &sequence, unsigned first,
                  unsigned last, const Segment &part);
  void claim(const CandidateSequence &sequence);
  /// Returns whether contractions that could have joined did not.
  bool partition(CandidateSequence &sequence);

  func::FuncOp function;
  const ChipInfo &chip;
  const ChainPartitionOptions &options;
  bool forceFusion;
  ChainEvaluator evaluator;
  std::optional<StitchNeighbours> neighbours;
  std::vector<ChainKernel> kernels;
};

} // namespace

/// Returns the predicted seconds of the kernels of the contractions that read a
/// shared prologue, each alone, and of the operators that none of these kernels
/// includes.
double Partitioner::predict(const SharedPrologue &head) {
  llvm::SaveAndRestore<bool> silent(evaluator.explains, false);
  llvm::SmallPtrSet<Operation *, 16> taken;
  double time = 0;
  for (CandidateSequence &sequence : collectCandidateSequences(function))
    for (unsigned i = 0; i < sequence.links.size(); ++i) {
      CandidateSequence::Operators operators = sequence.operators(
          i, i, /*all=*/true, /*joined=*/true, /*heads=*/true);
      taken.insert_range(operators);
      if (llvm::none_of(head.contractions(), [&](linalg::LinalgOp contraction) {
            return llvm::is_contained(operators, contraction);
          }))
        continue;
      Segment part = evaluator.predict(sequence, i, i);
      time += kernelTime(part);
    }
  for (linalg::LinalgOp op : head.all())
    if (!taken.contains(op))
      time += evaluator.predictAlone(op);
  return time;
}

/// Lets each contraction behind a shared prologue recompute it, if that is
/// predicted to be faster.
void Partitioner::distribute(SharedPrologue &head) {
  double shared = predict(head);
  head.copy(evaluator.rewriter);
  double own = predict(head);
  linalg::LinalgOp last = head.contractions().back();
  std::string numbers = llvm::formatv(
      "predicted {0} with copies of their own against {1} with kernels for it",
      microseconds(own), microseconds(shared));
  unsigned readers = head.contractions().size();
  if (own <= shared || forceFusion) {
    remarkPassed(last, "fuse", "head-copied",
                 llvm::formatv("each of {0} contractions recomputes their "
                               "common prologue: {1}{2}",
                               readers, numbers,
                               own <= shared ? "" : " (forced)"));
    return;
  }
  remarkMissed(last, "fuse", "head-shared",
               llvm::formatv("kernels of its own compute the common prologue "
                             "of {0} contractions: {1}",
                             readers, numbers));
  head.join(evaluator.rewriter);
}

static CandidateSequence::Operators allOf(const CandidateSequence &sequence) {
  return sequence.operators(0, sequence.links.size() - 1, /*all=*/true,
                            /*joined=*/true,
                            /*heads=*/true);
}

/// Decides between a segment and the stitched groups next to it, which could
/// include its epilogue or its prologue. These operators go where they save
/// more time. Returns the segment that is best for both.
Segment Partitioner::compete(const CandidateSequence &sequence, unsigned first,
                             unsigned last, const Segment &part) {
  if (!neighbours || !part.time)
    return part;
  const CandidateSequence::Link &front = sequence.links[first],
                                &end = sequence.links[last];
  CandidateSequence::Operators before = front.head;
  llvm::append_range(before, front.before);
  CandidateSequence::Operators far;
  for (linalg::LinalgOp op : end.after)
    if (!llvm::is_contained(end.directlyAfter, op))
      far.push_back(op);
  CandidateSequence::Operators both = before;
  llvm::append_range(both, end.after);
  Segment best = part;
  double least = std::numeric_limits<double>::infinity();
  for (const CandidateSequence::Operators &list :
       {far, CandidateSequence::Operators(end.after), front.head, before,
        both}) {
    CandidateSequence::Operators rest, given;
    for (linalg::LinalgOp op : part.operators)
      (llvm::is_contained(list, op) ? given : rest).push_back(op);
    // If no stitched group could include them, there is nothing to decide.
    if (given.empty() || neighbours->next(given).empty())
      continue;
    Segment smaller = evaluator.predict(rest, /*isSingle=*/false);
    if (!smaller.time)
      continue;
    given.clear();
    for (linalg::LinalgOp op : part.operators)
      if (!llvm::is_contained(smaller.operators, op))
        given.push_back(op);
    std::optional<StitchNeighbours::Seconds> others =
        neighbours->predict(given);
    if (!others)
      continue;
    double inside = *part.time + others->without,
           outside = *smaller.time + others->with;
    if (outside - inside >= least)
      continue;
    least = outside - inside;
    bool isLeft = outside < inside && !forceFusion;
    if (isLeft) {
      static_cast<PredictedCost &>(best) = smaller;
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

void Partitioner::claim(const CandidateSequence &sequence) {
  if (neighbours)
    neighbours->claim(allOf(sequence));
}

bool Partitioner::partition(CandidateSequence &sequence) {
  SequencePlan plan(sequence, evaluator, forceFusion);
  // The kernels of other sequences and segments compete with no stitched group.
  if (neighbours)
    neighbours->release(allOf(sequence));
  if (neighbours)
    for (auto [first, last] : plan.kernels())
      neighbours->claim(plan.part(first, last).operators);
  bool isApart = false;
  for (auto [first, last] : plan.kernels()) {
    const Segment part = compete(sequence, first, last, plan.part(first, last));
    isApart |= part.apart > 0;
    remarkKernel(sequence, plan, part, first, last, forceFusion);
    if (last + 1 < sequence.links.size())
      remarkCut(sequence, plan, part, first, last, forceFusion);
    if (!part.time) {
      remarkGeneric(sequence, part, last);
      continue;
    }
    if (neighbours)
      remarkNeighbours(part, *neighbours, evaluator);
    auto group = buildGroup<fuse::ChainOp>(evaluator.rewriter, part.operators);
    adoptGroup(evaluator.rewriter, group, part.operators);
    FusedKernel fused =
        evaluateFusion(sequence, plan, first, last, forceFusion);
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
