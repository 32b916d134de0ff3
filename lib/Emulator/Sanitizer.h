//===- Sanitizer.h - Finds races and uses of missing data -------*- C++ -*-===//
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
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZER_H
#define FUSION_LIB_EMULATOR_SANITIZER_H

#include "GridSanitizer.h"

#include <array>
#include <map>
#include <set>
#include <tuple>

namespace fusion::emulator {

/// One per CTA; findings are collected until the CTA ends.
class Sanitizer {
public:
  Sanitizer(Cta &cta, GridSanitizer &grid);
  ~Sanitizer() { grid.spares.emplace_back(std::move(shared), std::move(sets)); }
  Sanitizer(const Sanitizer &) = delete;

  /// Bytes of shared memory that hold something from the start.
  void initialize(uint32_t offset, uint32_t bytes);
  /// `contiguous`: all lanes, one after the other; `all`: the allocation that
  /// holds all that is accessed, null where none does.
  void globalAccess(Warp &warp, const Inst &inst, uint32_t mask,
                    const uint64_t *address, unsigned bytes, SanitizeKind kind,
                    bool contiguous = false, Allocation *all = nullptr);
  /// The lane frees that memory: nobody may access it any more, as if all that
  /// anybody has accessed were written.
  void release(Warp &warp, const Inst &inst, unsigned lane, uint64_t address,
               uint64_t bytes);
  /// The lanes write lines of what nobody knows: as if nobody had written them.
  void discard(Warp &warp, const Inst &inst, uint32_t mask,
               const uint64_t *address);
  void sharedAccess(Warp &warp, const Inst &inst, uint32_t mask,
                    const uint64_t *address, unsigned bytes, SanitizeKind kind,
                    bool contiguous = false);
  /// cp.async: `bytes` per lane are going to be written at these offsets; what
  /// is going to be read was told by globalAccess.
  void asyncIssue(Warp &warp, const Inst &inst, uint32_t mask,
                  const uint64_t *address, unsigned bytes, AsyncCopy &copy);
  /// The data of these lanes has arrived.
  void asyncComplete(Warp &warp, const AsyncCopy &copy, uint32_t mask,
                     bool atMbarrier);
  /// Copies issued from now on may complete at another time.
  void asyncClose(Warp &warp) { states[warp.index].copyReads = 0; }

  // SanitizerAsync.cpp. `warp` may be of another CTA of the cluster.
  /// A copy that completes at the mbarrier at `barrier` is going to write.
  void bulkIssue(Warp &warp, const Inst &inst, unsigned lane, BulkCopy &copy,
                 uint32_t barrier);
  /// A copy of a bulk group is going to read shared and to write global memory
  /// (each row by itself).
  void storeIssue(Warp &warp, const Inst &inst, unsigned lane,
                  const BulkCopy &copy);
  void storeGlobal(Warp &warp, const Inst &inst, unsigned lane,
                   uint64_t address, uint64_t bytes, bool reduces);
  /// The lanes waited until at most `pending` of their bulk groups are left.
  void storeWait(Warp &warp, uint32_t mask, int64_t pending, bool onlyRead);
  /// A wgmma reads these pieces of 16 bytes.
  void productRead(Warp &warp, const Inst &inst, const uint32_t *pieces,
                   size_t count);
  void productWait(Warp &warp, int64_t pending);
  /// A warp executes a wgmma.mma_async, with the operands that its warpgroup
  /// must have in common; `isAlike`: so have its lanes.
  void productStart(const Warp &warp, const Inst &inst, uint64_t a, uint64_t b,
                    bool scaleD, bool isAlike);
  /// A fence, commit or wait of wgmma, which all warps of a group execute, too.
  void productStep(const Warp &warp, const Inst &inst) {
    productStart(warp, inst, 0, 0, false, true);
  }
  // SanitizerRegisters.cpp: wgmma.fence, and registers of wgmma; setmaxnreg.
  void productFence(Warp &warp);
  void registersSet(Warp &warp, const Inst &inst, uint32_t mask);
  void registerAccess(Warp &warp, unsigned lane, const RegisterWatch &watch);
  /// cp.async that an mbarrier waits for are going to arrive, and these bytes
  /// have.
  void deliver(uint32_t barrier, const BulkCopy &arrival);
  void delivered(const AsyncCopy &copy, unsigned lane);
  /// Lanes end; `last`: the CTA does.
  void exit(Warp &warp, uint32_t mask, bool last);

