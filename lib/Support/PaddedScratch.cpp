//===- PaddedScratch.cpp - Shared memory between two layouts --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/PaddedScratch.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;
using namespace fusion;

namespace {

constexpr LayoutDim kInputs[] = {LayoutDim::Register, LayoutDim::Lane,
                                 LayoutDim::Warp};
constexpr int64_t wordBytes = 4, lineBytes = 128; // of a bank, of all banks

/// Digit (coordinate / place) mod radix of one coordinate.
struct Part {
  unsigned dim;
  int64_t place, radix;
  int64_t stride = 0; ///< 0 while none is chosen
};

class Planner {
public:
  Planner(const LinearLayout &from, const LinearLayout &to, int64_t bytes)
      : from(from), to(to), bytes(bytes),
        phase(lineBytes / std::max(bytes, wordBytes)) {}

  /// Returns how many elements the scratch has.
  std::optional<int64_t> count() {
    for (LayoutDim out : to.outDims())
      cuts.push_back({1, to.outSize(out)});
    subword();
    if (!cut(from) || !cut(to) || !split())
      return std::nullopt;
    place();
    return extent;
  }

  std::optional<PaddedScratch> run() {
    if (!count())
      return std::nullopt;
    return PaddedScratch{plan(from), plan(to), fromWidth, width, extent};
  }

private:
  using Range = std::pair<int64_t, int64_t>; ///< stride and count

  /// Finds how many elements of a word are adjacent in a reading thread's
  /// registers.
  void subword() {
    for (auto [d, out] : enumerate(to.outDims())) {
      int64_t count = std::min(to.contiguousRegisters(out), wordBytes / bytes);
      if (count <= width)
        continue;
      width = count;
      unit = d;
      fromWidth = from.contiguousRegisters(out) >= count ? count : 1;
    }
    if (width > 1)
      cuts[unit].insert(width);
  }

  /// Returns the coordinate that a digit moves along; nullopt for replicas.
  static std::optional<unsigned> alongOf(const LinearLayout::Digit &digit) {
    for (auto [d, step] : enumerate(digit.steps))
      if (step != 0)
        return d;
    return std::nullopt;
  }

  bool cut(const LinearLayout &layout) {
    for (LayoutDim input : kInputs)
      for (const LinearLayout::Digit &digit : layout.digits(input)) {
        std::optional<unsigned> d = alongOf(digit);
        if (!d)
          continue;
        int64_t moving =
            count_if(digit.steps, [](int64_t s) { return s != 0; });
        int64_t step = digit.steps[*d];
        if (digit.isXor || moving != 1)
          return false;
        cuts[*d].insert(step);
        cuts[*d].insert(step * digit.radix);
        // For wider elements the access of a warp takes several phases.
        if (input == LayoutDim::Lane && digit.weight < phase &&
            phase < digit.weight * digit.radix && phase % digit.weight == 0)
          cuts[*d].insert(step * (phase / digit.weight));
      }
    return true;
  }

  bool split() {
    for (auto [d, places] : enumerate(cuts))
      for (auto it = places.begin(), next = std::next(it); next != places.end();
           it = next++) {
        if (*next % *it != 0)
          return false;
        parts.push_back({static_cast<unsigned>(d), *it, *next / *it});
      }
    return true;
  }

  /// Returns the parts that the lanes of one phase move along, nearest first.
  SmallVector<unsigned> partsOfLanes(const LinearLayout &layout) const {
    SmallVector<unsigned> result;
    for (const LinearLayout::Digit &digit : layout.digits(LayoutDim::Lane)) {
      std::optional<unsigned> d = alongOf(digit);
      if (!d)
        continue;
      int64_t step = digit.steps[*d];
      for (auto [number, part] : enumerate(parts))
        if (part.dim == *d && part.place >= step &&
            part.place < step * digit.radix &&
            digit.weight * (part.place / step) < phase)
          result.push_back(number);
    }
    return result;
  }

