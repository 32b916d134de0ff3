//===- FormGroups.cpp - fuse-form-groups ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainPartition.h"
#include "StitchPartition.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Search/Stitching/PlanPage.h"
#include "fusion/Support/Remark.h"
#include "fusion/Support/StepAction.h"
#include "fusion/Transforms/Passes.h"
#include "fusion/Transforms/Support/ChipOption.h"
#include "fusion/Transforms/Support/ReportFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSwitch.h"

namespace fusion {
#define GEN_PASS_DEF_FUSEFORMGROUPS
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

struct FormGroupsPass : fusion::impl::FuseFormGroupsBase<FormGroupsPass> {
  using FuseFormGroupsBase::FuseFormGroupsBase;

  void runOnOperation() override {
    FailureOr<const ChipInfo *> target = resolveChip(getOperation(), chip);
    if (failed(target))
      return signalPassFailure();
    std::optional<StitchPartitionOptions> stitching = readStitching();
    if (!stitching)
      return signalPassFailure();
    ChainPartitionOptions chains{forceFusion, skipMasked, std::nullopt};
    if (stitching->strategy == StitchStrategy::Explorer ||
        stitching->strategy == StitchStrategy::Printed)
      chains.explorer = stitching->explorer;
    auto &memo = getAnalysis<SearchMemo>();
    markAnalysesPreserved<SearchMemo>();
    llvm::json::Array functions;
    bool wantsReport = !planReport.empty() || !planPage.empty();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      llvm::json::Object baselines;
      if (wantsReport)
        baselines = countBaselines(function, **target);
      std::vector<ChainKernel> kernels =
          partitionChains(function, **target, chains, memo);
      if (!goesOn(&getContext()))
        return signalPassFailure();
      // Operators that no chain has taken.
      IRRewriter rewriter(&getContext());
      partitionStitched(function, **target, *stitching, rewriter,
                        wantsReport ? &functions : nullptr,
                        std::move(baselines), kernels);
      if (!goesOn(&getContext()))
        return signalPassFailure();
    }
    llvm::json::Value whole = llvm::json::Object{
        {"chip", (*target)->name}, {"functions", std::move(functions)}};
    if (failed(writeReport(findPlace(getOperation()), "plan", planReport,
                           llvm::formatv("{0:2}\n", whole).str())) ||
        failed(writeReport(findPlace(getOperation()), "plan", planPage,
                           renderPlan(whole))))
      signalPassFailure();
  }

  static std::optional<Choice> lookupChoice(StringRef name) {
    return llvm::StringSwitch<std::optional<Choice>>(name)
        .Case("auto", Choice::Both)
        .Case("true", Choice::Always)
        .Case("false", Choice::Never)
        .Default(std::nullopt);
  }

  std::optional<StitchPartitionOptions> readStitching() {
    StitchPartitionOptions options;
    auto reject = [&](const Twine &why) {
      emitError(findPlace(getOperation())) << why;
      return std::nullopt;
    };
    if (leadToSameFile(planReport, planPage))
      return reject("'plan-report' and 'plan-html' name the same file");
    std::optional<StitchStrategy> strategy = lookupStitchStrategy(stitch);
    if (!strategy)
      return reject("no stitch '" + Twine(stitch) +
                    "'; known are explorer, printed, greedy, none");
    bool isPrinted = strategy == StitchStrategy::Printed;
    auto lookupForm = [&](StringRef name) {
      return name != "auto" ? lookupEvaluatorForm(name)
             : isPrinted    ? EvaluatorForm::Printed
                            : EvaluatorForm::Default;
    };
    std::optional<EvaluatorForm> latency = lookupForm(latencyEvaluator),
                                 delta = lookupForm(deltaEvaluator);
    if (!latency)
      return reject("no latency-evaluator '" + Twine(latencyEvaluator) +
                    "'; known are auto, default, printed");
    if (!delta)
      return reject("no delta-evaluator '" + Twine(deltaEvaluator) +
                    "'; known are auto, default, printed");
    std::optional<Choice> prefuses = lookupChoice(preFusion),
                          isFull = lookupChoice(fullEvaluator);
    if (!prefuses)
      return reject("no pre-fusion '" + Twine(preFusion) +
                    "'; known are auto, true, false");
    if (!isFull)
      return reject("no full-evaluator '" + Twine(fullEvaluator) +
                    "'; known are auto, true, false");
    if (beam < 1 || topK < 1)
      return reject("beam and top-k are at least 1");
    options.strategy = *strategy;
    options.explorer.beam = beam;
    options.explorer.reported = topK;
    options.explorer.maxEvaluations = maxEvaluations;
    options.explorer.delta = *delta;
    options.latency = *latency;
    // The paper explores what XLA has fused, by the simplified evaluator.
    options.preFusion =
        isPrinted && prefuses == Choice::Both ? Choice::Always : *prefuses;
    options.fullEvaluator =
        isPrinted && isFull == Choice::Both ? Choice::Never : *isFull;
    options.forceFusion = forceFusion;
    return options;
  }
};

} // namespace
