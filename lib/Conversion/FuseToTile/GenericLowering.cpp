//===- GenericLowering.cpp - One thread for each point of the result
//----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generic form, which exists for every linalg operator: parallel loops run
// over the threads of the grid, reductions are loops in a thread. In a group of
// several operators, threads are assigned to the points of the last one. A
// value of another operator is computed by the thread that reads it, at each
// point where it is read (FusionStitching's thread composition).
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "fusion/Analysis/Resources/GenericTraffic.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusion;

namespace {

/// The results of an operator at one point, valid in the surrounding loops.
struct EvaluatedPoint {
  Operation *op;
  SmallVector<Value> coordinates; ///< of the results
  SmallVector<Value> results;
};

class GenericLowering {
public:
  GenericLowering(fuse::FusedGroupOpInterface group, linalg::LinalgOp op,
                  StringRef name)
      : group(group), op(op),
        kernel(group, name, group.getGroupSchedule().getMapping().getWarps()),
        b(kernel.builder()), loc(op.getLoc()) {
    if (fuse::PipelineAttr pipeline = group.getGroupSchedule().getPipeline())
      stages = pipeline.getRegisterStages();
  }

  LogicalResult run(RewriterBase &rewriter);

private:
  Value extent(unsigned loop);
  Value hostExtent(OpBuilder &builder, unsigned loop);
  Value linearIndex(Value tensor, ValueRange index);
  SmallVector<Value> coordinatesOf(OpOperand *operand);
  Value loadOperand(OpOperand *operand);
  SmallVector<Value> evaluate();
  SmallVector<Value> evaluateAt(linalg::LinalgOp producer,
                                ArrayRef<Value> coordinates);
  Value initialValue(OpOperand *init);
  SmallVector<Value> emitReductions(ArrayRef<unsigned> loops,
                                    ValueRange accumulators);
  SmallVector<Value> emitLoop(Value from, Value to, int64_t step,
                              ArrayRef<unsigned> loops,
                              ValueRange accumulators);
  SmallVector<Value> emitIterations(Value from, int64_t count, unsigned loop,
                                    ValueRange accumulators);
  SmallVector<Value> emitBody(ValueRange accumulators);
  void mapOuterConstant(Value value, IRMapping &mapping);
  Value readTensor(Operation *inner, IRMapping &mapping);

  fuse::FusedGroupOpInterface group;
  linalg::LinalgOp op; ///< the current operator
  KernelBuilder kernel;
  OpBuilder &b;
  Location loc;
  int64_t stages = 1; ///< iterations of an innermost loop that load together
  SmallVector<Value> index;          ///< by loop of the current operator
  SmallVector<EvaluatedPoint> known; ///< in the current loops
};

} // namespace

/// Returns the argument of the kernel, and its dimension, with the extent of a
/// dimension of `tensor`.
static std::optional<std::pair<Value, int64_t>>
findArgument(Value tensor, int64_t dimension) {
  while (true) {
    if (isa<BlockArgument>(tensor))
      return std::make_pair(tensor, dimension);
    auto definer = tensor.getDefiningOp<linalg::LinalgOp>();
    if (!definer)
      return std::nullopt;
    tensor = definer.getDpsInits()[cast<OpResult>(tensor).getResultNumber()];
  }
}

