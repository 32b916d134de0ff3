//===- SplitReductions.cpp - fuse-split-reductions ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergePartials.h"
#include "PartialSchedule.h"
#include "fusion/Analysis/Chains/ReadChain.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fusion {
#define GEN_PASS_DEF_FUSESPLITREDUCTIONS
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

/// Splits one chain.
class Splitter {
public:
  Splitter(RewriterBase &rewriter, fuse::ChainOp chain, GroupAxes &axes,
           Schedule &schedule)
      : rewriter(rewriter), chain(chain), axes(axes), schedule(schedule),
        split(*schedule.splitAxis()) {
    const Contraction &last = lastProduct();
    sum = axes.values[last.result];
    for (auto [index, op] : llvm::enumerate(axes.operators))
      if (!axes.contractionOf[index] &&
          axes.followsContraction[index] ==
              axes.model.tensors[last.result].contraction)
        epilogueOps.push_back(op);
    for (auto [known, derived] :
         llvm::zip_equal(axes.model.online, axes.onlineForms))
      if (known.axis == split)
        online = derived.get();
  }

  LogicalResult run();

private:
  const Contraction &lastProduct() const {
    for (const Contraction &contraction : axes.model.contractions)
      if (axes.model.tensors[contraction.result].role == TensorRole::Result)
        return contraction;
    llvm_unreachable("a chain has a result");
  }

  /// Returns the operations of the chain's body that `roots` are computed from,
  /// other than `without`, in program order.
  SmallVector<Operation *> collect(ArrayRef<Operation *> roots,
                                   Operation *without = nullptr);
  /// Returns the chain's arguments that `operations` use.
  SmallVector<BlockArgument> argumentsOf(ArrayRef<Operation *> operations);
  /// Opens a group's body with an argument for each of the chain's `arguments`
  /// and for each of the `further` types. Maps the former.
  Block *openBody(Operation *group, ArrayRef<BlockArgument> arguments,
                  TypeRange further, IRMapping &mapping);
  /// Copies an operator. Factors that are taken out of its sum are left out,
  /// and reductions of partial results start from their identity.
  void cloneOperator(Operation *op, IRMapping &mapping);
  FailureOr<fuse::ChainOp> buildPartial();
  LogicalResult mergePartials(fuse::ChainOp partial);
  fuse::StitchOp buildCombine(Value parts);
  Value addPartials(Value parts, Value destination);

  RewriterBase &rewriter;
  fuse::ChainOp chain;
  GroupAxes &axes;
  Schedule &schedule;
  unsigned split;
  Value sum; ///< of the last contraction
  SmallVector<linalg::LinalgOp> epilogueOps;
  const OnlineForm *online = nullptr; ///< of the axis, where reductions run
  std::optional<SplitForm> form;      ///< with `online`
};

} // namespace

SmallVector<Operation *> Splitter::collect(ArrayRef<Operation *> roots,
                                           Operation *without) {
  llvm::SmallPtrSet<Operation *, 16> wanted;
  SmallVector<Operation *> pending(roots);
  auto want = [&](Value value) {
    Operation *definer = value.getDefiningOp();
    if (definer && definer != without && definer->getParentOp() == chain)
      pending.push_back(definer);
  };
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!wanted.insert(op).second)
      continue;
    llvm::for_each(op->getOperands(), want);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::for_each(captured, want);
  }
  SmallVector<Operation *> result;
  for (Operation &op : chain.getBody().front())
    if (wanted.contains(&op))
      result.push_back(&op);
  return result;
}

SmallVector<BlockArgument>
Splitter::argumentsOf(ArrayRef<Operation *> operations) {
  llvm::SmallSetVector<Value, 8> used;
  for (Operation *op : operations) {
    used.insert_range(op->getOperands());
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    used.insert_range(captured);
  }
  SmallVector<BlockArgument> result;
  unsigned inputs = chain.getInputs().size();
  for (BlockArgument argument :
       chain.getBody().getArguments().take_front(inputs))
    if (used.contains(argument))
      result.push_back(argument);
  return result;
}

