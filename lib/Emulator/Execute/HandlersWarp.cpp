//===- HandlersWarp.cpp - Instructions across the lanes of a warp ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersWarp.h"

#include "Emulator/Machine/Warp.h"

using namespace fusion::emulator;

namespace {

void writePredicate(Warp &warp, Ref ref, uint32_t mask, uint32_t value) {
  uint32_t &p = warp.predicate(ref);
  p = (p & ~mask) | (value & mask);
}

/// PTX ISA, "shfl.sync".
template <ShuffleMode Mode>
void shuffle(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t *d = warp.reg<uint32_t>(inst.op[0]);
  const uint32_t *a = warp.reg<uint32_t>(inst.op[2]);
  const uint32_t *b = warp.reg<uint32_t>(inst.op[3]);
  const uint32_t *c = warp.reg<uint32_t>(inst.op[4]);
  uint32_t result[kLanes], valid = 0;
  for (int lane = 0; lane < int(kLanes); ++lane) {
    int bval = int(b[lane] & 31), cval = int(c[lane] & 31);
    int segment = int(c[lane] >> 8 & 31);
    int most = (lane & segment) | (cval & ~segment);
    int least = lane & segment;
    int j = 0;
    bool in = false;
    switch (Mode) {
    case ShuffleMode::Up:
      j = lane - bval;
      in = j >= most;
      break;
    case ShuffleMode::Down:
      j = lane + bval;
      in = j <= most;
      break;
    case ShuffleMode::Bfly:
      j = lane ^ bval;
      in = j <= most;
      break;
    case ShuffleMode::Idx:
      j = least | (bval & ~segment);
      in = j <= most;
      break;
    }
    if (!in)
      j = lane;
    result[lane] = a[j & 31];
    valid |= uint32_t(in) << lane;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((mask >> lane) & 1)
      d[lane] = result[lane];
  writePredicate(warp, inst.op[1], mask, valid);
}

template <VoteMode Mode>
void vote(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t a = warp.predicate(inst.op[1]);
  const uint32_t *members = warp.reg<uint32_t>(inst.op[2]);
  uint32_t result = 0, ballots[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t among = members[lane] & mask;
    uint32_t ayes = a & among;
    ballots[lane] = ayes;
    bool value = Mode == VoteMode::All   ? ayes == among
                 : Mode == VoteMode::Any ? ayes != 0
                                         : ayes == among || ayes == 0;
    result |= uint32_t(value) << lane;
  }
  if (Mode != VoteMode::Ballot)
    return writePredicate(warp, inst.op[0], mask, result);
  uint32_t *d = warp.reg<uint32_t>(inst.op[0]);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((mask >> lane) & 1)
      d[lane] = ballots[lane];
}

template <bool All, class T>
void match(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t *d = warp.reg<uint32_t>(inst.op[0]);
  const T *a = warp.reg<T>(inst.op[2]);
  const uint32_t *members = warp.reg<uint32_t>(inst.op[3]);
  uint32_t results[kLanes], predicates = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t among = members[lane] & mask, same = 0;
    for (unsigned other = 0; other < kLanes; ++other)
      same |= uint32_t(a[other] == a[lane]) << other;
    same &= among;
    bool all = same == among;
    results[lane] = All ? (all ? among : 0) : same;
    predicates |= uint32_t(all) << lane;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((mask >> lane) & 1)
      d[lane] = results[lane];
  if (All)
    writePredicate(warp, inst.op[1], mask, predicates);
}

/// PTX ISA, "redux.sync": of .f32 min and max, where +0 is more than -0. NaNs
/// are left out, unless all are, or `propagatesNaN`; the result is then the
/// canonical one.
template <AtomicOp Op, bool IsAbsolute, bool PropagatesNaN>
void reduxFloat(Warp &warp, const Inst &inst, uint32_t mask) {
  constexpr uint32_t sign = 0x80000000, infinity = 0x7f800000,
                     canonical = 0x7fffffff;
  uint32_t *d = warp.reg<uint32_t>(inst.op[0]);
  const uint32_t *a = warp.reg<uint32_t>(inst.op[1]);
  const uint32_t *members = warp.reg<uint32_t>(inst.op[2]);
  // Integers in the order of the numbers.
  auto rank = [](uint32_t bits) { return bits & sign ? ~bits : bits | sign; };
  uint32_t results[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t value = canonical;
    for (uint32_t left = members[lane] & mask; left; left &= left - 1) {
      uint32_t other = a[__builtin_ctz(left)];
      if (IsAbsolute)
        other &= ~sign;
      if ((other & ~sign) > infinity) {
        if (!PropagatesNaN)
          continue;
        value = canonical;
        break;
      }
      bool isFirst = value == canonical;
      if (isFirst || (Op == AtomicOp::Max ? rank(other) > rank(value)
                                          : rank(other) < rank(value)))
        value = other;
    }
    results[lane] = value;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((mask >> lane) & 1)
      d[lane] = results[lane];
}

template <AtomicOp Op, class T> T reduce(T x, T y) {
  switch (Op) {
  case AtomicOp::Add:
    return T(uint32_t(x) + uint32_t(y));
  case AtomicOp::Min:
    return x < y ? x : y;
  case AtomicOp::Max:
    return x < y ? y : x;
  case AtomicOp::And:
    return x & y;
  case AtomicOp::Or:
    return x | y;
  default:
    return x ^ y;
  }
}

template <AtomicOp Op, class T>
void redux(Warp &warp, const Inst &inst, uint32_t mask) {
  T *d = warp.reg<T>(inst.op[0]);
  const T *a = warp.reg<T>(inst.op[1]);
  const uint32_t *members = warp.reg<uint32_t>(inst.op[2]);
  T results[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!((mask >> lane) & 1))
      continue;
    uint32_t among = members[lane] & mask;
    T value = a[lane];
    bool first = true;
    for (uint32_t left = among; left; left &= left - 1) {
      T other = a[__builtin_ctz(left)];
      value = first ? other : reduce<Op, T>(value, other);
      first = false;
    }
    results[lane] = value;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((mask >> lane) & 1)
      d[lane] = results[lane];
}

void activemask(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t *d = warp.reg<uint32_t>(inst.op[0]);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((mask >> lane) & 1)
      d[lane] = mask;
}

/// The leader is the lowest lane of the membermask.
void elect(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t *d = warp.reg<uint32_t>(inst.op[0]);
  const uint32_t *members = warp.reg<uint32_t>(inst.op[2]);
  uint32_t predicates = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!((mask >> lane) & 1))
      continue;
    uint32_t among = members[lane] & mask;
    uint32_t leader = among ? uint32_t(__builtin_ctz(among)) : lane;
    d[lane] = leader;
    predicates |= uint32_t(leader == lane) << lane;
  }
  writePredicate(warp, inst.op[1], mask, predicates);
}

} // namespace

