//===- SearchReport.h - What a search has found, for people and tools -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SEARCHREPORT_H
#define FUSION_SEARCH_SEARCHREPORT_H

#include "fusion/Search/ScheduleSearch.h"
#include "llvm/Support/JSON.h"

namespace fusion {

/// Why `other` was not chosen: by how much the model that ranked rates it
/// slower, and where that is ours the term that decides; of equals, what
/// decided them.
std::string whyNot(const CostedSchedule &other, const CostedSchedule &chosen);

/// Another way to move tiles than the chosen one.
struct OtherPolicy {
  std::string what;         ///< "persistent blocks"
  std::string reason;       ///< why not
  std::optional<Cost> cost; ///< predicted with it, where the chip could run it
};

/// Persistence, and where the chip has bulk copies clusters, producer warps and
/// results in bulk, one by one in the chosen schedule.
std::vector<OtherPolicy> evaluateOtherPolicies(const GroupModel &group,
                                               const Schedule &chosen,
                                               const ChipInfo &chip);

/// An operand that threads copy though the chip has bulk copies.
struct ThreadCopiedOperand {
  std::string tensor, reason;
};

/// Those of a schedule that a search with these options found: by rule
/// (`whyNotTMA`), because the space has no others, or because nothing is
/// gained.
std::vector<ThreadCopiedOperand>
listCopiesByThreads(const GroupModel &group, const Schedule &schedule,
                    const SearchOptions &options, const ChipInfo &chip);

/// The choices of a schedule in plain words: how the grid is cut and visited,
/// what stays on the chip and where, how warps are spread and loads run ahead.
std::string describe(const Schedule &schedule, const GroupModel &group);

/// One group's search as JSON: its axes and products, how many candidates there
/// are, were looked at, were legal and were left out by their bound, why others
/// were refused, the ranking with the split of every cost (microseconds), each
/// loop's bound, and the place of the choice under the roofline (flop per byte
/// of DRAM, flop per second). In the papers' spaces `expressions_raw`, `raw`
/// and `after_rule1` to `after_rule4` are the sizes of the space; integers that
/// a double does not hold are strings, and `counts_exact` is off where one
/// exceeds 128 bits.
llvm::json::Object reportSearch(llvm::StringRef name, const GroupModel &group,
                                const SearchResult &result,
                                const SearchOptions &options,
                                const ChipInfo &chip);

/// What is reported of the groups of a module.
struct SearchReports {
  llvm::json::Array groups;   ///< chains, as reportSearch has them
  llvm::json::Array stitched; ///< as reportStitching has them
  llvm::json::Array left;     ///< the other groups: {"name", "why"}

  void leaveOut(std::string name, std::string why) {
    left.push_back(
        llvm::json::Object{{"name", std::move(name)}, {"why", std::move(why)}});
  }
};

/// The whole report: {"version", "chip", "groups", "stitched", "not_searched"}.
llvm::json::Value makeReport(const ChipInfo &chip, SearchReports reports);

/// The report as a page that needs nothing else: the ranking's costs as bars,
/// the roofline, and the tables.
std::string renderReport(const llvm::json::Value &report);

} // namespace fusion

#endif // FUSION_SEARCH_SEARCHREPORT_H
