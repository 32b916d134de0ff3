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

/// Returns whether the text is nested more deeply than any launch file. LLVM's
/// JSON parser recurses, so that such a text would overflow the stack.
bool isTooDeep(std::string_view text);

/// Returns "line:column: the key 'x' is there twice" for the first duplicate
/// key of a text that LLVM's JSON parser accepts, or an empty string. That
/// parser keeps the last of equal keys.
std::string duplicateKey(std::string_view text);

/// Returns the line of the value that a path of keys and array indices leads
/// to, in a text that LLVM's JSON parser accepts. If the text has only the
/// beginning of the path, returns the line where that leads to.
unsigned lineOf(std::string_view text, const std::vector<std::string> &path);

} // namespace fusion::emulator

#endif // FUSION_TOOLS_FUSIONEMULATE_JSONSHAPE_H
