//===- SoftmaxWeights.cpp - Quotients of exponentials and their sum -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxWeights.h"
#include "WidenSums.h"
#include "fusion/Dialect/Fuse/IR/Exponentials.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;

namespace {

/// Which loop of one operator is which of another, as far as common tensors
/// say.
class SameLoops {
public:
  /// Notes that both operators access one tensor, each with its map. Returns
  /// false if that contradicts what is known.
  bool note(AffineMap own, AffineMap other) {
    if (!own.isProjectedPermutation() || !other.isProjectedPermutation() ||
        own.getNumResults() != other.getNumResults())
      return false;
    for (unsigned i = 0; i < own.getNumResults(); ++i) {
      unsigned loop = own.getDimPosition(i), same = other.getDimPosition(i);
      // No two loops are the same one of the other operator.
      if (others.insert({loop, same}).first->second != same ||
          owns.insert({same, loop}).first->second != loop)
        return false;
    }
    return true;
  }

private:
  llvm::SmallDenseMap<unsigned, unsigned> others, owns;
};

} // namespace

static Value yieldedBy(linalg::LinalgOp op) {
  return op->getNumResults() == 1
             ? op.getBlock()->getTerminator()->getOperand(0)
             : Value();
}

/// Returns the operand that a value in the body of `op` stands for, or null.
static OpOperand *inputOf(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return nullptr;
  return op.getDpsInputOperand(argument.getArgNumber());
}

/// Whether two values are computed alike from elements of the same tensors.
static bool isSame(linalg::LinalgOp op, Value value, linalg::LinalgOp other,
                   Value otherValue, SameLoops &loops) {
  OpOperand *input = inputOf(op, value),
            *otherInput = inputOf(other, otherValue);
  if (input || otherInput)
    return input && otherInput && input->get() == otherInput->get() &&
           loops.note(op.getMatchingIndexingMap(input),
                      other.getMatchingIndexingMap(otherInput));
  Operation *definer = value.getDefiningOp(),
            *otherDefiner = otherValue.getDefiningOp();
  if (!definer || !otherDefiner || !isPure(definer) ||
      definer->getNumRegions() != 0 || definer->getNumResults() != 1 ||
      isa<linalg::IndexOp>(definer) ||
      definer->getName() != otherDefiner->getName() ||
      definer->getAttrDictionary() != otherDefiner->getAttrDictionary() ||
      definer->getResultTypes() != otherDefiner->getResultTypes() ||
      definer->getNumOperands() != otherDefiner->getNumOperands())
    return false;
  return llvm::all_of(
      llvm::zip(definer->getOperands(), otherDefiner->getOperands()),
      [&](auto operands) {
        auto [own, theirs] = operands;
        return isSame(op, own, other, theirs, loops);
      });
}

/// Returns what a reduction combines with its running value by one of `Ops`, or
/// null.
template <typename... Ops> static Value combinedBy(linalg::LinalgOp op) {
  Value yielded = op.getNumReductionLoops() > 0 ? yieldedBy(op) : Value();
  Operation *combine = yielded ? yielded.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<Ops...>(combine))
    return {};
  Value running = op.getRegionOutputArgs().front();
  if (!running.hasOneUse())
    return {};
  if (combine->getOperand(0) == running)
    return combine->getOperand(1);
  return combine->getOperand(1) == running ? combine->getOperand(0) : Value();
}

/// Returns the constant that a reduction starts with, or nullopt.
static std::optional<APFloat> startOf(linalg::LinalgOp op) {
  auto fill = op.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
  APFloat value(0.0);
  if (!fill || !matchPattern(fill.getInputs()[0], m_ConstantFloat(&value)))
    return std::nullopt;
  return value;
}

/// Returns x of a select of zero where x is -inf, in an operator with one input
/// and the same loops on both sides; else null.
static Value withoutZeros(linalg::LinalgOp op) {
  auto select = yieldedBy(op).getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || op.getNumDpsInputs() != 1 ||
      op.getMatchingIndexingMap(op.getDpsInputOperand(0)) !=
          op.getMatchingIndexingMap(op.getDpsInitOperand(0)) ||
      compare.getPredicate() != arith::CmpFPredicate::OEQ ||
      !matchPattern(compare.getRhs(), m_NegInfFloat()) ||
      !matchPattern(select.getTrueValue(), m_AnyZeroFloat()) ||
      compare.getLhs() != select.getFalseValue() ||
      !inputOf(op, select.getFalseValue()))
    return {};
  return op.getDpsInputOperand(0)->get();
}

