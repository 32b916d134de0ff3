//===- Races.h - Races of an access with recorded ones ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_RACES_H
#define FUSION_LIB_EMULATOR_SANITIZE_RACES_H

#include "Emulator/Sanitize/Readers.h"
#include "Emulator/Sanitize/Reports.h"

#include <map>

namespace fusion::emulator {

/// Reports races. Stores of the value that is there already are in
/// RedundantStores.cpp, updates of a value read too early in LostUpdates.cpp.
class Races {
public:
  Races(Cta &cta, GridSanitizer &grid, Reports &reports,
        const ThreadOrder &order, Readers &readers)
      : cta(cta), grid(grid), reports(reports), order(order), readers(readers) {
  }

  const char *kindOfRace(const Reach &reach, Record other) const;
  void race(Reach &reach, const char *what, Record other, uint64_t offset,
            unsigned lane);
  void raceOfWrites(Reach &reach, Record other, uint64_t offset, unsigned lane);
  void checkReaders(Reach &reach, Record reads, uint64_t offset, unsigned lane);
  void suspect(Reach &reach, Record write, uint64_t offset, unsigned lane);
  bool isLostUpdate(const Reach &reach, Record write, uint64_t offset,
                    unsigned lane) const;

private:
  unsigned storedElementBytes(unsigned line);
  static const uint8_t *storedElement(const Reach &reach, unsigned lane,
                                      uint64_t offset);
  bool isRedundant(const Reach &reach, Record other, uint64_t offset,
                   unsigned lane);

  Cta &cta;
  GridSanitizer &grid;
  Reports &reports;
  const ThreadOrder &order;
  Readers &readers;
  std::map<unsigned, unsigned> elementBytes; ///< of stores, by line
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_RACES_H
