//===- L2Model.h - DRAM traffic behind an L2 cache --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sector that a load finds absent is read from DRAM; a stored sector is
// written to DRAM when its line is replaced or the launch ends, unless it has
// been discarded before. The cache is empty at the start of a launch.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_L2MODEL_H
#define FUSION_LIB_EMULATOR_EXECUTE_L2MODEL_H

#include "fusion/Emulator/Machine/SectorCache.h"

#include <cstddef>
#include <cstdint>

namespace fusion::emulator {

class L2Model {
public:
  explicit L2Model(uint64_t bytes) : cache(bytes) {}
  /// Accesses recorded sectors (Recording.h) in this order.
  void feed(const uint64_t *sectors, size_t count);
  /// Writes back what is dirty; the bytes moved to and from DRAM since the
  /// beginning.
  uint64_t finish();

private:
  SectorCache cache;
  uint64_t sectorsMoved = 0;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_L2MODEL_H
