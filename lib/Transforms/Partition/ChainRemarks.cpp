//===- ChainRemarks.cpp - Why chains are as they are ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainRemarks.h"
#include "fusion/Analysis/Groups/Windows.h"
#include "fusion/Support/Remark.h"
#include "fusion/Transforms/Normalize/WindowInlining.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SaveAndRestore.h"
#include <numeric>

using namespace mlir;
using namespace fusion;

static constexpr StringLiteral kCategory = "fuse";

void fusion::remarkIntensity(const GroupAxes &axes, const ChipInfo &chip) {
  for (unsigned i = 0; i < axes.operators.size(); ++i) {
    linalg::LinalgOp op = axes.operators[i];
    std::optional<unsigned> number = axes.contractionOf[i];
    if (!number)
      continue;
    const Contraction &contraction = axes.model.contractions[*number];
    // Contractions whose sizes are known at run time only have no intensity
    // yet.
    if (llvm::any_of(contraction.axes, [&](unsigned axis) {
          return axes.model.axes[axis].isDynamic;
        }))
      continue;
    unsigned bytes = getElementTypeOrSelf(op->getOperand(0).getType())
                         .getIntOrFloatBitWidth() /
                     8;
    double phi = intensity(axes.model, contraction);
    double balance = machineBalance(contraction, std::max(1u, bytes), chip);
    remarkAnalysis(
        op, kCategory, "intensity",
        llvm::formatv("intensity of the contraction is {0:F1} flop per element "
                      "moved, the balance of {1} is {2:F1}: {3}-bound",
                      phi, chip.name, balance,
                      phi < balance ? "memory" : "compute"));
  }
}

void fusion::remarkConvolutions(func::FuncOp function) {
  for (auto op : function.getBody().front().getOps<linalg::LinalgOp>())
    if (std::optional<std::string> why = whyNoContraction(op))
      remarkMissed(op, kCategory, "generic",
                   "runs in the generic form: " + *why);
}

/// Emits a missed or a passed remark, if there was something to decide.
static void remarkEither(Operation *op, bool isMissed, StringRef missed,
                         StringRef passed, const std::string &text) {
  if (text.empty())
    return;
  if (isMissed)
    remarkMissed(op, kCategory, missed, text);
  else
    remarkPassed(op, kCategory, passed, text);
}

/// Returns what links first … last take as separate kernels. A contraction that
/// is recomputed in the window of another one counts as before, computed once.
static SeparateKernels evaluateSeparately(const CandidateSequence &sequence,
                                          const SequencePlan &plan,
                                          unsigned first, unsigned last) {
  SeparateKernels separate;
  std::vector<double> seconds;
  for (unsigned i = first; i <= last; ++i) {
    const Segment &own = plan.part(i, i);
    separate.generic += !own.time;
    seconds.push_back(kernelTime(own));
    // Use the time of both before one was computed at the places of the other's
    // window. By itself the first one would now store each of these places.
    auto apart = sequence.links[i].contraction->getAttrOfType<FloatAttr>(
        kSecondsApartAttrName);
    if (!apart || i == first)
      continue;
    separate.hasWindow = true;
    seconds.back() = apart.getValueAsDouble();
    seconds[i - first - 1] = 0;
  }
  separate.seconds = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return separate;
}

FusedKernel fusion::evaluateFusion(const CandidateSequence &sequence,
                                   const SequencePlan &plan, unsigned first,
                                   unsigned last, bool forceFusion) {
  FusedKernel fused;
  // For all operators of the links: the plan may leave some to stitched groups.
  fused.seconds = kernelTime(plan.part(first, last));
  fused.separate = evaluateSeparately(sequence, plan, first, last);
  fused.cut = plan.costCut(first, last);
  fused.isForced =
      forceFusion &&
      fused.seconds > std::min(fused.separate.seconds, fused.cut.time);
  return fused;
}

/// Describes the prediction for a kernel of several contractions, and for a
/// kernel of each.
static std::string describe(const FusedKernel &fused) {
  const SeparateKernels &separate = fused.separate;
  std::string text = "predicted " + microseconds(fused.seconds);
  if (separate.generic > 0)
    text += llvm::formatv("; separately {0} of them would run in the generic "
                          "form",
                          separate.generic);
  else
    text += llvm::formatv(" against {0} separately",
                          microseconds(separate.seconds));
  if (separate.hasWindow)
    text += ", where what a window reads is computed once and not at each of "
            "the window's places";
  if (!fused.isForced)
    return text;
  if (fused.cut.time < separate.seconds)
    return text + llvm::formatv(" (forced: divided into {0} kernels they are "
                                "predicted {1})",
                                fused.cut.kernels, microseconds(fused.cut.time))
                      .str();
  return text + " (forced)";
}

