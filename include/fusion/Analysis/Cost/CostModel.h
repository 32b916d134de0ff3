//===- CostModel.h - Predicted time of a kernel ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_COST_COSTMODEL_H
#define FUSION_ANALYSIS_COST_COSTMODEL_H

#include "fusion/Analysis/Cost/PipelineModel.h"

namespace fusion {

/// Predicted seconds of one launch and their components.
struct Cost {
  double total = 0;
  double launch = 0;    ///< starting the kernel
  double dramBytes = 0; ///< between DRAM and L2 (DramModel.h)
  double dram = 0;      ///< dramBytes at DRAM bandwidth
  double l2 = 0;        ///< all global loads and stores at L2 bandwidth
  double shared = 0;    ///< shared-memory traffic of the busiest SM
  double compute = 0;   ///< tensor-core and other flops of the busiest SM
  double pipeline =
      0; ///< a block's dependent steps, wave by wave (PipelineModel.h)
  double issue = 0; ///< issue slots of the busiest scheduler
  double splitReduction =
      0; ///< the launch that reduces the partial results of a split reduction
  int64_t blocksPerSM = 0;    ///< that one SM can hold
  int64_t residentBlocks = 0; ///< of an SM, with the blocks of this grid
  int64_t waves = 0;
  /// Whether the cost is that of a CPU, where `shared` is its L2 and `l2` its
  /// L3 (CpuModel.h).
  bool isOfCpu = false;

  /// Returns the name of the largest component of `total`, for remarks. It is
  /// the resource that is busy longest, "pipeline" where a block's dependent
  /// steps take longer than that, or the launches where they take longer still.
  llvm::StringRef bound() const;

  /// Returns the seconds for which the busiest resource is busy.
  double busiest() const;
};

/// The part of the issue slots that adds to whatever else takes the time: warps
/// that leave a barrier or receive a tile together also issue together, and
/// then wait together (docs/search-reference.md).
constexpr double kExposedIssue = 0.75;

/// Predicts the time of a group: its launch and, for a split reduction, the
/// launch that reduces the partial results. The launch takes the longer of two
/// times: that of its busiest resource, and that of its waves of blocks one
/// after the other. The latter includes the latencies that neither stages nor
/// other blocks hide. For a partial group, the reducing launch is not included.
Cost predictCost(const GroupModel &group, const Schedule &schedule,
                 const Footprint &footprint, const ChipInfo &chip);

/// Predicts the components of `predictCost` that depend on neither stages nor
/// occupancy: bytes and instructions at the rates of the resources, with each
/// tensor moved through DRAM once, and the least issue slots (`leastIssue`).
/// `total` is a lower bound for any numbers of stages. `memo` may hold results
/// of other schedules.
Cost predictThroughput(const GroupModel &group, const Schedule &schedule,
                       const Footprint &footprint, const ChipInfo &chip,
                       PipelineMemo *memo = nullptr);
/// Predicts the time of a group as `predictCost` without `throughput` does, but
/// starts from `throughput`, the result of `predictThroughput`. `memo` may hold
/// DRAM traffic that is already known (`predictPipeline`).
Cost predictCost(const GroupModel &group, const Schedule &schedule,
                 const Footprint &footprint, const ChipInfo &chip,
                 const Cost &throughput, PipelineMemo *memo = nullptr);

/// Predicts a kernel that only moves `bytes` at DRAM bandwidth, such as an
/// element-wise operator of its own.
double predictStreaming(int64_t bytes, const ChipInfo &chip);

/// Predicts a kernel of the generic form. Each of `threads` runs `steps`
/// dependent steps, such as those of a reduction, and waits for a sector of
/// memory in one of every `stepsOfSector` steps.
double predictGeneric(int64_t bytes, double threads, double steps,
                      double stepsOfSector, const ChipInfo &chip);

/// Returns the arithmetic intensity (φ in MCFuser) of a contraction: flops per
/// element moved, with the whole contraction as one tile, 2·M·N·K / (2·M·N +
/// M·K + N·K) (MCFuser section II-A).
double intensity(const GroupModel &group, const Contraction &contraction);

/// Returns the arithmetic intensity (φ) below which the chip is bound by
/// memory: P/W in flops per element.
double machineBalance(const Contraction &contraction, unsigned elementBytes,
                      const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_COST_COSTMODEL_H
