//===- ThreadOrder.h - What the threads of a block come after ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_THREADORDER_H
#define FUSION_LIB_EMULATOR_SANITIZE_THREADORDER_H

#include "Emulator/Sanitize/GridSanitizer.h"

#include <vector>

namespace fusion::emulator {

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

/// What the lanes of a warp know.
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

/// What the threads of a block know of others, and so which accesses they come
/// after. Fences and strong accesses are in ReleaseOrder.cpp, fence.sc with
/// barriers in SequentialOrder.cpp, updates without fences in LostUpdates.cpp.
class ThreadOrder {
public:
  ThreadOrder(Cta &cta, GridSanitizer &grid);

  Record contextRecord(Warp &warp);
  Record copyRecord(Warp &warp, uint32_t mask);
  void completeReads(const AsyncCopy &copy, uint32_t mask, uint32_t context);
  /// Copies issued from now on may complete at another time.
  void asyncClose(Warp &warp) { states[warp.index].copyReads = 0; }
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
  bool fenced(Record other, const Warp &warp, int lane, uint32_t slot) const;
  /// Whether `knowledge` includes the thread of `other` at this context.
  bool in(const Knowledge &knowledge, const Context &context,
          Record other) const;
  bool knows(const WarpState &state, const Context &context, Record other,
             int lane) const;
  /// Whether the context belongs to the warp's own accesses.
  bool isOwn(uint32_t context, const Warp &warp) const {
    const Context &of = grid.contexts[context];
    return of.block == warp.cta->linear && of.warp == warp.index;
  }
  bool hasCluster() const { return cta.cluster->ctas.size() > 1; }
  Record settledInCluster();

  void learn(Warp &warp, uint32_t mask, const Knowledge &knowledge);
  void import(Knowledge &into, const Knowledge &exported) const;
  /// Adds `known` to the knowledge `into` of a whole warp. Results are cached,
  /// as warps mostly know the same before and learn the same. `isTold`: `known`
  /// includes all of `into`.
  void learnTogether(Knowledge &into, const Knowledge &known,
                     bool isTold = false);
  Knowledge toldRelaxed(const Warp &warp, uint32_t mask, bool local) const;
  /// Visits (picture, lanes): the lanes' knowledge besides their own accesses.
  template <class Visit> void forTold(Warp &warp, uint32_t mask, Visit visit);

  /// Lanes execute a bar.warp.sync.
  void warpBarrier(Warp &warp, uint32_t mask);
  /// `narrow`: a fence of scope .cta; `sequential`: a fence.sc.
  void fence(Warp &warp, uint32_t mask, bool narrow, bool sequential);
  /// Lanes execute a fence between generic and async proxy (bits of
  /// ProxyFence).
  void proxyFence(Warp &warp, uint32_t mask, unsigned kinds);
  void synchronize(Warp &warp, uint32_t mask, const uint64_t *address,
                   const Inst &inst, SanitizeKind kind, Released &wide,
                   Released *narrow);
  void synchronizeLoosely(Warp &warp, uint32_t mask, const uint64_t *address,
                          SanitizeKind kind, LooselyReleased &released);
  void arriveSequentially(const Warp &warp, uint32_t mask, Crossing &into);
  void meetSequentially(Warp &warp, uint32_t mask, const Crossing &met,
                        const ToldRef &told);
  ToldRef toldOf(const Crossing &met) const;

  std::vector<WarpState> states;
  /// In the first CTA of a cluster: the number of waits for barrier.cluster.
  uint64_t clusterWaits = 0;

private:
  Knowledge knowledgeOf(const Warp &warp, unsigned lane) const;
  void hear(Warp &warp, const Places &places, const Released &released,
            Pending *pending);
  void learnTold(Warp &warp, uint32_t lanes, const Telling &telling,
                 uint32_t who);
  void acquire(Warp &warp, uint32_t mask, Pending &pending);
  template <class Add>
  void addSequentially(const Warp &warp, uint32_t lanes, Add add);
  void awaitSequentially(const Warp &warp, uint32_t lanes, const Told &told);
  void acquireSequentially(Warp &warp, uint32_t mask);

  Cta &cta;
  GridSanitizer &grid;
  ToldRef lastTold; ///< the last picture of what lanes know
  /// What warps learned recently at mbarriers and barrier.cluster, a ring.
  struct Learned {
    Knowledge before, known, after;
  };
  Learned learned[4];
  unsigned learnedNext = 0;
  /// In the first CTA of a cluster: the number of waits at which `settled` was
  /// computed for the whole cluster.
  uint64_t settledAfter = 0;
  Record settled;
};

template <class Visit>
void ThreadOrder::forTold(Warp &warp, uint32_t mask, Visit visit) {
  WarpState &state = states[warp.index];
  auto picture = [&](const Knowledge &known) {
    // Warps that met have the same knowledge.
    if (lastTold && lastTold->known.isShared(known))
      return lastTold;
    Told *told = new Told;
    told->block = cta.linear;
    told->known = known;
    return lastTold = ToldRef(told);
  };
  uint32_t single = mask & state.lanes.lanes();
  if (mask & ~single) {
    if (!state.told || !state.told->known.isShared(state.common))
      state.told = picture(state.common);
    visit(state.told, mask & ~single);
  }
  while (single) {
    const Knowledge &first = *state.lanes.find(unsigned(__builtin_ctz(single)));
    uint32_t alike = 0;
    for (uint32_t left = single; left; left &= left - 1) {
      unsigned lane = unsigned(__builtin_ctz(left));
      alike |= uint32_t(state.lanes.find(lane)->isShared(first)) << lane;
    }
    Knowledge known = state.common;
    known.join(first);
    visit(picture(known), alike);
    single &= ~alike;
  }
}

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_THREADORDER_H
