//===- TileSize.h - The largest tiles ---------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_TILESIZE_H
#define FUSION_SUPPORT_TILESIZE_H

#include <cstdint>

namespace fusion {

/// The most elements of a tile along one dimension: products of tile sizes are
/// exact in 64 bits.
constexpr int64_t kMaxTileSize = 65536;

} // namespace fusion

#endif // FUSION_SUPPORT_TILESIZE_H
