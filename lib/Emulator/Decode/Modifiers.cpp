//===- Modifiers.cpp - The modifiers of an opcode -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/Modifiers.h"

#include <algorithm>

using namespace fusion::emulator;

bool Modifiers::take(std::string_view text) {
  auto it = std::find(list.begin(), list.end(), text);
  if (it == list.end())
    return false;
  list.erase(it);
  return true;
}

int Modifiers::takeOneOf(std::initializer_list<std::string_view> texts) {
  for (auto it = list.begin(); it != list.end(); ++it) {
    auto found = std::find(texts.begin(), texts.end(), *it);
    if (found == texts.end())
      continue;
    list.erase(it);
    return int(found - texts.begin());
  }
  return -1;
}

Type Modifiers::takeType() {
  for (auto it = list.begin(); it != list.end(); ++it) {
    Type type = parseType(*it);
    if (type == Type::None)
      continue;
    list.erase(it);
    return type;
  }
  return Type::None;
}

unsigned Modifiers::vectorBytes() const {
  Modifiers copy = *this;
  int vector = copy.takeOneOf({"v2", "v4", "v8"});
  return bytesOf(copy.takeType()) << (vector + 1);
}

bool Modifiers::takePrefix(std::string_view prefix) {
  bool any = false;
  for (size_t i = list.size(); i-- > 0;)
    if (list[i].substr(0, prefix.size()) == prefix) {
      list.erase(list.begin() + ptrdiff_t(i));
      any = true;
    }
  return any;
}

Rounding Modifiers::takeRounding() {
  switch (takeOneOf({"rn", "rz", "rm", "rp", "rna"})) {
  case 0:
    return Rounding::Nearest;
  case 1:
    return Rounding::Zero;
  case 2:
    return Rounding::Down;
  case 3:
    return Rounding::Up;
  case 4:
    return Rounding::Away;
  default:
    return Rounding::None;
  }
}

uint8_t Modifiers::takeFloatFlags() {
  uint8_t flags = 0;
  if (take("ftz"))
    flags |= FlagFtz;
  if (take("sat"))
    flags |= FlagSat;
  if (take("NaN"))
    flags |= FlagNaN;
  // The one never without the other.
  if (std::find(list.begin(), list.end(), "abs") != list.end() &&
      take("xorsign") && take("abs"))
    flags |= FlagXorSign;
  if (take("relu"))
    flags |= FlagRelu;
  return flags;
}
