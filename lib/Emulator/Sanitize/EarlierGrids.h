//===- EarlierGrids.h - Grids that were launched before ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_EARLIERGRIDS_H
#define FUSION_LIB_EMULATOR_SANITIZE_EARLIERGRIDS_H

#include "Emulator/Sanitize/Agents.h"
#include "Emulator/Sanitize/Reports.h"
#include "Emulator/Sanitize/ThreadOrder.h"

namespace fusion::emulator {

class EarlierGrids {
public:
  EarlierGrids(Reports &reports, ThreadOrder &order, Agents &agents)
      : reports(reports), order(order), agents(agents) {}

  /// The lanes have waited for the grids that were launched before.
  void wait(Warp &warp, uint32_t mask);
  /// The lanes access memory that grids launched before may still access.
  void check(const Warp &warp, const Inst &inst, uint32_t mask,
             const Allocation &allocation);

private:
  Reports &reports;
  ThreadOrder &order;
  Agents &agents;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_EARLIERGRIDS_H
