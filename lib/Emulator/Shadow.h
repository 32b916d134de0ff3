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
// So one comparison with a context tells that a record needs no look: what is
// below is ordered before.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SHADOW_H
#define FUSION_LIB_EMULATOR_SHADOW_H

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
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
/// Context and lane: whose access it is.
constexpr Record kOwner = kSpecial | Record(0x7fffffff) << 32 | 31 << 7 |
                          kSeveral | kSet | kUnknownLane;

inline uint32_t contextOf(Record record) {
  return uint32_t(record >> 32) & 0x7fffffff;
}
inline unsigned lineOf(Record record) { return (record >> 12) & 0xfffff; }
inline unsigned laneOf(Record record) { return (record >> 7) & 31; }
inline bool isKind(Record record, Record kind) {
  return (record & (kSpecial | kKind)) == kind;
}

class Shadow {
public:
  /// All words uninitialised, or written before anything else.
  Shadow(uint64_t bytes, bool initialized) : size((bytes + 3) / 4) {
    // Pages that nobody touches cost nothing.
    storage.reset(
        static_cast<Record *>(std::calloc(2 * size + 1, sizeof(Record))));
    writes = storage.get();
    reads = writes + size;
    if (!initialized)
      clear();
  }
  void clear() {
    std::fill(writes, writes + size, kUninitialized);
    std::fill(reads, reads + size, 0);
    parts.clear();
    freeParts.clear();
  }

  struct Parts {
    std::array<Record, 4> writes, reads;
  };
  Parts &split(uint64_t word) {
    if (!isKind(writes[word], kSplit)) {
      uint64_t index = parts.size();
      if (freeParts.empty()) {
        parts.emplace_back();
      } else {
        index = freeParts.back();
        freeParts.pop_back();
      }
      parts[index].writes.fill(writes[word]);
      parts[index].reads.fill(reads[word]);
      writes[word] = kSplit | index << 8;
      // Whoever only looks at reads must look at the parts too.
      reads[word] = kSpecial;
    }
    return parts[(writes[word] & ~kSpecial) >> 8];
  }
  /// The word was written as a whole.
  void unite(uint64_t word, Record write) {
    freeParts.push_back((writes[word] & ~kSpecial) >> 8);
    writes[word] = write;
    reads[word] = 0;
  }

  uint64_t size;
  Record *writes, *reads;

private:
  struct Free {
    void operator()(Record *p) const { std::free(p); }
  };
  std::unique_ptr<Record[], Free> storage;
  std::vector<Parts> parts;
  std::vector<uint64_t> freeParts;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SHADOW_H
