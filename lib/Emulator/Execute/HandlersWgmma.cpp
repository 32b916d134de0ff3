//===- HandlersWgmma.cpp - wgmma: issue and completion --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wgmma belongs to its warpgroup: each warp computes 16 of the 64 rows, and a
// group is complete when all four warps have executed it. So the first warp
// that waits waits until the others have committed the group, and carries it
// out for all of them. Thus shared memory is read and accumulators are written
// at the latest moment. Registers of A are read when the instruction is issued.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersWgmma.h"

#include "Emulator/Execute/Access.h"
#include "Emulator/Execute/HandlerTable.h"
#include "Emulator/Execute/MatrixDescriptor.h"

#include "fusion/Target/Chips/Hardware.h"
#include <algorithm>

using namespace fusion::emulator;

namespace {

// Programs that never wait must not exhaust the memory.
constexpr size_t kMaxProducts = 1024;

// The most pieces of 16 bytes of an operand: 256 rows of 32 bytes.
constexpr size_t kMaxPieces = 512;

/// Checks that rows [first, first + rows) of an operand are in shared memory.
bool checkOperand(Warp &warp, const Inst &inst, uint64_t bits, bool transposed,
                  uint32_t first, uint32_t rows, const char *name) {
  MatrixDescriptor descriptor(bits, transposed);
  uint32_t outer = transposed ? rows / 8 : rows;
  uint32_t inner = transposed ? 16 : 2;
  uint32_t begin = transposed ? first / 8 : first;
  uint32_t limit = warp.cta->sharedBytes;
  uint32_t pieces[kMaxPieces], count = 0;
  for (uint32_t r = begin; r < begin + outer; ++r)
    for (uint32_t c = 0; c < inner; ++c) {
      uint32_t at = descriptor.piece(r, c);
      if (at + 16 > limit) {
        raiseFault(warp, inst, 0,
                   std::string("the descriptor of ") + name +
                       " reaches to shared offset " + std::to_string(at + 16) +
                       " of " + std::to_string(limit) + " bytes",
                   "out-of-bounds-shared");
        return false;
      }
      pieces[count++] = at;
    }
  if (warp.sanitizer)
    warp.sanitizer->copies.productRead(warp, inst, pieces, count);
  return true;
}

/// Carries out the first `count` wgmma. Consecutive ones with the same
/// accumulators are one call.
void finish(Warp &warp, size_t count) {
  auto &products = warp.products;
  auto same = [](const WgmmaOp &x, const WgmmaOp &y) {
    if (x.frame != y.frame || x.inst->a != y.inst->a || x.inst->d != y.inst->d)
      return false;
    if (x.inst == y.inst)
      return true;
    uint32_t n = x.inst->a * (x.inst->d == uint8_t(Type::F16) ? 2u : 4u);
    return std::equal(x.inst->op, x.inst->op + n, y.inst->op);
  };
  for (size_t i = 0; i < count;) {
    size_t end = i + 1;
    while (end < count && same(products[i], products[end]))
      ++end;
    handlerTable().wgmma(warp, products.data() + i, end - i);
    i = end;
  }
  products.erase(products.begin(), products.begin() + ptrdiff_t(count));
}

void wgmma(Warp &warp, const Inst &inst, uint32_t) {
  uint32_t perWarp = inst.d == uint8_t(Type::F16) ? 2 : 4;
  const Ref *operands = inst.op + inst.a * perWarp;
  bool registersA = inst.e & WgmmaRegistersA;
  if (warp.products.size() >= kMaxProducts)
    finish(warp, warp.products.size());
  if (warp.exists != kFullMask ||
      warp.cta->warps.size() < (warp.index | 3) + 1u)
    return raiseFault(warp, inst, 0, "wgmma outside of a whole warpgroup");
  warp.products.emplace_back();
  WgmmaOp &op = warp.products.back();
  op.inst = &inst;
  op.frame = warp.base[BaseFrame];
  op.group = warp.productGroup;
  warp.productEnd = warp.productGroup + 1;
  if (registersA)
    for (unsigned i = 0; i < 4; ++i)
      std::memcpy(op.registers[i], warp.reg<uint32_t>(operands[i]), 128);
  else
    op.a = warp.reg<uint64_t>(operands[0])[0];
  operands += registersA ? 4 : 1;
  op.b = warp.reg<uint64_t>(operands[0])[0];
  uint32_t scaleD = warp.predicate(operands[1]);
  op.scaleD = scaleD & 1;
  if (warp.sanitizer) {
    auto isAlike = [&](Ref descriptor) {
      const uint64_t *lanes = warp.reg<uint64_t>(descriptor);
      return std::equal(lanes + 1, lanes + kLanes, lanes);
    };
    warp.sanitizer->wgmma.start(
        warp, inst, registersA ? 0 : op.a, op.b, op.scaleD,
        (scaleD == 0 || scaleD == kFullMask) && isAlike(operands[0]) &&
            (registersA || isAlike(operands[-1])));
  }
  if (!registersA &&
      !checkOperand(warp, inst, op.a, inst.e & WgmmaTransposeA,
                    16 * (warp.index % fusion::kWarpgroupWarps), 16, "A"))
    return;
  if (!checkOperand(warp, inst, op.b, inst.e & WgmmaTransposeB, 0, 8u * inst.a,
                    "B"))
    return;
  Type type = Type(inst.b);
  unsigned k = type == Type::B1 ? 256 : 32 / bytesOf(type);
  warp.counters->mmaFlops += 2ull * 16 * 8 * inst.a * k;
}

void wgmmaFence(Warp &warp, const Inst &inst, uint32_t) {
  if (!warp.sanitizer)
    return;
  warp.sanitizer->wgmma.step(warp, inst);
  warp.sanitizer->wgmma.fence(warp);
}

void registerWatch(Warp &warp, const Inst &inst, uint32_t mask) {
  if (warp.sanitizer)
    warp.sanitizer->wgmma.access(warp, unsigned(__builtin_ctz(mask)),
                                 warp.cta->code->watches[size_t(inst.imm)]);
}

/// Visits the warps of the warpgroup.
template <class Visit> void forGroup(const Warp &warp, Visit visit) {
  std::vector<Warp> &warps = warp.cta->warps;
  constexpr size_t count = fusion::kWarpgroupWarps;
  size_t first = warp.index / count * count;
  for (size_t i = first; i < std::min(first + count, warps.size()); ++i)
    visit(warps[i]);
}

void wgmmaCommit(Warp &warp, const Inst &inst, uint32_t) {
  if (warp.sanitizer)
    warp.sanitizer->wgmma.step(warp, inst);
  ++warp.productGroup;
  wakeProductWaits(warp);
}

void wgmmaWait(Warp &warp, const Inst &inst, uint32_t) {
  warp.awaitsProducts = lateProducts(warp, inst) != nullptr;
  if (warp.awaitsProducts) {
    warp.suspended = true;
    return;
  }
  if (warp.step) {
    warp.step->action = StepAction::Wait;
    warp.step->value = uint32_t(inst.imm);
  }
  if (warp.sanitizer) {
    warp.sanitizer->wgmma.step(warp, inst);
    warp.sanitizer->wgmma.wait(warp, inst.imm);
  }
  int64_t end = int64_t(warp.productGroup) - inst.imm;
  forGroup(warp, [&](Warp &of) {
    size_t count = 0;
    while (count < of.products.size() && of.products[count].group < end)
      ++count;
    if (count)
      finish(of, count);
  });
}

} // namespace

