//===- PaperSearch.h - Searches papers' spaces ------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_PAPERS_PAPERSEARCH_H
#define FUSION_SEARCH_PAPERS_PAPERSEARCH_H

#include "fusion/Search/Space/SearchResult.h"

namespace fusion {

/// Searches space `paper` or `chimera`: tile sizes and loops by the model that
/// is asked for, from the best on, until lowering accepts one. The papers leave
/// the other fields open: Fusion's model chooses warps, and buffers have one
/// stage. ALCOP's model, which is about stages, chooses both itself.
std::optional<SearchResult> searchPaperSpace(const GroupModel &group,
                                             const ChipInfo &chip,
                                             std::string &reason,
                                             const SearchOptions &options);

} // namespace fusion

#endif // FUSION_SEARCH_PAPERS_PAPERSEARCH_H
