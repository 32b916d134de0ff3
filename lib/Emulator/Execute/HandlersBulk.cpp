//===- HandlersBulk.cpp - cp.async.bulk, its tensors and st.async ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Issue: addresses are checked, bytes and sectors counted, and the copy is put
// where its completion is looked for. Each active lane issues one copy.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersBulk.h"

#include "Emulator/Execute/Access.h"
#include "Emulator/Execute/BulkCopies.h"
#include "Emulator/Execute/HandlersTensorMap.h"
#include "Emulator/Execute/Mbarrier.h"

#include <algorithm>

using namespace fusion::emulator;

namespace {

constexpr size_t kMaxInFlight = 1 << 16;

std::string hex(uint64_t value) {
  char buffer[24];
  std::snprintf(buffer, sizeof(buffer), "0x%llx",
                static_cast<unsigned long long>(value));
  return buffer;
}

/// A range of global memory, checked and counted. `previous` is the last sector
/// that the request counted before.
bool touchGlobal(Warp &warp, const Inst &inst, unsigned lane, uint64_t address,
                 uint64_t bytes, bool isStore, bool alsoLoads,
                 uint64_t &previous) {
  Cta &cta = *warp.cta;
  Allocation *allocation = holderOf(cta, address, address + bytes);
  if (!allocation) {
    raiseFault(warp, inst, lane,
               "a bulk copy of " + std::to_string(bytes) +
                   " bytes at global address " + hex(address) +
                   " leaves the allocation",
               "out-of-bounds-global");
    return false;
  }
  if (isStore && allocation->isConst) {
    raiseFault(warp, inst, lane,
               "a bulk copy into constant memory at " + hex(address),
               "read-only-write");
    return false;
  }
  uint64_t first = address >> 5, last = (address + bytes - 1) >> 5;
  if (previous != ~uint64_t(0) && first == previous)
    ++first;
  previous = last;
  Counters &counters = *warp.counters;
  if (first <= last)
    counters.globalSectors += last - first + 1;
  if (!isStore || alsoLoads)
    counters.globalLoadBytes += bytes;
  if (isStore)
    counters.globalStoreBytes += bytes;
  if (cta.tracing)
    for (uint64_t sector = first; sector <= last; ++sector)
      cta.trace.push_back(sector << 5 | uint64_t(isStore));
  if (!warp.sanitizer) {
    if (isStore)
      allocation->initialized.store(true, std::memory_order_relaxed);
  } else if (isStore) {
    warp.sanitizer->copies.storeGlobal(warp, inst, lane, address, bytes,
                                       alsoLoads);
  }
  return true;
}

BulkCopy newCopy(Warp &warp, const Inst &inst, unsigned lane) {
  BulkCopy copy;
  copy.issuer = warp.cta;
  copy.warp = warp.index;
  copy.lane = lane;
  copy.line = inst.line;
  copy.reduces = inst.a & BulkReduces;
  copy.operation = inst.b;
  copy.type = Type(inst.c);
  return copy;
}

/// The copy goes to the mbarrier that is to hear of it.
bool awaitAt(Warp &warp, const Inst &inst, unsigned lane, BulkCopy copy,
             uint32_t barrier) {
  Cta &cta = *copy.sharedCta;
  if (!loadMbarrier(cta, barrier).valid) {
    faultNoMbarrier(warp, inst, lane, cta, barrier);
    return false;
  }
  if (cta.async.queues[barrier].size() >= kMaxInFlight) {
    raiseFault(warp, inst, lane,
               "too many copies in flight for the mbarrier at shared offset " +
                   std::to_string(barrier));
    return false;
  }
  if (cta.sanitizer)
    cta.sanitizer->copies.bulkIssue(warp, inst, lane, copy, barrier);
  enqueue(cta, barrier, std::move(copy));
  return true;
}

/// To the destination, or to the same place in every CTA of `ctas`.
bool deliver(Warp &warp, const Inst &inst, unsigned lane, const BulkCopy &copy,
             Ref barrier, Ref ctas) {
  Cta *barrierCta;
  uint32_t offset;
  if (!resolveShared(warp, inst, lane, warp.reg<uint64_t>(barrier)[lane], 8, 8,
                     true, barrierCta, offset))
    return false;
  recordAtMbarrier(warp, StepAction::Complete, *copy.sharedCta, offset,
                   inst.a & BulkMulticast ? warp.reg<uint16_t>(ctas)[lane] : 0,
                   copy.bytes);
  if (!(inst.a & BulkMulticast)) {
    if (barrierCta != copy.sharedCta) {
      raiseFault(warp, inst, lane,
                 "the mbarrier of a copy is in the shared memory of another "
                 "block than its destination",
                 "mbarrier-misuse");
      return false;
    }
    return awaitAt(warp, inst, lane, copy, offset);
  }
  uint32_t mask = warp.reg<uint16_t>(ctas)[lane];
  const Cluster &cluster = *warp.cta->cluster;
  unsigned sent = 0;
  for (; mask; mask &= mask - 1) {
    unsigned rank = unsigned(__builtin_ctz(mask));
    if (rank >= cluster.ctas.size() || cluster.ctas[rank]->ended) {
      raiseFault(warp, inst, lane,
                 "multicast to block " + std::to_string(rank) +
                     " of the cluster, which is not there",
                 "cluster-lifetime");
      return false;
    }
    BulkCopy one = copy;
    one.sharedCta = cluster.ctas[rank];
    one.sourceSeen = sent++;
    if (!awaitAt(warp, inst, lane, std::move(one), offset))
      return false;
  }
  return true;
}

void addToGroup(Warp &warp, unsigned lane, BulkCopy copy) {
  // Programs that do not wait are not to exhaust the memory.
  if (warp.cta->async.stores.size() >= kMaxInFlight)
    for (Warp &other : warp.cta->warps)
      finishBulkStores(other, kFullMask);
  copy.group = warp.bulkCommitted[lane];
  if (drawn(*warp.cta))
    readSource(copy);
  warp.cta->async.stores.push_back(std::move(copy));
}

bool aligned(Warp &warp, const Inst &inst, unsigned lane, uint64_t value,
             const char *what) {
  if (!(value & 15))
    return true;
  raiseFault(warp, inst, lane,
             std::string(what) + " of a bulk copy, " + hex(value) +
                 ", is no multiple of 16 bytes",
             "misaligned");
  return false;
}

void bulkCopy(Warp &warp, const Inst &inst, uint32_t mask) {
  bool toGlobal = inst.a & BulkToGlobal, fromGlobal = inst.a & BulkFromGlobal;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint64_t to = warp.reg<uint64_t>(inst.op[0])[lane];
    uint64_t from = warp.reg<uint64_t>(inst.op[1])[lane];
    uint32_t bytes = warp.reg<uint32_t>(inst.op[2])[lane];
    if (!aligned(warp, inst, lane, bytes, "the size") ||
        !aligned(warp, inst, lane, from, "the source"))
      return;
    BulkCopy copy = newCopy(warp, inst, lane);
    copy.bytes = bytes;
    uint64_t sector = ~uint64_t(0);
    if (inst.a & BulkPrefetch) {
      if (bytes && !holderOf(*warp.cta, from, from + bytes))
        return raiseFault(warp, inst, lane,
                          "a prefetch of " + std::to_string(bytes) +
                              " bytes at global address " + hex(from) +
                              " leaves the allocation");
      continue;
    }
    if (!aligned(warp, inst, lane, to, "the destination"))
      return;
    if (toGlobal) {
      copy.kind = BulkCopy::Kind::SharedToGlobal;
      copy.global = to;
      if (inst.a & BulkMasked)
        copy.mask = warp.reg<uint16_t>(inst.op[4])[lane];
      if (!resolveShared(warp, inst, lane, from, bytes, 16, false,
                         copy.sharedCta, copy.shared) ||
          (bytes && !touchGlobal(warp, inst, lane, to, bytes, true,
                                 copy.reduces, sector)))
        return;
      if (warp.sanitizer)
        warp.sanitizer->copies.storeIssue(warp, inst, lane, copy);
      addToGroup(warp, lane, std::move(copy));
      continue;
    }
    if (!resolveShared(warp, inst, lane, to, bytes, 16, true, copy.sharedCta,
                       copy.shared))
      return;
    if (fromGlobal) {
      copy.kind = BulkCopy::Kind::GlobalToShared;
      copy.global = from;
      if (bytes &&
          !touchGlobal(warp, inst, lane, from, bytes, false, false, sector))
        return;
    } else {
      copy.kind = BulkCopy::Kind::SharedToShared;
      if (!resolveShared(warp, inst, lane, from, bytes, 16, false,
                         copy.sourceCta, copy.source))
        return;
    }
    if (!deliver(warp, inst, lane, copy, inst.op[3], inst.op[4]))
      return;
  }
}

