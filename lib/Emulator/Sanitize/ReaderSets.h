//===- ReaderSets.h - Sets of readers that records name ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set is not looked at any more once everything of its time is ordered before
// all threads. So sets are made at one end and given up at the other; their
// places, which records name in 20 bits, are used in a circle.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_READERSETS_H
#define FUSION_LIB_EMULATOR_SANITIZE_READERSETS_H

#include "Emulator/Sanitize/Shadow.h"

#include <deque>

namespace fusion::emulator {

class ReaderSets {
public:
  using Set = std::vector<Record>;

  Set &operator[](size_t index) { return sets[index]; }
  const Set &operator[](size_t index) const { return sets[index]; }
  /// An empty one, null where there are too many. It is one of them after
  /// `take`, which tells its index.
  Set *fresh() {
    if (!wrapped && next == sets.size()) {
      if (first >= kEnough) {
        wrapped = true;
        next = 0;
      } else if (sets.size() < kMost) {
        sets.emplace_back();
      } else {
        return nullptr;
      }
    }
    if (wrapped && next == first)
      return nullptr;
    sets[next].clear();
    return &sets[next];
  }
  size_t take() { return next++; }

  /// What was numbered below `limit` is ordered before all threads; up to now
  /// contexts have numbers below `contexts`.
  void settle(size_t limit, size_t contexts) {
    if (limit == contexts) {
      first = next = 0;
      wrapped = false;
      marks.clear();
      return;
    }
    while (!marks.empty() && marks.front().first <= limit) {
      wrapped &= marks.front().second >= first;
      first = marks.front().second;
      marks.pop_front();
    }
    marks.push_back({contexts, next});
  }

private:
  static constexpr size_t kMost = 1 << 20;   // what a record can name
  static constexpr size_t kEnough = 1 << 10; // free ones, to begin again

  std::vector<Set> sets;
  size_t first = 0, next = 0; ///< those in use; around the end if `wrapped`
  bool wrapped = false;
  /// Contexts at a barrier, and the first set after it.
  std::deque<std::pair<size_t, size_t>> marks;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_READERSETS_H