const Warp *fusion::emulator::lateProducts(const Warp &warp, const Inst &wait) {
  // Empty groups need no other warps.
  int64_t end =
      std::min<int64_t>(int64_t(warp.productGroup) - wait.imm, warp.productEnd);
  const Warp *late = nullptr;
  forGroup(warp, [&](const Warp &of) {
    if (!late && of.live && of.productGroup < end)
      late = &of;
  });
  return late;
}

void fusion::emulator::wakeProductWaits(const Warp &warp) {
  bool any = false;
  forGroup(warp, [&](const Warp &of) { any |= of.awaitsProducts; });
  warp.cta->async.events += any;
}

std::string fusion::emulator::describeProducts(const Warp &warp,
                                               const Inst &wait) {
  const Warp *late = lateProducts(warp, wait);
  return " wait for wgmma, line " + std::to_string(wait.line) +
         (late ? " (of a group that warp " + std::to_string(late->index) +
                     " of the warpgroup has not committed)"
               : std::string());
}

void fusion::emulator::finishProducts(Warp &warp) {
  if (!warp.products.empty())
    finish(warp, warp.products.size());
}

Handler fusion::emulator::wgmmaHandler() { return wgmma; }
Handler fusion::emulator::wgmmaFenceHandler() { return wgmmaFence; }
Handler fusion::emulator::registerWatchHandler() { return registerWatch; }
Handler fusion::emulator::wgmmaCommitHandler() { return wgmmaCommit; }
Handler fusion::emulator::wgmmaWaitHandler() { return wgmmaWait; }
