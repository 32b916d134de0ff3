//===- FoldExponentials.cpp - tile-fold-exponentials ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   exp(s·x - t) = 2^(x · (s log₂e) - t · log₂e)
//
// is one multiply-add for each element where t belongs to its row; t · log₂e is
// computed once for the row. A positive scale s reaches the exponential past
// what commutes with it: a selection between it and an infinity or zero, and
// the maximum of a row. Multiplication by s is monotone after rounding, too, so
// max(round(s·x)) is round(s · max x) to the bit.
//
// What else is computed with t must count from the same number: the factor
// exp(t - t') between two values of a row is 2^(t·log₂e - t'·log₂e), of the
// same rounded products. Then the error of t · log₂e is the same for all terms
// of a row, and whatever is divided by their sum does not have it
// (docs/numerics.md).
//
// The default is guarded: an exponential is folded if the error cancels in
// everything that the kernel stores, and rows of large t are computed as
// differences (tile.exponent).
//
//===----------------------------------------------------------------------===//

#include "RowFactors.h"
#include "fusion/Dialect/Fuse/IR/Exponentials.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace fusion {
#define GEN_PASS_DEF_TILEFOLDEXPONENTIALS
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

/// The number that all elements of a constant tile of f32 are.
static std::optional<double> splatOf(Value value) {
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      !elements.getElementType().isF32())
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
}

static Value splat(OpBuilder &b, Location loc, Type type, double value) {
  auto tile = cast<RankedTensorType>(type);
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(tile, static_cast<float>(value)));
}

static bool isTileOfF32(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

static bool isNormal(double value) {
  return std::isnormal(static_cast<float>(value));
}

namespace {

/// A product with a positive number, and what computes with it.
class ScaledTile {
public:
  /// None where something else than exponentials and extrema reads the product,
  /// which then must be computed anyway.
  static std::optional<ScaledTile> find(arith::MulFOp product);

  /// Has all of it compute with the factor x, and the maxima scaled behind.
  void moveScale();

  /// x in place of s·x, before an exponential, and s. Kept while exponentials
  /// are rewritten.
  llvm::DenseMap<Value, Value> unscaled;
  double scale = 1;
  SmallVector<Operation *> exponentials;

private:
  bool collect(Value value);

  Value factor;
  SmallVector<arith::SelectOp> selections;
  SmallVector<ReduceOp> extrema;
};

} // namespace

/// Whether a scaled value is the left side of a difference of which there are
/// exponentials only.
static bool isExponent(Operation *user, Value value) {
  auto difference = dyn_cast<arith::SubFOp>(user);
  return difference && difference.getLhs() == value &&
         difference.getRhs() != value &&
         difference.getRhs().getDefiningOp<BroadcastOp>() &&
         llvm::all_of(difference->getUsers(),
                      llvm::IsaPred<math::ExpOp, math::Exp2Op>);
}

bool ScaledTile::collect(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isExponent(user, value)) {
      llvm::append_range(exponentials, user->getUsers());
      continue;
    }
    if (auto select = dyn_cast<arith::SelectOp>(user)) {
      Value other = select.getTrueValue() == value ? select.getFalseValue()
                                                   : select.getTrueValue();
      std::optional<double> constant = splatOf(other);
      if (!constant || !(std::isinf(*constant) || *constant == 0) ||
          llvm::is_contained(selections, select))
        return false;
      selections.push_back(select);
      if (!collect(select.getResult()))
        return false;
      continue;
    }
    using Kind = arith::AtomicRMWKind;
    auto reduce = dyn_cast<ReduceOp>(user);
    if (!reduce || !llvm::is_contained({Kind::maximumf, Kind::maxnumf,
                                        Kind::minimumf, Kind::minnumf},
                                       reduce.getKind()))
      return false;
    extrema.push_back(reduce);
  }
  return true;
}

std::optional<ScaledTile> ScaledTile::find(arith::MulFOp product) {
  if (!isTileOfF32(product))
    return std::nullopt;
  ScaledTile result;
  for (unsigned number : {0u, 1u}) {
    std::optional<double> constant = splatOf(product->getOperand(number));
    if (!constant || *constant <= 0 ||
        !isNormal(*constant * llvm::numbers::log2e))
      continue;
    result.scale = *constant;
    result.factor = product->getOperand(1 - number);
    if (!result.collect(product) || result.exponentials.empty())
      return std::nullopt;
    result.unscaled[product] = result.factor;
    return result;
  }
  return std::nullopt;
}

void ScaledTile::moveScale() {
  // In the order in which they were found each follows what it selects from.
  for (arith::SelectOp select : selections) {
    OpBuilder b(select);
    auto plain = [&](Value value) {
      Value found = unscaled.lookup(value);
      return found ? found : value;
    };
    unscaled[select] = arith::SelectOp::create(
        b, select.getLoc(), select.getCondition(), plain(select.getTrueValue()),
        plain(select.getFalseValue()));
  }
  for (ReduceOp reduce : extrema) {
    OpBuilder b(reduce);
    reduce.getValueMutable().assign(unscaled.lookup(reduce.getValue()));
    b.setInsertionPointAfter(reduce);
    Value scaled = arith::MulFOp::create(
        b, reduce.getLoc(), reduce,
        splat(b, reduce.getLoc(), reduce.getType(), scale));
    reduce.getResult().replaceAllUsesExcept(scaled, scaled.getDefiningOp());
  }
}

