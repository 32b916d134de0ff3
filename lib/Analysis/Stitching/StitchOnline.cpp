//===- StitchOnline.cpp - Reductions that run in one pass -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `deriveOnline` says which reductions along the serial loop's axis can run in
// the pass of the reductions that they need. It is given these reductions, the
// one that needs them, and the operators between. All else is known before the
// pass.
//
// The derived factors are the same for a row. Here every position of a tile has
// running values of its own. Operators that use them have to distinguish the
// same positions, and results the same rows.
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Stitching/StitchPasses.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace fusion;

using Kind = RowExpression::Kind;

static bool isSubset(ArrayRef<unsigned> axes, ArrayRef<unsigned> of) {
  return llvm::all_of(
      axes, [&](unsigned axis) { return llvm::is_contained(of, axis); });
}

static bool startsFromZero(const ReductionBody &body) {
  auto start = dyn_cast<FloatAttr>(body.initial);
  return body.kind == arith::AtomicRMWKind::addf && start &&
         start.getValue().isZero();
}

namespace {

/// The operators on the way from the reductions of a pass to one that needs
/// them.
class Between {
public:
  Between(const StitchGroup &group, const StitchPasses &passes, unsigned pass)
      : group(group), passes(passes), pass(pass) {}

  /// Collects the reductions and operators of the pass that `op` needs. Returns
  /// false, and sets `reason`, if it cannot.
  bool collect(unsigned op) {
    linalg::LinalgOp linalgOp = group.operators()[op];
    if (linalgOp.getBlock()
            ->walk([](tensor::ExtractOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return decline(op, "reads elements at places of its own");
    for (unsigned source : group.sources[op].operators) {
      if (passes.reducesAxis(source)) {
        if (passes.level[source] == pass && !addReference(op, source))
          return false;
        continue;
      }
      if (passes.level[source] <= pass || operators.contains(source))
        continue;
      if (group.reductions[source])
        return decline(source,
                       "combines values of its own loop along another axis");
      operators.insert(source);
      if (!collect(source))
        return false;
    }
    return true;
  }

  bool decline(unsigned op, StringRef why) {
    linalg::LinalgOp linalgOp = group.operators()[op];
    reason = (linalgOp->getName().getStringRef() + " " + why).str();
    return false;
  }

  llvm::SmallSetVector<unsigned, 4> references;
  llvm::SmallSetVector<unsigned, 8> operators;
  std::string reason;

private:
  bool addReference(unsigned op, unsigned reference) {
    if (!matchReduction(group.operators()[reference]))
      return decline(op, "needs a sum of products of its own loop");
    references.insert(reference);
    return true;
  }

  const StitchGroup &group;
  const StitchPasses &passes;
  unsigned pass;
};

} // namespace

/// Whether a scalar of an operator's body depends on no other axes than `axes`.
static bool isOver(const StitchGroup &group, unsigned op, Value scalar,
                   ArrayRef<unsigned> axes) {
  linalg::LinalgOp linalgOp = group.operators()[op];
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    if (argument.getOwner() != linalgOp.getBlock())
      return true;
    return isSubset(
        group.axesOf(op, &linalgOp->getOpOperand(argument.getArgNumber())),
        axes);
  }
  Operation *inner = scalar.getDefiningOp();
  if (inner->getBlock() != linalgOp.getBlock())
    return true;
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return llvm::is_contained(axes, group.loops[op][index.getDim()]);
  return llvm::all_of(inner->getOperands(), [&](Value operand) {
    return isOver(group, op, operand, axes);
  });
}

/// Returns the expression with operators by their numbers in the group. Clears
/// `isOfRows` if it depends on more than `axes`.
static RowExpressionRef renumber(const StitchGroup &group,
                                 const RowExpressionRef &expression,
                                 ArrayRef<unsigned> numbers,
                                 ArrayRef<unsigned> axes, bool &isOfRows) {
  if (!expression)
    return nullptr;
  auto result = std::make_shared<RowExpression>(*expression);
  if (expression->kind == Kind::Scalar) {
    result->op = numbers[expression->op];
    isOfRows &= isOver(group, result->op, result->scalar, axes);
  }
  for (RowExpressionRef &operand : result->operands)
    operand = renumber(group, operand, numbers, axes, isOfRows);
  return result;
}

/// Returns the part of the group that the derivation is about. Factors may
/// leave sums of products.
static GroupAxes select(const StitchGroup &group, ArrayRef<unsigned> numbers,
                        unsigned axis, ArrayRef<unsigned> running) {
  GroupAxes axes;
  for (const StitchAxis &entry : group.axes)
    axes.model.axes.push_back({entry.name, entry.extent, /*isDynamic=*/false});
  axes.model.reductions.resize(group.operators().size());
  for (unsigned number : numbers) {
    axes.operators.push_back(group.operators()[number]);
    axes.loops.push_back(group.loops[number]);
    bool runs = llvm::is_contained(running, number);
    axes.reductionOf.push_back(runs ? std::optional(number) : std::nullopt);
    if (runs)
      axes.model.reductions[number].reduced = {axis};
  }
  axes.contractionOf.resize(numbers.size());
  for (auto [place, number] : llvm::enumerate(numbers)) {
    if (!axes.reductionOf[place] || matchReduction(group.operators()[number]))
      continue;
    axes.reductionOf[place] = std::nullopt;
    axes.contractionOf[place] = axes.model.contractions.size();
    axes.model.contractions.emplace_back().reduction = {axis};
  }
  axes.followsContraction.resize(numbers.size());
  axes.statisticsOf.resize(numbers.size());
  return axes;
}

//===----------------------------------------------------------------------===//
// Sums of squares about a mean
//===----------------------------------------------------------------------===//

namespace {

/// A scalar of an operator's body.
struct Scalar {
  unsigned op;
  Value value;
};

} // namespace

static Value yieldOf(const StitchGroup &group, unsigned op) {
  linalg::LinalgOp linalgOp = group.operators()[op];
  return linalgOp.getBlock()->getTerminator()->getOperand(0);
}

static OpOperand *operandOf(const StitchGroup &group, Scalar scalar) {
  linalg::LinalgOp linalgOp = group.operators()[scalar.op];
  auto argument = dyn_cast<BlockArgument>(scalar.value);
  if (!argument || argument.getOwner() != linalgOp.getBlock())
    return nullptr;
  return &linalgOp->getOpOperand(argument.getArgNumber());
}

/// Returns the scalar that a scalar is computed by, through operators that only
/// copy it and conversions to wider types.
static Scalar resolve(const StitchGroup &group, Scalar scalar) {
  while (true) {
    if (OpOperand *operand = operandOf(group, scalar)) {
      std::optional<unsigned> maker = group.definer(operand->get());
      if (!maker || group.reductions[*maker])
        return scalar;
      scalar = {*maker, yieldOf(group, *maker)};
    } else if (auto wider = scalar.value.getDefiningOp<arith::ExtFOp>()) {
      scalar.value = wider.getIn();
    } else {
      return scalar;
    }
  }
}

/// Whether both are the same element of the same tensor, or one scalar.
static bool areSame(const StitchGroup &group, Scalar a, Scalar b) {
  a = resolve(group, a);
  b = resolve(group, b);
  OpOperand *first = operandOf(group, a), *second = operandOf(group, b);
  if (!first || !second)
    return a.value == b.value;
  auto from = group.reads.find(first), other = group.reads.find(second);
  bool isInput = from != group.reads.end() && other != group.reads.end();
  return (isInput ? from->second == other->second
                  : first->get() == second->get()) &&
         group.axesOf(a.op, first) == group.axesOf(b.op, second);
}

/// Returns the sum that a scalar is the mean of: it is divided by `count`, or
/// multiplied by the number next to its reciprocal.
static std::optional<unsigned> meanOf(const StitchGroup &group, Scalar scalar,
                                      int64_t count) {
  Operation *inner = scalar.value.getDefiningOp();
  if (!isa_and_nonnull<arith::DivFOp, arith::MulFOp>(inner))
    return std::nullopt;
  bool divides = isa<arith::DivFOp>(inner);
  for (unsigned place : {0u, 1u}) {
    if (divides && place == 1)
      break;
    FloatAttr constant;
    OpOperand *sum = operandOf(group, {scalar.op, inner->getOperand(place)});
    if (!sum ||
        !matchPattern(inner->getOperand(1 - place), m_Constant(&constant)))
      continue;
    double number = constant.getValueAsDouble();
    constexpr double unit = 1.0 / (1 << 23); // in the last place of f32
    bool isMean =
        divides ? number == count : std::abs(number * count - 1) <= unit;
    std::optional<unsigned> maker = group.definer(sum->get());
    if (isMean && maker && group.reductions[*maker])
      return *maker;
  }
  return std::nullopt;
}

/// Lets a sum of squares about a mean run in `pass`, in which another operator
/// sums up the elements of that mean. About the mean of the elements up to now,
/// the differences add up to zero. Going to another mean therefore adds its
/// square, once for each element.
bool StitchPasses::joinCentred(const StitchGroup &group, unsigned op,
                               unsigned pass) {
  std::optional<ReductionBody> squares = matchReduction(group.operators()[op]);
  if (!squares || !startsFromZero(*squares))
    return false;
  Scalar term = resolve(group, {op, squares->combined});
  auto square = term.value.getDefiningOp<arith::MulFOp>();
  if (!square ||
      !areSame(group, {term.op, square.getLhs()}, {term.op, square.getRhs()}))
    return false;
  Scalar difference = resolve(group, {term.op, square.getLhs()});
  auto subtract = difference.value.getDefiningOp<arith::SubFOp>();
  if (!subtract)
    return false;
  int64_t count = group.axes[*axis].extent;
  Centre centre{0, std::nullopt};
  Scalar mean{difference.op, subtract.getRhs()};
  if (OpOperand *operand = operandOf(group, mean))
    if (std::optional<unsigned> maker = group.definer(operand->get());
        maker && !isSerial[*maker] && !group.reductions[*maker]) {
      centre.mean = *maker;
      mean = {*maker, yieldOf(group, *maker)};
    }
  std::optional<unsigned> sum = meanOf(group, mean, count);
  if (!sum || !reducesAxis(*sum) || level[*sum] != pass ||
      (isReference[*sum] && !isCentre[*sum]))
    return false;
  centre.sum = *sum;
  std::optional<ReductionBody> terms = matchReduction(group.operators()[*sum]);
  Type type = squares->combined.getType();
  constexpr unsigned wide = 32; // bits; narrower types round differences
  SmallVector<unsigned, 4> rows = group.resultAxes(op);
  SmallVector<unsigned> loops(group.loops[op]), loopsOfSum(group.loops[*sum]);
  llvm::sort(loops);
  llvm::sort(loopsOfSum);
  if (!terms || !startsFromZero(*terms) || terms->combined.getType() != type ||
      type.getIntOrFloatBitWidth() < wide || square.getType() != type ||
      subtract.getType() != type || rows.size() + 1 != loops.size() ||
      loops != loopsOfSum || rows != group.resultAxes(*sum) ||
      !areSame(group, {*sum, terms->combined},
               {difference.op, subtract.getLhs()}))
    return false;
  centres[op] = centre;
  isReference[*sum] = isCentre[*sum] = true;
  return true;
}

//===----------------------------------------------------------------------===//
// Rescaling by a factor
//===----------------------------------------------------------------------===//

/// Lets `op` run in `pass`, whose reductions it needs. Returns false if it
/// cannot.
bool StitchPasses::join(const StitchGroup &group, unsigned op, unsigned pass) {
  Between between(group, *this, pass);
  auto decline = [&](StringRef why) {
    between.decline(op, why);
    if (whyNotOnline.empty())
      whyNotOnline = between.reason;
    return false;
  };
  linalg::LinalgOp linalgOp = group.operators()[op];
  if (!matchReduction(linalgOp)) {
    std::optional<ReductionBody> sum = matchCombination(linalgOp);
    if (!sum || !startsFromZero(*sum) || linalgOp.getNumDpsInputs() != 2)
      return decline("is a sum of products that does not start from zero, or "
                     "of other than two values");
  }
  if (!between.collect(op)) {
    if (whyNotOnline.empty())
      whyNotOnline = between.reason;
    return false;
  }
  Type type = group.reductions[op]->combined.getType();
  SmallVector<unsigned, 4> rows = group.resultAxes(op);
  SmallVector<unsigned, 4> places;
  for (unsigned reference : between.references) {
    constexpr unsigned wide = 32; // bits; narrower types round differences
    if (group.reductions[reference]->combined.getType() != type ||
        !type.isIntOrFloat() || type.getIntOrFloatBitWidth() < wide)
      return decline("needs values of its own loop of another type, or of one "
                     "narrower than f32");
    if (!isSubset(group.resultAxes(reference), rows))
      return decline("sums up what rows of its own loop tell apart");
    if (isCentre[reference])
      return decline("needs a sum of which another one needs the mean so far");
    llvm::append_range(places, group.loops[reference]);
  }
  auto tellsApart = [&](unsigned number) {
    return !isSerial[number] || isSubset(places, group.loops[number]);
  };
  if (!tellsApart(op) || !llvm::all_of(between.operators, tellsApart))
    return decline("has fewer places than the values of its own loop");

  SmallVector<unsigned> numbers(between.references.begin(),
                                between.references.end());
  llvm::append_range(numbers, between.operators);
  numbers.push_back(op);
  llvm::sort(numbers);
  SmallVector<unsigned> running(between.references.begin(),
                                between.references.end());
  running.push_back(op);
  std::string reason;
  FailureOr<OnlineForm> form = deriveOnline(
      select(group, numbers, *axis, running), *axis,
      [&](const Twine &why) { reason = why.str(); },
      /*ofReductions=*/true);
  if (failed(form)) {
    if (whyNotOnline.empty())
      whyNotOnline = reason;
    return false;
  }
  RowExpressionRef factor;
  std::vector<DeferredFactor> left;
  for (const OnlineForm::Running &rule : form->running)
    if (rule.reduction == op) {
      factor = rule.factor;
      left = rule.deferred;
    }
  for (const OnlineForm::Sum &sum : form->sums) {
    factor = sum.factor;
    left = sum.deferred;
  }
  bool isOfRows = true;
  factor = renumber(group, factor, numbers, rows, isOfRows);
  for (DeferredFactor &each : left) {
    each.op = numbers[each.op];
    isOfRows &= isOver(group, each.op, each.scalar, rows);
  }
  if (!isOfRows)
    return decline("is rescaled by more than a number for each row");
  factors[op] = factor;
  deferred[op] = std::move(left);
  for (auto [inner, retained] : form->skipped)
    skipped[inner] = retained;
  for (const OnlineForm::Running &rule : form->running)
    if (rule.isGuarded)
      isReference[rule.reduction] = true;
  return true;
}

static ScalarWork workOf(const RowExpressionRef &expression) {
  ScalarWork work;
  if (!expression)
    return work;
  switch (expression->kind) {
  case Kind::Before:
  case Kind::After:
  case Kind::Scalar:
    return work;
  case Kind::Exp:
  case Kind::Log:
    work = {1, 1};
    break;
  case Kind::Exp2:
  case Kind::Rsqrt:
    work = {0, 1};
    break;
  case Kind::Sqrt:
  case Kind::Div:
    work = {8, 1};
    break;
  default:
    work = {1, 0};
  }
  for (const RowExpressionRef &operand : expression->operands)
    work += workOf(operand);
  return work;
}

ScalarWork StitchPasses::correctionWork(unsigned op) const {
  // How far the mean moves, and the square, times the number of elements.
  if (centres[op])
    return {7, 0};
  if (!factors[op])
    return {};
  // Two values of a reference are guarded; the factor has a limit.
  ScalarWork work = workOf(factors[op]);
  work.plain += 2 * 2 + 2;
  return work;
}
