//===- MisalignedOrder.cpp - Neighbours of pieces of rows -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MisalignedOrder.h"
#include "Replicas.h"
#include "fusion/Target/Chips/Hardware.h"
#include <map>

using namespace fusion;

MisalignedOrder::MisalignedOrder(const LinearLayout &layout, int64_t dimension,
                                 int64_t width) {
  using Place = llvm::SmallVector<int64_t>;
  llvm::SmallVector<int64_t> pieces;
  std::map<std::vector<int64_t>, int64_t> ofFirstLane;
  auto keyOf = [](const Place &place) {
    return std::vector<int64_t>(place.begin(), place.end());
  };
  for (auto [number, first] : llvm::enumerate(firstReplicas(layout, width))) {
    int64_t reg = number * width;
    if (first != reg)
      continue;
    pieces.push_back(reg);
    ofFirstLane[keyOf(layout.coords(reg, 0, 0))] = reg;
  }
  auto moved = [&](Place place, int64_t elements) {
    place[dimension] += elements;
    return place;
  };
  auto atFirstLane = [&](const Place &place) {
    auto it = ofFirstLane.find(keyOf(place));
    return it == ofFirstLane.end() ? int64_t(-1) : it->second;
  };
  for (int64_t reg : pieces) {
    Place next = moved(layout.coords(reg, 0, 0), width);
    Neighbour &neighbour = behind[reg];
    neighbour.reg = atFirstLane(next);
    if (neighbour.reg >= 0)
      continue;
    for (int64_t step = 1; step < kWarpSize && neighbour.reg < 0; step *= 2)
      for (int64_t other : pieces)
        if (layout.coords(other, step, 0) == next) {
          neighbour.reg = other;
          neighbour.distance = step;
          break;
        }
    if (neighbour.reg < 0)
      continue;
    Place first = layout.coords(neighbour.reg, 0, 0);
    int64_t span = next[dimension] - first[dimension];
    neighbour.span = span;
    neighbour.lanes = 2;
    auto isOf = [&](int64_t lane) {
      return neighbour.distance * lane < kWarpSize &&
             layout.coords(neighbour.reg, neighbour.distance * lane, 0) ==
                 moved(first, lane * span);
    };
    while (isOf(neighbour.lanes))
      neighbour.lanes *= 2;
    neighbour.wrapped = atFirstLane(moved(first, neighbour.lanes * span));
  }
  for (int64_t reg : pieces)
    before[reg] = {};
  for (int64_t reg : pieces) {
    const Neighbour &next = behind[reg];
    if (next.reg < 0)
      continue;
    Neighbour &previous = before[next.reg];
    previous.reg = reg;
    previous.lanes = next.lanes;
    previous.distance = next.distance;
    previous.span = next.span;
  }
  for (int64_t reg : pieces)
    if (int64_t wrapped = behind[reg].wrapped; wrapped >= 0)
      before[wrapped].wrapped = reg;
}
