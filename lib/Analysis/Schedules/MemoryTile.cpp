//===- MemoryTile.cpp - A tile as a tensor holds it -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Schedules/MemoryTile.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

MemoryTile fusion::getMemoryTile(const GroupTensor &tensor, unsigned axis0,
                                 unsigned axis1) {
  auto position = [&](unsigned axis) {
    return llvm::find(tensor.axes, axis) - tensor.axes.begin();
  };
  if (position(axis0) > position(axis1))
    std::swap(axis0, axis1);
  bool isDense =
      tensor.axes.back() == axis1 && (!tensor.window || tensor.alignment != 0);
  return {axis0, axis1, isDense};
}
