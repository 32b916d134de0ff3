//===- Access.h - Memory accesses of a warp ---------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the addresses of lanes into host pointers, with checks and counts. The
// functions with internal linkage are the hot part; they are compiled with the
// flags of the file that includes them.
//
// Counting (docs/emulator-reference.md, "Counters"): a request is one warp
// instruction. For global memory, distinct 32-byte sectors are counted. Shared
// memory has 32 banks of 4 bytes. Lanes of a request are served in passes of 32
// lanes (up to 4 bytes each), 16 (8 bytes) or 8 (16 bytes). A pass takes as
// many wavefronts as the most loaded bank has distinct 4-byte units, at least
// one.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_ACCESS_H
#define FUSION_LIB_EMULATOR_EXECUTE_ACCESS_H

#include "Emulator/Machine/Addresses.h"
#include "Emulator/Machine/Warp.h"
#include "Emulator/Sanitize/Sanitizer.h"

namespace fusion::emulator {

enum class AccessKind : uint8_t { Load, Store, Atomic };

struct LaneAddresses {
  alignas(64) uint64_t address[kLanes];
};
struct LanePointers {
  alignas(64) uint8_t *pointer[kLanes];
};

/// Resolves lanes one by one, in any space of their addresses. Returns false
/// after a fault. With `space` Generic the address windows tell the space.
bool resolveSlowly(Warp &warp, const Inst &inst, uint32_t mask, Space space,
                   const uint64_t *address, unsigned bytes, AccessKind kind,
                   uint8_t **pointer);

/// Returns addresses in the CTA's own shared memory as offsets. Addresses that
/// are not offsets yet are converted into `offsets`, which may be the same
/// array as the addresses.
const uint64_t *ownOffsets(const Cta &cta, const uint64_t *address,
                           LaneAddresses &offsets);

/// Finds the CTA and the offset that a generic address in shared memory names.
/// It may be another CTA only if `remote`. Returns false after a fault.
bool resolveShared(Warp &warp, const Inst &inst, unsigned lane,
                   uint64_t address, uint64_t bytes, unsigned alignment,
                   bool remote, Cta *&cta, uint32_t &offset);

/// Counts distinct sectors of addresses that are not sorted. Appends them to
/// `trace` unless it is null.
unsigned countSectorsSlowly(const uint64_t *address, uint32_t mask,
                            std::vector<uint64_t> *trace, bool write);
unsigned countWavefrontsSlowly(const uint64_t *address, uint32_t mask,
                               unsigned bytes);

void faultMisaligned(Warp &warp, const Inst &inst, uint32_t mask,
                     const uint64_t *address, unsigned bytes);

/// Raises a fault for an access to lane-private memory of `limit` bytes per
/// lane.
void faultPrivate(Warp &warp, const Inst &inst, uint32_t mask,
                  const uint64_t *address, unsigned bytes, uint32_t limit);

namespace {

/// Computes `base + offset` of every lane. The sum wraps at the width of the
/// address register, `bytes`.
inline void laneAddresses(const Warp &warp, Ref base, int64_t immediate,
                          unsigned bytes, LaneAddresses &out) {
  uint64_t offset = uint64_t(immediate);
  if (bytes == 4) {
    const uint32_t *a = warp.reg<uint32_t>(base);
    // The bits of the immediate above bit 31 are the base of a window.
    uint64_t window = (offset + 0x80000000u) & ~uint64_t(0xffffffffu);
    for (unsigned i = 0; i < kLanes; ++i)
      out.address[i] = window + uint32_t(a[i] + offset);
  } else {
    const uint64_t *a = warp.reg<uint64_t>(base);
    for (unsigned i = 0; i < kLanes; ++i)
      out.address[i] = a[i] + offset;
  }
}

struct LaneRange {
  uint64_t low, high; ///< least and greatest address of an active lane
  uint64_t bits;      ///< OR of all addresses, for the alignment check
  bool contiguous;    ///< full mask, lane i at low + i * bytes
};

inline LaneRange rangeOf(const uint64_t *address, uint32_t mask,
                         unsigned bytes) {
  uint64_t low = ~uint64_t(0), high = 0, bits = 0, breaks = 0;
  if (mask == kFullMask) {
    for (unsigned i = 0; i < kLanes; ++i) {
      uint64_t a = address[i];
      low = a < low ? a : low;
      high = a > high ? a : high;
      bits |= a;
      breaks |= a ^ (address[0] + uint64_t(i) * bytes);
    }
    return {low, high, bits, breaks == 0};
  }
  for (unsigned i = 0; i < kLanes; ++i) {
    bool on = (mask >> i) & 1;
    uint64_t a = address[i];
    low = on && a < low ? a : low;
    high = on && a > high ? a : high;
    bits |= on ? a : 0;
  }
  return {low, high, bits, false};
}

/// Returns the allocation that contains [low, end), or null.
inline Allocation *holderOf(Cta &cta, uint64_t low, uint64_t end) {
  for (Allocation *recent : cta.recent)
    if (recent && low >= recent->begin && end <= recent->end() && end > low)
      return recent;
  Allocation *found = cta.memory->find(low);
  if (!found || end > found->end() || end < low)
    return nullptr;
  cta.recent[cta.recentNext] = found;
  cta.recentNext = (cta.recentNext + 1) % 4;
  return found;
}

inline unsigned countSectors(Cta &cta, const uint64_t *address, uint32_t mask,
                             const LaneRange &range, unsigned bytes,
                             bool write) {
  if (cta.tracing)
    return countSectorsSlowly(address, mask, &cta.trace, write);
  if (range.contiguous || (range.low >> 5) == (range.high >> 5))
    return unsigned(((range.high + bytes - 1) >> 5) - (range.low >> 5) + 1);
  uint64_t previous = ~uint64_t(0);
  unsigned count = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t sector = address[__builtin_ctz(left)] >> 5;
    if (sector == previous)
      continue;
    if (count && sector < previous)
      return countSectorsSlowly(address, mask, nullptr, write);
    previous = sector;
    ++count;
  }
  return count;
}

inline unsigned log2Of(unsigned power) {
  return unsigned(__builtin_ctz(power | 0x100));
}

/// Adds the wavefronts of one request to the counters.
inline void countShared(Warp &warp, const uint64_t *address, uint32_t mask,
                        unsigned bytes, bool contiguous) {
  unsigned unit = bytes < 4 ? 4 : bytes;
  unsigned lanes = 128 / unit; // lanes of a pass
  unsigned passes = 0, wavefronts = 0;
  if (contiguous && bytes >= 4 && !(address[0] & (unit - 1))) {
    passes = wavefronts = unit / 4;
  } else {
    unsigned shift = log2Of(unit);
    uint32_t passMask = lanes == kLanes ? kFullMask : (1u << lanes) - 1;
    for (unsigned first = 0; first < kLanes; first += lanes) {
      uint32_t active = mask & (passMask << first);
      if (!active)
        continue;
      ++passes;
      uint32_t used = 0;
      uint64_t seen[kLanes];
      bool conflict = false;
      for (uint32_t left = active; left; left &= left - 1) {
        uint64_t chunk = address[__builtin_ctz(left)] >> shift;
        unsigned group = unsigned(chunk) & (lanes - 1);
        if (!((used >> group) & 1)) {
          used |= 1u << group;
          seen[group] = chunk;
        } else if (seen[group] != chunk) {
          conflict = true;
          break;
        }
      }
      wavefronts += conflict ? countWavefrontsSlowly(address, active, unit) : 1;
    }
  }
  warp.counters->sharedWavefronts += wavefronts;
  warp.counters->sharedBankConflicts += wavefronts - passes;
}

/// Returns the host pointers of an access to global memory, and counts its
/// sectors and bytes. Returns false after a fault.
inline bool accessGlobal(Warp &warp, const Inst &inst, uint32_t mask,
                         const uint64_t *address, unsigned bytes,
                         AccessKind kind, LanePointers &out, bool &contiguous,
                         bool counted = true) {
  Cta &cta = *warp.cta;
  LaneRange range = rangeOf(address, mask, bytes);
  if (range.bits & (bytes - 1)) {
    faultMisaligned(warp, inst, mask, address, bytes);
    return false;
  }
  Allocation *allocation = holderOf(cta, range.low, range.high + bytes);
  contiguous = range.contiguous;
  if (allocation && !(kind != AccessKind::Load && allocation->isConst)) {
    uint64_t delta =
        reinterpret_cast<uint64_t>(allocation->data) - allocation->begin;
    for (unsigned i = 0; i < kLanes; ++i)
      out.pointer[i] = reinterpret_cast<uint8_t *>(address[i] + delta);
    if (kind != AccessKind::Load && !warp.sanitizer)
      allocation->initialized.store(true, std::memory_order_relaxed);
  } else {
    contiguous = false;
    if (!resolveSlowly(warp, inst, mask, Space::Global, address, bytes, kind,
                       out.pointer))
      return false;
  }
  if (!counted)
    return true;
  unsigned lanes = unsigned(__builtin_popcount(mask));
  Counters &counters = *warp.counters;
  counters.globalSectors +=
      countSectors(cta, address, mask, range, bytes, kind != AccessKind::Load);
  if (kind == AccessKind::Store)
    counters.globalStoreBytes += uint64_t(lanes) * bytes;
  else
    counters.globalLoadBytes += uint64_t(lanes) * bytes;
  if (kind == AccessKind::Atomic)
    counters.globalStoreBytes += uint64_t(lanes) * bytes;
  if (warp.sanitizer)
    warp.sanitizer->memory.globalAccess(
        warp, inst, mask, address, bytes,
        kind == AccessKind::Load    ? SanitizeKind::Load
        : kind == AccessKind::Store ? SanitizeKind::Store
                                    : SanitizeKind::Atomic,
        range.contiguous, allocation);
  return true;
}

/// Returns the host pointers of an access to the CTA's own shared memory, and
/// counts its bytes and wavefronts. Returns false after a fault.
inline bool accessShared(Warp &warp, const Inst &inst, uint32_t mask,
                         const uint64_t *address, unsigned bytes,
                         AccessKind kind, LanePointers &out, bool &contiguous) {
  Cta &cta = *warp.cta;
  LaneAddresses offsets;
  address = ownOffsets(cta, address, offsets);
  LaneRange range = rangeOf(address, mask, bytes);
  if (range.bits & (bytes - 1)) {
    faultMisaligned(warp, inst, mask, address, bytes);
    return false;
  }
  if (range.high >= cta.sharedBytes || range.high + bytes > cta.sharedBytes)
    return resolveSlowly(warp, inst, mask, Space::Shared, address, bytes, kind,
                         out.pointer);
  contiguous = range.contiguous;
  uint64_t base = reinterpret_cast<uint64_t>(cta.shared.data());
  for (unsigned i = 0; i < kLanes; ++i)
    out.pointer[i] = reinterpret_cast<uint8_t *>(address[i] + base);
  countShared(warp, address, mask, bytes, range.contiguous);
  if (warp.sanitizer)
    warp.sanitizer->memory.sharedAccess(
        warp, inst, mask, address, bytes,
        kind == AccessKind::Load    ? SanitizeKind::Load
        : kind == AccessKind::Store ? SanitizeKind::Store
                                    : SanitizeKind::Atomic,
        range.contiguous);
  return true;
}

} // namespace
} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_ACCESS_H
