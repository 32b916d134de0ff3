//===- RowFactors.cpp - Factors that folding brings into rows -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowFactors.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// Returns v for v and for the value that replaces -inf by zero in v. Both have
/// the same factor: that of zero and of infinities is one.
static Value withoutGuard(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  bool isGuard = compare &&
                 compare.getPredicate() == arith::CmpFPredicate::OEQ &&
                 matchPattern(compare.getRhs(), m_NegInfFloat()) &&
                 matchPattern(select.getTrueValue(), m_AnyZeroFloat()) &&
                 compare.getLhs() == select.getFalseValue();
  return isGuard ? select.getFalseValue() : value;
}

static bool isRows(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 1 && type.getElementType().isF32();
}

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

/// The subtrahend t of e^(x - t) where x is a tile of rows, and the dimension
/// that counts the rows.
static std::optional<std::pair<Value, int64_t>> matchTerm(Operation *op) {
  auto difference = isa<math::ExpOp>(op)
                        ? op->getOperand(0).getDefiningOp<arith::SubFOp>()
                        : nullptr;
  if (!difference || difference.getLhs().getDefiningOp<BroadcastOp>())
    return std::nullopt;
  auto rows = difference.getRhs().getDefiningOp<BroadcastOp>();
  if (!rows || !isRows(rows.getValue()) || rows.getType().getRank() != 2)
    return std::nullopt;
  return std::pair(withoutGuard(rows.getValue()), 1 - rows.getDimensions()[0]);
}

/// t and t' of e^(t - t'), both of rows.
static std::optional<std::pair<Value, Value>> matchStep(Operation *op) {
  auto difference = isa<math::ExpOp>(op)
                        ? op->getOperand(0).getDefiningOp<arith::SubFOp>()
                        : nullptr;
  if (!difference || !isRows(difference))
    return std::nullopt;
  Value from = withoutGuard(difference.getLhs()),
        to = withoutGuard(difference.getRhs());
  if (from == to || isConstant(from) || isConstant(to))
    return std::nullopt;
  return std::pair(from, to);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

void RowPowers::add(Value t, int64_t by) {
  if ((powers[t] += by) == 0)
    powers.erase(t);
}

bool RowPowers::equals(const RowPowers &other) const {
  return powers.size() == other.powers.size() &&
         (powers.empty() || dimension == other.dimension) &&
         llvm::all_of(powers, [&](const auto &power) {
           auto it = other.powers.find(power.first);
           return it != other.powers.end() && it->second == power.second;
         });
}

/// Replaces subtrahends.
static RowPowers rename(const RowPowers &from,
                        llvm::function_ref<Value(Value)> name) {
  RowPowers to = from;
  to.powers.clear();
  for (auto [t, power] : from.powers)
    to.add(name(t), power);
  return to;
}

/// The powers of a product, or of a quotient for `sign` -1; nullopt if the two
/// are of rows along different dimensions.
static std::optional<RowPowers> multiply(const RowPowers &a, const RowPowers &b,
                                         int64_t sign = 1) {
  if (a.isZero || (b.isZero && sign == 1))
    return a.isZero ? a : b;
  if (!a.powers.empty() && !b.powers.empty() && a.dimension != b.dimension)
    return std::nullopt;
  RowPowers result = a;
  result.isStep = false;
  if (a.powers.empty())
    result.dimension = b.dimension;
  for (auto [t, power] : b.powers)
    result.add(t, sign * power);
  return result;
}

/// The powers of a sum; nullopt if those of the terms differ.
static std::optional<RowPowers> sum(const RowPowers &a, const RowPowers &b) {
  if (a.isZero || b.isZero)
    return a.isZero ? b : a;
  return a.equals(b) ? std::optional(a) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Whether all that is read from the buffer of a store is its tile, in the same
/// iteration of the loops around the store.
static bool isOnlyStore(LocalStoreOp store) {
  return store.getBuffer().getType().getStages() == 1 &&
         llvm::all_of(store.getBuffer().getUsers(), [&](Operation *user) {
           if (user == store || isa<FreeOp>(user))
             return true;
           Operation *load =
               isa<LocalLoadOp>(user)
                   ? store->getBlock()->findAncestorOpInBlock(*user)
                   : nullptr;
           return load && store->isBeforeInBlock(load);
         });
}

/// The dimension of a tile that is the dimension of a buffer, or the reverse.
static int64_t transposeIf(bool isTransposed, int64_t dimension) {
  return isTransposed ? 1 - dimension : dimension;
}

//===----------------------------------------------------------------------===//
// Groups of subtrahends
//===----------------------------------------------------------------------===//

Value RowFactors::leader(Value value) const {
  while (Value parent = parents.lookup(value))
    value = parent;
  return value;
}

void RowFactors::unite(Value a, Value b) {
  a = leader(a);
  b = leader(b);
  if (a != b)
    parents[a] = b;
}

void RowFactors::collect(KernelOp kernel) {
  kernel.walk([&](Operation *op) {
    if (auto term = matchTerm(op)) {
      terms[op] = term->first;
    } else if (auto step = matchStep(op)) {
      steps[op] = step->first;
      unite(step->first, step->second);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, argument, next, result] :
           llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                           loop.getYieldedValues(), loop.getResults())) {
        if (!isRows(argument))
          continue;
        unite(argument, result);
        unite(argument, withoutGuard(next));
        if (!isConstant(init))
          unite(argument, withoutGuard(init));
      }
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      if (isRows(select) && withoutGuard(select) == select.getResult())
        for (Value value : {select.getTrueValue(), select.getFalseValue()})
          if (!isConstant(value))
            unite(select, withoutGuard(value));
    }
  });
  llvm::DenseSet<Value> groups;
  for (auto &[op, group] : terms)
    groups.insert(group = leader(group));
  for (auto &[op, group] : llvm::make_early_inc_range(steps)) {
    group = leader(group);
    if (!groups.contains(group))
      steps.erase(op);
  }
}

