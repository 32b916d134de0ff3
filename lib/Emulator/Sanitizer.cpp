//===- Sanitizer.cpp - Finds races and uses of data that are not there ----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

// Enough to understand what is wrong; the first findings matter.
static constexpr size_t kMaxFindings = 100;

Sanitizer::Sanitizer(Cta &cta)
    : cta(cta), warps(uint32_t(cta.warps.size())),
      clocks(size_t(warps) * warps, 0), joins(kBarriers),
      words((cta.sharedBytes + 3) / 4) {
  for (uint32_t warp = 0; warp < warps; ++warp)
    clocks[warp * warps + warp] = 1;
}

void Sanitizer::report(const char *kind, Warp &warp, unsigned lane,
                       unsigned line, unsigned otherLine,
                       const std::string &message) {
  if (findings.size() >= kMaxFindings ||
      !known.emplace(std::make_tuple(std::string(kind), line, otherLine), true)
           .second)
    return;
  Finding finding;
  finding.kind = kind;
  finding.kernel = std::string(cta.code->source->name);
  finding.block = cta.id;
  finding.thread = threadOfLane(warp, lane);
  finding.line = line;
  finding.otherLine = otherLine;
  finding.message = message;
  findings.push_back(std::move(finding));
}

std::string Sanitizer::threadName(uint32_t thread) const {
  const auto &block = cta.launch->block;
  return "(" + std::to_string(thread % block[0]) + "," +
         std::to_string(thread / block[0] % block[1]) + "," +
         std::to_string(thread / block[0] / block[1]) + ")";
}

void Sanitizer::write(Cell &cell, uint64_t offset, Warp &warp, unsigned lane,
                      unsigned line, bool atomic) {
  uint32_t thread = warp.index * 32 + lane + 1;
  if (cell.inFlight)
    report("async-overwrite", warp, lane, line, cell.inFlightLine,
           "write to shared memory at offset " + std::to_string(offset) +
               " that an asynchronous copy of thread " +
               threadName(cell.inFlight - 1) + " is still going to fill");
  if (cell.writer && cell.writer != thread && !(atomic && cell.atomicWrite) &&
      !ordered((cell.writer - 1) / 32, cell.writeClock, warp.index))
    report("shared-race", warp, lane, line, cell.writeLine,
           "write-after-write race at shared offset " + std::to_string(offset) +
               " with thread " + threadName(cell.writer - 1));
  if (cell.reader && cell.reader != thread && !(atomic && cell.atomicRead)) {
    for (uint32_t left = cell.readWarps; left; left &= left - 1) {
      uint32_t other = uint32_t(__builtin_ctz(left));
      if (!ordered(other, cell.readClock, warp.index)) {
        std::string with = cell.reader == kMany
                               ? "threads of warp " + std::to_string(other)
                               : "thread " + threadName(cell.reader - 1);
        report("shared-race", warp, lane, line, cell.readLine,
               "write-after-read race at shared offset " +
                   std::to_string(offset) + " with " + with);
        break;
      }
    }
  }
  if (!oldReads.empty()) {
    auto it = oldReads.find(offset);
    if (it != oldReads.end()) {
      for (const OldRead &read : it->second)
        if (!ordered(read.warp, read.clock, warp.index))
          report("shared-race", warp, lane, line, read.line,
                 "write-after-read race at shared offset " +
                     std::to_string(offset) + " with warp " +
                     std::to_string(read.warp));
      oldReads.erase(it);
    }
  }
  cell.writer = thread;
  cell.writeClock = clockOf(warp.index);
  cell.writeLine = line;
  cell.atomicWrite = atomic;
  cell.reader = cell.readWarps = 0;
  cell.initialized = true;
}

