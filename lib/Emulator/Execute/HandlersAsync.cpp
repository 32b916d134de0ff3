//===- HandlersAsync.cpp - cp.async, ldmatrix and stmatrix ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy reads its source and writes shared memory when its thread waits for
// its group, the latest moment the memory model allows: who reads too early
// sees the old contents, and what overwrites the source too early is copied.
// With a seed other than 0 some copies read their source when they are issued.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersAsync.h"

#include "Emulator/Execute/Access.h"
#include "Emulator/Execute/Mbarrier.h"

using namespace fusion::emulator;

namespace {

AsyncCopy &newCopy(Warp &warp) {
  if (warp.copiesBegin == warp.copies.size()) {
    warp.copies.clear();
    warp.copiesBegin = 0;
  }
  warp.copies.emplace_back();
  warp.copies.back().sequence = warp.copySequence++;
  return warp.copies.back();
}

/// How many bytes of their source the lanes of a copy read: usually all of them
/// or nothing.
struct SourceSizes {
  uint32_t whole = 0, part = 0; ///< lanes that read all bytes, and only some
  uint32_t bytes[kLanes];       ///< by lane
};

/// Reads the sizes that a copy has as an operand. Returns false after a fault.
/// Inlined, since all copies come here.
[[gnu::always_inline]] inline bool
readSizes(Warp &warp, const Inst &inst, uint32_t mask, SourceSizes &sizes) {
  unsigned bytes = inst.a;
  sizes.whole = mask;
  for (uint32_t &size : sizes.bytes)
    size = bytes;
  if (inst.b == 1) {
    const uint32_t *n = warp.reg<uint32_t>(inst.op[2]);
    for (uint32_t left = mask; left; left &= left - 1) {
      unsigned lane = unsigned(__builtin_ctz(left));
      sizes.bytes[lane] = n[lane];
      if (n[lane] > bytes) {
        raiseFault(warp, inst, lane,
                   "cp.async with a source size of " + std::to_string(n[lane]) +
                       " of " + std::to_string(bytes) + " bytes");
        return false;
      }
      if (n[lane] != bytes) {
        sizes.whole &= ~(1u << lane);
        if (n[lane])
          sizes.part |= 1u << lane;
      }
    }
  } else if (inst.b == 2) {
    uint32_t ignored = warp.predicate(inst.op[2]) & mask;
    sizes.whole &= ~ignored;
    for (uint32_t left = ignored; left; left &= left - 1)
      sizes.bytes[__builtin_ctz(left)] = 0;
  }
  return true;
}

/// Checks the bounds of a copy's destination and counts its banks. Returns
/// false after a fault. Inlined, since all copies come here.
[[gnu::always_inline]] inline bool checkDestination(Warp &warp,
                                                    const Inst &inst,
                                                    uint32_t mask,
                                                    const LaneAddresses &to) {
  unsigned bytes = inst.a;
  LaneRange range = rangeOf(to.address, mask, bytes);
  if (range.bits & (bytes - 1)) {
    faultMisaligned(warp, inst, mask, to.address, bytes);
    return false;
  }
  if (range.high >= warp.cta->sharedBytes ||
      range.high + bytes > warp.cta->sharedBytes) {
    LanePointers target;
    resolveSlowly(warp, inst, mask, Space::Shared, to.address, bytes,
                  AccessKind::Store, target.pointer);
    return false;
  }
  countShared(warp, to.address, mask, bytes, range.contiguous);
  return true;
}

/// Finds the sources of lanes that read only some bytes. These need not be a
/// power of two, but lie in one sector. Returns false after a fault.
bool resolveParts(Warp &warp, const Inst &inst, const LaneAddresses &from,
                  const SourceSizes &sizes, LanePointers &source) {
  unsigned bytes = inst.a;
  LanePointers partly;
  for (uint32_t left = sizes.part; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint64_t begin = from.address[lane];
    if (begin & (bytes - 1)) {
      faultMisaligned(warp, inst, 1u << lane, from.address, bytes);
      return false;
    }
    Allocation *allocation =
        holderOf(*warp.cta, begin, begin + sizes.bytes[lane]);
    if (!allocation) {
      resolveSlowly(warp, inst, 1u << lane, Space::Global, from.address, bytes,
                    AccessKind::Load, partly.pointer);
      return false;
    }
    source.pointer[lane] = allocation->data + (begin - allocation->begin);
    warp.counters->globalLoadBytes += sizes.bytes[lane];
    if (warp.sanitizer)
      warp.sanitizer->memory.globalAccess(warp, inst, 1u << lane, from.address,
                                          sizes.bytes[lane],
                                          SanitizeKind::Load);
  }
  return true;
}

/// Counts the sectors of lanes that read only some bytes. Sectors of the whole
/// copies of the same request have been counted before.
void countSectorsOfParts(Warp &warp, const LaneAddresses &from,
                         const SourceSizes &sizes, unsigned bytes) {
  uint32_t all = sizes.whole | sizes.part;
  if (!sizes.whole) {
    LaneRange range = rangeOf(from.address, all, bytes);
    warp.counters->globalSectors +=
        countSectors(*warp.cta, from.address, sizes.part, range, bytes, false);
    return;
  }
  std::vector<uint64_t> *trace = nullptr;
  warp.counters->globalSectors +=
      countSectorsSlowly(from.address, all, trace, false) -
      countSectorsSlowly(from.address, sizes.whole, trace, false);
  if (warp.cta->tracing)
    countSectorsSlowly(from.address, sizes.part, &warp.cta->trace, false);
}

void asyncCopy(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned bytes = inst.a;
  LaneAddresses to, from;
  laneAddresses(warp, inst.op[0], inst.imm, inst.c, to);
  laneAddresses(warp, inst.op[1], inst.imm2, inst.d, from);
  if (inst.e & 1) // generic destination
    for (uint64_t &address : to.address)
      address -= kSharedWindow;
  ownOffsets(*warp.cta, to.address, to);

  SourceSizes sizes;
  LanePointers source;
  bool contiguous;
  // The destination is written later.
  if (!readSizes(warp, inst, mask, sizes) ||
      !checkDestination(warp, inst, mask, to))
    return;
  if (sizes.whole && !accessGlobal(warp, inst, sizes.whole, from.address, bytes,
                                   AccessKind::Load, source, contiguous))
    return;
  if (sizes.part) {
    if (!resolveParts(warp, inst, from, sizes, source))
      return;
    countSectorsOfParts(warp, from, sizes, bytes);
  }

  AsyncCopy &copy = newCopy(warp);
  copy.pending = mask;
  copy.bytes = bytes;
  copy.line = inst.line;
  copy.isWhole = sizes.whole == kFullMask && bytes == 16;
  for (unsigned i = 0; i < kLanes; ++i) {
    copy.destination[i] = uint32_t(to.address[i]);
    copy.group[i] = warp.committed[i];
    copy.source[i] = source.pointer[i];
    copy.size[i] = uint8_t(sizes.bytes[i]);
  }
  if (drawn(*warp.cta)) {
    copy.isWhole = false;
    copy.data = std::make_unique<uint8_t[]>(kLanes * 16);
    for (uint32_t left = sizes.whole | sizes.part; left; left &= left - 1) {
      unsigned lane = unsigned(__builtin_ctz(left));
      std::memcpy(copy.data.get() + 16 * lane, copy.source[lane],
                  copy.size[lane]);
      copy.source[lane] = copy.data.get() + 16 * lane;
    }
  }
  if (warp.sanitizer)
    warp.sanitizer->memory.asyncIssue(warp, inst, mask, to.address, bytes,
                                      copy);
}

void complete(Warp &warp, AsyncCopy &copy, uint32_t mask,
              bool atMbarrier = false) {
  uint8_t *shared = warp.cta->shared.data();
  if (mask == kFullMask && copy.isWhole) {
    for (unsigned i = 0; i < kLanes; ++i)
      std::memcpy(shared + copy.destination[i], copy.source[i], 16);
  } else {
    for (uint32_t left = mask; left; left &= left - 1) {
      unsigned lane = unsigned(__builtin_ctz(left));
      uint8_t *to = shared + copy.destination[lane];
      if (copy.size[lane])
        std::memcpy(to, copy.source[lane], copy.size[lane]);
      std::memset(to + copy.size[lane], 0, copy.bytes - copy.size[lane]);
    }
  }
  copy.pending &= ~mask;
  if (warp.sanitizer)
    warp.sanitizer->memory.asyncComplete(warp, copy, mask, atMbarrier);
}

/// Finished copies at the front are not looked at again.
void dropFinished(Warp &warp) {
  while (warp.copiesBegin < warp.copies.size() &&
         !warp.copies[warp.copiesBegin].pending)
    ++warp.copiesBegin;
  if (warp.copiesBegin > 64 && warp.copiesBegin * 2 > warp.copies.size()) {
    warp.copies.erase(warp.copies.begin(),
                      warp.copies.begin() + ptrdiff_t(warp.copiesBegin));
    warp.copiesBegin = 0;
  }
}

void asyncCommit(Warp &warp, const Inst &, uint32_t mask) {
  if (warp.sanitizer)
    warp.sanitizer->order.asyncClose(warp);
  for (unsigned i = 0; i < kLanes; ++i)
    warp.committed[i] += (mask >> i) & 1;
}

void asyncWait(Warp &warp, const Inst &inst, uint32_t mask) {
  if (warp.step) {
    warp.step->action = StepAction::Wait;
    warp.step->value = uint32_t(std::max<int64_t>(inst.imm, 0));
  }
  if (warp.sanitizer)
    warp.sanitizer->order.asyncClose(warp);
  for (size_t k = warp.copiesBegin; k < warp.copies.size(); ++k) {
    AsyncCopy &copy = warp.copies[k];
    uint32_t done = 0;
    if (inst.imm < 0) {
      done = mask;
    } else {
      // At most imm of the closed groups may stay open.
      for (unsigned i = 0; i < kLanes; ++i)
        done |= uint32_t(int64_t(copy.group[i]) + inst.imm <
                         int64_t(warp.committed[i]))
                << i;
      done &= mask;
    }
    done &= copy.pending;
    if (done)
      complete(warp, copy, done);
  }
  dropFinished(warp);
}

/// The rows' addresses, as offsets into shared memory.
bool matrixRows(Warp &warp, const Inst &inst, AccessKind kind,
                LanePointers &rows) {
  unsigned matrices = inst.b;
  uint32_t used = matrices == 4 ? kFullMask : (1u << 8 * matrices) - 1;
  LaneAddresses addresses;
  laneAddresses(warp, inst.op[matrices], inst.imm, inst.c, addresses);
  if (inst.a)
    for (uint64_t &address : addresses.address)
      address -= kSharedWindow;
  bool contiguous;
  return accessShared(warp, inst, used, addresses.address, 16, kind, rows,
                      contiguous);
}

/// Register k of the lanes, as memory, is matrix k row by row.
template <bool Transposed>
void matrixLoad(Warp &warp, const Inst &inst, uint32_t) {
  LanePointers rows;
  if (!matrixRows(warp, inst, AccessKind::Load, rows))
    return;
  for (unsigned k = 0; k < inst.b; ++k) {
    uint16_t *d = warp.reg<uint16_t>(inst.op[k]);
    if (!Transposed) {
      for (unsigned r = 0; r < 8; ++r)
        std::memcpy(d + 8 * r, rows.pointer[8 * k + r], 16);
    } else {
      uint16_t matrix[8][8];
      for (unsigned r = 0; r < 8; ++r)
        std::memcpy(matrix[r], rows.pointer[8 * k + r], 16);
      for (unsigned r = 0; r < 8; ++r)
        for (unsigned c = 0; c < 8; ++c)
          d[8 * r + c] = matrix[c][r];
    }
  }
}

template <bool Transposed>
void matrixStore(Warp &warp, const Inst &inst, uint32_t) {
  LanePointers rows;
  if (!matrixRows(warp, inst, AccessKind::Store, rows))
    return;
  for (unsigned k = 0; k < inst.b; ++k) {
    const uint16_t *s = warp.reg<uint16_t>(inst.op[k]);
    for (unsigned r = 0; r < 8; ++r) {
      uint16_t row[8];
      for (unsigned c = 0; c < 8; ++c)
        row[c] = Transposed ? s[8 * c + r] : s[8 * r + c];
      std::memcpy(rows.pointer[8 * k + r], row, 16);
    }
  }
}

void matrixMove(Warp &warp, const Inst &inst, uint32_t) {
  const uint16_t *s = warp.reg<uint16_t>(inst.op[1]);
  uint16_t transposed[64];
  for (unsigned r = 0; r < 8; ++r)
    for (unsigned c = 0; c < 8; ++c)
      transposed[8 * r + c] = s[8 * c + r];
  std::memcpy(warp.reg<uint16_t>(inst.op[0]), transposed, sizeof(transposed));
}

} // namespace

