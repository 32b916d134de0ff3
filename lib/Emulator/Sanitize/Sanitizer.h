//===- Sanitizer.h - Finds races and uses of missing data -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers and the scheduler call the sanitizer if Options::sanitize is set.
// Otherwise there is no object, and each memory access costs one test.
//
// Order between threads is happens-before (HappensBefore.h) over barriers,
// bar.warp.sync, and strong accesses with fences. A fence and then a strong
// write release, a strong read and then a fence acquire (PTX ISA, "Memory
// Consistency Model"). Memories have shadows (Shadow.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_SANITIZER_H
#define FUSION_LIB_EMULATOR_SANITIZE_SANITIZER_H

#include "Emulator/Sanitize/GridSanitizer.h"

#include <array>
#include <map>
#include <set>
#include <tuple>

namespace fusion::emulator {

/// The sanitizer of one CTA; findings are collected until the CTA ends.
class Sanitizer {
public:
  Sanitizer(Cta &cta, GridSanitizer &grid);
  ~Sanitizer() { grid.spares.emplace_back(std::move(shared), std::move(sets)); }
  Sanitizer(const Sanitizer &) = delete;

  /// Marks bytes of shared memory as written from the start.
  void initialize(uint32_t offset, uint32_t bytes);
  /// `contiguous`: all lanes, one after the other. `all`: the allocation that
  /// contains the whole access, or null.
  void globalAccess(Warp &warp, const Inst &inst, uint32_t mask,
                    const uint64_t *address, unsigned bytes, SanitizeKind kind,
                    bool contiguous = false, Allocation *all = nullptr);
  /// The lane frees memory. Later accesses are races: the free counts as a
  /// write to all bytes that were accessed.
  void release(Warp &warp, const Inst &inst, unsigned lane, uint64_t address,
               uint64_t bytes);
  /// The lanes discard lines, whose bytes count as not written afterwards.
  void discard(Warp &warp, const Inst &inst, uint32_t mask,
               const uint64_t *address);
  void sharedAccess(Warp &warp, const Inst &inst, uint32_t mask,
                    const uint64_t *address, unsigned bytes, SanitizeKind kind,
                    bool contiguous = false);
  /// A cp.async is issued that will write `bytes` per lane at these offsets.
  /// Its reads were passed to globalAccess.
  void asyncIssue(Warp &warp, const Inst &inst, uint32_t mask,
                  const uint64_t *address, unsigned bytes, AsyncCopy &copy);
  /// The data of these lanes has arrived.
  void asyncComplete(Warp &warp, const AsyncCopy &copy, uint32_t mask,
                     bool atMbarrier);
  /// Copies issued from now on may complete at another time.
  void asyncClose(Warp &warp) { states[warp.index].copyReads = 0; }

  // SanitizerAsync.cpp. `warp` may be of another CTA of the cluster.
  /// A copy is issued that will write and completes at the mbarrier at
  /// `barrier`.
  void bulkIssue(Warp &warp, const Inst &inst, unsigned lane, BulkCopy &copy,
                 uint32_t barrier);
  /// A copy of a bulk group is issued that will read shared memory and write
  /// global memory (each row by itself).
  void storeIssue(Warp &warp, const Inst &inst, unsigned lane,
                  const BulkCopy &copy);
  void storeGlobal(Warp &warp, const Inst &inst, unsigned lane,
                   uint64_t address, uint64_t bytes, bool reduces);
  /// The lanes waited until at most `pending` of their bulk groups are in
  /// flight.
  void storeWait(Warp &warp, uint32_t mask, int64_t pending, bool onlyRead);
  /// A wgmma reads these 16-byte pieces of shared memory.
  void productRead(Warp &warp, const Inst &inst, const uint32_t *pieces,
                   size_t count);
  void productWait(Warp &warp, int64_t pending);
  /// A warp executes a wgmma.mma_async, with the operands that must be equal in
  /// its warpgroup. `isAlike`: they are equal in all lanes.
  void productStart(const Warp &warp, const Inst &inst, uint64_t a, uint64_t b,
                    bool scaleD, bool isAlike);
  /// A warp executes a fence, commit or wait of wgmma, as all of its warpgroup
  /// must.
  void productStep(const Warp &warp, const Inst &inst) {
    productStart(warp, inst, 0, 0, false, true);
  }
  // SanitizerRegisters.cpp: wgmma.fence, and registers of wgmma; setmaxnreg.
  void productFence(Warp &warp);
  void registersSet(Warp &warp, const Inst &inst, uint32_t mask);
  void registerAccess(Warp &warp, unsigned lane, const RegisterWatch &watch);
  /// `deliver`: the cp.async that an mbarrier waits for are about to arrive.
  /// `delivered`: the bytes of a lane have arrived.
  void deliver(uint32_t barrier, const BulkCopy &arrival);
  void delivered(const AsyncCopy &copy, unsigned lane);
  /// Lanes end. `last`: the CTA ends with them.
  void exit(Warp &warp, uint32_t mask, bool last);

