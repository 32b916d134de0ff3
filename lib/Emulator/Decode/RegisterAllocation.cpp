//===- RegisterAllocation.cpp - Places of registers in a frame ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/RegisterAllocation.h"

#include "Emulator/Machine/LaneCount.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

using namespace fusion::emulator;

// Bits of the data-flow sets, all blocks together, beyond which every register
// gets a place of its own.
static constexpr uint64_t kMaxSetBits = uint64_t(1) << 31;

namespace {

void collect(const Operand &operand, std::vector<uint32_t> &into) {
  if (operand.kind == Operand::Kind::Register)
    into.push_back(operand.index);
  for (const Operand &element : operand.elements)
    collect(element, into);
}

/// Whether operand 0 is written and nothing but written.
bool definesFirst(const Instruction &inst) {
  static const std::string_view others[] = {
      "st",         "red",       "bra",          "brx",
      "call",       "bar",       "barrier",      "cp",
      "stmatrix",   "prefetch",  "prefetchu",    "membar",
      "fence",      "nanosleep", "ret",          "exit",
      "trap",       "discard",   "stackrestore", "applypriority",
      "setmaxnreg", "mbarrier",  "wgmma",        "griddepcontrol",
      "pmevent"};
  if (std::find(std::begin(others), std::end(others), inst.root) !=
      std::end(others))
    return inst.root == "barrier" || inst.root == "bar"
               ? std::find(inst.modifiers.begin(), inst.modifiers.end(),
                           "red") != inst.modifiers.end()
               : false;
  // wmma.store
  return inst.modifiers.empty() || inst.modifiers[0] != "store";
}

} // namespace

Mentions fusion::emulator::mentionsOf(const Instruction &inst) {
  Mentions m;
  if (inst.guard != kNone)
    m.uses.push_back(inst.guard);
  for (size_t i = 0; i < inst.operands.size(); ++i) {
    bool defines = i == 0 && inst.root != "call" && definesFirst(inst) &&
                   inst.operands[0].kind != Operand::Kind::Address;
    if (defines)
      collect(inst.operands[i], m.definitions);
    else
      collect(inst.operands[i], m.uses);
  }
  // What a guarded instruction or a call may leave as it is stays alive.
  if (inst.guard != kNone || inst.root == "call") {
    std::vector<uint32_t> &list = inst.root == "call" ? m.uses : m.definitions;
    std::vector<uint32_t> both = list;
    if (inst.root == "call")
      m.definitions.insert(m.definitions.end(), both.begin(), both.end());
    else
      m.uses.insert(m.uses.end(), both.begin(), both.end());
  }
  return m;
}

namespace {

using Bits = std::vector<uint64_t>;

bool test(const Bits &bits, uint32_t i) { return bits[i / 64] >> (i % 64) & 1; }
void set(Bits &bits, uint32_t i) { bits[i / 64] |= uint64_t(1) << (i % 64); }

struct Interval {
  uint64_t begin = UINT64_MAX, end = 0;
  void include(uint64_t position) {
    begin = std::min(begin, position);
    end = std::max(end, position);
  }
};

uint64_t placeBytes(Type type) {
  return type == Type::Pred ? 4 : uint64_t(bytesOf(type)) * kLanes;
}

uint32_t newPlace(uint64_t &bytes, uint64_t size) {
  uint64_t alignment = std::min<uint64_t>(size, 64);
  bytes = (bytes + alignment - 1) & ~(alignment - 1);
  uint32_t place = uint32_t(bytes);
  bytes += size;
  return place;
}

/// Registers that are alive where blocks begin and end.
struct Liveness {
  std::vector<Mentions> mentions; ///< by instruction
  std::vector<Bits> in, out;      ///< by block
};

Liveness livenessOf(const Function &function, const ControlFlow &flow) {
  Liveness live;
  size_t words = (function.registers.size() + 63) / 64, n = flow.blocks.size();
  std::vector<Mentions> &mentions = live.mentions;
  mentions.reserve(function.body.size());
  for (const Instruction &inst : function.body)
    mentions.push_back(mentionsOf(inst));

  std::vector<Bits> &in = live.in, &out = live.out, killed(n, Bits(words));
  in.assign(n, Bits(words));
  out.assign(n, Bits(words));
  std::vector<std::vector<uint32_t>> predecessors(n);
  for (uint32_t b = 0; b < n; ++b) {
    for (uint32_t s : flow.blocks[b].successors)
      predecessors[s].push_back(b);
    for (uint32_t i = flow.blocks[b].begin; i < flow.blocks[b].end; ++i) {
      for (uint32_t r : mentions[i].uses)
        if (!test(killed[b], r))
          set(in[b], r);
      for (uint32_t r : mentions[i].definitions)
        set(killed[b], r);
    }
  }
  std::vector<bool> queued(n, true);
  std::vector<uint32_t> work(flow.order.begin(), flow.order.end());
  while (!work.empty()) {
    uint32_t b = work.back();
    work.pop_back();
    queued[b] = false;
    bool changed = false;
    for (uint32_t s : flow.blocks[b].successors)
      for (size_t w = 0; w < words; ++w)
        out[b][w] |= in[s][w];
    for (size_t w = 0; w < words; ++w) {
      uint64_t value = in[b][w] | (out[b][w] & ~killed[b][w]);
      changed |= value != in[b][w];
      in[b][w] = value;
    }
    if (!changed)
      continue;
    for (uint32_t p : predecessors[b])
      if (!queued[p]) {
        queued[p] = true;
        work.push_back(p);
      }
  }
  return live;
}

/// Positions are 2 i for what instruction i (in the order of the layout) reads
/// and 2 i + 1 for what it writes.
std::vector<Interval> liveIntervals(const Function &function,
                                    const ControlFlow &flow) {
  uint32_t registers = uint32_t(function.registers.size());
  size_t words = (registers + 63) / 64;
  auto [mentions, in, out] = livenessOf(function, flow);
  std::vector<Interval> intervals(registers);
  uint64_t position = 0;
  for (uint32_t b : flow.order) {
    uint64_t first = 2 * position;
    for (uint32_t i = flow.blocks[b].begin; i < flow.blocks[b].end;
         ++i, ++position) {
      for (uint32_t r : mentions[i].uses)
        intervals[r].include(2 * position);
      for (uint32_t r : mentions[i].definitions)
        intervals[r].include(2 * position + 1);
    }
    uint64_t last = 2 * position;
    for (size_t w = 0; w < words; ++w) {
      for (uint64_t left = in[b][w]; left; left &= left - 1)
        intervals[w * 64 + unsigned(__builtin_ctzll(left))].include(first);
      for (uint64_t left = out[b][w]; left; left &= left - 1)
        intervals[w * 64 + unsigned(__builtin_ctzll(left))].include(last);
    }
    ++position; // an empty block has a position as well
  }
  // The accumulators of a wgmma are written when it is waited for.
  for (const Instruction &inst : function.body)
    if (inst.root == "wgmma" && !inst.operands.empty()) {
      std::vector<uint32_t> accumulators;
      collect(inst.operands[0], accumulators);
      for (uint32_t r : accumulators)
        intervals[r].include(2 * position);
    }
  auto everywhere = [&](const std::vector<Formal> &formals) {
    for (const Formal &formal : formals)
      if (formal.reg != kNone) {
        intervals[formal.reg].include(0);
        intervals[formal.reg].include(2 * position);
      }
  };
  everywhere(function.parameters);
  everywhere(function.results);
  return intervals;
}

} // namespace