Handler fusion::emulator::matrixMoveHandler() { return matrixMove; }

void fusion::emulator::finishCopies(Warp &warp, uint32_t mask) {
  for (size_t k = warp.copiesBegin; k < warp.copies.size(); ++k) {
    AsyncCopy &copy = warp.copies[k];
    uint32_t done = copy.pending & mask;
    for (uint32_t left = done; left; left &= left - 1) {
      unsigned lane = unsigned(__builtin_ctz(left));
      if (int32_t(copy.sequence - warp.awaited[lane]) < 0)
        done &= ~(1u << lane);
    }
    if (done)
      complete(warp, copy, done);
  }
}

void fusion::emulator::finishCopiesBefore(Warp &warp, uint32_t mask,
                                          uint32_t sequence) {
  for (size_t k = warp.copiesBegin; k < warp.copies.size(); ++k) {
    AsyncCopy &copy = warp.copies[k];
    if (int32_t(copy.sequence - sequence) >= 0)
      break;
    uint32_t done = copy.pending & mask;
    if (!done)
      continue;
    complete(warp, copy, done, true);
    if (warp.sanitizer)
      for (uint32_t left = done; left; left &= left - 1)
        warp.sanitizer->copies.delivered(copy, unsigned(__builtin_ctz(left)));
  }
  dropFinished(warp);
}

Handler fusion::emulator::asyncCopyHandler() { return asyncCopy; }
Handler fusion::emulator::asyncCommitHandler() { return asyncCommit; }
Handler fusion::emulator::asyncWaitHandler() { return asyncWait; }
Handler fusion::emulator::matrixLoadHandler(bool transposed) {
  return transposed ? matrixLoad<true> : matrixLoad<false>;
}
Handler fusion::emulator::matrixStoreHandler(bool transposed) {
  return transposed ? matrixStore<true> : matrixStore<false>;
}