/// Whether `top`, in the body of `op`, is the maximum of `value` over loops
/// that do not index it, or zero if that is -inf.
static bool isMaximum(linalg::LinalgOp op, Value top, Value value) {
  OpOperand *input = inputOf(op, top);
  if (!input)
    return false;
  auto reduce = input->get().getDefiningOp<linalg::LinalgOp>();
  if (reduce && reduce.getNumReductionLoops() == 0 && yieldedBy(reduce))
    if (Value inner = withoutZeros(reduce))
      reduce = inner.getDefiningOp<linalg::LinalgOp>();
  if (!reduce)
    return false;
  Value compared = combinedBy<arith::MaximumFOp, arith::MaxNumFOp>(reduce);
  // From any larger number the maximum might be above all values of the row.
  std::optional<APFloat> start = compared ? startOf(reduce) : std::nullopt;
  if (!start ||
      !((start->isNegative() && (start->isInfinity() || start->isLargest())) ||
        start->isNaN()))
    return false;
  SameLoops loops;
  return isSame(op, value, reduce, compared, loops) &&
         loops.note(op.getMatchingIndexingMap(input),
                    reduce.getMatchingIndexingMap(reduce.getDpsInitOperand(0)));
}

/// Returns the exponential that `op` yields, if it is one of the difference
/// from a row's maximum in f32, else null.
static Operation *exponentialOf(linalg::LinalgOp op) {
  Value yielded = op.getNumReductionLoops() == 0 ? yieldedBy(op) : Value();
  Operation *exponential = yielded ? yielded.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(exponential) ||
      !yielded.getType().isF32())
    return nullptr;
  auto difference = exponential->getOperand(0).getDefiningOp<arith::SubFOp>();
  return difference && isMaximum(op, difference.getRhs(), difference.getLhs())
             ? exponential
             : nullptr;
}

/// Whether `sum` adds up what `exponentials` yields, over the loops over which
/// it subtracts the maximum: each sum has a 1 among its terms.
static bool isSumOfRows(linalg::LinalgOp sum, linalg::LinalgOp exponentials) {
  Value added = combinedBy<arith::AddFOp>(sum);
  OpOperand *input = added ? inputOf(sum, added) : nullptr;
  std::optional<APFloat> start = input ? startOf(sum) : std::nullopt;
  if (!start || !start->isZero() || input->get() != exponentials->getResult(0))
    return false;
  auto difference = yieldedBy(exponentials)
                        .getDefiningOp()
                        ->getOperand(0)
                        .getDefiningOp<arith::SubFOp>();
  SameLoops loops;
  return loops.note(exponentials.getMatchingIndexingMap(
                        exponentials.getDpsInitOperand(0)),
                    sum.getMatchingIndexingMap(input)) &&
         loops.note(exponentials.getMatchingIndexingMap(
                        inputOf(exponentials, difference.getRhs())),
                    sum.getMatchingIndexingMap(sum.getDpsInitOperand(0)));
}

/// Whether `divisor` of `op` is the sum of the row that `dividend` is in.
static bool isSumOfRow(linalg::LinalgOp op, OpOperand *dividend,
                       OpOperand *divisor) {
  auto sum = divisor->get().getDefiningOp<linalg::LinalgOp>();
  if (!sum ||
      !isSumOfRows(sum, dividend->get().getDefiningOp<linalg::LinalgOp>()))
    return false;
  SameLoops loops;
  return loops.note(op.getMatchingIndexingMap(dividend),
                    sum.getMatchingIndexingMap(sum.getDpsInputOperand(0))) &&
         loops.note(op.getMatchingIndexingMap(divisor),
                    sum.getMatchingIndexingMap(sum.getDpsInitOperand(0)));
}

/// Creates the reciprocals of a tensor's elements, behind what defines it.
static Value reciprocalsOf(RewriterBase &rewriter, Value tensor) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfterValue(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  Location loc = tensor.getLoc();
  Value init = emptyLike(rewriter, loc, tensor, type.getElementType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, init.getType(), tensor, init,
      ArrayRef<AffineMap>{identity, identity}, parallel,
      [](OpBuilder &builder, Location loc, ValueRange arguments) {
        Type element = arguments[0].getType();
        Value one = arith::ConstantOp::create(
            builder, loc, builder.getFloatAttr(element, 1.0));
        Value reciprocal =
            arith::DivFOp::create(builder, loc, one, arguments[0]);
        linalg::YieldOp::create(builder, loc, reciprocal);
      });
  return generic.getResult(0);
}