/// t · factor for a broadcast t, computed for the rows.
static Value scaleRows(OpBuilder &b, BroadcastOp repeated, double factor) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(repeated);
  Location loc = repeated.getLoc();
  Value rows = repeated.getValue();
  Value scaled = arith::MulFOp::create(b, loc, rows,
                                       splat(b, loc, rows.getType(), factor));
  return BroadcastOp::create(b, loc, repeated.getType(), scaled,
                             repeated.getDimensions());
}

/// exp(x·scale - t), exp(t - x) and exp(t - t'), or of base 2; null for other
/// arguments, and where there is nothing to fold.
static Value foldExponential(Operation *op,
                             llvm::function_ref<Value(Value)> unscaled,
                             llvm::function_ref<double(Value)> scaleOf) {
  auto difference = op->getOperand(0).getDefiningOp<arith::SubFOp>();
  if (!difference || !isTileOfF32(op->getResult(0)))
    return {};
  OpBuilder b(op);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  Value left = difference.getLhs(), right = difference.getRhs();
  auto leftRows = left.getDefiningOp<BroadcastOp>();
  auto rightRows = right.getDefiningOp<BroadcastOp>();
  bool isNatural = isa<math::ExpOp>(op);
  if (!isNatural && scaleOf(left) == 1)
    return {};
  double log2e = isNatural ? llvm::numbers::log2e : 1.0;
  Value exponent;
  if (!leftRows && rightRows) {
    exponent = math::FmaOp::create(b, loc, unscaled(left),
                                   splat(b, loc, type, scaleOf(left) * log2e),
                                   scaleRows(b, rightRows, -log2e));
  } else if (leftRows && !rightRows) {
    exponent = math::FmaOp::create(b, loc, right, splat(b, loc, type, -log2e),
                                   scaleRows(b, leftRows, log2e));
  } else if (cast<RankedTensorType>(type).getRank() == 1) {
    auto scaled = [&](Value rows) -> Value {
      return arith::MulFOp::create(b, loc, rows, splat(b, loc, type, log2e));
    };
    exponent = arith::SubFOp::create(b, loc, scaled(left), scaled(right));
  } else {
    return {};
  }
  auto folded = math::Exp2Op::create(b, loc, exponent);
  folded->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return folded;
}

namespace {

/// Folds the exponentials of one kernel.
class Folding {
public:
  explicit Folding(KernelOp kernel) : kernel(kernel) {}

  /// Folds every exponential of a difference from a row's value. Returns their
  /// number.
  unsigned foldAll();
  /// Folds the exponentials whose errors cancel, guarded by the magnitude of
  /// what is subtracted. Returns their number.
  unsigned foldGuarded();

private:
  using Groups = llvm::SmallMapVector<Value, double, 2>;

  SmallVector<Operation *> listExponentials();
  void moveScale(ScaledTile &scaled);
  double scaleOf(Value value) const {
    auto scale = scales.find(value);
    return scale == scales.end() ? 1.0 : scale->second;
  }
  Value unscaledOf(Value value) const {
    Value plain = unscaled.lookup(value);
    return plain ? plain : value;
  }
  void moveScalesOfGroups(const RowFactors &factors, Groups &groups);
  void replace(Operation *exponential, Value exponent);
  void dropDead();

  KernelOp kernel;
  llvm::DenseMap<Value, Value> unscaled;
  llvm::DenseMap<Value, double> scales;
  llvm::SetVector<Operation *> maybeDead;
};

} // namespace

SmallVector<Operation *> Folding::listExponentials() {
  SmallVector<Operation *> exponentials;
  kernel.walk([&](Operation *op) {
    if (isa<math::ExpOp, math::Exp2Op>(op))
      exponentials.push_back(op);
  });
  return exponentials;
}

void Folding::moveScale(ScaledTile &scaled) {
  scaled.moveScale();
  for (auto [value, plain] : scaled.unscaled) {
    unscaled[value] = plain;
    scales[value] = scaled.scale;
    maybeDead.insert(value.getDefiningOp());
  }
}

/// Differences first, then what they were computed from.
void Folding::dropDead() {
  while (true) {
    auto dead =
        llvm::find_if(maybeDead, [](Operation *op) { return op->use_empty(); });
    if (dead == maybeDead.end())
      return;
    Operation *op = *dead;
    maybeDead.remove(op);
    for (Value operand : op->getOperands())
      if (auto rows = operand.getDefiningOp<BroadcastOp>())
        maybeDead.insert(rows);
    op->erase();
  }
}