Block *Splitter::openBody(Operation *group, ArrayRef<BlockArgument> arguments,
                          TypeRange further, IRMapping &mapping) {
  SmallVector<Type> types(ValueRange(arguments).getTypes());
  llvm::append_range(types, further);
  Block *body =
      rewriter.createBlock(&group->getRegion(0), {}, types,
                           SmallVector<Location>(types.size(), chain.getLoc()));
  for (auto [outer, inner] : llvm::zip(arguments, body->getArguments()))
    mapping.map(outer, inner);
  return body;
}

void Splitter::cloneOperator(Operation *op, IRMapping &mapping) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!online || !linalgOp) {
    rewriter.clone(*op, mapping);
    return;
  }
  std::optional<ReductionBody> reduction = matchReduction(linalgOp);
  if (reduction) {
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value identity = arith::ConstantOp::create(
        rewriter, loc, reductionIdentity(rewriter, loc, *reduction));
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    Value start =
        linalg::FillOp::create(rewriter, loc, identity, empty).getResult(0);
    auto copy = cast<linalg::LinalgOp>(rewriter.clone(*op, mapping));
    copy.getDpsInitOperand(0)->set(start);
    return;
  }
  bool isSkipped = llvm::any_of(*linalgOp.getBlock(), [&](Operation &inner) {
    return online->skipped.contains(&inner);
  });
  if (!isSkipped) {
    rewriter.clone(*op, mapping);
    return;
  }
  // The operands that the copy still reads.
  llvm::SetVector<Value> read = tensorsReadBy(linalgOp, online);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
  for (OpOperand *operand : linalgOp.getDpsInputOperands()) {
    if (isa<RankedTensorType>(operand->get().getType()) &&
        !read.contains(operand->get()))
      continue;
    inputs.push_back(mapping.lookupOrDefault(operand->get()));
    maps.push_back(linalgOp.getMatchingIndexingMap(operand));
    arguments.push_back(linalgOp.getMatchingBlockArgument(operand));
  }
  OpOperand *init = linalgOp.getDpsInitOperand(0);
  maps.push_back(linalgOp.getMatchingIndexingMap(init));
  auto copy = linalg::GenericOp::create(
      rewriter, op->getLoc(), op->getResultTypes(), inputs,
      mapping.lookupOrDefault(init->get()), maps,
      linalgOp.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange values) {
        IRMapping inside(mapping);
        for (auto [argument, value] : llvm::zip(arguments, values))
          inside.map(argument, value);
        inside.map(linalgOp.getMatchingBlockArgument(init), values.back());
        std::function<Value(Value)> copyOf = [&](Value scalar) -> Value {
          if (Value known = inside.lookupOrNull(scalar))
            return known;
          Operation *inner = scalar.getDefiningOp();
          if (!inner || inner->getBlock() != linalgOp.getBlock())
            return scalar;
          auto skipped = online->skipped.find(inner);
          Value made;
          if (skipped != online->skipped.end()) {
            made = copyOf(inner->getOperand(skipped->second));
          } else {
            for (Value operand : inner->getOperands())
              inside.map(operand, copyOf(operand));
            made = builder.clone(*inner, inside)->getResult(0);
          }
          inside.map(scalar, made);
          return made;
        };
        linalg::YieldOp::create(
            builder, loc,
            copyOf(linalgOp.getBlock()->getTerminator()->getOperand(0)));
      });
  mapping.map(op->getResults(), copy.getResults());
}