void RowFactors::keepSingle() {
  llvm::DenseMap<Value, unsigned> counts;
  for (auto [op, group] : terms)
    ++counts[matchTerm(op)->first];
  llvm::DenseSet<Value> several;
  for (auto [op, group] : terms)
    if (counts[matchTerm(op)->first] > 1)
      several.insert(group);
  for (auto *ops : {&terms, &steps})
    for (auto &[op, group] : llvm::make_early_inc_range(*ops))
      if (several.contains(group))
        ops->erase(op);
}

RowFactors::RowFactors(KernelOp kernel) {
  collect(kernel);
  keepSingle();
  while (!terms.empty()) {
    known.clear();
    leaking.clear();
    visit(kernel.getBody().front());
    if (leaking.empty())
      return;
    auto drop = [&](llvm::DenseMap<Operation *, Value> &ops) {
      for (auto &[op, group] : llvm::make_early_inc_range(ops))
        if (leaking.contains(group))
          ops.erase(op);
    };
    drop(terms);
    drop(steps);
  }
  steps.clear();
}

void RowFactors::leak(const RowPowers &powers) {
  if (trials == 0)
    for (auto [t, power] : powers.powers)
      leaking.insert(leader(t));
}

//===----------------------------------------------------------------------===//
// Powers in a program
//===----------------------------------------------------------------------===//

void RowFactors::visit(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop);
    } else if (op.getNumRegions() != 0) {
      visitRegions(&op);
    } else {
      RowPowers powers = transfer(&op);
      for (Value result : op.getResults())
        known[result] = powers;
    }
  }
}

/// Branches give no powers to their results.
void RowFactors::visitRegions(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      visit(block);
      if (block.mightHaveTerminator())
        for (Value value : block.getTerminator()->getOperands())
          leak(powersOf(value));
    }
}

void RowFactors::visitLoop(scf::ForOp loop) {
  /// The loop's value at the position where `from` has `value`.
  auto follow = [](ValueRange from, ValueRange to) {
    return [=](Value value) -> Value {
      for (auto [own, other] : llvm::zip_equal(from, to))
        if (isRows(own) && withoutGuard(own) == value && !isConstant(value))
          return other;
      return value;
    };
  };
  ValueRange inits = loop.getInitArgs(), arguments = loop.getRegionIterArgs(),
             nexts = loop.getYieldedValues();
  for (auto [init, argument] : llvm::zip_equal(inits, arguments))
    known[argument] = rename(powersOf(init), follow(inits, arguments));
  auto yielded = [&](unsigned number) {
    return rename(powersOf(nexts[number]), follow(nexts, arguments));
  };
  // What starts from zero has the powers of what is added to it.
  ++trials;
  bool isOpen = true;
  for (unsigned step = 0; isOpen && step <= arguments.size(); ++step) {
    isOpen = false;
    visit(*loop.getBody());
    for (auto [number, argument] : llvm::enumerate(arguments)) {
      RowPowers next = yielded(number);
      if (known[argument].isZero && !next.isZero) {
        known[argument] = next;
        isOpen = true;
      }
    }
  }
  --trials;
  visit(*loop.getBody());
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    RowPowers own = powersOf(argument), next = yielded(number);
    if (!sum(own, next)) {
      leak(own);
      leak(next);
    }
    known[loop.getResult(number)] =
        rename(own, follow(arguments, loop.getResults()));
  }
}

