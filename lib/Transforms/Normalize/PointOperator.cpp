//===- PointOperator.cpp - An operator over the points of a tensor --------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Transforms/Normalize/PointOperator.h"

using namespace mlir;
using namespace fusion;

PointOperator::PointOperator(OpBuilder &b, Location loc,
                             ArrayRef<unsigned> domain, bool hasParts)
    : body(new Block), b(b), loc(loc) {
  if (hasParts)
    loops.push_back(kParts);
  llvm::append_range(loops, domain);
  b.setInsertionPointToStart(body);
}

Value PointOperator::read(Value tensor, ArrayRef<unsigned> tensorAxes) {
  SmallVector<AffineExpr> exprs;
  for (unsigned axis : tensorAxes)
    exprs.push_back(
        b.getAffineDimExpr(llvm::find(loops, axis) - loops.begin()));
  auto map = AffineMap::get(loops.size(), 0, exprs, b.getContext());
  for (auto [index, input] : llvm::enumerate(inputs))
    if (input == tensor && maps[index] == map)
      return body->getArgument(index);
  inputs.push_back(tensor);
  maps.push_back(map);
  return body->insertArgument(inputs.size() - 1,
                              getElementTypeOrSelf(tensor.getType()), loc);
}

SmallVector<Value> PointOperator::close(ArrayRef<Value> yields,
                                        ArrayRef<Value> inits, Block *block) {
  linalg::YieldOp::create(b, loc, yields);
  b.setInsertionPoint(block, block->end());
  SmallVector<utils::IteratorType> iterators;
  SmallVector<unsigned> all;
  for (auto [d, axis] : llvm::enumerate(loops)) {
    iterators.push_back(axis == kParts ? utils::IteratorType::reduction
                                       : utils::IteratorType::parallel);
    if (axis != kParts)
      all.push_back(d);
  }
  auto ownMap =
      AffineMap::getMultiDimMapWithTargets(loops.size(), all, b.getContext());
  SmallVector<AffineMap> indexing = maps;
  indexing.append(inits.size(), ownMap);
  auto op = linalg::GenericOp::create(b, loc, ValueRange(inits).getTypes(),
                                      inputs, inits, indexing, iterators);
  op.getRegion().push_back(body);
  return llvm::to_vector(ValueRange(op.getResults()));
}
