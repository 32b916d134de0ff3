//===- SplitMaskedLoops.cpp - tile-split-masked-loops ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comparison of indices is a bound of
//
//   c · i + terms that all iterations share + coordinates in the tile
//
// with i the index of the loop and c of 1 or -1. Such a comparison holds for
// all elements of a tile in all iterations before some index, or in all from
// some index on. All comparisons of a body together bound a range of iterations
// whose tiles are not masked. This range becomes a loop of its own.
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fusion {
#define GEN_PASS_DEF_TILESPLITMASKEDLOOPS
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

/// A linear expression: `ofIndex` · i + the terms + a number from `least` to
/// `most`.
struct Sum {
  int64_t ofIndex = 0;
  SmallVector<std::pair<Value, int64_t>, 4> terms; ///< values and their factors
  int64_t least = 0, most = 0;

  void add(const Sum &other, int64_t factor) {
    ofIndex += factor * other.ofIndex;
    for (auto [value, own] : other.terms) {
      auto *same = llvm::find_if(
          terms, [value = value](auto &term) { return term.first == value; });
      if (same == terms.end())
        terms.push_back({value, factor * own});
      else
        same->second += factor * own;
    }
    least += factor * (factor > 0 ? other.least : other.most);
    most += factor * (factor > 0 ? other.most : other.least);
  }
};

/// Returns `one` - `other` if the difference is a constant, or nullopt.
std::optional<int64_t> differenceOf(const Sum &one, const Sum &other) {
  Sum difference = one;
  difference.add(other, -1);
  if (difference.ofIndex != 0 || difference.least != difference.most ||
      llvm::any_of(difference.terms,
                   [](auto &term) { return term.second != 0; }))
    return std::nullopt;
  return difference.least;
}

/// Returns the constant that every element of a tile, or an index, is; or
/// nullopt.
std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

/// Whether a cast is between an index and an integer of as many bits.
bool keepsNumbers(Operation *op) {
  auto isWide = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIndex() || element.isInteger(64);
  };
  return isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
         isWide(op->getOperand(0).getType()) &&
         isWide(op->getResult(0).getType());
}

class LoopSplitter {
public:
  explicit LoopSplitter(scf::ForOp loop) : loop(loop) {}

  /// Splits the loop; returns whether there was something to split.
  bool run();

private:
  std::optional<Sum> sumOf(Value value);
  std::optional<bool> wanted(Value condition) const;
  bool bound(Sum sum, int64_t limit);
  bool collect(arith::CmpIOp comparison);
  bool collect(MaskOp mask);
  bool hasUnmaskedIterations();
  Value valueOf(OpBuilder &b, const Sum &sum);
  scf::ForOp part(OpBuilder &b, Value lower, Value upper, ValueRange inits,
                  bool isInside);

  scf::ForOp loop;
  /// Comparisons, with their value in unmasked iterations, and masks, which
  /// have no effect there.
  SmallVector<std::pair<Operation *, bool>> masks;
  /// Unmasked are the iterations from all of `firsts` on and before all of
  /// `ends`.
  SmallVector<Sum> firsts, ends;
};

} // namespace

