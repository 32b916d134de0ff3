//===- CostModel.h - Predicted time of a kernel ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_COSTMODEL_H
#define FUSION_ANALYSIS_COSTMODEL_H

#include "fusion/Analysis/PipelineModel.h"

namespace fusion {

/// Predicted seconds of one launch, with what they are made of.
struct Cost {
  double total = 0;
  double launch = 0;    ///< starting the kernel
  double dramBytes = 0; ///< between DRAM and L2 (DramModel.h)
  double dram = 0;      ///< they at DRAM bandwidth
  double l2 = 0;        ///< all global loads and stores at L2 bandwidth
  double shared = 0;    ///< shared-memory traffic of the busiest SM
  double compute = 0;   ///< tensor-core and other flops of the busiest SM
  double pipeline =
      0; ///< a block's dependent steps, wave by wave (PipelineModel.h)
  double splitReduction =
      0; ///< the launch that adds the parts of a split reduction
  int64_t blocksPerSM = 0;    ///< that one SM can hold
  int64_t residentBlocks = 0; ///< of them, those that the grid fills it with
  int64_t waves = 0;

  /// The term that most of `total` is, for remarks: the longest of what
  /// overlaps, "pipeline" where a block's dependent steps take longer than any
  /// resource is busy, or the launches where they take longer than that.
  llvm::StringRef bound() const;

  /// Seconds that the busiest resource is.
  double busiest() const;
};

/// Predicts a group: its launch, which takes as long as its slowest resource is
/// busy, or as its blocks take one wave after the other with what of their
/// latencies is not hidden by stages and by other blocks, whichever is longer,
/// and the launch that combines the parts where a reduction is split. Of a
/// partial group it is the time without `combine`.
Cost predictCost(const GroupModel &group, const Schedule &schedule,
                 const Footprint &footprint, const ChipInfo &chip);

/// Of it what depends on neither stages nor occupancy: bytes and work at the
/// rates of what they pass through, every tensor once through DRAM. With any
/// stages the launch takes at least `total`.
Cost predictThroughput(const GroupModel &group, const Schedule &schedule,
                       const Footprint &footprint, const ChipInfo &chip);
/// The whole, where that is known, and maybe some of DRAM (`predictPipeline`).
Cost predictCost(const GroupModel &group, const Schedule &schedule,
                 const Footprint &footprint, const ChipInfo &chip,
                 const Cost &throughput, PipelineMemo *memo = nullptr);

/// Predicts a kernel that only moves `bytes` at DRAM bandwidth, such as an
/// element-wise operator of its own.
double predictStreaming(int64_t bytes, const ChipInfo &chip);

/// Predicts a kernel of the generic form: each of `threads` goes through
/// `steps`, as of a reduction, one after the other, and waits for a sector of
/// memory in every `stepsOfSector`th.
double predictGeneric(int64_t bytes, double threads, double steps,
                      double stepsOfSector, const ChipInfo &chip);

/// MCFuser's φ of a product: flop per element moved, with the whole product as
/// one tile, 2·M·N·K / (2·M·N + M·K + N·K) (MCFuser section II-A).
double intensity(const GroupModel &group, const Contraction &contraction);

/// φ below which the chip is bound by memory: P/W in flop per element.
double machineBalance(const Contraction &contraction, unsigned elementBytes,
                      const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_COSTMODEL_H