/// Returns an argument and its dimension that have a loop's extent.
static std::optional<std::pair<Value, int64_t>> findExtent(linalg::LinalgOp op,
                                                           unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    for (auto [d, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (dim.getPosition() == loop)
          if (auto argument = findArgument(operand.get(), d))
            return argument;
  }
  return std::nullopt;
}

Value GenericLowering::extent(unsigned loop) {
  int64_t size = op.getStaticLoopRanges()[loop];
  if (!ShapedType::isDynamic(size))
    return kernel.constant(size);
  if (auto argument = findExtent(op, loop))
    return kernel.size(argument->first, argument->second);
  return {};
}

/// Returns the extent of a loop in the host's program, from the group's
/// operands.
Value GenericLowering::hostExtent(OpBuilder &builder, unsigned loop) {
  int64_t size = op.getStaticLoopRanges()[loop];
  if (!ShapedType::isDynamic(size))
    return arith::ConstantIndexOp::create(builder, loc, size);
  auto argument = findExtent(op, loop);
  Value operand =
      group->getOperand(cast<BlockArgument>(argument->first).getArgNumber());
  return tensor::DimOp::create(builder, loc, operand, argument->second);
}

/// Returns the row-major offset, in elements, of an element of an argument.
Value GenericLowering::linearIndex(Value tensor, ValueRange coordinates) {
  Value position = kernel.constant(0);
  for (auto [d, coordinate] : llvm::enumerate(coordinates)) {
    if (d != 0)
      position =
          arith::MulIOp::create(b, loc, position, kernel.size(tensor, d));
    position = arith::AddIOp::create(b, loc, position, coordinate);
  }
  return position;
}

/// Returns the coordinates at which the current operator accesses an operand.
SmallVector<Value> GenericLowering::coordinatesOf(OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (map.getNumResults() == 0)
    return {};
  return *affine::expandAffineMap(b, loc, map, index);
}

Value GenericLowering::loadOperand(OpOperand *operand) {
  Value value = operand->get();
  if (value.getDefiningOp<linalg::FillOp>())
    return initialValue(operand);
  // The contents of an empty tensor are undefined.
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return arith::ConstantOp::create(
        b, loc, b.getZeroAttr(empty.getType().getElementType()));
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type) {
    if (Value argument = kernel.argument(value))
      return argument;
    return b.clone(*value.getDefiningOp())->getResult(0);
  }
  SmallVector<Value> coordinates = coordinatesOf(operand);
  if (auto producer = value.getDefiningOp<linalg::LinalgOp>())
    return evaluateAt(producer,
                      coordinates)[cast<OpResult>(value).getResultNumber()];
  return tile::ElementLoadOp::create(b, loc, type.getElementType(),
                                     kernel.argument(value),
                                     linearIndex(value, coordinates));
}

/// Returns the initial value of a result: the filled value, or the element of
/// the operand that carries it.
Value GenericLowering::initialValue(OpOperand *init) {
  if (auto fill = init->get().getDefiningOp<linalg::FillOp>()) {
    Value value = fill.getInputs()[0];
    if (Value argument = kernel.argument(value))
      return argument;
    return b.clone(*value.getDefiningOp())->getResult(0);
  }
  return loadOperand(init);
}

/// Copies a constant that the body captures from outside.
void GenericLowering::mapOuterConstant(Value value, IRMapping &mapping) {
  Operation *definer = value.getDefiningOp();
  if (definer && definer->getBlock() == &group->getRegion(0).front() &&
      !mapping.contains(value) && matchPattern(definer, m_Constant()))
    mapping.map(value, b.clone(*definer)->getResult(0));
}

/// Returns what replaces an operation of the body that reads an index, an
/// element or a size of a tensor; null for other operations.
Value GenericLowering::readTensor(Operation *inner, IRMapping &mapping) {
  if (auto indexOp = dyn_cast<linalg::IndexOp>(inner))
    return index[indexOp.getDim()];
  if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
    SmallVector<Value> coordinates;
    for (Value coordinate : extract.getIndices()) {
      mapOuterConstant(coordinate, mapping);
      coordinates.push_back(mapping.lookupOrDefault(coordinate));
    }
    return tile::ElementLoadOp::create(
        b, loc, extract.getType(), kernel.argument(extract.getTensor()),
        linearIndex(extract.getTensor(), coordinates));
  }
  if (auto dim = dyn_cast<tensor::DimOp>(inner))
    if (std::optional<int64_t> d = dim.getConstantIndex())
      return kernel.size(dim.getSource(), *d);
  return {};
}

/// Copies the body for one point. Returns the values that it yields.
SmallVector<Value> GenericLowering::emitBody(ValueRange accumulators) {
  Block *body = op.getBlock();
  IRMapping mapping;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (!argument.use_empty())
      mapping.map(argument, loadOperand(operand));
  }
  for (auto [number, accumulator] : llvm::enumerate(accumulators))
    if (accumulator)
      mapping.map(op.getMatchingBlockArgument(op.getDpsInitOperand(number)),
                  accumulator);
  for (BlockArgument argument : group->getRegion(0).getArguments())
    if (!isa<RankedTensorType>(argument.getType()))
      mapping.map(argument, kernel.argument(argument));
  for (Operation &inner : body->without_terminator()) {
    if (Value value = readTensor(&inner, mapping)) {
      mapping.map(inner.getResult(0), value);
      continue;
    }
    for (Value operand : inner.getOperands())
      mapOuterConstant(operand, mapping);
    Operation *copy = b.clone(inner, mapping);
    // The bodies of named operators have no locations of their own.
    copy->walk([&](Operation *nested) {
      if (isa<UnknownLoc>(nested->getLoc()))
        nested->setLoc(loc);
    });
    // Regions were copied unchanged.
    IRMapping none;
    for (Region &region : copy->getRegions())
      region.walk([&](Operation *nested) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(nested);
        if (Value value = readTensor(nested, none)) {
          nested->getResult(0).replaceAllUsesWith(value);
          nested->erase();
        }
      });
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands()) {
    mapOuterConstant(value, mapping);
    results.push_back(mapping.lookupOrDefault(value));
  }
  return results;
}

