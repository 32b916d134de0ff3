//===- RegisterMap.h - Registers by what they hold ------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_REGISTERMAP_H
#define FUSION_LIB_CONVERSION_TILETOGPU_REGISTERMAP_H

#include "fusion/Support/LinearLayout.h"
#include "llvm/ADT/DenseMap.h"

namespace fusion {

/// The registers of thread 0 by the coordinates of what they hold, in a layout of
/// two dimensions.
class RegisterMap {
public:
  explicit RegisterMap(const LinearLayout &layout) {
    for (int64_t reg = layout.inSize(LayoutDim::Register); reg-- > 0;) {
      llvm::SmallVector<int64_t> at = layout.coords(reg, 0, 0);
      registers[{at[0], at[1]}] = reg;
    }
  }
  /// Of what it contains.
  int64_t at(int64_t row, int64_t column) const {
    return registers.at({row, column});
  }
  bool contains(int64_t row, int64_t column) const {
    return registers.contains({row, column});
  }
  const auto &all() const { return registers; }

private:
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> registers;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_REGISTERMAP_H
