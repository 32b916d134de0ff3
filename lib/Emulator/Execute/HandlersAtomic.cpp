//===- HandlersAtomic.cpp - atom and red ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersAtomic.h"

#include "Emulator/Execute/Access.h"
#include "Emulator/Execute/Formats.h"

#include <cmath>
#include <limits>

using namespace fusion::emulator;

namespace {

template <class To, class From> To bitsAs(From from) {
  To to{};
  std::memcpy(&to, &from,
              sizeof(to) < sizeof(from) ? sizeof(to) : sizeof(from));
  return to;
}

template <class T> uint64_t minMax(AtomicOp op, uint64_t x, uint64_t y) {
  T a = T(x), b = T(y);
  T r = op == AtomicOp::Min ? (a < b ? a : b) : (a < b ? b : a);
  return uint64_t(std::make_unsigned_t<T>(r));
}

float flushed(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min()
             ? std::copysign(0.0f, value)
             : value;
}

/// Returns the sum, minimum or maximum of two 16-bit floating-point numbers.
uint64_t halfOperation(AtomicOp op, Type type, uint64_t x, uint64_t y) {
  const Format &format = formatOf(type);
  double a = decode(format, x & 0xffff), b = decode(format, y & 0xffff);
  // A sum in f32 is wide enough that a second rounding does no harm.
  double r = op == AtomicOp::Add   ? double(float(a) + float(b))
             : op == AtomicOp::Min ? std::fmin(a, b)
                                   : std::fmax(a, b);
  return encode(format, r, Rounding::Nearest, false);
}

using Wide = unsigned __int128;

/// Carries out 128-bit .exch and .cas. CTAs run alternately on one thread.
void wideUpdate(Warp &warp, const Inst &inst, unsigned lane, uint8_t *place) {
  Wide old, b = warp.reg<Wide>(inst.op[1])[lane];
  std::memcpy(&old, place, 16);
  if (AtomicOp(inst.a) == AtomicOp::Cas)
    b = old == b ? warp.reg<Wide>(inst.op[2])[lane] : old;
  std::memcpy(place, &b, 16);
  if (!inst.e)
    warp.reg<Wide>(inst.op[0])[lane] = old;
}

uint64_t apply(AtomicOp op, Type type, bool flush, uint64_t old, uint64_t b,
               uint64_t c) {
  switch (op) {
  case AtomicOp::Exch:
    return b;
  case AtomicOp::Cas:
    return old == b ? c : old;
  case AtomicOp::And:
    return old & b;
  case AtomicOp::Or:
    return old | b;
  case AtomicOp::Xor:
    return old ^ b;
  case AtomicOp::Inc:
    return uint32_t(old) >= uint32_t(b) ? 0 : old + 1;
  case AtomicOp::Dec:
    return uint32_t(old) == 0 || uint32_t(old) > uint32_t(b) ? b : old - 1;
  case AtomicOp::Add:
  case AtomicOp::Min:
  case AtomicOp::Max:
    break;
  }
  switch (type) {
  case Type::F16:
  case Type::BF16:
    return halfOperation(op, type, old, b);
  case Type::F16x2:
    return halfOperation(op, Type::F16, old, b) |
           halfOperation(op, Type::F16, old >> 16, b >> 16) << 16;
  case Type::BF16x2:
    return halfOperation(op, Type::BF16, old, b) |
           halfOperation(op, Type::BF16, old >> 16, b >> 16) << 16;
  case Type::F32: {
    float x = bitsAs<float>(uint32_t(old)), y = bitsAs<float>(uint32_t(b));
    if (flush)
      return bitsAs<uint32_t>(flushed(flushed(x) + flushed(y)));
    return bitsAs<uint32_t>(x + y);
  }
  case Type::F64:
    return bitsAs<uint64_t>(bitsAs<double>(old) + bitsAs<double>(b));
  case Type::U32:
  case Type::B32:
    return op == AtomicOp::Add ? uint32_t(old + b)
                               : minMax<uint32_t>(op, old, b);
  case Type::S32:
    return op == AtomicOp::Add ? uint32_t(old + b)
                               : minMax<int32_t>(op, old, b);
  case Type::S64:
    return op == AtomicOp::Add ? old + b : minMax<int64_t>(op, old, b);
  default:
    return op == AtomicOp::Add ? old + b : minMax<uint64_t>(op, old, b);
  }
}

/// Reads, changes and writes back. Atomic with respect to other host threads
/// only if CTAs run at the same time.
template <class T>
uint64_t update(uint8_t *pointer, bool contended, AtomicOp op, Type type,
                bool flush, uint64_t b, uint64_t c) {
  T *place = reinterpret_cast<T *>(pointer);
  if (!contended) {
    T old = *place;
    *place = T(apply(op, type, flush, old, b, c));
    return old;
  }
  T old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &old,
                                      T(apply(op, type, flush, old, b, c)),
                                      true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  return old;
}

void atomic(Warp &warp, const Inst &inst, uint32_t mask) {
  AtomicOp op = AtomicOp(inst.a);
  Type type = Type(inst.b);
  Space space = Space(inst.d);
  unsigned bytes = bytesOf(type);
  LaneAddresses addresses;
  laneAddresses(warp, inst.op[3], inst.imm, inst.c, addresses);
  while (mask) {
    uint32_t now = mask;
    bool isShared = space == Space::Shared;
    if (space == Space::Generic) {
      uint32_t shared = sharedLanes(addresses.address, mask);
      isShared = shared != 0;
      now = isShared ? shared : mask;
    }
    LaneAddresses a = addresses;
    if (isShared && space == Space::Generic)
      for (uint64_t &address : a.address)
        address -= kSharedWindow;
    LanePointers pointers;
    bool contiguous;
    if (uint32_t remote = isShared || space != Space::Generic
                              ? 0
                              : clusterLanes(a.address, now)) {
      isShared = true;
      now = remote;
      if (!resolveSlowly(warp, inst, now, Space::Generic, a.address, bytes,
                         AccessKind::Atomic, pointers.pointer))
        return;
    } else if (isShared
                   ? !accessShared(warp, inst, now, a.address, bytes,
                                   AccessKind::Atomic, pointers, contiguous)
                   : !accessGlobal(warp, inst, now, a.address, bytes,
                                   AccessKind::Atomic, pointers, contiguous))
      return;
    bool contended = warp.cta->sharedHostMemory && !isShared;
    bool flush = type == Type::F32 && !isShared;
    // Lanes execute in ascending order.
    for (uint32_t left = now; left; left &= left - 1) {
      unsigned lane = unsigned(__builtin_ctz(left));
      uint8_t *p = pointers.pointer[lane];
      uint64_t old;
      switch (bytes) {
      case 16:
        wideUpdate(warp, inst, lane, p);
        break;
      case 2: {
        uint64_t b = warp.reg<uint16_t>(inst.op[1])[lane];
        uint64_t c = warp.reg<uint16_t>(inst.op[2])[lane];
        old = update<uint16_t>(p, contended, op, type, flush, b, c);
        if (!inst.e)
          warp.reg<uint16_t>(inst.op[0])[lane] = uint16_t(old);
        break;
      }
      case 4: {
        uint64_t b = warp.reg<uint32_t>(inst.op[1])[lane];
        uint64_t c = warp.reg<uint32_t>(inst.op[2])[lane];
        old = update<uint32_t>(p, contended, op, type, flush, b, c);
        if (!inst.e)
          warp.reg<uint32_t>(inst.op[0])[lane] = uint32_t(old);
        break;
      }
      default: {
        uint64_t b = warp.reg<uint64_t>(inst.op[1])[lane];
        uint64_t c = warp.reg<uint64_t>(inst.op[2])[lane];
        old = update<uint64_t>(p, contended, op, type, flush, b, c);
        if (!inst.e)
          warp.reg<uint64_t>(inst.op[0])[lane] = old;
        break;
      }
      }
    }
    mask &= ~now;
  }
}

} // namespace

uint64_t fusion::emulator::applyAtomic(AtomicOp op, Type type, bool flush,
                                       uint64_t old, uint64_t b, uint64_t c) {
  return apply(op, type, flush, old, b, c);
}

Handler fusion::emulator::atomicHandler() { return atomic; }
