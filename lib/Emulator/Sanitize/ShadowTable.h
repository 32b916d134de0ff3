//===- ShadowTable.h - Loops over the records of an access ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops are compiled several times, for vector extensions of growing width
// (Isa/Shadow.cpp), and chosen once when the program starts.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_SHADOWTABLE_H
#define FUSION_LIB_EMULATOR_SANITIZE_SHADOWTABLE_H

#include <cstdint>
#include <vector>

namespace fusion::emulator {

struct ShadowWords;

struct ShadowTable {
  /// Reads the records of the words. Returns false if an address has none.
  bool (*gather)(ShadowWords &words, const uint64_t *writes,
                 const uint64_t *reads);
  /// Writes one record per word. Returns false if two lanes share a word, which
  /// then has the record of either lane.
  bool (*scatter)(const ShadowWords &words, const uint64_t *from, uint64_t *to);
  void (*fill)(const ShadowWords &words, uint64_t record, uint64_t *to);
  /// Replaces readers that come before by the lanes (all readers, if the last
  /// one is kept), as `asked` says (kAsked contexts, twice their number and the
  /// answer). Returns false, without an effect, if `asked` does not say.
  bool (*replace)(const ShadowWords &words, const uint32_t *asked,
                  bool keepsFirst, uint64_t *to);
};

/// Returns the widest table that this machine executes.
const ShadowTable &shadowTable();
/// Returns every table that this machine executes, for tests.
std::vector<const ShadowTable *> allShadowTables();

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_SHADOWTABLE_H
