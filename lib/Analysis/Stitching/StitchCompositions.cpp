//===- StitchCompositions.cpp - Values evaluated once ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchCompositions.h"
#include "fusion/Analysis/Stitching/StitchAlignment.h"
#include "fusion/Analysis/Stitching/StitchSplit.h"
#include "fusion/Support/Counted.h"
#include "fusion/Support/PaddedScratch.h"
#include "fusion/Support/TileLayouts.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace fusion;

static SmallVector<unsigned, 4> ascending(ArrayRef<unsigned> axes) {
  SmallVector<unsigned, 4> result(axes);
  llvm::sort(result);
  return result;
}

static SmallVector<unsigned, 4> axesOf(const StitchGroup &group, unsigned op) {
  return ascending(group.loops[op]);
}

static Type elementOf(const StitchGroup &group, unsigned op) {
  return getElementTypeOrSelf(group.operators()[op]->getResult(0).getType());
}

static int64_t bytesOf(Type element) {
  constexpr unsigned byteBits = 8;
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), byteBits)
             : sizeof(int64_t);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// A part of a tile's axis: `radix` elements or groups of them, `step` elements
/// apart.
namespace {
struct Factor {
  unsigned axis; ///< its position among the tile's axes
  int64_t radix, step;
};
} // namespace

/// Takes up to `most` binary factors from the registers, the outermost ones
/// first. Returns them in ascending order.
static SmallVector<Factor> takeBits(SmallVector<Factor> &registers,
                                    unsigned most) {
  SmallVector<Factor> bits;
  for (Factor &factor : llvm::reverse(registers))
    while (factor.radix % 2 == 0 && bits.size() < most) {
      factor.radix /= 2;
      bits.push_back({factor.axis, 2, factor.step * factor.radix});
    }
  std::reverse(bits.begin(), bits.end());
  return bits;
}

/// Returns the layout of `layoutOf` with registers moved to the lanes that
/// would hold replicas.
static LinearLayout layoutOfWarp(const StitchGroup &group,
                                 const StitchSchedule &schedule,
                                 unsigned component, ArrayRef<unsigned> axes) {
  SmallVector<Factor> registers;
  for (unsigned d = axes.size(); d-- > 0;)
    registers.push_back({d, schedule.threadMapping[axes[d]].vector, 1});
  for (unsigned d = axes.size(); d-- > 0;) {
    const AxisThreadMapping &mapped = schedule.threadMapping[axes[d]];
    registers.push_back({d, schedule.stepOf(axes[d]).registers(),
                         mapped.vector * mapped.lanes * mapped.warps});
  }
  // Lanes and warps by axis, from the last one on, as `layoutOf` has them.
  SmallVector<std::pair<std::optional<unsigned>, unsigned>> order;
  int64_t lanes = 1, own = 1;
  for (unsigned axis = group.axes.size(); axis-- > 0;) {
    if (group.components[axis] != component)
      continue;
    const auto *at = llvm::find(axes, axis);
    bool isIndexed = at != axes.end();
    order.push_back(
        {isIndexed ? std::optional<unsigned>(at - axes.begin()) : std::nullopt,
         axis});
    lanes *= schedule.threadMapping[axis].lanes;
    if (isIndexed)
      own *= schedule.threadMapping[axis].lanes;
  }
  SmallVector<Factor> bits =
      takeBits(registers, llvm::Log2_64(kWarpSize / own));
  using Digit = LinearLayout::Digit;
  auto digitOf = [&](int64_t radix, std::optional<Factor> factor) {
    Digit digit;
    digit.radix = radix;
    digit.steps.assign(axes.size(), 0);
    if (factor)
      digit.steps[factor->axis] = factor->step;
    return digit;
  };
  LinearLayout::Input ofRegisters{LayoutDim::Register, {}},
      ofLanes{LayoutDim::Lane, {}}, ofWarps{LayoutDim::Warp, {}};
  SmallVector<Factor> all;
  for (const Factor &factor : registers)
    if (factor.radix > 1) {
      ofRegisters.digits.push_back(digitOf(factor.radix, factor));
      all.push_back(factor);
    }
  unsigned taken = 0;
  auto shareOut = [&](int64_t replicas) {
    for (; replicas > 1; replicas /= 2) {
      if (taken == bits.size()) {
        ofLanes.digits.push_back(digitOf(2, std::nullopt));
        continue;
      }
      all.push_back(bits[taken]);
      ofLanes.digits.push_back(digitOf(2, bits[taken++]));
    }
  };
  for (auto [at, axis] : order) {
    const AxisThreadMapping &mapped = schedule.threadMapping[axis];
    if (!at) {
      shareOut(mapped.lanes);
    } else if (mapped.lanes > 1) {
      all.push_back({*at, mapped.lanes, mapped.vector});
      ofLanes.digits.push_back(digitOf(mapped.lanes, all.back()));
    }
    if (mapped.warps == 1)
      continue;
    std::optional<Factor> factor;
    if (at) {
      factor = Factor{*at, mapped.warps, mapped.vector * mapped.lanes};
      all.push_back(*factor);
    }
    ofWarps.digits.push_back(digitOf(mapped.warps, factor));
  }
  shareOut(kWarpSize / lanes);
  llvm::stable_sort(
      all, [](const Factor &a, const Factor &b) { return a.step < b.step; });
  SmallVector<LinearLayout::Output> outs;
  for (auto [d, axis] : llvm::enumerate(axes)) {
    LinearLayout::Output &out = outs.emplace_back();
    out.dim = tileDim(d);
    out.size = schedule.stepOf(axis).tile;
    for (const Factor &factor : all)
      if (factor.axis == d)
        out.radices.push_back(factor.radix);
  }
  std::optional<LinearLayout> layout =
      LinearLayout::fromDigits({ofRegisters, ofLanes, ofWarps}, outs);
  assert(layout && "the factors of an axis have its extent as product");
  return *layout;
}

