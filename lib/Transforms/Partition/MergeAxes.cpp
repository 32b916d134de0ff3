//===- MergeAxes.cpp - fuse-merge-axes ------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisRegrouping.h"
#include "CandidateSequences.h"
#include "FormCosts.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Groups/Windows.h"
#include "fusion/Support/Remark.h"
#include "fusion/Support/StepAction.h"
#include "fusion/Transforms/Normalize/WindowInlining.h"
#include "fusion/Transforms/Partition/GroupBuilder.h"
#include "fusion/Transforms/Passes.h"
#include "fusion/Transforms/Support/ChipOption.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cmath>

namespace fusion {
#define GEN_PASS_DEF_FUSEMERGEAXES
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

/// Erases operators, reshapes and constants that no operation reads.
static void eraseUnused(Block &block, RewriterBase &rewriter) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
}

namespace {

class AxisMerger {
public:
  AxisMerger(func::FuncOp function, const ChipInfo &chip, bool skipMasked,
             bool forceFusion, SearchMemo &memo)
      : function(function), forceFusion(forceFusion),
        rewriter(function.getContext()),
        evaluator(rewriter, chip, skipMasked, memo) {}

  void run() {
    padInPlace();
    repeatInPlace();
    takeApart();
    inlineIntoWindows();
    llvm::SmallPtrSet<Operation *, 1> none;
    for (CandidateSequence &sequence :
         collectCandidateSequences(function, none, /*explains=*/false)) {
      Operators operators =
          sequence.operators(0, sequence.links.size() - 1, /*all=*/true,
                             /*joined=*/true, /*heads=*/true);
      llvm::erase_if(operators, [](linalg::LinalgOp op) {
        return matchPadding(op).has_value();
      });
      merge(operators);
    }
    // Initial values of the old operators.
    eraseUnused(function.getBody().front(), rewriter);
  }

private:
  using Operators = AxisRegrouping::Operators;

  void padInPlace();
  void repeatInPlace();
  void takeApart();
  void merge(const Operators &operators);
  void inlineIntoWindows();
  void inlineIntoWindow(linalg::LinalgOp convolution);
  FormCosts predictForms(const Operators &operators);

  func::FuncOp function;
  bool forceFusion;
  IRRewriter rewriter;
  FormEvaluator evaluator;
};

} // namespace

/// Gives each contraction a padding of its own, which then is a part of how it
/// reads the tensor inside.
void AxisMerger::padInPlace() {
  Block &block = function.getBody().front();
  SmallVector<linalg::LinalgOp> all(block.getOps<linalg::LinalgOp>());
  for (linalg::LinalgOp op : all) {
    if (!matchPadding(op))
      continue;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (op->hasOneUse() || !reader || !isContraction(reader))
        continue;
      rewriter.setInsertionPoint(op);
      Operation *own = rewriter.clone(*op);
      rewriter.modifyOpInPlace(reader, [&] { use.set(own->getResult(0)); });
    }
  }
}

//===----------------------------------------------------------------------===//
// Repeated operands
//===----------------------------------------------------------------------===//

/// Returns the map by which an operator that repeats its input along further
/// loops reads it, over the dimensions of its result. Null for all other
/// operators.
static AffineMap repetition(linalg::LinalgOp op) {
  if (!op || isa<linalg::FillOp>(op) || op->getNumResults() != 1 ||
      op.getNumDpsInputs() != 1 || op.getNumLoops() != op.getNumParallelLoops())
    return {};
  OpOperand *input = op.getDpsInputOperand(0);
  AffineMap read = op.getMatchingIndexingMap(input),
            made = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!isa<RankedTensorType>(input->get().getType()) || !made.isPermutation() ||
      op.getBlock()->getTerminator()->getOperand(0) !=
          op.getMatchingBlockArgument(input) ||
      read.isPermutation())
    return {};
  return read.compose(inversePermutation(made));
}

