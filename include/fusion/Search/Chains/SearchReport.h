//===- SearchReport.h - What a search has found, for people and tools -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_CHAINS_SEARCHREPORT_H
#define FUSION_SEARCH_CHAINS_SEARCHREPORT_H

#include "fusion/Search/Chains/ScheduleSearch.h"
#include "llvm/Support/JSON.h"

namespace fusion {

/// Returns the reason why `other` was not chosen: how much longer its predicted
/// time is by the model of the ranking, and for Fusion's model the term that
/// decides. For equal times it returns what broke the tie.
std::string whyNot(const CostedSchedule &other, const CostedSchedule &chosen);

/// A mainloop policy that was not chosen.
struct OtherPolicy {
  std::string what;         ///< "persistent blocks"
  std::string reason;       ///< why not
  std::optional<Cost> cost; ///< predicted with it, if the chip could run it
};

/// Evaluates persistence and, on chips with TMA copies, clusters, producer
/// warps and TMA stores of results, one by one in the chosen schedule.
std::vector<OtherPolicy> evaluateOtherPolicies(const GroupModel &group,
                                               const Schedule &chosen,
                                               const ChipInfo &chip);

/// An operand that threads copy though the chip has TMA copies.
struct ThreadCopiedOperand {
  std::string tensor, reason;
};

/// Returns the operands that threads copy in a schedule that a search with
/// these options found. The reason is a rule (`whyNotTMA`), the search space,
/// or that no gain is predicted.
std::vector<ThreadCopiedOperand>
listCopiesByThreads(const GroupModel &group, const Schedule &schedule,
                    const SearchOptions &options, const ChipInfo &chip);

/// Describes the choices of a schedule in words: how the grid is partitioned
/// and ordered, the retained tiles and their placements, warps, and
/// prefetching.
std::string describe(const Schedule &schedule, const GroupModel &group);

/// Returns one group's search as JSON:
///
/// * its axes and contractions;
/// * the numbers of candidates: all, visited, legal, and skipped by their
///   bounds; the reasons why others were rejected;
/// * the ranking with the components of every cost (microseconds);
/// * what bounds each loop;
/// * the position of the choice under the roofline (flops per byte of DRAM,
///   flops per second).
///
/// In the papers' spaces `expressions_raw`, `raw` and `after_rule1` to
/// `after_rule4` are the sizes of the space. Integers that a double does not
/// hold are strings, and `counts_exact` is off if one exceeds 128 bits.
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

/// Returns the complete report: {"version", "chip", "groups", "stitched",
/// "not_searched"}.
llvm::json::Value makeReport(const ChipInfo &chip, SearchReports reports);

/// Renders the report as a self-contained page: the ranking's costs as bars,
/// the roofline, and the tables.
std::string renderReport(const llvm::json::Value &report);

} // namespace fusion

#endif // FUSION_SEARCH_CHAINS_SEARCHREPORT_H
