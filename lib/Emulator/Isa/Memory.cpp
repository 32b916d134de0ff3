//===- Memory.cpp - ld and st ---------------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include "../Access.h"

namespace fusion::emulator::FUSION_ISA {
namespace {

/// Register `ref` of every lane from memory at `pointer + offset`.
template <class Stored, class Kept>
inline void gather(Warp &warp, Ref ref, uint32_t mask, uint8_t *const *pointer,
                   unsigned offset, bool contiguous) {
  Kept *d = warp.reg<Kept>(ref);
  if (contiguous && sizeof(Stored) == sizeof(Kept)) {
    std::memcpy(d, pointer[0] + offset, sizeof(Stored) * kLanes);
    return;
  }
  if (mask == kFullMask) {
    for (unsigned i = 0; i < kLanes; ++i) {
      Stored value;
      __builtin_memcpy(&value, pointer[i] + offset, sizeof(value));
      d[i] = Kept(value);
    }
    return;
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned i = unsigned(__builtin_ctz(left));
    Stored value;
    __builtin_memcpy(&value, pointer[i] + offset, sizeof(value));
    d[i] = Kept(value);
  }
}

template <class Stored, class Kept>
inline void scatter(Warp &warp, Ref ref, uint32_t mask, uint8_t *const *pointer,
                    unsigned offset, bool contiguous) {
  const Kept *s = warp.reg<Kept>(ref);
  if (contiguous && sizeof(Stored) == sizeof(Kept)) {
    std::memcpy(pointer[0] + offset, s, sizeof(Stored) * kLanes);
    return;
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned i = unsigned(__builtin_ctz(left));
    Stored value = Stored(s[i]);
    __builtin_memcpy(pointer[i] + offset, &value, sizeof(value));
  }
}

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using u128 = unsigned __int128;

/// One element of `Bytes` into a register of Inst::e bytes.
template <unsigned Bytes>
inline void loadElement(Warp &warp, const Inst &inst, Ref ref, uint32_t mask,
                        uint8_t *const *p, unsigned offset, bool contiguous) {
  bool extend = inst.d & 1;
  if constexpr (Bytes == 1) {
    switch (inst.e) {
    case 1:
      return gather<u8, u8>(warp, ref, mask, p, offset, contiguous);
    case 2:
      return extend ? gather<int8_t, int16_t>(warp, ref, mask, p, offset, false)
                    : gather<u8, u16>(warp, ref, mask, p, offset, false);
    case 4:
      return extend ? gather<int8_t, int32_t>(warp, ref, mask, p, offset, false)
                    : gather<u8, u32>(warp, ref, mask, p, offset, false);
    default:
      return extend ? gather<int8_t, int64_t>(warp, ref, mask, p, offset, false)
                    : gather<u8, u64>(warp, ref, mask, p, offset, false);
    }
  } else if constexpr (Bytes == 2) {
    switch (inst.e) {
    case 2:
      return gather<u16, u16>(warp, ref, mask, p, offset, contiguous);
    case 4:
      return extend
                 ? gather<int16_t, int32_t>(warp, ref, mask, p, offset, false)
                 : gather<u16, u32>(warp, ref, mask, p, offset, false);
    default:
      return extend
                 ? gather<int16_t, int64_t>(warp, ref, mask, p, offset, false)
                 : gather<u16, u64>(warp, ref, mask, p, offset, false);
    }
  } else if constexpr (Bytes == 4) {
    if (inst.e == 4)
      return gather<u32, u32>(warp, ref, mask, p, offset, contiguous);
    return extend ? gather<int32_t, int64_t>(warp, ref, mask, p, offset, false)
                  : gather<u32, u64>(warp, ref, mask, p, offset, false);
  } else if constexpr (Bytes == 8) {
    gather<u64, u64>(warp, ref, mask, p, offset, contiguous);
  } else {
    gather<u128, u128>(warp, ref, mask, p, offset, contiguous);
  }
}

template <unsigned Bytes>
inline void storeElement(Warp &warp, const Inst &inst, Ref ref, uint32_t mask,
                         uint8_t *const *p, unsigned offset, bool contiguous) {
  if constexpr (Bytes == 1) {
    switch (inst.e) {
    case 1:
      return scatter<u8, u8>(warp, ref, mask, p, offset, contiguous);
    case 2:
      return scatter<u8, u16>(warp, ref, mask, p, offset, false);
    case 4:
      return scatter<u8, u32>(warp, ref, mask, p, offset, false);
    default:
      return scatter<u8, u64>(warp, ref, mask, p, offset, false);
    }
  } else if constexpr (Bytes == 2) {
    switch (inst.e) {
    case 2:
      return scatter<u16, u16>(warp, ref, mask, p, offset, contiguous);
    case 4:
      return scatter<u16, u32>(warp, ref, mask, p, offset, false);
    default:
      return scatter<u16, u64>(warp, ref, mask, p, offset, false);
    }
  } else if constexpr (Bytes == 4) {
    if (inst.e == 4)
      return scatter<u32, u32>(warp, ref, mask, p, offset, contiguous);
    return scatter<u32, u64>(warp, ref, mask, p, offset, false);
  } else if constexpr (Bytes == 8) {
    scatter<u64, u64>(warp, ref, mask, p, offset, contiguous);
  } else {
    scatter<u128, u128>(warp, ref, mask, p, offset, contiguous);
  }
}

/// Lane-private memory: `stride` bytes per lane from `memory` on.
inline bool accessPrivate(Warp &warp, const Inst &inst, uint32_t mask,
                          const uint64_t *address, unsigned bytes,
                          AccessKind kind, uint8_t *memory, uint32_t stride,
                          LanePointers &out) {
  LaneRange range = rangeOf(address, mask, bytes);
  if (range.bits & (bytes - 1)) {
    faultMisaligned(warp, inst, mask, address, bytes);
    return false;
  }
  if (range.high >= stride || range.high + bytes > stride) {
    faultPrivate(warp, inst, mask, address, bytes, stride);
    return false;
  }
  // Integers: lanes that are not active may hold anything.
  uint64_t base = reinterpret_cast<uint64_t>(memory);
  for (unsigned i = 0; i < kLanes; ++i)
    out.pointer[i] =
        reinterpret_cast<uint8_t *>(base + uint64_t(i) * stride + address[i]);
  return true;
}

/// Pointers of the lanes of `mask`, which may shrink to those of one space:
/// `left` gets the others.
template <Space S>
inline bool access(Warp &warp, const Inst &inst, uint32_t &mask, uint32_t &left,
                   LaneAddresses &a, unsigned bytes, AccessKind kind,
                   LanePointers &out, bool &contiguous) {
  contiguous = false;
  left = 0;
  if constexpr (S == Space::Global || S == Space::Const) {
    return accessGlobal(warp, inst, mask, a.address, bytes, kind, out,
                        contiguous, S == Space::Global);
  } else if constexpr (S == Space::Shared) {
    return accessShared(warp, inst, mask, a.address, bytes, kind, out,
                        contiguous);
  } else if constexpr (S == Space::Local) {
    return accessPrivate(warp, inst, mask, a.address, bytes, kind,
                         warp.local.data(), warp.localBytes, out);
  } else if constexpr (S == Space::Param) {
    return accessPrivate(warp, inst, mask, a.address, bytes, kind,
                         warp.laneParameters, warp.parameterBytes, out);
  } else {
    LaneRange range = rangeOf(a.address, mask, 1);
    if (range.high < kSharedWindow)
      return accessGlobal(warp, inst, mask, a.address, bytes, kind, out,
                          contiguous);
    uint32_t shared = sharedLanes(a.address, mask);
    if (shared) {
      left = mask & ~shared;
      mask = shared;
      LaneAddresses offsets;
      for (unsigned i = 0; i < kLanes; ++i)
        offsets.address[i] = a.address[i] - kSharedWindow;
      return accessShared(warp, inst, mask, offsets.address, bytes, kind, out,
                          contiguous);
    }
    uint32_t global = 0;
    for (unsigned i = 0; i < kLanes; ++i)
      global |= uint32_t(a.address[i] < kSharedWindow) << i;
    if (mask & global) {
      left = mask & ~global;
      mask &= global;
      return accessGlobal(warp, inst, mask, a.address, bytes, kind, out,
                          contiguous);
    }
    return resolveSlowly(warp, inst, mask, Space::Generic, a.address, bytes,
                         kind, out.pointer);
  }
}

template <Space S, unsigned Bytes>
void load(Warp &warp, const Inst &inst, uint32_t mask) {
  LaneAddresses addresses;
  unsigned n = inst.b;
  laneAddresses(warp, inst.op[n], inst.imm, inst.c, addresses);
  while (mask) {
    LanePointers pointers;
    bool contiguous;
    uint32_t left;
    if (!access<S>(warp, inst, mask, left, addresses, Bytes * n,
                   AccessKind::Load, pointers, contiguous))
      return;
    for (unsigned k = 0; k < n; ++k)
      loadElement<Bytes>(warp, inst, inst.op[k], mask, pointers.pointer,
                         k * Bytes, contiguous && n == 1);
    mask = left;
  }
}

template <Space S, unsigned Bytes>
void store(Warp &warp, const Inst &inst, uint32_t mask) {
  LaneAddresses addresses;
  unsigned n = inst.b;
  laneAddresses(warp, inst.op[n], inst.imm, inst.c, addresses);
  while (mask) {
    LanePointers pointers;
    bool contiguous;
    uint32_t left;
    if (!access<S>(warp, inst, mask, left, addresses, Bytes * n,
                   AccessKind::Store, pointers, contiguous))
      return;
    for (unsigned k = 0; k < n; ++k)
      storeElement<Bytes>(warp, inst, inst.op[k], mask, pointers.pointer,
                          k * Bytes, contiguous && n == 1);
    mask = left;
  }
}

template <Space S> Handler loadOf(unsigned bytes) {
  switch (bytes) {
  case 1:
    return load<S, 1>;
  case 2:
    return load<S, 2>;
  case 4:
    return load<S, 4>;
  case 8:
    return load<S, 8>;
  case 16:
    return load<S, 16>;
  default:
    return nullptr;
  }
}
template <Space S> Handler storeOf(unsigned bytes) {
  switch (bytes) {
  case 1:
    return store<S, 1>;
  case 2:
    return store<S, 2>;
  case 4:
    return store<S, 4>;
  case 8:
    return store<S, 8>;
  case 16:
    return store<S, 16>;
  default:
    return nullptr;
  }
}

} // namespace

Handler loadHandler(Space space, unsigned bytes) {
  switch (space) {
  case Space::Generic:
    return loadOf<Space::Generic>(bytes);
  case Space::Const:
    return loadOf<Space::Const>(bytes);
  case Space::Global:
    return loadOf<Space::Global>(bytes);
  case Space::Local:
    return loadOf<Space::Local>(bytes);
  case Space::Param:
    return loadOf<Space::Param>(bytes);
  case Space::Shared:
    return loadOf<Space::Shared>(bytes);
  }
  return nullptr;
}

Handler storeHandler(Space space, unsigned bytes) {
  switch (space) {
  case Space::Generic:
    return storeOf<Space::Generic>(bytes);
  case Space::Const:
    return nullptr;
  case Space::Global:
    return storeOf<Space::Global>(bytes);
  case Space::Local:
    return storeOf<Space::Local>(bytes);
  case Space::Param:
    return storeOf<Space::Param>(bytes);
  case Space::Shared:
    return storeOf<Space::Shared>(bytes);
  }
  return nullptr;
}

} // namespace fusion::emulator::FUSION_ISA