  // SanitizerLaunches.cpp
  /// The lanes have waited for the grids launched before.
  void gridWait(Warp &warp, uint32_t mask);

  // SanitizerTensorMaps.cpp, of maps at generic addresses
  void mapAccess(Warp &warp, const Inst &inst, uint32_t mask, uint64_t address,
                 SanitizeKind kind);
  void mapPublish(Warp &warp, uint32_t mask, uint64_t address);
  void mapAcquire(Warp &warp, uint32_t mask, const uint64_t *address);
  void mapUse(Warp &warp, const Inst &inst, unsigned lane, uint64_t address);

  // SanitizerCluster.cpp
  /// The lanes access this CTA's shared memory at these offsets, from wherever
  /// they are.
  void clusterAccess(Warp &warp, const Inst &inst, uint32_t mask,
                     const uint64_t *offset, unsigned bytes, SanitizeKind kind);

  // SanitizerPhases.cpp
  /// The mbarrier at `offset` is initialised (or invalidated) or used.
  void phaseInit(Warp &warp, const Inst &inst, unsigned lane, uint32_t offset,
                 bool live);
  void phaseTouch(Warp &warp, const Inst &inst, uint32_t mask, uint32_t offset,
                  bool asyncProxy = false);
  /// Arrival at the mbarrier at `offset`, the end of its phase, and a wait
  /// that saw the end. kClusterPhase is barrier.cluster.
  void phaseArrive(Warp &warp, const Inst &inst, uint32_t mask,
                   uint32_t offset);
  /// A copy arrives there.
  void phaseDeliver(uint32_t offset, const BulkCopy &copy);
  /// An operation that is for the next phase if those copies have completed.
  void phaseTooEarly(const Warp &warp, const Inst &inst, unsigned lane,
                     uint32_t offset, unsigned copyLine);
  void phaseComplete(uint32_t offset);
  void phaseObserve(Warp &warp, const Inst &inst, uint32_t mask,
                    uint32_t offset);
  static constexpr uint32_t kClusterPhase = UINT32_MAX;
  /// Line of the last arrival at that mbarrier; 0: none.
  unsigned lastArrival(uint32_t offset) const {
    auto it = async.phases.find(offset);
    return it == async.phases.end() ? 0 : it->second.arrivalLine;
  }

  /// Line of the last write to that word of the CTA's; 0: not known.
  unsigned lastWrite(uint32_t offset) const {
    Record write = withoutHiding(shared.writes[offset / 4]);
    return write & kSpecial ? 0 : lineOf(write);
  }

  /// `missing`: lanes of the warp that an aligned barrier wants too;
  /// `otherLine`: where others are.
  void barrierArrive(Warp &warp, const Inst &inst, uint32_t mask,
                     uint32_t barrier, uint32_t missing, unsigned otherLine);
  /// An instruction that wants whole warps is executed by these lanes alone.
  void divergence(const Warp &warp, const Inst &inst, uint32_t mask,
                  unsigned otherLine);
  /// These lanes of every warp waited for it.
  void barrierComplete(uint32_t barrier, const std::vector<uint32_t> &waited);
  /// bar.warp.sync among these lanes.
  void warpBarrier(Warp &warp, uint32_t mask);
  void lanesMeet(const Warp &warp, uint32_t lanes);
  /// `narrow`: of scope .cta; `sequential`: fence.sc.
  void fence(Warp &warp, uint32_t mask, bool narrow, bool sequential);
  /// A fence between generic and async proxy (bits of ProxyFence).
  void proxyFence(Warp &warp, uint32_t mask, unsigned kinds);

  /// Where the message is already made.
  void reportText(const char *kind, const Warp &warp, unsigned lane,
                  unsigned line, unsigned otherLine, std::string message);

  std::vector<Finding> findings;