FailureOr<fuse::ChainOp> Splitter::buildPartial() {
  Location loc = chain.getLoc();
  int64_t parts = schedule.splitOf(split);
  // The sum, and the running values.
  SmallVector<Value> leaving = {sum};
  SmallVector<Operation *> roots = {sum.getDefiningOp()}, operations;
  if (form) {
    for (unsigned reduction : form->stored) {
      linalg::LinalgOp op = axes.operators[axes.operatorOf(reduction)];
      leaving.push_back(op->getResult(0));
    }
    roots.clear();
    for (unsigned op : form->partial)
      roots.push_back(axes.operators[op]);
  }
  operations = collect(roots);
  if (form)
    llvm::erase_if(operations, [&](Operation *op) {
      auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      return linalgOp && !isa<linalg::FillOp>(op) &&
             !llvm::is_contained(roots, op);
    });
  SmallVector<Value> destinations;
  for (Value value : leaving) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape = {parts};
    llvm::append_range(shape, type.getShape());
    destinations.push_back(
        tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType()));
  }
  SmallVector<BlockArgument> arguments = argumentsOf(operations);
  SmallVector<Value> inputs;
  for (BlockArgument argument : arguments)
    inputs.push_back(chain->getOperand(argument.getArgNumber()));
  auto attribute = fuse::PartialAttr::get(
      rewriter.getContext(), axes.model.axes[split].name, parts,
      sequentialTrips(axes.model, schedule, split) * schedule.tiles[split]);
  auto group = fuse::ChainOp::create(
      rewriter, loc, ValueRange(destinations).getTypes(), inputs, destinations,
      fuse::ScheduleAttr(), attribute,
      /*predicted=*/DictionaryAttr());
  OpBuilder::InsertionGuard guard(rewriter);
  IRMapping mapping;
  openBody(group, arguments, ValueRange(destinations).getTypes(), mapping);
  // Operators that started from one of the chain's destinations start from a
  // tensor of one partial result.
  for (BlockArgument init :
       chain.getBody().getArguments().drop_front(chain.getInputs().size())) {
    auto type = cast<RankedTensorType>(init.getType());
    Value start = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    mapping.map(init, start);
  }
  for (Operation *op : operations)
    cloneOperator(op, mapping);
  SmallVector<Value> yielded;
  for (Value value : leaving)
    yielded.push_back(mapping.lookup(value));
  fuse::YieldOp::create(rewriter, loc, yielded);
  // Erases operations that only the left-out operators needed.
  Block &body = group.getBody().front();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::drop_begin(llvm::reverse(body))))
    if (op.use_empty())
      rewriter.eraseOp(&op);
  FailureOr<fuse::ScheduleAttr> attr =
      makePartialSchedule(axes, schedule, group, yielded, mapping);
  if (failed(attr))
    return failure();
  group.setScheduleAttr(*attr);
  return group;
}

/// Adds the partial results in order, starting from zero.
Value Splitter::addPartials(Value parts, Value destination) {
  Location loc = chain.getLoc();
  auto type = cast<RankedTensorType>(destination.getType());
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  Value start =
      linalg::FillOp::create(rewriter, loc, zero, destination).getResult(0);
  unsigned rank = type.getRank();
  MLIRContext *context = rewriter.getContext();
  SmallVector<AffineMap> maps = {
      AffineMap::getMultiDimIdentityMap(rank + 1, context),
      AffineMap::getMultiDimIdentityMap(rank + 1, context).dropResult(0)};
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  iterators.front() = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             rewriter, loc, type, parts, start, maps, iterators,
             [](OpBuilder &builder, Location at, ValueRange values) {
               Value added = isa<FloatType>(values[0].getType())
                                 ? arith::AddFOp::create(builder, at, values[1],
                                                         values[0])
                                       .getResult()
                                 : arith::AddIOp::create(builder, at, values[1],
                                                         values[0]);
               linalg::YieldOp::create(builder, at, added);
             })
      .getResult(0);
}

