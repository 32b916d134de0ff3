//===- CpuSearch.h - Chooses the schedule of a chain on a CPU ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search of `CpuSpace`. Chimera's closed form for each level of cache, and
// tiles of a few sizes, give first answers for all loops. Descents from the
// best of them, which change one choice or two tiles at a time, follow.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_CPU_CPUSEARCH_H
#define FUSION_SEARCH_CPU_CPUSEARCH_H

#include "fusion/Search/Cpu/CpuSpace.h"
#include "fusion/Search/Space/SearchResult.h"

namespace fusion {

/// Returns the legal schedule of least predicted time that the search finds.
/// Returns nullopt with `reason` if no candidate is legal, or if the options
/// ask for what CPUs do not have. One thread searches, so that equal options
/// give equal answers. `chip` is a CPU, and the group passes `checkGroup`.
std::optional<SearchResult> searchCpu(const GroupModel &group,
                                      const ChipInfo &chip, std::string &reason,
                                      const SearchOptions &options);

} // namespace fusion

#endif // FUSION_SEARCH_CPU_CPUSEARCH_H
