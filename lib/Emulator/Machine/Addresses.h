//===- Addresses.h - Addresses of shared memory -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MACHINE_ADDRESSES_H
#define FUSION_LIB_EMULATOR_MACHINE_ADDRESSES_H

#include "Emulator/Parse/Types.h"

namespace fusion::emulator {

struct Cta;

/// A shared::cluster address is the rank of the CTA plus one in these bits and
/// the offset below; 0 there means one's own.
constexpr unsigned kRankShift = 24;

/// What a block of a cluster finds above the offsets of its shared variables:
/// their addresses are shared::cluster addresses, as a GPU's are, so that who
/// takes them for offsets is found out.
uint32_t sharedBase(const Cta &cta);

/// `sharedLanes` returns the lanes of `mask` whose generic addresses are in the
/// CTA's own shared memory. `clusterLanes` returns the lanes whose addresses
/// are in shared memory of a CTA of the cluster, which they name by its rank.
uint32_t sharedLanes(const uint64_t *address, uint32_t mask);
uint32_t clusterLanes(const uint64_t *address, uint32_t mask);

/// Whether a generic address is in the window that begins at `window`. Has
/// internal linkage as what Types.h defines.
static constexpr bool inWindow(uint64_t address, uint64_t window) {
  return address >= window && address - window < kWindowBytes;
}

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_MACHINE_ADDRESSES_H
