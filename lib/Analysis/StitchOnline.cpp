//===- StitchOnline.cpp - Reductions that run in one pass -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which reductions of a walked axis can run in the pass of those that they need
// is for `deriveOnline` to say. What it is asked about are the reductions, the
// one that needs them, and the operators between; all else is known before the
// pass.
//
// The derived factors are the same for a row. Here every place of a tile has
// running values of its own, so that what is made of them has to tell the same
// places apart, and results the same rows.
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/StitchPasses.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fusion;

using Kind = RowExpression::Kind;

static bool isSubset(ArrayRef<unsigned> axes, ArrayRef<unsigned> of) {
  return llvm::all_of(
      axes, [&](unsigned axis) { return llvm::is_contained(of, axis); });
}

namespace {

/// The operators from the reductions of a pass to one that needs them.
class Between {
public:
  Between(const StitchGroup &group, const StitchPasses &passes, unsigned pass)
      : group(group), passes(passes), pass(pass) {}

  /// Collects what `op` needs of the pass. Returns false with the reason.
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

/// Whether a scalar of an operator's body is the same for all points of `axes`.
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

/// The expression with operators by their numbers in the group; null where it
/// depends on more than `axes`.
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

/// What of the group the derivation is about.
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
  axes.productOf.resize(numbers.size());
  axes.followsProduct.resize(numbers.size());
  axes.passOf.resize(numbers.size());
  return axes;
}

/// Lets `op` run in `pass`, whose reductions it needs, if it can.
bool StitchPasses::join(const StitchGroup &group, unsigned op, unsigned pass) {
  Between between(group, *this, pass);
  auto decline = [&](StringRef why) {
    between.decline(op, why);
    if (whyNotOnline.empty())
      whyNotOnline = between.reason;
    return false;
  };
  if (!matchReduction(group.operators()[op]))
    return decline("is a sum of products");
  if (!between.collect(op)) {
    if (whyNotOnline.empty())
      whyNotOnline = between.reason;
    return false;
  }
  Type type = group.reductions[op]->combined.getType();
  SmallVector<unsigned, 4> rows = group.resultAxes(op);
  SmallVector<unsigned, 4> places;
  for (unsigned reference : between.references) {
    constexpr unsigned wide = 32; // bits; what is narrower rounds differences
    if (group.reductions[reference]->combined.getType() != type ||
        !type.isIntOrFloat() || type.getIntOrFloatBitWidth() < wide)
      return decline("needs values of its own loop of another type, or of one "
                     "narrower than f32");
    if (!isSubset(group.resultAxes(reference), rows))
      return decline("sums up what rows of its own loop tell apart");
    llvm::append_range(places, group.loops[reference]);
  }
  auto tellsApart = [&](unsigned number) {
    return !isWalked[number] || isSubset(places, group.loops[number]);
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
  FailureOr<OnlineForm> form =
      deriveOnline(select(group, numbers, *axis, running), *axis,
                   [&](const Twine &why) { reason = why.str(); });
  if (failed(form)) {
    if (whyNotOnline.empty())
      whyNotOnline = reason;
    return false;
  }
  RowExpressionRef factor;
  for (const OnlineForm::Running &rule : form->running)
    if (rule.reduction == op)
      factor = rule.factor;
  bool isOfRows = true;
  factor = renumber(group, factor, numbers, rows, isOfRows);
  if (!isOfRows)
    return decline("is corrected by more than a number for each row");
  factors[op] = factor;
  for (unsigned reference : between.references)
    isReference[reference] = true;
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
  if (!factors[op])
    return {};
  // Two values of a reference are guarded; the factor has a limit.
  ScalarWork work = workOf(factors[op]);
  work.plain += 2 * 2 + 2;
  return work;
}
