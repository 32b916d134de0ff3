//===- GroupMeasurement.cpp - Schedules measured by running them ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Tuning/GroupMeasurement.h"
#include "fusion/Pipelines/Compile.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/Intrinsics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include <limits>

using namespace mlir;
using namespace fusion;

double fusion::predictFromCounters(const emulator::Counters &counters,
                                   int64_t blocks, int64_t clusterBlocks,
                                   const ChipInfo &chip,
                                   double flopsPerSecond) {
  constexpr double bytesPerWavefront = 128, bytesPerSector = 32;
  // One instruction each a clock.
  constexpr double schedulers = kSubPartitions;
  double waves = llvm::divideCeil(blocks, chip.usableSMs(clusterBlocks));
  double share = waves / blocks; // of the busiest SM
  return chip.launchOverhead +
         std::max(
             {counters.dramBytes / chip.dramBytesPerSecond,
              counters.globalSectors * bytesPerSector / chip.l2BytesPerSecond,
              counters.sharedWavefronts * share * bytesPerWavefront /
                  (chip.sharedBytesPerClockPerSM * chip.clockHz),
              counters.instructions * share / (schedulers * chip.clockHz),
              counters.mmaFlops * share * chip.numSMs / flopsPerSecond});
}

OwningOpRef<ModuleOp> fusion::isolate(fuse::FusedGroupOpInterface group) {
  OpBuilder builder(group->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, group.getLoc());
  auto source = group->getParentOfType<ModuleOp>();
  (*module)->setAttrs(source->getAttrDictionary());
  auto isCopied = [](Value operand) {
    Operation *op = operand.getDefiningOp();
    return op && op->getNumOperands() == 0 &&
           (isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>());
  };
  SmallVector<Value> arguments;
  for (Value operand : group->getOperands())
    if (!isCopied(operand) && !llvm::is_contained(arguments, operand))
      arguments.push_back(operand);
  builder.setInsertionPointToStart(module->getBody());
  auto function = func::FuncOp::create(
      builder, group.getLoc(), "group",
      builder.getFunctionType(TypeRange(ValueRange(arguments)),
                              group->getResultTypes()));
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(arguments, function.getArguments());
  for (Value operand : group->getOperands())
    if (isCopied(operand) && !mapping.contains(operand))
      builder.clone(*operand.getDefiningOp(), mapping);
  Operation *copy = builder.clone(*group, mapping);
  func::ReturnOp::create(builder, group.getLoc(), copy->getResults());
  return module;
}

//===----------------------------------------------------------------------===//
// Measurement
//===----------------------------------------------------------------------===//

/// Random inputs: what a GPU draws, and with it its clock, depends on the data.
static llvm::Expected<std::vector<HostTensor>>
drawInputs(const FunctionPlan &plan) {
  std::vector<HostTensor> inputs;
  for (const InputInfo &input : plan.inputs) {
    SmallVector<int64_t> shape;
    for (std::optional<int64_t> size : input.shape) {
      if (!size)
        return llvm::createStringError("its sizes are not known");
      shape.push_back(*size);
    }
    inputs.emplace_back(input.type, shape);
  }
  fillInputs(inputs, /*seed=*/0);
  return inputs;
}

/// Of several types that of the slowest.
static double slowestRate(const GroupModel &model, const Schedule &schedule,
                          const ChipInfo &chip) {
  double rate = std::numeric_limits<double>::infinity();
  for (auto [contraction, mapping] :
       llvm::zip_equal(model.contractions, schedule.contractions))
    rate = std::min(rate, contraction.type ? mmaRate(chip, *contraction.type,
                                                     *mapping.intrinsic)
                                           : chip.f32FlopsPerSecond);
  return rate;
}

llvm::Expected<double> GroupMeasurement::run(const Schedule &schedule) {
  OwningOpRef<ModuleOp> module(isolated->clone());
  MLIRContext *context = module->getContext();
  module->walk([&](fuse::FusedGroupOpInterface group) {
    group.setGroupSchedule(exportSchedule(schedule, model, context));
  });
  llvm::Expected<CompiledModule> compiled = lowerGroups(*module);
  if (!compiled)
    return compiled.takeError();
  llvm::Expected<Manifest> manifest = Manifest::parse(compiled->manifestJson);
  if (!manifest)
    return manifest.takeError();
  llvm::Expected<std::unique_ptr<Device>> device = makeDevice();
  if (!device)
    return device.takeError();
  if (llvm::Error error = (*device)->loadModule(*manifest))
    return std::move(error);
  const FunctionPlan &plan = manifest->functions.front();
  llvm::Expected<std::vector<HostTensor>> inputs = drawInputs(plan);
  if (!inputs)
    return inputs.takeError();
  ExecuteOptions options;
  options.measure = true;
  llvm::Expected<Execution> run =
      execute(*manifest, plan, **device, *inputs, options);
  if (!run)
    return run.takeError();
  if (run->fault)
    return llvm::createStringError(*run->fault);
  launches = std::move(run->launches);
  if (run->measuredUs) {
    measuredBy = "device";
    return *run->measuredUs * 1e-6;
  }
  double seconds = 0;
  if (llvm::all_of(launches, [](const LaunchReport &launch) {
        return launch.time.has_value();
      })) {
    measuredBy = "timing";
    for (const LaunchReport &launch : launches)
      seconds += launch.time->us * 1e-6;
    return seconds;
  }
  for (const LaunchReport &launch : launches) {
    if (!launch.counters)
      return llvm::createStringError("the device neither times nor counts");
    int64_t blocks = int64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    int64_t clusterBlocks =
        int64_t(launch.cluster[0]) * launch.cluster[1] * launch.cluster[2];
    seconds += predictFromCounters(*launch.counters, blocks, clusterBlocks,
                                   chip, slowestRate(model, schedule, chip));
  }
  return seconds;
}

std::optional<double> GroupMeasurement::measure(const Schedule &schedule) {
  // A candidate that fails is passed over, which is no error of the module's.
  ScopedDiagnosticHandler silence(isolated->getContext(),
                                  [](Diagnostic &) { return success(); });
  launches.clear();
  llvm::Expected<double> seconds = run(schedule);
  if (!seconds) {
    ++summary->failed;
    summary->why = llvm::toString(seconds.takeError());
    return std::nullopt;
  }
  if (summary->ran++ == 0)
    summary->first = summary->least = *seconds;
  summary->least = std::min(summary->least, *seconds);
  summary->measuredBy = measuredBy;
  return *seconds;
}

std::unique_ptr<Measurement<Schedule>>
DeviceMeasurer::measure(fuse::FusedGroupOpInterface group,
                        const GroupModel &model) {
  auto measurement =
      std::make_unique<GroupMeasurement>(group, model, chip, makeDevice);
  groups.push_back(measurement->summary);
  return measurement;
}
