//===- StitchPartition.cpp - Stitched groups of a function ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchPartition.h"
#include "StitchRemarks.h"
#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Stitching/StitchBound.h"
#include "fusion/Support/Remark.h"
#include "fusion/Transforms/Partition/GroupBuilder.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;

std::optional<StitchStrategy> fusion::lookupStitchStrategy(StringRef name) {
  return llvm::StringSwitch<std::optional<StitchStrategy>>(name)
      .Case("none", StitchStrategy::None)
      .Case("greedy", StitchStrategy::Greedy)
      .Case("printed", StitchStrategy::Printed)
      .Case("explorer", StitchStrategy::Explorer)
      .Default(std::nullopt);
}

static StitchPlan allApart(const OperatorGraph &graph) {
  StitchPlan plan;
  for (unsigned vertex = 0; vertex < graph.vertices.size(); ++vertex)
    plan.patterns.push_back({vertex});
  return plan;
}

namespace {

class Partition {
public:
  Partition(func::FuncOp function, const ChipInfo &chip,
            const StitchPartitionOptions &options, RewriterBase &rewriter)
      : function(function), chip(chip), options(options), rewriter(rewriter),
        graph(function), judge(graph, chip, options.latency),
        delta(graph.graph, chip, options.explorer.delta),
        remarks(graph, judge, delta, chip, options.explorer.maxVertices) {}

  void run(llvm::json::Array *report, llvm::json::Object baselines,
           ArrayRef<ChainKernel> chains);

private:
  StitchPlan plan(StitchStrategy strategy, Choice preFusion,
                  Choice fullEvaluator);
  void refine(StitchPlan &plan);
  /// Returns whether the pattern has a tile program that some block has room
  /// for.
  bool canStitch(ArrayRef<unsigned> pattern) {
    return judge.canSchedule(pattern);
  }
  std::optional<double> latency(ArrayRef<unsigned> pattern) {
    std::optional<double> seconds = judge.predict(pattern).seconds;
    // With equal times the fewest kernels win.
    return options.forceFusion && seconds ? kForced : seconds;
  }
  /// Returns a lower bound of the seconds of every kernel.
  double minSeconds() const {
    return options.latency == EvaluatorForm::Printed ? chip.launchOverhead
                                                     : minOfKernel(chip);
  }
  double secondsOf(const StitchPlan &plan) {
    double total = 0;
    for (const StitchPattern &pattern : plan.patterns)
      if (!graph.graph.vertices[pattern.front()].isForeign)
        total += latency(pattern).value_or(0);
    return total;
  }
  void copyShared(StitchPlan &plan);
  void build(const StitchPlan &plan);
  llvm::json::Object describe(const StitchPlan &chosen,
                              llvm::json::Object plans,
                              ArrayRef<ChainKernel> chains);
  llvm::json::Object countAll(const StitchPlan &chosen,
                              ArrayRef<ChainKernel> chains);

  static constexpr double kForced = 1; ///< second of every kernel

  func::FuncOp function;
  const ChipInfo &chip;
  const StitchPartitionOptions &options;
  RewriterBase &rewriter;
  StitchGraph graph;
  StitchEvaluator judge;
  DeltaEvaluator delta;
  StitchRemarks remarks;
};

} // namespace

