//===- HandlersMisc.cpp - Parameters, addresses, moves and control --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersMisc.h"

#include "Emulator/Execute/Access.h"
#include "Emulator/Sanitize/Sanitizer.h"

#include <cmath>
#include <cstring>

using namespace fusion::emulator;

namespace {

void parameterLoad(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned n = inst.b, bytes = inst.a;
  LaneAddresses addresses;
  laneAddresses(warp, inst.op[n], inst.imm, inst.c, addresses);
  uint64_t limit = warp.cta->code->entryParameterBytes;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint64_t address = addresses.address[lane];
    if (address & (bytes * n - 1))
      return faultMisaligned(warp, inst, 1u << lane, addresses.address,
                             bytes * n);
    if (address >= limit || bytes * n > limit - address)
      return faultPrivate(warp, inst, 1u << lane, addresses.address, bytes * n,
                          uint32_t(limit));
    for (unsigned k = 0; k < n; ++k) {
      uint64_t value[2] = {0, 0};
      std::memcpy(value, warp.cta->parameters + address + k * bytes, bytes);
      if ((inst.d & 1) && bytes < 8)
        value[0] =
            uint64_t(int64_t(value[0] << (64 - 8 * bytes)) >> (64 - 8 * bytes));
      std::memcpy(warp.reg<uint8_t>(inst.op[k]) + size_t(inst.e) * lane, value,
                  inst.e);
    }
  }
}

void address(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t *d = warp.reg<uint64_t>(inst.op[0]);
  const uint64_t *a = warp.reg<uint64_t>(inst.op[1]);
  for (unsigned i = 0; i < kLanes; ++i)
    if ((mask >> i) & 1)
      d[i] = a[i] + uint64_t(inst.imm);
}

template <class T>
void localAddress(Warp &warp, const Inst &inst, uint32_t mask) {
  T *d = warp.reg<T>(inst.op[0]);
  for (unsigned i = 0; i < kLanes; ++i)
    if ((mask >> i) & 1)
      d[i] = T(uint64_t(inst.imm) + warp.localBase);
}

template <class T>
void sharedAddress(Warp &warp, const Inst &inst, uint32_t mask) {
  T *d = warp.reg<T>(inst.op[0]);
  for (unsigned i = 0; i < kLanes; ++i)
    if ((mask >> i) & 1)
      d[i] = T(uint64_t(inst.imm) + sharedBase(*warp.cta));
}

void isSpace(Warp &warp, const Inst &inst, uint32_t mask) {
  const uint64_t *a = warp.reg<uint64_t>(inst.op[1]);
  uint32_t result = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!((mask >> i) & 1))
      continue;
    auto in = [&](uint64_t window) {
      return a[i] >= window && a[i] - window < kWindowBytes;
    };
    bool is = false;
    switch (Space(inst.a)) {
    case Space::Shared: {
      // The cluster's shared memory, or the CTA's own by either of its names.
      uint64_t rank = (a[i] - kSharedWindow) >> kRankShift;
      is = in(kSharedWindow) && (inst.b ? rank <= warp.cta->cluster->ctas.size()
                                        : !rank || rank == warp.cta->rank + 1);
      break;
    }
    case Space::Local:
      is = in(kLocalWindow);
      break;
    case Space::Param:
      is = in(kParamWindow);
      break;
    case Space::Const: {
      const Allocation *found = warp.cta->memory->find(a[i]);
      is = found && found->isConst;
      break;
    }
    default: {
      const Allocation *found = warp.cta->memory->find(a[i]);
      is = a[i] < kSharedWindow && !(found && found->isConst);
      break;
    }
    }
    result |= uint32_t(is) << i;
  }
  uint32_t &p = warp.predicate(inst.op[0]);
  p = (p & ~mask) | (result & mask);
}

void pack(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned n = inst.a, bytes = inst.b, total = n * bytes;
  alignas(16) uint8_t values[kLanes][16];
  for (unsigned k = 0; k < n; ++k) {
    const uint8_t *s = warp.reg<uint8_t>(inst.op[k + 1]);
    for (unsigned i = 0; i < kLanes; ++i)
      std::memcpy(values[i] + k * bytes, s + i * bytes, bytes);
  }
  uint8_t *d = warp.reg<uint8_t>(inst.op[0]);
  for (unsigned i = 0; i < kLanes; ++i)
    if ((mask >> i) & 1)
      std::memcpy(d + i * total, values[i], total);
}

void unpack(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned n = inst.a, bytes = inst.b, total = n * bytes;
  alignas(64) uint8_t values[kLanes * 16];
  std::memcpy(values, warp.reg<uint8_t>(inst.op[n]), kLanes * total);
  for (unsigned k = 0; k < n; ++k) {
    uint8_t *d = warp.reg<uint8_t>(inst.op[k]);
    for (unsigned i = 0; i < kLanes; ++i)
      if ((mask >> i) & 1)
        std::memcpy(d + i * bytes, values + i * total + k * bytes, bytes);
  }
}