std::optional<Sum> LoopSplitter::sumOf(Value value) {
  Sum sum;
  if (value == loop.getInductionVar()) {
    sum.ofIndex = 1;
    return sum;
  }
  if (std::optional<int64_t> constant = constantOf(value)) {
    sum.least = sum.most = *constant;
    return sum;
  }
  auto addSum = [&](Value part, int64_t factor) {
    std::optional<Sum> own = sumOf(part);
    if (own)
      sum.add(*own, factor);
    return own.has_value();
  };
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    if (addSum(op->getOperand(0), 1) &&
        addSum(op->getOperand(1), isa<arith::AddIOp>(op) ? 1 : -1))
      return sum;
  } else if (auto product = dyn_cast_or_null<arith::MulIOp>(op)) {
    for (unsigned number : {0u, 1u})
      if (std::optional<int64_t> factor =
              constantOf(product->getOperand(number)))
        if (addSum(product->getOperand(1 - number), *factor))
          return sum;
  } else if (auto iota = dyn_cast_or_null<IotaOp>(op)) {
    if (addSum(iota.getStart(), 1)) {
      sum.most += iota.getType().getDimSize(iota.getDimension()) - 1;
      return sum;
    }
  } else if (auto rest = dyn_cast_or_null<arith::RemUIOp>(op)) {
    if (std::optional<int64_t> by = constantOf(rest.getRhs()); by && *by > 0)
      if (isa<RankedTensorType>(value.getType())) {
        sum.most = *by - 1;
        return sum;
      }
  } else if (isa_and_nonnull<BroadcastOp, ConvertLayoutOp>(op) ||
             keepsNumbers(op)) {
    return sumOf(op->getOperand(0));
  }
  if (!value.getType().isIndex() || !loop.isDefinedOutsideOfLoop(value))
    return std::nullopt;
  sum = {};
  sum.terms.push_back({value, 1});
  return sum;
}

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// Returns the value that a boolean tile has where nothing is masked, derived
/// from its uses; nullopt if they disagree.
std::optional<bool> LoopSplitter::wanted(Value condition) const {
  std::optional<bool> result;
  for (OpOperand &use : condition.getUses()) {
    Operation *user = use.getOwner();
    std::optional<bool> own;
    if (auto select = dyn_cast<arith::SelectOp>(user);
        select && use.getOperandNumber() == 0) {
      Value left = select.getTrueValue(), right = select.getFalseValue();
      if (isConstant(left) != isConstant(right))
        own = isConstant(right);
      else if (isZero(left) != isZero(right)) // an additive mask of scores
        own = isZero(left);
    } else if (isa<arith::XOrIOp>(user) &&
               matchPattern(user->getOperand(1), m_One())) {
      if (std::optional<bool> negated = wanted(user->getResult(0)))
        own = !*negated;
    } else if (isa<arith::AndIOp>(user)) {
      if (wanted(user->getResult(0)) == true)
        own = true;
    } else if (isa<arith::OrIOp>(user)) {
      if (wanted(user->getResult(0)) == false)
        own = false;
    } else if (isa<BroadcastOp, ConvertLayoutOp>(user)) {
      own = wanted(user->getResult(0));
    }
    if (!own || (result && *result != *own))
      return std::nullopt;
    result = own;
  }
  return result;
}

/// Adds the bound that unmasked iterations have `sum` of at most `limit`.
/// Returns false if the bound cannot be computed.
bool LoopSplitter::bound(Sum sum, int64_t limit) {
  // With another factor the bound would be a quotient; without the index there
  // is no bound.
  if (sum.ofIndex != 1 && sum.ofIndex != -1)
    return false;
  bool isEnd = sum.ofIndex == 1;
  // i < limit + 1 - rest, or i >= rest - limit, for the tile's greatest `rest`.
  Sum rest = sum, result;
  rest.ofIndex = 0;
  rest.least = rest.most;
  result.least = result.most = isEnd ? limit + 1 : -limit;
  result.add(rest, isEnd ? -1 : 1);
  SmallVector<Sum> &bounds = isEnd ? ends : firsts;
  if (llvm::none_of(bounds, [&](const Sum &other) {
        return differenceOf(other, result) == 0;
      }))
    bounds.push_back(result);
  return true;
}

