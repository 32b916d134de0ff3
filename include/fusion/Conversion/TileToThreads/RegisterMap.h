//===- RegisterMap.h - Registers by coordinates -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_REGISTERMAP_H
#define FUSION_CONVERSION_TILETOTHREADS_REGISTERMAP_H

#include "fusion/Support/LinearLayout.h"
#include "llvm/ADT/DenseMap.h"

namespace fusion {

/// The registers of thread 0 by the coordinates of their elements, of a layout
/// of two dimensions. Of registers with the same element it has the first.
class RegisterMap {
public:
  explicit RegisterMap(const LinearLayout &layout);

  /// The register of (row, column), which must be contained.
  int64_t at(int64_t row, int64_t column) const {
    return registers.at({row, column});
  }
  bool contains(int64_t row, int64_t column) const {
    return registers.contains({row, column});
  }
  /// Registers by (row, column).
  const auto &all() const { return registers; }

private:
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> registers;
};

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_REGISTERMAP_H
