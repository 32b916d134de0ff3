//===- Releases.cpp - What threads release at addresses -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Releases.h"

using namespace fusion::emulator;

void Telling::tell(uint32_t lanes, Knowledge &into, uint64_t reader) const {
  told->tell(into, reader);
  if (!lanes)
    return;
  if (!isWarp || lanes != places.lanes)
    into.lanes.joinLeaf(warp << 5, lanes, clock);
  else if (warp >> 16 == reader)
    into.warps.join(uint32_t(warp & 0xffff), clock);
  else
    into.foreign.join(warp, clock);
}

void Released::tell(const ToldRef &told, uint64_t warp, uint32_t clock,
                    bool isWarp, const Places &places, Telling::Order order) {
  ++versions;
  forLines(places, [&](uint64_t number, const Places &here) {
    add(lines[number], {told, warp, clock, isWarp && here.lanes == places.lanes,
                        here, versions, order});
  });
}

bool Telling::isKnown(uint32_t lanes, const Knowledge &known,
                      uint64_t reader) const {
  if (!lanes)
    return false;
  Context context{warp >> 16, uint32_t(warp & 0xffff), clock - 1};
  if (known.knowsWarp(context, reader))
    return true;
  const uint32_t *clocks =
      known.lanes.empty() ? nullptr : known.lanes.leafOf(warp << 5);
  if (!clocks)
    return false;
  bool isKnown = true;
  for (; lanes; lanes &= lanes - 1)
    isKnown &= clocks[__builtin_ctz(lanes)] >= clock;
  return isKnown;
}

/// Whether a fence.sc gains more from `earlier` than from `later`, or only
/// `earlier` counts for other fences.
static bool isLess(const Telling &later, const Telling &earlier) {
  return later.order != earlier.order &&
         later.order != Telling::Order::Sequential;
}

void Pending::see(const Telling &telling, uint32_t lanes, uint32_t who) {
  // Successive owners of a lock know of one another: the last telling suffices.
  while (!seen.empty()) {
    const Seen &last = seen.back();
    if ((last.lanes & ~lanes) || isLess(telling, last.telling) ||
        !last.telling.isKnown(last.who, telling.told->known,
                              telling.told->block))
      break;
    seen.pop_back();
  }
  for (Seen &old : seen)
    if (old.telling.warp == telling.warp && !isLess(telling, old.telling) &&
        !(old.lanes & ~lanes) && !(old.who & ~who) && old.who) {
      old = {telling, lanes, who};
      return;
    }
  seen.push_back({telling, lanes, who});
}

/// Whether `later` tells all that `earlier` does, to the same readers.
static bool covers(const Telling &later, const Telling &earlier) {
  const Places &now = later.places, &then = earlier.places;
  if (!now.isAlike(then) || isLess(later, earlier))
    return false;
  if (later.warp == earlier.warp)
    return !(then.lanes & ~now.lanes) && then.lanes;
  return !now.stride &&
         earlier.isKnown(then.lanes, later.told->known, later.told->block);
}

void Released::add(Line &line, Telling telling) {
  std::vector<Telling> &tellings = line.tellings;
  // In most cases only the last telling is dropped.
  if (!tellings.empty() && covers(telling, tellings.back())) {
    tellings.back() = std::move(telling);
    return;
  }
  for (size_t i = tellings.size(); i-- > 0;)
    if (tellings[i].warp == telling.warp && covers(telling, tellings[i])) {
      tellings.erase(tellings.begin() + ptrdiff_t(i));
      break;
    }
  tellings.push_back(std::move(telling));
  if (tellings.size() >= line.limit)
    prune(line);
}

/// Drops the tellings that the last one covers. If many remain, the tellings at
/// one place become one.
void Released::prune(Line &line) {
  std::vector<Telling> &tellings = line.tellings;
  Telling last = std::move(tellings.back());
  tellings.pop_back();
  auto isCovered = [&](const Telling &t) { return covers(last, t); };
  tellings.erase(std::remove_if(tellings.begin(), tellings.end(), isCovered),
                 tellings.end());
  if (tellings.size() * 2 >= line.limit) {
    std::vector<Telling> kept;
    struct Joint {
      uint64_t base;
      Telling::Order order;
      Told *all;
      ToldRef told;
    };
    std::vector<Joint> made;
    for (Telling &t : tellings) {
      if (t.places.stride || t.order == Telling::Order::Crossed) {
        kept.push_back(std::move(t));
        continue;
      }
      auto joint = std::find_if(made.begin(), made.end(), [&](const Joint &j) {
        return j.base == t.places.base && j.order == t.order;
      });
      if (joint == made.end()) {
        Told *all = new Told;
        all->block = ~uint64_t(0); // of no block: all is in `foreign`
        made.push_back({t.places.base, t.order, all, ToldRef(all)});
        joint = made.end() - 1;
      }
      t.tell(t.places.lanes, joint->all->known, joint->all->block);
    }
    // The joint tellings are new: threads that have seen them see them again.
    for (Joint &j : made)
      kept.push_back({j.told,
                      ~uint64_t(0),
                      0,
                      false,
                      {j.base, 0, 0},
                      last.version,
                      j.order});
    tellings = std::move(kept);
  }
  tellings.push_back(std::move(last));
  line.limit = std::max(kFew, 2 * tellings.size());
}
