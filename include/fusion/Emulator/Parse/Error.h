//===- Error.h - Why PTX is not parsed or executed --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_EMULATOR_PARSE_ERROR_H
#define FUSION_EMULATOR_PARSE_ERROR_H

#include <string>

namespace fusion::emulator {

/// The reason why parsing or executing failed. `line` counts from 1 in the PTX
/// text; 0 if the error has no line.
struct Error {
  std::string message;
  unsigned line = 0;
};

} // namespace fusion::emulator

#endif // FUSION_EMULATOR_PARSE_ERROR_H
