//===- Shadow.h - What is known of every word of a memory -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two records of 64 bits per word of 4 bytes: the last write and the reads
// since. A word that is accessed in parts is split into records per byte.
//
//   63      special: the write is not there (uninitialised, in flight), or the
//           word is split
//   62..32  context (HappensBefore.h); 0: none
//   31..12  line; 11..7 lane              of one access, or
//   31..12  set; of several contexts that read
//   6 atomic, 5 several lanes, 4 a set, 3 lanes not kept, 1..0 special kind
//
// One comparison with a context decides most records: smaller records are
// ordered before.
//
// A record of a whole word may be of several consecutive lanes:
//
//   2..0    0: of one lane; n: of the first byte's lane, and lanes have
//           2^(n-1) bytes each
//
// A strong write does not replace earlier accesses. The order of two strong
// accesses does not matter, but a weak access must come before or after both.
// The write is special (kHiding) if some thread may not come after an earlier
// weak access, or if the write does not come after another strong one. The
// accesses that it hides are kept apart (History).
//
// Global memory has rows of 32 bytes as well. As long as consecutive lanes
// access a row, two records stand for all of it. A row with kSpecial and
// pattern 7 has records by word.
//
// ShadowWords is a warp's access to words while Isa/Shadow processes it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_SHADOW_H
#define FUSION_LIB_EMULATOR_SANITIZE_SHADOW_H

#include "Emulator/Machine/LaneCount.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace fusion::emulator {

using Record = uint64_t;

constexpr Record kSpecial = Record(1) << 63;
constexpr Record kAtomic = 1 << 6;
constexpr Record kSeveral = 1 << 5;
constexpr Record kSet = 1 << 4;
constexpr Record kUnknownLane = 1 << 3;
constexpr Record kKind = 3;
constexpr Record kUninitialized = kSpecial | 1;
constexpr Record kInFlight = kSpecial | 2;
constexpr Record kSplit = kSpecial | 3;
/// A strong write that hides accesses, without kAtomic.
constexpr Record kHiding = kSpecial;
constexpr Record kPattern = 7;
constexpr Record kByWord = kSpecial | 7;
constexpr unsigned kRowBytes = 32;
constexpr unsigned kRowWords = kRowBytes / 4;
/// Words of global memory whose records are together, writes and then reads: a
/// line of the host's cache.
constexpr unsigned kLineWords = 4;
/// Line and lane of an access.
constexpr Record kPlace = Record(0xfffff) << 12 | Record(31) << 7;
constexpr Record kContext = Record(0xffffffff) << 32;
/// Context and lanes of an access.
constexpr Record kOwner = kSpecial | Record(0x7fffffff) << 32 | 31 << 7 |
                          kSeveral | kSet | kUnknownLane | kPattern;

inline uint32_t contextOf(Record record) {
  return uint32_t(record >> 32) & 0x7fffffff;
}
inline unsigned lineOf(Record record) { return (record >> 12) & 0xfffff; }
inline unsigned laneOf(Record record) { return (record >> 7) & 31; }
inline Record patternOf(Record record) {
  return record & kSpecial ? 0 : record & kPattern;
}
/// Returns the record of one byte of a word or row.
inline Record ofByte(Record record, unsigned byte) {
  Record pattern = patternOf(record);
  if (!pattern)
    return record;
  return (record & ~kPattern) + (Record(byte >> (pattern - 1)) << 7);
}
inline bool isKind(Record record, Record kind) {
  return (record & (kSpecial | kKind)) == kind;
}