std::vector<uint32_t>
fusion::emulator::allocateRegisters(const Function &function,
                                    const ControlFlow &flow, uint64_t &bytes) {
  uint32_t registers = uint32_t(function.registers.size());
  std::vector<uint32_t> places(registers, 0);
  if (uint64_t(registers) * flow.blocks.size() > kMaxSetBits) {
    for (uint32_t r = 0; r < registers; ++r)
      places[r] = newPlace(bytes, placeBytes(function.registers[r].type));
    return places;
  }
  std::vector<Interval> intervals = liveIntervals(function, flow);
  std::vector<uint32_t> order(registers);
  for (uint32_t r = 0; r < registers; ++r)
    order[r] = r;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return intervals[a].begin != intervals[b].begin
               ? intervals[a].begin < intervals[b].begin
               : a < b;
  });
  using Active = std::pair<uint64_t, uint32_t>; // end, register
  std::priority_queue<Active, std::vector<Active>, std::greater<>> active;
  std::map<uint64_t, std::vector<uint32_t>> free; // by size
  for (uint32_t r : order) {
    uint64_t size = placeBytes(function.registers[r].type);
    while (!active.empty() && active.top().first < intervals[r].begin) {
      uint32_t ended = active.top().second;
      free[placeBytes(function.registers[ended].type)].push_back(places[ended]);
      active.pop();
    }
    auto &list = free[size];
    if (list.empty()) {
      places[r] = newPlace(bytes, size);
    } else {
      places[r] = list.back();
      list.pop_back();
    }
    active.push({intervals[r].end, r});
  }
  return places;
}

uint32_t fusion::emulator::mostLiveRegisters(const Function &function,
                                             const ControlFlow &flow) {
  uint64_t registers = function.registers.size();
  auto sizeOf = [&](uint64_t reg) {
    Type type = function.registers[reg].type;
    return type == Type::Pred ? 0 : (int64_t(bytesOf(type)) + 3) / 4;
  };
  int64_t most = 0;
  if (registers * flow.blocks.size() > kMaxSetBits) {
    for (uint64_t reg = 0; reg < registers; ++reg)
      most += sizeOf(reg);
    return uint32_t(most);
  }
  Liveness liveness = livenessOf(function, flow);
  for (size_t b = 0; b < flow.blocks.size(); ++b) {
    Bits alive = liveness.out[b];
    int64_t live = 0;
    for (uint64_t reg = 0; reg < registers; ++reg)
      live += test(alive, uint32_t(reg)) ? sizeOf(reg) : 0;
    most = std::max(most, live);
    for (uint32_t i = flow.blocks[b].end; i-- > flow.blocks[b].begin;) {
      // A result that is not read takes no register that is not free.
      for (uint32_t reg : liveness.mentions[i].definitions)
        if (test(alive, reg)) {
          live -= sizeOf(reg);
          alive[reg / 64] &= ~(uint64_t(1) << (reg % 64));
        }
      for (uint32_t reg : liveness.mentions[i].uses)
        if (!test(alive, reg)) {
          live += sizeOf(reg);
          set(alive, reg);
        }
      most = std::max(most, live);
    }
  }
  return uint32_t(most);
}
