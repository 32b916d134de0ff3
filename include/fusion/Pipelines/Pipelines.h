//===- Pipelines.h - The compiler's pipelines
//---------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_PIPELINES_PIPELINES_H
#define FUSION_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace fusion {

class GroupMeasurer;

/// Options of `fuse-to-unscheduled-groups`.
struct FormGroupsPipelineOptions
    : mlir::PassPipelineOptions<FormGroupsPipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("Chip to compile for; default: the "
                                          "module's fuse.chip, else sm_80"),
                           llvm::cl::init("")};
  Option<bool> forceFusion{
      *this, "force-fusion",
      llvm::cl::desc("Fuse what is legal, whatever the cost says"),
      llvm::cl::init(false)};
  Option<std::string> f32Products{
      *this, "f32-products",
      llvm::cl::desc("How f32 factors are multiplied: f32, rounded to tf32 "
                     "(tf32), or rounded or truncated to tf32 (tf32-cut) "
                     "(default: the module's fuse.f32_products, else f32)"),
      llvm::cl::init("")};
  Option<std::string> f8Products{
      *this, "f8-products",
      llvm::cl::desc("How products of 8-bit floats are added up: f32, or "
                     "coarse (default: the module's fuse.f8_products, else "
                     "f32)"),
      llvm::cl::init("")};
  Option<std::string> exponentials{
      *this, "exponentials",
      llvm::cl::desc(
          "How the exponential of a difference is computed: "
          "difference, its scale and log2(e) in one fma, or so where that "
          "is as exact (guarded) (default: the module's fuse.exponentials, "
          "else guarded)"),
      llvm::cl::init("")};
  Option<bool> skipMasked{
      *this, "skip-masked",
      llvm::cl::desc("Skip tiles that masks provably exclude, taking 0 * x as "
                     "0 there"),
      llvm::cl::init(true)};
  Option<std::string> stitch{
      *this, "stitch",
      llvm::cl::desc("Strategy that forms stitched groups of the operators "
                     "outside of chains: explorer, printed, greedy or none "
                     "(fuse-form-groups)"),
      llvm::cl::init("explorer")};
  Option<std::string> latencyEvaluator{
      *this, "latency-evaluator",
      llvm::cl::desc("Latency evaluator of stitched kernels: default, printed, "
                     "or auto: the one that belongs to stitch "
                     "(fuse-form-groups, fuse-search-schedules)"),
      llvm::cl::init("auto")};
  Option<std::string> deltaEvaluator{
      *this, "delta-evaluator",
      llvm::cl::desc("Delta evaluator of patterns: default, printed, or auto: "
                     "the one that belongs to stitch (fuse-form-groups)"),
      llvm::cl::init("auto")};
  Option<std::string> preFusion{
      *this, "pre-fusion",
      llvm::cl::desc("Vertices of the explorer: groups that XLA's rules fuse "
                     "(true), single operators (false) or auto "
                     "(fuse-form-groups)"),
      llvm::cl::init("auto")};
  Option<std::string> fullEvaluator{
      *this, "full-evaluator",
      llvm::cl::desc("Score patterns by the latency evaluator (true), by the "
                     "delta evaluator (false) or auto (fuse-form-groups)"),
      llvm::cl::init("auto")};
  Option<std::string> planReport{
      *this, "plan-report",
      llvm::cl::desc("Write the graph of the operators outside of chains, and "
                     "its plan, as JSON to this file (fuse-form-groups)"),
      llvm::cl::init("")};
  Option<std::string> planPage{
      *this, "plan-html",
      llvm::cl::desc("Write the graph of the operators outside of chains, and "
                     "its plan, as a page to this file (fuse-form-groups)"),
      llvm::cl::init("")};
};

/// Options of `fuse-to-groups`, `fuse-to-nvvm` and `fuse-to-native`.
struct FuseToNVVMOptions : FormGroupsPipelineOptions {
  Option<unsigned> rescaleThreshold{
      *this, "rescale-threshold",
      llvm::cl::desc("Rescale accumulators of online reductions only where "
                     "that divides them by more than 2 to this power; 0: "
                     "always"),
      llvm::cl::init(0)};
  Option<int64_t> waitLimit{
      *this, "wait-limit",
      llvm::cl::desc("Tries after which a wait for an mbarrier traps (default: "
                     "the module's tile.wait_limit, else no limit)"),
      llvm::cl::init(0)};
};

/// From a module of func.funcs over tensors to groups without schedules.
void buildFormGroupsPipeline(mlir::OpPassManager &manager,
                             const FormGroupsPipelineOptions &options);

/// Appends `buildFormGroupsPipeline` and the passes that schedule the groups. A
/// measurer (fusion/Transforms/Scheduling/GroupMeasurer.h) outlives the
/// manager.
void buildFuseGroupsPipeline(mlir::OpPassManager &manager,
                             const FuseToNVVMOptions &options,
                             GroupMeasurer *measurer = nullptr);

/// From groups with schedules to block programs with layouts, shared memory and
/// barriers.
void buildTilePipeline(mlir::OpPassManager &manager);

/// From block programs to the nvvm and llvm dialects. `waitLimit` is that of
/// `convert-tile-to-gpu`.
void buildTileToNVVMPipeline(mlir::OpPassManager &manager,
                             int64_t waitLimit = 0);

/// From a module of func.funcs over tensors to the nvvm dialect:
/// `fuse-to-nvvm`.
void buildFuseToNVVMPipeline(mlir::OpPassManager &manager,
                             const FuseToNVVMOptions &options);

/// From groups with schedules for a CPU to block programs.
void buildNativeTilePipeline(mlir::OpPassManager &manager);

/// From block programs for a CPU to the llvm dialect: native kernels
/// (docs/native-kernels.md).
void buildTileToNativePipeline(mlir::OpPassManager &manager);

/// From a module of func.funcs over tensors to native kernels:
/// `fuse-to-native`.
void buildFuseToNativePipeline(mlir::OpPassManager &manager,
                               const FuseToNVVMOptions &options);

/// Registers the pipelines under their names.
void registerPipelines();

} // namespace fusion

#endif // FUSION_PIPELINES_PIPELINES_H
