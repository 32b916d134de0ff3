//===- Pipelines.cpp - The compiler's pipelines ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Pipelines/Pipelines.h"
#include "fusion/Conversion/Passes.h"
#include "fusion/Dialect/Tile/Transforms/Passes.h"
#include "fusion/Transforms/Scheduling/GroupMeasurer.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace fusion;

void fusion::buildFormGroupsPipeline(OpPassManager &manager,
                                     const FormGroupsPipelineOptions &options) {
  manager.addPass(createFuseTosaToLinalg());
  manager.addPass(createFuseTensorToLinalg());
  // Before sums are widened, which reads what they start from.
  manager.addPass(createFuseCheckInitialized());
  FuseExplicitNumericsOptions numerics;
  numerics.f32Products = options.f32Products;
  numerics.f8Products = options.f8Products;
  numerics.exponentials = options.exponentials;
  manager.addPass(createFuseExplicitNumerics(numerics));
  manager.addPass(createFuseCheckSizes());
  manager.addPass(createFuseNormalize());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(createFuseFoldReshapes());
  FuseMergeAxesOptions merge;
  merge.chip = options.chip;
  merge.skipMasked = options.skipMasked;
  merge.forceFusion = options.forceFusion;
  manager.addPass(createFuseMergeAxes(merge));
  // Reshapes that were made for different operators are the same.
  manager.addPass(createCSEPass());
  FuseFormGroupsOptions form;
  form.chip = options.chip;
  form.forceFusion = options.forceFusion;
  form.skipMasked = options.skipMasked;
  form.stitch = options.stitch;
  form.latencyEvaluator = options.latencyEvaluator;
  form.deltaEvaluator = options.deltaEvaluator;
  form.preFusion = options.preFusion;
  form.fullEvaluator = options.fullEvaluator;
  form.planReport = options.planReport;
  form.planPage = options.planPage;
  manager.addPass(createFuseFormGroups(form));
}

void fusion::buildFuseGroupsPipeline(OpPassManager &manager,
                                     const FuseToNVVMOptions &options,
                                     GroupMeasurer *measurer) {
  buildFormGroupsPipeline(manager, options);
  FuseSearchSchedulesOptions search;
  search.chip = options.chip;
  search.skipMasked = options.skipMasked;
  search.rescaleThreshold = options.rescaleThreshold;
  // What was chosen for groups is chosen for their schedules.
  if (options.latencyEvaluator != "auto")
    search.latencyEvaluator = options.latencyEvaluator;
  else if (options.stitch == "printed")
    search.latencyEvaluator = "printed";
  manager.addPass(createFuseSearchSchedules(search, measurer));
}

void fusion::buildTilePipeline(OpPassManager &manager) {
  manager.addPass(createFuseSplitReductions());
  manager.addPass(createFuseCompleteSchedules());
  manager.addPass(createFuseLowerToTile());
  OpPassManager &kernels = manager.nest<tile::KernelOp>();
  kernels.addPass(createTileFlushExponentials());
  kernels.addPass(createTileFoldExponentials());
  kernels.addPass(createTilePipelineIdentify());
  kernels.addPass(createTilePipelineAssignStages());
  kernels.addPass(createTilePipelinePlace());
  kernels.addPass(createTilePipelineExpand());
  kernels.addPass(createTilePipelineRegisters());
  kernels.addPass(createTileUnrollArrays());
  kernels.addPass(createTilePipelinePrune());
  kernels.addPass(createTileUseSharedOperands());
  kernels.addPass(createTileAssignLayouts());
  kernels.addPass(createTileReleaseStages());
  kernels.addPass(createTileOverlapIterations());
  kernels.addPass(createTileAllocateShared());
  kernels.addPass(createTileInsertBarriers());
  kernels.addPass(createTileInsertProxyFences());
  kernels.addPass(createTilePingPong());
  kernels.addPass(createTileSpecializeWarps());
  kernels.addPass(createTileSplitMaskedLoops());
  manager.addPass(createTileOverlapLaunches());
}

