//===- PaddedScratch.h - Shared memory between two layouts ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of any rank that is written as one layout has it and read as another.
// Every coordinate is taken apart into the digits that both layouts move along,
// and each digit gets a stride of its own:
//
//   offset = Σ digit · stride
//
// Lanes that read lie side by side. Digits of writing lanes only have strides
// that lead through the banks which the reading lanes among them leave out, so
// that neither access conflicts; for a matrix that is turned these are the
// usual rows of 33 words.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_PADDEDSCRATCH_H
#define FUSION_SUPPORT_PADDEDSCRATCH_H

#include "fusion/Support/AddressPlan.h"

namespace fusion {

struct PaddedScratch {
  AddressPlan from, to; ///< offsets in elements
  /// Registers of one access, a word of 4 bytes at most, or one element.
  int64_t fromWidth, toWidth;
  int64_t elements; ///< what it takes, with what is left out
};

/// The scratch for elements of 1, 2, 4 or 8 bytes. nullopt where a layout XORs
/// coordinates, moves one digit along two of them, or the digits of the two
/// have no common parts (3 · 2 of one against 2 · 3 of the other).
std::optional<PaddedScratch> planPadded(const LinearLayout &from,
                                        const LinearLayout &to,
                                        int64_t elementBytes);

/// Its `elements` alone.
std::optional<int64_t> countPadded(const LinearLayout &from,
                                   const LinearLayout &to,
                                   int64_t elementBytes);

} // namespace fusion

#endif // FUSION_SUPPORT_PADDEDSCRATCH_H
