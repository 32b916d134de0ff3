//===- ReductionLowering.cpp - Reductions between products ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of an epilogue are evaluated tile by tile, where the contraction's
// accumulator is complete. A reduction whose axis fits in the tile is final at
// once. Over an axis of several tiles the loop carries its running value and
// rescales accumulators as fusion/Analysis/Online/OnlineReduction.h derives.
// After the loop, operators on final values are evaluated on the rows.
//
//===----------------------------------------------------------------------===//

#include "ChainLowering.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fusion;

//===----------------------------------------------------------------------===//
// Which form
//===----------------------------------------------------------------------===//

const OnlineForm *ChainLowering::onlineForm(unsigned axis) const {
  return runsOnline(model, retained, axis) ? derivedForm(axis) : nullptr;
}

const OnlineForm *ChainLowering::derivedForm(unsigned axis) const {
  for (auto [online, form] : llvm::zip_equal(model.online, axes.onlineForms))
    if (online.axis == axis)
      return form.get();
  return nullptr;
}

std::optional<unsigned> ChainLowering::skippedFor(Operation *inner) const {
  for (const OnlineAxis &online : model.online)
    if (const OnlineForm *form = onlineForm(online.axis))
      if (auto it = form->skipped.find(inner); it != form->skipped.end())
        return it->second;
  return std::nullopt;
}

SmallVector<unsigned, 2>
ChainLowering::resultTileAxes(unsigned op, unsigned contraction) const {
  linalg::LinalgOp linalgOp = axes.operators[op];
  const ContractionMapping &mapping = schedule.contractions[contraction];
  AffineMap map =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  SmallVector<unsigned, 2> tileAxes;
  for (unsigned axis : {mapping.i1, mapping.i2})
    if (llvm::any_of(map.getResults(), [&](AffineExpr expr) {
          return axes.loops[op][cast<AffineDimExpr>(expr).getPosition()] ==
                 axis;
        }))
      tileAxes.push_back(axis);
  return tileAxes;
}

//===----------------------------------------------------------------------===//
// The epilogue of a contraction
//===----------------------------------------------------------------------===//

/// Returns the tile of an operand of the epilogue of `contraction`.
Value ChainLowering::evaluateEpilogueOp(Value operand, unsigned contraction) {
  if (!isa<RankedTensorType>(operand.getType()))
    return kernel.argument(operand);
  auto input = axes.tensorOf.find(operand);
  if (input != axes.tensorOf.end() &&
      model.tensors[input->second].role == TensorRole::Extra)
    return tiles.tileOf(operand, input->second);
  if (Value known = tiles.lookup(operand))
    return known;
  if (input != axes.tensorOf.end())
    if (unsigned tensor = operandTensor(operand);
        model.tensors[tensor].role == TensorRole::Operand)
      return tiles.tileOf(axes.values[tensor], tensor);
  // An element-wise operator that reads inputs only.
  auto op = operand.getDefiningOp<linalg::LinalgOp>();
  unsigned index = llvm::find(axes.operators, op) - axes.operators.begin();
  SmallVector<unsigned, 2> tileAxes = resultTileAxes(index, contraction);
  SmallVector<int64_t, 2> shape;
  for (unsigned axis : tileAxes)
    shape.push_back(schedule.tiles[axis]);
  return elementwise.emit(op, tileAxes, shape, [&](Value value) {
    return evaluateEpilogueOp(value, contraction);
  });
}

void ChainLowering::emitFollower(unsigned op, unsigned contraction) {
  if (axes.reductionOf[op])
    return emitReduction(op, contraction);
  SmallVector<unsigned, 2> tileAxes = resultTileAxes(op, contraction);
  SmallVector<int64_t, 2> shape;
  for (unsigned axis : tileAxes)
    shape.push_back(schedule.tiles[axis]);
  tiles[axes.operators[op]->getResult(0)] =
      elementwise.emit(axes.operators[op], tileAxes, shape, [&](Value value) {
        return evaluateEpilogueOp(value, contraction);
      });
}

/// Replaces elements beyond the axis's extent by `fill`, the identity of the
/// reduction.
Value ChainLowering::maskReduced(Value value, ArrayRef<unsigned> tileAxes,
                                 unsigned axis, TypedAttr fill) {
  int64_t extent = model.axes[axis].extent;
  if (block.tilesLieInside(axis))
    return value;
  int64_t d = llvm::find(tileAxes, axis) - tileAxes.begin();
  Value bound = arith::SubIOp::create(b, loc, kernel.constant(extent),
                                      block.origin(axis));
  return tile::MaskOp::create(b, loc, value.getType(), value, bound, d,
                              arith::ConstantOp::create(b, loc, fill));
}