bool LoopSplitter::collect(arith::CmpIOp comparison) {
  std::optional<bool> inside = wanted(comparison);
  std::optional<Sum> less = sumOf(comparison.getLhs()),
                     more = sumOf(comparison.getRhs());
  if (!inside || !less || !more)
    return false;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = comparison.getPredicate();
  if (!*inside)
    predicate = arith::invertPredicate(predicate);
  auto isOneOf = [&](std::initializer_list<Predicate> predicates) {
    return llvm::is_contained(predicates, predicate);
  };
  if (isOneOf({Predicate::eq, Predicate::ne}))
    return false;
  if (isOneOf({Predicate::sgt, Predicate::sge, Predicate::ugt, Predicate::uge}))
    std::swap(less, more);
  bool isStrict =
      isOneOf({Predicate::slt, Predicate::sgt, Predicate::ult, Predicate::ugt});
  Sum difference = *less;
  difference.add(*more, -1);
  if (!bound(difference, isStrict ? -1 : 0))
    return false;
  // In an unsigned comparison a negative number would be the greater one.
  if (isOneOf(
          {Predicate::ult, Predicate::ule, Predicate::ugt, Predicate::uge})) {
    Sum negated;
    negated.add(*less, -1);
    bool isKnown =
        less->ofIndex == 0 && less->terms.empty() && less->least >= 0;
    if (!isKnown && !bound(negated, 0))
      return false;
  }
  masks.push_back({comparison, *inside});
  return true;
}

bool LoopSplitter::collect(MaskOp mask) {
  std::optional<Sum> beyond = sumOf(mask.getBound());
  if (!beyond)
    return false;
  // The last coordinate has to be below the bound.
  Sum last;
  last.least = last.most =
      cast<RankedTensorType>(mask.getType()).getDimSize(mask.getDimension()) -
      1;
  last.add(*beyond, -1);
  if (!bound(last, -1))
    return false;
  masks.push_back({mask, true});
  return true;
}

Value LoopSplitter::valueOf(OpBuilder &b, const Sum &sum) {
  Location loc = loop.getLoc();
  Value result = arith::ConstantIndexOp::create(b, loc, sum.least);
  for (auto [value, factor] : sum.terms) {
    Value term = b.createOrFold<arith::MulIOp>(
        loc, value, arith::ConstantIndexOp::create(b, loc, factor));
    result = b.createOrFold<arith::AddIOp>(loc, term, result);
  }
  return result;
}

/// Whether, as far as constants tell, at least as many iterations are unmasked
/// as the kernel asks for. The loop's first iteration does not count.
bool LoopSplitter::hasUnmaskedIterations() {
  int64_t wanted =
      loop->getParentOfType<KernelOp>().getUnmaskedIterations().value_or(1);
  std::optional<Sum> lower = sumOf(loop.getLowerBound());
  int64_t step = constantOf(loop.getStep()).value_or(1);
  for (const Sum &end : ends) {
    // An unmasked range of `length` elements, anywhere in the loop.
    for (const Sum &first : firsts)
      if (std::optional<int64_t> length = differenceOf(end, first))
        if (*length < wanted * step)
          return false;
    // An unmasked range that begins with the loop's first iteration.
    if (lower)
      if (std::optional<int64_t> length = differenceOf(end, *lower))
        if (*length <= wanted * step)
          return false;
  }
  return true;
}

/// Replaces a tile by the constant `known`, and folds its users.
static void replaceBy(Value value, Value known) {
  SmallVector<Operation *> users(value.getUsers());
  value.replaceAllUsesWith(known);
  for (Operation *user : users) {
    OpBuilder b(user);
    SmallVector<Value> folded;
    if (isa<BroadcastOp, ConvertLayoutOp>(user)) {
      DenseElementsAttr says;
      if (matchPattern(known, m_Constant(&says)) && says.isSplat())
        folded.push_back(arith::ConstantOp::create(
            b, user->getLoc(),
            says.resizeSplat(cast<ShapedType>(user->getResult(0).getType()))));
    } else if (isa<arith::SelectOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
                   user)) {
      if (failed(b.tryFold(user, folded)))
        folded.clear();
    }
    if (folded.size() == 1 && folded.front() != user->getResult(0))
      replaceBy(user->getResult(0), folded.front());
  }
}