Handler fusion::emulator::shuffleHandler(ShuffleMode mode) {
  switch (mode) {
  case ShuffleMode::Up:
    return shuffle<ShuffleMode::Up>;
  case ShuffleMode::Down:
    return shuffle<ShuffleMode::Down>;
  case ShuffleMode::Bfly:
    return shuffle<ShuffleMode::Bfly>;
  case ShuffleMode::Idx:
    return shuffle<ShuffleMode::Idx>;
  }
  return nullptr;
}

Handler fusion::emulator::voteHandler(VoteMode mode) {
  switch (mode) {
  case VoteMode::All:
    return vote<VoteMode::All>;
  case VoteMode::Any:
    return vote<VoteMode::Any>;
  case VoteMode::Uni:
    return vote<VoteMode::Uni>;
  case VoteMode::Ballot:
    return vote<VoteMode::Ballot>;
  }
  return nullptr;
}

Handler fusion::emulator::matchHandler(bool all, unsigned bytes) {
  if (bytes == 4)
    return all ? match<true, uint32_t> : match<false, uint32_t>;
  if (bytes == 8)
    return all ? match<true, uint64_t> : match<false, uint64_t>;
  return nullptr;
}

Handler fusion::emulator::reduxFloatHandler(AtomicOp op, bool isAbsolute,
                                            bool propagatesNaN) {
  constexpr AtomicOp Min = AtomicOp::Min, Max = AtomicOp::Max;
  static constexpr Handler handlers[2][2][2] = {
      {{reduxFloat<Min, false, false>, reduxFloat<Min, false, true>},
       {reduxFloat<Min, true, false>, reduxFloat<Min, true, true>}},
      {{reduxFloat<Max, false, false>, reduxFloat<Max, false, true>},
       {reduxFloat<Max, true, false>, reduxFloat<Max, true, true>}}};
  if (op != Min && op != Max)
    return nullptr;
  return handlers[op == Max][isAbsolute][propagatesNaN];
}

Handler fusion::emulator::reduxHandler(AtomicOp op, Type type) {
  bool isSigned32 = type == Type::S32;
  bool isBitwise =
      op == AtomicOp::And || op == AtomicOp::Or || op == AtomicOp::Xor;
  if (isBitwise ? type != Type::B32 : !isSigned32 && type != Type::U32)
    return nullptr;
  switch (op) {
  case AtomicOp::Add:
    return redux<AtomicOp::Add, uint32_t>;
  case AtomicOp::Min:
    return isSigned32 ? redux<AtomicOp::Min, int32_t>
                      : redux<AtomicOp::Min, uint32_t>;
  case AtomicOp::Max:
    return isSigned32 ? redux<AtomicOp::Max, int32_t>
                      : redux<AtomicOp::Max, uint32_t>;
  case AtomicOp::And:
    return redux<AtomicOp::And, uint32_t>;
  case AtomicOp::Or:
    return redux<AtomicOp::Or, uint32_t>;
  case AtomicOp::Xor:
    return redux<AtomicOp::Xor, uint32_t>;
  default:
    return nullptr;
  }
}

Handler fusion::emulator::activemaskHandler() { return activemask; }
Handler fusion::emulator::electHandler() { return elect; }
