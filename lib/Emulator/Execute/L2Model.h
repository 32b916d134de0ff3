//===- L2Model.h - DRAM traffic behind an L2 cache --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model, not a chip: lines of 128 bytes in 4 sectors of 32, sets of 16 lines,
// the least recently used line of a set is replaced. A sector that a load finds
// absent is read from DRAM; a stored sector is written to DRAM when its line is
// replaced or the launch ends, unless it has been discarded before. The cache
// is empty at the start of a launch.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_L2MODEL_H
#define FUSION_LIB_EMULATOR_EXECUTE_L2MODEL_H

#include <cstdint>
#include <vector>

namespace fusion::emulator {

class L2Model {
public:
  explicit L2Model(uint64_t bytes);
  /// Touches sectors in this order: their addresses, bit 0 set for writes. With
  /// kDiscard the address of a line that is forgotten, and not written back.
  static constexpr uint64_t kDiscard = 2;
  void feed(const std::vector<uint64_t> &trace);
  /// Writes back what is dirty; the bytes moved to and from DRAM since the
  /// beginning.
  uint64_t finish();

private:
  struct Line {
    uint64_t tag = ~uint64_t(0);
    uint64_t used = 0;              ///< time of the last use
    uint8_t present = 0, dirty = 0; ///< sectors
  };
  static constexpr unsigned kWays = 16;

  uint64_t setOf(uint64_t tag) const;

  uint64_t sets;
  uint64_t time = 0;
  uint64_t sectorsMoved = 0;
  std::vector<Line> lines;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_L2MODEL_H
