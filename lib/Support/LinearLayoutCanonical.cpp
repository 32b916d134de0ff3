//===- LinearLayoutCanonical.cpp - The canonical form of a layout ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function has many forms: 6 rows as 2*3 or 3*2 or 6. The canonical form
// is the one with the longest digits: neighbours that go to neighbouring places
// are merged. That this is unique rests on two facts.
//
//  1. Two forms of one function whose input systems differ, say (a, ...) and
//     (b, ...) with a < b coprime, both contribute x * step for x < b, whatever
//     the other digits are; hence the digit above a has the step a * step, and
//     the two would have been merged.
//  2. The parities (XORs of sets of input bits) are linearly independent as
//     integer-valued functions. So for every output the function determines the
//     set of parities that occur and for each of them the total place value W
//     of the places that carry it. As long as no parity occurs twice, W is one
//     place value and the output's numeral system is determined.
//
// A parity that occurs twice (one bit going to two places, say, and nothing
// else to either) leaves a choice: 3 is the place value 3 in 12 = 3*2*2, and
// 1 + 2 in 12 = 2*2*3. It cannot happen in a surjective layout.
// resolveDuplicates() makes the choice, from W's alone.
//
//===----------------------------------------------------------------------===//

#include "LinearLayoutForm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <set>
#include <utility>

using namespace llvm;

namespace fusion::detail {

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

void LayoutForm::sortAndDropUnits() {
  // Outputs in the order of their names.
  SmallVector<unsigned, 4> order(outs.size());
  std::iota(order.begin(), order.end(), 0u);
  sort(order,
       [&](unsigned a, unsigned b) { return outs[a].dim < outs[b].dim; });
  SmallVector<FormOut, 4> sorted;
  // renumbered[out][pos]: the new place; digits of radix 1 have none.
  SmallVector<SmallVector<std::optional<Place>, 8>, 4> renumbered(outs.size());
  for (unsigned old : order) {
    FormOut out{outs[old].dim, {}};
    for (int64_t radix : outs[old].radices) {
      if (radix == 1) {
        renumbered[old].push_back(std::nullopt);
        continue;
      }
      renumbered[old].push_back(
          Place{unsigned(sorted.size()), unsigned(out.radices.size())});
      out.radices.push_back(radix);
    }
    sorted.push_back(std::move(out));
  }
  outs = std::move(sorted);

  for (FormIn &in : ins) {
    erase_if(in.digits, [](const FormDigit &d) { return d.radix == 1; });
    for (FormDigit &digit : in.digits) {
      for (Place &place : digit.to)
        place = *renumbered[place.out][place.pos];
      sort(digit.to);
    }
  }
  erase_if(ins, [](const FormIn &in) { return in.digits.empty(); });
  sort(ins, [](const FormIn &a, const FormIn &b) { return a.dim < b.dim; });
}

void LayoutForm::mergePlaces(unsigned out, unsigned pos) {
  SmallVectorImpl<int64_t> &radices = outs[out].radices;
  radices[pos] *= radices[pos + 1];
  radices.erase(radices.begin() + pos + 1);
  for (FormIn &in : ins)
    for (FormDigit &digit : in.digits)
      for (Place &place : digit.to)
        if (place.out == out && place.pos > pos)
          --place.pos;
}

void LayoutForm::mergeNeighbours() {
  auto count = uses();
  for (FormIn &in : ins) {
    for (unsigned d = 0; d + 1 < in.digits.size();) {
      FormDigit &low = in.digits[d];
      FormDigit &high = in.digits[d + 1];
      bool broadcast = low.to.empty() && high.to.empty();
      bool repetition = false;
      if (low.to.size() == 1 && high.to.size() == 1) {
        Place a = low.to.front(), b = high.to.front();
        repetition = a.out == b.out && a.pos + 1 == b.pos &&
                     count[a.out][a.pos] == 1 && count[b.out][b.pos] == 1;
      }
      if (!broadcast && !repetition) {
        ++d;
        continue;
      }
      low.radix *= high.radix;
      Place place = repetition ? low.to.front() : Place{0, 0};
      in.digits.erase(in.digits.begin() + d + 1);
      if (repetition) {
        mergePlaces(place.out, place.pos);
        count[place.out].erase(count[place.out].begin() + place.pos + 1);
      }
    }
  }
  // Places that receive nothing.
  for (unsigned o = 0; o < outs.size(); ++o) {
    for (unsigned p = 0; p + 1 < outs[o].radices.size();) {
      if (count[o][p] != 0 || count[o][p + 1] != 0) {
        ++p;
        continue;
      }
      mergePlaces(o, p);
      count[o].erase(count[o].begin() + p + 1);
    }
  }
}

//===----------------------------------------------------------------------===//
// Parities that occur twice
//===----------------------------------------------------------------------===//

namespace {
/// A set of input digits, (input, digit) in order.
using Parity = SmallVector<std::pair<unsigned, unsigned>, 4>;

/// What must be placed in an output's numeral system: a parity of total place
/// value `step` (radix 2), or a repetition.
struct Item {
  Parity digits;
  int64_t step;
  int64_t radix;
  /// A repetition or a parity that may be spread over several binary places.
  bool isParity;
  /// Result: its places.
  SmallVector<unsigned, 2> places;
};

/// Looks for a numeral system of `size` in which every item is the sum of
/// places of its own.
class SystemSearch {
public:
  SystemSearch(SmallVectorImpl<Item> &items, int64_t size)
      : items(items), size(size) {}