StitchPlan Partition::plan(StitchStrategy strategy, Choice preFusion,
                           Choice fullEvaluator) {
  auto can = [&](ArrayRef<unsigned> pattern) {
    return canStitch(pattern) && (strategy != StitchStrategy::Printed ||
                                  !judge.crossesBlocks(pattern));
  };
  auto time = [&](ArrayRef<unsigned> pattern) { return latency(pattern); };
  auto atMost = [&](ArrayRef<unsigned> pattern) {
    return judge.maxSeconds(pattern);
  };
  PatternOracle oracle{can, time, options.forceFusion ? kForced : minSeconds()};
  if (!options.forceFusion)
    oracle.maxLatency = atMost;
  if (strategy == StitchStrategy::None)
    return allApart(graph.graph);
  if (strategy == StitchStrategy::Greedy) {
    // The greedy rules use no evaluator, but a pattern without a schedule
    // cannot be built.
    return fuseGreedily(graph.graph, /*copies=*/true, {can});
  }
  ExplorerOptions explorer = options.explorer;
  explorer.ignoresPenalty = options.forceFusion;
  explorer.form = strategy == StitchStrategy::Printed ? PatternForm::Printed
                                                      : PatternForm::Spanning;
  // Pre-fused graphs are smaller, and their plans are rarely worse: their first
  // plan is always made. Among equal plans the one of single operators is
  // taken.
  std::optional<StitchPlan> prefused, best;
  double least = 0;
  bool bestIsPrefused = false;
  for (bool isFull : {false, true})
    for (bool isPrefused : {true, false}) {
      if (fullEvaluator == (isFull ? Choice::Never : Choice::Always) ||
          preFusion == (isPrefused ? Choice::Never : Choice::Always))
        continue;
      if (best && judge.countPatterns() > explorer.maxEvaluations) {
        remarkMissed(
            function, "fuse", "plan",
            llvm::formatv("no plan of {0} is made by the {1} evaluator: "
                          "those so far have asked about {2} different "
                          "patterns, more than most-asked={3}",
                          isPrefused ? "what is pre-fused" : "single operators",
                          isFull ? "latency" : "simplified",
                          judge.countPatterns(), explorer.maxEvaluations));
        continue;
      }
      explorer.scoresByLatency = isFull;
      if (isPrefused && !prefused)
        prefused = fuseGreedily(graph.graph, /*copies=*/false, oracle,
                                explorer.maxVertices);
      StitchPlan plan =
          isPrefused
              ? explorePrefused(graph.graph, chip, explorer, oracle, *prefused)
              : explore(graph.graph, chip, explorer, oracle);
      double seconds = secondsOf(plan);
      bool isTaken = !best || seconds < least ||
                     (seconds == least && bestIsPrefused && !isPrefused);
      if (!isTaken)
        continue;
      best = std::move(plan);
      least = seconds;
      bestIsPrefused = isPrefused;
    }
  return std::move(*best);
}

/// Evaluates the few kernels of the plan by the schedules that they would get
/// in the end. While many patterns are compared, a few schedules of each are
/// enough.
void Partition::refine(StitchPlan &plan) {
  auto can = [&](ArrayRef<unsigned> pattern) { return canStitch(pattern); };
  auto time = [&](ArrayRef<unsigned> pattern) {
    return judge.predictExactly(pattern);
  };
  (void)fusion::refine(graph.graph, chip, options.explorer,
                       {can, time, minSeconds()}, plan);
}

/// Copies operators that several kernels compute into each of them.
void Partition::copyShared(StitchPlan &plan) {
  llvm::BitVector seen(graph.operations.size());
  for (StitchPattern &pattern : plan.patterns) {
    IRMapping mapping;
    for (unsigned &vertex : pattern) {
      Operation *op = graph.operations[vertex];
      if (seen.test(vertex)) {
        rewriter.setInsertionPointAfter(op);
        op = rewriter.clone(*op);
        mapping.map(graph.operations[vertex]->getResults(), op->getResults());
        vertex = graph.operations.size();
        graph.operations.push_back(op);
        seen.resize(graph.operations.size());
      }
      seen.set(vertex);
      for (OpOperand &operand : op->getOpOperands())
        operand.set(mapping.lookupOrDefault(operand.get()));
    }
  }
}