SmallVector<Value> GenericLowering::emitReductions(ArrayRef<unsigned> loops,
                                                   ValueRange accumulators) {
  if (loops.empty())
    return emitBody(accumulators);
  unsigned loop = loops.front();
  Value end = extent(loop), zero = kernel.constant(0);
  if (loops.size() > 1 || stages == 1)
    return emitLoop(zero, end, /*step=*/1, loops, accumulators);
  // Whole stages in a loop, and the rest behind it.
  int64_t size = op.getStaticLoopRanges()[loop];
  if (ShapedType::isDynamic(size)) {
    Value rest = arith::RemUIOp::create(b, loc, end, kernel.constant(stages));
    Value middle = arith::SubIOp::create(b, loc, end, rest);
    return emitLoop(middle, end, /*step=*/1, loops,
                    emitLoop(zero, middle, stages, loops, accumulators));
  }
  int64_t rest = size % stages;
  SmallVector<Value> values(accumulators);
  if (size >= 2 * stages)
    values =
        emitLoop(zero, kernel.constant(size - rest), stages, loops, values);
  else
    rest = size;
  return emitIterations(kernel.constant(size - rest), rest, loop, values);
}

/// Emits a loop of the current operator, with those inside it. The innermost
/// one has `step` iterations at a time.
SmallVector<Value> GenericLowering::emitLoop(Value from, Value to, int64_t step,
                                             ArrayRef<unsigned> loops,
                                             ValueRange accumulators) {
  auto loop =
      scf::ForOp::create(b, loc, from, to, kernel.constant(step), accumulators);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  size_t outside = known.size();
  SmallVector<Value> results;
  if (step == 1) {
    index[loops.front()] = loop.getInductionVar();
    results = emitReductions(loops.drop_front(), loop.getRegionIterArgs());
  } else {
    results = emitIterations(loop.getInductionVar(), step, loops.front(),
                             loop.getRegionIterArgs());
  }
  known.truncate(outside);
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(b, loc, results);
  return loop.getResults();
}

/// Emits iterations of an innermost loop one after the other. Nothing between
/// their loads keeps these from being in flight together.
SmallVector<Value> GenericLowering::emitIterations(Value from, int64_t count,
                                                   unsigned loop,
                                                   ValueRange accumulators) {
  SmallVector<Value> values(accumulators);
  for (int64_t iteration = 0; iteration < count; ++iteration) {
    index[loop] =
        arith::AddIOp::create(b, loc, from, kernel.constant(iteration));
    size_t outside = known.size();
    values = emitBody(values);
    known.truncate(outside);
  }
  return values;
}

/// Whether one thread can compute the operator's results at one point.
static LogicalResult checkOperator(linalg::LinalgOp op) {
  for (unsigned number = 0; number < op.getNumDpsInits(); ++number)
    if (!op.getMatchingIndexingMap(op.getDpsInitOperand(number))
             .isProjectedPermutation())
      return op.emitOpError("writes its result at a computed index, which no "
                            "kernel can do in parallel");
  // The other loops are serial in one thread, which computes one element of
  // every result.
  for (unsigned number = 0; number < op.getNumDpsInits(); ++number)
    if (op.getMatchingIndexingMap(op.getDpsInitOperand(number))
            .getNumResults() != resultLoops(op).size())
      return op.emitOpError("has results that are indexed by different loops");
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (ShapedType::isDynamic(ranges[loop]) && !findExtent(op, loop))
      return op.emitOpError("has a loop whose extent no operand gives");
  WalkResult reads = op->walk([](Operation *inner) {
    if (!isa<tensor::ExtractOp, tensor::DimOp>(inner) ||
        isa<BlockArgument>(inner->getOperand(0)))
      return WalkResult::advance();
    inner->emitOpError("reads a tensor that its group computes at a computed "
                       "index");
    return WalkResult::interrupt();
  });
  return failure(reads.wasInterrupted());
}

