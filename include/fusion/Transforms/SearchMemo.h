//===- SearchMemo.h - Searches of a pipeline, each once ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass searches groups to know their price, the next one to schedule them,
// and equal layers of a network make equal groups.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_SEARCHMEMO_H
#define FUSION_TRANSFORMS_SEARCHMEMO_H

#include "fusion/Search/ScheduleSearch.h"
#include "mlir/Pass/AnalysisManager.h"
#include "llvm/ADT/StringMap.h"

namespace fusion {

/// An analysis of the module that stays valid whatever passes do: what a search
/// finds follows from the group's text, which of its operands are the same, the
/// chip and the options alone.
class SearchMemo {
public:
  explicit SearchMemo(mlir::Operation *) {}
  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) {
    return false;
  }

  struct Entry {
    std::optional<SearchResult> found;
    std::string reason; ///< where nothing is found
  };

  /// What is found for the group, whose model this is. The options are those
  /// that `isRemembered`.
  const Entry &search(mlir::Operation *group, const GroupModel &model,
                      const ChipInfo &chip, const SearchOptions &options);

  /// Whether a search differs from others in nothing but `skipMasked` and
  /// `isRough`.
  static bool isRemembered(const SearchOptions &options);

private:
  /// By all that decides; of groups the text and which operands are the same, as
  /// they are isolated from above.
  llvm::StringMap<Entry> entries;
};

} // namespace fusion

#endif // FUSION_TRANSFORMS_SEARCHMEMO_H
