//===- JsonShape.cpp - What a JSON parser lets pass -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonShape.h"

#include "llvm/Support/JSON.h"

#include <set>
#include <vector>

using namespace fusion::emulator;

bool fusion::emulator::isTooDeep(std::string_view text) {
  constexpr unsigned kMaxDepth = 64;
  unsigned depth = 0;
  bool isString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isString) {
      i += c == '\\';
      isString = c != '"';
    } else if (c == '"') {
      isString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth)
        return true;
    } else if ((c == ']' || c == '}') && depth) {
      --depth;
    }
  }
  return false;
}

/// Where the string that begins at `begin` ends, past its quotation mark.
static size_t endOfString(std::string_view text, size_t begin) {
  size_t i = begin + 1;
  while (i < text.size() && text[i] != '"')
    i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

std::string fusion::emulator::duplicateKey(std::string_view text) {
  // The keys so far of every object that is open.
  std::vector<std::set<std::string>> objects;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') {
      objects.emplace_back();
    } else if (text[i] == '}') {
      if (!objects.empty())
        objects.pop_back();
    } else if (text[i] == '"') {
      size_t begin = i, end = endOfString(text, begin);
      i = end - 1;
      size_t next = text.find_first_not_of(" \t\r\n", end);
      if (next == std::string_view::npos || text[next] != ':' ||
          objects.empty())
        continue;
      // Keys may be written with escapes.
      auto key =
          llvm::json::parse(llvm::StringRef(text.data() + begin, end - begin));
      if (!key) {
        llvm::consumeError(key.takeError());
        continue;
      }
      std::string name = key->getAsString()->str();
      if (objects.back().insert(name).second)
        continue;
      llvm::StringRef before(text.data(), begin);
      size_t line = before.rfind('\n');
      return std::to_string(before.count('\n') + 1) + ":" +
             std::to_string(line == llvm::StringRef::npos ? begin + 1
                                                          : begin - line) +
             ": the key '" + name + "' is there twice";
    }
  }
  return std::string();
}