/// Returns the dimensions of a collapsed tensor, over the dimensions of the
/// result.
static AffineMap collapsedDims(tensor::CollapseShapeOp op) {
  MLIRContext *context = op.getContext();
  ArrayRef<int64_t> shape = op.getSrcType().getShape();
  SmallVector<AffineExpr> exprs(shape.size());
  for (auto [d, group] : llvm::enumerate(op.getReassociationIndices())) {
    AffineExpr rest = getAffineDimExpr(d, context);
    for (int64_t part : llvm::reverse(ArrayRef(group).drop_front())) {
      if (ShapedType::isDynamic(shape[part]))
        return {};
      exprs[part] = rest % shape[part];
      rest = rest.floorDiv(shape[part]);
    }
    exprs[group.front()] = rest;
  }
  return AffineMap::get(op.getType().getRank(), 0, exprs, context);
}

/// Returns whether every loop indexes some operand, which gives its extent.
static bool coversLoops(ArrayRef<AffineMap> maps, unsigned loops) {
  llvm::SmallDenseSet<unsigned> covered;
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        covered.insert(dim.getPosition());
  return covered.size() == loops;
}

/// Lets operators read a repeated tensor directly: loops that repeat it do not
/// index it.
void AxisMerger::repeatInPlace() {
  Block &block = function.getBody().front();
  SmallVector<linalg::LinalgOp> readers(block.getOps<linalg::LinalgOp>());
  for (linalg::LinalgOp reader : readers) {
    if (!isContractionBody(reader) && !isElementwise(reader))
      continue;
    SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
    SmallVector<Value> inputs(reader.getDpsInputs());
    bool changes = false;
    for (auto [number, input] : llvm::enumerate(inputs))
      while (true) {
        AffineMap through;
        Value from = input;
        if (auto collapse = input.getDefiningOp<tensor::CollapseShapeOp>()) {
          through = collapsedDims(collapse);
          from = collapse.getSrc();
          if (!through)
            break;
        }
        auto repeater = from.getDefiningOp<linalg::LinalgOp>();
        AffineMap read = repetition(repeater);
        if (!read || repeater.hasDynamicShape())
          break;
        AffineMap map = through ? read.compose(through) : read;
        map = simplifyAffineMap(map.compose(maps[number]));
        SmallVector<AffineMap> all = maps;
        all[number] = map;
        if (!AxisRegrouping::indexesByQuotients(map) ||
            !coversLoops(all, reader.getNumLoops()))
          break;
        maps = std::move(all);
        input = repeater.getDpsInputOperand(0)->get();
        changes = true;
      }
    if (!changes)
      continue;
    rewriter.setInsertionPoint(reader);
    auto copy = linalg::GenericOp::create(
        rewriter, reader.getLoc(), reader->getResultTypes(), inputs,
        reader.getDpsInits(), maps, reader.getIteratorTypesArray());
    IRMapping mapping;
    reader->getRegion(0).cloneInto(&copy.getRegion(), mapping);
    rewriter.replaceOp(reader, copy.getResults());
  }
  eraseUnused(block, rewriter);
}

//===----------------------------------------------------------------------===//
// Loops that are divided
//===----------------------------------------------------------------------===//

/// Divides a loop in two, with all loops of its axis, if operands are indexed
/// by a quotient of it.
void AxisMerger::takeApart() {
  Block &block = function.getBody().front();
  SmallVector<linalg::LinalgOp> all(block.getOps<linalg::LinalgOp>());
  llvm::SmallPtrSet<Operation *, 16> done;
  for (linalg::LinalgOp op : all) {
    if (done.contains(op) || !AxisRegrouping::canRegroup(op) ||
        llvm::none_of(op.getIndexingMapsArray(), AxisRegrouping::hasQuotient))
      continue;
    // All operators that are connected by values.
    llvm::SmallSetVector<Operation *, 16> connected;
    connected.insert(op);
    for (size_t i = 0; i < connected.size(); ++i) {
      auto own = cast<linalg::LinalgOp>(connected[i]);
      auto add = [&](Operation *other) {
        auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(other);
        if (linalgOp && other->getBlock() == &block &&
            AxisRegrouping::canRegroup(linalgOp))
          connected.insert(other);
      };
      for (OpOperand *operand : own.getDpsInputOperands())
        if (!AxisRegrouping::hasQuotient(own.getMatchingIndexingMap(operand)))
          add(operand->get().getDefiningOp());
      for (OpOperand &use : own->getResult(0).getUses()) {
        auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
        if (user && user.isDpsInput(&use) &&
            !AxisRegrouping::hasQuotient(user.getMatchingIndexingMap(&use)))
          add(user);
      }
    }
    Operators operators;
    for (linalg::LinalgOp each : all)
      if (connected.contains(each))
        operators.push_back(each);
    done.insert(connected.begin(), connected.end());
    FailureOr<AxisRegrouping> regrouping =
        AxisRegrouping::compute(std::move(operators));
    if (failed(regrouping) || !regrouping->takesApart()) {
      remarkMissed(
          op, "fuse", "loops-not-split",
          "a loop whose quotient indexes an operand stays one loop: the "
          "operators that it runs through do not fit together");
      continue;
    }
    regrouping->adopt(rewriter, regrouping->rewrite(rewriter));
  }
  eraseUnused(block, rewriter);
}

