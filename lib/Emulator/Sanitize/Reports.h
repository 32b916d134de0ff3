//===- Reports.h - Findings of a block --------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_REPORTS_H
#define FUSION_LIB_EMULATOR_SANITIZE_REPORTS_H

#include "Emulator/Sanitize/GridSanitizer.h"

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace fusion::emulator {

/// Collects the findings of a block until it ends, each place once.
class Reports {
public:
  Reports(const Cta &cta, const GridSanitizer &grid) : cta(cta), grid(grid) {}

  /// `message` is evaluated only if the finding is new.
  template <class Message>
  void report(const char *kind, const Warp &warp, unsigned lane, unsigned line,
              unsigned otherLine, Message message) {
    if (isNew(kind, line, otherLine))
      add(kind, warp, lane, line, otherLine, message());
  }
  /// Reports a finding with a given message.
  void reportText(const char *kind, const Warp &warp, unsigned lane,
                  unsigned line, unsigned otherLine, std::string message);
  bool isKnown(const char *kind, unsigned line, unsigned otherLine) const {
    return known.count({kind, line, otherLine});
  }
  /// Returns "thread (x,y,z)" of an access, or what else it is of.
  std::string threadName(Record record) const;

  std::vector<Finding> findings;

private:
  bool isNew(const char *kind, unsigned line, unsigned otherLine);
  void add(const char *kind, const Warp &warp, unsigned lane, unsigned line,
           unsigned otherLine, std::string message);

  const Cta &cta;
  const GridSanitizer &grid;
  std::set<std::tuple<std::string, unsigned, unsigned>> known;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_REPORTS_H
