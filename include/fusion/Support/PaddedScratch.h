//===- PaddedScratch.h - Shared memory between two layouts ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of any rank that is written in one layout and read in another. Every
// coordinate is decomposed into the digits that both layouts move along, and
// each digit gets its own stride:
//
//   offset = Σ digit · stride
//
// Lanes that read are contiguous. Digits that only writing lanes have get
// strides that lead through the banks which the reading lanes among them leave
// out, so that neither access conflicts. For a transposed matrix these are the
// usual rows of 33 words.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_PADDEDSCRATCH_H
#define FUSION_SUPPORT_PADDEDSCRATCH_H

#include "fusion/Support/AddressPlan.h"

namespace fusion {

struct PaddedScratch {
  AddressPlan from, to; ///< offsets in elements
  /// Registers of one access, which has 4 bytes at most, or one element.
  int64_t fromWidth, toWidth;
  int64_t elements; ///< of the scratch, with its gaps
};

/// Returns the scratch for elements of 1, 2, 4 or 8 bytes. Returns nullopt if a
/// layout XORs coordinates or moves one digit along two of them, or if the
/// digits of the layouts have no common parts (3 · 2 against 2 · 3).
std::optional<PaddedScratch> planPadded(const LinearLayout &from,
                                        const LinearLayout &to,
                                        int64_t elementBytes);

/// Returns the `elements` of planPadded alone.
std::optional<int64_t> countPadded(const LinearLayout &from,
                                   const LinearLayout &to,
                                   int64_t elementBytes);

} // namespace fusion

#endif // FUSION_SUPPORT_PADDEDSCRATCH_H
