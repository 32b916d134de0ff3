//===- StitchGroup.cpp - A stitched group as plain data -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/StitchGroup.h"
#include "StitchBuilder.h"

using namespace mlir;
using namespace fusion;

std::optional<unsigned> StitchGroup::definer(Value value) const {
  auto found = numbers.find(value.getDefiningOp());
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

SmallVector<unsigned, 4> StitchGroup::axesOf(unsigned op,
                                             OpOperand *operand) const {
  linalg::LinalgOp linalgOp = members[op];
  SmallVector<unsigned, 4> result =
      loopsOf(linalgOp.getMatchingIndexingMap(operand));
  for (unsigned &loop : result)
    loop = loops[op][loop];
  return result;
}

bool StitchGroup::reduces(unsigned op, unsigned axis) const {
  return reductions[op] && llvm::is_contained(loops[op], axis) &&
         !llvm::is_contained(resultAxes(op), axis);
}

SmallVector<unsigned, 4> StitchGroup::resultAxes(unsigned op) const {
  SmallVector<unsigned, 4> result = resultLoops[op];
  for (unsigned &loop : result)
    loop = loops[op][loop];
  return result;
}

bool StitchGroup::crossesBlocks() const {
  // By component: the axes that index the results of all reductions.
  llvm::DenseMap<unsigned, SmallVector<unsigned, 4>> common;
  llvm::SmallDenseSet<unsigned, 4> haveAxes;
  for (unsigned op = 0; op < members.size(); ++op) {
    if (!reductions[op])
      continue;
    SmallVector<unsigned, 4> own = resultAxes(op);
    unsigned component = componentOf(op);
    if (!own.empty())
      haveAxes.insert(component);
    auto [it, isFirst] = common.insert({component, own});
    if (!isFirst)
      llvm::erase_if(it->second, [&](unsigned axis) {
        return !llvm::is_contained(own, axis);
      });
  }
  return llvm::any_of(common, [&](const auto &entry) {
    return entry.second.empty() && haveAxes.contains(entry.first);
  });
}

std::optional<unsigned> StitchGroup::findAxis(StringRef name) const {
  for (auto [index, axis] : llvm::enumerate(axes))
    if (axis.name == name)
      return index;
  return std::nullopt;
}

FailureOr<StitchGroup>
StitchGroup::compute(ArrayRef<linalg::LinalgOp> operators, ValueRange results,
                     llvm::function_ref<void(const Twine &)> explain,
                     StitchOperators *known) {
  StitchOperators own;
  return StitchBuilder(operators, results, explain, known ? *known : own)
      .build();
}
