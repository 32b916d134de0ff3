//===- ChainPartition.h - Chains of a function ------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_CHAINPARTITION_H
#define FUSION_LIB_TRANSFORMS_PARTITION_CHAINPARTITION_H

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Search/Chains/SearchMemo.h"
#include "fusion/Search/Stitching/StitchExplorer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusion {

struct ChainPartitionOptions {
  bool forceFusion = false; ///< fuse what is legal, whatever it costs
  bool skipMasked = false;  ///< evaluate kernels that skip masked tiles
  /// How stitched groups are made of the operators that are in no chain. If
  /// this is nullopt, none are made, and chains include all operators that they
  /// can.
  std::optional<ExplorerOptions> explorer;
};

/// A chain of a partition.
struct ChainKernel {
  fuse::ChainOp group;
  unsigned contractions = 0;
  double seconds = 0;       ///< predicted
  double apart = 0;         ///< predicted for each contraction by itself
  bool isApartKnown = true; ///< each has a kernel of a chain
  bool isForced = false;    ///< several kernels are predicted to be faster
};

/// Makes chains of a function's contractions and of the operators around them.
/// Remarks say what was fused, what was not and why. Returns the chains.
std::vector<ChainKernel> partitionChains(mlir::func::FuncOp function,
                                         const ChipInfo &chip,
                                         const ChainPartitionOptions &options,
                                         SearchMemo &memo);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_CHAINPARTITION_H