/// Accesses to the same bytes before a strong write, and that write.
struct History {
  /// Strong writes by lanes of a warp at one context.
  struct Strong {
    uint32_t context; ///< 0: none
    uint32_t line : 20;
    uint32_t observes : 1; ///< atomics, which read what was there
    uint32_t merged : 1;   ///< by several instructions
    uint32_t again : 1;    ///< atomics before the last one, too
    uint32_t lanes;
    uint32_t time; ///< of the last one
  };
  struct Reader {
    Record access; ///< a strong read
    uint32_t time; ///< of the next write
  };
  struct Weak {
    Record access;
    bool writes;
  };
  /// Parts of a history that are rarely needed.
  struct More {
    std::vector<Weak> weak;
    std::vector<Reader> readers;
    std::vector<Strong> earlier; ///< writes that had to leave their place
    size_t oldest = 0;           ///< of `earlier`, once that is full
  };
  More *more;
  uint32_t stored; ///< when a store, no atomic, was the last write
  /// Shadow::setPlaces gives their number: in shared memory one for every warp,
  /// in global memory one for the last write and one more.
  Strong strong[];
};

/// Returns the write itself without the mark that it hides others.
inline Record withoutHiding(Record write) {
  return isKind(write, kHiding) ? (write & ~kSpecial) | kAtomic : write;
}

struct ShadowFree {
  size_t mapped = 0; ///< bytes; 0: from the heap
  void operator()(Record *records) const;
};
using ShadowStorage = std::unique_ptr<Record[], ShadowFree>;
/// Returns zeroed records; untouched pages cost nothing. `isSparse`: few are
/// touched.
ShadowStorage allocateShadow(uint64_t records, bool isSparse = false);

class Shadow {
public:
  Shadow() = default;
  /// Makes the shadow of shared memory, whose words are uninitialised, or of
  /// global memory, which counts as written before the launch.
  Shadow(uint64_t bytes, bool isGlobal)
      : size((bytes + 3) / 4),
        rowCount(isGlobal ? (bytes + kRowBytes - 1) / kRowBytes : 0) {
    uint64_t words = isGlobal ? kRowWords * rowCount : size;
    storage = allocateShadow(2 * (words + rowCount) + 16);
    rows = reinterpret_cast<Row *>(storage.get());
    uint64_t begin = (2 * rowCount + 15) / 16 * 16;
    writes = storage.get() + begin;
    reads = writes + (isGlobal ? kLineWords : words);
    interleaved = isGlobal ? ~uint64_t(kLineWords - 1) : 0;
    expanded.resize((rowCount + kPageRows - 1) / kPageRows, 0);
    if (!isGlobal)
      clear();
  }
  void clear() {
    std::fill(writes, writes + size, kUninitialized);
    std::fill(reads, reads + size, 0);
    parts.clear();
    freeParts.clear();
    scoped.clear();
    dropHistories();
  }

  struct Row {
    Record write, reads;
  };
  /// A strong access to bytes (bits) of a word, in a program with accesses of
  /// narrow scopes (ScopedAccesses.cpp).
  struct Scoped {
    Record access;
    uint8_t bytes, scope; ///< OrderCta, OrderCluster or 0
    bool writes;
  };
  std::unordered_map<uint64_t, std::vector<Scoped>> scoped; ///< by word
  /// Returns the index in `writes` and `reads` of a byte's word.
  uint64_t wordOf(uint64_t offset) const {
    uint64_t word = offset / 4;
    return word + (word & interleaved);
  }
  /// Returns the offset of the first byte of the word at an index.
  uint64_t offsetOf(uint64_t word) const {
    if (interleaved)
      word = word / (2 * kLineWords) * kLineWords + word % (2 * kLineWords);
    return 4 * word;
  }
  uint64_t interleaving() const { return interleaved; }
  /// Whether any thread has accessed the row.
  bool isTouched(uint64_t row) const {
    return (rows[row].write | rows[row].reads) != 0;
  }
  /// Whether all rows of the row's page are expanded.
  bool isExpanded(uint64_t row) const {
    return expanded[row / kPageRows] == kPageRows;
  }
  /// Makes `writes` and `reads` of these bytes valid.
  void expandBytes(uint64_t offset, uint64_t bytes) {
    if (rowCount && bytes)
      for (uint64_t row = offset / kRowBytes;
           row <= (offset + bytes - 1) / kRowBytes; ++row)
        expand(row);
  }

