//===- ChainModel.h - Models of product chains without IR -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches and costs work on GroupModel; studies of them (sweeps over shapes,
// counts of search spaces) need one for shapes that no program is at hand for.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_CHAINMODEL_H
#define FUSION_ANALYSIS_CHAINMODEL_H

#include "fusion/Analysis/GroupModel.h"
#include "llvm/ADT/ArrayRef.h"

namespace fusion {

/// A chain of batched matrix products by the sizes of its matrices.
struct ChainShape {
  /// Rows of the first matrix, then the columns of all: {M, K, N, H} is
  /// C[m,n] = A[m,k]·B[k,n], E[m,h] = C[m,n]·D[n,h].
  llvm::SmallVector<int64_t, 6> sizes;
  int64_t batch = 1; ///< of all matrices; an axis b where it is more than one
  unsigned elementBytes = 2; ///< of every matrix, intermediates too
  MultiplicandType type = MultiplicandType::F16;
};

/// The model of the chain, with the names that groups from IR get. A chain has
/// at least one product (three sizes) and at most twelve.
GroupModel makeChainModel(const ChainShape &shape);

} // namespace fusion

#endif // FUSION_ANALYSIS_CHAINMODEL_H
