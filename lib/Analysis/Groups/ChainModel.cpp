//===- ChainModel.cpp - Models of product chains without IR ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/ChainModel.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace fusion;

GroupModel fusion::makeChainModel(const ChainShape &shape) {
  // Columns of the contractions' results; the names are GroupModel.h's.
  constexpr llvm::StringLiteral columns = "nhpqrstuvwxy";
  assert(shape.sizes.size() >= 3 && shape.sizes.size() - 2 <= columns.size());
  GroupModel group;
  auto addAxis = [&](char name, int64_t extent) {
    group.axes.push_back({std::string(1, name), extent, false});
    return static_cast<unsigned>(group.axes.size() - 1);
  };
  llvm::SmallVector<unsigned, 2> batch;
  if (shape.batch > 1)
    batch.push_back(addAxis('b', shape.batch));
  unsigned m = addAxis('m', shape.sizes[0]);
  unsigned n = addAxis('n', shape.sizes[2]);
  unsigned reduced = addAxis('k', shape.sizes[1]);

  unsigned count = shape.sizes.size() - 2, previous = 0;
  auto addTensor = [&](TensorRole role, unsigned contraction, unsigned operand,
                       unsigned rows, unsigned cols) {
    unsigned number = group.tensors.size();
    GroupTensor tensor;
    tensor.name = number < 26 ? std::string(1, 'A' + number)
                              : "T" + std::to_string(number);
    tensor.role = role;
    tensor.axes.assign(batch.begin(), batch.end());
    tensor.axes.append({rows, cols});
    tensor.elementBytes = shape.elementBytes;
    uint64_t rowBytes = group.axes[cols].extent * shape.elementBytes;
    tensor.alignment = std::min<uint64_t>(16, rowBytes & -rowBytes);
    tensor.contraction = contraction;
    tensor.operandNumber = operand;
    group.tensors.push_back(tensor);
    return number;
  };
  for (unsigned i = 0; i < count; ++i) {
    if (i > 0)
      n = addAxis(columns[i], shape.sizes[i + 2]);
    if (i == 0)
      addTensor(TensorRole::Operand, 0, 0, m, reduced);
    addTensor(TensorRole::Operand, i, 1, reduced, n);
    Contraction contraction;
    contraction.result = addTensor(i + 1 == count ? TensorRole::Result
                                                  : TensorRole::Intermediate,
                                   i, 0, m, n);
    contraction.batch.assign(batch.begin(), batch.end());
    contraction.axes.assign(batch.begin(), batch.end());
    contraction.axes.append({m, n, reduced});
    contraction.lhsAxes = {m};
    contraction.rhsAxes = {n};
    contraction.reduction = {reduced};
    if (i > 0)
      contraction.producer[0] = previous;
    contraction.type = shape.type;
    group.contractions.push_back(contraction);
    previous = i;
    reduced = n;
  }
  return group;
}