void ChainLowering::emitReduction(unsigned op, unsigned contraction) {
  linalg::LinalgOp linalgOp = axes.operators[op];
  ReductionBody body = *matchReduction(linalgOp);
  unsigned number = *axes.reductionOf[op];
  unsigned axis = model.reductions[number].reduced.front();
  const ContractionMapping &mapping = schedule.contractions[contraction];
  unsigned tileAxes[] = {mapping.i1, mapping.i2};
  int64_t shape[] = {schedule.tiles[mapping.i1], schedule.tiles[mapping.i2]};
  Value combined = elementwise.emitScalar(
      linalgOp, body.combined, tileAxes, shape,
      [&](Value value) { return evaluateEpilogueOp(value, contraction); });
  for (unsigned reduced : model.reductions[number].reduced)
    combined = maskReduced(combined, tileAxes, reduced,
                           reductionIdentity(b, loc, body));
  // With several reduced axes the last dimension is reduced first.
  Value part = combined;
  for (int64_t d : {1, 0}) {
    if (!llvm::is_contained(model.reductions[number].reduced, tileAxes[d]))
      continue;
    SmallVector<int64_t, 2> left(
        cast<RankedTensorType>(part.getType()).getShape());
    left.erase(left.begin() + d);
    part = tile::ReduceOp::create(
        b, loc, RankedTensorType::get(left, body.combined.getType()), body.kind,
        part, d, /*offset=*/IntegerAttr(), /*intrinsic=*/StringAttr(),
        /*warps=*/DenseI64ArrayAttr());
  }
  combineRunning(op, contraction, axis, part);
}

/// Combines a tile's contribution `part` with the reduction's running value, or
/// makes it the result if the axis has one tile.
void ChainLowering::combineRunning(unsigned op, unsigned contraction,
                                   unsigned axis, Value part) {
  linalg::LinalgOp linalgOp = axes.operators[op];
  ReductionBody body = *matchReduction(linalgOp);
  unsigned number = *axes.reductionOf[op];
  auto type = cast<RankedTensorType>(part.getType());
  Value &result = tiles[linalgOp->getResult(0)];
  const OnlineForm *form = onlineForm(axis);
  if (!form) {
    TypedAttr start = reductionStart(b, loc, body);
    result =
        start == reductionIdentity(b, loc, body)
            ? part
            : arith::getReductionOp(body.kind, b, loc,
                                    splatConstant(b, loc, type, start), part);
    // The result of one split, with which those of other splits are combined.
    if (schedule.splitOf(axis) > 1) {
      running[number].carried = result;
      result = guard(number, result);
    }
    return;
  }
  Running &state = running[number];
  Value sofar = state.carried;
  state.before = guard(number, sofar);
  for (const OnlineForm::Running &rule : form->running)
    if (rule.reduction == number && rule.factor)
      sofar = arith::MulFOp::create(b, loc, sofar,
                                    emitRescaling(rule.factor, contraction));
  state.carried = arith::getReductionOp(body.kind, b, loc, sofar, part);
  state.after = guard(number, state.carried);
  if (hasReference(number))
    moveReference(*form, number, contraction);
  tiles[linalgOp->getResult(0)] = state.after;
}

//===----------------------------------------------------------------------===//
// Around the loop
//===----------------------------------------------------------------------===//

/// Whether the initial value of a reduction must be counted once over the
/// blocks of a cluster. It need not be for idempotent reductions such as
/// maxima.
bool ChainLowering::startsOnce(unsigned number) const {
  if (!llvm::is_contained(clusterReductions(model, schedule), number))
    return false;
  return !isIdempotent(
      matchReduction(axes.operators[axes.operatorOf(number)])->kind);
}

/// Returns the values that the loop carries for its running reductions.
SmallVector<Value *> ChainLowering::startRunning(const TilingNode &loop) {
  SmallVector<Value *> carried;
  for (auto [index, op] : llvm::enumerate(axes.operators)) {
    if (!axes.reductionOf[index])
      continue;
    unsigned number = *axes.reductionOf[index];
    const Reduction &reduction = model.reductions[number];
    const IntermediateEpilogue &epilogue =
        retained.intermediateEpilogues[reduction.contraction];
    bool runs = reduction.pass
                    ? retained.statisticsLoops[*reduction.pass] == &loop
                    : reduction.reduced.front() == loop.index &&
                          llvm::is_contained(epilogue.loops, &loop);
    if (!runs)
      continue;
    ReductionBody body = *matchReduction(op);
    const ContractionMapping &mapping =
        schedule.contractions[reduction.contraction];
    unsigned rowAxis = mapping.i1 == loop.index ? mapping.i2 : mapping.i1;
    if (reduction.pass)
      rowAxis = rowAxisOf(model.rowStatistics[*reduction.pass]);
    auto type = RankedTensorType::get({schedule.tiles[rowAxis]},
                                      body.combined.getType());
    running[number].carried =
        splatConstant(b, loc, type,
                      startsOnce(number) ? reductionIdentity(b, loc, body)
                                         : reductionStart(b, loc, body));
    carried.push_back(&running[number].carried);
    if (hasReference(number)) {
      running[number].reference = guard(number, running[number].carried);
      carried.push_back(&running[number].reference);
    }
  }
  return carried;
}