/// Returns the neighbouring elements of a thread where the threads of a block
/// share a tile out.
static int64_t widthOfShare(const StitchSchedule &schedule,
                            ArrayRef<unsigned> axes) {
  int64_t each = tileBytes(schedule, axes, /*elementBytes=*/1) /
                 (kWarpSize * schedule.warps);
  return std::min<int64_t>(
      schedule.threadMapping[axes.back()].vector,
      llvm::bit_floor(uint64_t(std::max<int64_t>(1, each))));
}

LinearLayout fusion::sharedLayoutOf(const StitchGroup &group,
                                    const StitchSchedule &schedule,
                                    unsigned component, ArrayRef<unsigned> axes,
                                    Composition scheme) {
  if (scheme == Composition::Warp)
    return layoutOfWarp(group, schedule, component, axes);
  SmallVector<int64_t> shape;
  SmallVector<unsigned> order;
  for (unsigned axis : axes)
    shape.push_back(schedule.stepOf(axis).tile);
  for (unsigned d = axes.size(); d-- > 0;)
    order.push_back(d);
  return blocked(shape, order, widthOfShare(schedule, axes), schedule.warps);
}

SharedShape SharedShape::of(const StitchGroup &group,
                            const StitchSchedule &schedule, unsigned op,
                            Composition scheme) {
  SharedShape shape;
  SmallVector<unsigned, 4> axes = axesOf(group, op);
  if (scheme == Composition::Warp) {
    int64_t bits = 1;
    for (unsigned axis : axes) {
      const AxisThreadMapping &mapped = schedule.threadMapping[axis];
      int64_t count = mapped.vector * schedule.stepOf(axis).registers();
      shape.registers *= count;
      shape.lanes *= mapped.lanes;
      shape.warps *= mapped.warps;
      bits *= count & -count;
    }
    int64_t moved = std::min(bits, kWarpSize / shape.lanes);
    shape.registers /= moved;
    shape.lanes *= moved;
    return shape;
  }
  int64_t elements = tileBytes(schedule, axes, /*elementBytes=*/1),
          lanes = kWarpSize, warps = schedule.warps;
  SmallVector<int64_t, 4> left;
  for (unsigned axis : axes)
    left.push_back(schedule.stepOf(axis).tile);
  left.back() /= std::gcd(left.back(), widthOfShare(schedule, axes));
  auto take = [&](int64_t &count) {
    int64_t all = count;
    for (int64_t &extent : llvm::reverse(left)) {
      int64_t taken = std::gcd(count, extent);
      extent /= taken;
      count /= taken;
    }
    return all / count;
  };
  shape.lanes = take(lanes);
  shape.warps = take(warps);
  shape.registers = elements / (shape.lanes * shape.warps);
  return shape;
}

