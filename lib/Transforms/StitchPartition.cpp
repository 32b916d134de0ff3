//===- StitchPartition.cpp - Stitched groups of a function ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchPartition.h"
#include "fusion/Analysis/CostModel.h"
#include "fusion/Analysis/StitchBound.h"
#include "fusion/Transforms/GroupBuilder.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
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

static std::string microseconds(double seconds) {
  return llvm::formatv("{0:F2} us", seconds * 1e6).str();
}

static std::string bytesInWords(double bytes) {
  return llvm::formatv("{0} bytes", int64_t(bytes)).str();
}

static std::string placeOf(Operation *op) {
  if (auto at = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return llvm::formatv("line {0}", at.getLine()).str();
  return op->getName().getStringRef().str();
}

namespace {

class Partition {
public:
  Partition(func::FuncOp function, const ChipInfo &chip,
            const StitchPartitionOptions &options, RewriterBase &rewriter)
      : function(function), chip(chip), options(options), rewriter(rewriter),
        graph(function), judge(graph, chip), delta(graph.graph, chip) {}

  void run(llvm::json::Array *report, llvm::json::Object baselines);

private:
  StitchPlan plan(StitchStrategy strategy, Choice preFusion,
                  Choice fullEvaluator);
  void refine(StitchPlan &plan);
  /// Whether there is a tile program that some block has room for.
  bool canStitch(ArrayRef<unsigned> pattern) {
    return judge.canSchedule(pattern);
  }
  std::optional<double> latency(ArrayRef<unsigned> pattern) {
    std::optional<double> seconds = judge.price(pattern).seconds;
    // The fewest kernels win.
    return options.forceFusion && seconds ? kForced : seconds;
  }
  double secondsOf(const StitchPlan &plan) {
    double total = 0;
    for (const StitchPattern &pattern : plan.patterns)
      if (!graph.graph.vertices[pattern.front()].isForeign)
        total += latency(pattern).value_or(0);
    return total;
  }
  void remarkKernels(const StitchPlan &plan);
  std::string howAlone(unsigned vertex) const;
  void remarkBoundaries(const StitchPlan &plan, bool wantsReport);
  void remarkBoundary(const StitchPlan &plan, unsigned made, unsigned maker,
                      unsigned reads, unsigned reader, bool sharesOnly,
                      bool wantsReport);
  std::string whyApart(ArrayRef<unsigned> maker, ArrayRef<unsigned> reader,
                       bool sharesOnly);
  bool isView(unsigned vertex) const {
    return !isa<linalg::LinalgOp, fuse::FusedGroupOpInterface>(
        graph.operations[vertex]);
  }
  /// Vertices that a vertex has values of, through views of them, too.
  SmallVector<unsigned> makersOf(unsigned vertex) const;
  void copyShared(StitchPlan &plan);
  void build(const StitchPlan &plan);
  llvm::json::Object describe(const StitchPlan &chosen,
                              llvm::json::Object plans);

  /// A pair of kernels of which the second reads values of the first, or only
  /// the same values, and why they are two.
  struct Boundary {
    unsigned maker, reader;
    bool sharesOnly;
    std::string reason;
  };

  static constexpr double kForced = 1; ///< second of every kernel

  func::FuncOp function;
  const ChipInfo &chip;
  const StitchPartitionOptions &options;
  RewriterBase &rewriter;
  StitchGraph graph;
  StitchJudge judge;
  DeltaEvaluator delta;
  std::vector<Boundary> boundaries;
};

} // namespace

StitchPlan Partition::plan(StitchStrategy strategy, Choice preFusion,
                           Choice fullEvaluator) {
  auto can = [&](ArrayRef<unsigned> pattern) { return canStitch(pattern); };
  auto time = [&](ArrayRef<unsigned> pattern) { return latency(pattern); };
  auto atMost = [&](ArrayRef<unsigned> pattern) {
    return judge.mostSeconds(pattern);
  };
  PatternOracle oracle{can, time,
                       options.forceFusion ? kForced : leastOfKernel(chip)};
  if (!options.forceFusion)
    oracle.mostLatency = atMost;
  if (strategy == StitchStrategy::None)
    return allApart(graph.graph);
  if (strategy == StitchStrategy::Greedy) {
    // The rules ask nobody, but what has no schedule cannot be built.
    return fuseGreedily(graph.graph, /*copies=*/true, {can});
  }
  ExplorerOptions explorer = options.explorer;
  explorer.ignoresPenalty = options.forceFusion;
  explorer.form = strategy == StitchStrategy::Printed ? PatternForm::Printed
                                                      : PatternForm::Spanning;
  std::optional<StitchPlan> prefused, best;
  for (bool isFull : {false, true}) {
    if (fullEvaluator == (isFull ? Choice::Never : Choice::Always))
      continue;
    if (isFull && fullEvaluator == Choice::Both &&
        judge.countPatterns() > explorer.mostPriced) {
      remark::missed(function.getLoc(),
                     remark::RemarkOpts::name("evaluator").category("fuse"))
          << llvm::formatv("the latency evaluator makes no plan of its own: "
                           "the simplified one's have asked about {0} "
                           "different patterns, more than most-priced={1}",
                           judge.countPatterns(), explorer.mostPriced)
                 .str();
      continue;
    }
    explorer.scoresByLatency = isFull;
    for (bool isPrefused : {false, true}) {
      if (preFusion == (isPrefused ? Choice::Never : Choice::Always))
        continue;
      if (isPrefused && !prefused)
        prefused = fuseGreedily(graph.graph, /*copies=*/false, oracle,
                                explorer.mostVertices);
      StitchPlan plan =
          isPrefused
              ? explorePrefused(graph.graph, chip, explorer, oracle, *prefused)
              : explore(graph.graph, chip, explorer, oracle);
      if (!best || secondsOf(plan) < secondsOf(*best))
        best = std::move(plan);
    }
  }
  return std::move(*best);
}

/// Few schedules of a pattern say less than all of them. That does while many
/// patterns are compared; what is left of few kernels is judged by the
/// schedules that they would get.
void Partition::refine(StitchPlan &plan) {
  auto can = [&](ArrayRef<unsigned> pattern) { return canStitch(pattern); };
  auto time = [&](ArrayRef<unsigned> pattern) {
    return judge.priceFully(pattern);
  };
  (void)fusion::refine(graph.graph, chip, options.explorer,
                       {can, time, leastOfKernel(chip)}, plan);
}

/// What several kernels compute gets an operator in each of them.
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

void Partition::remarkKernels(const StitchPlan &plan) {
  for (const StitchPattern &pattern : plan.patterns) {
    Operation *op = graph.operations[pattern.back()];
    if (!isa<linalg::LinalgOp>(op))
      continue;
    if (pattern.size() == 1) {
      remark::missed(op->getLoc(),
                     remark::RemarkOpts::name("alone").category("fuse"))
          << (op->getName().getStringRef() +
              " becomes a kernel of its own: " + howAlone(pattern.front()))
                 .str();
      continue;
    }
    double apart = 0, bytes = 0;
    for (unsigned vertex : pattern) {
      apart += judge.price(vertex).seconds.value_or(0);
      bytes += delta.compulsoryBytes(vertex);
    }
    std::optional<double> together = judge.known(pattern);
    bool isForced = together && *together > apart;
    remark::passed(op->getLoc(),
                   remark::RemarkOpts::name("stitched").category("fuse"))
        << llvm::formatv(
               "stitched {0} operators into one kernel: predicted "
               "{1} against {2} apart{3}; it moves {4} instead of {5}",
               pattern.size(), microseconds(together.value_or(0)),
               microseconds(apart), isForced ? " (forced)" : "",
               bytesInWords(delta.compulsoryBytes(pattern)),
               bytesInWords(bytes))
               .str();
  }
}

SmallVector<unsigned> Partition::makersOf(unsigned vertex) const {
  SmallVector<unsigned> makers, pending = {vertex};
  while (!pending.empty())
    for (const OperatorGraph::Input &input :
         graph.graph.vertices[pending.pop_back_val()].inputs)
      (isView(input.vertex) ? pending : makers).push_back(input.vertex);
  return makers;
}

/// What keeps a single operator from all others, in words.
std::string Partition::howAlone(unsigned vertex) const {
  auto isProduct = [&](unsigned other) {
    return graph.graph.vertices[other].isForeign && !isView(other);
  };
  SmallVector<unsigned> makers = makersOf(vertex);
  ArrayRef<unsigned> readers = delta.consumers(vertex);
  bool hasProduct =
      llvm::any_of(makers, isProduct) || llvm::any_of(readers, isProduct);
  std::string said =
      hasProduct ? "no product next to it takes it in" : std::string();
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

/// Why two kernels of which one reads the other's values, or both the same, are
/// two, in words.
std::string Partition::whyApart(ArrayRef<unsigned> maker,
                                ArrayRef<unsigned> reader, bool sharesOnly) {
  StitchPattern both(maker);
  llvm::append_range(both, reader);
  llvm::sort(both);
  both.erase(llvm::unique(both), both.end());
  double bytes = delta.compulsoryBytes(maker) + delta.compulsoryBytes(reader) -
                 delta.compulsoryBytes(both);
  // Sizes may be unknown, or values read through views.
  std::string gain = "one kernel would save " +
                     (bytes > 0 ? bytesInWords(bytes) + " and " : "") +
                     "a launch of " + microseconds(chip.launchOverhead) +
                     ", but ";
  for (ArrayRef<unsigned> side : {maker, reader})
    for (unsigned vertex : side) {
      if (graph.graph.vertices[vertex].isForeign &&
          isa<linalg::LinalgOp>(graph.operations[vertex]))
        return gain + "the product of " + placeOf(graph.operations[vertex]) +
               " runs in the generic form";
      if (graph.graph.vertices[vertex].isForeign)
        return gain + "products' kernels are made first, and this one did not "
                      "take it in";
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
  const StitchJudge::Verdict &verdict = judge.price(both);
  if (!verdict.isPossible)
    return gain + "there is no tile program: " + verdict.reason;
  if (!verdict.seconds)
    return gain + "there is no schedule: " + judge.whyUnscheduled(both);
  // All three by the same search.
  std::optional<double> together = verdict.seconds;
  double apart = judge.price(maker).seconds.value_or(0) +
                 judge.price(reader).seconds.value_or(0);
  if (verdict.isSearched) {
    together = judge.priceFully(both);
    apart = judge.priceFully(maker).value_or(0) +
            judge.priceFully(reader).value_or(0);
  }
  if (both.size() > options.explorer.mostVertices)
    return gain + llvm::formatv("a kernel has at most {0} operators",
                                options.explorer.mostVertices)
                      .str();
  if (*together > apart)
    return gain + "it is predicted to take " + microseconds(*together) +
           " against " + microseconds(apart) + " apart";
  double penalty =
      delta(both).penalty - delta(maker).penalty - delta(reader).penalty;
  return gain +
         llvm::formatv("the plan of {0} against {1} apart, with {2} lost to "
                       "fewer blocks or warps, was not among those explored",
                       microseconds(*together), microseconds(apart),
                       microseconds(std::max(0.0, penalty)))
             .str();
}

void Partition::remarkBoundary(const StitchPlan &plan, unsigned made,
                               unsigned maker, unsigned reads, unsigned reader,
                               bool sharesOnly, bool wantsReport) {
  auto remark =
      remark::missed(graph.operations[reads]->getLoc(),
                     remark::RemarkOpts::name("not-stitched").category("fuse"));
  // Pairs are priced for the words alone.
  if (!remark && !wantsReport)
    return;
  std::string reason =
      whyApart(plan.patterns[maker], plan.patterns[reader], sharesOnly);
  remark << "not stitched with " + placeOf(graph.operations[made]) +
                (sharesOnly ? ", which reads the same values: "
                            : ", whose values it reads: ") +
                reason;
  boundaries.push_back({maker, reader, sharesOnly, std::move(reason)});
}

void Partition::remarkBoundaries(const StitchPlan &plan, bool wantsReport) {
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
        // Two chains have said why.
        if (!llvm::is_contained(pattern, made) &&
            !(isa<fuse::ChainOp>(graph.operations[made]) &&
              isa<fuse::ChainOp>(graph.operations[vertex])) &&
            seen.insert({maker, number}).second)
          remarkBoundary(plan, made, maker, vertex, number,
                         /*sharesOnly=*/false, wantsReport);
      }
    }
  // Of several that read the same, each and the one before it.
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

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

/// Kernels of memory-intensive operators, their bytes and predicted time; the
/// bytes of all kernels, products included.
static llvm::json::Object count(const StitchGraph &graph, StitchJudge &judge,
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
  StitchJudge judge(graph, chip);
  DeltaEvaluator delta(graph.graph, chip);
  // XLA with whatever it can build, not only what we can.
  auto anything = [](ArrayRef<unsigned>) { return true; };
  StitchPlan greedy = fuseGreedily(graph.graph, /*copies=*/true, {anything});
  return llvm::json::Object{
      {"apart", count(graph, judge, delta, allApart(graph.graph), chip)},
      {"greedy", count(graph, judge, delta, greedy, chip)}};
}

llvm::json::Object Partition::describe(const StitchPlan &chosen,
                                       llvm::json::Object plans) {
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
    bool isForeign = graph.graph.vertices[pattern.front()].isForeign;
    kernels.push_back(llvm::json::Object{
        {"vertices", std::move(members)},
        {"bytes", int64_t(delta.compulsoryBytes(pattern))},
        {"predicted_us",
         isForeign
             ? llvm::json::Value(nullptr)
             : llvm::json::Value(judge.known(pattern).value_or(0) * 1e6)}});
  }
  for (const Boundary &boundary : boundaries)
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
      {"name", function.getSymName()}, {"chosen", count(chosen)},
      {"plans", std::move(plans)},     {"vertices", std::move(vertices)},
      {"kernels", std::move(kernels)}, {"boundaries", std::move(edges)}};
}

void Partition::run(llvm::json::Array *report, llvm::json::Object baselines) {
  StitchPlan chosen =
      plan(options.strategy, options.preFusion, options.fullEvaluator);
  if (options.strategy == StitchStrategy::Explorer && !options.forceFusion)
    refine(chosen);
  remarkKernels(chosen);
  remarkBoundaries(chosen, report != nullptr);
  if (report)
    report->push_back(describe(chosen, std::move(baselines)));
  copyShared(chosen);
  build(chosen);
}

void fusion::partitionStitched(func::FuncOp function, const ChipInfo &chip,
                               const StitchPartitionOptions &options,
                               RewriterBase &rewriter,
                               llvm::json::Array *report,
                               llvm::json::Object baselines) {
  Partition(function, chip, options, rewriter)
      .run(report, std::move(baselines));
}