  /// Sets the number of strong writes in a history, for all later histories.
  void setPlaces(size_t count) {
    size_t bytes = sizeof(History) + count * sizeof(History::Strong);
    if (count == places)
      return;
    places = count;
    historyRecords = (bytes + sizeof(Record) - 1) / sizeof(Record);
    histories.reset();
    dropHistories();
  }
  size_t placeCount() const { return places; }
  /// Returns the history of bytes whose record is kHiding, by their first
  /// offset.
  History &historyAt(uint64_t offset) {
    Record *at = offset % 4 ? ofParts[offset].get()
                            : histories.get() + offset / 4 * historyRecords;
    return *reinterpret_cast<History *>(at);
  }
  void prefetchHistory(uint64_t offset) const {
    if (histories)
      __builtin_prefetch(histories.get() + offset / 4 * historyRecords);
  }
  History &addHistory(uint64_t offset) {
    if (!histories)
      histories = allocateShadow(size * historyRecords, true);
    if (offset % 4 && !ofParts[offset])
      ofParts[offset] = std::make_unique<Record[]>(historyRecords);
    History &history = historyAt(offset);
    std::fill_n(reinterpret_cast<Record *>(&history), historyRecords, 0);
    return history;
  }
  History::More &moreOf(History &history) {
    if (history.more)
      return *history.more;
    if (!freeMore.empty()) {
      history.more = freeMore.back();
      freeMore.pop_back();
    } else {
      if (++moreCount > mores.size())
        mores.emplace_back();
      history.more = &mores[moreCount - 1];
    }
    history.more->weak.clear();
    history.more->readers.clear();
    history.more->earlier.clear();
    history.more->oldest = 0;
    return *history.more;
  }
  void dropEmpty(History &history) {
    const History::More &more = *history.more;
    if (more.weak.empty() && more.readers.empty() && more.earlier.empty()) {
      freeMore.push_back(history.more);
      history.more = nullptr;
    }
  }
  void dropHistory(uint64_t offset) {
    if (History::More *more = historyAt(offset).more)
      freeMore.push_back(more);
  }
  /// Drops all histories.
  void dropHistories() {
    ofParts.clear();
    moreCount = 0;
    freeMore.clear();
  }

  struct alignas(64) Parts {
    std::array<Record, 4> writes, reads;
  };
  /// Whether one record stands for all bytes of the word.
  bool isWhole(uint64_t word) const {
    return !isKind(writes[word], kSplit) && !patternOf(writes[word]) &&
           !patternOf(reads[word]);
  }
  Parts &split(uint64_t word) {
    if (!isKind(writes[word], kSplit))
      splitWhole(word);
    return partsOf(writes[word]);
  }
  /// Returns the parts of a split word by its record.
  Parts &partsOf(Record write) { return parts[(write & ~kSpecial) >> 8]; }
  /// Prefetches the parts of a word by its record of the write, if it is split.
  void prefetchParts(Record write) const {
    if (isKind(write, kSplit))
      __builtin_prefetch(&parts[(write & ~kSpecial) >> 8]);
  }
  /// Joins a split word that was written as a whole.
  void unite(uint64_t word, Record write) {
    freeParts.push_back((writes[word] & ~kSpecial) >> 8);
    writes[word] = write;
    reads[word] = 0;
  }

  /// Gives the words of a row their own records.
  void expand(uint64_t row) {
    if (row >= rowCount || rows[row].write == kByWord)
      return;
    Record write = rows[row].write, read = rows[row].reads;
    rows[row].write = kByWord;
    ++expanded[row / kPageRows];
    // Lanes with less than a word keep their pattern.
    auto ofWord = [](Record record, unsigned word) {
      Record pattern = record & kPattern;
      return ofByte(record, 4 * word) | (pattern < 3 ? pattern : 0);
    };
    for (unsigned j = 0; j < kRowWords; ++j) {
      uint64_t word = wordOf(row * kRowBytes + 4 * j);
      writes[word] = ofWord(write, j);
      reads[word] = ofWord(read, j);
    }
  }

  /// Returns the time of the next strong write, for histories.
  uint32_t nextTime() { return ++strongWrites; }

