//===- StitchPasses.cpp - Passes of a block over a long axis --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchPasses.h"
#include "llvm/ADT/BitVector.h"
#include <algorithm>

using namespace mlir;
using namespace fusion;

StitchPasses::StitchPasses(const StitchGroup &group,
                           std::optional<unsigned> axis, bool isOnline,
                           std::optional<unsigned> split, bool retainsExpensive)
    : axis(axis) {
  factors.resize(group.operators().size());
  deferred.resize(group.operators().size());
  centres.resize(group.operators().size());
  isReference.assign(group.operators().size(), false);
  isCentre = isReference;
  for (unsigned op = 0; op < group.operators().size(); ++op) {
    isSerial.push_back(axis && llvm::is_contained(group.loops[op], *axis));
    reduces.push_back(isSerial[op] &&
                      llvm::none_of(group.resultLoops[op], [&](unsigned loop) {
                        return group.loops[op][loop] == *axis;
                      }));
    isPart.push_back(split && isSerial[op] && group.reduces(op, *split) &&
                     !reduces[op]);
    isLate.push_back(
        split &&
        llvm::any_of(group.sources[op].operators, [&](unsigned source) {
          return isLate[source] || group.reduces(source, *split);
        }));
    unsigned least = 0;
    for (unsigned source : group.sources[op].operators)
      least = std::max(least, level[source] + reducesAxis(source));
    if (isOnline && least > 0 && reducesAxis(op) &&
        (joinCentred(group, op, least - 1) || join(group, op, least - 1))) {
      hasJoined = true;
      --least;
    }
    level.push_back(least);
  }
  // The passes equal those of the form that is not online, so this one is not
  // used.
  if (isOnline && !this->isOnline())
    return;
  for (const StitchTensor &tensor : group.inputs)
    isSerialInput.push_back(axis && llvm::is_contained(tensor.axes, *axis));
  isRetained.assign(group.operators().size(), false);
  isRetainedInput.assign(group.inputs.size(), false);
  // Passes are made for reductions and results. All other operators are on the
  // way to them.
  for (unsigned op = 0; op < group.operators().size(); ++op)
    if (!axis || ((reducesAxis(op) || isPart[op]) && !isLate[op]))
      count = std::max(count, level[op] + 1);
  for (const StitchTensor &tensor : group.results)
    if (unsigned op = *group.definer(tensor.value);
        isSerial[op] && !reducesAxis(op) && !isLate[op])
      count = std::max(count, level[op] + 1);
  stepsAgain = walk(group);
  if (count > 1)
    choose(group, retainsExpensive);
  steps = walk(group);
  // Values of retained operators may have replaced inputs.
  isRetained.assign(group.operators().size(), false);
  isRetainedInput.assign(group.inputs.size(), false);
  for (const Step &step : steps) {
    for (unsigned op : step.retained)
      isRetained[op] = true;
    for (unsigned input : step.retainedInputs)
      isRetainedInput[input] = true;
  }
}

/// Visits the passes with the values that are retained at the time.
class StitchPasses::Walker {
public:
  Walker(const StitchGroup &group, const StitchPasses &passes)
      : group(group), passes(passes), roots(passes.count) {
    auto add = [&](unsigned op) {
      if (passes.isSerial[op] && !passes.isLate[op] &&
          passes.level[op] < passes.count)
        roots[passes.level[op]].push_back(op);
    };
    for (unsigned op = 0; op < group.operators().size(); ++op)
      if (passes.reducesAxis(op) || passes.isPart[op])
        add(op);
    for (const StitchTensor &tensor : group.results)
      if (unsigned op = *group.definer(tensor.value);
          !passes.reducesAxis(op) && !passes.isPart[op])
        add(op);
    for (const StitchGroup::Sources &all : group.sources) {
      Sources &own = sources.emplace_back();
      own.firstOperator = operators.size();
      for (unsigned source : all.operators)
        if (!passes.reducesAxis(source))
          operators.push_back(source);
      own.firstInput = inputs.size();
      for (unsigned input : all.inputs)
        if (passes.isSerialInput[input])
          inputs.push_back(input);
    }
    sources.push_back({unsigned(operators.size()), unsigned(inputs.size())});
  }

