//===- Random.h - Random numbers that are the same everywhere -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_RANDOM_H
#define FUSION_SEARCH_SPACE_RANDOM_H

#include <cstdint>
#include <random>

namespace fusion {

/// The standard fixes what std::mt19937_64 gives, but not its distributions:
/// these are ours, so that a seed means the same search on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  /// A number below `limit`, which is not 0.
  uint64_t below(uint64_t limit) {
    return static_cast<uint64_t>(
        static_cast<unsigned __int128>(engine()) * limit >> 64);
  }

  /// A number in [0, 1).
  double fraction() { return static_cast<double>(engine() >> 11) * 0x1p-53; }

private:
  std::mt19937_64 engine;
};

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_RANDOM_H
