//===- PaperRules.cpp - Options and counts of papers' spaces --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/PaperRules.h"

using namespace fusion;

std::string fusion::toText(WideCount number) {
  std::string digits;
  do
    digits.insert(digits.begin(), '0' + static_cast<int>(number % 10));
  while (number /= 10);
  return digits;
}