  // SanitizerLaunches.cpp
  /// The lanes have waited for the grids that were launched before.
  void gridWait(Warp &warp, uint32_t mask);

  // SanitizerTensorMaps.cpp, of maps at generic addresses
  void mapAccess(Warp &warp, const Inst &inst, uint32_t mask, uint64_t address,
                 SanitizeKind kind);
  void mapPublish(Warp &warp, uint32_t mask, uint64_t address);
  void mapAcquire(Warp &warp, uint32_t mask, const uint64_t *address);
  void mapUse(Warp &warp, const Inst &inst, unsigned lane, uint64_t address);

  // SanitizerCluster.cpp
  /// The lanes, of any CTA of the cluster, access this CTA's shared memory at
  /// these offsets.
  void clusterAccess(Warp &warp, const Inst &inst, uint32_t mask,
                     const uint64_t *offset, unsigned bytes, SanitizeKind kind);

  // SanitizerPhases.cpp
  /// The mbarrier at `offset` is initialised or invalidated (phaseInit), or
  /// used (phaseTouch).
  void phaseInit(Warp &warp, const Inst &inst, unsigned lane, uint32_t offset,
                 bool live);
  void phaseTouch(Warp &warp, const Inst &inst, uint32_t mask, uint32_t offset,
                  bool asyncProxy = false);
  /// phaseArrive: lanes arrive at the mbarrier at `offset`. phaseComplete: its
  /// phase ends. phaseObserve: a wait has seen the end. kClusterPhase stands
  /// for barrier.cluster.
  void phaseArrive(Warp &warp, const Inst &inst, uint32_t mask,
                   uint32_t offset);
  /// A copy arrives at the mbarrier at `offset`.
  void phaseDeliver(uint32_t offset, const BulkCopy &copy);
  /// An operation counts for the next phase if the copies of `copyLine` have
  /// completed.
  void phaseTooEarly(const Warp &warp, const Inst &inst, unsigned lane,
                     uint32_t offset, unsigned copyLine);
  void phaseComplete(uint32_t offset);
  void phaseObserve(Warp &warp, const Inst &inst, uint32_t mask,
                    uint32_t offset);
  static constexpr uint32_t kClusterPhase = UINT32_MAX;
  /// Returns the line of the last arrival at the mbarrier; 0 if there is none.
  unsigned lastArrival(uint32_t offset) const {
    auto it = async.phases.find(offset);
    return it == async.phases.end() ? 0 : it->second.arrivalLine;
  }

  /// Returns the line of the last write to a word of the CTA; 0 if unknown.
  unsigned lastWrite(uint32_t offset) const {
    Record write = withoutHiding(shared.writes[offset / 4]);
    return write & kSpecial ? 0 : lineOf(write);
  }

