//===- SplitReductions.cpp - fuse-split-reductions
//----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/GroupAxes.h"
#include "fusion/Analysis/SplitReduction.h"
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
    const Product &last = lastProduct();
    sum = axes.values[last.result];
    for (auto [index, op] : llvm::enumerate(axes.operators))
      if (!axes.productOf[index] &&
          axes.followsProduct[index] == axes.model.tensors[last.result].product)
        followers.push_back(op);
  }

  LogicalResult run();

private:
  const Product &lastProduct() const {
    for (const Product &product : axes.model.products)
      if (axes.model.tensors[product.result].role == TensorRole::Result)
        return product;
    llvm_unreachable("a chain has a result");
  }

  /// The operations of the chain's body that `roots` are computed from, other
  /// than `without`, in program order.
  SmallVector<Operation *> collect(ArrayRef<Operation *> roots,
                                   Operation *without = nullptr);
  /// The chain's arguments that `operations` use.
  SmallVector<BlockArgument> argumentsOf(ArrayRef<Operation *> operations);
  /// Opens a group's body with an argument for each of the chain's `arguments`
  /// and those of `further` types; maps the former.
  Block *openBody(Operation *group, ArrayRef<BlockArgument> arguments,
                  TypeRange further, IRMapping &mapping);
  FailureOr<fuse::ScheduleAttr> partialSchedule(ValueRange yielded,
                                                fuse::ChainOp group);
  FailureOr<fuse::ChainOp> buildPartial();
  fuse::StitchOp buildCombine(Value parts);
  Value addParts(Value parts, Value destination);

  RewriterBase &rewriter;
  fuse::ChainOp chain;
  GroupAxes &axes;
  Schedule &schedule;
  unsigned split;
  Value sum; ///< of the last product
  SmallVector<linalg::LinalgOp> followers;
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

/// The chain's schedule without what followed the last product: the same
/// tensors under the same names.
FailureOr<fuse::ScheduleAttr> Splitter::partialSchedule(ValueRange yielded,
                                                        fuse::ChainOp group) {
  auto fail = [&](const Twine &why) {
    chain.emitError("cannot be split: ") << why;
  };
  FailureOr<GroupAxes> partial = GroupAxes::compute(
      cast<fuse::FusedGroupOpInterface>(group.getOperation()).getOperators(),
      yielded, fail);
  if (failed(partial))
    return failure();
  Schedule result = schedule;
  std::function<void(TilingTree &)> drop = [&](TilingTree &items) {
    llvm::erase_if(items, [&](const TilingNode &node) {
      return !node.isLoop() && isCombined(axes.model, schedule, node.index);
    });
    for (TilingNode &node : items)
      if (node.isLoop())
        drop(node.children);
      else
        node.index =
            *partial->model.findTensor(axes.model.tensors[node.index].name);
  };
  drop(result.tree);
  result.places.assign(partial->model.tensors.size(), {});
  for (auto [index, tensor] : llvm::enumerate(axes.model.tensors))
    if (!isCombined(axes.model, schedule, index))
      result.places[*partial->model.findTensor(tensor.name)] =
          schedule.places[index];
  return exportSchedule(result, partial->model, rewriter.getContext());
}

FailureOr<fuse::ChainOp> Splitter::buildPartial() {
  Location loc = chain.getLoc();
  auto type = cast<RankedTensorType>(sum.getType());
  int64_t parts = schedule.splitOf(split);
  SmallVector<int64_t> shape = {parts};
  llvm::append_range(shape, type.getShape());
  Value destination =
      tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  SmallVector<Operation *> operations = collect(sum.getDefiningOp());
  SmallVector<BlockArgument> arguments = argumentsOf(operations);
  SmallVector<Value> inputs;
  for (BlockArgument argument : arguments)
    inputs.push_back(chain->getOperand(argument.getArgNumber()));
  auto attribute = fuse::PartialAttr::get(
      rewriter.getContext(), axes.model.axes[split].name, parts,
      sequentialTrips(axes.model, schedule, split) * schedule.tiles[split]);
  auto group =
      fuse::ChainOp::create(rewriter, loc, destination.getType(), inputs,
                            destination, fuse::ScheduleAttr(), attribute);
  OpBuilder::InsertionGuard guard(rewriter);
  IRMapping mapping;
  openBody(group, arguments, destination.getType(), mapping);
  // A sum that started from the chain's destination starts from a tensor of one
  // part.
  Value init = chain.getBody().getArguments().back();
  auto initType = cast<RankedTensorType>(init.getType());
  auto start = tensor::EmptyOp::create(rewriter, loc, initType.getShape(),
                                       initType.getElementType());
  mapping.map(init, start.getResult());
  for (Operation *op : operations)
    rewriter.clone(*op, mapping);
  if (start->use_empty())
    rewriter.eraseOp(start);
  Value yielded = mapping.lookup(sum);
  fuse::YieldOp::create(rewriter, loc, yielded);
  FailureOr<fuse::ScheduleAttr> attr = partialSchedule(yielded, group);
  if (failed(attr))
    return failure();
  group.setScheduleAttr(*attr);
  return group;
}

/// The parts added in order, starting from zero.
Value Splitter::addParts(Value parts, Value destination) {
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
               Value added =
                   isa<FloatType>(values[0].getType())
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
  SmallVector<Operation *> roots(followers.begin(), followers.end());
  SmallVector<Operation *> operations = collect(roots, sum.getDefiningOp());
  SmallVector<BlockArgument> arguments = argumentsOf(operations);
  SmallVector<Value> inputs;
  for (BlockArgument argument : arguments)
    inputs.push_back(chain->getOperand(argument.getArgNumber()));
  inputs.push_back(parts);
  auto group = fuse::StitchOp::create(
      rewriter, loc, chain.getResultTypes(), inputs, chain.getInits(),
      makeGenericSchedule(rewriter.getContext()), fuse::PartialAttr());
  OpBuilder::InsertionGuard guard(rewriter);
  IRMapping mapping;
  Type further[] = {parts.getType(), chain.getResultTypes().front()};
  Block *body = openBody(group, arguments, further, mapping);
  Value partsInside = body->getArgument(arguments.size());
  Value destination = body->getArguments().back();
  mapping.map(chain.getBody().getArguments().back(), destination);
  auto type = cast<RankedTensorType>(sum.getType());
  Value start = destination;
  if (!followers.empty())
    start = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                    type.getElementType());
  mapping.map(sum, addParts(partsInside, start));
  for (Operation *op : operations)
    rewriter.clone(*op, mapping);
  Value yielded =
      mapping.lookup(chain.getBody().front().getTerminator()->getOperand(0));
  fuse::YieldOp::create(rewriter, loc, yielded);
  return group;
}

LogicalResult Splitter::run() {
  rewriter.setInsertionPoint(chain);
  FailureOr<fuse::ChainOp> partial = buildPartial();
  if (failed(partial))
    return failure();
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
        llvm::all_of(attr.getParallel().getSplit(), [](NamedAttribute entry) {
          return cast<IntegerAttr>(entry.getValue()).getInt() == 1;
        }))
      return success();
    std::string reason;
    auto explain = [&](const Twine &why) { reason = why.str(); };
    auto group = cast<fuse::FusedGroupOpInterface>(chain.getOperation());
    FailureOr<GroupAxes> axes = GroupAxes::compute(
        group.getOperators(), group.getYieldedValues(), explain);
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
