//===- JsonShape.h - What a JSON parser lets pass ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONEMULATE_JSONSHAPE_H
#define FUSION_TOOLS_FUSIONEMULATE_JSONSHAPE_H

#include <string>
#include <string_view>
#include <vector>

namespace fusion::emulator {

/// LLVM's JSON parser recurses, so that what is nested more deeply than any
/// launch file would end in a stack overflow.
bool isTooDeep(std::string_view text);

/// LLVM's JSON parser keeps the last of equal keys. Of a text that it accepts:
/// "line:column: the key 'x' is there twice", or empty.
std::string duplicateKey(std::string_view text);

/// The line of what the path leads to, in a text that LLVM's JSON parser
/// accepts: of keys, and of indices into arrays, as far as they are there.
unsigned lineOf(std::string_view text, const std::vector<std::string> &path);

} // namespace fusion::emulator

#endif // FUSION_TOOLS_FUSIONEMULATE_JSONSHAPE_H
