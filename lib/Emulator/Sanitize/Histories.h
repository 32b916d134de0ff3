//===- Histories.h - What strong writes hide --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_HISTORIES_H
#define FUSION_LIB_EMULATOR_SANITIZE_HISTORIES_H

#include "Emulator/Sanitize/AccessOrder.h"
#include "Emulator/Sanitize/Races.h"

namespace fusion::emulator {

/// The accesses that are recorded besides a strong write (Shadow.h).
class Histories {
public:
  Histories(Cta &cta, GridSanitizer &grid, ThreadOrder &order, Readers &readers,
            const AccessOrder &accessOrder, Races &races)
      : warps(uint32_t(cta.warps.size())), grid(grid), order(order),
        readers(readers), accessOrder(accessOrder), races(races) {}

  bool hasObserved(const Reach &reach, Record reads, unsigned lane) const;
  void checkStrong(Reach &reach, const History &history, Record reads,
                   uint64_t offset, unsigned lane);
  void checkHidden(Reach &reach, Record write, Record reads, uint64_t offset,
                   unsigned lane);
  void hide(Reach &reach, Record &write, Record &reads, uint64_t offset,
            uint32_t lanes);
  bool storeStrongly(Reach &reach, ShadowWords &words);
  bool writeStrongly(Reach &reach, Record &write, Record &reads,
                     uint64_t offset, uint32_t lanes);
  bool readsHiddenFine(const Reach &reach, uint64_t offset, Record mine) const;

private:
  static Record strongRecord(const History::Strong &strong) {
    return Record(strong.context) << 32 | Record(strong.line) << 12 | kAtomic;
  }
  bool isKnown(const Reach &reach, Record access, unsigned lane) const;
  bool writeOften(Reach &reach, Record &write, uint64_t offset, Record mine,
                  uint32_t lanes);
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

  uint32_t warps;
  GridSanitizer &grid;
  ThreadOrder &order;
  Readers &readers;
  const AccessOrder &accessOrder;
  Races &races;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_HISTORIES_H