  /// `missing`: lanes of the warp that an aligned barrier requires but that are
  /// not there. `otherLine`: where they are.
  void barrierArrive(Warp &warp, const Inst &inst, uint32_t mask,
                     uint32_t barrier, uint32_t missing, unsigned otherLine);
  /// Only these lanes execute an instruction that requires whole warps.
  void divergence(const Warp &warp, const Inst &inst, uint32_t mask,
                  unsigned otherLine);
  /// The barrier is complete; `waited` are the waiting lanes of every warp.
  void barrierComplete(uint32_t barrier, const std::vector<uint32_t> &waited);
  /// Lanes execute a bar.warp.sync.
  void warpBarrier(Warp &warp, uint32_t mask);
  void lanesMeet(const Warp &warp, uint32_t lanes);
  /// `narrow`: a fence of scope .cta; `sequential`: a fence.sc.
  void fence(Warp &warp, uint32_t mask, bool narrow, bool sequential);
  /// Lanes execute a fence between generic and async proxy (bits of
  /// ProxyFence).
  void proxyFence(Warp &warp, uint32_t mask, unsigned kinds);

  /// Reports a finding with a given message.
  void reportText(const char *kind, const Warp &warp, unsigned lane,
                  unsigned line, unsigned otherLine, std::string message);

  std::vector<Finding> findings;

  /// What a watched warp does (Spinning.cpp): whether it writes, and the first
  /// place that it polls, mostly by strong reads.
  struct Watch {
    bool stores = false, isStrong = false;
    std::string poll;
    unsigned line = 0, otherLine = 0; ///< of the read, of the last write
  };
  Watch *watch = nullptr;

private:
  /// A strong read that is ordered after a write only if no fence were needed.
  struct Suspect {
    unsigned lane;
    const Shadow *memory;
    uint64_t offset;
    Record write;
  };
  /// The knowledge of lanes at their last fence, and their own clock.
  struct Fenced {
    ToldRef told;
    uint32_t clock, lanes;
    Telling::Order order = Telling::Order::Release;
  };
  using Fences = std::vector<Fenced>;
  struct WarpState {
    uint32_t clock = 1;
    uint32_t context = 0;   ///< 0: not numbered yet
    uint32_t copyReads = 0; ///< context of cp.async, of their reads
    /// Records below it are of this CTA and ordered before every lane. Valid in
    /// the shadow of shared memory only.
    Record limit = Record(1) << 32;
    /// Contexts recently found to come before every lane, as records.
    Record writesBefore = 0, readsBefore = 0;
    Knowledge common;         ///< of all lanes
    Knowledge arrivedWith;    ///< `common` at barrier.cluster.arrive
    LaneMap<Knowledge> lanes; ///< additional knowledge of single lanes
    LaneMap<Knowledge> past;  ///< accesses done before (hasTakenPlace)
    ToldRef told;             ///< the last picture of `common`
    Pending pending;
    Fences fenced;
    /// For scope .cta or wider: tellings and fences (only with
    /// Code::hasCtaScope).
    Pending narrowPending;
    Fences narrowFenced;
    /// `loose`: threads whose strong writes were read. `suspects`: suspicious
    /// reads. Only with locks: Code::hasAtomics and hasUpdates.
    LaneMap<Clocks> loose;
    /// Versions that strong reads have seen: acquired, pending, and in `loose`.
    SeenVersions acquired, read, seenLoosely;
    std::vector<Suspect> suspects;
    /// Knowledge that lanes will have after a fence.sc.
    LaneMap<Knowledge> sequential;
    Knowledge sequentialOfAll; ///< for all lanes
    /// `begun`: CTAs of the cluster, by rank, that all lanes know to have
    /// begun. `remote…`: the last access to another CTA's memory, with its
    /// lanes.
    uint32_t begun = 0;
    Record remote = 0;
    uint32_t remoteRank = 0, remoteLanes = 0;
    /// `asked`: contexts, and whether they come before all lanes. Valid as long
    /// as `common` is `askedOf`.
    Knowledge askedOf;
    uint32_t asked[kAsked] = {}; ///< twice the context, and the answer
    /// An mbarrier whose initialisation comes before all lanes.
    const Phase *touched = nullptr;
    Record touchedWrite = 0;
  };
  /// For threads that meet at a barrier: what their earlier fence.sc released,
  /// and what their later ones may acquire.
  struct Crossing {
    Knowledge released, pending;
    bool empty() const { return released.empty() && pending.empty(); }
  };
  struct Reach; // an access, processed word by word
  /// The effect of a read on the recorded reads before it.
  enum class Action { Replace, Keep, Join };
  struct AsyncReach;