  /// Every item at one place. Such a system is unique.
  bool onePlaceEach() {
    SmallVector<Item *, 8> sorted;
    for (Item &item : items)
      sorted.push_back(&item);
    sort(sorted, [](Item *a, Item *b) { return a->step < b->step; });
    int64_t weight = 1;
    for (Item *item : sorted) {
      if (item->step < weight || item->step % weight != 0)
        return false;
      weight = item->step * item->radix;
    }
    if (weight > size || size % weight != 0)
      return false;
    radices.clear();
    weight = 1;
    for (Item *item : sorted) {
      if (item->step != weight)
        radices.push_back(item->step / weight);
      item->places.assign(1, radices.size());
      radices.push_back(item->radix);
      weight = item->step * item->radix;
    }
    if (weight != size)
      radices.push_back(size / weight);
    return true;
  }

  /// The first system in the order "binary places first, then gaps of the
  /// smallest odd prime".
  bool spread() {
    radices.clear();
    for (Item &item : items) {
      item.places.clear();
      rest.push_back(item.step);
    }
    return extend(1);
  }

  SmallVector<int64_t, 8> radices;

private:
  bool extend(int64_t weight) {
    if (all_of(rest, [](int64_t r) { return r == 0; })) {
      if (size % weight != 0)
        return false;
      if (weight != size)
        radices.push_back(size / weight);
      return true;
    }
    if (weight >= size || size % weight != 0)
      return false;

    for (auto [item, r] : zip(items, rest)) {
      if (item.isParity || r != weight)
        continue;
      r = 0;
      item.places.push_back(radices.size());
      if (allDivisible(weight * item.radix) && step(weight, item.radix))
        return true;
      item.places.pop_back();
      r = weight;
      return false;
    }

    if (size / weight % 2 == 0) {
      Item *taker = nullptr;
      unsigned takers = 0;
      int64_t *takerRest = nullptr;
      bool blocked = false;
      for (auto [item, r] : zip(items, rest)) {
        if (r / weight % 2 == 0)
          continue;
        blocked |= !item.isParity;
        taker = &item;
        takerRest = &r;
        ++takers;
      }
      if (takers <= 1 && !blocked) {
        if (taker) {
          *takerRest -= weight;
          taker->places.push_back(radices.size());
        }
        if (step(weight, 2))
          return true;
        if (taker) {
          *takerRest += weight;
          taker->places.pop_back();
        }
      }
    }

    // A gap of an odd prime that divides all there is above.
    int64_t common = size / weight;
    for (int64_t r : rest)
      common = std::gcd(common, r / weight);
    common >>= llvm::countr_zero(uint64_t(common));
    for (int64_t prime = 3; common > 1; prime += 2) {
      if (prime * prime > common)
        prime = common;
      if (common % prime != 0)
        continue;
      if (step(weight, prime))
        return true;
      while (common % prime == 0)
        common /= prime;
    }
    return false;
  }