/// Evaluates the current operator, whose parallel loops have their indices.
SmallVector<Value> GenericLowering::evaluate() {
  SmallVector<unsigned> parallel = resultLoops(op), reductions;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!llvm::is_contained(parallel, loop))
      reductions.push_back(loop);
  SmallVector<Value> accumulators;
  for (unsigned number = 0; number < op.getNumDpsInits(); ++number) {
    OpOperand *init = op.getDpsInitOperand(number);
    bool isRead = !reductions.empty() || op.payloadUsesValueFromOperand(init);
    accumulators.push_back(isRead ? initialValue(init) : Value());
  }
  return emitReductions(reductions, accumulators);
}

/// Evaluates another operator at the coordinates at which the current one reads
/// its results.
SmallVector<Value> GenericLowering::evaluateAt(linalg::LinalgOp producer,
                                               ArrayRef<Value> coordinates) {
  for (const EvaluatedPoint &point : known)
    if (point.op == producer && ArrayRef(point.coordinates) == coordinates)
      return point.results;
  llvm::SaveAndRestore<linalg::LinalgOp> operatorAtHand(op, producer);
  llvm::SaveAndRestore<Location> location(loc, producer.getLoc());
  SmallVector<Value> outer = std::move(index);
  index.assign(op.getNumLoops(), Value());
  for (auto [expr, coordinate] : llvm::zip_equal(
           op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults(),
           coordinates))
    index[cast<AffineDimExpr>(expr).getPosition()] = coordinate;
  SmallVector<Value> results = evaluate();
  index = std::move(outer);
  known.push_back({producer, SmallVector<Value>(coordinates), results});
  return results;
}

LogicalResult GenericLowering::run(RewriterBase &rewriter) {
  // Points follow the memory order of the first result, so that neighbouring
  // threads write neighbouring elements.
  SmallVector<unsigned> parallel = resultLoops(op);
  int64_t threads = kernel.kernel().getNumThreads();
  Value block = arith::MulIOp::create(
      b, loc, tile::ProgramIdOp::create(b, loc, b.getIndexType()),
      kernel.constant(threads));
  Value point = arith::AddIOp::create(
      b, loc, block, tile::ThreadIdOp::create(b, loc, b.getIndexType()));
  Value points = kernel.constant(1);
  for (unsigned loop : parallel)
    points = arith::MulIOp::create(b, loc, points, extent(loop));
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, point, points);
  auto guarded = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(guarded.thenBlock());
    index.assign(op.getNumLoops(), Value());
    Value rest = point;
    for (unsigned loop : llvm::reverse(parallel)) {
      Value size = extent(loop);
      index[loop] = arith::RemUIOp::create(b, loc, rest, size);
      rest = arith::DivUIOp::create(b, loc, rest, size);
    }
    SmallVector<Value> results = evaluate();
    for (auto [number, value] : llvm::enumerate(results)) {
      AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
      SmallVector<Value> coordinates;
      for (AffineExpr expr : map.getResults())
        coordinates.push_back(index[cast<AffineDimExpr>(expr).getPosition()]);
      Value position = linearIndex(group.getInitArgument(number), coordinates);
      tile::ElementStoreOp::create(b, loc, value, kernel.resultPointer(number),
                                   position);
    }
  }

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(group);
  Value total = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (unsigned loop : parallel)
    total =
        arith::MulIOp::create(rewriter, loc, total, hostExtent(rewriter, loop));
  Value perBlock = arith::ConstantIndexOp::create(rewriter, loc, threads);
  Value grid = arith::CeilDivUIOp::create(rewriter, loc, total, perBlock);
  kernel.finish(rewriter, grid);
  return success();
}

LogicalResult fusion::lowerGeneric(RewriterBase &rewriter,
                                   fuse::FusedGroupOpInterface group,
                                   StringRef name) {
  SmallVector<linalg::LinalgOp> operators = group.getOperators();
  for (linalg::LinalgOp op : operators)
    if (failed(checkOperator(op)))
      return failure();
  linalg::LinalgOp last = operators.back();
  unsigned inputs =
      cast<DestinationStyleOpInterface>(group.getOperation()).getNumDpsInputs();
  for (linalg::LinalgOp op : ArrayRef(operators).drop_back())
    for (OpOperand &operand : op->getOpOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand.get());
      bool isUnread = op.isDpsInit(&operand) &&
                      op.getNumParallelLoops() == op.getNumLoops() &&
                      !op.payloadUsesValueFromOperand(&operand);
      if (argument && argument.getArgNumber() >= inputs && !isUnread)
        return op.emitOpError("reads what the group writes, which other "
                              "threads may have done already");
    }
  if (group.getYieldedValues() != ValueRange(last->getResults()))
    return group.emitError("the generic form yields what its last operator "
                           "computes");
  return GenericLowering(group, last, name).run(rewriter);
}
