//===- StitchRemarks.cpp - What is said of stitched kernels ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchRemarks.h"
#include "fusion/Support/Remark.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;

static std::string microseconds(double seconds) {
  return llvm::formatv("{0:F2} us", seconds * 1e6).str();
}

static std::string bytesInRegisters(double bytes) {
  return llvm::formatv("{0} bytes", int64_t(bytes)).str();
}

std::string fusion::placeOf(Operation *op) {
  if (auto at = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return llvm::formatv("line {0}", at.getLine()).str();
  return op->getName().getStringRef().str();
}

void StitchRemarks::ofKernels(const StitchPlan &plan) {
  for (const StitchPattern &pattern : plan.patterns) {
    Operation *op = graph.operations[pattern.back()];
    if (!isa<linalg::LinalgOp>(op))
      continue;
    if (pattern.size() == 1) {
      remarkMissed(
          op, "fuse", "alone",
          op->getName().getStringRef() +
              " becomes a kernel of its own: " + howAlone(pattern.front()));
      continue;
    }
    double apart = 0, bytes = 0;
    for (unsigned vertex : pattern) {
      apart += judge.predict(vertex).seconds.value_or(0);
      bytes += delta.compulsoryBytes(vertex);
    }
    std::optional<double> together = judge.known(pattern);
    bool isForced = together && *together > apart;
    remarkPassed(
        op, "fuse", "stitched",
        llvm::formatv("stitched {0} operators into one kernel: predicted "
                      "{1} against {2} apart{3}; it moves {4} instead of {5}",
                      pattern.size(), microseconds(together.value_or(0)),
                      microseconds(apart), isForced ? " (forced)" : "",
                      bytesInRegisters(delta.compulsoryBytes(pattern)),
                      bytesInRegisters(bytes)));
  }
}

SmallVector<unsigned> StitchRemarks::makersOf(unsigned vertex) const {
  SmallVector<unsigned> makers, pending = {vertex};
  while (!pending.empty())
    for (const OperatorGraph::Input &input :
         graph.graph.vertices[pending.pop_back_val()].inputs)
      (isView(input.vertex) ? pending : makers).push_back(input.vertex);
  return makers;
}

/// Describes why an operator is in no kernel with others.
std::string StitchRemarks::howAlone(unsigned vertex) const {
  auto isProduct = [&](unsigned other) {
    return graph.graph.vertices[other].isForeign && !isView(other);
  };
  SmallVector<unsigned> makers = makersOf(vertex);
  ArrayRef<unsigned> readers = delta.consumers(vertex);
  bool hasContraction =
      llvm::any_of(makers, isProduct) || llvm::any_of(readers, isProduct);
  std::string said =
      hasContraction ? "no contraction next to it takes it in" : std::string();
  if (!graph.whyAlone[vertex].empty())
    said += (said.empty() ? "" : ", and ") +
            ("it is not stitched: " + graph.whyAlone[vertex]);
  else if (!llvm::all_of(makers, isProduct) ||
           !llvm::all_of(readers, isProduct))
    said += (said.empty() ? "" : ", and ") +
            std::string("it is not stitched with the operators next to it, as "
                        "is said there");
  return said.empty()
             ? "no other operator makes what it reads or reads what it makes"
             : said;
}

/// Describes why two kernels are separate of which one reads the other's
/// values, or both read the same.
std::string StitchRemarks::whyApart(ArrayRef<unsigned> maker,
                                    ArrayRef<unsigned> reader,
                                    bool sharesOnly) {
  StitchPattern both(maker);
  llvm::append_range(both, reader);
  llvm::sort(both);
  both.erase(llvm::unique(both), both.end());
  double bytes = delta.compulsoryBytes(maker) + delta.compulsoryBytes(reader) -
                 delta.compulsoryBytes(both);
  // Sizes may be unknown, or values may be read through views.
  std::string gain = "one kernel would save " +
                     (bytes > 0 ? bytesInRegisters(bytes) + " and " : "") +
                     "a launch of " + microseconds(chip.launchOverhead) +
                     ", but ";
  for (ArrayRef<unsigned> side : {maker, reader})
    for (unsigned vertex : side) {
      if (graph.graph.vertices[vertex].isForeign &&
          isa<linalg::LinalgOp>(graph.operations[vertex]))
        return gain + "the contraction of " +
               placeOf(graph.operations[vertex]) + " runs in the generic form";
      if (graph.graph.vertices[vertex].isForeign)
        return gain + "the kernels of contractions are formed first, and this "
                      "one did not take it in";
      if (!graph.whyAlone[vertex].empty())
        return gain + "there is no tile program for " +
               placeOf(graph.operations[vertex]) + ": " +
               graph.whyAlone[vertex];
    }
  if (!sharesOnly && llvm::none_of(reader, [&](unsigned vertex) {
        return llvm::any_of(graph.graph.vertices[vertex].inputs,
                            [&](const OperatorGraph::Input &input) {
                              return llvm::is_contained(maker, input.vertex);
                            });
      }))
    return gain + "it reads them in another shape, which is not folded into "
                  "its operators";
  if (isCyclic(delta, both)) {
    // Reshapes between both are no kernels.
    StitchPattern reshaped = both;
    for (unsigned vertex : maker)
      for (unsigned next : delta.consumers(vertex))
        if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
                graph.operations[next]))
          reshaped.push_back(next);
    llvm::sort(reshaped);
    reshaped.erase(llvm::unique(reshaped), reshaped.end());
    return gain + (isCyclic(delta, reshaped)
                       ? "a value goes from one to the other through a third "
                         "kernel"
                       : "it also reads one of them in another shape, which is "
                         "not folded into its operators");
  }
  const StitchEvaluator::Verdict &verdict = judge.predict(both);
  if (!verdict.isPossible)
    return gain + "there is no tile program: " + verdict.reason;
  if (!verdict.seconds)
    return gain + "there is no schedule: " + judge.whyUnscheduled(both);
  // All three times are from the same kind of search.
  std::optional<double> together = verdict.seconds;
  double apart = judge.predict(maker).seconds.value_or(0) +
                 judge.predict(reader).seconds.value_or(0);
  if (verdict.isSearched) {
    together = judge.predictExactly(both);
    apart = judge.predictExactly(maker).value_or(0) +
            judge.predictExactly(reader).value_or(0);
  }
  if (both.size() > maxVertices)
    return gain +
           llvm::formatv("a kernel has at most {0} operators", maxVertices)
               .str();
  if (*together > apart)
    return gain + "it is predicted to take " + microseconds(*together) +
           " against " + microseconds(apart) + " apart" +
           (verdict.isSearched ? "" : ", with the best of a few schedules");
  double penalty =
      delta(both).penalty - delta(maker).penalty - delta(reader).penalty;
  return gain +
         llvm::formatv("the plan of {0} against {1} apart, with {2} lost to "
                       "fewer blocks or warps, was not among those explored",
                       microseconds(*together), microseconds(apart),
                       microseconds(std::max(0.0, penalty)))
             .str();
}

