//===- Passes.h - Passes over block programs ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_TRANSFORMS_PASSES_H
#define FUSION_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "mlir/Pass/Pass.h"

namespace fusion {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fusion/Dialect/Tile/Transforms/Passes.h.inc"

} // namespace fusion

#endif // FUSION_DIALECT_TILE_TRANSFORMS_PASSES_H