  void append(Part &part) {
    part.stride = extent;
    extent *= part.radix;
  }

  void place() {
    // The parts of a word, in their order.
    for (Part &part : parts)
      if (width > 1 && part.dim == unit && part.place < width)
        append(part);
    SmallVector<unsigned> readers = partsOfLanes(to),
                          writers = partsOfLanes(from);
    SmallVector<Range> left; // banks of readers only, or of none
    int64_t line = std::max<int64_t>(1, lineBytes / bytes),
            word = std::max<int64_t>(1, wordBytes / bytes);
    for (unsigned number : readers) {
      Part &part = parts[number];
      if (part.stride == 0)
        append(part);
      if (!is_contained(writers, number))
        left.push_back({part.stride, part.radix});
    }
    if (extent < line && line % extent == 0)
      left.push_back({extent, line / extent});
    // Writers that share a word take no bank from one another.
    for (Range &range : left)
      while (range.first < word && range.second % 2 == 0)
        range = {range.first * 2, range.second / 2};
    for (unsigned number : writers)
      if (parts[number].stride == 0)
        skew(number, left, line);
    for (Part &part : parts)
      if (part.stride == 0)
        append(part);
  }

  /// Gives a part strides through the remaining banks, and divides it if these
  /// are not adjacent.
  void skew(unsigned number, SmallVectorImpl<Range> &left, int64_t line) {
    while (true) {
      auto *range =
          find_if(left, [](const Range &range) { return range.second > 1; });
      int64_t radix = parts[number].radix;
      if (range == left.end() ||
          std::gcd(radix, range->second) != std::min(radix, range->second)) {
        append(parts[number]);
        return;
      }
      int64_t taken = std::min(radix, range->second);
      int64_t over = (range->first - extent) % line;
      int64_t stride = extent + (over < 0 ? over + line : over);
      *range = {range->first * taken, range->second / taken};
      Part rest = parts[number];
      parts[number].radix = taken;
      parts[number].stride = stride;
      extent += stride * (taken - 1);
      if (taken == radix)
        return;
      rest.place *= taken;
      rest.radix /= taken;
      parts.push_back(rest);
      number = parts.size() - 1;
    }
  }

  AddressPlan plan(const LinearLayout &layout) const {
    AddressPlan result;
    for (LayoutDim input : {LayoutDim::Lane, LayoutDim::Warp})
      for (const LinearLayout::Digit &digit : layout.digits(input)) {
        std::optional<unsigned> d = alongOf(digit);
        if (!d)
          continue;
        int64_t step = digit.steps[*d];
        for (const Part &part : parts)
          if (part.dim == *d && part.place >= step &&
              part.place < step * digit.radix)
            result.terms.push_back({input, digit.weight * (part.place / step),
                                    part.radix, part.stride, /*isXor=*/false,
                                    /*last=*/false});
      }
    for (int64_t reg = 0; reg < layout.inSize(LayoutDim::Register); ++reg) {
      AddressPlan::Constant constant;
      SmallVector<int64_t> at = layout.coords(reg, 0, 0);
      for (const Part &part : parts)
        constant.addPart +=
            at[part.dim] / part.place % part.radix * part.stride;
      result.registers.push_back(constant);
    }
    return result;
  }

  const LinearLayout &from, &to;
  int64_t bytes, phase;
  std::vector<std::set<int64_t>> cuts; ///< by coordinate: places of digits
  std::vector<Part> parts;
  int64_t width = 1, fromWidth = 1, extent = 1;
  unsigned unit = 0;
};

} // namespace

std::optional<PaddedScratch> fusion::planPadded(const LinearLayout &from,
                                                const LinearLayout &to,
                                                int64_t elementBytes) {
  return Planner(from, to, elementBytes).run();
}

std::optional<int64_t> fusion::countPadded(const LinearLayout &from,
                                           const LinearLayout &to,
                                           int64_t elementBytes) {
  return Planner(from, to, elementBytes).count();
}