/// Empty where a box begins where the copy engine can begin one, else what is
/// wrong. An H200 ends the kernel with an illegal instruction where the
/// innermost coordinate is not a multiple of 16 bytes; the PTX ISA does not say
/// so.
std::string checkBegin(const TensorBox &box) {
  int64_t bytes = int64_t(box.begin[0]) * box.elementBytes();
  if (bytes % 16 == 0)
    return "";
  return "the box begins " + std::to_string(bytes) +
         " bytes into a row of the tensor; GPUs copy from multiples of 16 "
         "bytes only";
}

void tensorCopy(Warp &warp, const Inst &inst, uint32_t mask) {
  bool toGlobal = inst.a & BulkToGlobal;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    auto box = std::make_shared<TensorBox>();
    uint8_t *bytes;
    uint64_t place;
    if (!tensorMapAt(warp, inst, lane, inst.op[1], AccessKind::Load, bytes,
                     place))
      return;
    if (warp.sanitizer)
      warp.sanitizer->maps.use(warp, inst, lane, place);
    std::memcpy(&box->map, bytes, sizeof(box->map));
    box->im2col = inst.a & BulkIm2col;
    std::string problem = checkTensorMap(box->map, inst.d, box->im2col);
    if (!problem.empty())
      return raiseFault(warp, inst, lane, problem);
    for (unsigned d = 0; d < inst.d; ++d)
      box->begin[d] = warp.reg<int32_t>(inst.op[2 + d])[lane];
    if (box->im2col && !toGlobal)
      for (unsigned s = 0; s + 2 < inst.d; ++s)
        box->offsets[s] = warp.reg<uint16_t>(inst.op[7 + s])[lane];
    problem = checkBegin(*box);
    if (!problem.empty())
      return raiseFault(warp, inst, lane, problem);
    BulkCopy copy = newCopy(warp, inst, lane);
    copy.bytes = box->sharedBytes();
    copy.type = tensorElement(box->map.type);
    if (copy.reduces && !canReduce(AtomicOp(copy.operation), copy.type))
      return raiseFault(warp, inst, lane,
                        "the tensor map's elements know no such reduction");
    if (inst.a & BulkPrefetch)
      continue;
    // Swizzles permute 16-byte chunks within patterns of up to 1024 bytes.
    if (!resolveShared(warp, inst, lane, warp.reg<uint64_t>(inst.op[0])[lane],
                       copy.bytes, 128, !toGlobal, copy.sharedCta, copy.shared))
      return;
    if (box->map.swizzle && ((copy.shared + copy.bytes + 127) & ~127u) >
                                copy.sharedCta->sharedBytes)
      return raiseFault(warp, inst, lane,
                        "a swizzled box reaches beyond shared memory",
                        "out-of-bounds-shared");
    uint64_t sector = ~uint64_t(0);
    bool ok = true;
    box->forRows([&](uint64_t global, uint32_t, uint32_t, uint32_t count) {
      if (ok && count)
        ok = touchGlobal(warp, inst, lane, global, count, toGlobal,
                         copy.reduces, sector);
    });
    if (!ok)
      return;
    copy.box = std::move(box);
    if (toGlobal) {
      copy.kind = BulkCopy::Kind::SharedToGlobal;
      if (warp.sanitizer)
        warp.sanitizer->copies.storeIssue(warp, inst, lane, copy);
      addToGroup(warp, lane, std::move(copy));
      continue;
    }
    copy.kind = BulkCopy::Kind::GlobalToShared;
    if (!deliver(warp, inst, lane, copy, inst.op[10], inst.op[11]))
      return;
  }
}

