//===- Sanitizer.h - Finds races and uses of data that are not there -*- C++
//-*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers and the scheduler call it where Options::sanitize is set; without
// it there is no object and all that is left is one test per memory access.
//
// Order between threads is happens-before (HappensBefore.h) over barriers,
// bar.warp.sync, and strong accesses with fences: a fence and then a strong
// write release, a strong read and then a fence acquire (PTX ISA, "Memory
// Consistency Model"). Memories have shadows (Shadow.h).
//
// An asynchronous operation is an agent of its own: a context that knows what
// its issuer knew, whose accesses nobody is ordered after until it completes
// (issueAsync, completeAsync).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZER_H
#define FUSION_LIB_EMULATOR_SANITIZER_H

#include "HappensBefore.h"
#include "Shadow.h"
#include "Warp.h"

#include <array>
#include <map>
#include <memory>
#include <set>
#include <tuple>

namespace fusion::emulator {

enum class SanitizeKind : uint8_t { Load, Store, Atomic };

/// Contexts of asynchronous operations count as warps from here on.
constexpr uint32_t kFirstAgent = 32;

/// What the CTAs of a launch share.
struct GridSanitizer {
  explicit GridSanitizer(uint64_t seed) : keepsFirstReader(seed % 2 == 0) {}

  std::vector<Context> contexts{{UINT64_MAX, 0, 0}}; ///< [0] is nobody's
  Released released; ///< at addresses of global memory
  std::unordered_map<const Allocation *, std::unique_ptr<Shadow>> shadows;
  /// Which of two unordered readers of a word of global memory is kept.
  bool keepsFirstReader;
};

/// One per CTA; findings are collected until the CTA ends.
class Sanitizer {
public:
  Sanitizer(Cta &cta, GridSanitizer &grid);

  void globalAccess(Warp &warp, const Inst &inst, uint32_t mask,
                    const uint64_t *address, unsigned bytes, SanitizeKind kind);
  void sharedAccess(Warp &warp, const Inst &inst, uint32_t mask,
                    const uint64_t *address, unsigned bytes, SanitizeKind kind);
  /// cp.async: `bytes` per lane are going to be written at these offsets.
  void asyncIssue(Warp &warp, const Inst &inst, uint32_t mask,
                  const uint64_t *address, unsigned bytes);
  /// The data of these lanes has arrived.
  void asyncComplete(Warp &warp, const AsyncCopy &copy, uint32_t mask);

  /// Bytes of shared memory that an asynchronous operation (a bulk copy, a
  /// wgmma) reads or is going to write.
  struct AsyncRange {
    uint32_t offset, bytes;
    bool writes;
  };
  static constexpr uint64_t kNoObject = UINT64_MAX;
  /// Begins an operation of one thread that will complete at a synchronisation
  /// object (below), or at a wait of its warp; the result names it. Accesses
  /// that conflict before it completes are findings.
  uint32_t issueAsync(Warp &warp, const Inst &inst, unsigned lane,
                      uint64_t object, std::vector<AsyncRange> ranges);
  /// Completes it towards its object, or towards the lanes that waited.
  void completeAsync(uint32_t operation);
  void completeAsync(uint32_t operation, Warp &warp, uint32_t mask);

  /// Synchronisation objects of shared memory (mbarriers), by offset.
  void release(Warp &warp, uint32_t mask, uint64_t object);
  void acquire(Warp &warp, uint32_t mask, uint64_t object);

  void barrierArrive(Warp &warp, const Inst &inst, uint32_t mask,
                     uint32_t barrier);
  /// These lanes of every warp waited for it.
  void barrierComplete(uint32_t barrier, const std::vector<uint32_t> &waited);
  /// bar.warp.sync among these lanes.
  void warpBarrier(Warp &warp, uint32_t mask);
  void fence(Warp &warp, uint32_t mask);

  std::vector<Finding> findings;

private:
  struct WarpState {
    uint32_t clock = 1;
    uint32_t context = 0; ///< 0: not numbered yet
    /// What is below is of this CTA and ordered before every lane; holds in
    /// the shadow of shared memory only.
    Record limit = Record(1) << 32;
    Knowledge common;               ///< of all lanes
    std::map<unsigned, Knowledge> lanes; ///< what single lanes know besides
    std::map<unsigned, Knowledge> pending; ///< read, but not acquired yet
    std::map<unsigned, Knowledge> fenced;  ///< at the last fence
  };
  struct Reach; // an access as it goes from word to word

  /// `message` is made only where the finding is new.
  template <class Message>
  void report(const char *kind, const Warp &warp, unsigned lane, unsigned line,
              unsigned otherLine, Message message);
  Record contextRecord(Warp &warp);
  void advance(WarpState &state) {
    ++state.clock;
    state.context = 0;
  }
  bool ordered(Record other, const Warp &warp, unsigned lane,
               bool strongRead = false) const;
  bool orderedForAll(Record other, const Warp &warp) const;
  Knowledge knowledgeOf(const Warp &warp, unsigned lane) const;
  Knowledge exported(const Warp &warp, unsigned lane,
                     const Knowledge &knowledge, uint32_t ownClock) const;
  void learn(Warp &warp, uint32_t mask, const Knowledge &knowledge);
  void import(Knowledge &into, const Knowledge &exported) const;
  void acquirePending(Warp &warp, uint32_t mask);
  Record asyncLimit(const Knowledge &common);
  void synchronize(Warp &warp, uint32_t mask, const uint64_t *address,
                   const Inst &inst, SanitizeKind kind, Released &released);

  void access(Reach &reach, uint32_t mask, const uint64_t *offset,
              unsigned bytes);
  void read(Reach &reach, Record &write, Record &reads, uint64_t offset,
            unsigned lane);
  void write(Reach &reach, Record &write, Record &reads, uint64_t offset,
             unsigned lane);
  void checkReaders(Reach &reach, Record reads, uint64_t offset, unsigned lane);
  void race(Reach &reach, const char *what, Record other, uint64_t offset,
            unsigned lane);
  Record addReader(Record reads, Record mine, const Warp &warp);
  Shadow &shadowOf(const Allocation &allocation);
  std::string threadName(Record record) const;

  Cta &cta;
  GridSanitizer &grid;
  uint32_t warps;
  std::vector<WarpState> states;
  std::vector<Knowledge> joins; ///< per barrier, of the arrived
  Released released;            ///< at offsets of shared memory
  Shadow shared;
  std::vector<std::vector<Record>> sets; ///< of readers
  struct Union {
    Record reads = 0, mine = 0, result = 0;
  };
  std::array<Union, 256> unions; ///< what was united lately
  struct Operation {
    uint32_t context;
    uint64_t object;
    bool complete = false;
    std::vector<AsyncRange> ranges;
  };
  Operation *finish(uint32_t operation);
  void asyncAccess(Warp &warp, const Inst &inst, unsigned lane,
                   const AsyncRange &range, uint32_t context);
  /// In flight, or complete and nobody's barrier knows yet.
  std::map<uint32_t, Operation> operations;
  std::map<uint64_t, uint32_t> agents;  ///< by object
  std::vector<uint32_t> agentClocks;
  uint32_t nextOperation = 0;
  std::set<std::tuple<std::string, unsigned, unsigned>> known;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZER_H
