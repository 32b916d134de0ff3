//===- WarpExchange.cpp - Layout conversions by shuffles ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/WarpExchange.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace fusion;
using llvm::SmallVector;

namespace {

/// Finds the sources of registers of `to` in `from`.
class ExchangePlanner {
public:
  ExchangePlanner(const LinearLayout &from, const LinearLayout &to)
      : from(from), to(to), lanes(sizeOf(LayoutDim::Lane)),
        warps(sizeOf(LayoutDim::Warp)) {}

  std::optional<SmallVector<WarpSource>> plan();

private:
  using Coords = SmallVector<int64_t>;

  int64_t sizeOf(LayoutDim dim) const {
    return std::max(from.inSize(dim), to.inSize(dim));
  }
  /// Returns the source in each lane's own registers.
  std::optional<WarpSource> findOwn(int64_t reg) const;
  /// Returns the source in a register of the first lane that holds the element.
  std::optional<WarpSource> findShuffle(int64_t reg) const;
  /// Returns the register of `lane` with the element at `coords`.
  std::optional<int64_t> findRegister(const Coords &coords, int64_t lane,
                                      int64_t warp) const;

  const LinearLayout &from, &to;
  int64_t lanes, warps;
  /// By warp: lanes and registers by their elements, the first ones first.
  std::vector<std::multimap<Coords, std::pair<int64_t, int64_t>>> held;
};

} // namespace

std::optional<int64_t> ExchangePlanner::findRegister(const Coords &coords,
                                                     int64_t lane,
                                                     int64_t warp) const {
  auto [first, beyond] = held[warp].equal_range(coords);
  for (; first != beyond; ++first)
    if (first->second.first == lane)
      return first->second.second;
  return std::nullopt;
}

std::optional<WarpSource> ExchangePlanner::findOwn(int64_t reg) const {
  WarpSource source;
  source.kept = lanes - 1;
  auto registerOf = [&](int64_t lane, int64_t warp) {
    return findRegister(to.coords(reg, lane, warp), lane, warp);
  };
  std::optional<int64_t> base = registerOf(0, 0);
  if (!base)
    return std::nullopt;
  source.base = *base;
  for (int64_t bit = 1; bit < lanes; bit *= 2)
    source.byLaneBit.push_back(registerOf(bit, 0).value_or(*base) ^ *base);
  for (int64_t bit = 1; bit < warps; bit *= 2)
    source.byWarpBit.push_back(registerOf(0, bit).value_or(*base) ^ *base);
  for (int64_t warp = 0; warp < warps; ++warp)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t expected = source.base;
      for (auto [bit, change] : llvm::enumerate(source.byLaneBit))
        expected ^= (lane >> bit & 1) ? change : 0;
      for (auto [bit, change] : llvm::enumerate(source.byWarpBit))
        expected ^= (warp >> bit & 1) ? change : 0;
      if (expected >= from.inSize(LayoutDim::Register) ||
          from.coords(expected, lane, warp) != to.coords(reg, lane, warp))
        return std::nullopt;
    }
  return source;
}

std::optional<WarpSource> ExchangePlanner::findShuffle(int64_t reg) const {
  auto firstOf =
      [&](int64_t lane,
          int64_t warp) -> std::optional<std::pair<int64_t, int64_t>> {
    auto it = held[warp].lower_bound(to.coords(reg, lane, warp));
    if (it == held[warp].end() || it->first != to.coords(reg, lane, warp))
      return std::nullopt;
    return it->second;
  };
  WarpSource source;
  auto first = firstOf(0, 0);
  if (!first)
    return std::nullopt;
  source.base = first->second;
  source.added = first->first;
  for (int64_t bit = 1; bit < lanes; bit *= 2)
    if (auto other = firstOf(bit, 0);
        other && (other->first & bit) && !(source.added & bit))
      source.kept |= bit;
  for (int64_t warp = 0; warp < warps; ++warp)
    for (int64_t lane = 0; lane < lanes; ++lane)
      if (from.coords(source.base, (lane & source.kept) | source.added, warp) !=
          to.coords(reg, lane, warp))
        return std::nullopt;
  return source;
}

std::optional<SmallVector<WarpSource>> ExchangePlanner::plan() {
  for (LayoutDim out : from.outDims())
    if (from.outSize(out) != to.outSize(out))
      return std::nullopt;
  if (from.outDims() != to.outDims() || !llvm::isPowerOf2_64(lanes) ||
      !llvm::isPowerOf2_64(warps) || sizeOf(LayoutDim::Block) != 1)
    return std::nullopt;
  held.resize(warps);
  for (int64_t warp = 0; warp < warps; ++warp)
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (int64_t reg = 0; reg < from.inSize(LayoutDim::Register); ++reg)
        held[warp].insert({from.coords(reg, lane, warp), {lane, reg}});
  SmallVector<WarpSource> sources;
  for (int64_t reg = 0; reg < to.inSize(LayoutDim::Register); ++reg) {
    std::optional<WarpSource> source = findOwn(reg);
    if (!source)
      source = findShuffle(reg);
    if (!source)
      return std::nullopt;
    sources.push_back(std::move(*source));
  }
  return sources;
}

std::optional<SmallVector<WarpSource>>
fusion::planWarpExchange(const LinearLayout &from, const LinearLayout &to) {
  return ExchangePlanner(from, to).plan();
}
