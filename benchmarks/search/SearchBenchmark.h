//===- SearchBenchmark.h - What benchmarks of searches share ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_BENCHMARKS_SEARCH_SEARCHBENCHMARK_H
#define FUSION_BENCHMARKS_SEARCH_SEARCHBENCHMARK_H

#include "ChainWorkloads.h"
#include "fusion/Search/Chains/ScheduleSearch.h"
#include "fusion/Search/Papers/PaperOrder.h"
#include "llvm/Support/raw_ostream.h"

namespace fusion {

inline const ChipInfo &chip() { return *lookupChip("sm_80"); }

[[noreturn]] inline void fail(const std::string &why) {
  llvm::errs() << why << "\n";
  std::exit(1);
}

inline std::vector<ChainWorkload>
orFail(std::vector<ChainWorkload> (*read)(std::string &)) {
  std::string error;
  std::vector<ChainWorkload> workloads = read(error);
  if (!error.empty())
    fail(error);
  return workloads;
}

/// The chains of the source documents, and these together with the other
/// workloads that have two consecutive contractions; both exit where they
/// cannot be read.
inline std::vector<ChainWorkload> documentedChains() {
  return orFail(readChainWorkloads);
}
inline std::vector<ChainWorkload> documentedPairs() {
  return orFail(readProductPairs);
}

/// 1024 rows, all other sizes 64: "3 contractions".
inline ChainWorkload rowOfProducts(unsigned contractions) {
  ChainShape shape{llvm::SmallVector<int64_t, 6>(contractions + 2, 64)};
  shape.sizes.front() = 1024;
  return {std::to_string(contractions) + " products", shape};
}

/// 1024 rows, sizes that go up and down as those of a network's layers do:
/// "3 layers".
inline ChainWorkload rowOfLayers(unsigned contractions) {
  ChainShape shape;
  shape.sizes = {1024};
  for (unsigned size = 0; size <= contractions; ++size)
    shape.sizes.push_back(size % 2 ? 1024 : 64);
  return {std::to_string(contractions) + " layers", shape};
}

/// The example of MCFuser's figure 7.
inline ChainShape exampleChain() { return ChainShape{{1024, 512, 1024, 512}}; }

/// Both exit where there is no such group.
inline SearchResult choose(const GroupModel &group,
                           const SearchOptions &options = {},
                           const ChipInfo &target = chip()) {
  std::string reason;
  std::optional<SearchResult> found =
      searchSchedule(group, target, reason, options);
  if (!found)
    fail(reason);
  return std::move(*found);
}
inline PaperSpace makeSpace(const GroupModel &group,
                            const PaperSpaceOptions &options = {}) {
  std::string reason;
  auto space = PaperSpace::create(group, chip(), options, reason);
  if (!space)
    fail(reason);
  return std::move(*space);
}

/// By MCFuser's model, of candidates that fit into a block.
inline double bestFitting(const GroupModel &group,
                          const PaperSpaceOptions &options) {
  return searchFitting(group, makeSpace(group, options), chip())->seconds;
}

} // namespace fusion

#endif // FUSION_BENCHMARKS_SEARCH_SEARCHBENCHMARK_H