/// Upstream's canonicalizer without the pattern that compares every pair of
/// values that a loop carries: kernels carry hundreds, and none is a copy of
/// another.
static std::unique_ptr<Pass> createKernelCanonicalizer() {
  return createCanonicalizerPass(
      GreedyRewriteConfig(),
      {"(anonymous namespace)::RemoveDuplicateSuccessorInputUses"});
}

void fusion::buildTileToNVVMPipeline(OpPassManager &manager,
                                     int64_t waitLimit) {
  ConvertTileToGPUOptions toGPU;
  toGPU.waitLimit = waitLimit;
  manager.addPass(createConvertTileToGPU(toGPU));
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(createKernelCanonicalizer());
  kernels.addPass(createCSEPass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(createNVVMExpandNarrowFloats());
  kernels.addPass(createConvertMathToNVVM());
  kernels.addPass(createClearFastMath());
  kernels.addPass(createConvertNVGPUToNVVMPass());
  kernels.addPass(createConvertVectorToSCFPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  ConvertGpuOpsToNVVMOpsOptions toNVVM;
  toNVVM.useBarePtrCallConv = true;
  kernels.addPass(createConvertGpuOpsToNVVMOps(toNVVM));
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createKernelCanonicalizer());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createNVVMFinalizeKernels());
}

void fusion::buildFuseToNVVMPipeline(OpPassManager &manager,
                                     const FuseToNVVMOptions &options) {
  buildFuseGroupsPipeline(manager, options);
  buildTilePipeline(manager);
  buildTileToNVVMPipeline(manager, options.waitLimit);
}

void fusion::buildNativeTilePipeline(OpPassManager &manager) {
  manager.addPass(createFuseCompleteSchedules());
  manager.addPass(createFuseLowerToTile());
}

