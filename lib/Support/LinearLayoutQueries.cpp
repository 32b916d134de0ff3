//===- LinearLayoutQueries.cpp - Replicas, vectors, conversions -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearLayoutForm.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace llvm;

namespace fusion {

using detail::FormDigit;
using detail::Place;

std::vector<LinearLayout::Digit> LinearLayout::freeDigits(LayoutDim in) const {
  std::vector<Digit> result;
  for (Digit &digit : digits(in))
    if (digit.isBroadcast())
      result.push_back(std::move(digit));
  return result;
}

int64_t LinearLayout::broadcastMask(LayoutDim in) const {
  int64_t mask = 0;
  for (const Digit &digit : freeDigits(in))
    if (isPowerOf2_64(digit.weight))
      mask |= ((int64_t(1) << countr_zero(uint64_t(digit.radix))) - 1) *
              digit.weight;
  return mask;
}

int64_t LinearLayout::contiguousRegisters(LayoutDim out) const {
  int i = form().findIn(LayoutDim::Register), o = form().findOut(out);
  if (i < 0 || o < 0)
    return 1;
  // In canonical form one digit holds the whole run.
  const FormDigit &digit = form().ins[i].digits.front();
  if (digit.to.size() != 1 || !(digit.to.front() == Place{unsigned(o), 0}) ||
      form().uses()[o][0] != 1)
    return 1;
  return int64_t(1) << countr_zero(uint64_t(digit.radix));
}

std::optional<SmallVector<int64_t>>
registerPermutation(const LinearLayout &src, const LinearLayout &dst) {
  using D = LayoutDim;
  SmallVector<LayoutDim, 4> outs = src.outDims();
  if (outs != dst.outDims())
    return std::nullopt;
  for (LayoutDim out : outs)
    if (src.outSize(out) != dst.outSize(out))
      return std::nullopt;

  // With register 0, which holds the origin of each thread's share in both.
  const LayoutDim threads[] = {D::Lane, D::Warp, D::Block};
  for (LayoutDim in : threads) {
    // An input that one of them lacks must be a replica in the other.
    if (src.inSize(in) != dst.inSize(in) && src.inSize(in) != 1 &&
        dst.inSize(in) != 1)
      return std::nullopt;
  }
  auto everyThread = [&](auto isEqual) {
    int64_t lanes = std::max(src.inSize(D::Lane), dst.inSize(D::Lane));
    int64_t warps = std::max(src.inSize(D::Warp), dst.inSize(D::Warp));
    int64_t blocks = std::max(src.inSize(D::Block), dst.inSize(D::Block));
    for (int64_t b = 0; b < blocks; ++b)
      for (int64_t w = 0; w < warps; ++w)
        for (int64_t l = 0; l < lanes; ++l)
          if (!isEqual(l, w, b))
            return false;
    return true;
  };
  // Where no register of a thread is a digit of its position, too, coordinates
  // are sums of both: threads' positions say enough, and most layouts that are
  // no permutation differ in them.
  auto isSum = [&](const LinearLayout &layout) {
    return llvm::none_of(
        layout.digits(D::Register),
        [](const LinearLayout::Digit &digit) { return digit.isXor; });
  };
  bool areSums = isSum(src) && isSum(dst);
  if (areSums && !everyThread([&](int64_t l, int64_t w, int64_t b) {
        return src.coords(0, l, w, b) == dst.coords(0, l, w, b);
      }))
    return std::nullopt;

  std::map<SmallVector<int64_t>, int64_t> held;
  for (int64_t r = 0, e = src.inSize(D::Register); r < e; ++r)
    held.try_emplace(src.coords(r, 0, 0, 0), r);
  SmallVector<int64_t> result;
  for (int64_t r = 0, e = dst.inSize(D::Register); r < e; ++r) {
    auto it = held.find(dst.coords(r, 0, 0, 0));
    if (it == held.end())
      return std::nullopt;
    result.push_back(it->second);
  }
  if (!areSums && !everyThread([&](int64_t l, int64_t w, int64_t b) {
        return llvm::all_of(llvm::enumerate(result), [&](auto pair) {
          auto [r, p] = pair;
          return dst.coords(r, l, w, b) == src.coords(p, l, w, b);
        });
      }))
    return std::nullopt;
  return result;
}

bool shuffleOnly(const LinearLayout &src, const LinearLayout &dst) {
  using D = LayoutDim;
  SmallVector<LayoutDim, 4> outs = src.outDims();
  if (outs != dst.outDims())
    return false;
  for (LayoutDim out : outs)
    if (src.outSize(out) != dst.outSize(out))
      return false;
  auto linear = [&](const SmallVector<int64_t> &coords) {
    int64_t index = 0;
    for (auto [out, value] : zip(outs, coords))
      index = index * src.outSize(out) + value;
    return index;
  };
  int64_t warps = std::max(src.inSize(D::Warp), dst.inSize(D::Warp));
  int64_t blocks = std::max(src.inSize(D::Block), dst.inSize(D::Block));
  for (int64_t b = 0; b < blocks; ++b) {
    for (int64_t w = 0; w < warps; ++w) {
      DenseSet<int64_t> held;
      for (int64_t l = 0, e = src.inSize(D::Lane); l < e; ++l)
        for (int64_t r = 0, f = src.inSize(D::Register); r < f; ++r)
          held.insert(linear(src.coords(r, l, w, b)));
      for (int64_t l = 0, e = dst.inSize(D::Lane); l < e; ++l)
        for (int64_t r = 0, f = dst.inSize(D::Register); r < f; ++r)
          if (!held.contains(linear(dst.coords(r, l, w, b))))
            return false;
    }
  }
  return true;
}

} // namespace fusion
