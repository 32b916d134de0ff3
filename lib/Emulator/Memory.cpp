//===- Memory.cpp - The host's side of device memory ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Memory.h"

#include <cstring>

using namespace fusion::emulator;

Memory::Memory() : pimpl(std::make_unique<Impl>()) {}
Memory::~Memory() = default;

uint64_t Memory::allocate(size_t bytes, size_t alignment) {
  return pimpl->allocate(bytes, alignment)->begin;
}

/// The allocation that holds [address, address + bytes), null where none does.
static Allocation *holder(const DeviceMemory &memory, uint64_t address,
                          size_t bytes) {
  const Allocation *allocation = memory.nearest(address);
  if (!allocation || address - allocation->begin > allocation->bytes ||
      bytes > allocation->bytes - (address - allocation->begin))
    return nullptr;
  return const_cast<Allocation *>(allocation);
}

bool Memory::write(uint64_t address, const void *source, size_t bytes) {
  Allocation *allocation = holder(*pimpl, address, bytes);
  if (!allocation)
    return false;
  if (bytes)
    std::memcpy(allocation->data + (address - allocation->begin), source,
                bytes);
  allocation->markWritten(address - allocation->begin, bytes);
  return true;
}

bool Memory::read(uint64_t address, void *destination, size_t bytes) const {
  const Allocation *allocation = holder(*pimpl, address, bytes);
  if (!allocation)
    return false;
  if (bytes)
    std::memcpy(destination, allocation->data + (address - allocation->begin),
                bytes);
  return true;
}

bool Memory::free(uint64_t address) { return pimpl->free(address); }
