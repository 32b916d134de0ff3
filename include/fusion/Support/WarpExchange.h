//===- WarpExchange.h - Layout conversions by shuffles ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp can convert a tile between two layouts without shared memory if each
// lane gets each of its elements in one of two ways:
//
//  - it selects one of its own registers, by the bits of its lane and warp;
//  - it reads one register of another lane by one shuffle.
//
// Example: 8 registers with the same 8 elements in all 32 lanes, against one
// register of which lane l holds element l % 8. To the second layout each lane
// selects register l % 8; to the first one it reads lanes 0 to 7 by 8 shuffles.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_WARPEXCHANGE_H
#define FUSION_SUPPORT_WARPEXCHANGE_H

#include "fusion/Support/LinearLayout.h"

namespace fusion {

/// Where a thread finds the element of one of its registers.
struct WarpSource {
  /// The register of thread 0 of warp 0. For another thread it is the XOR of
  /// this one and of the entries of all bits that are set in its lane and warp.
  int64_t base = 0;
  llvm::SmallVector<int64_t, 5> byLaneBit, byWarpBit;
  /// The lane that holds it: (own lane & kept) | added.
  int64_t kept = 0, added = 0;

  /// Returns whether every lane holds the element itself.
  bool isOwn(int64_t lanes) const { return kept == lanes - 1 && added == 0; }
};

/// Returns the source of each register of `to`, or nullopt if some lane would
/// need another warp, or more than one shuffle for a register. The numbers of
/// lanes and warps must be powers of two.
std::optional<llvm::SmallVector<WarpSource>>
planWarpExchange(const LinearLayout &from, const LinearLayout &to);

} // namespace fusion

#endif // FUSION_SUPPORT_WARPEXCHANGE_H