//===----------------------------------------------------------------------===//
// What is exchanged
//===----------------------------------------------------------------------===//

/// Returns whether two operators have one layout.
static bool areAlike(const StitchGroup &group, const StitchSchedule &schedule,
                     unsigned a, unsigned b) {
  return schedule.schemeOf(a) == schedule.schemeOf(b) &&
         axesOf(group, a) == axesOf(group, b);
}

std::optional<unsigned> fusion::sharedReaderOf(const StitchGroup &group,
                                               const StitchSchedule &schedule,
                                               const StitchPasses &passes,
                                               unsigned input) {
  if (schedule.compositions.empty() || passes.isRetainedInput[input])
    return std::nullopt;
  const StitchTensor &tensor = group.inputs[input];
  if (schedule.serialLoop && schedule.serialLoop->stages > 1 &&
      llvm::is_contained(tensor.axes, schedule.serialLoop->axis))
    return std::nullopt;
  std::optional<unsigned> reader;
  for (auto [op, sources] : llvm::enumerate(group.sources)) {
    if (!llvm::is_contained(sources.inputs, input))
      continue;
    if (schedule.schemeOf(op) == Composition::Thread ||
        axesOf(group, op) != ascending(tensor.axes) ||
        (reader && !areAlike(group, schedule, *reader, op)))
      return std::nullopt;
    reader = op;
  }
  return reader;
}

bool fusion::isExchanged(const StitchGroup &group,
                         const StitchSchedule &schedule,
                         const StitchPasses &passes, unsigned op) {
  if (passes.isRetained[op])
    return true;
  for (const StitchTensor &result : group.results)
    if (group.definer(result.value) == op)
      return true;
  for (auto [reader, sources] : llvm::enumerate(group.sources))
    if (llvm::is_contained(sources.operators, op) &&
        !areAlike(group, schedule, op, reader))
      return true;
  return false;
}

SmallVector<int64_t> fusion::convertedOperands(const StitchGroup &group,
                                               const StitchSchedule &schedule,
                                               const StitchPasses &passes,
                                               unsigned op) {
  SmallVector<int64_t> bytes;
  for (unsigned source : group.sources[op].operators)
    if (!areAlike(group, schedule, op, source))
      bytes.push_back(bytesOf(elementOf(group, source)));
  for (unsigned input : group.sources[op].inputs)
    if (!sharedReaderOf(group, schedule, passes, input))
      bytes.push_back(group.inputs[input].elementBytes);
  return bytes;
}

StitchExchange fusion::countExchange(const StitchGroup &group,
                                     const StitchSchedule &schedule,
                                     const StitchPasses &passes, unsigned op) {
  constexpr int64_t wordBytes = 4;
  StitchExchange result;
  SmallVector<unsigned, 4> axes = axesOf(group, op);
  int64_t all = elementsOf(schedule, axes),
          own = countEvaluated(group, schedule, op);
  bool isWarp = schedule.schemeOf(op) == Composition::Warp;
  auto accessesOf = [&](int64_t elements, int64_t bytes) {
    int64_t width =
        std::min<int64_t>({elements, kWidestAccess / bytes,
                           schedule.threadMapping[axes.back()].vector});
    return llvm::divideCeil(elements, std::max<int64_t>(1, width));
  };
  for (int64_t bytes : convertedOperands(group, schedule, passes, op)) {
    if (isWarp) {
      result.selects += all - own;
      continue;
    }
    result.accesses += accessesOf(all, bytes) + accessesOf(own, bytes);
    ++result.barriers;
  }
  if (!isExchanged(group, schedule, passes, op))
    return result;
  int64_t bytes = bytesOf(elementOf(group, op));
  if (isWarp) {
    result.shuffles += all * llvm::divideCeil(bytes, wordBytes);
    return result;
  }
  result.accesses += accessesOf(own, bytes) + accessesOf(all, bytes);
  ++result.barriers;
  return result;
}

