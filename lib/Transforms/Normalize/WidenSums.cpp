//===- WidenSums.cpp - Wide accumulators for narrow sums ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum is recognised in the body of an operator, not by its name: every use of
// the accumulator must lead to the yielded value through additions, selections
// and conversions only. A product of floats, whose factors come in any order as
// well, is recognised likewise. Integers that wrap need no other type for it.
//
//===----------------------------------------------------------------------===//

#include "WidenSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusion;

//===----------------------------------------------------------------------===//
// Types and conversions
//===----------------------------------------------------------------------===//

Type fusion::accumulatorType(Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return floatType.getWidth() <= 16 ? Float32Type::get(type.getContext())
                                      : Type();
  if (type.isInteger(8))
    return IntegerType::get(type.getContext(), 32);
  return {};
}

/// Converts a scalar between types of one kind; integers are signed.
static Value convertScalar(OpBuilder &builder, Location loc, Value value,
                           Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  bool wider = type.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
  if (isa<FloatType>(type)) {
    if (wider)
      return arith::ExtFOp::create(builder, loc, type, value);
    return arith::TruncFOp::create(builder, loc, type, value);
  }
  if (wider)
    return arith::ExtSIOp::create(builder, loc, type, value);
  return arith::TruncIOp::create(builder, loc, type, value);
}

Value fusion::emptyLike(OpBuilder &builder, Location loc, Value tensor,
                        Type element) {
  return tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, tensor), element);
}

Value fusion::convertTensor(OpBuilder &builder, Location loc, Value tensor,
                            Type element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == element)
    return tensor;
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  Value empty = emptyLike(builder, loc, tensor, element);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), tensor, empty,
             ArrayRef<AffineMap>{identity, identity}, iterators,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               linalg::YieldOp::create(
                   nested, loc, convertScalar(nested, loc, args[0], element));
             })
      .getResult(0);
}

namespace {

/// Widens the initial value of a sum. A fill stays a fill, so that it is still
/// seen as the zero of an accumulator.
Value widenInit(OpBuilder &builder, Location loc, Value init, Type wide) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return convertTensor(builder, loc, init, wide);
  Value scalar = fill.getInputs()[0];
  Type element = getElementTypeOrSelf(init.getType());
  Value wideScalar;
  FloatAttr floatAttr;
  IntegerAttr integerAttr;
  if (scalar.getType() == element &&
      matchPattern(scalar, m_Constant(&floatAttr))) {
    APFloat constant = floatAttr.getValue();
    bool losesInfo = false;
    constant.convert(cast<FloatType>(wide).getFloatSemantics(),
                     APFloat::rmNearestTiesToEven, &losesInfo);
    wideScalar = arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(wide, constant));
  } else if (scalar.getType() == element &&
             matchPattern(scalar, m_Constant(&integerAttr))) {
    wideScalar = arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(
            wide, integerAttr.getValue().sext(wide.getIntOrFloatBitWidth())));
  } else if (scalar.getType() == element) {
    wideScalar = convertScalar(builder, loc, scalar, wide);
  } else {
    // The fill itself converts: keep the rounding that this implies.
    return convertTensor(builder, loc, init, wide);
  }
  Value empty = emptyLike(builder, loc, init, wide);
  return linalg::FillOp::create(builder, loc, wideScalar, empty).getResult(0);
}

//===----------------------------------------------------------------------===//
// Recognising sums
//===----------------------------------------------------------------------===//

/// A sum, or a product, in the body of an operator: the operations between the
/// accumulator and the yielded value.
struct Sum {
  unsigned output = 0;
  bool isProduct = false;
  Type wide;
  llvm::SmallSetVector<Operation *, 4> path;
};

/// Whether `value`, used by `op` as operand `index`, may be an accumulator or
/// a partial sum (product) there.
bool carriesSum(Operation *op, unsigned index, bool isProduct) {
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return true;
  if (isa<arith::SelectOp>(op))
    return index != 0;
  if (isProduct)
    return isa<arith::MulFOp>(op);
  if (isa<arith::AddFOp, arith::AddIOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::TruncIOp>(op))
    return true;
  if (isa<arith::SubFOp, arith::SubIOp>(op))
    return index == 0;
  return isa<math::FmaOp>(op) && index == 2;
}

bool addsTerm(Operation *op, bool isProduct) {
  if (isProduct)
    return isa<arith::MulFOp>(op);
  return isa<arith::AddFOp, arith::SubFOp, math::FmaOp, arith::AddIOp,
             arith::SubIOp>(op);
}

