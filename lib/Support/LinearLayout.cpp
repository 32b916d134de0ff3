//===- LinearLayout.cpp - Construction, evaluation, reshaping -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/LinearLayout.h"
#include "LinearLayoutForm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace fusion {

using detail::FormDigit;
using detail::FormIn;
using detail::FormOut;
using detail::LayoutForm;
using detail::LayoutStorage;
using detail::Place;

static constexpr StringLiteral kDimNames[kNumLayoutDims] = {
    "register", "lane", "warp", "block", "offset",
    "dim0",     "dim1", "dim2", "dim3",  "dim4"};

StringRef layoutDimName(LayoutDim dim) {
  return kDimNames[static_cast<unsigned>(dim)];
}

std::optional<LayoutDim> parseLayoutDim(StringRef name) {
  for (unsigned i = 0; i < kNumLayoutDims; ++i)
    if (kDimNames[i] == name)
      return static_cast<LayoutDim>(i);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Storage and evaluation
//===----------------------------------------------------------------------===//

namespace detail {

LayoutStorage::LayoutStorage(LayoutForm canonical)
    : form(std::move(canonical)) {
  inIndex.fill(-1);
  auto uses = form.uses();
  for (const FormOut &out : form.outs) {
    auto &list = weights.emplace_back();
    int64_t weight = 1;
    for (int64_t radix : out.radices) {
      list.push_back(weight);
      weight *= radix;
    }
  }
  for (auto [i, in] : enumerate(form.ins)) {
    inIndex[static_cast<unsigned>(in.dim)] = i;
    auto &list = entries.emplace_back();
    int64_t weight = 1;
    for (const FormDigit &digit : in.digits) {
      std::optional<unsigned> current;
      for (Place place : digit.to) {
        if (current != place.out) {
          list.push_back({weight, digit.radix, place.out, 0, 0});
          current = place.out;
        }
        if (uses[place.out][place.pos] == 1)
          list.back().add += weights[place.out][place.pos];
        else
          list.back().mask |= uint64_t(1) << place.pos;
      }
      weight *= digit.radix;
    }
  }
}

LayoutStorage::Values LayoutStorage::evaluate(const Values &inputs) const {
  Values result{};
  std::array<uint64_t, kNumLayoutDims> parity{};
  for (auto [in, list] : zip(form.ins, entries)) {
    int64_t index = inputs[static_cast<unsigned>(in.dim)];
    if (index == 0)
      continue;
    for (const Entry &entry : list) {
      int64_t digit = index / entry.weight % entry.radix;
      if (digit == 0)
        continue;
      result[entry.out] += digit * entry.add;
      parity[entry.out] ^= entry.mask;
    }
  }
  for (unsigned o = 0; o < form.outs.size(); ++o)
    for (uint64_t set = parity[o]; set != 0; set &= set - 1)
      result[o] += weights[o][countr_zero(set)];
  return result;
}

} // namespace detail

LinearLayout::LinearLayout() {
  static const std::shared_ptr<const LayoutStorage> unit =
      std::make_shared<LayoutStorage>(LayoutForm());
  storage = unit;
}

LinearLayout::LinearLayout(LayoutForm form) {
  form.canonicalize();
  storage = std::make_shared<LayoutStorage>(std::move(form));
}

const LayoutForm &LinearLayout::form() const { return storage->form; }

//===----------------------------------------------------------------------===//
// Factories
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::identity(LayoutDim in, LayoutDim out, int64_t size) {
  assert(size >= 1 && size <= detail::kMaxIndexSize && "size out of range");
  LayoutForm form;
  form.outs.push_back({out, {size}});
  form.ins.push_back({in, {FormDigit{size, {Place{0, 0}}}}});
  return LinearLayout(std::move(form));
}

LinearLayout LinearLayout::broadcast(LayoutDim in, int64_t size) {
  assert(size >= 1 && size <= detail::kMaxIndexSize && "size out of range");
  LayoutForm form;
  form.ins.push_back({in, {FormDigit{size, {}}}});
  return LinearLayout(std::move(form));
}

LinearLayout LinearLayout::fromBits(ArrayRef<std::pair<LayoutDim, Bases>> ins,
                                    ArrayRef<IndexValue> outs) {
  LayoutForm form;
  for (auto [dim, size] : outs) {
    assert(isPowerOf2_64(size) &&
           "a bit-linear layout's sizes are powers of 2");
    form.outs.push_back({dim, {}});
    form.outs.back().radices.assign(Log2_64(size), 2);
  }
  for (const auto &[dim, bases] : ins) {
    FormIn &in = form.ins.emplace_back(FormIn{dim, {}});
    for (const auto &basis : bases) {
      assert(basis.size() == outs.size() && "one step per output");
      FormDigit &digit = in.digits.emplace_back(FormDigit{2, {}});
      for (unsigned o = 0; o < outs.size(); ++o) {
        assert(basis[o] >= 0 && basis[o] < outs[o].second &&
               "basis vector outside the output");
        for (uint64_t set = basis[o]; set != 0; set &= set - 1)
          digit.to.push_back({o, unsigned(countr_zero(set))});
      }
    }
  }
  return LinearLayout(std::move(form));
}

//===----------------------------------------------------------------------===//
// Shape and value
//===----------------------------------------------------------------------===//

int64_t LinearLayout::inSize(LayoutDim in) const {
  int i = form().findIn(in);
  return i < 0 ? 1 : form().ins[i].size();
}

int64_t LinearLayout::outSize(LayoutDim out) const {
  int o = form().findOut(out);
  return o < 0 ? 1 : form().outs[o].size();
}

bool LinearLayout::hasIn(LayoutDim in) const { return form().findIn(in) >= 0; }
bool LinearLayout::hasOut(LayoutDim out) const {
  return form().findOut(out) >= 0;
}

SmallVector<LayoutDim, 4> LinearLayout::inDims() const {
  return map_to_vector<4>(form().ins, [](const FormIn &in) { return in.dim; });
}

SmallVector<LayoutDim, 4> LinearLayout::outDims() const {
  return map_to_vector<4>(form().outs,
                          [](const FormOut &out) { return out.dim; });
}

int64_t LinearLayout::totalInSize() const {
  int64_t size = 1;
  for (const FormIn &in : form().ins)
    size *= in.size();
  return size;
}

int64_t LinearLayout::totalOutSize() const {
  int64_t size = 1;
  for (const FormOut &out : form().outs)
    size *= out.size();
  return size;
}

SmallVector<LinearLayout::IndexValue, 4>
LinearLayout::apply(ArrayRef<IndexValue> inputs) const {
  LayoutStorage::Values in{};
  for (auto [dim, value] : inputs)
    in[static_cast<unsigned>(dim)] = value;
  LayoutStorage::Values out = storage->evaluate(in);
  SmallVector<IndexValue, 4> result;
  for (auto [o, output] : enumerate(form().outs))
    result.emplace_back(output.dim, out[o]);
  return result;
}

SmallVector<int64_t> LinearLayout::coords(int64_t reg, int64_t lane,
                                          int64_t warp, int64_t block) const {
  LayoutStorage::Values in{};
  in[static_cast<unsigned>(LayoutDim::Register)] = reg;
  in[static_cast<unsigned>(LayoutDim::Lane)] = lane;
  in[static_cast<unsigned>(LayoutDim::Warp)] = warp;
  in[static_cast<unsigned>(LayoutDim::Block)] = block;
  LayoutStorage::Values out = storage->evaluate(in);
  return SmallVector<int64_t>(out.begin(), out.begin() + form().outs.size());
}

int64_t LinearLayout::applyTo(LayoutDim out,
                              ArrayRef<IndexValue> inputs) const {
  for (auto [dim, value] : apply(inputs))
    if (dim == out)
      return value;
  return 0;
}

std::vector<LinearLayout::Digit> LinearLayout::digits(LayoutDim in) const {
  std::vector<Digit> result;
  int i = form().findIn(in);
  if (i < 0)
    return result;
  auto uses = form().uses();
  int64_t weight = 1;
  for (const FormDigit &digit : form().ins[i].digits) {
    Digit &d = result.emplace_back();
    d.radix = digit.radix;
    d.weight = weight;
    d.steps.assign(form().outs.size(), 0);
    for (Place place : digit.to) {
      d.steps[place.out] += storage->weights[place.out][place.pos];
      d.isXor |= uses[place.out][place.pos] != 1;
    }
    // Several places: only a bit may go there.
    d.isXor |= digit.to.size() > 1;
    weight *= digit.radix;
  }
  return result;
}

bool LinearLayout::operator==(const LinearLayout &other) const {
  return storage == other.storage || form() == other.form();
}

hash_code hash_value(const LinearLayout &layout) {
  hash_code code = llvm::hash_value(layout.form().ins.size());
  for (const FormOut &out : layout.form().outs)
    code = hash_combine(
        code, out.dim,
        hash_combine_range(out.radices.begin(), out.radices.end()));
  for (const FormIn &in : layout.form().ins) {
    code = hash_combine(code, in.dim);
    for (const FormDigit &digit : in.digits) {
      code = hash_combine(code, digit.radix);
      for (Place place : digit.to)
        code = hash_combine(code, place.out, place.pos);
    }
  }
  return code;
}

//===----------------------------------------------------------------------===//
// Reshaping
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::transposeOuts(ArrayRef<int64_t> permutation) const {
  LayoutForm result = form();
  assert(permutation.size() == result.outs.size() && "one entry per output");
  for (auto [i, from] : enumerate(permutation)) {
    int o = form().findOut(tileDim(from));
    assert(o >= 0 && "not a permutation of the tile's coordinates");
    result.outs[o].dim = tileDim(i);
  }
  return LinearLayout(std::move(result));
}

LinearLayout LinearLayout::renameIn(LayoutDim from, LayoutDim to) const {
  LayoutForm result = form();
  int i = result.findIn(from);
  if (i < 0 || from == to)
    return *this;
  assert(result.findIn(to) < 0 && "the layout has that input already");
  result.ins[i].dim = to;
  return LinearLayout(std::move(result));
}

LinearLayout LinearLayout::renameOut(LayoutDim from, LayoutDim to) const {
  LayoutForm result = form();
  int o = result.findOut(from);
  if (o < 0 || from == to)
    return *this;
  assert(result.findOut(to) < 0 && "the layout has that output already");
  result.outs[o].dim = to;
  return LinearLayout(std::move(result));
}

LinearLayout LinearLayout::sublayout(ArrayRef<LayoutDim> ins,
                                     ArrayRef<LayoutDim> outs) const {
  LayoutForm result;
  SmallVector<int, 4> newOut;
  for (const FormOut &out : form().outs) {
    newOut.push_back(is_contained(outs, out.dim) ? int(result.outs.size())
                                                 : -1);
    if (newOut.back() >= 0)
      result.outs.push_back(out);
  }
  for (const FormIn &in : form().ins) {
    if (!is_contained(ins, in.dim))
      continue;
    FormIn &copy = result.ins.emplace_back(FormIn{in.dim, {}});
    for (const FormDigit &digit : in.digits) {
      FormDigit &d = copy.digits.emplace_back(FormDigit{digit.radix, {}});
      for (Place place : digit.to)
        if (newOut[place.out] >= 0)
          d.to.push_back({unsigned(newOut[place.out]), place.pos});
    }
  }
  return LinearLayout(std::move(result));
}

LinearLayout LinearLayout::removeOut(LayoutDim out) const {
  SmallVector<LayoutDim, 4> outs = outDims();
  erase(outs, out);
  return sublayout(inDims(), outs);
}

LinearLayout LinearLayout::reduceOut(unsigned tileDimension) const {
  LayoutForm result = removeOut(tileDim(tileDimension)).form();
  for (FormOut &out : result.outs)
    if (out.dim > tileDim(tileDimension))
      out.dim = static_cast<LayoutDim>(static_cast<unsigned>(out.dim) - 1);
  return LinearLayout(std::move(result));
}

LinearLayout LinearLayout::concatIns(LayoutDim low, LayoutDim high) const {
  LayoutForm result = form();
  int l = result.findIn(low), h = result.findIn(high);
  assert(low != high && "two inputs are needed");
  if (h < 0)
    return *this;
  if (l < 0)
    return renameIn(high, low);
  result.ins[l].digits.append(result.ins[h].digits.begin(),
                              result.ins[h].digits.end());
  result.ins.erase(result.ins.begin() + h);
  return LinearLayout(std::move(result));
}

} // namespace fusion