void fusion::remarkKernel(const CandidateSequence &sequence,
                          const SequencePlan &plan, const Segment &part,
                          unsigned first, unsigned last, bool forceFusion) {
  Operation *op = sequence.links[last].contraction;
  remarkEither(op, part.apart > 0, "not-joined", "joined", part.joins);
  remarkEither(op, part.head > 0, "head-apart", "head", part.heads);
  remarkEither(op, part.isLeft, "border-left", "border", part.borders);
  if (first == last)
    return;
  remarkPassed(op, kCategory, "fused", [&] {
    return llvm::formatv("fused {0} contractions into one kernel: {1}",
                         last - first + 1,
                         describe(evaluateFusion(sequence, plan, first, last,
                                                 forceFusion)))
        .str();
  });
}

/// Explains why the plan divides a sequence where a legal kernel would have
/// included the next contraction.
static std::string explainCut(const SequencePlan &plan, const Segment &part,
                              const Segment &joined, const Segment &next,
                              SequencePlan::Cost with, bool forceFusion) {
  if (forceFusion) {
    // Whatever is legal is fused: the fewest kernels decide, then time.
    unsigned kernels = plan.cost().kernels;
    if (with.kernels > kernels)
      return llvm::formatv(
          "with others the candidate sequence makes {0} kernels divided here, "
          "{1} if the two are fused",
          kernels, with.kernels);
    return llvm::formatv("the candidate sequence makes {0} kernels either way, "
                         "and is predicted {1} divided here against {2}",
                         kernels, microseconds(plan.cost().time),
                         microseconds(with.time));
  }
  double apart = kernelTime(part) + kernelTime(next);
  if (kernelTime(joined) < apart)
    return llvm::formatv("the two are predicted {0} fused against {1} "
                         "separately, but with others the candidate sequence "
                         "is better divided here, {2} in all against {3}",
                         microseconds(kernelTime(joined)), microseconds(apart),
                         microseconds(plan.cost().time),
                         microseconds(with.time));
  std::string text = llvm::formatv(
      "predicted {0} fused against {1} separately; the fused "
      "kernel is bound by {2}",
      microseconds(kernelTime(joined)), microseconds(apart), joined.bound);
  // Operators that have kernels of their own on one side are in the other one's
  // kernel.
  if (double others = joined.apart + joined.head; others > 0)
    return text + llvm::formatv(" and takes {0}, kernels of what does not go "
                                "into it the other {1}",
                                microseconds(*joined.time),
                                microseconds(others))
                      .str();
  if (part.apart + part.head + next.apart + next.head > 0)
    return text;
  return text + llvm::formatv(", computes {0:F1} times the flops and moves "
                              "{1:F1} times the bytes",
                              joined.flops / (part.flops + next.flops),
                              joined.bytes / (part.bytes + next.bytes))
                    .str();
}

void fusion::remarkCut(const CandidateSequence &sequence, SequencePlan &plan,
                       const Segment &part, unsigned first, unsigned last,
                       bool forceFusion) {
  // Runs a full search only for the numbers of the remark.
  remarkMissed(
      sequence.links[last + 1].contraction, kCategory, "not-fused", [&] {
        const Segment &joined = plan.exactSegment(first, last + 1);
        std::string why = joined.reason;
        if (joined.time)
          why = explainCut(plan, part, joined, plan.part(last + 1, last + 1),
                           plan.costWith(first, last + 1), forceFusion);
        return "not fused with the contraction before it: " + why;
      });
}

void fusion::remarkNeighbours(const Segment &part, StitchNeighbours &neighbours,
                              ChainEvaluator &evaluator) {
  llvm::SaveAndRestore<bool> silent(evaluator.explains, false);
  auto explain = [&](linalg::LinalgOp op) {
    CandidateSequence::Operators all = part.operators;
    all.push_back(op);
    llvm::sort(all, [](linalg::LinalgOp a, linalg::LinalgOp b) {
      return a->isBeforeInBlock(b);
    });
    Segment joined = evaluator.predict(all, /*isSingle=*/false);
    std::string why = joined.reason;
    if (joined.time && joined.operators.size() == all.size())
      why = llvm::formatv(
          "predicted {0} in the chain's kernel against {1} apart",
          microseconds(*joined.time),
          microseconds(*part.time + neighbours.predict(op).value_or(0)));
    else if (why.empty())
      why = "it needs what another kernel makes of the chain's values";
    return "not in the kernel of the chain next to it: " + why;
  };
  for (linalg::LinalgOp op : neighbours.next(part.operators))
    remarkMissed(op, kCategory, "not-in-chain", [&] { return explain(op); });
}

void fusion::remarkGeneric(const CandidateSequence &sequence,
                           const Segment &part, unsigned last) {
  remarkMissed(sequence.links[last].contraction, kCategory, "generic",
               "runs in the generic form: " + part.reason);
}