void fusion::buildTileToNativePipeline(OpPassManager &manager) {
  manager.addNestedPass<tile::KernelOp>(createKernelCanonicalizer());
  manager.addNestedPass<tile::KernelOp>(createCSEPass());
  manager.addPass(createConvertTileToCPU());
  OpPassManager &kernels = manager.nest<ModuleOp>();
  kernels.addPass(createKernelCanonicalizer());
  kernels.addPass(createCSEPass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  arith::ArithEmulateUnsupportedFloatsOptions floats;
  floats.sourceTypeStrs = {"bf16"};
  floats.targetTypeStr = "f32";
  kernels.addPass(arith::createArithEmulateUnsupportedFloats(floats));
  kernels.addPass(createConvertMathToCPU());
  kernels.addPass(createConvertVectorToSCFPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(arith::createArithExpandOpsPass());
  ConvertVectorToLLVMPassOptions vectors;
  vectors.x86Vector = true;
  vectors.amx = true;
  kernels.addPass(createConvertVectorToLLVMPass(vectors));
  kernels.addPass(createConvertToLLVMPass());
  kernels.addPass(createKernelCanonicalizer());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
}

void fusion::buildFuseToNativePipeline(OpPassManager &manager,
                                       const FuseToNVVMOptions &options) {
  buildFuseGroupsPipeline(manager, options);
  buildNativeTilePipeline(manager);
  buildTileToNativePipeline(manager);
}

using ErrorHandler = function_ref<LogicalResult(const Twine &)>;

/// Fails where `manager` runs on another operation than `what`, which runs on
/// `operation`. Upstream checks this for passes alone: a pipeline that adds its
/// passes anyway ends the program.
static LogicalResult checkOperation(OpPassManager &manager, const Twine &what,
                                    std::optional<StringRef> operation,
                                    ErrorHandler fail) {
  std::optional<StringRef> here = manager.getOpName();
  if (manager.getNesting() != OpPassManager::Nesting::Explicit || !here ||
      !operation || *here == *operation)
    return success();
  return fail("Can't add " + what + " restricted to '" + *operation +
              "' on a PassManager intended to run on '" + *here +
              "', did you intend to nest?");
}

/// Registers a pipeline over modules whose options say to the parser of the
/// pipeline what is wrong with them. Upstream's registration says it to the
/// standard error.
template <typename Options>
static void registerPipeline(StringRef name, StringRef description,
                             void (*build)(OpPassManager &, const Options &)) {
  registerPassPipeline(
      name, description,
      [name, build](OpPassManager &manager, StringRef text, ErrorHandler fail) {
        Options options;
        std::string why;
        llvm::raw_string_ostream stream(why);
        if (failed(options.parseFromString(text, stream))) {
          // A value that is none of its option's leaves no reason.
          StringRef reason = StringRef(why).trim();
          return fail("the options '" + text + "' are not those of '" + name +
                      "'" + (reason.empty() ? "" : ": ") + reason);
        }
        if (failed(checkOperation(manager, "pipeline '" + name + "'",
                                  ModuleOp::getOperationName(), fail)))
          return failure();
        build(manager, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(Options());
      });
}

/// Registers `oldName` as an alias of a pass that was renamed. What the new
/// name rejects, the old one rejects with the same reason.
static void registerAlias(StringRef oldName, StringRef description,
                          std::unique_ptr<Pass> (*create)()) {
  registerPassPipeline(
      oldName, description,
      [create](OpPassManager &manager, StringRef options, ErrorHandler fail) {
        std::unique_ptr<Pass> pass = create();
        if (failed(pass->initializeOptions(options, fail)) ||
            failed(checkOperation(manager, "pass '" + pass->getName() + "'",
                                  pass->getOpName(), fail)))
          return failure();
        manager.addPass(std::move(pass));
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}

/// Old names of passes, which work as flags and in textual pipelines.
static void registerAliases() {
  registerAlias("tile-multiply-in-place", "Alias of tile-use-shared-operands",
                createTileUseSharedOperands);
  registerAlias("tile-overlap-products", "Alias of tile-overlap-iterations",
                createTileOverlapIterations);
  registerAlias("tile-take-turns", "Alias of tile-ping-pong",
                createTilePingPong);
}

void fusion::registerPipelines() {
  registerAliases();
  registerPipeline<FuseToNVVMOptions>(
      "fuse-to-nvvm",
      "Compile a module of functions over tensors to nvvm kernels and a host "
      "plan",
      buildFuseToNVVMPipeline);
  registerPipeline<FuseToNVVMOptions>(
      "fuse-to-native",
      "Compile a module of functions over tensors to native kernels of a CPU "
      "and a host plan",
      buildFuseToNativePipeline);
  registerPipeline<FormGroupsPipelineOptions>(
      "fuse-to-unscheduled-groups",
      "Form groups and leave their schedules open", buildFormGroupsPipeline);
  registerPipeline<FuseToNVVMOptions>(
      "fuse-to-groups", "Form groups and choose their schedules",
      [](OpPassManager &manager, const FuseToNVVMOptions &options) {
        buildFuseGroupsPipeline(manager, options);
      });
  registerPipeline<EmptyPipelineOptions>(
      "tile-pipeline", "Lower scheduled groups to block programs",
      [](OpPassManager &manager, const EmptyPipelineOptions &) {
        buildTilePipeline(manager);
      });
  registerPipeline<EmptyPipelineOptions>(
      "tile-to-nvvm", "Lower block programs to nvvm kernels",
      [](OpPassManager &manager, const EmptyPipelineOptions &) {
        buildTileToNVVMPipeline(manager);
      });
  registerPipeline<EmptyPipelineOptions>(
      "tile-to-native", "Lower block programs to native kernels of a CPU",
      [](OpPassManager &manager, const EmptyPipelineOptions &) {
        buildTileToNativePipeline(manager);
      });
}
