//===- MemoryTile.h - A tile as a tensor holds it ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULES_MEMORYTILE_H
#define FUSION_ANALYSIS_SCHEDULES_MEMORYTILE_H

#include "fusion/Analysis/Groups/GroupModel.h"

namespace fusion {

/// Rows and columns of a tile in memory order. The axes of the tile are the two
/// axes that `getMemoryTile` is given; `columnAxis` is the later one in the
/// tensor.
struct MemoryTile {
  unsigned rowAxis, columnAxis;
  bool isDense; ///< the column axis is the tensor's last dimension
};
MemoryTile getMemoryTile(const GroupTensor &tensor, unsigned axis0,
                         unsigned axis1);

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULES_MEMORYTILE_H
