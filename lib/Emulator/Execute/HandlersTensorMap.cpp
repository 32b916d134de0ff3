//===- HandlersTensorMap.cpp - tensormap.replace and its like -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersTensorMap.h"

#include "Emulator/Execute/Access.h"
#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

bool fusion::emulator::tensorMapAt(Warp &warp, const Inst &inst, unsigned lane,
                                   Ref address, AccessKind kind,
                                   uint8_t *&bytes, uint64_t &place) {
  LaneAddresses addresses;
  laneAddresses(warp, address, 0, 8, addresses);
  if (addresses.address[lane] % 64) {
    raiseFault(warp, inst, lane,
               "the address of the tensor map is no multiple of 64 bytes",
               "misaligned");
    return false;
  }
  uint8_t *pointers[kLanes];
  // 64 bytes is the alignment; the second half has a check of its own.
  LaneAddresses second = addresses;
  second.address[lane] += 64;
  if (!resolveSlowly(warp, inst, 1u << lane, Space::Generic, second.address, 64,
                     kind, pointers) ||
      !resolveSlowly(warp, inst, 1u << lane, Space::Generic, addresses.address,
                     64, kind, pointers))
    return false;
  bytes = pointers[lane];
  place = addresses.address[lane];
  return true;
}

namespace {

/// PTX ISA, "tensormap.replace".
bool replaceField(TensorMapBytes &map, unsigned field, unsigned ordinal,
                  uint64_t value) {
  switch (field) {
  case 0:
    map.address = value;
    return true;
  case 1:
    map.rank = uint8_t(value + 1);
    return value < 5;
  case 2:
    map.box[ordinal] = uint16_t(value);
    return value >= 1 && value <= 256;
  case 3:
    map.dim[ordinal] = uint32_t(value);
    map.unsetDims &= uint8_t(~(1u << ordinal));
    return true;
  case 4:
    if (ordinal > 3)
      return false;
    map.stride[ordinal] = value;
    return true;
  case 5:
    map.elementStride[ordinal] = uint8_t(value);
    return value >= 1 && value <= 8;
  // The others are constants that the decoder has looked at.
  case 6:
    map.type = uint8_t(value);
    return true;
  case 7:
    map.interleave = uint8_t(value);
    return true;
  case 8:
    map.swizzle = uint8_t(value);
    return true;
  case 9:
    map.fill = uint8_t(value);
    return true;
  default:
    map.atomicity = uint8_t(value);
    return true;
  }
}

bool isZero(const uint8_t *bytes) {
  return std::all_of(bytes, bytes + 128, [](uint8_t b) { return b == 0; });
}

void tensorMapReplace(Warp &warp, const Inst &inst, uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint8_t *bytes;
    uint64_t place;
    if (!tensorMapAt(warp, inst, lane, inst.op[1], AccessKind::Store, bytes,
                     place))
      return;
    // A weak access of the whole object (PTX ISA, "tensormap.replace").
    if (warp.sanitizer) {
      for (auto kind : {SanitizeKind::Load, SanitizeKind::Store})
        warp.sanitizer->maps.access(warp, inst, 1u << lane, place, kind);
    }
    TensorMapBytes map;
    std::memcpy(&map, bytes, sizeof(map));
    // Kernels make maps of zeros, which is where their fields begin.
    if (isZero(bytes))
      map = unsetTensorMap();
    uint64_t value = warp.reg<uint64_t>(inst.op[0])[lane];
    if (map.magic != TensorMapBytes::kMagic ||
        !replaceField(map, inst.a, inst.b, value))
      return raiseFault(warp, inst, lane,
                        map.magic != TensorMapBytes::kMagic
                            ? "the 128 bytes are no tensor map"
                            : "tensormap.replace with a value of " +
                                  std::to_string(value));
    std::memcpy(bytes, &map, sizeof(map));
  }
}

void tensorMapCopy(Warp &warp, const Inst &inst, uint32_t mask) {
  // All lanes of the warp copy the same 128 bytes.
  unsigned lane = unsigned(__builtin_ctz(mask));
  uint8_t *to, *from;
  uint64_t source, destination;
  if (!tensorMapAt(warp, inst, lane, inst.op[1], AccessKind::Load, from,
                   source) ||
      !tensorMapAt(warp, inst, lane, inst.op[0], AccessKind::Store, to,
                   destination))
    return;
  std::memmove(to, from, 128);
  if (!warp.sanitizer)
    return;
  // That the warp is together orders nothing among its lanes.
  warp.sanitizer->maps.access(warp, inst, mask, source, SanitizeKind::Load);
  warp.sanitizer->maps.access(warp, inst, 1u << lane, destination,
                              SanitizeKind::Store);
  warp.sanitizer->maps.publish(warp, mask, destination);
}

} // namespace

Handler fusion::emulator::tensorMapReplaceHandler() { return tensorMapReplace; }
Handler fusion::emulator::tensorMapCopyHandler() { return tensorMapCopy; }
