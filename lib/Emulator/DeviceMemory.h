//===- DeviceMemory.h - Global memory of the emulated device ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DEVICEMEMORY_H
#define FUSION_LIB_EMULATOR_DEVICEMEMORY_H

#include "Types.h"

#include "fusion/Emulator/Emulator.h"

#include <atomic>
#include <map>
#include <memory>
#include <vector>

namespace fusion::emulator {

struct Module;

/// What memory nobody wrote reads as: NaN in every floating-point type.
constexpr uint8_t kPoison = 0xff;
/// A line of the caches, which instructions discard as a whole.
constexpr unsigned kLineBytes = 128;

struct Allocation {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  uint8_t *data = nullptr;
  bool isConst = false;
  bool isPending = false; ///< in a launch that has it so
  /// Everything has been written, or can no longer be told: a kernel without
  /// sanitizers stored here.
  std::atomic<bool> initialized{false};
  /// One byte per byte, 1 = written; null until something was.
  std::unique_ptr<uint8_t[]> shadow;
  std::unique_ptr<uint8_t[]> storage;

  uint64_t end() const { return begin + bytes; }
  void markWritten(uint64_t offset, uint64_t count);
  /// As if nobody had written it.
  void markDiscarded(uint64_t offset, uint64_t count);
};

class DeviceMemory {
public:
  Allocation *allocate(uint64_t bytes, uint64_t alignment);
  /// The allocation that holds `address`, null where there is none.
  Allocation *find(uint64_t address) const;
  /// The allocation that holds or most closely precedes `address`.
  const Allocation *nearest(uint64_t address) const;
  /// What was freed, and by which line of a kernel (0: by none). Addresses are
  /// not given out again.
  struct Freed {
    uint64_t begin = 0, bytes = 0;
    unsigned line = 0;
  };
  /// The one that held `address`; of no bytes where there is none.
  Freed freedAt(uint64_t address) const;
  bool free(uint64_t address);
  /// Brings the module's .global and .const variables in, once per module.
  /// False where another module has its region of addresses.
  bool instantiate(const Module &module);

  /// malloc and free of kernels; 0 where the heap is full. What kernels do not
  /// free stays for the next launch. False for what is no such memory.
  uint64_t heapAllocate(uint64_t bytes);
  bool heapFree(uint64_t address, unsigned line);
  /// Bytes that malloc gave there; 0: it did not.
  uint64_t heapSize(uint64_t address) const;
  /// The driver's part of a cooperative launch: a size and the word by which
  /// the blocks wait for one another, zero when a launch starts.
  uint64_t gridWorkspace();
  void resetGridWorkspace();

private:
  Allocation *insert(uint64_t begin, uint64_t bytes, bool isConst);

  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  std::vector<Allocation *> sorted;
  std::map<uint64_t, uint64_t> modules; ///< module ids by region
  uint64_t next = kAllocations;
  std::map<uint64_t, uint64_t> heap; ///< sizes, by address
  uint64_t heapBytes = 0;
  std::map<uint64_t, Freed> freedRanges;
  /// Freed by kernels: empty, but whoever has found one may still look at it.
  std::vector<std::unique_ptr<Allocation>> freed;
  Allocation *workspace = nullptr;
};

struct Memory::Impl : DeviceMemory {};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DEVICEMEMORY_H