  /// Visits each pass: its operators from the last one on, with `take(pass, op,
  /// isKept)`, then its inputs, with `load(pass, input, isKept)`.
  template <typename Take, typename Load> void run(Take take, Load load) {
    known.assign(group.operators().size(), false);
    knownInput.assign(group.inputs.size(), false);
    for (unsigned pass = 0; pass < roots.size(); ++pass) {
      needed.assign(group.operators().size(), false);
      loaded.assign(group.inputs.size(), false);
      for (unsigned op : roots[pass])
        needed[op] = true;
      for (unsigned op = group.operators().size(); op-- > 0;) {
        if (!needed[op])
          continue;
        bool isRetained = passes.isRetained[op] && known[op];
        take(pass, op, isRetained);
        if (isRetained)
          continue;
        // All readers of the operator have been visited.
        known[op] = !passes.isRunning(op, pass);
        // An operator without the axis is needed only if it depends on running
        // values.
        for (unsigned at = sources[op].firstOperator;
             at < sources[op + 1].firstOperator; ++at)
          if (unsigned source = operators[at];
              passes.isSerial[source] || passes.isRunning(source, pass))
            needed[source] = true;
        for (unsigned at = sources[op].firstInput;
             at < sources[op + 1].firstInput; ++at)
          loaded[inputs[at]] = true;
      }
      for (unsigned input = 0; input < loaded.size(); ++input) {
        if (!loaded[input])
          continue;
        bool isRetained = passes.isRetainedInput[input] && knownInput[input];
        load(pass, input, isRetained);
        knownInput[input] = true;
      }
    }
  }

private:
  const StitchGroup &group;
  const StitchPasses &passes;
  SmallVector<SmallVector<unsigned>> roots; ///< by pass: what it is for
  /// By operator, and beyond the last: the operators that it reads, without
  /// reductions along the axis, and the inputs that have the axis.
  struct Sources {
    unsigned firstOperator, firstInput;
  };
  SmallVector<Sources, 64> sources;
  SmallVector<unsigned, 128> operators;
  SmallVector<unsigned, 32> inputs;
  SmallVector<bool, 64> needed, loaded, known, knownInput;
};

SmallVector<StitchPasses::Step>
StitchPasses::walk(const StitchGroup &group) const {
  SmallVector<Step> result(count);
  Walker(group, *this)
      .run(
          [&](unsigned pass, unsigned op, bool isRetained) {
            Step &step = result[pass];
            (isRetained ? step.retained : step.operators).push_back(op);
          },
          [&](unsigned pass, unsigned input, bool isRetained) {
            Step &step = result[pass];
            (isRetained ? step.retainedInputs : step.inputs).push_back(input);
          });
  for (Step &step : result) {
    std::reverse(step.retained.begin(), step.retained.end());
    std::reverse(step.operators.begin(), step.operators.end());
  }
  return result;
}

/// Chooses the operators whose values passes retain: one after the other, the
/// one that saves the most bytes, or with `retainsExpensive` the most work of
/// expensive operators.
class StitchPasses::RetentionChoice {
public:
  RetentionChoice(const StitchGroup &group, StitchPasses &passes,
                  bool retainsExpensive);

  void run();

private:
  /// The work of expensive operators, if it counts, the bits of retained
  /// values, and the work of special and of plain instructions. The first
  /// difference decides. All are counts, whose sums are exact in any order.
  using Measure = std::tuple<double, double, double, double>;

  /// The bits of an operator's values, if they can be retained, and the work of
  /// computing them.
  struct Cost {
    std::optional<double> bits;
    double expensive, special, plain;
  };
  Cost costOf(unsigned op) const;
  double countPoints(ArrayRef<unsigned> axes) const;
  void collectNeeds();
  /// Returns the measure of the passes with what they retain now, and sets
  /// `used` to retained values that they use.
  Measure measure();
  /// Returns a lower bound of the bits of retained values if `op` is retained,
  /// too. Values that `op` does not depend on stay as the best choice has them.
  double minBits(unsigned op) const;
  /// Returns how many passes compute each operator.
  SmallVector<unsigned> countPasses();

  /// Operators and inputs, by number.
  struct Values {
    SmallVector<bool, 64> operators, inputs;
  };

  const StitchGroup &group;
  StitchPasses &passes;
  bool retainsExpensive;
  unsigned operators; ///< number of them
  Walker walker;
  SmallVector<Cost> costs;       ///< by operator
  SmallVector<double> inputBits; ///< by input
  /// By operator: the operators, and behind them the inputs, that it depends
  /// on, also indirectly. Retaining its values can spare no others.
  SmallVector<llvm::BitVector> needs;
  Values used, usedByBest;
  Measure best;
};

