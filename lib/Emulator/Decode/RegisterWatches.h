//===- RegisterWatches.h - What sanitizers see of registers -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_REGISTERWATCHES_H
#define FUSION_LIB_EMULATOR_DECODE_REGISTERWATCHES_H

#include "Emulator/Decode/DecodeContext.h"

namespace fusion::emulator {

/// The registers that wgmma of a function use, for sanitizers.
class RegisterWatches {
public:
  bool empty() const { return numbers.empty(); }
  void clear() { numbers.clear(); }
  /// Numbers the registers that wgmma of the context's function use.
  void collect(DecodeContext &context);
  /// Emits a hidden instruction before the current one, which tells sanitizers
  /// its registers.
  void emit(DecodeContext &context) const;

private:
  std::unordered_map<uint32_t, uint32_t> numbers; ///< by register
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_REGISTERWATCHES_H
