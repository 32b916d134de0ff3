//===- ChainModel.h - Models of chains without IR -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches and cost models work on GroupModel. Studies (sweeps over shapes,
// counts of search spaces) need a GroupModel for shapes for which there is no
// program.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_GROUPS_CHAINMODEL_H
#define FUSION_ANALYSIS_GROUPS_CHAINMODEL_H

#include "fusion/Analysis/Groups/GroupModel.h"
#include "llvm/ADT/ArrayRef.h"

namespace fusion {

/// The shape of a chain of batched matmuls.
struct ChainShape {
  /// Sizes of the matrices: rows of the first one, then the columns of each.
  /// {M, K, N, H} is C[m,n] = A[m,k]·B[k,n], E[m,h] = C[m,n]·D[n,h].
  llvm::SmallVector<int64_t, 6> sizes;
  int64_t batch = 1; ///< of all matrices; an axis b where it is more than one
  unsigned elementBytes = 2; ///< of every matrix, intermediates too
  MultiplicandType type = MultiplicandType::F16;
};

/// Returns the model of the chain, with the names that groups from IR get. A
/// chain has one to twelve contractions, thus at least three sizes.
GroupModel makeChainModel(const ChainShape &shape);

} // namespace fusion

#endif // FUSION_ANALYSIS_GROUPS_CHAINMODEL_H
