//===- Access.cpp - Memory accesses of a warp: the slow paths -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Access.h"

#include "fusion/Target/Chips/Hardware.h"
#include <cinttypes>
#include <cstdio>

using namespace fusion::emulator;

static std::string hex(uint64_t value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "0x%" PRIx64, value);
  return buffer;
}

static const char *nameOf(AccessKind kind) {
  return kind == AccessKind::Load    ? "load"
         : kind == AccessKind::Store ? "store"
                                     : "atomic";
}

void fusion::emulator::faultMisaligned(Warp &warp, const Inst &inst,
                                       uint32_t mask, const uint64_t *address,
                                       unsigned bytes) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (((mask >> lane) & 1) && (address[lane] & (bytes - 1)))
      return raiseFault(warp, inst, lane,
                        "misaligned access of " + std::to_string(bytes) +
                            " bytes at " + hex(address[lane]),
                        "misaligned");
}

void fusion::emulator::faultPrivate(Warp &warp, const Inst &inst, uint32_t mask,
                                    const uint64_t *address, unsigned bytes,
                                    uint32_t limit) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (((mask >> lane) & 1) &&
        (address[lane] >= limit || bytes > limit - address[lane]))
      return raiseFault(
          warp, inst, lane,
          "out-of-bounds access of " + std::to_string(bytes) +
              " bytes at offset " + std::to_string(address[lane]) + " of " +
              std::to_string(limit) + " bytes of local or parameter memory",
          "out-of-bounds-local");
}

const uint64_t *fusion::emulator::ownOffsets(const Cta &cta,
                                             const uint64_t *address,
                                             LaneAddresses &offsets) {
  uint64_t base = sharedBase(cta);
  if (!base)
    return address;
  for (unsigned i = 0; i < kLanes; ++i) {
    bool isOwn = address[i] >> kRankShift == base >> kRankShift;
    offsets.address[i] = address[i] - (isOwn ? base : 0);
  }
  return offsets.address;
}

bool fusion::emulator::resolveShared(Warp &warp, const Inst &inst,
                                     unsigned lane, uint64_t address,
                                     uint64_t bytes, unsigned alignment,
                                     bool remote, Cta *&cta, uint32_t &offset) {
  auto fault = [&](const std::string &message,
                   const char *kind = "out-of-bounds-shared") {
    raiseFault(warp, inst, lane, message, kind);
    return false;
  };
  if (!inWindow(address, kSharedWindow))
    return fault("the address " + hex(address) + " is not in shared memory");
  uint64_t place = address - kSharedWindow;
  uint64_t rank = place >> kRankShift;
  cta = warp.cta;
  if (rank) {
    if (rank > cta->cluster->ctas.size())
      return fault("the address " + hex(address) +
                   " is not in the shared memory of the cluster");
    cta = cta->cluster->ctas[rank - 1];
    if (cta != warp.cta && !remote)
      return fault("the shared memory of another block, where the block's own "
                   "is wanted");
    if (cta->ended)
      return fault("access to the shared memory of block " +
                       std::to_string(rank - 1) +
                       " of the cluster, which has ended",
                   "cluster-lifetime");
  }
  offset = uint32_t(place & ((1u << kRankShift) - 1));
  if (offset % alignment)
    return fault("shared address " + std::to_string(offset) +
                     " is no multiple of " + std::to_string(alignment),
                 "misaligned");
  if (offset > cta->sharedBytes || bytes > cta->sharedBytes - offset)
    return fault("out-of-bounds shared access of " + std::to_string(bytes) +
                 " bytes at offset " + std::to_string(offset) + " of " +
                 std::to_string(cta->sharedBytes) + " bytes");
  return true;
}