  void noteWatched(const Inst &inst, SanitizeKind kind, uint64_t address,
                   const Allocation *allocation, Shadow &shadow,
                   uint64_t offset);
  /// `message` is evaluated only if the finding is new.
  template <class Message>
  void report(const char *kind, const Warp &warp, unsigned lane, unsigned line,
              unsigned otherLine, Message message);
  Record contextRecord(Warp &warp);
  Record copyRecord(Warp &warp, uint32_t mask);
  void completeReads(const AsyncCopy &copy, uint32_t mask, uint32_t context);
  /// Returns the record of a cp.async's read as a read of the thread that has
  /// waited for it; 0 if no thread has. With `forAll` it must be the same for
  /// all lanes.
  Record completed(Record other, bool forAll = false) const;
  bool isCopying(Record other) const {
    return slots::isCopy(grid.contexts[contextOf(other)].warp) &&
           !completed(other);
  }
  void advance(WarpState &state) {
    ++state.clock;
    state.context = 0;
  }
  /// With lane -1: ordered before every lane of the warp, which acts as one.
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
  /// Whether `knowledge` includes the thread of `other` at this context.
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
  /// The lanes access memory that grids launched before may still access.
  void checkGridWait(const Warp &warp, const Inst &inst, uint32_t mask,
                     const Allocation &allocation);
  // SanitizerPhases.cpp
  /// Whether waits differ in scope: not in a cluster of one block.
  bool hasNarrowWaits() const {
    return cta.code->hasNarrowWaits && cta.cluster->ctas.size() > 1;
  }
  void phaseHear(uint32_t offset, uint32_t slot, uint32_t clock);
  void noteUse(const Warp &warp, const Inst &inst, uint32_t mask, Phase &phase);
  /// Whether the context belongs to the warp's own accesses.
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
  /// Adds `known` to the knowledge `into` of a whole warp. Results are cached,
  /// as warps mostly know the same before and learn the same. `isTold`: `known`
  /// includes all of `into`.
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
  std::vector<Knowledge> joins;    ///< knowledge of arrived threads, by barrier
  std::vector<Crossing> crossings; ///< of arrived threads, by barrier
  ToldRef lastTold;                ///< the last picture of what lanes know
  /// What warps learned recently at mbarriers and barrier.cluster, a ring.
  struct Learned {
    Knowledge before, known, after;
  };
  Learned learned[4];
  unsigned learnedNext = 0;
  Released released; ///< at offsets of shared memory
  /// Releases for threads of this CTA only: in its shared and in global memory.
  Released narrowShared, narrowGlobal;
  LooselyReleased looseShared;
  Shadow shared;
  /// Below this record, strong writes have no histories any more.
  Record forgotten = 0;
  /// In the first CTA of a cluster: the number of waits for barrier.cluster,
  /// and the number at which `settled` was computed for the whole cluster.
  uint64_t clusterWaits = 0, settledAfter = 0;
  Record settled;
  /// Recent allocations of global memory with their shadows, a ring.
  struct Recent {
    Allocation *allocation = nullptr;
    Shadow *shadow = nullptr;
  };
  Recent recent[4];
  unsigned recentNext = 0;
  ReaderSets sets;
  /// Sets of contexts below this record have been dropped. Barriers of all
  /// threads raise it. A late access by another CTA, at an early context,
  /// lowers limits but not this.
  Record oldestSets = 0;
  /// Whether the readers are a set that has been dropped.
  bool isGone(Record reads) const {
    return (reads & kSet) && reads < oldestSets;
  }
  uint64_t epoch = ++grid.epochs; ///< of GridSanitizer::Union
  /// Whether the last union distinguishes strong readers from weak ones, by
  /// their lanes.
  bool isMixedUnion = false;
  AsyncTracking async;
  std::set<std::tuple<std::string, unsigned, unsigned>> known;
  std::map<unsigned, unsigned> elementBytes; ///< of stores, by line
  ShadowWords words;                         ///< of the current access
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_SANITIZER_H