/// Returns a clock that grows with every reading, the same in every run.
void clock(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t now = warp.cta->clock += 32;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!((mask >> i) & 1))
      continue;
    if (inst.a == 8)
      warp.reg<uint64_t>(inst.op[0])[i] = now;
    else
      warp.reg<uint32_t>(inst.op[0])[i] = uint32_t(now >> inst.b);
  }
}

/// Returns the text at an address, as far as it is in an allocation.
std::string textAt(Cta &cta, uint64_t address) {
  Allocation *allocation = holderOf(cta, address, address + 1);
  if (!allocation)
    return "?";
  uint64_t offset = address - allocation->begin;
  const char *text = reinterpret_cast<const char *>(allocation->data + offset);
  return std::string(text, strnlen(text, allocation->bytes - offset));
}

/// Returns the memory of a call's argument or result.
uint8_t *placeOf(Warp &warp, const ParameterPlace &place, unsigned lane) {
  return place.inRegister
             ? warp.reg<uint8_t>(place.reg) + size_t(place.bytes) * lane
             : warp.laneParameters + size_t(warp.parameterBytes) * lane +
                   place.offset;
}

/// Executes malloc or, with `a`, free.
void heap(Warp &warp, const Inst &inst, uint32_t mask) {
  const CallSite &site = warp.cta->code->calls[inst.target];
  DeviceMemory &memory = *warp.cta->memory;
  for (; mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    uint64_t value;
    std::memcpy(&value, placeOf(warp, site.arguments[0], lane), 8);
    if (!inst.a) {
      uint64_t address = memory.heapAllocate(value);
      std::memcpy(placeOf(warp, site.results[0], lane), &address, 8);
      continue;
    }
    if (warp.sanitizer)
      warp.sanitizer->memory.release(warp, inst, lane, value,
                                     memory.heapSize(value));
    if (value && !memory.heapFree(value, inst.line))
      return raiseFault(warp, inst, lane,
                        "free of an address that malloc did not give, or that "
                        "was freed",
                        "bad-free", memory.freedAt(value).line);
  }
}

/// Executes __assertfail(assertion, file, line, function, size of a character).
void assertion(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned lane = unsigned(__builtin_ctz(mask));
  auto argument = [&](size_t index) {
    const ParameterPlace &place =
        warp.cta->code->calls[inst.target].arguments[index];
    uint64_t value = 0;
    std::memcpy(&value, placeOf(warp, place, lane),
                std::min<size_t>(place.bytes, 8));
    return value;
  };
  raiseFault(warp, inst, lane,
             "assertion '" + textAt(*warp.cta, argument(0)) + "' failed at " +
                 textAt(*warp.cta, argument(1)) + ":" +
                 std::to_string(argument(2)) + ", in '" +
                 textAt(*warp.cta, argument(3)) + "'");
}

void trap(Warp &warp, const Inst &inst, uint32_t mask) {
  if (inst.a == 2)
    return assertion(warp, inst, mask);
  raiseFault(warp, inst, unsigned(__builtin_ctz(mask)),
             inst.a ? "breakpoint" : "trap");
}

void barrierResult(Warp &warp, const Inst &inst, uint32_t mask) {
  const Barrier &barrier = warp.cta->barriers[warp.current.barrier];
  if (inst.a == 0) {
    uint32_t *d = warp.reg<uint32_t>(inst.op[0]);
    for (unsigned i = 0; i < kLanes; ++i)
      if ((mask >> i) & 1)
        d[i] = barrier.votes;
    return;
  }
  bool value =
      inst.a == 1 ? barrier.votes == barrier.voters : barrier.votes != 0;
  uint32_t &p = warp.predicate(inst.op[0]);
  p = (p & ~mask) | (value ? mask : 0);
}

template <IntOp Op>
void predicate(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t a = warp.predicate(inst.op[1]);
  uint32_t b = inst.count > 2 ? warp.predicate(inst.op[2]) : 0;
  uint32_t value = Op == IntOp::And   ? a & b
                   : Op == IntOp::Or  ? a | b
                   : Op == IntOp::Xor ? a ^ b
                   : Op == IntOp::Not ? ~a
                                      : a;
  uint32_t &d = warp.predicate(inst.op[0]);
  d = (d & ~mask) | (value & mask);
}

