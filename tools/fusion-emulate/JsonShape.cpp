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

/// The string that begins at `begin`, without escapes.
static std::string stringAt(std::string_view text, size_t begin) {
  // Keys may be written with escapes.
  auto value = llvm::json::parse(
      llvm::StringRef(text.data() + begin, endOfString(text, begin) - begin));
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::string();
  }
  return value->getAsString()->str();
}

unsigned fusion::emulator::lineOf(std::string_view text,
                                  const std::vector<std::string> &path) {
  size_t found = text.find_first_not_of(" \t\r\n");
  size_t matched = 0; // of the path, which leads to what is at `found`
  size_t depth = 0, index = 0;
  bool isArray = false;
  for (size_t i = found; i < text.size() && matched < path.size(); ++i) {
    char c = text[i];
    bool isHere = depth == matched + 1; // in the object or array of the path
    if (c == '{' || c == '[') {
      bool isElement =
          isHere && isArray && path[matched] == std::to_string(index);
      if (isElement) {
        ++matched;
        found = i;
      }
      if (++depth == matched + 1) {
        isArray = c == '[';
        index = 0;
      }
    } else if (c == '}' || c == ']') {
      // What the path leads to has ended.
      if (depth-- == matched + 1)
        break;
    } else if (c == ',') {
      index += isHere;
    } else if (c == '"') {
      size_t end = endOfString(text, i);
      size_t next = text.find_first_not_of(" \t\r\n", end);
      if (isHere && !isArray && next != std::string_view::npos &&
          text[next] == ':' && stringAt(text, i) == path[matched]) {
        ++matched;
        found = i;
        // A number or a string is the end of the path.
        next = text.find_first_not_of(" \t\r\n", next + 1);
        if (text[next] != '{' && text[next] != '[')
          break;
        end = next;
      }
      i = end - 1;
    }
  }
  return unsigned(1 + llvm::StringRef(text.data(), found).count('\n'));
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
      std::string name = stringAt(text, begin);
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