void StitchRemarks::remarkBoundary(const StitchPlan &plan, unsigned made,
                                   unsigned maker, unsigned reads,
                                   unsigned reader, bool sharesOnly,
                                   bool wantsReport) {
  // Pairs are evaluated only for the remarks' text.
  std::optional<std::string> reason;
  auto explain = [&]() -> const std::string & {
    if (!reason)
      reason =
          whyApart(plan.patterns[maker], plan.patterns[reader], sharesOnly);
    return *reason;
  };
  remarkMissed(graph.operations[reads], "fuse", "not-stitched", [&] {
    return "not stitched with " + placeOf(graph.operations[made]) +
           (sharesOnly ? ", which reads the same values: "
                       : ", whose values it reads: ") +
           explain();
  });
  if (wantsReport)
    boundaries.push_back({maker, reader, sharesOnly, explain()});
}

void StitchRemarks::ofBoundaries(const StitchPlan &plan, bool wantsReport) {
  std::vector<unsigned> kernelOf(graph.graph.vertices.size());
  for (auto [number, pattern] : llvm::enumerate(plan.patterns))
    for (unsigned vertex : pattern)
      kernelOf[vertex] = number;
  auto isForeign = [&](unsigned kernel) {
    return graph.graph.vertices[plan.patterns[kernel].front()].isForeign;
  };
  llvm::DenseSet<std::pair<unsigned, unsigned>> seen;
  for (auto [number, pattern] : llvm::enumerate(plan.patterns))
    for (unsigned vertex : pattern) {
      if (isView(vertex))
        continue;
      for (unsigned made : makersOf(vertex)) {
        unsigned maker = kernelOf[made];
        // Remarks on chains have said why.
        if (!llvm::is_contained(pattern, made) &&
            !(isa<fuse::ChainOp>(graph.operations[made]) &&
              isa<fuse::ChainOp>(graph.operations[vertex])) &&
            seen.insert({maker, number}).second)
          remarkBoundary(plan, made, maker, vertex, number,
                         /*sharesOnly=*/false, wantsReport);
      }
    }
  // Among several kernels that read the same tensor, each one and the one
  // before it.
  std::vector<std::optional<unsigned>> reader(graph.graph.vertices.size());
  llvm::DenseMap<unsigned, unsigned> readerOfTensor;
  auto share = [&](unsigned first, unsigned vertex) {
    unsigned a = kernelOf[first], b = kernelOf[vertex];
    if (a != b && !seen.contains({b, a}) && seen.insert({a, b}).second)
      remarkBoundary(plan, first, a, vertex, b, /*sharesOnly=*/true,
                     wantsReport);
  };
  for (auto [number, pattern] : llvm::enumerate(plan.patterns)) {
    if (isForeign(number))
      continue;
    for (unsigned vertex : pattern) {
      for (const OperatorGraph::Input &input :
           graph.graph.vertices[vertex].inputs) {
        std::optional<unsigned> &last = reader[input.vertex];
        if (last && kernelOf[input.vertex] != number)
          share(*last, vertex);
        if (kernelOf[input.vertex] != number)
          last = vertex;
      }
      for (auto [tensor, bytes] : graph.graph.vertices[vertex].reads) {
        auto [it, isNew] = readerOfTensor.insert({tensor, vertex});
        if (!isNew)
          share(std::exchange(it->second, vertex), vertex);
      }
    }
  }
}
