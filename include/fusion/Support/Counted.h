//===- Counted.h - Numbers of things in sentences ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_COUNTED_H
#define FUSION_SUPPORT_COUNTED_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace fusion {

/// "1 block", "2 blocks"; of nouns whose plural ends in -s.
inline std::string counted(int64_t number, llvm::StringRef noun) {
  return std::to_string(number) + " " + noun.str() + (number == 1 ? "" : "s");
}

} // namespace fusion

#endif // FUSION_SUPPORT_COUNTED_H
