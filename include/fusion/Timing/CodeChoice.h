//===- CodeChoice.h - What a timing replays ---------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_CODECHOICE_H
#define FUSION_TIMING_CODECHOICE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace fusion::timing {

/// What is replayed.
enum class CodeChoice : uint8_t {
  Best, ///< machine code, or the PTX if no machine code fits
  Sass, ///< machine code
  Ptx,
};

/// Returns the choice of a name: `best`, `sass`, `ptx`.
std::optional<CodeChoice> codeChoiceOf(llvm::StringRef name);

} // namespace fusion::timing

#endif // FUSION_TIMING_CODECHOICE_H
