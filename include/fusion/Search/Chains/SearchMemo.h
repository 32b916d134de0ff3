//===- SearchMemo.h - Searches of a pipeline, each once ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass searches groups for their predicted time, the next one for their
// schedule, and equal layers of a network make equal groups.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_CHAINS_SEARCHMEMO_H
#define FUSION_SEARCH_CHAINS_SEARCHMEMO_H

#include "fusion/Search/Space/SearchResult.h"
#include "mlir/Pass/AnalysisManager.h"
#include "llvm/ADT/StringMap.h"

namespace fusion {

/// An analysis of the module that passes never invalidate. The result of a
/// search follows from the group's text, which of its operands are the same,
/// the chip and the options alone.
class SearchMemo {
public:
  explicit SearchMemo(mlir::Operation *) {}
  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) {
    return false;
  }

  struct Entry {
    std::optional<SearchResult> found;
    std::string reason; ///< if nothing is found
  };

  /// Returns the result of a search for the group, whose model is `model`. The
  /// options must be ones that `isRemembered` accepts.
  const Entry &search(mlir::Operation *group, const GroupModel &model,
                      const ChipInfo &chip, const SearchOptions &options);

  /// Returns whether the options differ from the defaults in nothing but
  /// `skipMasked` and `isRough`.
  static bool isRemembered(const SearchOptions &options);

private:
  /// By all that the result depends on. The part for a group is its text, as it
  /// is isolated from above, and which of its operands are the same.
  llvm::StringMap<Entry> entries;
};

} // namespace fusion

#endif // FUSION_SEARCH_CHAINS_SEARCHMEMO_H