void bulkCommit(Warp &warp, const Inst &, uint32_t mask) {
  for (unsigned i = 0; i < kLanes; ++i)
    warp.bulkCommitted[i] += (mask >> i) & 1;
}

/// Carries out, or at least reads the sources of, the copies for which `due`.
template <class Due> void complete(Warp &warp, bool onlyRead, Due due) {
  std::vector<BulkCopy> &stores = warp.cta->async.stores;
  size_t kept = 0;
  for (size_t i = 0; i < stores.size(); ++i) {
    BulkCopy &copy = stores[i];
    bool now = copy.warp == warp.index && due(copy);
    if (now && !onlyRead) {
      carryOut(copy);
      continue;
    }
    if (now) {
      readSource(copy);
      copy.waited = true;
    }
    if (kept != i)
      stores[kept] = std::move(copy);
    ++kept;
  }
  stores.resize(kept);
}

void bulkWait(Warp &warp, const Inst &inst, uint32_t mask) {
  if (warp.step) {
    warp.step->action = StepAction::Wait;
    warp.step->value = uint32_t(inst.imm);
  }
  if (warp.sanitizer)
    warp.sanitizer->copies.storeWait(warp, mask, inst.imm, inst.a);
  complete(warp, inst.a, [&](const BulkCopy &copy) {
    return ((mask >> copy.lane) & 1) &&
           int64_t(copy.group) + inst.imm <
               int64_t(warp.bulkCommitted[copy.lane]);
  });
}

