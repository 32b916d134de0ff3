//===- PaperRules.h - Options and counts of papers' spaces ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_PAPERRULES_H
#define FUSION_SEARCH_SPACE_PAPERRULES_H

#include "fusion/Analysis/Cost/McFuserModel.h"
#include <array>
#include <string>

namespace fusion {

/// Rule 3: which tile sizes of a dimension are tried.
enum class PaddingRule : uint8_t {
  None,    ///< all multiples of 16
  Printed, ///< none that pad a power of two, else less than 5 % of padding
  /// Fusion's: the least tile size for each trip count. It is better than the
  /// others in everything that the models see and loses nothing.
  LeastOfTrips,
  /// `Printed` if it is known to lose at most 2 % of the best time by MCFuser's
  /// model (`lossByPadding`), else `LeastOfTrips`.
  Auto,
};

struct PaperSpaceOptions {
  bool flat = true;                  ///< off: space `chimera`, deep only
  bool deduplicate = true;           ///< rule 1
  bool completeIntermediates = true; ///< rule 2
  PaddingRule padding = PaddingRule::Printed; ///< rule 3
  bool limitSharedMemory = true;              ///< rule 4
  /// The unit in which rule 4 counts, and the factor on a block's shared memory
  /// that it allows.
  FootprintUnit unit = FootprintUnit::Bytes;
  double slack = 1.2;
  bool removeDeadLoops = true; ///< section III-B
  size_t expressionLimit = 1u << 16;
};

/// A number of candidates. Those of six contractions exceed 64 bits.
using WideCount = unsigned __int128;

/// Numbers of expressions and candidates after each rule. A rule that is off
/// changes no number.
struct PaperSpaceCounts {
  /// Expressions: all, after rule 1, after rule 2.
  std::array<uint64_t, 3> expressions{};
  /// Candidates: all, after rules 1, 2, 3 and 4.
  std::array<WideCount, 5> candidates{};
  /// Off if a number exceeds its type; it is then the type's largest value.
  bool isExact = true;
};

/// Returns the number in decimal digits.
std::string toText(WideCount number);

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_PAPERRULES_H
