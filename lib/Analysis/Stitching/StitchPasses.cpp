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

/// Retains inputs that several passes load. Then retains, one after the other,
/// the operator whose value saves the most bytes, or with `retainsExpensive`
/// the most work of expensive operators.
void StitchPasses::choose(const StitchGroup &group, bool retainsExpensive) {
  SmallVector<unsigned> loads(group.inputs.size());
  for (const Step &step : stepsAgain)
    for (unsigned input : step.inputs)
      isRetainedInput[input] = ++loads[input] > 1;
  auto points = [&](ArrayRef<unsigned> axes) {
    double count = 1;
    for (unsigned other : axes)
      count *= group.axes[other].extent;
    return count;
  };
  /// The bits of an operator's values, if they can be retained, and the work of
  /// computing them.
  struct Operator {
    std::optional<double> bits;
    double expensive, special, plain;
  };
  SmallVector<Operator> costs;
  for (auto [index, constOp] : llvm::enumerate(group.operators())) {
    linalg::LinalgOp op = constOp;
    const StitchOperator &about = group.about(index);
    const ScalarWork &work = about.work;
    double all = points(group.loops[index]);
    Operator &own =
        costs.emplace_back(Operator{std::nullopt,
                                    work.special > 0 || about.hasPolynomials
                                        ? (work.special + work.plain) * all
                                        : 0,
                                    work.special * all, work.plain * all});
    Type type = getElementTypeOrSelf(op->getResult(0).getType());
    if (isSerial[index] && !reducesAxis(index) && type.isIntOrFloat())
      own.bits = points(group.resultAxes(index)) *
                 std::max(8u, type.getIntOrFloatBitWidth());
  }
  SmallVector<double> inputBits;
  for (const StitchTensor &tensor : group.inputs)
    inputBits.push_back(points(tensor.axes) * 8.0 * tensor.elementBytes);
  // These are counts, whose sums are exact in any order.
  Walker walker(group, *this);
  SmallVector<bool, 64> used, usedInput;
  auto price = [&] {
    used.assign(group.operators().size(), false);
    usedInput.assign(group.inputs.size(), false);
    double bits = 0, expensive = 0, special = 0, plain = 0;
    walker.run(
        [&](unsigned, unsigned op, bool isHere) {
          if (!isHere) {
            expensive += costs[op].expensive;
            special += costs[op].special;
            plain += costs[op].plain;
          } else if (!used[op]) {
            used[op] = true;
            bits += *costs[op].bits;
          }
        },
        [&](unsigned, unsigned input, bool isHere) {
          if (!isHere || usedInput[input])
            return;
          usedInput[input] = true;
          bits += inputBits[input];
        });
    return std::make_tuple(retainsExpensive ? expensive : 0, bits, special,
                           plain);
  };
  // By operator: the operators, and behind them the inputs, that it depends on,
  // also indirectly. Retaining its values can spare no others.
  unsigned operators = group.operators().size();
  SmallVector<llvm::BitVector> needs;
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
  auto best = price();
  // Retained operators and inputs that the passes use.
  auto taken = std::make_pair(used, usedInput);
  auto minBits = [&](unsigned op) {
    double bits = *costs[op].bits;
    for (unsigned other = 0; other < operators; ++other)
      if (taken.first[other] && !needs[op].test(other))
        bits += *costs[other].bits;
    for (unsigned input = 0; input < group.inputs.size(); ++input)
      if (taken.second[input] && !needs[op].test(operators + input))
        bits += inputBits[input];
    return bits;
  };
  while (true) {
    // Retaining values that a single pass computes saves nothing.
    SmallVector<unsigned> computed(operators);
    walker.run(
        [&](unsigned, unsigned op, bool isHere) { computed[op] += !isHere; },
        [](unsigned, unsigned, bool) {});
    std::optional<unsigned> chosen;
    auto next = taken;
    for (unsigned op = 0; op < operators; ++op) {
      if (isRetained[op] || !costs[op].bits || computed[op] < 2)
        continue;
      auto [costlyWork, bits, special, plain] = best;
      if (costlyWork == 0 && minBits(op) > bits)
        continue;
      isRetained[op] = true;
      auto with = price();
      isRetained[op] = false;
      if (with < best) {
        best = with;
        chosen = op;
        next = {used, usedInput};
      }
    }
    if (!chosen)
      return;
    isRetained[*chosen] = true;
    taken = next;
  }
}
