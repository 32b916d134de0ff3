//===- Shadow.cpp - What is known of every word of a memory ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Shadow.h"

#include <sys/mman.h>

#include <cstdio>

using namespace fusion::emulator;

[[noreturn]] static void outOfMemory() {
  std::fputs("no memory for the records of the sanitizers\n", stderr);
  std::exit(1);
}

/// Large ones are mapped: what the heap has had before it would clear, all of
/// it, touched or not.
ShadowStorage fusion::emulator::allocateShadow(uint64_t records,
                                               bool isSparse) {
  constexpr size_t kMapped = 1 << 18, kHuge = 1 << 21;
  size_t bytes = records * sizeof(Record);
  void *place;
  if (bytes < kMapped) {
    place = std::calloc(records, sizeof(Record));
    if (!place)
      outOfMemory();
    return ShadowStorage(static_cast<Record *>(place));
  }
  place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED)
    outOfMemory();
#ifdef MADV_HUGEPAGE
  if (bytes >= kHuge && !isSparse)
    madvise(place, bytes, MADV_HUGEPAGE);
#endif
  return ShadowStorage(static_cast<Record *>(place), ShadowFree{bytes});
}

void ShadowFree::operator()(Record *records) const {
  if (mapped)
    munmap(records, mapped);
  else
    std::free(records);
}
