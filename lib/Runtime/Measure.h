//===- Measure.h - The time of repeated launches ----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How every device measures: after a warm-up the median of 31 batches, each of
// as many repetitions as take half a millisecond.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_RUNTIME_MEASURE_H
#define FUSION_LIB_RUNTIME_MEASURE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace fusion {

/// Appends the microseconds of a repetition, over a batch of `repetitions`, for
/// each of `batches`.
using Sampler = llvm::function_ref<llvm::Error(
    unsigned repetitions, unsigned batches, std::vector<double> &samples)>;

/// Returns the median of the microseconds of a repetition.
inline llvm::Expected<double> measureMedian(Sampler sample,
                                            unsigned warmUpRepetitions = 1) {
  // The warm-up loads code and raises the clocks; its last run tells how many
  // repetitions make a batch long against the clock's resolution.
  constexpr unsigned warmUpBatches = 3, batches = 31;
  constexpr double batchMicroseconds = 500;
  std::vector<double> samples;
  if (llvm::Error error = sample(warmUpRepetitions, warmUpBatches, samples))
    return std::move(error);
  unsigned repetitions = std::clamp<double>(
      std::ceil(batchMicroseconds / std::max(samples.back(), 0.1)), 1, 200);
  samples.clear();
  if (llvm::Error error = sample(repetitions, batches, samples))
    return std::move(error);
  std::nth_element(samples.begin(), samples.begin() + batches / 2,
                   samples.end());
  return samples[batches / 2];
}

} // namespace fusion

#endif // FUSION_LIB_RUNTIME_MEASURE_H