  /// What a warp that is watched does (Spinning.cpp): whether it writes, and
  /// the first place that it polls, mostly by strong reads.
  struct Watch {
    bool stores = false, isStrong = false;
    std::string poll;
    unsigned line = 0, otherLine = 0; ///< of the read, of the last write
  };
  Watch *watch = nullptr;

private:
  /// A strong read of what the thread knows of only if no fence were needed.
  struct Suspect {
    unsigned lane;
    const Shadow *memory;
    uint64_t offset;
    Record write;
  };
  /// What lanes knew at their last fence, and their own clock.
  struct Fenced {
    ToldRef told;
    uint32_t clock, lanes;
    Telling::Order order = Telling::Order::Release;
  };
  using Fences = std::vector<Fenced>;
  struct WarpState {
    uint32_t clock = 1;
    uint32_t context = 0;   ///< 0: not numbered yet
    uint32_t copyReads = 0; ///< that of cp.async, of their reads
    /// What is below is of this CTA and ordered before every lane; holds in
    /// the shadow of shared memory only.
    Record limit = Record(1) << 32;
    /// Contexts found to come before every lane lately, in the same place.
    Record writesBefore = 0, readsBefore = 0;
    Knowledge common;         ///< of all lanes
    Knowledge arrivedWith;    ///< the same at their barrier.cluster.arrive
    LaneMap<Knowledge> lanes; ///< what single lanes know besides
    LaneMap<Knowledge> past;  ///< what took place before (hasTakenPlace)
    ToldRef told;             ///< the last picture of `common`
    Pending pending;
    Fences fenced;
    /// The same of scope .cta, or wider (only with Code::hasCtaScope).
    Pending narrowPending;
    Fences narrowFenced;
    /// Threads whose strong writes were read; and suspicious reads (only with
    /// locks: Code::hasAtomics and hasUpdates).
    LaneMap<Clocks> loose;
    /// What strong reads saw already: acquired, pending, and in `loose`.
    SeenVersions acquired, read, seenLoosely;
    std::vector<Suspect> suspects;
    /// What lanes are going to know after a fence.sc.
    LaneMap<Knowledge> sequential;
    Knowledge sequentialOfAll; ///< the same, of all lanes
    /// CTAs of the cluster, by rank, that all lanes know to have begun; and the
    /// lanes of the last access to another CTA's memory.
    uint32_t begun = 0;
    Record remote = 0;
    uint32_t remoteRank = 0, remoteLanes = 0;
    /// Contexts, and whether they come before all lanes: as long as `common`
    /// is this.
    Knowledge askedOf;
    uint32_t asked[kAsked] = {}; ///< twice the context, and the answer
    /// An mbarrier whose initialisation all lanes were found to come after.
    const Phase *touched = nullptr;
    Record touchedWrite = 0;
  };
  /// What fence.sc of those who meet released, and what theirs may acquire.
  struct Crossing {
    Knowledge released, pending;
    bool empty() const { return released.empty() && pending.empty(); }
  };
  struct Reach; // an access as it goes from word to word
  /// What a read does to the reads before it.
  enum class Action { Replace, Keep, Join };
  struct AsyncReach;