fuse::StitchOp Splitter::buildCombine(Value parts) {
  Location loc = chain.getLoc();
  SmallVector<Operation *> roots(epilogueOps.begin(), epilogueOps.end());
  SmallVector<Operation *> operations = collect(roots, sum.getDefiningOp());
  SmallVector<BlockArgument> arguments = argumentsOf(operations);
  SmallVector<Value> inputs;
  for (BlockArgument argument : arguments)
    inputs.push_back(chain->getOperand(argument.getArgNumber()));
  inputs.push_back(parts);
  auto group = fuse::StitchOp::create(rewriter, loc, chain.getResultTypes(),
                                      inputs, chain.getInits(),
                                      fuse::ScheduleAttr(), fuse::PartialAttr(),
                                      /*predicted=*/DictionaryAttr());
  OpBuilder::InsertionGuard guard(rewriter);
  IRMapping mapping;
  Type further[] = {parts.getType(), chain.getResultTypes().front()};
  Block *body = openBody(group, arguments, further, mapping);
  Value partsInside = body->getArgument(arguments.size());
  Value destination = body->getArguments().back();
  mapping.map(chain.getBody().getArguments().back(), destination);
  auto type = cast<RankedTensorType>(sum.getType());
  Value start = destination;
  if (!epilogueOps.empty())
    start = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                    type.getElementType());
  mapping.map(sum, addPartials(partsInside, start));
  for (Operation *op : operations)
    rewriter.clone(*op, mapping);
  Value yielded =
      mapping.lookup(chain.getBody().front().getTerminator()->getOperand(0));
  fuse::YieldOp::create(rewriter, loc, yielded);
  group.setGroupSchedule(
      makeGenericSchedule(rewriter.getContext(), group.getOperators()));
  return group;
}

LogicalResult Splitter::mergePartials(fuse::ChainOp partial) {
  PartialValues parts;
  parts.sum = partial->getResult(0);
  for (auto [i, reduction] : llvm::enumerate(form->stored))
    parts.reductions[reduction] = partial->getResult(i + 1);
  SmallVector<Value> results;
  for (const MergedResult &result : form->results)
    results.push_back(buildMerge(rewriter, chain, axes, *online, result, parts)
                          ->getResult(0));
  rewriter.replaceOp(chain, results);
  return success();
}

LogicalResult Splitter::run() {
  rewriter.setInsertionPoint(chain);
  if (online) {
    auto explain = [&](const Twine &why) {
      chain.emitError("cannot be split: ") << why;
    };
    FailureOr<SplitForm> derived = deriveSplit(axes, split, *online, explain);
    if (failed(derived))
      return failure();
    form = std::move(*derived);
  }
  FailureOr<fuse::ChainOp> partial = buildPartial();
  if (failed(partial))
    return failure();
  if (form)
    return mergePartials(*partial);
  fuse::StitchOp combine = buildCombine(partial->getResult(0));
  rewriter.replaceOp(chain, combine.getResults());
  return success();
}

namespace {

struct SplitReductionsPass
    : fusion::impl::FuseSplitReductionsBase<SplitReductionsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<fuse::ChainOp> chains;
    getOperation().walk([&](fuse::ChainOp chain) { chains.push_back(chain); });
    for (fuse::ChainOp chain : chains)
      if (failed(splitChain(rewriter, chain)))
        return signalPassFailure();
  }

  static LogicalResult splitChain(RewriterBase &rewriter, fuse::ChainOp chain) {
    fuse::ScheduleAttr attr = chain.getScheduleAttr();
    if (!attr || !attr.getParallel() || chain.getPartialAttr() ||
        attr.getParallel().getInCluster() ||
        llvm::all_of(attr.getParallel().getSplit(), [](NamedAttribute entry) {
          return cast<IntegerAttr>(entry.getValue()).getInt() == 1;
        }))
      return success();
    std::string reason;
    auto explain = [&](const Twine &why) { reason = why.str(); };
    auto group = cast<fuse::FusedGroupOpInterface>(chain.getOperation());
    FailureOr<GroupAxes> axes =
        readChain(group.getOperators(), group.getYieldedValues(), explain);
    if (failed(axes))
      return chain.emitError("cannot be lowered as a chain: ") << reason;
    std::optional<Schedule> schedule =
        importSchedule(attr, axes->model, explain);
    if (!schedule)
      return chain.emitError("schedule does not fit the group: ") << reason;
    for (const Axis &axis : axes->model.axes)
      if (axis.isDynamic)
        return chain.emitError("reductions cannot be split: axis '")
               << axis.name << "' has no static extent";
    if (auto illegal = whyNotSplit(axes->model, *schedule))
      return chain.emitError("schedule cannot be lowered: ") << *illegal;
    return Splitter(rewriter, chain, *axes, *schedule).run();
  }
};

} // namespace