void Sanitizer::read(Cell &cell, uint64_t offset, Warp &warp, unsigned lane,
                     unsigned line, bool atomic) {
  uint32_t thread = warp.index * 32 + lane + 1;
  uint32_t clock = clockOf(warp.index);
  if (cell.inFlight) {
    report("async-read-in-flight", warp, lane, line, cell.inFlightLine,
           "read of shared memory at offset " + std::to_string(offset) +
               " before the asynchronous copy of thread " +
               threadName(cell.inFlight - 1) + " into it was waited for");
  } else if (!cell.initialized) {
    report("uninitialized-shared", warp, lane, line, 0,
           "read of shared memory at offset " + std::to_string(offset) +
               " that nobody has written");
  } else if (cell.writer && cell.writer != thread &&
             !(atomic && cell.atomicWrite) &&
             !ordered((cell.writer - 1) / 32, cell.writeClock, warp.index)) {
    report("shared-race", warp, lane, line, cell.writeLine,
           "read-after-write race at shared offset " + std::to_string(offset) +
               " with thread " + threadName(cell.writer - 1));
  }
  if (atomic)
    return; // the write that follows stands for both
  // Earlier readers that come before this one need not be remembered.
  if (cell.reader && cell.readClock != clock) {
    uint32_t unordered = 0;
    for (uint32_t left = cell.readWarps; left; left &= left - 1) {
      uint32_t other = uint32_t(__builtin_ctz(left));
      if (!ordered(other, cell.readClock, warp.index))
        unordered |= 1u << other;
    }
    if (unordered) {
      auto &list = oldReads[offset];
      for (uint32_t left = unordered; left && list.size() < 64;
           left &= left - 1)
        list.push_back(
            {uint32_t(__builtin_ctz(left)), cell.readClock, cell.readLine});
    }
    cell.reader = cell.readWarps = 0;
  }
  cell.reader = !cell.reader || cell.reader == thread ? thread : kMany;
  cell.readWarps |= 1u << warp.index;
  cell.readClock = clock;
  cell.readLine = line;
}

void Sanitizer::sharedAccess(Warp &warp, const Inst &inst, uint32_t mask,
                             const uint64_t *address, unsigned bytes,
                             SanitizeKind kind) {
  bool atomic = kind == SanitizeKind::Atomic;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    forCells(address[lane], bytes, [&](Cell &cell, uint64_t offset) {
      if (kind != SanitizeKind::Store)
        read(cell, offset, warp, lane, inst.line, atomic);
      if (kind != SanitizeKind::Load)
        write(cell, offset, warp, lane, inst.line, atomic);
    });
  }
}

void Sanitizer::asyncIssue(Warp &warp, const Inst &inst, uint32_t mask,
                           const uint64_t *address, unsigned bytes) {
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    forCells(address[lane], bytes, [&](Cell &cell, uint64_t offset) {
      write(cell, offset, warp, lane, inst.line, false);
      cell.inFlight = warp.index * 32 + lane + 1;
      cell.inFlightLine = inst.line;
    });
  }
}

void Sanitizer::asyncComplete(Warp &warp, const AsyncCopy &copy,
                              uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint32_t thread = warp.index * 32 + lane + 1;
    forCells(copy.destination[lane], copy.bytes, [&](Cell &cell, uint64_t) {
      if (cell.inFlight != thread)
        return;
      cell.inFlight = 0;
      // As if written now: before the thread's next barrier.
      cell.writer = thread;
      cell.writeClock = clockOf(warp.index);
      cell.writeLine = copy.line;
    });
  }
}

void Sanitizer::globalAccess(Warp &warp, const Inst &inst, uint32_t mask,
                             const uint64_t *address, unsigned bytes,
                             SanitizeKind kind) {
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint64_t at = address[lane];
    Allocation *allocation = cta.memory->find(at);
    if (!allocation || allocation->initialized)
      continue;
    uint64_t offset = at - allocation->begin;
    if (kind != SanitizeKind::Store) {
      bool all = allocation->shadow != nullptr;
      for (unsigned i = 0; i < bytes && all; ++i)
        all = allocation->shadow[offset + i];
      if (!all)
        report("uninitialized-global", warp, lane, inst.line, 0,
               "read of global memory that nobody has written, " +
                   std::to_string(offset) + " bytes into an allocation of " +
                   std::to_string(allocation->bytes) + " bytes");
    }
    if (kind != SanitizeKind::Load)
      allocation->markWritten(offset, bytes);
  }
}

void Sanitizer::barrierArrive(Warp &warp, const Inst &inst, uint32_t mask,
                              uint32_t barrier) {
  bool aligned = inst.c;
  if (aligned && mask != warp.live)
    report("divergent-barrier", warp, unsigned(__builtin_ctz(mask)), inst.line,
           0, "only some lanes of a warp reach an aligned barrier together");
  auto &join = joins[barrier];
  join.resize(warps, 0);
  for (uint32_t other = 0; other < warps; ++other)
    join[other] = std::max(join[other], clocks[warp.index * warps + other]);
  ++clocks[warp.index * warps + warp.index];
}

void Sanitizer::barrierComplete(uint32_t barrier,
                                const std::vector<uint32_t> &waited) {
  auto &join = joins[barrier];
  for (uint32_t warp : waited)
    for (uint32_t other = 0; other < warps && other < join.size(); ++other)
      clocks[warp * warps + other] =
          std::max(clocks[warp * warps + other], join[other]);
  join.clear();
}

void Sanitizer::warpBarrier(Warp &warp) {
  ++clocks[warp.index * warps + warp.index];
}
