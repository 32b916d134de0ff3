//===- MergePartials.cpp - Groups that combine partial results ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value of the group is computed at the points of its result, also row
// statistics. The generic form evaluates the values that a thread needs in that
// thread, so that each partial result is loaded once.
//
//===----------------------------------------------------------------------===//

#include "MergePartials.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Transforms/Normalize/PointOperator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fusion;

namespace {

using Kind = RowExpression::Kind;
using Point = PointOperator;

constexpr unsigned kParts = Point::kParts;

class Merger {
public:
  Merger(RewriterBase &rewriter, fuse::ChainOp chain, const GroupAxes &axes,
         const OnlineForm &online, const MergedResult &result,
         const PartialValues &parts)
      : rewriter(rewriter), b(rewriter.getContext()), chain(chain), axes(axes),
        online(online), result(result), parts(parts), loc(chain.getLoc()),
        domain(axes.model.tensors[result.tensor].axes) {
    for (unsigned axis : domain)
      shape.push_back(axes.model.axes[axis].extent);
  }

  fuse::StitchOp run();

private:
  Operation *operatorOf(unsigned reduction) const {
    linalg::LinalgOp op = axes.operators[axes.operatorOf(reduction)];
    return op;
  }
  ReductionBody bodyOf(unsigned reduction) const {
    return *matchReduction(cast<linalg::LinalgOp>(operatorOf(reduction)));
  }
  const OnlineForm::Running &rule(unsigned reduction) const {
    return *llvm::find_if(online.running, [&](const auto &running) {
      return running.reduction == reduction;
    });
  }

  // Values of the group.
  Value addInput(Value outside, Type type);
  Value import(Value value);
  Value emptyTensor(Type elementType);
  Value constant(TypedAttr value);

  // Bodies.
  Point open(bool hasParts) { return Point(b, loc, domain, hasParts); }
  Value read(Point &point, Value tensor, ArrayRef<unsigned> tensorAxes) {
    return point.read(tensor, tensorAxes);
  }
  Value readInside(Point &point, Value value, linalg::LinalgOp op);
  Value copyScalar(Point &point, Value scalar, linalg::LinalgOp op,
                   IRMapping &mapping);
  SmallVector<Value> close(Point &point, ArrayRef<Value> yields,
                           ArrayRef<Value> inits) {
    return point.close(yields, inits, body);
  }
  Value convert(Value value, Type type);
  Value emit(Point &point, const RowExpressionRef &expression, Type type,
             llvm::function_ref<Value(const RowExpression &)> running);
  Value guard(unsigned reduction, Value value);
  Value multiply(Value value, Value factor);

  void merge();
  void finishReductions();
  void finishSum();
  void copyOperator(linalg::LinalgOp op);

  RewriterBase &rewriter;
  OpBuilder b; ///< in the group's body
  fuse::ChainOp chain;
  const GroupAxes &axes;
  const OnlineForm &online;
  const MergedResult &result;
  const PartialValues &parts;
  Location loc;
  ArrayRef<unsigned> domain;
  SmallVector<int64_t> shape;

