//===- VectorExtension.h - Which loops this machine executes ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MACHINE_VECTOREXTENSION_H
#define FUSION_LIB_EMULATOR_MACHINE_VECTOREXTENSION_H

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace fusion::emulator {

/// The vector extensions that loops are compiled for, from narrow to wide.
enum class VectorExtension : uint8_t { Base, V3, V4 };

/// Returns the widest one that this machine executes.
VectorExtension widestExtension();

/// Returns those of `tables`, which are in the order of the extensions, whose
/// loops this machine executes.
template <class Table>
std::vector<const Table *>
executableTables(std::initializer_list<const Table *> tables) {
  size_t count = std::min(tables.size(), size_t(widestExtension()) + 1);
  return {tables.begin(), tables.begin() + count};
}

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_MACHINE_VECTOREXTENSION_H
