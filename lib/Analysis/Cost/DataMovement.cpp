//===- DataMovement.cpp - Chimera's data movement volume ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/DataMovement.h"
#include "fusion/Analysis/Schedules/TilingTree.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>

using namespace fusion;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

std::string MovementTerm::print(const GroupModel &group) const {
  std::string text;
  auto extent = [&](unsigned axis) {
    return llvm::StringRef(group.axes[axis].name).upper();
  };
  for (unsigned axis : tiles)
    text += (llvm::is_contained(trips, axis) ? "" : "T_") + extent(axis);
  for (unsigned axis : trips)
    if (!llvm::is_contained(tiles, axis))
      text += "⌈" + extent(axis) + "/T_" + extent(axis) + "⌉";
  return text;
}

int64_t MovementTerm::evaluate(const GroupModel &group,
                               ArrayRef<int64_t> tileSizes) const {
  int64_t value = 1;
  for (unsigned axis : tiles)
    value *= tileSizes[axis];
  for (unsigned axis : trips)
    value *= tripCount(group.axes[axis], tileSizes[axis]);
  return value;
}

int64_t MovementTerm::minClipped(const GroupModel &group,
                                 ArrayRef<int64_t> least,
                                 ArrayRef<int64_t> most) const {
  int64_t value = 1;
  for (unsigned axis : tiles)
    value *=
        llvm::is_contained(trips, axis) ? group.axes[axis].extent : least[axis];
  for (unsigned axis : trips)
    if (!llvm::is_contained(tiles, axis))
      value *= tripCount(group.axes[axis], most[axis]);
  return value;
}

//===----------------------------------------------------------------------===//
// Algorithm 1
//===----------------------------------------------------------------------===//

/// Returns the tensors of a contraction: its operands, its producers' results,
/// its own result.
static llvm::SmallVector<unsigned, 4> tensorsOf(const GroupModel &group,
                                                unsigned contraction) {
  llvm::SmallVector<unsigned, 4> tensors;
  for (std::optional<unsigned> producer :
       group.contractions[contraction].producer)
    if (producer)
      tensors.push_back(group.contractions[*producer].result);
  for (auto [index, tensor] : llvm::enumerate(group.tensors))
    if (tensor.contraction == contraction && tensor.role != TensorRole::Rows &&
        !tensor.pass)
      tensors.push_back(index);
  return tensors;
}

/// Returns the loops of a contraction's result that are inside of its
/// reductions.
static llvm::SmallVector<unsigned, 6>
carriedLoops(const GroupModel &group, ArrayRef<unsigned> order,
             const Contraction &contraction) {
  llvm::SmallVector<unsigned, 6> carried;
  for (unsigned axis : llvm::reverse(
           llvm::make_range(llvm::find_if(order,
                                          [&](unsigned axis) {
                                            return llvm::is_contained(
                                                contraction.reduction, axis);
                                          }),
                            order.end())))
    if (llvm::is_contained(group.tensors[contraction.result].axes, axis))
      carried.push_back(axis);
  return carried;
}

DataMovement fusion::analyzeDataMovement(const GroupModel &group,
                                         ArrayRef<unsigned> order,
                                         MovementReading reading,
                                         PartialSums sums) {
  DataMovement movement;
  llvm::SmallVector<unsigned, 8> loops(order);
  for (auto [number, contraction] : llvm::enumerate(group.contractions)) {
    for (unsigned index : tensorsOf(group, number)) {
      const GroupTensor &tensor = group.tensors[index];
      TensorMovement &entry = movement.tensors.emplace_back();
      entry.contraction = number;
      entry.tensor = index;
      entry.footprint.tiles.assign(tensor.axes.begin(), tensor.axes.end());
      bool isMade = tensor.role == TensorRole::Intermediate ||
                    tensor.role == TensorRole::Result;
      bool isRetained = isMade && sums == PartialSums::Kept;
      MovementTerm tile = entry.footprint;
      if (isRetained)
        entry.footprint.trips =
            carriedLoops(group, order, group.contractions[tensor.contraction]);
      if (tensor.role == TensorRole::Intermediate)
        continue;
      MovementTerm &volume = entry.volume.emplace(tile);
      bool keepsReuse = true;
      for (unsigned axis : llvm::reverse(loops)) {
        if (reading == MovementReading::Printed &&
            !llvm::is_contained(contraction.axes, axis))
          continue;
        if (isRetained && !llvm::is_contained(tensor.axes, axis))
          continue;
        if (llvm::is_contained(tensor.axes, axis))
          keepsReuse = false;
        if (!keepsReuse)
          volume.trips.push_back(axis);
      }
    }
    // Loops that no later contraction has are private to the contractions up to
    // here.
    llvm::erase_if(loops, [&, done = number + 1](unsigned axis) {
      return llvm::none_of(ArrayRef(group.contractions).drop_front(done),
                           [&](const Contraction &later) {
                             return llvm::is_contained(later.axes, axis);
                           });
    });
  }
  return movement;
}

