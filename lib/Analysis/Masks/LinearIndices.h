//===- LinearIndices.h - Scalars that are linear in indices -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_MASKS_LINEARINDICES_H
#define FUSION_LIB_ANALYSIS_MASKS_LINEARINDICES_H

#include "fusion/Analysis/Groups/GroupAxes.h"

namespace fusion {

/// Σ coefficient · index + constant.
struct Linear {
  llvm::SmallVector<std::pair<MaskIndex, int64_t>, 2> terms;
  int64_t constant = 0;

  Linear plus(const Linear &other, int64_t factor) const {
    Linear result = *this;
    for (auto [index, coefficient] : other.terms) {
      auto *known =
          llvm::find_if(result.terms, [&, &index = index](auto &term) {
            return term.first == index;
          });
      if (known == result.terms.end())
        result.terms.push_back({index, factor * coefficient});
      else
        known->second += factor * coefficient;
    }
    result.constant += factor * other.constant;
    return result;
  }
};

/// The greatest or the least of several linear functions. For example, |a| is
/// the greatest of a and -a.
struct Extreme {
  bool isGreatest = true;
  llvm::SmallVector<Linear, 2> of;
};

/// Reads linear functions of indices, and of their digits, from the bodies of a
/// group's operators.
class LinearIndices {
public:
  explicit LinearIndices(const GroupAxes &group) : group(group) {}

  /// Returns the element-wise operator of the group that computes a value, and
  /// the scalar that it yields.
  std::optional<std::pair<unsigned, mlir::Value>>
  elementwise(mlir::Value value) const;

  /// Returns a scalar of operator `op` as a function of the indices, or
  /// nullopt.
  std::optional<Linear> linear(unsigned op, mlir::Value scalar);
  /// Returns a scalar as the greatest or the least of linear functions, or
  /// nullopt. A single linear function is one, too.
  std::optional<Extreme> extreme(unsigned op, mlir::Value scalar);
  /// Returns the least and the greatest value over all points.
  std::pair<int64_t, int64_t> range(const Linear &value) const;
  /// Returns true if it is proven that no point's value is negative.
  bool isNonNegative(const Extreme &value) const;

protected:
  const GroupAxes &group;

private:
  std::optional<Linear> deriveLinear(unsigned op, mlir::Value scalar);
  std::optional<Extreme> deriveExtreme(unsigned op, mlir::Operation *inner);
  bool fits(const Linear &value, mlir::Type type) const;
  std::optional<Linear> digit(unsigned op, mlir::Operation *inner,
                              bool isQuotient);

  llvm::DenseMap<std::pair<unsigned, mlir::Value>, std::optional<Linear>>
      linears;
};

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_MASKS_LINEARINDICES_H