  Block *body = nullptr;
  SmallVector<Value> inputs; ///< of the group
  /// The group's values for values of the chain: at the points of its result if
  /// `wide` contains them, otherwise unchanged.
  llvm::DenseMap<Value, Value> known;
  llvm::SmallDenseSet<Value> wide;
  llvm::DenseMap<unsigned, Value> merged; ///< by reduction, over the domain
  Value mergedSum;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values of the group
//===----------------------------------------------------------------------===//

Value Merger::addInput(Value outside, Type type) {
  auto argument = body->insertArgument(inputs.size(), type, loc);
  inputs.push_back(outside);
  return argument;
}

/// Returns the group's value for an operand of the chain, or for a constant of
/// its body.
Value Merger::import(Value value) {
  Value &here = known[value];
  if (here)
    return here;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return here = addInput(chain->getOperand(argument.getArgNumber()),
                           argument.getType());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(body);
  return here = b.clone(*value.getDefiningOp())->getResult(0);
}

Value Merger::emptyTensor(Type elementType) {
  return tensor::EmptyOp::create(b, loc, shape, elementType);
}

Value Merger::constant(TypedAttr value) {
  return arith::ConstantOp::create(b, loc, value);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Returns the element of `value` that the chain's operator `op` reads at the
/// point.
Value Merger::readInside(Point &point, Value value, linalg::LinalgOp op) {
  // Inputs are indexed as the operator says.
  Value here = known.lookup(value);
  if (here && wide.contains(value))
    return read(point, here, domain);
  here = import(value);
  OpOperand *use = llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() == value;
  });
  unsigned index = llvm::find(axes.operators, op) - axes.operators.begin();
  SmallVector<unsigned> tensorAxes;
  for (AffineExpr expr : op.getMatchingIndexingMap(use).getResults())
    tensorAxes.push_back(
        axes.loops[index][cast<AffineDimExpr>(expr).getPosition()]);
  return read(point, here, tensorAxes);
}

/// Recomputes a scalar of a chain operator's body at the point.
Value Merger::copyScalar(Point &point, Value scalar, linalg::LinalgOp op,
                         IRMapping &mapping) {
  if (Value copy = mapping.lookupOrNull(scalar))
    return copy;
  Value copy;
  if (scalar.getParentBlock() != op.getBlock()) {
    copy = import(scalar);
  } else if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    Value operand = op->getOperand(argument.getArgNumber());
    copy = isa<RankedTensorType>(operand.getType())
               ? readInside(point, operand, op)
               : import(operand);
  } else if (auto index = scalar.getDefiningOp<linalg::IndexOp>()) {
    unsigned number = llvm::find(axes.operators, op) - axes.operators.begin();
    copy = linalg::IndexOp::create(
        b, loc,
        llvm::find(point.loops, axes.loops[number][index.getDim()]) -
            point.loops.begin());
  } else {
    Operation *inner = scalar.getDefiningOp();
    for (Value operand : inner->getOperands())
      mapping.map(operand, copyScalar(point, operand, op, mapping));
    copy = b.clone(*inner, mapping)->getResult(0);
  }
  mapping.map(scalar, copy);
  return copy;
}