/// Matches a sum (product) into output `output` of `op` whose accumulator is
/// narrower than the rules ask for.
std::optional<Sum> matchNarrowSum(linalg::LinalgOp op, unsigned output,
                                  bool isProduct) {
  OpOperand *init = op.getDpsInitOperand(output);
  Type wide = accumulatorType(getElementTypeOrSelf(init->get().getType()));
  if (!wide)
    return std::nullopt;

  // Some loop must add up into one element.
  AffineMap map = op.getMatchingIndexingMap(init);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (llvm::all_of(reductions,
                   [&](unsigned dim) { return map.isFunctionOfDim(dim); }))
    return std::nullopt;

  Block *body = op.getBlock();
  Operation *yield = body->getTerminator();
  BlockArgument accumulator = op.getMatchingBlockArgument(init);
  Sum sum;
  sum.output = output;
  sum.isProduct = isProduct;
  sum.wide = wide;
  bool adds = false;
  SmallVector<Value> worklist{accumulator};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user == yield) {
        if (use.getOperandNumber() != output)
          return std::nullopt;
        continue;
      }
      if (user->getBlock() != body ||
          !carriesSum(user, use.getOperandNumber(), isProduct))
        return std::nullopt;
      adds |= addsTerm(user, isProduct);
      if (sum.path.insert(user))
        worklist.push_back(user->getResult(0));
    }
  }
  Operation *last = yield->getOperand(output).getDefiningOp();
  if (!adds || !last || !sum.path.contains(last))
    return std::nullopt;
  auto isPartial = [&](Value value) {
    Operation *def = value.getDefiningOp();
    return def ? sum.path.contains(def) : value == accumulator;
  };
  for (Operation *member : sum.path) {
    // acc + acc is a doubling, not a sum.
    if (addsTerm(member, isProduct) &&
        llvm::count_if(member->getOperands(), isPartial) != 1)
      return std::nullopt;
    // A body that computes in a wider type than the rules ask for keeps it.
    Type type = member->getResult(0).getType();
    if (type.getIntOrFloatBitWidth() > sum.wide.getIntOrFloatBitWidth())
      sum.wide = type;
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Whether `value` is an input element of the body, possibly converted.
bool isInputElement(linalg::LinalgOp op, Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<CastOpInterface>(def) || def->getNumOperands() != 1)
      return false;
    value = def->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == op.getBlock() &&
         argument.getArgNumber() < op.getNumDpsInputs();
}

/// Rewrites the body of an operator with wider accumulators.
class BodyWidener {
public:
  BodyWidener(linalg::LinalgOp op, OpBuilder &builder, IRMapping &mapping)
      : op(op), builder(builder), mapping(mapping) {}

  void rewrite(ArrayRef<Sum> sums) {
    for (Operation &member : op.getBlock()->without_terminator()) {
      const Sum *sum = nullptr;
      for (const Sum &candidate : sums)
        if (candidate.path.contains(&member))
          sum = &candidate;
      if (sum)
        widen(*sum, member);
      else
        builder.clone(member, mapping);
    }
    builder.clone(*op.getBlock()->getTerminator(), mapping);
  }

private:
  /// A term of the sum in the accumulator's type. The product of a contraction
  /// is formed in that type.
  Value widenTerm(const Sum &sum, Value term) {
    Location loc = term.getLoc();
    if (Operation *product = term.getDefiningOp();
        product && !sum.isProduct &&
        isa<arith::MulFOp, arith::MulIOp>(product) &&
        accumulatorType(term.getType()) &&
        llvm::all_of(product->getOperands(),
                     [&](Value v) { return isInputElement(op, v); })) {
      Value lhs = extend(loc, product->getOperand(0), sum.wide);
      Value rhs = extend(loc, product->getOperand(1), sum.wide);
      if (isa<arith::MulFOp>(product))
        return arith::MulFOp::create(builder, loc, lhs, rhs);
      return arith::MulIOp::create(builder, loc, lhs, rhs);
    }
    return extend(loc, term, sum.wide);
  }

  /// Extends a value of the old body; through an extension to its source.
  Value extend(Location loc, Value value, Type wide) {
    if (auto ext = value.getDefiningOp<arith::ExtFOp>())
      value = ext.getIn();
    return convertScalar(builder, loc, mapping.lookup(value), wide);
  }

