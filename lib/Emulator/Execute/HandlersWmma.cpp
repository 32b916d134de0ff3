//===- HandlersWmma.cpp - wmma.load and wmma.store ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersWmma.h"

#include "Emulator/Execute/Access.h"

#include <algorithm>

using namespace fusion::emulator;

unsigned fusion::emulator::wmmaRegisters(Type type, unsigned elements,
                                         bool accumulator) {
  if (type == Type::F64)
    return elements / kLanes;
  // f16 operands always take 8 registers, whatever the shape.
  if (type == Type::F16 && !accumulator)
    return 8;
  return std::max(1u, elements * bytesOf(type) / 128);
}

namespace {

/// Moves a fragment in pieces of at most 16 contiguous bytes per lane; each
/// piece is one request.
template <bool Store> void transfer(Warp &warp, const Inst &inst, uint32_t) {
  unsigned bytes = inst.a, perLane = inst.b, registers = inst.e;
  unsigned columns = unsigned(inst.imm2 >> 8);
  bool columnMajor = inst.imm2 & 1;
  LaneAddresses base;
  laneAddresses(warp, inst.op[registers], inst.imm, inst.c, base);
  // Copied: a destination may have the stride's place.
  uint32_t stride[kLanes];
  std::memcpy(stride, warp.reg<uint32_t>(inst.op[registers + 1]),
              sizeof(stride));
  Space space = Space(inst.d);
  bool isShared = space == Space::Shared;
  if (space == Space::Generic && sharedLanes(base.address, 1)) {
    isShared = true;
    for (uint64_t &address : base.address)
      address -= kSharedWindow;
  }
  unsigned piece = columnMajor ? 1 : std::min({16 / bytes, perLane, columns});
  unsigned registerBytes = bytes == 8 ? 8 : 4;
  unsigned perRegister = registerBytes / bytes;

  for (unsigned first = 0; first < perLane; first += piece) {
    LaneAddresses addresses;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint64_t element = uint64_t(lane) * perLane + first;
      uint64_t row = element / columns, column = element % columns;
      uint64_t offset = columnMajor ? column * stride[lane] + row
                                    : row * stride[lane] + column;
      addresses.address[lane] = base.address[lane] + offset * bytes;
    }
    LanePointers pointers;
    bool contiguous;
    AccessKind kind = Store ? AccessKind::Store : AccessKind::Load;
    if (isShared ? !accessShared(warp, inst, kFullMask, addresses.address,
                                 piece * bytes, kind, pointers, contiguous)
                 : !accessGlobal(warp, inst, kFullMask, addresses.address,
                                 piece * bytes, kind, pointers, contiguous))
      return;
    for (unsigned i = 0; i < piece; ++i) {
      unsigned element = first + i;
      uint8_t *values = warp.reg<uint8_t>(inst.op[element / perRegister]) +
                        element % perRegister * bytes;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        uint8_t *memory = pointers.pointer[lane] + i * bytes;
        uint8_t *value = values + lane * registerBytes;
        if (Store)
          std::memcpy(memory, value, bytes);
        else
          std::memcpy(value, memory, bytes);
      }
    }
  }
  if (Store)
    return;
  unsigned used = std::max(1u, perLane / perRegister);
  for (unsigned r = used; r < registers; ++r)
    std::memcpy(warp.reg<uint8_t>(inst.op[r]),
                warp.reg<uint8_t>(inst.op[r % used]), kLanes * registerBytes);
}

} // namespace

Handler fusion::emulator::wmmaLoadHandler() { return transfer<false>; }
Handler fusion::emulator::wmmaStoreHandler() { return transfer<true>; }