Value Merger::convert(Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (from == to)
    return value;
  if (from < to)
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

/// Emits a rescaling factor at the point; `running` gives the values of
/// `Before` and `After`.
Value Merger::emit(Point &point, const RowExpressionRef &expression, Type type,
                   llvm::function_ref<Value(const RowExpression &)> running) {
  auto operand = [&](unsigned i) {
    if (expression->operands[i])
      return emit(point, expression->operands[i], type, running);
    return constant(b.getFloatAttr(type, 1));
  };
  switch (expression->kind) {
  case Kind::Before:
  case Kind::After:
    return convert(running(*expression), type);
  case Kind::Scalar: {
    IRMapping mapping;
    return convert(copyScalar(point, expression->scalar,
                              axes.operators[expression->op], mapping),
                   type);
  }
  default:
    return emitRowOperation(b, loc, expression->kind, operand);
  }
}

/// Returns zero instead of a running value that is still its identity.
Value Merger::guard(unsigned reduction, Value value) {
  if (!rule(reduction).isGuarded)
    return value;
  Value identity = constant(reductionIdentity(b, loc, bodyOf(reduction)));
  Value isIdentity =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, value, identity);
  Value zero = constant(cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::SelectOp::create(b, loc, isIdentity, zero, value);
}

Value Merger::multiply(Value value, Value factor) {
  Value wider =
      arith::MulFOp::create(b, loc, convert(value, factor.getType()), factor);
  return convert(wider, value.getType());
}

/// Returns the type that rescaling factors of a value are computed in.
static Type correctionType(OpBuilder &b, Type type) {
  return type.getIntOrFloatBitWidth() > 32 ? type : b.getF32Type();
}

//===----------------------------------------------------------------------===//
// The group
//===----------------------------------------------------------------------===//

/// Emits one iteration for each partial result. The running values and the
/// partial result are both rescaled to the values that include this partial
/// result, then combined.
void Merger::merge() {
  SmallVector<Value> inits;
  for (unsigned reduction : result.reductions) {
    ReductionBody own = bodyOf(reduction);
    TypedAttr start = reductionStart(b, loc, own);
    inits.push_back(linalg::FillOp::create(b, loc, constant(start),
                                           emptyTensor(start.getType()))
                        .getResult(0));
  }
  Type sumType = b.getF32Type();
  if (result.mergesSum) {
    sumType = getElementTypeOrSelf(parts.sum.getType());
    Value zero = constant(cast<TypedAttr>(b.getZeroAttr(sumType)));
    inits.push_back(linalg::FillOp::create(b, loc, zero, emptyTensor(sumType))
                        .getResult(0));
  }
  SmallVector<Value> partTensors;
  for (unsigned reduction : result.reductions) {
    Value tensor = parts.reductions.lookup(reduction);
    partTensors.push_back(addInput(tensor, tensor.getType()));
  }
  if (result.mergesSum)
    partTensors.push_back(addInput(parts.sum, parts.sum.getType()));

  Point point = open(/*hasParts=*/true);
  SmallVector<Value> sofar;
  for (Value init : inits)
    sofar.push_back(
        point.body->addArgument(getElementTypeOrSelf(init.getType()), loc));
  llvm::DenseMap<unsigned, Value> before, ofPart, after;
  auto correct = [&](Value value, const RowExpressionRef &factor, bool isPart) {
    if (!factor)
      return value;
    Type type = correctionType(b, value.getType());
    Value scale = emit(point, factor, type, [&](const RowExpression &leaf) {
      if (leaf.kind == Kind::After)
        return after.lookup(leaf.reduction);
      return (isPart ? ofPart : before).lookup(leaf.reduction);
    });
    // As in the loop (ReductionLowering.cpp): zero stays zero.
    auto &semantics = cast<FloatType>(type).getFloatSemantics();
    Value largest =
        constant(b.getFloatAttr(type, APFloat::getLargest(semantics)));
    return multiply(value, arith::MinimumFOp::create(b, loc, scale, largest));
  };
  auto partAxes = [&](ArrayRef<unsigned> own) {
    SmallVector<unsigned> list = {kParts};
    llvm::append_range(list, own);
    return list;
  };
  SmallVector<Value> yields;
  for (auto [i, reduction] : llvm::enumerate(result.reductions)) {
    Value part = read(point, partTensors[i],
                      partAxes(axes.model.reductions[reduction].axes));
    before[reduction] = guard(reduction, sofar[i]);
    ofPart[reduction] = guard(reduction, part);
    const RowExpressionRef &factor = rule(reduction).factor;
    Value combined = arith::getReductionOp(bodyOf(reduction).kind, b, loc,
                                           correct(sofar[i], factor, false),
                                           correct(part, factor, true));
    yields.push_back(combined);
    after[reduction] = guard(reduction, combined);
  }
  if (result.mergesSum) {
    const OnlineForm::Sum &sum = online.sums.front();
    linalg::LinalgOp contraction =
        axes.operators[llvm::find(axes.contractionOf,
                                  std::optional(sum.contraction)) -
                       axes.contractionOf.begin()];
    unsigned index =
        llvm::find(axes.operators, contraction) - axes.operators.begin();
    SmallVector<unsigned> own;
    for (AffineExpr expr :
         contraction.getMatchingIndexingMap(contraction.getDpsInitOperand(0))
             .getResults())
      own.push_back(axes.loops[index][cast<AffineDimExpr>(expr).getPosition()]);
    Value part = read(point, partTensors.back(), partAxes(own));
    yields.push_back(
        arith::AddFOp::create(b, loc, correct(sofar.back(), sum.factor, false),
                              correct(part, sum.factor, true)));
  }
  SmallVector<Value> results = close(point, yields, inits);
  for (auto [i, reduction] : llvm::enumerate(result.reductions))
    merged[reduction] = results[i];
  if (result.mergesSum)
    mergedSum = results.back();
}

/// Computes the true reductions from the guarded values.
void Merger::finishReductions() {
  for (unsigned reduction : result.reductions) {
    Value value = merged[reduction];
    if (const RowExpressionRef &factor = rule(reduction).factor) {
      Type type = getElementTypeOrSelf(value.getType());
      Value init = emptyTensor(type);
      Point point = open(/*hasParts=*/false);
      Value last = emit(point, factor, correctionType(b, type),
                        [&](const RowExpression &leaf) {
                          Value running =
                              read(point, merged[leaf.reduction], domain);
                          return leaf.kind == Kind::After
                                     ? running
                                     : guard(leaf.reduction, running);
                        });
      Value corrected = multiply(read(point, value, domain), last);
      point.body->addArgument(type, loc);
      value = close(point, corrected, init).front();
    }
    Value made = operatorOf(reduction)->getResult(0);
    known[made] = value;
    wide.insert(made);
  }
}

/// Computes the contraction's true sum, with the factors that were taken out of
/// it.
void Merger::finishSum() {
  const OnlineForm::Sum &sum = online.sums.front();
  Type type = getElementTypeOrSelf(mergedSum.getType());
  Value made = axes.values[axes.model.contractions[sum.contraction].result];
  wide.insert(made);
  known[made] = mergedSum;
  if (!sum.factor && sum.deferred.empty())
    return;
  Value init = emptyTensor(type);
  Point point = open(/*hasParts=*/false);
  Value value = read(point, mergedSum, domain);
  Type scaleType = correctionType(b, type);
  Value scale;
  auto scaleBy = [&](Value factor) {
    scale = scale ? arith::MulFOp::create(b, loc, scale, factor).getResult()
                  : factor;
  };
  if (sum.factor)
    scaleBy(emit(point, sum.factor, scaleType, [&](const RowExpression &leaf) {
      Value running = read(point, merged[leaf.reduction], domain);
      return leaf.kind == Kind::After ? running
                                      : guard(leaf.reduction, running);
    }));
  for (const DeferredFactor &factor : sum.deferred) {
    IRMapping mapping;
    Value scalar = convert(
        copyScalar(point, factor.scalar, axes.operators[factor.op], mapping),
        scaleType);
    if (factor.divides)
      scalar = arith::DivFOp::create(
          b, loc, constant(b.getFloatAttr(scaleType, 1)), scalar);
    scaleBy(scalar);
  }
  Value scaled = multiply(value, scale);
  point.body->addArgument(type, loc);
  known[made] = close(point, scaled, init).front();
}

void Merger::copyOperator(linalg::LinalgOp op) {
  Value made = op->getResult(0);
  Value init = emptyTensor(getElementTypeOrSelf(made.getType()));
  Point point = open(/*hasParts=*/false);
  IRMapping mapping;
  Value value = copyScalar(point, op.getBlock()->getTerminator()->getOperand(0),
                           op, mapping);
  point.body->addArgument(getElementTypeOrSelf(made.getType()), loc);
  known[made] = close(point, value, init).front();
  wide.insert(made);
}

fuse::StitchOp Merger::run() {
  auto number = llvm::find(axes.resultTensors, result.tensor) -
                axes.resultTensors.begin();
  Value destination = chain.getInits()[number];
  body = new Block;
  body->addArgument(destination.getType(), loc);
  b.setInsertionPointToStart(body);
  merge();
  finishReductions();
  // Its scalars read operators on rows, which precede the contraction.
  unsigned sumAt = axes.operators.size();
  if (result.mergesSum)
    sumAt = llvm::find(axes.contractionOf,
                       std::optional(online.sums.front().contraction)) -
            axes.contractionOf.begin();
  bool isFinished = !result.mergesSum;
  for (unsigned op : result.operators) {
    if (!isFinished && sumAt < op) {
      finishSum();
      isFinished = true;
    }
    copyOperator(axes.operators[op]);
  }
  if (!isFinished)
    finishSum();
  // The last operator writes the chain's destination.
  Value final = known.lookup(axes.finalValues[result.tensor]);
  auto last = final.getDefiningOp<linalg::GenericOp>();
  if (last.getNumResults() != 1 || last.getNumReductionLoops() != 0) {
    Value init = emptyTensor(getElementTypeOrSelf(final.getType()));
    Point point = open(/*hasParts=*/false);
    Value value = read(point, final, domain);
    point.body->addArgument(value.getType(), loc);
    final = close(point, value, init).front();
    last = final.getDefiningOp<linalg::GenericOp>();
  }
  last.getDpsInitOperand(0)->set(body->getArguments().back());
  fuse::YieldOp::create(b, loc, final);
  // Erases finished values that are not used.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::drop_begin(llvm::reverse(*body))))
    if (op.use_empty())
      op.erase();

  auto group = fuse::StitchOp::create(
      rewriter, loc, TypeRange{destination.getType()}, inputs,
      ValueRange{destination}, fuse::ScheduleAttr(), fuse::PartialAttr(),
      /*predicted=*/DictionaryAttr());
  group.getBody().push_back(body);
  group.setGroupSchedule(
      makeGenericSchedule(rewriter.getContext(), group.getOperators()));
  return group;
}

fuse::StitchOp fusion::buildMerge(RewriterBase &rewriter, fuse::ChainOp chain,
                                  const GroupAxes &axes,
                                  const OnlineForm &online,
                                  const MergedResult &result,
                                  const PartialValues &parts) {
  return Merger(rewriter, chain, axes, online, result, parts).run();
}