const MovementTerm *DataMovement::volumeOf(unsigned tensor) const {
  for (const TensorMovement &entry : tensors)
    if (entry.tensor == tensor && entry.volume)
      return &*entry.volume;
  return nullptr;
}

int64_t DataMovement::volume(const GroupModel &group,
                             ArrayRef<int64_t> tileSizes, bool clipped) const {
  int64_t sum = 0;
  for (const TensorMovement &entry : tensors)
    if (entry.volume)
      sum += clipped ? entry.volume->evaluateClipped(group, tileSizes)
                     : entry.volume->evaluate(group, tileSizes);
  return sum;
}

int64_t DataMovement::memoryUsage(const GroupModel &group,
                                  ArrayRef<int64_t> tileSizes) const {
  llvm::SmallVector<int64_t, 4> sums(group.contractions.size(), 0);
  for (const TensorMovement &entry : tensors)
    sums[entry.contraction] += entry.footprint.evaluate(group, tileSizes);
  return *llvm::max_element(sums);
}

std::string DataMovement::printVolume(const GroupModel &group) const {
  llvm::SmallVector<std::string> terms;
  for (const TensorMovement &entry : tensors)
    if (entry.volume)
      terms.push_back(entry.volume->print(group));
  return llvm::join(terms, " + ");
}

std::string DataMovement::printMemoryUsage(const GroupModel &group) const {
  llvm::SmallVector<std::string> sums(group.contractions.size());
  for (const TensorMovement &entry : tensors)
    sums[entry.contraction] += (sums[entry.contraction].empty() ? "" : " + ") +
                               entry.footprint.print(group);
  return "max{" + llvm::join(sums, ", ") + "}";
}

//===----------------------------------------------------------------------===//
// The closed form
//===----------------------------------------------------------------------===//

double ChimeraClosedForm::bound(const GroupModel &group) const {
  double most = 0;
  for (unsigned axis : {rows, shared})
    most = std::max(most, 1 + tile / group.axes[axis].extent +
                              static_cast<double>(granularity) / seed[axis]);
  return most;
}

std::optional<ChimeraClosedForm>
fusion::solveChimera(const GroupModel &group, int64_t capacity, int64_t alpha,
                     int64_t granularity, std::string &reason) {
  if (group.contractions.size() != 2 ||
      group.contractions[1].producer[0] != 0u ||
      group.contractions[1].producer[1] ||
      llvm::any_of(group.contractions, [](const Contraction &contraction) {
        return contraction.lhsAxes.size() != 1 ||
               contraction.rhsAxes.size() != 1 ||
               contraction.reduction.size() != 1;
      })) {
    reason = "the closed form is for chains of two matmuls";
    return std::nullopt;
  }
  const Contraction &first = group.contractions[0],
                    &second = group.contractions[1];
  ChimeraClosedForm form;
  form.rows = first.lhsAxes.front();
  form.shared = first.rhsAxes.front();
  form.granularity = granularity;
  auto extent = [&](unsigned axis) {
    return static_cast<double>(group.axes[axis].extent);
  };
  double a = alpha;
  form.tile = -a + std::sqrt(a * a + static_cast<double>(capacity));
  if (form.tile < granularity) {
    reason = std::to_string(capacity) + " elements do not hold the least tiles";
    return std::nullopt;
  }
  form.volume =
      2 * extent(form.rows) * extent(form.shared) *
      (extent(first.reduction.front()) + extent(second.rhsAxes.front())) /
      form.tile;
  form.seed.assign(group.axes.size(), alpha);
  for (unsigned axis : first.batch) {
    form.volume *= extent(axis);
    form.seed[axis] = 1;
  }
  for (unsigned axis : {form.rows, form.shared}) {
    int64_t most =
        std::min<int64_t>(std::floor(form.tile), group.axes[axis].extent);
    form.seed[axis] = std::max(granularity, most / granularity * granularity);
  }
  return form;
}