  uint64_t size = 0;
  uint64_t rowCount = 0; ///< 0 for shared memory
  Row *rows = nullptr;
  Record *writes = nullptr, *reads = nullptr; ///< by wordOf

private:
  [[gnu::noinline]] void splitWhole(uint64_t word) {
    uint64_t index = parts.size();
    if (freeParts.empty()) {
      parts.emplace_back();
    } else {
      index = freeParts.back();
      freeParts.pop_back();
    }
    uint64_t begin = offsetOf(word);
    for (unsigned i = 0; i < 4; ++i) {
      parts[index].writes[i] = ofByte(writes[word], i);
      parts[index].reads[i] = ofByte(reads[word], i);
      if (i && isKind(writes[word], kHiding) && histories)
        copyHistory(begin, begin + i);
    }
    writes[word] = kSplit | index << 8;
    // Code that only looks at reads must look at the parts as well.
    reads[word] = kSpecial;
  }
  void copyHistory(uint64_t from, uint64_t to) {
    History &source = historyAt(from), &copy = addHistory(to);
    std::copy_n(source.strong, places, copy.strong);
    if (source.more)
      moreOf(copy) = *source.more;
  }
  static constexpr unsigned kPageRows = 128;
  ShadowStorage storage;
  uint64_t interleaved = 0;
  std::vector<uint8_t> expanded; ///< expanded rows, by page
  std::vector<Parts> parts;
  std::vector<uint64_t> freeParts;
  uint32_t strongWrites = 0;             ///< number, with histories
  size_t places = 0, historyRecords = 0; ///< of a history
  ShadowStorage histories;               ///< by word
  std::unordered_map<uint64_t, std::unique_ptr<Record[]>> ofParts;
  std::deque<History::More> mores;
  size_t moreCount = 0; ///< the first ones, some of which are free
  std::vector<History::More *> freeMore;
};

/// The number of contexts whose order before a warp is remembered.
constexpr unsigned kAsked = 64;

/// Words that the lanes of a warp access, one lane after the other.
struct ShadowWords {
  static constexpr unsigned kMax = kLanes * 4;

  const uint64_t *offset; ///< in bytes, by lane
  uint32_t mask;
  unsigned perLane;     ///< words: 1, 2 or 4
  bool contiguous;      ///< lane after lane, with all lanes
  uint64_t interleaved; ///< bits of a word's number that count twice
  bool stores;          ///< uninitialised words are fine
  bool loads;           ///< nothing is written
  Record mine;          ///< without the lane
  Record limit;         ///< records below are ordered before
  /// Records of these contexts as well, for the last write and for one reader.
  Record writesBefore, readsBefore;
  /// Earlier contexts of the warp itself, for the last write and for one
  /// reader.
  Record ownWrites, ownReads;

  // Results of `gather`. "Own" means of the same context and lane.
  unsigned count;
  uint64_t place[kMax];
  Record owner[kMax];         ///< `mine` with the lane
  const Record *write, *read; ///< records as they were, by index
  bool writesFine;            ///< below the limit, own, atomic like this one
  bool readsFine;             ///< below the limit, own
  bool readsFree;             ///< below the limit
  bool readsKept;             ///< this read changes none
  bool readsAlike;            ///< but for line and lane

  alignas(64) Record writeCopy[kMax], readCopy[kMax];
};

/// Visits the records of these bytes, whole words as one.
template <class Visit>
void forRecords(Shadow &shadow, uint64_t offset, uint64_t bytes, Visit visit) {
  shadow.expandBytes(offset, bytes);
  for (uint64_t at = offset, end = at + bytes; at < end;) {
    uint64_t word = shadow.wordOf(at), next = (at / 4 + 1) * 4;
    if (at % 4 == 0 && next <= end && shadow.isWhole(word)) {
      visit(shadow.writes[word], shadow.reads[word], at);
      at = next;
      continue;
    }
    Shadow::Parts &parts = shadow.split(word);
    for (; at < end && at < next; ++at)
      visit(parts.writes[at % 4], parts.reads[at % 4], at);
  }
}

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_SHADOW_H