static void faultGlobal(Warp &warp, const Inst &inst, unsigned lane,
                        uint64_t address, unsigned bytes, AccessKind kind) {
  std::string message = "out-of-bounds global " + std::string(nameOf(kind)) +
                        " of " + std::to_string(bytes) + " bytes at " +
                        hex(address);
  DeviceMemory::Freed freed = warp.cta->memory->freedAt(address);
  if (freed.bytes) {
    message += ", in an allocation of " + std::to_string(freed.bytes) +
               " bytes at " + hex(freed.begin) + " that was freed";
  } else if (const Allocation *near = warp.cta->memory->nearest(address)) {
    uint64_t end = near->end();
    if (address >= end && address - end < (uint64_t(1) << 32))
      message += ", " + std::to_string(address - end) +
                 " bytes past the end of the allocation of " +
                 std::to_string(near->bytes) + " bytes at " + hex(near->begin);
    else if (address < end)
      message += ", across the end of the allocation of " +
                 std::to_string(near->bytes) + " bytes at " + hex(near->begin);
  }
  raiseFault(warp, inst, lane, message, "out-of-bounds-global", freed.line);
}

/// Returns the space that a generic address is in, and makes it an address in
/// that space.
static Space leaveWindow(uint64_t &address) {
  auto leave = [&](uint64_t window) {
    bool isInside = inWindow(address, window);
    address -= isInside ? window : 0;
    return isInside;
  };
  return leave(kSharedWindow)  ? Space::Shared
         : leave(kLocalWindow) ? Space::Local
         : leave(kParamWindow) ? Space::Param
                               : Space::Global;
}

/// Returns where a lane accesses shared, local or parameter memory; null after
/// a fault.
static uint8_t *resolveOwn(Warp &warp, const Inst &inst, unsigned lane,
                           Space space, uint64_t offset, unsigned bytes,
                           AccessKind kind) {
  Cta &cta = *warp.cta;
  const char *name = "";
  uint64_t limit = 0;
  uint8_t *memory = nullptr;
  if (space == Space::Shared) {
    name = "shared";
    limit = cta.sharedBytes;
    memory = cta.shared.data();
  } else if (space == Space::Local) {
    name = "local";
    limit = warp.localBytes;
    memory = warp.local.data() + uint64_t(lane) * warp.localBytes;
    if (offset >= kLocalStack && warp.stackTop[lane]) {
      offset -= kLocalStack;
      name = "stack";
      limit = warp.stackTop[lane];
      memory = warp.stack.data() + uint64_t(lane) * warp.stackBytes;
    }
  } else {
    name = "parameter";
    limit = cta.code->entryParameterBytes;
    // Parameters are read-only: no store uses this pointer.
    memory = const_cast<uint8_t *>(cta.parameters);
    if (kind != AccessKind::Load) {
      raiseFault(warp, inst, lane, "store to a kernel parameter",
                 "read-only-write");
      return nullptr;
    }
  }
  if (offset >= limit || bytes > limit - offset) {
    raiseFault(warp, inst, lane,
               std::string("out-of-bounds ") + name + " " + nameOf(kind) +
                   " of " + std::to_string(bytes) + " bytes at offset " +
                   std::to_string(offset) + " of " + std::to_string(limit) +
                   " bytes",
               space == Space::Shared ? "out-of-bounds-shared"
                                      : "out-of-bounds-local");
    return nullptr;
  }
  return memory + offset;
}

/// Returns where a lane accesses global memory; null after a fault.
static uint8_t *resolveGlobal(Warp &warp, const Inst &inst, unsigned lane,
                              uint64_t address, unsigned bytes,
                              AccessKind kind) {
  Allocation *allocation = warp.cta->memory->find(address);
  if (!allocation || bytes > allocation->end() - address) {
    faultGlobal(warp, inst, lane, address, bytes, kind);
    return nullptr;
  }
  if (kind != AccessKind::Load && allocation->isConst) {
    raiseFault(warp, inst, lane, "store to constant memory at " + hex(address),
               "read-only-write");
    return nullptr;
  }
  if (kind != AccessKind::Load && !warp.sanitizer)
    allocation->initialized = true;
  return allocation->data + (address - allocation->begin);
}

