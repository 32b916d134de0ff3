//===- DeviceMemory.cpp - Global memory of the emulated device ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine/DeviceMemory.h"

#include "Emulator/Parse/Module.h"

#include <algorithm>
#include <cstring>

using namespace fusion::emulator;

// Between allocations, so that running over an end hits nothing.
static constexpr uint64_t kGuardBytes = 4096;

void Allocation::markWritten(uint64_t offset, uint64_t count) {
  if (initialized.load(std::memory_order_relaxed) || !count)
    return;
  if (offset == 0 && count == bytes) {
    initialized = true;
    return;
  }
  if (!shadow)
    shadow.reset(new uint8_t[bytes]());
  std::memset(shadow.get() + offset, 1, count);
}

void Allocation::markDiscarded(uint64_t offset, uint64_t count) {
  if (!shadow)
    shadow.reset(new uint8_t[bytes]());
  if (initialized.exchange(false))
    std::memset(shadow.get(), 1, bytes);
  std::memset(shadow.get() + offset, 0, count);
}

Allocation *DeviceMemory::insert(uint64_t begin, uint64_t bytes, bool isConst) {
  auto allocation = std::make_unique<Allocation>();
  allocation->begin = begin;
  allocation->bytes = bytes;
  allocation->isConst = isConst;
  // Atomics of the host want natural alignment; new gives 16 bytes.
  allocation->storage.reset(new uint8_t[bytes + 64]);
  uintptr_t address = reinterpret_cast<uintptr_t>(allocation->storage.get());
  allocation->data = allocation->storage.get() + (64 - address % 64) % 64;
  std::memset(allocation->data, kPoison, bytes);
  Allocation *result = allocation.get();
  allocations[begin] = std::move(allocation);
  sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), begin,
                                 [](uint64_t value, const Allocation *a) {
                                   return value < a->begin;
                                 }),
                result);
  return result;
}

Allocation *DeviceMemory::allocate(uint64_t bytes, uint64_t alignment) {
  // At least that of the host's copy, for the host's atomics.
  alignment = std::max<uint64_t>(alignment, 64);
  next = (next + alignment - 1) & ~(alignment - 1);
  Allocation *result = insert(next, bytes, false);
  // An empty allocation still has an address of its own.
  next += std::max<uint64_t>(bytes, 1) + kGuardBytes;
  return result;
}

Allocation *DeviceMemory::find(uint64_t address) const {
  auto it = std::upper_bound(
      sorted.begin(), sorted.end(), address,
      [](uint64_t value, const Allocation *a) { return value < a->begin; });
  if (it == sorted.begin())
    return nullptr;
  Allocation *allocation = *std::prev(it);
  return address < allocation->end() ? allocation : nullptr;
}

const Allocation *DeviceMemory::nearest(uint64_t address) const {
  auto it = std::upper_bound(
      sorted.begin(), sorted.end(), address,
      [](uint64_t value, const Allocation *a) { return value < a->begin; });
  return it == sorted.begin() ? nullptr : *std::prev(it);
}

DeviceMemory::Freed DeviceMemory::freedAt(uint64_t address) const {
  auto it = freedRanges.upper_bound(address);
  if (it == freedRanges.begin())
    return {};
  --it;
  return address - it->first < it->second.bytes ? it->second : Freed();
}

bool DeviceMemory::free(uint64_t address) {
  auto it = allocations.find(address);
  if (it == allocations.end() || address < kAllocations ||
      it->second.get() == workspace || heap.count(address))
    return false;
  freedRanges[address] = {address, it->second->bytes, 0};
  sorted.erase(std::find(sorted.begin(), sorted.end(), it->second.get()));
  allocations.erase(it);
  return true;
}

bool DeviceMemory::instantiate(const Module &module) {
  if (!module.variableBytes)
    return true;
  auto [it, isNew] = modules.emplace(module.id % kModuleRegions, module.id);
  if (!isNew)
    return it->second == module.id;
  for (const Variable &variable : module.variables) {
    if ((variable.space != Space::Global && variable.space != Space::Const) ||
        !variable.bytes)
      continue;
    Allocation *allocation = insert(variable.address, variable.bytes,
                                    variable.space == Space::Const);
    // Without an initializer they start as zero (PTX ISA, "Initializers").
    std::memset(allocation->data, 0, variable.bytes);
    std::copy(variable.initializer.begin(), variable.initializer.end(),
              allocation->data);
    allocation->initialized = true;
  }
  return true;
}

// The heap unless cudaLimitMallocHeapSize is set (CUDA C++ Programming Guide,
// "Dynamic Global Memory Allocation and Operations"); pieces are aligned to 16
// bytes there.
static constexpr uint64_t kHeapBytes = 8 << 20;
static constexpr uint64_t kHeapAlignment = 16;

uint64_t DeviceMemory::heapAllocate(uint64_t bytes) {
  if (bytes > kHeapBytes)
    return 0;
  uint64_t taken = std::max<uint64_t>(
      (bytes + kHeapAlignment - 1) & ~(kHeapAlignment - 1), kHeapAlignment);
  if (heapBytes + taken > kHeapBytes)
    return 0;
  heapBytes += taken;
  uint64_t address = allocate(bytes, kHeapAlignment)->begin;
  heap[address] = taken;
  return address;
}

uint64_t DeviceMemory::heapSize(uint64_t address) const {
  auto it = heap.find(address);
  return it == heap.end() ? 0 : allocations.at(address)->bytes;
}

bool DeviceMemory::heapFree(uint64_t address, unsigned line) {
  auto it = heap.find(address);
  if (it == heap.end())
    return false;
  heapBytes -= it->second;
  heap.erase(it);
  auto allocation = allocations.find(address);
  Allocation *found = allocation->second.get();
  sorted.erase(std::find(sorted.begin(), sorted.end(), found));
  freedRanges[address] = {address, found->bytes, line};
  found->bytes = 0;
  found->storage.reset();
  found->shadow.reset();
  freed.push_back(std::move(allocation->second));
  allocations.erase(allocation);
  return true;
}

uint64_t DeviceMemory::gridWorkspace() {
  if (!workspace) {
    workspace = allocate(2 * sizeof(uint32_t), 64);
    resetGridWorkspace();
  }
  return workspace->begin;
}

void DeviceMemory::resetGridWorkspace() {
  if (!workspace)
    return;
  uint32_t contents[2] = {2 * sizeof(uint32_t), 0};
  std::memcpy(workspace->data, contents, sizeof(contents));
  workspace->initialized = true;
}