  void widen(const Sum &sum, Operation &member) {
    if (isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp>(member)) {
      // The one rounding comes after the operator.
      mapping.map(member.getResult(0), mapping.lookup(member.getOperand(0)));
      return;
    }
    SmallVector<Value> operands;
    for (OpOperand &operand : member.getOpOperands()) {
      Value value = operand.get();
      bool isCondition =
          isa<arith::SelectOp>(member) && operand.getOperandNumber() == 0;
      if (isCondition || isPartialSum(sum, value))
        operands.push_back(mapping.lookup(value));
      else
        operands.push_back(widenTerm(sum, value));
    }
    OperationState state(member.getLoc(), member.getName(), operands,
                         TypeRange{sum.wide}, member.getAttrs());
    mapping.map(member.getResult(0), builder.create(state)->getResult(0));
  }

  bool isPartialSum(const Sum &sum, Value value) {
    if (Operation *def = value.getDefiningOp())
      return sum.path.contains(def);
    return value ==
           op.getMatchingBlockArgument(op.getDpsInitOperand(sum.output));
  }

  linalg::LinalgOp op;
  OpBuilder &builder;
  IRMapping &mapping;
};

/// Recreates the named operation with other inits and a new region.
Operation *recreateNamed(RewriterBase &rewriter, linalg::LinalgOp op,
                         ArrayRef<Value> inits) {
  SmallVector<Value> operands = op.getDpsInputs();
  llvm::append_range(operands, inits);
  SmallVector<Type> types =
      llvm::map_to_vector(inits, [](Value init) { return init.getType(); });
  OperationState state(op.getLoc(), op->getName(), operands, types,
                       op->getAttrs());
  Region *region = state.addRegion();
  Block *block = new Block();
  region->push_back(block);
  for (Value operand : operands)
    block->addArgument(getElementTypeOrSelf(operand.getType()),
                       operand.getLoc());
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(block);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    op.getRegionBuilder()(builder, *block, op->getAttrs(),
                          [&] { return op->emitError(); });
  }
  return rewriter.create(state);
}

Operation *recreateGeneric(RewriterBase &rewriter, linalg::GenericOp op,
                           ArrayRef<Value> inits, ArrayRef<Sum> sums) {
  SmallVector<Type> types =
      llvm::map_to_vector(inits, [](Value init) { return init.getType(); });
  auto result = linalg::GenericOp::create(
      rewriter, op.getLoc(), types, op.getInputs(), inits, op.getIndexingMaps(),
      op.getIteratorTypes(), op.getDocAttr(), op.getLibraryCallAttr());
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Type> argumentTypes;
  SmallVector<Location> locations;
  for (Value operand : result->getOperands()) {
    argumentTypes.push_back(getElementTypeOrSelf(operand.getType()));
    locations.push_back(op.getLoc());
  }
  Block *block =
      rewriter.createBlock(&result.getRegion(), {}, argumentTypes, locations);
  IRMapping mapping;
  mapping.map(op.getBlock()->getArguments(), block->getArguments());
  BodyWidener(cast<linalg::LinalgOp>(op.getOperation()), rewriter, mapping)
      .rewrite(sums);
  return result;
}

} // namespace

FailureOr<unsigned> fusion::widenSums(RewriterBase &rewriter,
                                      linalg::LinalgOp op) {
  SmallVector<Sum> sums;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i)
    for (bool isProduct : {false, true})
      if (std::optional<Sum> sum = matchNarrowSum(op, i, isProduct))
        sums.push_back(std::move(*sum));
  if (sums.empty())
    return 0u;

  rewriter.setInsertionPoint(op);
  bool isNamed = static_cast<bool>(op.getRegionBuilder());
  if (!isNamed && !isa<linalg::GenericOp>(op.getOperation())) {
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return op->emitError("the sum's accumulator cannot be widened: the "
                           "operation has no generic form");
    op = cast<linalg::LinalgOp>(generic->getOperation());
    rewriter.setInsertionPoint(op);
  }

  SmallVector<Value> inits(op.getDpsInits());
  for (const Sum &sum : sums)
    inits[sum.output] =
        widenInit(rewriter, op.getLoc(), inits[sum.output], sum.wide);
  Operation *wide =
      isNamed
          ? recreateNamed(rewriter, op, inits)
          : recreateGeneric(rewriter, cast<linalg::GenericOp>(op), inits, sums);
  SmallVector<Value> results(wide->getResults());
  for (const Sum &sum : sums)
    results[sum.output] = convertTensor(
        rewriter, op.getLoc(), results[sum.output],
        getElementTypeOrSelf(op->getResult(sum.output).getType()));
  for (auto [result, old] : llvm::zip_equal(results, op->getResults()))
    if (result.getType() != old.getType())
      result =
          tensor::CastOp::create(rewriter, op.getLoc(), old.getType(), result);
  rewriter.replaceOp(op, results);
  return static_cast<unsigned>(sums.size());
}
