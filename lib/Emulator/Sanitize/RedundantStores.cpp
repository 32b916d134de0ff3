//===- RedundantStores.cpp - Sanitizers: stores of equal values -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two weak stores that nothing orders are a race. Where both store the same,
// memory holds that value whichever comes last: "redundant writes" of
// Narayanasamy et al., "Automatically Classifying Benign and Harmful Data Races
// Using Replay Analysis", PLDI 2007.
//
// Values are compared by the element of a vector, since the PTX ISA ("Vector
// Data-types") makes each element an access of its own. Elements of different
// sizes overlap in part; the memory model says nothing of such stores
// ("Limitations on Mixed-size Data-races"), so they stay races.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Races.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <cstring>

using namespace fusion::emulator;

/// The bytes of an element that is stored by one of the stores of a line; 0
/// where the line has no store, or stores of different sizes.
unsigned Races::storedElementBytes(unsigned line) {
  auto [it, isNew] = elementBytes.emplace(line, 0);
  if (!isNew)
    return it->second;
  bool isMixed = false;
  for (const Inst &inst : cta.code->insts) {
    if ((inst.line & 0xfffff) != line || inst.imm2 != kStoresOperands)
      continue;
    isMixed |= it->second && it->second != inst.a;
    it->second = inst.a;
  }
  if (isMixed)
    it->second = 0;
  return it->second;
}

/// What the lane's store gives the element at `offset`; null where it stores
/// nothing there.
const uint8_t *Races::storedElement(const Reach &reach, unsigned lane,
                                    uint64_t offset) {
  const Inst &inst = *reach.stored;
  uint64_t begin = reach.offset[lane];
  if (!(reach.mask >> lane & 1) || offset < begin ||
      offset - begin >= uint64_t(inst.a) * inst.b)
    return nullptr;
  unsigned element = unsigned(offset - begin) / inst.a;
  return reach.warp.reg<uint8_t>(inst.op[element]) + size_t(inst.e) * lane;
}

/// Whether the lane stores what the store `other` did to the place before.
bool Races::isRedundant(const Reach &reach, Record other, uint64_t offset,
                        unsigned lane) {
  if (!reach.stored || reach.atomic() || reach.inFlight ||
      (other & (kAtomic | kSeveral | kUnknownLane)))
    return false;
  uint32_t writer = grid.contexts[contextOf(other)].warp;
  if (slots::isAgent(writer) || slots::isCopy(writer))
    return false;
  unsigned bytes = reach.stored->a;
  if (storedElementBytes(lineOf(other)) != bytes)
    return false;
  bool isOfLine = contextOf(other) == contextOf(reach.mine) &&
                  lineOf(other) == lineOf(reach.mine);
  const uint8_t *memory =
      reach.allocation ? reach.allocation->data : cta.shared.data();
  auto isSame = [&](uint64_t element) {
    const uint8_t *value = storedElement(reach, lane, element);
    auto is = [&](const uint8_t *as) {
      return value && !std::memcmp(value, as, bytes);
    };
    unsigned otherLane = laneOf(other);
    const uint8_t *beside =
        isOfLine ? storedElement(reach, otherLane, element) : nullptr;
    // The access is noted before it takes place: memory holds what was there.
    if (!beside)
      return is(memory + element);
    // Another lane of this very store; or, if its turn is yet to come, what it
    // stored before.
    return is(beside) && (otherLane < lane || is(memory + element));
  };
  for (uint64_t element = offset - offset % bytes;
       element < offset + reach.span; element += bytes)
    if (!isSame(element))
      return false;
  return true;
}

/// The lane stores where `other` has, and nothing orders the two.
void Races::raceOfWrites(Reach &reach, Record other, uint64_t offset,
                         unsigned lane) {
  reach.redundant = isRedundant(reach, other, offset, lane);
  if (!reach.redundant)
    return race(reach, "write-after-write", other, offset, lane);
  static const char *const kind = "redundant-write";
  if (!reports.isKnown(kind, reach.line, lineOf(other)))
    reports.reportText(kind, reach.warp, lane, reach.line, lineOf(other),
                       "store to " + reach.place(offset) +
                           " of the value that " + reports.threadName(other) +
                           " stores there, too, and nothing orders the two");
}