bool test(double x, unsigned kind, bool isDouble) {
  double smallest = isDouble ? 2.2250738585072014e-308 : 1.1754943508222875e-38;
  switch (kind) {
  case 0:
    return std::isfinite(x);
  case 1:
    return std::isinf(x);
  case 2:
    return !std::isnan(x);
  case 3:
    return std::isnan(x);
  case 4:
    return std::isfinite(x) && std::fabs(x) >= smallest;
  default:
    return x != 0 && std::fabs(x) < smallest;
  }
}

void testp(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t result = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    double x = inst.b == 8 ? warp.reg<double>(inst.op[1])[i]
                           : double(warp.reg<float>(inst.op[1])[i]);
    result |= uint32_t(test(x, inst.a, inst.b == 8)) << i;
  }
  uint32_t &p = warp.predicate(inst.op[0]);
  p = (p & ~mask) | (result & mask);
}

void nothing(Warp &, const Inst &, uint32_t) {}

/// Executes discard: a weak write of unknown values (PTX ISA, "discard").
void discard(Warp &warp, const Inst &inst, uint32_t mask) {
  LaneAddresses addresses;
  laneAddresses(warp, inst.op[0], 0, 8, addresses);
  LanePointers lines;
  if (!resolveSlowly(warp, inst, mask, Space::Global, addresses.address,
                     kLineBytes, AccessKind::Store, lines.pointer))
    return;
  if (warp.sanitizer)
    warp.sanitizer->memory.discard(warp, inst, mask, addresses.address);
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    std::memset(lines.pointer[lane], kPoison, kLineBytes);
    if (warp.cta->tracing)
      warp.cta->trace.push_back(addresses.address[lane] | kSectorDiscarded);
  }
}

void proxyFence(Warp &warp, const Inst &inst, uint32_t mask) {
  if (warp.sanitizer)
    warp.sanitizer->order.proxyFence(warp, mask, inst.a);
}

void mapAcquire(Warp &warp, const Inst &inst, uint32_t mask) {
  if (!warp.sanitizer)
    return;
  LaneAddresses addresses;
  laneAddresses(warp, inst.op[0], 0, 8, addresses);
  warp.sanitizer->maps.acquire(warp, mask, addresses.address);
}

void fence(Warp &warp, const Inst &inst, uint32_t mask) {
  if (warp.sanitizer)
    warp.sanitizer->order.fence(warp, mask, inst.order & OrderCta, inst.a);
}

/// Executes griddepcontrol.wait. Grids run one after another: earlier ones have
/// ended.
void gridWait(Warp &warp, const Inst &, uint32_t mask) {
  if (warp.sanitizer)
    warp.sanitizer->grids.wait(warp, mask);
}

} // namespace

void fusion::emulator::faultMetadata(Warp &warp, const Inst &inst, unsigned row,
                                     uint32_t bits) {
  raiseFault(warp, inst, 0,
             "the metadata of row " + std::to_string(row) +
                 " name the elements " + std::to_string(bits & 3) + " and " +
                 std::to_string(bits >> 2) +
                 " of four, which leaves the result undefined");
}

Handler fusion::emulator::parameterLoadHandler() { return parameterLoad; }
Handler fusion::emulator::addressHandler() { return address; }
Handler fusion::emulator::localAddressHandler(unsigned bytes) {
  return bytes == 4 ? localAddress<uint32_t> : localAddress<uint64_t>;
}
Handler fusion::emulator::sharedAddressHandler(unsigned bytes) {
  return bytes == 4 ? sharedAddress<uint32_t> : sharedAddress<uint64_t>;
}
Handler fusion::emulator::isSpaceHandler() { return isSpace; }
Handler fusion::emulator::packHandler() { return pack; }
Handler fusion::emulator::unpackHandler() { return unpack; }
Handler fusion::emulator::clockHandler() { return clock; }
Handler fusion::emulator::trapHandler() { return trap; }
Handler fusion::emulator::heapHandler() { return heap; }
Handler fusion::emulator::barrierResultHandler() { return barrierResult; }
Handler fusion::emulator::testpHandler() { return testp; }
Handler fusion::emulator::nothingHandler() { return nothing; }
Handler fusion::emulator::gridWaitHandler() { return gridWait; }
Handler fusion::emulator::discardHandler() { return discard; }
Handler fusion::emulator::fenceHandler() { return fence; }
Handler fusion::emulator::mapAcquireHandler() { return mapAcquire; }
Handler fusion::emulator::proxyFenceHandler() { return proxyFence; }
Handler fusion::emulator::predicateHandler(IntOp op) {
  switch (op) {
  case IntOp::And:
    return predicate<IntOp::And>;
  case IntOp::Or:
    return predicate<IntOp::Or>;
  case IntOp::Xor:
    return predicate<IntOp::Xor>;
  case IntOp::Not:
    return predicate<IntOp::Not>;
  case IntOp::Mov:
    return predicate<IntOp::Mov>;
  default:
    return nullptr;
  }
}