/// After the loop: makes running values final, evaluates the operators that
/// read them, and collects the factors that the loop has left out of
/// accumulators.
void ChainLowering::finishRunning(const TilingNode &loop) {
  finishPasses(loop);
  const OnlineForm *form = onlineForm(loop.index);
  std::optional<unsigned> contraction;
  for (const Reduction &reduction : model.reductions)
    if (reduction.reduced.front() == loop.index && !reduction.pass &&
        llvm::is_contained(
            retained.intermediateEpilogues[reduction.contraction].loops, &loop))
      contraction = reduction.contraction;
  if (!form || !contraction)
    return;
  // Values that depend on a split's result are known when all splits are
  // combined.
  const ContractionMapping &from = schedule.contractions[*contraction];
  unsigned rowAxis = from.i1 == loop.index ? from.i2 : from.i1;
  bool isPart = schedule.splitOf(loop.index) > 1;
  if (isPart && !schedule.splitInCluster) {
    if (schedule.rescaleThreshold > 0)
      settleReferences(*form, *contraction, rowAxis);
    return;
  }
  if (isPart)
    combineInCluster(*form, *contraction, rowAxis);
  finishOnline(*form, *contraction, rowAxis, [&] {
    // Operators on row statistics, which are final now.
    for (unsigned op = 0; op < axes.operators.size(); ++op)
      if (!axes.contractionOf[op] && !axes.reductionOf[op] &&
          axes.followsContraction[op] == contraction &&
          !llvm::is_contained(axes.loops[op], loop.index))
        emitFollower(op, *contraction);
  });
}

void ChainLowering::finishOnline(const OnlineForm &form, unsigned contraction,
                                 unsigned rowAxis,
                                 llvm::function_ref<void()> emitStatistics) {
  // The last factors take guarded values to the true ones.
  for (const OnlineForm::Running &rule : form.running) {
    Running &state = running[rule.reduction];
    state.before = hasReference(rule.reduction)
                       ? state.reference
                       : guard(rule.reduction, state.carried);
    state.after = state.carried;
  }
  for (const OnlineForm::Running &rule : form.running) {
    Running &state = running[rule.reduction];
    if (rule.factor)
      state.carried = arith::MulFOp::create(b, loc, state.carried,
                                            emitRows(rule.factor, contraction));
    unsigned op = axes.operatorOf(rule.reduction);
    tiles[axes.operators[op]->getResult(0)] = state.carried;
  }
  emitStatistics();
  for (const OnlineForm::Sum &sum : form.sums) {
    Value scale = sum.factor ? emitRows(sum.factor, contraction) : Value();
    auto multiply = [&](Value factor) {
      scale = scale ? arith::MulFOp::create(b, loc, scale, factor).getResult()
                    : factor;
    };
    for (const DeferredFactor &factor : sum.deferred) {
      RowExpression scalar;
      scalar.kind = RowExpression::Kind::Scalar;
      scalar.op = factor.op;
      scalar.scalar = factor.scalar;
      RowExpression value = scalar;
      if (factor.divides) {
        value.kind = RowExpression::Kind::Div;
        value.operands[1] = std::make_shared<const RowExpression>(scalar);
      }
      multiply(
          emitRows(std::make_shared<const RowExpression>(value), contraction));
    }
    rowScales[sum.contraction] = scale;
    rowScaleAxes[sum.contraction] = rowAxis;
  }
}

/// Stores row statistics. Blocks that differ in other grid axes only hold the
/// same values: the first one stores them.
void ChainLowering::emitStatistic(unsigned tensor) {
  const GroupTensor &info = model.tensors[tensor];
  const ContractionMapping &mapping = schedule.contractions[info.contraction];
  SmallVector<unsigned, 2> tileAxes;
  for (unsigned axis : {mapping.i1, mapping.i2})
    if (llvm::is_contained(info.axes, axis))
      tileAxes.push_back(axis);
  OpBuilder::InsertionGuard guard(b);
  Value isOperandA;
  for (unsigned axis : schedule.blocks) {
    if (llvm::is_contained(info.axes, axis))
      continue;
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       block.origin(axis), kernel.constant(0));
    isOperandA =
        isOperandA ? arith::AndIOp::create(b, loc, isOperandA, here).getResult()
                   : here;
  }
  Value view = block.emitView(tensor, tileAxes);
  if (isOperandA) {
    auto guarded =
        scf::IfOp::create(b, loc, isOperandA, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guarded.thenBlock());
  }
  Value made = axes.finalValues[tensor];
  Value value = tiles.lookup(made);
  if (block.part()) {
    // The results of a split are its running values.
    unsigned op =
        llvm::find(axes.operators, made.getDefiningOp<linalg::LinalgOp>()) -
        axes.operators.begin();
    value = running[*axes.reductionOf[op]].carried;
  }
  tile::StoreOp::create(b, loc, value, view, block.originsOf(tileAxes),
                        /*vectorize=*/false, block.inBounds(tileAxes),
                        /*ragged=*/false);
}