  bool allDivisible(int64_t weight) const {
    return all_of(rest, [&](int64_t r) { return r % weight == 0; });
  }

  bool step(int64_t weight, int64_t radix) {
    // Gaps commute; a state that failed is not entered by another order of them.
    std::pair state(weight * radix, rest);
    if (failed.count(state))
      return false;
    radices.push_back(radix);
    unsigned depth = radices.size();
    if (extend(weight * radix))
      return true;
    radices.truncate(depth - 1);
    failed.insert(std::move(state));
    return false;
  }

  SmallVectorImpl<Item> &items;
  /// What of every item is not placed yet.
  SmallVector<int64_t, 8> rest;
  std::set<std::pair<int64_t, SmallVector<int64_t, 8>>> failed;
  int64_t size;
};
} // namespace

/// The parity every place of `out` carries.
static SmallVector<Parity, 8> parities(const LayoutForm &form, unsigned out) {
  SmallVector<Parity, 8> result(form.outs[out].radices.size());
  for (auto [i, in] : enumerate(form.ins))
    for (auto [d, digit] : enumerate(in.digits))
      for (Place place : digit.to)
        if (place.out == out)
          result[place.pos].emplace_back(i, d);
  return result;
}

bool LayoutForm::hasDuplicates(unsigned out) const {
  // A digit that goes to a single place of this output is a parity's only
  // occurrence or mixed with others; so look for digits with two places first.
  bool candidate = false;
  for (const FormIn &in : ins)
    for (const FormDigit &digit : in.digits)
      candidate |=
          count_if(digit.to, [&](Place place) { return place.out == out; }) > 1;
  if (!candidate)
    return false;
  SmallVector<Parity, 8> all = parities(*this, out);
  erase_if(all, [](const Parity &parity) { return parity.empty(); });
  sort(all);
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

void LayoutForm::resolveDuplicates(unsigned out) {
  // A repetition of radix 2^k is k parities, lest the choice depend on how it
  // is written.
  auto count = uses();
  for (unsigned p = 0; p < outs[out].radices.size(); ++p) {
    int64_t radix = outs[out].radices[p];
    if (count[out][p] != 0 && radix > 2 && isPowerOf2_64(radix)) {
      splitPlace(out, p, 2);
      count = uses();
    }
  }

  SmallVector<Item, 8> items;
  SmallVector<Parity, 8> carried = parities(*this, out);
  for (unsigned p = 0; p < carried.size(); ++p) {
    const Parity &parity = carried[p];
    if (parity.empty())
      continue;
    int64_t radix = outs[out].radices[p], weight = outs[out].weight(p);
    auto same = find_if(items, [&](const Item &item) {
      return item.isParity && item.digits == parity;
    });
    if (radix == 2 && same != items.end())
      same->step += weight;
    else
      items.push_back({parity, weight, radix, radix == 2, {}});
  }
  // An order that does not depend on the present system.
  sort(items, [](const Item &a, const Item &b) {
    return std::tie(a.step, a.radix, a.digits) <
           std::tie(b.step, b.radix, b.digits);
  });

  SystemSearch search(items, outs[out].size());
  bool found = search.onePlaceEach() || search.spread();
  assert(found && "the present system is one");
  (void)found;

  outs[out].radices = search.radices;
  for (FormIn &in : ins)
    for (FormDigit &digit : in.digits)
      erase_if(digit.to, [&](Place place) { return place.out == out; });
  for (const Item &item : items)
    for (auto [i, d] : item.digits)
      for (unsigned pos : item.places)
        ins[i].digits[d].to.push_back({out, pos});
  for (FormIn &in : ins)
    for (FormDigit &digit : in.digits)
      sort(digit.to);
}

void LayoutForm::canonicalize() {
  sortAndDropUnits();
  mergeNeighbours();
  bool changed = false;
  for (unsigned o = 0; o < outs.size(); ++o) {
    if (!hasDuplicates(o))
      continue;
    resolveDuplicates(o);
    changed = true;
  }
  if (changed)
    mergeNeighbours();
}

} // namespace fusion::detail
