//===- LinearLayoutAlgebra.cpp - Product, composition, inverse, division --===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearLayoutForm.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>

using namespace llvm;

namespace fusion {

using detail::FormDigit;
using detail::FormIn;
using detail::FormOut;
using detail::LayoutForm;
using detail::Place;

//===----------------------------------------------------------------------===//
// Product
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::operator*(const LinearLayout &right) const {
  LayoutForm result = form();
  // The places that the right factor's places become.
  SmallVector<Place, 4> first;
  for (const FormOut &out : right.form().outs) {
    int o = result.findOut(out.dim);
    if (o < 0) {
      o = result.outs.size();
      result.outs.push_back({out.dim, {}});
    }
    first.push_back({unsigned(o), unsigned(result.outs[o].radices.size())});
    llvm::append_range(result.outs[o].radices, out.radices);
    assert(result.outs[o].size() <= detail::kMaxIndexSize && "tile too large");
  }
  for (const FormIn &in : right.form().ins) {
    int i = result.findIn(in.dim);
    if (i < 0) {
      i = result.ins.size();
      result.ins.push_back({in.dim, {}});
    }
    for (const FormDigit &digit : in.digits) {
      FormDigit &copy =
          result.ins[i].digits.emplace_back(FormDigit{digit.radix, {}});
      for (Place place : digit.to)
        copy.to.push_back(
            {first[place.out].out, first[place.out].pos + place.pos});
    }
    assert(result.ins[i].size() <= detail::kMaxIndexSize && "index too large");
  }
  return LinearLayout(std::move(result));
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

std::optional<LinearLayout> compose(const LinearLayout &inner,
                                    const LinearLayout &outer) {
  LayoutForm a = inner.form(), b = outer.form();
  for (const FormIn &in : b.ins)
    if (a.findOut(in.dim) < 0)
      return std::nullopt;

  // Give every intermediate index one numeral system. `middle[o]` is the input
  // of `b` that reads output o of `a`.
  SmallVector<int, 4> middle;
  for (unsigned o = 0; o < a.outs.size(); ++o) {
    int i = b.findIn(a.outs[o].dim);
    middle.push_back(i);
    if (i < 0) {
      if (a.outs[o].size() != 1)
        return std::nullopt;
      continue;
    }
    unsigned k = 0;
    for (; k < a.outs[o].radices.size(); ++k) {
      if (k == b.ins[i].digits.size())
        return std::nullopt;
      int64_t produced = a.outs[o].radices[k];
      int64_t read = b.ins[i].digits[k].radix;
      int64_t common = std::gcd(produced, read);
      if (common == 1)
        return std::nullopt;
      if (common != produced)
        a.splitPlace(o, k, common);
      if (common != read)
        b.splitDigit(i, k, common);
    }
  }

  LayoutForm result;
  result.outs = b.outs;
  for (const FormIn &in : a.ins) {
    FormIn &copy = result.ins.emplace_back(FormIn{in.dim, {}});
    for (const FormDigit &digit : in.digits) {
      FormDigit &d = copy.digits.emplace_back(FormDigit{digit.radix, {}});
      // A place of `b` that is reached an even number of times is dropped.
      for (Place via : digit.to)
        for (Place place : b.ins[middle[via.out]].digits[via.pos].to) {
          auto *it = find(d.to, place);
          if (it == d.to.end())
            d.to.push_back(place);
          else
            d.to.erase(it);
        }
      sort(d.to);
    }
  }
  return LinearLayout(std::move(result));
}

//===----------------------------------------------------------------------===//
// Inverse
//===----------------------------------------------------------------------===//

namespace {
/// The GF(2) part of a layout: the bits that are not copied one to one, and all
/// places they go to, reduced to echelon form. Bits that depend on less
/// significant ones are left out, so that solutions are the smallest.
class BitSystem {
public:
  explicit BitSystem(const LayoutForm &form) {
    auto uses = form.uses();
    for (auto [i, in] : enumerate(form.ins)) {
      for (auto [d, digit] : enumerate(in.digits)) {
        bool plain =
            digit.to.size() == 1 && uses[digit.to[0].out][digit.to[0].pos] == 1;
        if (plain || digit.to.empty())
          continue;
        bits.push_back({unsigned(i), unsigned(d)});
        for (Place place : digit.to)
          placeIndex.try_emplace(place, 0);
      }
    }
    for (auto &entry : placeIndex) {
      entry.second = places.size();
      places.push_back(entry.first);
    }

    // Insert the bits one by one. A row is a set of places and the set of bits
    // whose XOR it is; its pivot is a place no other row contains.
    unsigned n = bits.size();
    for (auto [index, bit] : enumerate(bits)) {
      Row row{BitVector(places.size()), BitVector(n), 0};
      for (Place place : form.ins[bit.first].digits[bit.second].to)
        row.places.flip(placeIndex[place]);
      row.bits.set(index);
      for (const Row &other : rows) {
        if (row.places.test(other.pivot)) {
          row.places ^= other.places;
          row.bits ^= other.bits;
        }
      }
      int pivot = row.places.find_first();
      if (pivot < 0)
        continue;
      row.pivot = pivot;
      for (Row &other : rows) {
        if (other.places.test(row.pivot)) {
          other.places ^= row.places;
          other.bits ^= row.bits;
        }
      }
      rows.push_back(std::move(row));
    }
  }

  bool injective() const { return rows.size() == bits.size(); }
  bool surjective() const { return rows.size() == places.size(); }

  /// Returns the bits whose XOR is exactly this place, for a surjective system.
  /// Returns nullopt if the place is not one of the system.
  std::optional<SmallVector<std::pair<unsigned, unsigned>, 4>>
  solve(Place place) const {
    auto it = placeIndex.find(place);
    if (it == placeIndex.end())
      return std::nullopt;
    SmallVector<std::pair<unsigned, unsigned>, 4> result;
    for (const Row &row : rows)
      if (row.pivot == it->second)
        for (unsigned bit : row.bits.set_bits())
          result.push_back(bits[bit]);
    return result;
  }

private:
  struct Row {
    BitVector places, bits;
    unsigned pivot;
  };
  SmallVector<std::pair<unsigned, unsigned>, 8> bits;
  SmallVector<Place, 8> places;
  std::map<Place, unsigned> placeIndex;
  SmallVector<Row, 8> rows;
};
} // namespace

bool LinearLayout::isInjective() const {
  for (const FormIn &in : form().ins)
    for (const FormDigit &digit : in.digits)
      if (digit.to.empty())
        return false;
  return BitSystem(form()).injective();
}

bool LinearLayout::isSurjective() const {
  for (const auto &out : form().uses())
    if (is_contained(out, 0u))
      return false;
  return BitSystem(form()).surjective();
}

std::optional<LinearLayout> LinearLayout::invert() const {
  if (!isInjective())
    return std::nullopt;
  return pseudoInvert();
}

std::optional<LinearLayout> LinearLayout::pseudoInvert() const {
  if (!isSurjective())
    return std::nullopt;
  BitSystem system(form());

  LayoutForm result;
  for (const FormIn &in : form().ins) {
    FormOut &out = result.outs.emplace_back(FormOut{in.dim, {}});
    for (const FormDigit &digit : in.digits)
      out.radices.push_back(digit.radix);
  }
  // Digits that the layout copies are copied back.
  std::map<Place, Place> source;
  for (auto [i, in] : enumerate(form().ins))
    for (auto [d, digit] : enumerate(in.digits))
      if (digit.to.size() == 1)
        source.try_emplace(digit.to.front(), Place{unsigned(i), unsigned(d)});
  for (auto [o, out] : enumerate(form().outs)) {
    FormIn &in = result.ins.emplace_back(FormIn{out.dim, {}});
    for (auto [p, radix] : enumerate(out.radices)) {
      FormDigit &digit = in.digits.emplace_back(FormDigit{radix, {}});
      Place place{unsigned(o), unsigned(p)};
      if (auto bits = system.solve(place)) {
        for (auto [i, d] : *bits)
          digit.to.push_back({i, d});
        sort(digit.to);
      } else {
        digit.to.push_back(source.at(place));
      }
    }
  }
  return LinearLayout(std::move(result));
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// Divides `whole` into low * high, where the low factor has the sizes that
/// `sizeOfIn` and `sizeOfOut` return. Returns nullopt if there are no such
/// factors.
template <typename SizeOfIn, typename SizeOfOut>
static std::optional<std::pair<LinearLayout, LinearLayout>>
cut(const LinearLayout &whole, SizeOfIn sizeOfIn, SizeOfOut sizeOfOut) {
  LayoutForm form = whole.form();
  // Splitting one index splits digits of others, never their boundaries; but
  // counts change, hence a second round.
  SmallVector<unsigned, 4> inCount, outCount;
  for (int round = 0; round < 2; ++round) {
    inCount.clear();
    outCount.clear();
    for (unsigned i = 0; i < form.ins.size(); ++i) {
      auto count = form.splitInAt(i, sizeOfIn(form.ins[i].dim));
      if (!count)
        return std::nullopt;
      inCount.push_back(*count);
    }
    for (unsigned o = 0; o < form.outs.size(); ++o) {
      auto count = form.splitOutAt(o, sizeOfOut(form.outs[o].dim));
      if (!count)
        return std::nullopt;
      outCount.push_back(*count);
    }
  }

  LayoutForm low, high;
  for (auto [o, out] : enumerate(form.outs)) {
    ArrayRef<int64_t> radices(out.radices);
    low.outs.push_back({out.dim, {}});
    high.outs.push_back({out.dim, {}});
    append_range(low.outs.back().radices, radices.take_front(outCount[o]));
    append_range(high.outs.back().radices, radices.drop_front(outCount[o]));
  }
  for (auto [i, in] : enumerate(form.ins)) {
    low.ins.push_back({in.dim, {}});
    high.ins.push_back({in.dim, {}});
    for (auto [d, digit] : enumerate(in.digits)) {
      bool isLow = d < inCount[i];
      FormDigit copy = digit;
      for (Place &place : copy.to) {
        if ((place.pos < outCount[place.out]) != isLow)
          return std::nullopt;
        if (!isLow)
          place.pos -= outCount[place.out];
      }
      (isLow ? low : high).ins.back().digits.push_back(std::move(copy));
    }
  }
  return std::make_pair(LinearLayout(std::move(low)),
                        LinearLayout(std::move(high)));
}

/// Returns `factor` with outputs of size 1 added, so that it has all outputs of
/// `whole`. Returns nullopt if it has others.
static std::optional<LinearLayout> withOuts(const LinearLayout &factor,
                                            const LinearLayout &whole) {
  LayoutForm form = factor.form();
  for (const FormOut &out : form.outs)
    if (!whole.hasOut(out.dim))
      return std::nullopt;
  for (LayoutDim out : whole.outDims())
    if (form.findOut(out) < 0)
      form.outs.push_back({out, {}});
  return LinearLayout(std::move(form));
}

std::optional<LinearLayout>
LinearLayout::divideLeft(const LinearLayout &tile) const {
  auto factor = withOuts(tile, *this);
  if (!factor)
    return std::nullopt;
  auto parts = cut(
      *this, [&](LayoutDim in) { return tile.inSize(in); },
      [&](LayoutDim out) { return tile.outSize(out); });
  if (!parts || parts->first != *factor)
    return std::nullopt;
  return parts->second;
}

std::optional<LinearLayout>
LinearLayout::divideRight(const LinearLayout &tile) const {
  auto factor = withOuts(tile, *this);
  if (!factor)
    return std::nullopt;
  for (LayoutDim in : inDims())
    if (inSize(in) % tile.inSize(in) != 0)
      return std::nullopt;
  for (LayoutDim out : outDims())
    if (outSize(out) % tile.outSize(out) != 0)
      return std::nullopt;
  auto parts = cut(
      *this, [&](LayoutDim in) { return inSize(in) / tile.inSize(in); },
      [&](LayoutDim out) { return outSize(out) / tile.outSize(out); });
  if (!parts || parts->second != *factor)
    return std::nullopt;
  return parts->first;
}

} // namespace fusion
