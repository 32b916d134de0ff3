//===- LinearLayoutForm.cpp - Sizes, splitting of digits ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearLayoutForm.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace fusion::detail {

int64_t FormIn::size() const {
  int64_t size = 1;
  for (const FormDigit &digit : digits)
    size *= digit.radix;
  return size;
}

int64_t FormOut::size() const { return weight(radices.size()); }

int64_t FormOut::weight(unsigned pos) const {
  int64_t weight = 1;
  for (int64_t radix : ArrayRef<int64_t>(radices).take_front(pos))
    weight *= radix;
  return weight;
}

int LayoutForm::findIn(LayoutDim dim) const {
  for (auto [i, in] : enumerate(ins))
    if (in.dim == dim)
      return i;
  return -1;
}

int LayoutForm::findOut(LayoutDim dim) const {
  for (auto [i, out] : enumerate(outs))
    if (out.dim == dim)
      return i;
  return -1;
}

SmallVector<SmallVector<unsigned, 8>, 4> LayoutForm::uses() const {
  SmallVector<SmallVector<unsigned, 8>, 4> uses;
  for (const FormOut &out : outs)
    uses.emplace_back(out.radices.size(), 0u);
  for (const FormIn &in : ins)
    for (const FormDigit &digit : in.digits)
      for (Place place : digit.to)
        ++uses[place.out][place.pos];
  return uses;
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

void LayoutForm::splitPlace(unsigned out, unsigned pos, int64_t low) {
  SmallVectorImpl<int64_t> &radices = outs[out].radices;
  int64_t high = radices[pos] / low;
  assert(low > 1 && high > 1 && low * high == radices[pos] && "no such split");
  radices[pos] = low;
  radices.insert(radices.begin() + pos + 1, high);
  for (FormIn &in : ins) {
    for (unsigned d = 0; d < in.digits.size(); ++d) {
      bool partner = false;
      for (Place &place : in.digits[d].to) {
        if (place.out != out)
          continue;
        if (place.pos > pos)
          ++place.pos;
        else if (place.pos == pos)
          partner = true;
      }
      if (!partner)
        continue;
      in.digits[d].radix = low;
      FormDigit above{high, {Place{out, pos + 1}}};
      in.digits.insert(in.digits.begin() + d + 1, above);
      ++d;
    }
  }
}

void LayoutForm::splitDigit(unsigned in, unsigned digit, int64_t low) {
  FormDigit &whole = ins[in].digits[digit];
  if (!whole.to.empty()) {
    assert(whole.to.size() == 1 && "only a repetition can be split");
    Place place = whole.to.front();
    splitPlace(place.out, place.pos, low);
    return;
  }
  int64_t high = whole.radix / low;
  assert(low > 1 && high > 1 && low * high == whole.radix && "no such split");
  whole.radix = low;
  FormDigit above{high, {}};
  ins[in].digits.insert(ins[in].digits.begin() + digit + 1, above);
}

/// Walks the radices of an index to the boundary `size`, splitting the digit
/// that contains it.
template <typename RadixOf, typename Split>
static std::optional<unsigned> splitAt(int64_t size, RadixOf radixOf,
                                       Split split) {
  unsigned count = 0;
  for (int64_t inside = 1; inside < size; ++count) {
    int64_t radix = radixOf(count);
    if (radix == 0 || size % inside != 0)
      return std::nullopt;
    int64_t wanted = size / inside;
    if (radix > wanted) {
      if (radix % wanted != 0)
        return std::nullopt;
      split(count, wanted);
      radix = wanted;
    }
    inside *= radix;
    if (inside > size)
      return std::nullopt;
  }
  return count;
}

std::optional<unsigned> LayoutForm::splitInAt(unsigned in, int64_t size) {
  return splitAt(
      size,
      [&](unsigned d) {
        return d < ins[in].digits.size() ? ins[in].digits[d].radix : 0;
      },
      [&](unsigned d, int64_t low) { splitDigit(in, d, low); });
}

std::optional<unsigned> LayoutForm::splitOutAt(unsigned out, int64_t size) {
  return splitAt(
      size,
      [&](unsigned p) {
        return p < outs[out].radices.size() ? outs[out].radices[p] : 0;
      },
      [&](unsigned p, int64_t low) { splitPlace(out, p, low); });
}

} // namespace fusion::detail