/// Returns the bytes through which a block converts a tile, or nullopt if
/// shared memory has no layout for it.
static std::optional<int64_t> bytesToConvert(const StitchGroup &group,
                                             const StitchSchedule &schedule,
                                             unsigned op, bool isOperand,
                                             int64_t elementBytes,
                                             bool isBound = false) {
  SmallVector<unsigned, 4> axes = axesOf(group, op);
  if (axes.size() == 1)
    return tileBytes(schedule, axes, elementBytes);
  if (isBound) {
    // Rows are padded by a word, for about every 32 words.
    constexpr int64_t least = 1024, part = 8;
    int64_t bytes = tileBytes(schedule, axes, elementBytes);
    return bytes + bytes / part + least;
  }
  LinearLayout own = sharedLayoutOf(group, schedule, group.componentOf(op),
                                    axes, Composition::Block),
               all = layoutOf(group, schedule, group.componentOf(op), axes);
  std::optional<int64_t> elements =
      countPadded(isOperand ? all : own, isOperand ? own : all, elementBytes);
  if (!elements)
    return std::nullopt;
  return *elements * elementBytes;
}

int64_t fusion::bytesOfExchange(const StitchGroup &group,
                                const StitchSchedule &schedule,
                                const StitchPasses &passes, unsigned op,
                                bool isBound) {
  if (schedule.schemeOf(op) != Composition::Block)
    return 0;
  int64_t most = 0;
  for (int64_t bytes : convertedOperands(group, schedule, passes, op))
    most = std::max(most, bytesToConvert(group, schedule, op,
                                         /*isOperand=*/true, bytes, isBound)
                              .value_or(0));
  if (isExchanged(group, schedule, passes, op))
    most =
        std::max(most, bytesToConvert(group, schedule, op, /*isOperand=*/false,
                                      bytesOf(elementOf(group, op)), isBound)
                           .value_or(0));
  return most;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Returns whether an operator needs a reduction's result, directly or
/// indirectly.
static bool needsReduction(const StitchGroup &group, unsigned op) {
  SmallVector<bool> needs(op + 1);
  for (unsigned number = 0; number <= op; ++number)
    for (unsigned source : group.sources[number].operators)
      if (group.reductions[source] || needs[source])
        needs[number] = true;
  return needs[op];
}

static std::optional<std::string>
checkComposition(const StitchGroup &group, const StitchSchedule &schedule,
                 unsigned op) {
  if (group.reductions[op])
    return "is a reduction, whose composition follows from the thread mapping";
  SmallVector<unsigned, 4> axes = axesOf(group, op);
  unsigned component = group.componentOf(op);
  if (axes.empty())
    return "has a single element";
  int64_t lanes = 1;
  for (auto [number, axis] : llvm::enumerate(group.axes)) {
    if (group.components[number] != component)
      continue;
    const AxisThreadMapping &mapped = schedule.threadMapping[number];
    lanes *= mapped.lanes;
    if (mapped.align > 1)
      return "is over axis '" + axis.name +
             "' or beside it, whose tiles are aligned";
    if (!llvm::isPowerOf2_64(mapped.lanes) ||
        !llvm::isPowerOf2_64(mapped.warps))
      return "has lanes or warps that are no power of two";
  }
  if (StitchSplit::axisOf(group, schedule)) {
    StitchSplit split(group, schedule);
    if (split.isLate[op] || split.isLateSource[op])
      return "is evaluated by the last block, after a split reduction";
  }
  if (schedule.serialLoop && schedule.serialLoop->isOnline &&
      needsReduction(group, op))
    return "needs a reduction, which may be online";
  Type element = elementOf(group, op);
  if (!element.isIntOrFloat())
    return "has elements that are no numbers of known width";
  if (schedule.schemeOf(op) == Composition::Warp) {
    // Threads select by the bits of their lanes.
    for (unsigned axis : axes)
      if (!llvm::isPowerOf2_64(schedule.stepOf(axis).registers() *
                               schedule.threadMapping[axis].vector))
        return "has a number of elements in a thread along axis '" +
               group.axes[axis].name + "' that is no power of two";
  } else {
    constexpr unsigned narrowest = 8; // bits that shared memory holds
    // The digits of other tiles may have no common parts (PaddedScratch.h).
    bool isBinary = llvm::all_of(axes, [&](unsigned axis) {
      return llvm::isPowerOf2_64(schedule.stepOf(axis).tile);
    });
    auto canExchange = [&](Type type, bool isOperand) {
      return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= narrowest &&
             bytesToConvert(group, schedule, op, isOperand, bytesOf(type),
                            isBinary);
    };
    bool isPossible = canExchange(element, /*isOperand=*/false);
    for (unsigned source : group.sources[op].operators)
      isPossible &= areAlike(group, schedule, op, source) ||
                    canExchange(elementOf(group, source), /*isOperand=*/true);
    for (unsigned input : group.sources[op].inputs)
      isPossible &= canExchange(getElementTypeOrSelf(group.inputs[input].value),
                                /*isOperand=*/true);
    if (!isPossible)
      return "has elements that cannot be exchanged in shared memory";
  }
  if (countEvaluated(group, schedule, op) >= elementsOf(schedule, axes))
    return "saves no evaluation: a thread needs " +
           counted(elementsOf(schedule, axes), "element") +
           ", and would evaluate " +
           std::to_string(countEvaluated(group, schedule, op));
  auto isGathered = [&](unsigned input) {
    return group.inputs[input].isGathered;
  };
  if (llvm::none_of(group.sources[op].inputs, isGathered))
    return std::nullopt;
  StitchPasses passes = passesOf(group, schedule);
  for (unsigned input : group.sources[op].inputs)
    if (isGathered(input) && !sharedReaderOf(group, schedule, passes, input))
      return "gathers elements that operators in another layout need as well";
  return std::nullopt;
}

std::optional<std::string>
fusion::checkCompositions(const StitchGroup &group,
                          const StitchSchedule &schedule) {
  for (const StitchComposition &entry : schedule.compositions)
    if (auto illegal = checkComposition(group, schedule, entry.op))
      return "operator " + std::to_string(entry.op) + " cannot have " +
             name(entry.scheme).str() + " composition because it " + *illegal;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

SmallVector<unsigned> fusion::findShareable(const StitchGroup &group) {
  SmallVector<unsigned> result;
  for (unsigned op = 0; op < group.operators().size(); ++op) {
    // Passing a value on takes about as long as a special function.
    if (group.reductions[op] || group.loops[op].empty() ||
        !group.about(op).hasPolynomials)
      continue;
    for (unsigned axis = 0; axis < group.axes.size(); ++axis)
      if (group.components[axis] == group.componentOf(op) &&
          !llvm::is_contained(group.loops[op], axis)) {
        result.push_back(op);
        break;
      }
  }
  return result;
}

void fusion::addComposition(const StitchGroup &group, StitchSchedule &schedule,
                            unsigned op, Composition scheme) {
  auto insert = [&](unsigned number) {
    auto *at =
        llvm::lower_bound(schedule.compositions, number,
                          [](const StitchComposition &entry, unsigned other) {
                            return entry.op < other;
                          });
    if (at != schedule.compositions.end() && at->op == number)
      at->scheme = scheme;
    else
      schedule.compositions.insert(at, StitchComposition{number, scheme});
  };
  insert(op);
  auto isResult = [&](unsigned number) {
    return llvm::any_of(group.results, [&](const StitchTensor &result) {
      return group.definer(result.value) == number;
    });
  };
  for (unsigned number = op; number-- > 0;) {
    if (group.reductions[number] ||
        axesOf(group, number) != axesOf(group, op) || isResult(number))
      continue;
    bool isRead = false, isShared = true;
    for (auto [reader, sources] : llvm::enumerate(group.sources))
      if (llvm::is_contained(sources.operators, number)) {
        isRead = true;
        isShared &= schedule.schemeOf(reader) == scheme &&
                    axesOf(group, reader) == axesOf(group, op);
      }
    if (isRead && isShared)
      insert(number);
  }
}
