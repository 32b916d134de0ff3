//===- EmitExponents.cpp - tile.exponent, tile.exponent_step --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All elements are computed by a multiply-add, 2^(x·c - m). A warp that has a
// row with a large subtrahend first replaces x, c and m of such rows, so that
// the multiply-add is that of a difference. A vote of its lanes decides, so
// that they stay together. The code behind the branch is the same for all rows:
// exponentials begin while multiply-adds remain.
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "Replicas.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <functional>

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

namespace {

/// Arithmetic of exponents with one scale s, and the branch of warps that have
/// a large subtrahend. L is log2(e).
class Exponents {
public:
  Exponents(KernelEmitter &e, const APFloat &scale)
      : e(e), b(e.builder()), scale(scale.convertToFloat()) {}

  Value constant(double value) {
    return b.atEntry([&]() -> Value {
      return arith::ConstantOp::create(
          b, b.getF32FloatAttr(static_cast<float>(value)));
    });
  }
  Value log2e() { return constant(llvm::numbers::log2e); }
  /// s · L, rounded.
  double factor() const {
    return static_cast<float>(scale * llvm::numbers::log2e);
  }
  /// Whether s · L is rounded as L is, and quotients by s are exact.
  bool isPowerOfTwo() const {
    int exponent;
    return std::frexp(scale, &exponent) == 0.5;
  }
  /// -(t · L), rounded.
  Value minusProduct(Value t) {
    Value &known = products[t];
    if (!known)
      known = arith::MulFOp::create(b, t, constant(-llvm::numbers::log2e));
    return known;
  }
  /// Whether t is above the bound in magnitude, or NaN. The branch then tests
  /// it, too.
  Value isLarge(Value t) {
    Value &known = large[t];
    if (known)
      return known;
    known = arith::CmpFOp::create(b, arith::CmpFPredicate::UGT,
                                  math::AbsFOp::create(b, t),
                                  constant(kLargestFolded));
    anyLarge =
        anyLarge ? arith::OrIOp::create(b, anyLarge, known).getResult() : known;
    return known;
  }
  /// The difference s·x - t; divided by s if that is a power of two.
  Value difference(Value x, Value t) {
    if (scale == 1)
      return arith::SubFOp::create(b, x, t);
    Value scaled = arith::MulFOp::create(b, x, constant(scale));
    Value result = arith::SubFOp::create(b, scaled, t);
    return isPowerOfTwo()
               ? arith::MulFOp::create(b, result, constant(1 / scale))
                     .getResult()
               : result;
  }
  /// What tile.exponent adds to the exponents of a row with the subtrahend t:
  /// t · (round(s·L) / s) less the rounded t · L, or zero where t is large.
  Value rest(Value t) {
    Value sum = math::FmaOp::create(b, t, log2e(), minusProduct(t));
    double error = factor() / scale - static_cast<float>(llvm::numbers::log2e);
    if (error != 0)
      sum = math::FmaOp::create(b, t, constant(error), sum);
    return arith::SelectOp::create(b, isLarge(t), constant(0), sum);
  }

  /// Adds a value that becomes what `other` gives where t is large, in front of
  /// the branch. Returns the number of the value.
  size_t add(Value value, Value condition, std::function<Value()> other) {
    values.push_back(value);
    others.push_back([this, value, condition, other] {
      return arith::SelectOp::create(b, condition, other(), value).getResult();
    });
    return values.size() - 1;
  }
  /// Emits the branch. `get` returns values behind it.
  LogicalResult branch();
  Value get(size_t number) const { return values[number]; }

  KernelEmitter &e;
  ThreadBuilder &b;

private:
  /// The largest magnitude of a subtrahend whose rounded product with log2(e)
  /// is used (docs/numerics.md).
  static constexpr double kLargestFolded = 0x1p16;

  const double scale;
  llvm::DenseMap<Value, Value> products, large;
  Value anyLarge;
  Values values;
  SmallVector<std::function<Value()>> others;
};

} // namespace

LogicalResult Exponents::branch() {
  FailureOr<Value> any = e.target().anyLane(b, anyLarge);
  if (failed(any))
    return failure();
  auto branch = scf::IfOp::create(b, TypeRange(ValueRange(values)), *any,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Values replaced;
  for (const std::function<Value()> &other : others)
    replaced.push_back(other());
  scf::YieldOp::create(b, replaced);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, values);
  values = branch.getResults();
  return success();
}

/// Pairs of operands, each once, with the registers of their result.
using Pairs = llvm::MapVector<std::pair<Value, Value>, SmallVector<size_t, 1>>;

/// Replicas of an element have the pair of the first. Replicas in a loop's
/// arguments are equal, but no later pass can tell.
static Pairs pairUp(KernelEmitter &e, Value first, Value second) {
  const Values &left = e.registers(first), &right = e.registers(second);
  Pairs pairs;
  for (auto [reg, replica] :
       llvm::enumerate(firstReplicas(getLayout(first.getType()).getValue(), 1)))
    pairs[{left[replica], right[replica]}].push_back(reg);
  return pairs;
}

