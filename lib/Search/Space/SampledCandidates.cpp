//===- SampledCandidates.cpp - Candidates of our space at random ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/ScheduleSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Draws one of the values.
static int64_t draw(ArrayRef<int64_t> values, Random &numbers) {
  return values[numbers.below(values.size())];
}

/// Returns the number of values of a dimension, summed over its domains.
static uint64_t countValues(const ScheduleDimension &dimension) {
  uint64_t count = 0;
  for (const ScheduleDimension::Values &values : dimension.domains)
    count += values.size();
  return count;
}

/// Draws one number for the values of all elements.
static void drawTogether(const ScheduleDimension &dimension,
                         ScheduleCandidate &candidate, Random &numbers) {
  uint64_t combinations = 1;
  for (const ScheduleDimension::Values &values : dimension.domains)
    combinations *= values.size();
  uint64_t combination = numbers.below(combinations);
  for (unsigned index = 0; index < dimension.elements.size(); ++index) {
    ArrayRef<int64_t> values = dimension.domain(index);
    dimension.set(candidate, values[combination % values.size()], index);
    combination /= values.size();
  }
}

ScheduleCandidate ScheduleSpace::random(Random &numbers) const {
  ScheduleCandidate candidate;
  for (const ScheduleDimension &dimension : choices) {
    if (!dimension.isDrawnWithLoops)
      continue;
    if (!dimension.together.empty()) {
      drawTogether(dimension, candidate, numbers);
      continue;
    }
    unsigned draws = dimension.drawsForOther;
    for (unsigned index = 0; index < dimension.elements.size(); ++index)
      if (draws == 1 || numbers.below(draws) == 0)
        dimension.set(
            candidate,
            draw(dimension.domain(index).drop_front(dimension.isMove), numbers),
            index);
  }
  return candidate;
}

void ScheduleSpace::drawPolicy(ScheduleCandidate &candidate,
                               Random &numbers) const {
  // Each tensor is drawn by itself, in order, so that tensors with and without
  // TMA copies occur together.
  std::optional<TensorSet> usesTMA;
  auto drawTensors = [&] {
    usesTMA = 0;
    for (TensorSet left = copied.back() | stored.back(); left; left &= left - 1)
      if (numbers.below(2))
        *usesTMA |= left & -left;
  };
  for (const ScheduleDimension &dimension : choices) {
    if (dimension.isDrawnWithLoops ||
        (dimension.isOpen && !dimension.isOpen(*this, candidate)))
      continue;
    if (dimension.isTensorSet && !usesTMA)
      drawTensors();
    for (unsigned index = 0; index < dimension.elements.size(); ++index)
      dimension.set(candidate,
                    dimension.isTensorSet
                        ? *usesTMA & dimension.domain(index).back()
                        : draw(dimension.steps(index), numbers),
                    index);
    if (!mayProduce(candidate))
      dimension.reset(candidate);
  }
  if (llvm::is_contained(combined, candidate.splits) && numbers.below(2)) {
    candidate.cluster = *clusterOfPartials();
    candidate.policy.producers = 0;
    settle(candidate);
  }
}

/// Draws any value or a neighbour of `value`, each half of the time.
static int64_t drawBeside(ArrayRef<int64_t> values, int64_t value,
                          Random &numbers) {
  size_t at = llvm::find(values, value) - values.begin();
  if (at == values.size() || numbers.below(2) == 0)
    at = numbers.below(values.size());
  else if (numbers.below(2) == 0)
    at = std::min(at + 1, values.size() - 1);
  else
    at = at > 0 ? at - 1 : at;
  return values[at];
}

/// Changes one dimension. Each axis's tile is changed as often as each other
/// dimension.
void ScheduleSpace::changeOne(ScheduleCandidate &candidate,
                              Random &numbers) const {
  SmallVector<std::pair<const ScheduleDimension *, unsigned>, 24> changeable;
  for (bool isOfAxes : {true, false})
    for (const ScheduleDimension &dimension : choices)
      if (dimension.isDrawnWithLoops && !dimension.isEvaluated &&
          isOfAxes == (dimension.scope == DimensionInfo::Scope::Axis))
        for (unsigned index :
             llvm::seq<unsigned>(0, isOfAxes ? dimension.elements.size() : 1))
          changeable.emplace_back(&dimension, index);
  auto [chosen, index] = changeable[numbers.below(changeable.size())];
  if (chosen->scope == DimensionInfo::Scope::Axis) {
    int64_t tile = chosen->get(candidate, index);
    chosen->set(candidate, drawBeside(chosen->domain(index), tile, numbers),
                index);
  } else if (chosen->isMove) {
    // A chain of one contraction has no intermediates to retain.
    if (chosen->elements.empty())
      return;
    int64_t levels = draw(chosen->domain(), numbers);
    index = numbers.below(chosen->elements.size());
    chosen->set(candidate, levels, index);
  } else {
    uint64_t number = numbers.below(countValues(*chosen));
    for (; number >= chosen->domain(index).size(); ++index)
      number -= chosen->domain(index).size();
    chosen->set(candidate, chosen->domain(index)[number], index);
  }
}

/// How often to draw a candidate whose tiles a block may hold.
static constexpr unsigned kTries = 64;

ScheduleCandidate ScheduleSpace::randomOutline(Random &numbers) const {
  ScheduleCandidate candidate;
  for (unsigned i = 0; i < kTries; ++i) {
    candidate = random(numbers);
    for (const ScheduleDimension &dimension : choices)
      if (dimension.isEvaluated)
        dimension.reset(candidate);
    if (mayFit(tilesOf(candidate)) && fillsSplits(candidate))
      break;
  }
  return candidate;
}

ScheduleCandidate
ScheduleSpace::mutateOutline(const ScheduleCandidate &candidate,
                             Random &numbers) const {
  // Other loops often need other tiles, and other tiles another split: one
  // change alone leads nowhere.
  unsigned changes = 1 + numbers.below(3);
  for (unsigned i = 0; i < kTries; ++i) {
    ScheduleCandidate changed = candidate;
    for (unsigned change = 0; change < changes; ++change)
      changeOne(changed, numbers);
    if (!(changed == candidate) && mayFit(tilesOf(changed)) &&
        fillsSplits(changed))
      return changed;
  }
  return candidate;
}
