//===- WarpStart.cpp - Begins warps and enters frames ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/WarpStart.h"

#include "Emulator/Execute/HandlersRegisters.h"

#include "fusion/Target/Chips/Hardware.h"
#include <algorithm>

using namespace fusion::emulator;

void fusion::emulator::enterFrame(Warp &warp, uint32_t index) {
  Frame &frame = warp.frames[index];
  warp.current.frame = index;
  warp.base[BaseFrame] = frame.registers.data();
  warp.laneParameters = frame.parameters.data();
  warp.parameterBytes =
      warp.cta->code->functions[frame.function].parameterBytes;
  warp.localBase = frame.localOffset;
}

/// Sets the special registers of a warp.
static void fillSpecials(Warp &warp) {
  const Cta &cta = *warp.cta;
  const Code &code = *cta.code;
  const Launch &launch = *cta.launch;
  warp.specials.reserve(size_t(Special::Count) * 128);
  uint32_t *values = reinterpret_cast<uint32_t *>(warp.specials.data());
  auto set = [&](Special which, uint32_t value) {
    std::fill_n(values + uint32_t(which) * kLanes, kLanes, value);
  };
  auto setLane = [&](Special which, unsigned lane, uint32_t value) {
    values[uint32_t(which) * kLanes + lane] = value;
  };
  for (uint32_t i = 0; i < uint32_t(Special::Count); ++i)
    set(Special(i), 0);
  static constexpr Special first[] = {
      Special::NtidX,         Special::CtaidX,      Special::NctaidX,
      Special::ClusterIdX,    Special::NclusterIdX, Special::ClusterCtaidX,
      Special::ClusterNctaidX};
  for (uint32_t d = 0; d < 3; ++d) {
    uint32_t cluster = launch.cluster[d];
    uint32_t contents[] = {launch.block[d],
                           cta.id[d],
                           launch.grid[d],
                           cta.id[d] / cluster,
                           launch.grid[d] / cluster,
                           cta.id[d] % cluster,
                           cluster};
    for (unsigned i = 0; i < 7; ++i)
      set(Special(uint32_t(first[i]) + d), contents[i]);
  }
  set(Special::WarpId, warp.index);
  set(Special::NwarpId, uint32_t(cta.warps.size()));
  set(Special::NsmId, 1);
  set(Special::DynamicSmemSize, launch.dynamicSharedMemory);
  set(Special::TotalSmemSize, cta.sharedBytes - code.reservedSharedBytes);
  set(Special::AggrSmemSize, cta.sharedBytes);
  uint64_t workspace = code.hasGridWorkspace ? cta.memory->gridWorkspace() : 0;
  set(Special::GridWorkspaceLow, uint32_t(workspace));
  set(Special::GridWorkspaceHigh, uint32_t(workspace >> 32));
  // Which part is whose is not documented: two halves.
  set(Special::ReservedSmemBegin, code.reservedShared);
  set(Special::ReservedSmemEnd, code.reservedShared + code.reservedSharedBytes);
  set(Special::ReservedSmemCap, code.reservedSharedBytes);
  set(Special::ReservedSmem0, code.reservedShared);
  set(Special::ReservedSmem1,
      code.reservedShared + code.reservedSharedBytes / 2);
  set(Special::ClusterCtarank,
      cta.id[0] % launch.cluster[0] +
          launch.cluster[0] *
              (cta.id[1] % launch.cluster[1] +
               launch.cluster[1] * (cta.id[2] % launch.cluster[2])));
  uint32_t ranks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  set(Special::ClusterNctarank, ranks);
  set(Special::IsExplicitCluster, ranks > 1 ? kFullMask : 0);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    auto thread = threadOfLane(warp, lane);
    setLane(Special::TidX, lane, thread[0]);
    setLane(Special::TidY, lane, thread[1]);
    setLane(Special::TidZ, lane, thread[2]);
    setLane(Special::LaneId, lane, lane);
    uint32_t bit = 1u << lane;
    setLane(Special::LanemaskEq, lane, bit);
    setLane(Special::LanemaskLt, lane, bit - 1);
    setLane(Special::LanemaskLe, lane, bit | (bit - 1));
    setLane(Special::LanemaskGt, lane, ~(bit | (bit - 1)));
    setLane(Special::LanemaskGe, lane, ~(bit - 1));
  }
}

void fusion::emulator::startWarp(Cta &cta, uint32_t index) {
  const Code &code = *cta.code;
  const Launch &launch = *cta.launch;
  Warp &warp = cta.warps[index];
  uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  uint32_t left = threads - index * kWarpSize;
  warp.index = index;
  warp.cta = &cta;
  warp.counters = &cta.counters;
  warp.sanitizer = cta.sanitizer;
  warp.exists = left >= kWarpSize ? kFullMask : (1u << left) - 1;
  warp.live = warp.exists;
  warp.executed = 0;
  warp.blocked = false;
  warp.stop = false;
  warp.carry = 0;
  warp.others.clear();
  warp.copies.clear();
  warp.copiesBegin = 0;
  std::fill(std::begin(warp.committed), std::end(warp.committed), 0);
  warp.copySequence = 0;
  std::fill_n(warp.awaited, kLanes, 0);
  warp.suspended = false;
  warp.products.clear();
  warp.productGroup = warp.productEnd = 0;
  warp.awaitsProducts = false;
  std::fill(std::begin(warp.bulkCommitted), std::end(warp.bulkCommitted), 0);
  warp.clusterArrived = warp.clusterParity = warp.clusterWaiting = 0;
  warp.registers = registersAtStart(*code.source);

  const CodeFunction &kernel = code.functions[0];
  if (warp.frames.size() != 1) {
    warp.frames.clear();
    warp.frames.emplace_back();
  }
  Frame &frame = warp.frames[0];
  frame.function = 0;
  frame.registers.reserve(kernel.registerBytes);
  frame.registers.fill(0xff, kernel.registerBytes);
  frame.parameters.assign(size_t(kernel.parameterBytes) * kLanes, 0xff);
  warp.localBytes = kernel.localBytes;
  warp.local.assign(size_t(warp.localBytes) * kLanes, 0xff);
  std::fill_n(warp.stackTop, kLanes, 0u);
  fillSpecials(warp);
  warp.base[BaseConstant] = code.constants.data();
  warp.base[BaseSpecial] = warp.specials.data();
  warp.current = Group();
  warp.current.pc = kernel.entry;
  warp.current.mask = warp.live;
  enterFrame(warp, 0);
}