/// Sets the registers of `result` to one value for each pair.
static void setPairs(KernelEmitter &e, Value result, const Pairs &pairs,
                     const Values &values) {
  Values registers(
      getLayout(result.getType()).getValue().inSize(LayoutDim::Register));
  for (auto [pair, value] : llvm::zip_equal(pairs, values))
    for (size_t reg : pair.second)
      registers[reg] = value;
  e.setRegisters(result, std::move(registers));
}

/// Adds the values of a step. Returns their numbers.
static SmallVector<size_t> addStep(Exponents &x, const Pairs &pairs) {
  SmallVector<size_t> numbers;
  for (auto &[pair, registers] : pairs) {
    auto [from, to] = pair;
    Value isLarge = arith::OrIOp::create(x.b, x.isLarge(from), x.isLarge(to));
    Value step =
        arith::SubFOp::create(x.b, x.minusProduct(to), x.minusProduct(from));
    numbers.push_back(x.add(step, isLarge, [&x, from = from, to = to] {
      Value difference = arith::SubFOp::create(x.b, from, to);
      Value rests = arith::SubFOp::create(x.b, x.rest(to), x.rest(from));
      return math::FmaOp::create(x.b, difference, x.log2e(), rests).getResult();
    }));
  }
  return numbers;
}

static void setStep(Exponents &x, ExponentStepOp op, const Pairs &pairs,
                    ArrayRef<size_t> numbers) {
  setPairs(x.e, op, pairs, llvm::map_to_vector(numbers, [&](size_t number) {
             return x.get(number);
           }));
}

/// Later steps to the subtrahends of `op`, of the same scale, whose operands
/// are known: they share its branch.
static SmallVector<ExponentStepOp> stepsOf(ExponentOp op, KernelEmitter &e) {
  SmallVector<ExponentStepOp> steps;
  auto rows = op.getSubtrahend().getDefiningOp<BroadcastOp>();
  if (!rows)
    return steps;
  for (Operation *user : rows.getValue().getUsers()) {
    auto step = dyn_cast<ExponentStepOp>(user);
    if (step && step->getBlock() == op->getBlock() &&
        step.getTo() == rows.getValue() && step.getScale() == op.getScale() &&
        !e.hasRegisters(step) && e.hasRegisters(step.getFrom()) &&
        !llvm::is_contained(steps, step))
      steps.push_back(step);
  }
  return steps;
}

static LogicalResult emitExponent(ExponentOp op, KernelEmitter &e) {
  Exponents x(e, op.getScale());
  Pairs pairs = pairUp(e, op.getValue(), op.getSubtrahend());
  struct Row {
    size_t minusProduct;
    std::optional<size_t> factor;
  };
  llvm::MapVector<Value, Row> rows;
  SmallVector<size_t> elements;
  for (auto &[pair, registers] : pairs) {
    auto [value, t] = pair;
    Value isLarge = x.isLarge(t);
    if (auto [row, isNew] = rows.try_emplace(t); isNew) {
      row->second.minusProduct =
          x.add(x.minusProduct(t), isLarge, [&x] { return x.constant(0); });
      if (!x.isPowerOfTwo())
        row->second.factor =
            x.add(x.constant(x.factor()), isLarge, [&x] { return x.log2e(); });
    }
    elements.push_back(x.add(value, isLarge, [&x, value = value, t = t] {
      return x.difference(value, t);
    }));
  }
  SmallVector<std::tuple<ExponentStepOp, Pairs, SmallVector<size_t>>> steps;
  for (ExponentStepOp step : stepsOf(op, e)) {
    Pairs ofStep = pairUp(e, step.getFrom(), step.getTo());
    SmallVector<size_t> numbers = addStep(x, ofStep);
    steps.emplace_back(step, std::move(ofStep), std::move(numbers));
  }
  if (failed(x.branch()))
    return failure();
  Values results;
  for (auto [entry, element] : llvm::zip_equal(pairs, elements)) {
    const Row &row = rows[entry.first.second];
    results.push_back(math::FmaOp::create(x.b, x.get(element),
                                          row.factor ? x.get(*row.factor)
                                                     : x.constant(x.factor()),
                                          x.get(row.minusProduct)));
  }
  setPairs(e, op, pairs, results);
  for (auto &[step, ofStep, numbers] : steps)
    setStep(x, step, ofStep, numbers);
  return success();
}

static LogicalResult emitExponentStep(ExponentStepOp op, KernelEmitter &e) {
  if (e.hasRegisters(op))
    return success();
  Exponents x(e, op.getScale());
  Pairs pairs = pairUp(e, op.getFrom(), op.getTo());
  SmallVector<size_t> numbers = addStep(x, pairs);
  if (failed(x.branch()))
    return failure();
  setStep(x, op, pairs, numbers);
  return success();
}

void fusion::addExponentEmitters(EmitterRegistry &registry) {
  registry.add<ExponentOp>(emitExponent);
  registry.add<ExponentStepOp>(emitExponentStep);
}
