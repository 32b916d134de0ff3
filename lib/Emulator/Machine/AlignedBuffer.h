//===- AlignedBuffer.h - Memory aligned for vectors -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MACHINE_ALIGNEDBUFFER_H
#define FUSION_LIB_EMULATOR_MACHINE_ALIGNEDBUFFER_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace fusion::emulator {

/// Bytes at a multiple of 64, of a size that is set once in a while.
class AlignedBuffer {
public:
  uint8_t *data() const { return begin; }
  size_t size() const { return bytes; }
  /// Makes it at least `wanted` bytes long; the contents are lost when it
  /// grows.
  void reserve(size_t wanted) {
    if (wanted <= bytes && begin)
      return;
    storage.reset(new uint8_t[wanted + 64]);
    uintptr_t address = reinterpret_cast<uintptr_t>(storage.get());
    begin = storage.get() + ((64 - address % 64) % 64);
    bytes = wanted;
  }
  void fill(uint8_t value, size_t count) {
    if (count)
      std::memset(begin, value, count);
  }

private:
  std::unique_ptr<uint8_t[]> storage;
  uint8_t *begin = nullptr;
  size_t bytes = 0;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_MACHINE_ALIGNEDBUFFER_H