unsigned Folding::foldAll() {
  kernel.walk([&](arith::MulFOp product) {
    if (std::optional<ScaledTile> scaled = ScaledTile::find(product))
      moveScale(*scaled);
  });
  unsigned folded = 0;
  for (Operation *op : listExponentials()) {
    Value result = foldExponential(
        op, [&](Value value) { return unscaledOf(value); },
        [&](Value value) { return scaleOf(value); });
    if (!result)
      continue;
    op->replaceAllUsesWith(ValueRange(result));
    maybeDead.insert(op->getOperand(0).getDefiningOp());
    op->erase();
    ++folded;
  }
  dropDead();
  return folded;
}

//===----------------------------------------------------------------------===//
// Guarded
//===----------------------------------------------------------------------===//

/// Moves the scales of tiles whose exponentials are all folded, and sets the
/// scale of each group of subtrahends. Exponentials of one group must have the
/// same factor of a row, so they keep their scales where these differ.
void Folding::moveScalesOfGroups(const RowFactors &factors, Groups &groups) {
  SmallVector<ScaledTile> tiles;
  llvm::DenseMap<Operation *, double> scaleOfTerm;
  kernel.walk([&](arith::MulFOp product) {
    std::optional<ScaledTile> scaled = ScaledTile::find(product);
    if (!scaled || !llvm::all_of(scaled->exponentials, [&](Operation *op) {
          return factors.groupOfTerm(op);
        }))
      return;
    for (Operation *op : scaled->exponentials)
      scaleOfTerm[op] = scaled->scale;
    tiles.push_back(std::move(*scaled));
  });
  for (Operation *op : listExponentials()) {
    Value group = factors.groupOfTerm(op);
    if (!group)
      continue;
    auto own = scaleOfTerm.find(op);
    double scale = own == scaleOfTerm.end() ? 1 : own->second;
    auto [entry, isNew] = groups.try_emplace(group, scale);
    if (!isNew && entry->second != scale)
      entry->second = 1;
  }
  auto isAlike = [&](const ScaledTile &scaled) {
    return llvm::all_of(scaled.exponentials, [&](Operation *op) {
      return groups.lookup(factors.groupOfTerm(op)) == scaled.scale;
    });
  };
  // A tile that keeps its scale does so for all groups of its exponentials.
  for (bool changed = true; changed;) {
    changed = false;
    for (ScaledTile &scaled : tiles)
      if (!isAlike(scaled))
        for (Operation *op : scaled.exponentials)
          changed |= std::exchange(groups[factors.groupOfTerm(op)], 1) != 1;
  }
  for (ScaledTile &scaled : tiles)
    if (isAlike(scaled))
      moveScale(scaled);
}

void Folding::replace(Operation *exponential, Value exponent) {
  OpBuilder b(exponential);
  auto folded = math::Exp2Op::create(b, exponential->getLoc(), exponent);
  folded->setDiscardableAttrs(exponential->getDiscardableAttrDictionary());
  exponential->replaceAllUsesWith(folded);
  maybeDead.insert(exponential->getOperand(0).getDefiningOp());
  exponential->erase();
}

unsigned Folding::foldGuarded() {
  RowFactors factors(kernel);
  Groups groups;
  moveScalesOfGroups(factors, groups);
  unsigned folded = 0;
  llvm::DenseMap<std::tuple<Block *, Value, Value>, Value> steps;
  for (Operation *op : listExponentials()) {
    Value term = factors.groupOfTerm(op), step = factors.groupOfStep(op);
    if (!term && !step)
      continue;
    auto difference = op->getOperand(0).getDefiningOp<arith::SubFOp>();
    Value left = difference.getLhs(), right = difference.getRhs();
    OpBuilder b(op);
    FloatAttr scale = b.getF32FloatAttr(
        static_cast<float>(groups.lookup(term ? term : step)));
    Location loc = op->getLoc();
    Type type = difference.getType();
    if (term) {
      replace(op,
              ExponentOp::create(b, loc, type, unscaledOf(left), right, scale));
    } else {
      // Each step is a branch, which later passes do not merge.
      Value &known = steps[{op->getBlock(), left, right}];
      if (!known)
        known = ExponentStepOp::create(b, loc, type, left, right, scale);
      replace(op, known);
    }
    ++folded;
  }
  dropDead();
  return folded;
}

namespace {

struct TileFoldExponentials
    : fusion::impl::TileFoldExponentialsBase<TileFoldExponentials> {
  void runOnOperation() override {
    auto module = getOperation()->getParentOfType<ModuleOp>();
    auto how =
        module ? module->getAttrOfType<StringAttr>(fuse::kExponentialsAttrName)
               : StringAttr();
    StringRef name =
        how ? how.getValue()
            : fuse::listNumericChoices(fuse::kExponentialsAttrName).front();
    Folding folding(getOperation());
    if (name == "guarded")
      numFolded += folding.foldGuarded();
    else if (name == "fma")
      numFolded += folding.foldAll();
    if (numFolded == 0)
      markAllAnalysesPreserved();
  }
};

} // namespace
