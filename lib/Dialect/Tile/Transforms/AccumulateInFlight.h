//===- AccumulateInFlight.h - MMAs of iterations in flight ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_DIALECT_TILE_TRANSFORMS_ACCUMULATEINFLIGHT_H
#define FUSION_LIB_DIALECT_TILE_TRANSFORMS_ACCUMULATEINFLIGHT_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>
#include <string>

namespace fusion::tile {

/// Returns the reason why the contraction's sum cannot go on while the MMAs of
/// the iteration before are in flight, or nullopt. The loop carries the sum,
/// and both factors are read in place from stages that mbarriers release.
std::optional<std::string> whyNotInFlight(SharedDotOp dot,
                                          mlir::scf::ForOp loop);

/// Rewrites the loop so that each iteration issues its contractions before it
/// waits for those of the iteration before, whose stages it then releases. The
/// first iteration comes before the loop, and the last releases behind it. Each
/// of `dots` may be in flight, and the loop has no other contraction and at
/// least one iteration. Erases `loop`.
void accumulateInFlight(llvm::ArrayRef<SharedDotOp> dots,
                        mlir::scf::ForOp loop);

} // namespace fusion::tile

#endif // FUSION_LIB_DIALECT_TILE_TRANSFORMS_ACCUMULATEINFLIGHT_H
