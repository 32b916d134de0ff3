//===- ChainPartition.h - Chains of a function ------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_CHAINPARTITION_H
#define FUSION_LIB_TRANSFORMS_CHAINPARTITION_H

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Search/StitchExplorer.h"
#include "fusion/Transforms/SearchMemo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusion {

struct ChainPartitionOptions {
  bool forceFusion = false; ///< what is legal, whatever it costs
  bool skipMasked = false;  ///< price kernels that skip masked tiles
  /// How stitched groups are made of what the chains leave; nullopt: they are
  /// not, and chains take in what they can.
  std::optional<ExplorerOptions> explorer;
};

/// A chain of a plan.
struct ChainKernel {
  fuse::ChainOp group;
  unsigned contractions = 0;
  double seconds = 0;       ///< predicted
  double apart = 0;         ///< predicted for each product by itself
  bool isApartKnown = true; ///< each has a kernel of a chain
  bool isForced = false;    ///< fewer seconds are predicted for several kernels
};

/// Makes chains of a function's products and of the operators around them,
/// with remarks: what was fused, what was not and why. Returns the chains.
std::vector<ChainKernel> partitionChains(mlir::func::FuncOp function,
                                         const ChipInfo &chip,
                                         const ChainPartitionOptions &options,
                                         SearchMemo &memo);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_CHAINPARTITION_H