  void noteWatched(const Inst &inst, SanitizeKind kind, uint64_t address,
                   const Allocation *allocation, Shadow &shadow,
                   uint64_t offset);
  /// `message` is made only where the finding is new.
  template <class Message>
  void report(const char *kind, const Warp &warp, unsigned lane, unsigned line,
              unsigned otherLine, Message message);
  Record contextRecord(Warp &warp);
  Record copyRecord(Warp &warp, uint32_t mask);
  void completeReads(const AsyncCopy &copy, uint32_t mask, uint32_t context);
  /// The record of a cp.async's read, as that of whoever waited for it; 0
  /// where nobody did. Lanes must be alike where all of them are meant.
  Record completed(Record other, bool forAll = false) const;
  bool isCopying(Record other) const {
    return slots::isCopy(grid.contexts[contextOf(other)].warp) &&
           !completed(other);
  }
  void advance(WarpState &state) {
    ++state.clock;
    state.context = 0;
  }
  /// Lane -1: before any lane of the warp, which acts as one.
  bool ordered(Record other, const Warp &warp, int lane) const;
  bool orderedForAll(Record other, const Warp &warp) const;
  bool hasTakenPlace(Record other, const Warp &warp, int lane) const;
  Knowledge knowledgeOf(const Warp &warp, unsigned lane) const;
  template <class Visit> void forTold(Warp &warp, uint32_t mask, Visit visit);
  void learn(Warp &warp, uint32_t mask, const Knowledge &knowledge);
  void import(Knowledge &into, const Knowledge &exported) const;
  void hear(Warp &warp, const Places &places, const Released &released,
            Pending *pending);
  void learnTold(Warp &warp, uint32_t lanes, const Telling &telling,
                 uint32_t who);
  void acquire(Warp &warp, uint32_t mask, Pending &pending);
  void synchronize(Warp &warp, uint32_t mask, const uint64_t *address,
                   const Inst &inst, SanitizeKind kind, Released &wide,
                   Released *narrow);
  // SanitizerSequential.cpp
  void arriveSequentially(const Warp &warp, uint32_t mask, Crossing &into);
  void meetSequentially(Warp &warp, uint32_t mask, const Crossing &met,
                        const ToldRef &told);
  ToldRef toldOf(const Crossing &met) const;
  template <class Add>
  void addSequentially(const Warp &warp, uint32_t lanes, Add add);
  void awaitSequentially(const Warp &warp, uint32_t lanes, const Told &told);
  void acquireSequentially(Warp &warp, uint32_t mask);
  // SanitizerLocks.cpp
  static bool isStrong(const Inst &inst, SanitizeKind kind) {
    return kind == SanitizeKind::Atomic ||
           (inst.order & ~(OrderGuess | OrderCopy));
  }
  bool hasLocks() const { return cta.code->hasAtomics && cta.code->hasUpdates; }
  void synchronizeLoosely(Warp &warp, uint32_t mask, const uint64_t *address,
                          SanitizeKind kind, LooselyReleased &released);
  void suspect(Reach &reach, Record write, uint64_t offset, unsigned lane);
  bool isLostUpdate(const Reach &reach, Record write, uint64_t offset,
                    unsigned lane) const;

  // SanitizerScopes.cpp
  void checkScopes(Reach &reach, const Inst &inst, uint32_t mask,
                   const uint64_t *offset, unsigned bytes);

