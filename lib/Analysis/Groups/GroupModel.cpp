//===- GroupModel.cpp - A group as plain data -----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/GroupModel.h"
#include "llvm/ADT/STLExtras.h"

using namespace fusion;

std::optional<unsigned> GroupModel::findAxis(llvm::StringRef name) const {
  for (auto [index, axis] : llvm::enumerate(axes))
    if (axis.name == name)
      return index;
  return std::nullopt;
}

std::optional<unsigned> GroupModel::findTensor(llvm::StringRef name) const {
  for (auto [index, tensor] : llvm::enumerate(tensors))
    if (tensor.name == name)
      return index;
  return std::nullopt;
}

int64_t GroupModel::wholeElements(unsigned tensor) const {
  int64_t count = 1;
  for (unsigned axis : tensors[tensor].axes)
    count *= axes[axis].extent;
  return count;
}

int64_t GroupModel::outsideBytes() const {
  int64_t bytes = 0;
  for (auto [index, tensor] : llvm::enumerate(tensors))
    if (tensor.role != TensorRole::Intermediate &&
        tensor.role != TensorRole::Rows && !tensor.pass)
      bytes += (tensor.window ? tensor.window->touched : wholeElements(index)) *
               tensor.elementBytes;
  return bytes;
}

bool GroupModel::indexes(unsigned tensor, unsigned axis) const {
  return llvm::is_contained(tensors[tensor].axes, axis);
}

bool GroupModel::canRunWithContraction(const RowStatistics &pass) const {
  return llvm::any_of(online, [&](const OnlineAxis &known) {
    return known.axis == pass.axis && known.whyNot.empty();
  });
}
