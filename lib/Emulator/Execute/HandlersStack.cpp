//===- HandlersStack.cpp - alloca, stacksave, stackrestore ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic stack allocations have a part of local memory of their own, at
// kLocalStack. Every lane has its stack top, which the return from a call
// restores. Memory beyond the top is out of bounds.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersStack.h"

#include "Emulator/Machine/Warp.h"

#include <algorithm>

using namespace fusion::emulator;

// "Maximum amount of local memory per thread" (CUDA C++ Programming Guide,
// "Compute Capabilities").
static constexpr uint64_t kMaxStack = 512 << 10;

namespace {

uint64_t valueOf(const Warp &warp, Ref ref, unsigned bytes, unsigned lane) {
  return bytes == 8 ? warp.reg<uint64_t>(ref)[lane]
                    : warp.reg<uint32_t>(ref)[lane];
}

void setValue(const Warp &warp, Ref ref, unsigned bytes, unsigned lane,
              uint64_t value) {
  if (bytes == 8)
    warp.reg<uint64_t>(ref)[lane] = value;
  else
    warp.reg<uint32_t>(ref)[lane] = uint32_t(value);
}

void grow(Warp &warp, uint32_t bytes) {
  if (bytes <= warp.stackBytes)
    return;
  uint32_t grown =
      std::min(std::max(2 * warp.stackBytes, bytes), uint32_t(kMaxStack));
  std::vector<uint8_t> stack(size_t(grown) * kLanes);
  for (unsigned lane = 0; lane < kLanes && warp.stackBytes; ++lane)
    std::memcpy(stack.data() + size_t(lane) * grown,
                warp.stack.data() + size_t(lane) * warp.stackBytes,
                warp.stackBytes);
  warp.stack = std::move(stack);
  warp.stackBytes = grown;
}

void allocate(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t alignment = uint64_t(inst.imm);
  for (; mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    uint64_t bytes = valueOf(warp, inst.op[1], inst.a, lane);
    uint64_t begin = (warp.stackTop[lane] + alignment - 1) & ~(alignment - 1);
    if (begin > kMaxStack || bytes > kMaxStack - begin)
      return raiseFault(warp, inst, lane,
                        "alloca of " + std::to_string(bytes) + " bytes, " +
                            std::to_string(begin) +
                            " in use: a thread has at most " +
                            std::to_string(kMaxStack));
    grow(warp, uint32_t(begin + bytes));
    // The stack reads as unwritten memory does.
    std::memset(warp.stack.data() + size_t(lane) * warp.stackBytes + begin,
                0xff, bytes);
    warp.stackTop[lane] = uint32_t(begin + bytes);
    setValue(warp, inst.op[0], inst.a, lane, kLocalStack + begin);
  }
}

void save(Warp &warp, const Inst &inst, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    setValue(warp, inst.op[0], inst.a, lane, kLocalStack + warp.stackTop[lane]);
  }
}

void restore(Warp &warp, const Inst &inst, uint32_t mask) {
  for (; mask; mask &= mask - 1) {
    unsigned lane = unsigned(__builtin_ctz(mask));
    uint64_t top = valueOf(warp, inst.op[0], inst.a, lane) - kLocalStack;
    if (top > warp.stackTop[lane])
      return raiseFault(warp, inst, lane,
                        "stackrestore of a value that no stacksave gave, or "
                        "of a stack that was given up since");
    warp.stackTop[lane] = uint32_t(top);
  }
}

} // namespace

Handler fusion::emulator::allocaHandler() { return allocate; }
Handler fusion::emulator::stackSaveHandler() { return save; }
Handler fusion::emulator::stackRestoreHandler() { return restore; }