RowPowers RowFactors::transfer(Operation *op) {
  RowPowers result;
  auto fail = [&] {
    for (Value operand : op->getOperands())
      leak(powersOf(operand));
    return RowPowers();
  };
  bool hasPowers = llvm::any_of(op->getOperands(), [&](Value operand) {
    return !powersOf(operand).powers.empty();
  });
  if (terms.contains(op) || steps.contains(op)) {
    if (hasPowers)
      return fail();
    if (auto term = matchTerm(op)) {
      result.add(term->first, 1);
      result.dimension = term->second;
    } else {
      auto [from, to] = *matchStep(op);
      result.add(to, 1);
      result.add(from, -1);
      result.isStep = true;
    }
    return result;
  }
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    result.isZero =
        op->getNumResults() == 1 &&
        isa<RankedTensorType>(op->getResult(0).getType()) &&
        (matchPattern(op, m_AnyZeroFloat()) || matchPattern(op, m_Zero()));
    return result;
  }
  if (auto store = dyn_cast<LocalStoreOp>(op)) {
    RowPowers powers = powersOf(store.getValue());
    powers.dimension = transposeIf(store.getTransposed(), powers.dimension);
    bool isTracked = isOnlyStore(store);
    if (!isTracked)
      leak(powers);
    known[store.getBuffer()] = isTracked ? powers : RowPowers();
    return result;
  }
  bool hasZero = llvm::any_of(op->getOperands(), [&](Value operand) {
    return powersOf(operand).isZero;
  });
  if (!hasPowers && !hasZero)
    return result;
  if (std::optional<RowPowers> powers = transferCharged(op))
    return *powers;
  return fail();
}

/// A select of one of two subtrahends selects powers in the same way.
std::optional<RowPowers> RowFactors::transferSelect(arith::SelectOp op) {
  RowPowers a = powersOf(op.getTrueValue()), b = powersOf(op.getFalseValue());
  if (std::optional<RowPowers> same = sum(a, b))
    return same;
  for (Operation *user : op.getCondition().getUsers()) {
    auto choice = dyn_cast<arith::SelectOp>(user);
    if (!choice || !isRows(choice) ||
        choice.getCondition() != op.getCondition())
      continue;
    Value chosen = choice.getResult(),
          first = withoutGuard(choice.getTrueValue()),
          second = withoutGuard(choice.getFalseValue());
    RowPowers all =
        rename(b, [&](Value t) { return t == second ? chosen : t; });
    if (rename(all, [&](Value t) { return t == chosen ? first : t; }).equals(a))
      return all;
  }
  return std::nullopt;
}

std::optional<RowPowers> RowFactors::transferDot(DotOp op) {
  RowPowers lhs = powersOf(op.getLhs()), rhs = powersOf(op.getRhs());
  // The sum runs along the columns of the LHS and the rows of the RHS.
  if ((!lhs.powers.empty() && lhs.dimension != 0) ||
      (!rhs.powers.empty() && rhs.dimension != 1))
    return std::nullopt;
  std::optional<RowPowers> product = multiply(lhs, rhs);
  return product ? sum(*product, powersOf(op.getAccumulator())) : std::nullopt;
}