/// Whether all uses of a tensor are those of a factor of a contraction, whose
/// products with less than 2^-126 are lost beside those with the row's 1.
static bool isFactor(Value tensor) {
  return llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return user && user.isDpsInput(&use) &&
           linalg::isaContractionOpInterface(user);
  });
}

namespace {

/// Decides whether uses of exponentials tell apart zero and what is below the
/// normal numbers.
class SmallestUses {
public:
  /// `reciprocals`: tensors with the reciprocals of the exponentials' sums.
  SmallestUses(linalg::LinalgOp exponentials,
               const llvm::SmallDenseSet<Value> &reciprocals)
      : exponentials(exponentials), reciprocals(reciprocals) {}

  /// Returns whether no use of a tensor does.
  bool areNone(Value tensor) const {
    return !tensor.use_empty() &&
           llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
             auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
             if (!user || !user.isDpsInput(&use))
               return false;
             return isSumOfRows(user, exponentials) ||
                    areNone(user, user.getMatchingBlockArgument(&use));
           });
  }

private:
  /// Returns whether no use of a value in the body of `op` does.
  bool areNone(linalg::LinalgOp op, Value value) const {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (isa<arith::TruncFOp>(user))
        return isRounded(op, user->getResult(0));
      if (isa<linalg::YieldOp>(user))
        return op->getNumResults() == 1 && op.getNumReductionLoops() == 0 &&
               areNone(op->getResult(0));
      OpOperand *factor =
          isa<arith::MulFOp>(user)
              ? inputOf(op, user->getOperand(1 - use.getOperandNumber()))
              : nullptr;
      return factor && reciprocals.contains(factor->get()) &&
             areNone(op, user->getResult(0));
    });
  }

  /// Returns whether a rounded value is of f16, whose least number is above, or
  /// of bf16 and a factor.
  static bool isRounded(linalg::LinalgOp op, Value rounded) {
    return rounded.getType().isF16() ||
           (rounded.getType().isBF16() && yieldedBy(op) == rounded &&
            rounded.hasOneUse() && isFactor(op->getResult(0)));
  }

  linalg::LinalgOp exponentials;
  const llvm::SmallDenseSet<Value> &reciprocals;
};

} // namespace

unsigned fusion::simplifySoftmaxWeights(RewriterBase &rewriter,
                                        linalg::LinalgOp op) {
  Operation *exponential = exponentialOf(op);
  if (!exponential)
    return 0;
  Value tensor = op->getResult(0);
  unsigned count = 0;
  llvm::SmallDenseMap<Value, Value> reciprocals; // by sum
  llvm::SmallDenseSet<Value> known;
  for (OpOperand &use : llvm::make_early_inc_range(tensor.getUses())) {
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!user)
      continue;
    for (OpOperand *divisor : user.getDpsInputOperands()) {
      BlockArgument dividend = user.getMatchingBlockArgument(&use),
                    argument = user.getMatchingBlockArgument(divisor);
      // All uses of the sum have to be divisors: it is replaced.
      auto isQuotient = [&](OpOperand &inner) {
        auto divide = dyn_cast<arith::DivFOp>(inner.getOwner());
        return divide && divide.getLhs() == dividend &&
               divide.getRhs() == argument;
      };
      if (divisor == &use || argument.use_empty() ||
          !llvm::all_of(argument.getUses(), isQuotient) ||
          !isSumOfRow(user, &use, divisor))
        continue;
      Value &reciprocal = reciprocals[divisor->get()];
      if (!reciprocal) {
        reciprocal = reciprocalsOf(rewriter, divisor->get());
        known.insert(reciprocal);
      }
      for (Operation *divide :
           llvm::make_early_inc_range(argument.getUsers())) {
        rewriter.setInsertionPoint(divide);
        rewriter.replaceOpWithNewOp<arith::MulFOp>(divide, dividend, argument);
      }
      rewriter.modifyOpInPlace(user, [&] { divisor->set(reciprocal); });
      ++count;
    }
  }
  if (SmallestUses(op, known).areNone(tensor))
    exponential->setDiscardableAttr(fuse::kFlushAttrName,
                                    rewriter.getUnitAttr());
  return count;
}