scf::ForOp LoopSplitter::part(OpBuilder &b, Value lower, Value upper,
                              ValueRange inits, bool isInside) {
  IRMapping mapping;
  auto clone = cast<scf::ForOp>(b.clone(*loop, mapping));
  clone.setLowerBound(lower);
  clone.setUpperBound(upper);
  clone.getInitArgsMutable().assign(inits);
  if (!isInside)
    return clone;
  for (auto [mask, says] : masks) {
    Operation *own = mapping.lookup(mask);
    OpBuilder inner(own);
    Value result = own->getResult(0);
    if (auto plain = dyn_cast<MaskOp>(own))
      replaceBy(result, plain.getValue());
    else
      replaceBy(result, arith::ConstantOp::create(
                            inner, own->getLoc(),
                            DenseElementsAttr::get(
                                cast<ShapedType>(result.getType()), says)));
  }
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*clone.getBody())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return clone;
}

/// Whether a region contains an operation at which all blocks of a cluster
/// meet. They must reach it equally often, which constant bounds ensure; the
/// unmasked ranges of blocks may differ.
static bool meetsCluster(Operation *op) {
  auto barrier = dyn_cast<BarrierOp>(op);
  return isa<ClusterReduceOp>(op) || (barrier && barrier.getCluster());
}

/// Whether the schedule keeps the masks of all tiles of loops around a
/// contraction.
static bool keepsMasks(Operation *op) {
  auto dot = dyn_cast<DotOp>(op);
  auto shared = dyn_cast<SharedDotOp>(op);
  return (dot && dot.getMasked()) || (shared && shared.getMasked());
}

static bool mustStayWhole(scf::ForOp loop) {
  return loop
      .walk([](Operation *op) {
        return meetsCluster(op) || keepsMasks(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool LoopSplitter::run() {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp() ||
      (trips && trips->ule(1)) || mustStayWhole(loop))
    return false;
  for (Operation &op : *loop.getBody()) {
    if (auto comparison = dyn_cast<arith::CmpIOp>(op);
        comparison && isa<RankedTensorType>(comparison.getLhs().getType()))
      collect(comparison);
    else if (auto mask = dyn_cast<MaskOp>(op))
      collect(mask);
  }
  if (masks.empty() || !hasUnmaskedIterations())
    return false;
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(),
        step = loop.getStep();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  // The first iteration at or after an index.
  auto behind = [&](Value first, Value index) -> Value {
    Value distance = b.createOrFold<arith::MaxSIOp>(
        loc, b.createOrFold<arith::SubIOp>(loc, index, first), constant(0));
    Value rounded = b.createOrFold<arith::AddIOp>(
        loc, distance, b.createOrFold<arith::SubIOp>(loc, step, constant(1)));
    Value steps = b.createOrFold<arith::DivUIOp>(loc, rounded, step);
    return b.createOrFold<arith::AddIOp>(
        loc, first, b.createOrFold<arith::MulIOp>(loc, steps, step));
  };
  SmallVector<Value> values(loop.getInitArgs());
  auto iterate = [&](Value from, Value to, bool isInside) {
    std::optional<int64_t> first = constantOf(from), end = constantOf(to);
    if (first && end && *first >= *end)
      return;
    values = part(b, from, to, values, isInside).getResults();
  };
  Value first = lower, end = upper;
  if (!firsts.empty()) {
    Value last = lower;
    for (const Sum &bound : firsts)
      last = b.createOrFold<arith::MaxSIOp>(loc, valueOf(b, bound), last);
    first = behind(lower, last);
    iterate(lower, b.createOrFold<arith::MinSIOp>(loc, first, upper),
            /*isInside=*/false);
  }
  for (const Sum &bound : ends)
    end = b.createOrFold<arith::MinSIOp>(loc, end, valueOf(b, bound));
  iterate(first, end, /*isInside=*/true);
  if (!ends.empty())
    iterate(behind(first, end), upper, /*isInside=*/false);
  loop.replaceAllUsesWith(values);
  loop.erase();
  return true;
}

namespace {

struct TileSplitMaskedLoops
    : fusion::impl::TileSplitMaskedLoopsBase<TileSplitMaskedLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    // Inner loops come first: an outer body is copied with its split inner
    // loops.
    for (scf::ForOp loop : loops)
      numSplit += LoopSplitter(loop).run();
  }
};

} // namespace