/// The powers of a result of operands that have some; nullopt if folding
/// changes the result in another way than by a power.
std::optional<RowPowers> RowFactors::transferCharged(Operation *op) {
  using Result = std::optional<RowPowers>;
  auto operand = [&](unsigned number) {
    return powersOf(op->getOperand(number));
  };
  auto alongRows = [&](int64_t dimension) -> Result {
    RowPowers powers = operand(0);
    if (!powers.powers.empty() && powers.dimension == dimension)
      return std::nullopt;
    powers.dimension = 0;
    powers.isStep = false;
    return powers;
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::MulFOp, ScaleOp>(
          [&](auto) { return multiply(operand(0), operand(1)); })
      .Case<arith::DivFOp>(
          [&](auto) { return multiply(operand(0), operand(1), -1); })
      .Case<arith::AddFOp, arith::SubFOp>(
          [&](auto) { return sum(operand(0), operand(1)); })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::NegFOp, ConvertLayoutOp,
            OptimizationBarrierOp>([&](auto) -> Result {
        RowPowers powers = operand(0);
        powers.isStep = false;
        return powers;
      })
      .Case<SliceOp>([&](SliceOp slice) -> Result {
        RowPowers powers = operand(0);
        int64_t d = powers.dimension;
        if (!powers.powers.empty() &&
            cast<RankedTensorType>(slice.getValue().getType()).getDimSize(d) !=
                cast<RankedTensorType>(slice.getType()).getDimSize(d))
          return std::nullopt;
        powers.isStep = false;
        return powers;
      })
      .Case<LocalLoadOp>([&](LocalLoadOp load) -> Result {
        RowPowers powers = operand(0);
        BufferType from = load.getBuffer().getType();
        int64_t stored =
            powers.dimension == 0 ? from.getRows() : from.getColumns();
        powers.dimension = transposeIf(load.getTransposed(), powers.dimension);
        auto to = cast<RankedTensorType>(load.getType());
        if (!powers.powers.empty() &&
            (to.getRank() != 2 || to.getDimSize(powers.dimension) != stored))
          return std::nullopt;
        return powers;
      })
      .Case<FreeOp>([](auto) { return RowPowers(); })
      .Case<TransposeOp>([&](auto) -> Result {
        RowPowers powers = operand(0);
        powers.dimension = 1 - powers.dimension;
        return powers;
      })
      .Case<MaskOp>([&](MaskOp mask) -> Result {
        if (matchPattern(mask.getFill(), m_AnyZeroFloat()))
          return operand(0);
        return std::nullopt;
      })
      .Case<BroadcastOp>([&](BroadcastOp broadcast) -> Result {
        RowPowers powers = operand(0);
        if (broadcast.getType().getRank() != 2 ||
            broadcast.getDimensions().size() != 1)
          return powers.powers.empty() ? Result(powers) : std::nullopt;
        powers.dimension = 1 - broadcast.getDimensions()[0];
        powers.isStep = false;
        return powers;
      })
      .Case<ReduceOp>([&](ReduceOp reduce) -> Result {
        if (reduce.getKind() != arith::AtomicRMWKind::addf)
          return std::nullopt;
        return alongRows(reduce.getDimension());
      })
      // All blocks have the same subtrahends.
      .Case<ClusterReduceOp>([&](ClusterReduceOp reduce) -> Result {
        if (reduce.getKind() != arith::AtomicRMWKind::addf ||
            !llvm::all_of(operand(0).powers, [](const auto &power) {
              return power.first.template getDefiningOp<ClusterReduceOp>();
            }))
          return std::nullopt;
        return operand(0);
      })
      // Factors are clamped to the largest number, which they exceed only where
      // they multiply zeros.
      .Case<arith::MinimumFOp>([&](auto) -> Result {
        DenseFPElementsAttr bound;
        if (operand(0).isStep &&
            matchPattern(op->getOperand(1), m_Constant(&bound)) &&
            bound.isSplat() && bound.getSplatValue<APFloat>().isLargest())
          return operand(0);
        return std::nullopt;
      })
      // Whether sums are rescaled now or later changes no result.
      .Case<arith::CmpFOp>([&](auto) -> Result {
        for (unsigned number : {0, 1})
          if (!operand(number).powers.empty() && !operand(number).isStep)
            return std::nullopt;
        return RowPowers();
      })
      .Case<arith::SelectOp>([&](arith::SelectOp select) {
        Result powers = transferSelect(select);
        if (powers)
          powers->isStep = false;
        return powers;
      })
      .Case<DotOp>([&](DotOp dot) { return transferDot(dot); })
      // Other operations make numbers without powers of zeros.
      .Default([&](Operation *) -> Result {
        if (llvm::all_of(op->getOperands(), [&](Value value) {
              return powersOf(value).powers.empty();
            }))
          return RowPowers();
        return std::nullopt;
      });
}