StitchPasses::RetentionChoice::RetentionChoice(const StitchGroup &group,
                                               StitchPasses &passes,
                                               bool retainsExpensive)
    : group(group), passes(passes), retainsExpensive(retainsExpensive),
      operators(group.operators().size()), walker(group, passes) {
  for (unsigned op = 0; op < operators; ++op)
    costs.push_back(costOf(op));
  for (const StitchTensor &tensor : group.inputs)
    inputBits.push_back(countPoints(tensor.axes) * 8.0 * tensor.elementBytes);
  collectNeeds();
}

double
StitchPasses::RetentionChoice::countPoints(ArrayRef<unsigned> axes) const {
  double count = 1;
  for (unsigned axis : axes)
    count *= group.axes[axis].extent;
  return count;
}

StitchPasses::RetentionChoice::Cost
StitchPasses::RetentionChoice::costOf(unsigned op) const {
  const StitchOperator &about = group.about(op);
  const ScalarWork &work = about.work;
  double points = countPoints(group.loops[op]);
  Cost cost{std::nullopt,
            work.special > 0 || about.hasPolynomials
                ? (work.special + work.plain) * points
                : 0,
            work.special * points, work.plain * points};
  linalg::LinalgOp linalgOp = group.operators()[op];
  Type type = getElementTypeOrSelf(linalgOp->getResult(0).getType());
  if (passes.isSerial[op] && !passes.reducesAxis(op) && type.isIntOrFloat())
    cost.bits = countPoints(group.resultAxes(op)) *
                std::max(8u, type.getIntOrFloatBitWidth());
  return cost;
}

void StitchPasses::RetentionChoice::collectNeeds() {
  for (unsigned op = 0; op < operators; ++op) {
    llvm::BitVector &own =
        needs.emplace_back(unsigned(operators + group.inputs.size()));
    for (unsigned source : group.sources[op].operators) {
      own |= needs[source];
      own.set(source);
    }
    for (unsigned input : group.sources[op].inputs)
      own.set(operators + input);
  }
}

StitchPasses::RetentionChoice::Measure
StitchPasses::RetentionChoice::measure() {
  used.operators.assign(operators, false);
  used.inputs.assign(group.inputs.size(), false);
  double bits = 0, expensive = 0, special = 0, plain = 0;
  walker.run(
      [&](unsigned, unsigned op, bool isHere) {
        if (!isHere) {
          expensive += costs[op].expensive;
          special += costs[op].special;
          plain += costs[op].plain;
        } else if (!used.operators[op]) {
          used.operators[op] = true;
          bits += *costs[op].bits;
        }
      },
      [&](unsigned, unsigned input, bool isHere) {
        if (!isHere || used.inputs[input])
          return;
        used.inputs[input] = true;
        bits += inputBits[input];
      });
  return {retainsExpensive ? expensive : 0, bits, special, plain};
}

double StitchPasses::RetentionChoice::minBits(unsigned op) const {
  double bits = *costs[op].bits;
  for (unsigned other = 0; other < operators; ++other)
    if (usedByBest.operators[other] && !needs[op].test(other))
      bits += *costs[other].bits;
  for (unsigned input = 0; input < group.inputs.size(); ++input)
    if (usedByBest.inputs[input] && !needs[op].test(operators + input))
      bits += inputBits[input];
  return bits;
}

SmallVector<unsigned> StitchPasses::RetentionChoice::countPasses() {
  SmallVector<unsigned> computed(operators);
  walker.run(
      [&](unsigned, unsigned op, bool isHere) { computed[op] += !isHere; },
      [](unsigned, unsigned, bool) {});
  return computed;
}

void StitchPasses::RetentionChoice::run() {
  best = measure();
  usedByBest = used;
  while (true) {
    SmallVector<unsigned> computed = countPasses();
    std::optional<unsigned> chosen;
    Values next = usedByBest;
    for (unsigned op = 0; op < operators; ++op) {
      // Retaining values that a single pass computes saves nothing.
      if (passes.isRetained[op] || !costs[op].bits || computed[op] < 2)
        continue;
      auto [expensive, bits, special, plain] = best;
      if (expensive == 0 && minBits(op) > bits)
        continue;
      passes.isRetained[op] = true;
      Measure with = measure();
      passes.isRetained[op] = false;
      if (with < best) {
        best = with;
        chosen = op;
        next = used;
      }
    }
    if (!chosen)
      return;
    passes.isRetained[*chosen] = true;
    usedByBest = next;
  }
}

void StitchPasses::choose(const StitchGroup &group, bool retainsExpensive) {
  SmallVector<unsigned> loads(group.inputs.size());
  for (const Step &step : stepsAgain)
    for (unsigned input : step.inputs)
      isRetainedInput[input] = ++loads[input] > 1;
  RetentionChoice(group, *this, retainsExpensive).run();
}