/// Tells the sanitizers of other blocks of the cluster which of their shared
/// memory the lanes `clustered` access.
static void sanitizeCluster(Warp &warp, const Inst &inst, uint32_t clustered,
                            Cta *const *holders, const uint64_t *offsets,
                            unsigned bytes, AccessKind kind) {
  while (clustered) {
    Cta *holder = holders[__builtin_ctz(clustered)];
    uint32_t together = 0;
    for (uint32_t left = clustered; left; left &= left - 1)
      if (unsigned lane = unsigned(__builtin_ctz(left));
          holders[lane] == holder)
        together |= 1u << lane;
    holder->sanitizer->memory.clusterAccess(
        warp, inst, together, offsets, bytes,
        kind == AccessKind::Load    ? SanitizeKind::Load
        : kind == AccessKind::Store ? SanitizeKind::Store
                                    : SanitizeKind::Atomic);
    clustered &= ~together;
  }
}

bool fusion::emulator::resolveSlowly(Warp &warp, const Inst &inst,
                                     uint32_t mask, Space space,
                                     const uint64_t *address, unsigned bytes,
                                     AccessKind kind, uint8_t **pointer) {
  Cta *holders[kLanes]; // whose shared memory a lane accesses
  uint64_t offsets[kLanes] = {};
  uint32_t clustered = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    pointer[lane] = nullptr;
    if (!((mask >> lane) & 1))
      continue;
    uint64_t a = address[lane];
    Space actual = space;
    if (space == Space::Generic) {
      if (inWindow(a, kSharedWindow) && a - kSharedWindow >= 1u << kRankShift) {
        Cta *other;
        uint32_t offset;
        if (!resolveShared(warp, inst, lane, a, bytes, bytes, true, other,
                           offset))
          return false;
        pointer[lane] = other->shared.data() + offset;
        holders[lane] = other;
        offsets[lane] = offset;
        clustered |= 1u << lane;
        continue;
      }
      actual = leaveWindow(a);
    }
    if (a & (bytes - 1)) {
      faultMisaligned(warp, inst, 1u << lane, address, bytes);
      return false;
    }
    bool isOwn = actual == Space::Shared || actual == Space::Local ||
                 actual == Space::Param;
    pointer[lane] = isOwn ? resolveOwn(warp, inst, lane, actual, a, bytes, kind)
                          : resolveGlobal(warp, inst, lane, a, bytes, kind);
    if (!pointer[lane])
      return false;
  }
  if (warp.sanitizer)
    sanitizeCluster(warp, inst, clustered, holders, offsets, bytes, kind);
  return true;
}

unsigned fusion::emulator::countSectorsSlowly(const uint64_t *address,
                                              uint32_t mask,
                                              std::vector<uint64_t> *trace,
                                              bool write) {
  // An open hash table of 64 places for at most 32 sectors.
  uint64_t table[64];
  uint64_t used = 0;
  unsigned count = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t sector = address[__builtin_ctz(left)] >> 5;
    unsigned place = unsigned(sector * 0x9e3779b97f4a7c15u >> 58);
    while ((used >> place) & 1) {
      if (table[place] == sector)
        break;
      place = (place + 1) & 63;
    }
    if ((used >> place) & 1)
      continue;
    used |= uint64_t(1) << place;
    table[place] = sector;
    ++count;
    if (trace)
      trace->push_back(sector << 5 | uint64_t(write));
  }
  return count;
}

unsigned fusion::emulator::countWavefrontsSlowly(const uint64_t *address,
                                                 uint32_t mask, unsigned unit) {
  unsigned groups = 128 / unit, shift = log2Of(unit);
  uint64_t chunks[kLanes];
  unsigned count = 0, most = 0;
  unsigned load[kLanes] = {};
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t chunk = address[__builtin_ctz(left)] >> shift;
    bool known = false;
    for (unsigned i = 0; i < count && !known; ++i)
      known = chunks[i] == chunk;
    if (known)
      continue;
    chunks[count++] = chunk;
    unsigned &n = load[chunk & (groups - 1)];
    if (++n > most)
      most = n;
  }
  return most;
}