void Partition::build(const StitchPlan &plan) {
  for (const StitchPattern &pattern : plan.patterns) {
    if (!isa<linalg::LinalgOp>(graph.operations[pattern.front()]))
      continue;
    SmallVector<linalg::LinalgOp> operators = graph.operators(pattern);
    auto group = buildGroup<fuse::StitchOp>(rewriter, operators);
    adoptGroup(rewriter, group, operators, /*sorts=*/false);
  }
  sortTopologically(&function.getBody().front());
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

/// Counts the kernels of memory-intensive operators with their bytes and
/// predicted time, and the bytes of all kernels, including contractions.
static llvm::json::Object count(const StitchGraph &graph,
                                StitchEvaluator &judge,
                                const DeltaEvaluator &delta,
                                const StitchPlan &plan, const ChipInfo &chip) {
  int64_t kernels = 0;
  double bytes = 0, all = 0, seconds = 0;
  for (const StitchPattern &pattern : plan.patterns) {
    double own = delta.compulsoryBytes(pattern);
    all += own;
    if (graph.graph.vertices[pattern.front()].isForeign)
      continue;
    ++kernels;
    bytes += own;
    seconds += judge.known(pattern).value_or(predictStreaming(own, chip));
  }
  return llvm::json::Object{{"kernels", kernels},
                            {"bytes", int64_t(bytes)},
                            {"all_bytes", int64_t(all)},
                            {"predicted_us", seconds * 1e6},
                            {"patterns_scored", int64_t(plan.scored)}};
}

llvm::json::Object fusion::countBaselines(func::FuncOp function,
                                          const ChipInfo &chip) {
  StitchGraph graph(function);
  StitchEvaluator judge(graph, chip);
  DeltaEvaluator delta(graph.graph, chip);
  // XLA's rules with all that XLA can build, not only what this compiler can.
  auto anything = [](ArrayRef<unsigned>) { return true; };
  StitchPlan greedy = fuseGreedily(graph.graph, /*copies=*/true, {anything});
  return llvm::json::Object{
      {"apart", count(graph, judge, delta, allApart(graph.graph), chip)},
      {"greedy", count(graph, judge, delta, greedy, chip)}};
}

/// Describes chains for the report.
static llvm::json::Array describe(ArrayRef<ChainKernel> chains) {
  llvm::json::Array list;
  for (const ChainKernel &chain : chains)
    list.push_back(llvm::json::Object{
        {"place", placeOf(chain.group)},
        {"products", int64_t(chain.contractions)},
        {"predicted_us", chain.seconds * 1e6},
        {"apart_us", chain.isApartKnown ? llvm::json::Value(chain.apart * 1e6)
                                        : llvm::json::Value(nullptr)},
        {"forced", chain.isForced}});
  return list;
}

/// Counts the kernels of every kind, with their predicted time. Contractions in
/// the generic form have none.
llvm::json::Object Partition::countAll(const StitchPlan &chosen,
                                       ArrayRef<ChainKernel> chains) {
  int64_t kernels = chains.size(), unpredicted = 0;
  double seconds = 0;
  for (const ChainKernel &chain : chains)
    seconds += chain.seconds;
  for (const StitchPattern &pattern : chosen.patterns) {
    Operation *op = graph.operations[pattern.front()];
    if (!isa<linalg::LinalgOp>(op))
      continue;
    ++kernels;
    if (graph.graph.vertices[pattern.front()].isForeign)
      ++unpredicted;
    else
      seconds += judge.known(pattern).value_or(
          predictStreaming(delta.compulsoryBytes(pattern), chip));
  }
  return llvm::json::Object{{"kernels", kernels},
                            {"predicted_us", seconds * 1e6},
                            {"without_prediction", unpredicted}};
}

llvm::json::Object Partition::describe(const StitchPlan &chosen,
                                       llvm::json::Object plans,
                                       ArrayRef<ChainKernel> chains) {
  llvm::json::Array vertices, kernels, edges;
  for (auto [number, vertex] : llvm::enumerate(graph.graph.vertices)) {
    llvm::json::Array inputs;
    for (const OperatorGraph::Input &input : vertex.inputs)
      inputs.push_back(
          llvm::json::Object{{"from", input.vertex}, {"bytes", input.bytes}});
    Operation *op = graph.operations[number];
    StringRef kind = vertex.isForeign     ? "other"
                     : vertex.isAlone     ? "alone"
                     : vertex.isReduction ? "reduction"
                     : vertex.isExpensive ? "expensive"
                                          : "light";
    std::string inner;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      for (Operation &each : linalgOp.getBlock()->without_terminator())
        inner +=
            (inner.empty() ? "" : " ") + each.getName().stripDialect().str();
    vertices.push_back(
        llvm::json::Object{{"name", op->getName().getStringRef()},
                           {"body", inner},
                           {"place", placeOf(op)},
                           {"kind", kind},
                           {"result_bytes", vertex.resultBytes},
                           {"escapes", vertex.escapes},
                           {"inputs", std::move(inputs)}});
  }
  for (const StitchPattern &pattern : chosen.patterns) {
    llvm::json::Array members;
    for (unsigned vertex : pattern)
      members.push_back(vertex);
    std::optional<double> seconds;
    double apart = 0;
    if (!graph.graph.vertices[pattern.front()].isForeign) {
      seconds = judge.known(pattern).value_or(0);
      for (unsigned vertex : pattern)
        apart += judge.predict(vertex).seconds.value_or(0);
    }
    bool isForced = options.forceFusion && pattern.size() > 1 && seconds &&
                    *seconds > apart;
    for (const ChainKernel &chain : chains)
      if (chain.group == graph.operations[pattern.front()]) {
        seconds = chain.seconds;
        isForced = chain.isForced;
      }
    kernels.push_back(llvm::json::Object{
        {"vertices", std::move(members)},
        {"bytes", int64_t(delta.compulsoryBytes(pattern))},
        {"predicted_us", seconds ? llvm::json::Value(*seconds * 1e6)
                                 : llvm::json::Value(nullptr)},
        {"forced", isForced}});
  }
  for (const StitchRemarks::Boundary &boundary : remarks.boundaries)
    edges.push_back(llvm::json::Object{{"maker", boundary.maker},
                                       {"reader", boundary.reader},
                                       {"shares_only", boundary.sharesOnly},
                                       {"why", boundary.reason}});
  auto count = [&](const StitchPlan &plan) {
    return ::count(graph, judge, delta, plan, chip);
  };
  for (auto [strategy, name] : {std::pair(StitchStrategy::Printed, "printed"),
                                {StitchStrategy::Explorer, "explorer"}})
    for (Choice preFusion : {Choice::Never, Choice::Always})
      for (Choice full : {Choice::Never, Choice::Always})
        plans[std::string(name) +
              (preFusion == Choice::Always ? "_prefused" : "") +
              (full == Choice::Always ? "_full" : "")] =
            count(plan(strategy, preFusion, full));
  return llvm::json::Object{
      {"name", function.getSymName()}, {"total", countAll(chosen, chains)},
      {"chains", ::describe(chains)},  {"chosen", count(chosen)},
      {"plans", std::move(plans)},     {"vertices", std::move(vertices)},
      {"kernels", std::move(kernels)}, {"boundaries", std::move(edges)}};
}

void Partition::run(llvm::json::Array *report, llvm::json::Object baselines,
                    ArrayRef<ChainKernel> chains) {
  StitchPlan chosen =
      plan(options.strategy, options.preFusion, options.fullEvaluator);
  if (options.strategy == StitchStrategy::Explorer && !options.forceFusion)
    refine(chosen);
  remarks.ofKernels(chosen);
  remarks.ofBoundaries(chosen, report != nullptr);
  if (report)
    report->push_back(describe(chosen, std::move(baselines), chains));
  copyShared(chosen);
  build(chosen);
}

void fusion::partitionStitched(func::FuncOp function, const ChipInfo &chip,
                               const StitchPartitionOptions &options,
                               RewriterBase &rewriter,
                               llvm::json::Array *report,
                               llvm::json::Object baselines,
                               ArrayRef<ChainKernel> chains) {
  Partition(function, chip, options, rewriter)
      .run(report, std::move(baselines), chains);
}