//===----------------------------------------------------------------------===//
// Loops that are joined
//===----------------------------------------------------------------------===//

/// Returns the forms of the operators as one kernel, without padding around
/// their inputs: with joined loops where loops can be joined, otherwise
/// unchanged.
FormCosts AxisMerger::predictForms(const Operators &operators) {
  FormCosts forms;
  for (bool withIndices : {false, true}) {
    if (!llvm::all_of(operators, AxisRegrouping::canRegroup))
      break;
    FailureOr<AxisRegrouping> regrouping = AxisRegrouping::compute(operators);
    if (failed(regrouping) || !regrouping->join(withIndices))
      continue;
    forms.add([this, regrouping = *regrouping](bool isExact) {
      AxisRegrouping::Rewritten rewritten = regrouping.rewrite(rewriter);
      FormEvaluator::PredictedCost cost =
          evaluator.predict(rewritten.operators, isExact);
      AxisRegrouping::discard(rewriter, rewritten);
      return cost;
    });
  }
  if (!forms.predict().time)
    forms.add([this, operators](bool isExact) {
      return evaluator.predict(operators, isExact);
    });
  return forms;
}

/// Lets a convolution whose window reads a contraction's values recompute these
/// at the places of the window, if that is predicted to be faster.
void AxisMerger::inlineIntoWindows() {
  SmallVector<linalg::LinalgOp> all(
      function.getBody().front().getOps<linalg::LinalgOp>());
  for (linalg::LinalgOp op : all)
    if (isConvolution(op))
      inlineIntoWindow(op);
}