  // SanitizerAccess.cpp, SanitizerWords.cpp, SanitizerRows.cpp,
  // SanitizerNarrow.cpp
  void access(Reach &reach, uint32_t mask, const uint64_t *offset,
              unsigned bytes, bool contiguous);
  void accessByLane(Reach &reach, uint32_t mask, const uint64_t *offset,
                    unsigned bytes);
  bool accessQuickly(Reach &reach, Record &write, Record &reads,
                     uint64_t offset, unsigned lane);
  bool isAfter(const Reach &reach, Record other, Record mine) const;
  bool isAfterForAll(const Reach &reach, Record other) const;
  static const uint32_t *askedBy(WarpState &state);
  bool accessAtOnce(Reach &reach, uint32_t mask, const uint64_t *offset,
                    unsigned bytes, bool contiguous);
  uint32_t accessNarrow(Reach &reach, uint32_t mask, const uint64_t *offset,
                        unsigned bytes);
  template <unsigned Bytes, bool Splits>
  uint32_t accessSplit(Reach &reach, uint32_t mask, const uint64_t *offset);
  bool accessTogether(Reach &reach, uint64_t word, Record mine);
  bool accessUniform(Reach &reach, uint32_t mask, const uint64_t *offset,
                     unsigned bytes, bool contiguous);
  bool loadAtOnce(Reach &reach);
  bool loadScattered(Reach &reach);
  bool loadScatteredGlobal(Reach &reach);
  bool storeAtOnce(Reach &reach);
  bool storeStrongly(Reach &reach);
  uint32_t accessRows(Reach &reach, uint32_t mask, const uint64_t *offset,
                      unsigned bytes, bool contiguous);
  bool accessRow(Reach &reach, Shadow::Row &row, Record mine);
  bool allOrdered(const Reach &reach, const Record *records);
  void askFront(const Reach &reach, Record front, Record &before) const;
  Action actionOn(Reach &reach, Record reads) const;
  Action findAction(const Reach &reach, Record reads) const;
  bool orderedForOwner(Record other, Record owner, const Warp &warp) const;
  void read(Reach &reach, Record &write, Record &reads, uint64_t offset,
            unsigned lane);
  void write(Reach &reach, Record &write, Record &reads, uint64_t offset,
             unsigned lane);
  void checkReaders(Reach &reach, Record reads, uint64_t offset, unsigned lane);
  // SanitizerRedundant.cpp
  unsigned storedElementBytes(unsigned line);
  static const uint8_t *storedElement(const Reach &reach, unsigned lane,
                                      uint64_t offset);
  bool isRedundant(const Reach &reach, Record other, uint64_t offset,
                   unsigned lane);
  void raceOfWrites(Reach &reach, Record other, uint64_t offset, unsigned lane);
  // SanitizerHistory.cpp
  static Record strongRecord(const History::Strong &strong) {
    return Record(strong.context) << 32 | Record(strong.line) << 12 | kAtomic;
  }
  bool isKnown(const Reach &reach, Record access, unsigned lane) const;
  bool hasObserved(const Reach &reach, Record reads, unsigned lane) const;
  void checkStrong(Reach &reach, const History &history, Record reads,
                   uint64_t offset, unsigned lane);
  void checkHidden(Reach &reach, Record write, Record reads, uint64_t offset,
                   unsigned lane);
  void hide(Reach &reach, Record &write, Record &reads, uint64_t offset,
            uint32_t lanes);
  bool writeOften(Reach &reach, Record &write, uint64_t offset, Record mine,
                  uint32_t lanes);
  bool writeStrongly(Reach &reach, Record &write, Record &reads,
                     uint64_t offset, uint32_t lanes);
  bool readsHiddenFine(const Reach &reach, uint64_t offset, Record mine) const;
  template <class Visit>
  static void forStrong(const Reach &reach, const History &history,
                        Visit visit);
  size_t placeOf(const Reach &reach, Record access) const;
  bool isCovered(const Reach &reach, const History::Strong &before,
                 const History::Strong &fresh);
  void keepWeak(History::More &more, Record access, bool writes);
  void keepStrongReader(const Reach &reach, History::More &more, Record access);
  static History::Strong strongWrite(const Reach &reach, Record access,
                                     uint32_t lanes);
  static History::Strong united(const History::Strong &last,
                                History::Strong fresh);
  void keepStrongWrite(const Reach &reach, History &history, Record access,
                       uint32_t lanes);
  bool isOfSameThread(Record one, Record other) const;
  void checkInitialized(const Reach &reach, Allocation &allocation,
                        uint32_t mask, const uint64_t *offset, unsigned bytes,
                        bool contiguous);
  void race(Reach &reach, const char *what, Record other, uint64_t offset,
            unsigned lane);
  Record addReader(const Reach &reach, Record reads, Record mine);
  bool areMixed(Record reads, Record mine);
  Record addMixedReader(Record reads, Record mine, const Warp &warp);
  // SanitizerOrder.cpp
  /// Whether the thread of `other` is known there at this context.
  bool in(const Knowledge &knowledge, const Context &context,
          Record other) const;
  bool knows(const WarpState &state, const Context &context, Record other,
             int lane) const;
  bool fenced(Record other, const Warp &warp, int lane, uint32_t slot) const;
  Record limitAfter(const Knowledge &join);
  // SanitizerAsync.cpp
  AsyncReach asyncReach(const Warp &warp, const Inst &inst, int lane,
                        uint32_t context, bool reduces);
  uint32_t newContext(const Warp &warp, uint32_t slot, uint32_t clock);
  uint32_t contextOfGroup(const Warp &warp, AsyncAgent &agent, uint32_t group);
  AsyncAgent &agentOf(AsyncAgent::Kind kind, uint32_t id);
  AsyncAgent *findAgent(AsyncAgent::Kind kind, uint32_t id);
  void asyncRead(AsyncReach &reach, uint32_t offset, uint32_t bytes);
  void asyncWrite(AsyncReach &reach, uint32_t offset, uint32_t bytes);
  void bulkGlobal(Warp &warp, const Inst &inst, unsigned lane, uint32_t context,
                  uint64_t address, uint64_t bytes, SanitizeKind kind);
  void checkWriter(AsyncReach &reach, Record write, uint64_t offset);
  const char *kindOfRace(const Reach &reach, Record other) const;
  // SanitizerLaunches.cpp
  /// The lanes access what grids launched before may still access.
  void checkGridWait(const Warp &warp, const Inst &inst, uint32_t mask,
                     const Allocation &allocation);
  // SanitizerPhases.cpp
  /// In a cluster of one block no wait is narrower than another.
  bool hasNarrowWaits() const {
    return cta.code->hasNarrowWaits && cta.cluster->ctas.size() > 1;
  }
  void phaseHear(uint32_t offset, uint32_t slot, uint32_t clock);
  void noteUse(const Warp &warp, const Inst &inst, uint32_t mask, Phase &phase);
  /// Whether the context is of the warp's own accesses.
  bool isOwn(uint32_t context, const Warp &warp) const {
    const Context &of = grid.contexts[context];
    return of.block == warp.sanitizer->cta.linear && of.warp == warp.index;
  }
  bool comesAfterMeeting(const Warp &warp, unsigned lane, uint32_t index,
                         unsigned other) const;
  void checkUses(const Warp &warp, const Inst &inst, unsigned lane,
                 uint32_t offset, const Phase &phase);
  // SanitizerRegisters.cpp
  void checkRegisters();
  void checkProducts();
  // SanitizerCluster.cpp
  Record settledInCluster();
  void noteRemote(Warp &warp, uint32_t mask, unsigned line, bool accesses);
  void checkLifetime(const Warp &warp);
  /// `into`, which is that of a whole warp, comes to know `known`: warps mostly
  /// know the same before and learn the same.
  /// `isTold`: `known` has all that `into` has.
  void learnTogether(Knowledge &into, const Knowledge &known,
                     bool isTold = false);
  Knowledge toldRelaxed(const Warp &warp, uint32_t mask, bool local) const;
  bool hasCluster() const { return cta.cluster->ctas.size() > 1; }
  template <class Visit>
  static void forRecords(Shadow &shadow, uint64_t offset, uint64_t bytes,
                         Visit visit);
  Shadow &shadowOf(const Allocation &allocation);
  Shadow &recentShadow(Allocation &allocation);
  std::string threadName(Record record) const;