void asyncStore(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned values = inst.count - 2u, bytes = inst.a;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    BulkCopy copy = newCopy(warp, inst, lane);
    copy.kind = BulkCopy::Kind::Value;
    copy.reduces = inst.d;
    copy.bytes = bytes * values;
    copy.data.resize(copy.bytes);
    for (unsigned k = 0; k < values; ++k)
      std::memcpy(copy.data.data() + k * bytes,
                  warp.reg<uint8_t>(inst.op[2 + k]) + lane * bytes, bytes);
    Cta *cta;
    uint32_t barrier;
    if (!resolveShared(warp, inst, lane, warp.reg<uint64_t>(inst.op[0])[lane],
                       copy.bytes, copy.bytes, true, copy.sharedCta,
                       copy.shared) ||
        !resolveShared(warp, inst, lane, warp.reg<uint64_t>(inst.op[1])[lane],
                       8, 8, true, cta, barrier))
      return;
    if (cta != copy.sharedCta)
      return raiseFault(warp, inst, lane,
                        "the mbarrier of an asynchronous store is in the "
                        "shared memory of another block than its destination",
                        "mbarrier-misuse");
    if (!awaitAt(warp, inst, lane, std::move(copy), barrier))
      return;
  }
}

} // namespace

void fusion::emulator::finishBulkStores(Warp &warp, uint32_t mask) {
  if (!warp.cta->async.stores.empty())
    complete(warp, false,
             [&](const BulkCopy &copy) { return (mask >> copy.lane) & 1; });
}

Handler fusion::emulator::bulkCopyHandler() { return bulkCopy; }
Handler fusion::emulator::tensorCopyHandler() { return tensorCopy; }
Handler fusion::emulator::bulkCommitHandler() { return bulkCommit; }
Handler fusion::emulator::bulkWaitHandler() { return bulkWait; }
Handler fusion::emulator::asyncStoreHandler() { return asyncStore; }