void AxisMerger::inlineIntoWindow(linalg::LinalgOp convolution) {
  auto keep = [&](const Twine &why) {
    remarkMissed(convolution, "fuse", "window-apart",
                 "not fused with the contraction that its window reads: " +
                     why);
  };
  std::string reason;
  std::optional<WindowInlining> inlining =
      WindowInlining::find(convolution, reason);
  if (!inlining) {
    if (!reason.empty())
      keep(reason);
    return;
  }
  // The operators around either contraction.
  Operators before, after;
  for (CandidateSequence &sequence : collectCandidateSequences(function))
    for (unsigned i = 0; i < sequence.links.size(); ++i) {
      bool isFirst = sequence.links[i].contraction == inlining->producer();
      if (!isFirst && sequence.links[i].contraction != convolution)
        continue;
      if (isFirst && sequence.links.size() > 1)
        return keep("that is part of a chain already");
      Operators &list = isFirst ? before : after;
      list = sequence.operators(i, i, /*all=*/true, /*joined=*/false,
                                /*heads=*/false);
      llvm::erase_if(list, [](linalg::LinalgOp op) {
        return matchPadding(op).has_value();
      });
    }
  if (before.empty() || after.empty())
    return;
  double apart = 0;
  for (const Operators &each : {before, after}) {
    FormCosts forms = predictForms(each);
    while (forms.refine())
      ;
    apart += forms.predict().least();
  }
  Operators together = inlining->build(rewriter);
  linalg::LinalgOp contraction = together.back();
  Value old = convolution->getResult(0), made = contraction->getResult(0);
  rewriter.replaceAllUsesWith(old, made);
  // Values that the old operators still read would have to leave the group.
  for (linalg::LinalgOp op : after)
    if (op != convolution && !llvm::is_contained(op->getUsers(), convolution))
      together.push_back(op);
  llvm::sort(together, [](linalg::LinalgOp a, linalg::LinalgOp b) {
    return a->isBeforeInBlock(b);
  });
  FormCosts forms = predictForms(together);
  auto mayPay = [&] {
    FormEvaluator::PredictedCost cost = forms.predict();
    return cost.time && (forceFusion || cost.least() < apart);
  };
  while (mayPay() && forms.refine())
    ;
  bool pays = mayPay();
  std::optional<double> fused = forms.predict().time;
  if (!pays) {
    rewriter.replaceAllUsesWith(made, old);
    inlining->discard(rewriter);
  }
  if (!fused)
    return keep(
        "computed at each place of the window there is no kernel of both");
  std::string numbers =
      std::isfinite(apart)
          ? llvm::formatv("predicted {0:F2} us against {1:F2} us apart",
                          *fused * 1e6, apart * 1e6)
                .str()
          : llvm::formatv("predicted {0:F2} us", *fused * 1e6).str();
  if (!pays)
    return keep("computed at each place of the window, " + numbers);
  // A later pass that fuses the two cannot tell otherwise what they took as
  // separate kernels.
  if (std::isfinite(apart))
    contraction->setDiscardableAttr(kSecondsApartAttrName,
                                    rewriter.getF64FloatAttr(apart));
  if (*fused > apart)
    numbers += " (forced)";
  remarkPassed(convolution, "fuse", "window-inlined",
               "the contraction that its window reads is computed at each "
               "place of the window: " +
                   numbers);
  eraseUnused(function.getBody().front(), rewriter);
}

void AxisMerger::merge(const Operators &given) {
  Operators operators = given;
  auto adopt = [&](const AxisRegrouping &regrouping,
                   const AxisRegrouping::Rewritten &rewritten) {
    remarkPassed(operators.front(), "fuse", "loops-joined",
                 "no tensor tells loops of " + regrouping.describeJoined() +
                     " iterations apart: they are one loop");
    regrouping.adopt(rewriter, rewritten);
    operators = rewritten.operators;
  };
  auto canRegroup = [](linalg::LinalgOp op) {
    return AxisRegrouping::canRegroup(op);
  };
  if (!llvm::all_of(operators, canRegroup))
    return;
  FailureOr<AxisRegrouping> plain = AxisRegrouping::compute(operators);
  if (failed(plain))
    return;
  if (plain->join(/*withIndices=*/false))
    adopt(*plain, plain->rewrite(rewriter));
  // Operators that compute with an index then need divisions, and masks exclude
  // fewer tiles, as they are equal for fewer rows of a tile. The cost model
  // decides whether that is worth it.
  assert(llvm::all_of(operators, canRegroup) && "joined loops are loops");
  FailureOr<AxisRegrouping> indexed = AxisRegrouping::compute(operators);
  if (failed(indexed) || !indexed->join(/*withIndices=*/true))
    return;
  AxisRegrouping::Rewritten rewritten = indexed->rewrite(rewriter);
  FormCosts forms;
  for (const Operators &form : {operators, rewritten.operators})
    forms.add(
        [&, form](bool isExact) { return evaluator.predict(form, isExact); });
  while (forms.refine())
    ;
  if (forms.predict().time && forms.best() == 1)
    return adopt(*indexed, rewritten);
  AxisRegrouping::discard(rewriter, rewritten);
}

namespace {

struct MergeAxesPass : fusion::impl::FuseMergeAxesBase<MergeAxesPass> {
  using FuseMergeAxesBase::FuseMergeAxesBase;

  void runOnOperation() override {
    FailureOr<const ChipInfo *> target = resolveChip(getOperation(), chip);
    if (failed(target))
      return signalPassFailure();
    auto &memo = getAnalysis<SearchMemo>();
    markAnalysesPreserved<SearchMemo>();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        AxisMerger(function, **target, skipMasked, forceFusion, memo).run();
  }
};

} // namespace