  Cta &cta;
  GridSanitizer &grid;
  uint32_t warps;
  std::vector<WarpState> states;
  std::vector<Knowledge> joins;    ///< per barrier, of the arrived
  std::vector<Crossing> crossings; ///< the same
  ToldRef lastTold;                ///< the last picture of what lanes know
  /// What warps learned last: at mbarriers and barrier.cluster, in turn.
  struct Learned {
    Knowledge before, known, after;
  };
  Learned learned[4];
  unsigned learnedNext = 0;
  Released released; ///< at offsets of shared memory
  /// For threads of the CTA alone: in its shared and in global memory.
  Released narrowShared, narrowGlobal;
  LooselyReleased looseShared;
  Shadow shared;
  /// Below, what strong writes to it hide was dropped.
  Record forgotten = 0;
  /// Of the first CTA of a cluster: waits for barrier.cluster so far, and what
  /// was settled in the whole cluster after how many of them.
  uint64_t clusterWaits = 0, settledAfter = 0;
  Record settled;
  /// Of global memory, with their shadows, in turn.
  struct Recent {
    Allocation *allocation = nullptr;
    Shadow *shadow = nullptr;
  };
  Recent recent[4];
  unsigned recentNext = 0;
  ReaderSets sets;
  /// Sets of contexts before are no more: barriers of all threads make it grow,
  /// while a late access by another CTA, at an early context, lowers limits.
  Record oldestSets = 0;
  /// Whether the readers are such a set.
  bool isGone(Record reads) const {
    return (reads & kSet) && reads < oldestSets;
  }
  uint64_t epoch = ++grid.epochs; ///< of GridSanitizer::Union
  /// Whether the last union tells strong readers from weak ones, by their
  /// lanes.
  bool isMixedUnion = false;
  AsyncTracking async;
  std::set<std::tuple<std::string, unsigned, unsigned>> known;
  std::map<unsigned, unsigned> elementBytes; ///< of stores, by line
  ShadowWords words;                         ///< of the access at hand
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZER_H
