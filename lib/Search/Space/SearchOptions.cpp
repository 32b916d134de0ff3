//===- SearchOptions.cpp - Space, model and method of a search ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/SearchOptions.h"
#include "llvm/Support/ErrorHandling.h"

using namespace fusion;

llvm::StringRef fusion::name(SpaceKind space) {
  switch (space) {
  case SpaceKind::Default:
    return "default";
  case SpaceKind::Paper:
    return "paper";
  case SpaceKind::Chimera:
    return "chimera";
  }
  llvm_unreachable("covered switch");
}

std::optional<SpaceKind> fusion::lookupSpace(llvm::StringRef name) {
  for (SpaceKind each :
       {SpaceKind::Default, SpaceKind::Paper, SpaceKind::Chimera})
    if (fusion::name(each) == name)
      return each;
  return std::nullopt;
}

llvm::StringRef fusion::name(SearchMethod method) {
  switch (method) {
  case SearchMethod::Auto:
    return "auto";
  case SearchMethod::Exhaustive:
    return "exhaustive";
  case SearchMethod::Descents:
    return "descents";
  case SearchMethod::Evolutionary:
    return "evolutionary";
  }
  llvm_unreachable("covered switch");
}

std::optional<SearchMethod> fusion::lookupMethod(llvm::StringRef name) {
  for (SearchMethod each : {SearchMethod::Auto, SearchMethod::Exhaustive,
                            SearchMethod::Descents, SearchMethod::Evolutionary})
    if (fusion::name(each) == name)
      return each;
  return std::nullopt;
}
