//===- Memory.cpp - ld and st ---------------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Access.h"
#include "Emulator/Machine/Lanes.h"

#include <type_traits>

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

template <unsigned Bytes> struct Bits;
template <> struct Bits<1> {
  using Type = u8;
};
template <> struct Bits<2> {
  using Type = u16;
};
template <> struct Bits<4> {
  using Type = u32;
};
template <> struct Bits<8> {
  using Type = u64;
};
template <> struct Bits<16> {
  using Type = u128;
};

/// One element of `Bytes` from memory into a register of Inst::e bytes, or out
/// of it.
template <bool IsStore, unsigned Bytes>
inline void moveElement(Warp &warp, const Inst &inst, Ref ref, uint32_t mask,
                        uint8_t *const *p, unsigned offset, bool contiguous) {
  using Same = typename Bits<Bytes>::Type;
  auto move = [&](auto stored, auto kept) {
    using Stored = decltype(stored);
    using Kept = decltype(kept);
    if constexpr (IsStore)
      scatter<Stored, Kept>(warp, ref, mask, p, offset, contiguous);
    else
      gather<Stored, Kept>(warp, ref, mask, p, offset, contiguous);
  };
  if constexpr (Bytes >= 8) {
    move(Same(), Same());
  } else {
    auto widen = [&](auto kept) {
      if (!IsStore && (inst.d & 1))
        move(std::make_signed_t<Same>(), std::make_signed_t<decltype(kept)>());
      else
        move(Same(), kept);
    };
    if (inst.e == Bytes)
      return move(Same(), Same());
    if (Bytes < 2 && inst.e == 2)
      return widen(u16());
    if (Bytes < 4 && inst.e == 4)
      return widen(u32());
    widen(u64());
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
    if (warp.stackBytes)
      return resolveSlowly(warp, inst, mask, Space::Local, a.address, bytes,
                           kind, out.pointer);
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

template <bool IsStore, Space S, unsigned Bytes>
void move(Warp &warp, const Inst &inst, uint32_t mask) {
  LaneAddresses addresses;
  unsigned n = inst.b;
  laneAddresses(warp, inst.op[n], inst.imm, inst.c, addresses);
  while (mask) {
    LanePointers pointers;
    bool contiguous;
    uint32_t left;
    if (!access<S>(warp, inst, mask, left, addresses, Bytes * n,
                   IsStore ? AccessKind::Store : AccessKind::Load, pointers,
                   contiguous))
      return;
    for (unsigned k = 0; k < n; ++k)
      moveElement<IsStore, Bytes>(warp, inst, inst.op[k], mask,
                                  pointers.pointer, k * Bytes,
                                  contiguous && n == 1);
    mask = left;
  }
}

template <bool IsStore, Space S> Handler ofBytes(unsigned bytes) {
  switch (bytes) {
  case 1:
    return move<IsStore, S, 1>;
  case 2:
    return move<IsStore, S, 2>;
  case 4:
    return move<IsStore, S, 4>;
  case 8:
    return move<IsStore, S, 8>;
  case 16:
    return move<IsStore, S, 16>;
  default:
    return nullptr;
  }
}

template <bool IsStore> Handler ofSpace(Space space, unsigned bytes) {
  switch (space) {
  case Space::Generic:
    return ofBytes<IsStore, Space::Generic>(bytes);
  case Space::Const:
    if constexpr (IsStore)
      return nullptr;
    else
      return ofBytes<IsStore, Space::Const>(bytes);
  case Space::Global:
    return ofBytes<IsStore, Space::Global>(bytes);
  case Space::Local:
    return ofBytes<IsStore, Space::Local>(bytes);
  case Space::Param:
    return ofBytes<IsStore, Space::Param>(bytes);
  case Space::Shared:
    return ofBytes<IsStore, Space::Shared>(bytes);
  }
  return nullptr;
}

} // namespace

Handler loadHandler(Space space, unsigned bytes) {
  return ofSpace<false>(space, bytes);
}
Handler storeHandler(Space space, unsigned bytes) {
  return ofSpace<true>(space, bytes);
}

} // namespace fusion::emulator::FUSION_ISA
