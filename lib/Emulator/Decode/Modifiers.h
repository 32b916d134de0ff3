//===- Modifiers.h - The modifiers of an opcode -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_MODIFIERS_H
#define FUSION_LIB_EMULATOR_DECODE_MODIFIERS_H

#include "Emulator/Execute/Operations.h"

namespace fusion::emulator {

/// The modifiers of an opcode, taken one by one. A modifier that remains at the
/// end is unknown.
class Modifiers {
public:
  explicit Modifiers(const Instruction &instruction)
      : list(instruction.modifiers) {}
  bool take(std::string_view text);
  /// Takes the first modifier that is one of `texts`. Returns its index, or -1.
  int takeOneOf(std::initializer_list<std::string_view> texts);
  /// Takes the first modifier that is a type.
  Type takeType();
  /// Takes all modifiers that begin with `prefix`.
  bool takePrefix(std::string_view prefix);
  /// Returns the bytes of the first type times the elements of the vector
  /// modifier.
  unsigned vectorBytes() const;
  Rounding takeRounding();
  uint8_t takeFloatFlags(); ///< FloatFlags: .ftz, .sat, .NaN and so on
  bool empty() const { return list.empty(); }

private:
  std::vector<std::string_view> list;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_MODIFIERS_H
