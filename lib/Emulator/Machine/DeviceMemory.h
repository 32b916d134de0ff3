//===- DeviceMemory.h - Global memory of the emulated device ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MACHINE_DEVICEMEMORY_H
#define FUSION_LIB_EMULATOR_MACHINE_DEVICEMEMORY_H

#include "Emulator/Parse/Types.h"

#include <atomic>
#include <map>
#include <memory>
#include <vector>

namespace fusion::emulator {

struct Module;

/// The byte that unwritten memory reads as: NaN in every floating-point type.
constexpr uint8_t kPoison = 0xff;
/// Bytes of a cache line, which instructions discard as a whole.
constexpr unsigned kLineBytes = 128;

struct Allocation {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  uint8_t *data = nullptr;
  bool isConst = false;
  bool isPending = false; ///< the launch says `pending`
  /// All bytes have been written, or this is unknown because a kernel without
  /// sanitizers stored here.
  std::atomic<bool> initialized{false};
  /// A byte per byte, 1 if it was written; null until a byte was.
  std::unique_ptr<uint8_t[]> shadow;
  std::unique_ptr<uint8_t[]> storage;

  uint64_t end() const { return begin + bytes; }
  void markWritten(uint64_t offset, uint64_t count);
  /// Marks bytes as not written.
  void markDiscarded(uint64_t offset, uint64_t count);
};

class DeviceMemory {
public:
  Allocation *allocate(uint64_t bytes, uint64_t alignment);
  /// Returns the allocation that contains `address`, or null.
  Allocation *find(uint64_t address) const;
  /// Returns the allocation that contains or most closely precedes `address`.
  const Allocation *nearest(uint64_t address) const;
  /// Freed memory, and the line of the kernel that freed it (0: the host did).
  /// Addresses are not reused.
  struct Freed {
    uint64_t begin = 0, bytes = 0;
    unsigned line = 0;
  };
  /// Returns the freed memory that contained `address`; 0 bytes if there is
  /// none.
  Freed freedAt(uint64_t address) const;
  bool free(uint64_t address);
  /// Allocates the module's .global and .const variables, once per module.
  /// Returns false if another module has its region of addresses.
  bool instantiate(const Module &module);

  /// malloc and free of kernels. heapAllocate returns 0 if the heap is full;
  /// memory that kernels do not free stays for the next launch. heapFree
  /// returns false if `address` is not such memory.
  uint64_t heapAllocate(uint64_t bytes);
  bool heapFree(uint64_t address, unsigned line);
  /// Returns the bytes that malloc gave at this address, or 0.
  uint64_t heapSize(uint64_t address) const;
  /// The driver's part of a cooperative launch: a size, and the word by which
  /// blocks wait for one another, zero when a launch starts.
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
  /// Freed by kernels: empty, but pointers to them may still be in use.
  std::vector<std::unique_ptr<Allocation>> freed;
  Allocation *workspace = nullptr;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_MACHINE_DEVICEMEMORY_H
